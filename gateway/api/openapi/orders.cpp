// Describes what a sell and a question about options take: what all of them have, and what each family adds to that in
// its own file.
#include "api/openapi/shared.hpp"
#include "families/family.hpp"
#include "families/paths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

namespace gateway::openapi {
namespace {

constexpr Field sell_fields[] = {
    maybe({"estabelecimento", a("Estabelecimento")}),
    maybe({"cashier", a("Cashier")}),
    maybe({"repeat", a("Repeat")}),
    maybe({"confirm", a("Confirm")}),
};
constexpr Field sell_fields_by_callback[] = {
    maybe({"estabelecimento", a("Estabelecimento")}),
    maybe({"cashier", a("Cashier")}),
    maybe({"repeat", a("Repeat")}),
    maybe({"confirm", Type{R"("const":"auto")"}, "An eSIM sale has no confirm step."}),
};

constexpr Field not_sold_fields[] = {
    {"outcome", Type{R"("const":"not_sold")"}, "", R"("not_sold")"},
};

constexpr Schema schemas_of_all[] = {
    {.name = "Produto",
     .description = "The product, in the provider's words.",
     .type = field_text,
     .example = "Bilhete"},
    {.name = "Cashier",
     .description = "Who stands at the till. Not sent on.",
     .type = Type{R"("type":"string","minLength":1,"maxLength":64,"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]*$")"}},
    {.name = "Estabelecimento",
     .description = "The terminal's own establishment, or the provider section's where it has none. Default: that one.",
     .type = field_text},
    {.name = "Repeat",
     .description = "True sells what may be a duplicate (409 `possible_duplicate`).",
     .type = Type{R"("type":"boolean","default":false)"}},
    {.name = "Confirm",
     .description = "`manual`: the terminal confirms or cancels later (held).",
     .type = Type{R"("enum":["auto","manual"],"default":"auto")"}},
    {.name = "Cents",
     .description = "Cents: a JSON integer or a string of digits.",
     .type = Type{R"("oneOf":[{"type":"integer","minimum":1,"maximum":99999999},{"type":"string",)"
                  R"("pattern":"^0*[1-9][0-9]{0,7}$","maxLength":12}],"examples":[1099,"1099"])"}},
    {.name = "NoFields",
     .description = "The same as no body, for clients that cannot POST without one.",
     .type = Type{R"("type":"object","maxProperties":0)"}},
    {.name = "NotSold", .description = "A cancelled key that no sale has.", .type = object(not_sold_fields)},
};

// Returns the family with a capital letter, the kind and "Sell", for example "TransitSell".
std::string schema_name(Family family, std::string_view kind) {
    std::string name(to_string(family));
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    return name.append(kind).append("Sell");
}

std::string reference(std::string_view name) {
    return fmt::format(R"("$ref":"#/components/schemas/{}")", name);
}

std::string enumeration(const std::vector<std::string_view>& words) {
    return fmt::format(R"("enum":["{}"])", fmt::join(words, R"(",")"));
}

std::string references(const std::vector<std::string_view>& names) {
    std::string list;
    for (const auto name : names)
        list += fmt::format("{}{{{}}}", list.empty() ? "" : ",", reference(name));
    return fmt::format(R"("oneOf":[{}])", list);
}

// Makes schemas of the families' tables once, and keeps them as long as the program runs.
class OrderSchemas {
  public:
    OrderSchemas() {
        auto reserved = path_words();
        reserved.insert(reserved.end(), {".", ".."});
        schemas_.push_back(
            {.name = "Segment",
             .description = "A segment of a path at the provider. No word of the provider's is one.",
             .type = Type{kept(fmt::format(R"("type":"string","maxLength":64,"pattern":"^[a-z0-9_.-]+$","not":{{{}}})",
                                           enumeration(reserved)))}});
        std::vector<std::string_view> names;
        std::string mapping;
        for (const auto family : all_families) {
            names.push_back(add_family(family));
            mapping += fmt::format(R"({}"{}":"#/components/schemas/{}")", mapping.empty() ? "" : ",", to_string(family),
                                   names.back());
        }
        schemas_.push_back(
            {.name = "Sell",
             .description = "One sale. A field that the family does not have is an error, never ignored.",
             .type = Type{kept(fmt::format(R"({},"discriminator":{{"propertyName":"family","mapping":{{{}}}}})",
                                           references(names), mapping))}});
        add_options();
    }

    std::span<const Schema> all() const { return schemas_; }
    const std::vector<Example>& examples() const { return examples_; }
    const std::vector<Parameter>& options_parameters() const { return options_parameters_; }

  private:
    std::string_view kept(std::string text) { return texts_.emplace_back(std::move(text)); }

    std::vector<Field>& add_fields(std::vector<Field> first, std::span<const SellField> more) {
        for (const auto& field : more)
            first.push_back({.name = field.name,
                             .type = Type{field.rules},
                             .description = field.description,
                             .presence = field.is_required ? Presence::always : Presence::sometimes});
        return fields_.emplace_back(std::move(first));
    }

    std::string_view add_kind(Family family, const SellKind& kind, std::string_view description) {
        const auto name = kept(schema_name(family, kind.name));
        const auto& fields = add_fields(
            {{"family", Type{kept(fmt::format(R"("const":"{}")", to_string(family)))}}, {"produto", a("Produto")}},
            kind.fields);
        const std::span<const Field> common = is_by_callback(family) ? sell_fields_by_callback : sell_fields;
        schemas_.push_back({.name = name, .description = description, .type = object(fields, common)});
        examples_.push_back(whole(kept(fmt::format("{}{}", to_string(family), kind.name)), kind.example));
        return name;
    }

    // Returns the name of the schema of the family's sells.
    std::string_view add_family(Family family) {
        const auto& rules = rules_of(family);
        for (const auto& part : rules.sell_parts)
            schemas_.push_back(
                {.name = part.name, .description = part.description, .type = object(add_fields({}, part.fields))});
        if (rules.sell_kinds.size() == 1) return add_kind(family, rules.sell_kinds.front(), rules.sell_description);
        std::vector<std::string_view> names;
        for (const auto& kind : rules.sell_kinds)
            names.push_back(add_kind(family, kind, kind.description));
        const auto name = kept(schema_name(family, ""));
        schemas_.push_back(
            {.name = name, .description = rules.sell_description, .type = Type{kept(references(names))}});
        return name;
    }

    // Adds what options determine of a sell, what they leave to the terminal, and what they are asked for by.
    void add_options() {
        std::vector<Field> determined{{"family", a("Family")}, {"produto", a("Produto")}};
        std::vector<std::string_view> needed;
        std::vector<std::string_view> asked;
        const auto add_name = [](std::vector<std::string_view>& names, std::string_view name) {
            const bool is_new = std::ranges::find(names, name) == names.end();
            if (is_new) names.push_back(name);
            return is_new;
        };
        for (const auto family : all_families) {
            const auto& rules = rules_of(family);
            for (const auto& kind : rules.sell_kinds)
                for (const auto& field : kind.fields)
                    if (!is_part(rules, field) &&
                        std::ranges::find(determined, field.name, &Field::name) == determined.end())
                        determined.push_back({.name = field.name,
                                              .type = Type{field.rules == sell_cents ? cents.rules : field.rules},
                                              .presence = Presence::sometimes});
            for (const auto& field : rules.sell_kinds.front().fields)
                if (field.is_required) add_name(needed, field.name);
            for (const auto name : rules.unsent_fields)
                add_name(needed, name);
            for (const auto& parameter : rules.parameters) {
                const bool is_new = add_name(asked, parameter.name);
                if (is_new)
                    options_parameters_.push_back(
                        {.name = parameter.name, .type = parameter.is_required() ? field_text : a("Segment")});
                auto& described = *std::ranges::find(options_parameters_, parameter.name, &Parameter::name);
                described.description =
                    kept(fmt::format("{}{}- `{}`{}: {}", described.description, is_new ? "" : "\n", to_string(family),
                                     parameter.is_required() ? ", required" : "", parameter.meaning));
            }
        }
        schemas_.push_back(
            {.name = "OptionSell",
             .description = "Every field of the sale that the option determines: to be copied into the sell as it is.",
             .type = object(fields_.emplace_back(std::move(determined)))});
        schemas_.push_back({.name = "Needs",
                            .description = "The names of what the terminal adds; empty where nothing is missing.",
                            .type = list_of(Type{kept(enumeration(needed))}, R"("uniqueItems":true)")});
        schemas_.push_back({.name = "OptionsParameter", .type = Type{kept(enumeration(asked))}});
    }

    static bool is_part(const FamilyRules& rules, const SellField& field) {
        return std::ranges::any_of(rules.sell_parts,
                                   [&](const SellPart& part) { return field.rules == reference(part.name); });
    }

    std::deque<std::string> texts_;
    std::deque<std::vector<Field>> fields_;
    std::vector<Example> examples_;
    std::vector<Parameter> options_parameters_;
    std::vector<Schema> schemas_{std::begin(schemas_of_all), std::end(schemas_of_all)};
};

const OrderSchemas& made_orders() {
    static const OrderSchemas made;
    return made;
}

}  // namespace

std::span<const Schema> order_schemas() {
    return made_orders().all();
}

std::vector<Example> sell_examples() {
    return made_orders().examples();
}

std::vector<Parameter> options_parameters() {
    return made_orders().options_parameters();
}

}  // namespace gateway::openapi
