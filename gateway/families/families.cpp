// This is the list of the families, each of which is a table in a file beside this one, and what follows from such a
// table.
#include "base/check.hpp"
#include "base/json_text.hpp"
#include "base/wall_time.hpp"
#include "families/family.hpp"
#include "families/field_reader.hpp"
#include "families/option_reader.hpp"
#include "families/paths.hpp"
#include "families/printed.hpp"
#include "families/product.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway {

extern const FamilyRules tv_rules;
extern const FamilyRules egift_rules;
extern const FamilyRules transit_rules;
extern const FamilyRules health_rules;
extern const FamilyRules esim_rules;

namespace {

namespace json = boost::json;

// The families stand in the order of the enumeration.
constexpr std::array<const FamilyRules*, family_count> all_rules{&tv_rules, &egift_rules, &transit_rules, &health_rules,
                                                                 &esim_rules};

struct FamilyName {
    std::string_view family;
    std::string_view language;
    std::string_view text;
};
constexpr FamilyName family_names_of_people[] = {
#include "family_names.inc"
};

constexpr std::string_view find_name(Family family, Language language) noexcept {
    const std::string_view wanted = language == Language::portuguese ? "pt-BR" : "en";
    for (const auto& name : family_names_of_people)
        if (name.family == to_string(family) && name.language == wanted) return name.text;
    return {};
}

// The console makes its list of the families from these words.
static_assert(std::size(family_names_of_people) == 2 * family_count &&
                  std::ranges::all_of(all_families,
                                      [](Family family) {
                                          return !find_name(family, Language::english).empty() &&
                                                 !find_name(family, Language::portuguese).empty();
                                      }),
              "every family, and nothing else, is called family.<name> in the words of the console, in both languages");

// Returns the field at a path, or nullptr.
template <class Object>
auto find_at(Object& fields, std::string_view path) {
    const auto slash = path.find('/');
    auto* value = fields.if_contains(path.substr(0, slash));
    if (value == nullptr || slash == std::string_view::npos) return value;
    auto* object = value->if_object();
    return object != nullptr ? find_at(*object, path.substr(slash + 1)) : nullptr;
}

// Returns the values at these paths as one text. Two such texts are equal only if every value is equal or missing in
// both.
Secret likeness(const json::object& fields, FieldNames paths) {
    std::string text;
    JsonWriter writer(text);
    writer.begin_array();
    for (const auto path : paths) {
        if (const auto* value = find_at(fields, path))
            writer.value(*value);
        else
            writer.null();
    }
    writer.end_array();
    return Secret(std::move(text));
}

std::string_view pattern_of(const FamilyPaths& paths, Step step) {
    switch (step) {
        case Step::solicitar: return paths.solicitar;
        case Step::confirmar: return paths.confirmar;
        case Step::cancelar: return paths.cancelar;
        case Step::consultar: break;
    }
    CHECK(false);
}

// At most so many sentences tell of entries that cannot be read, and a count tells of the rest.
constexpr std::size_t max_left_out = 20;

// Reads the options from an array of entries.
Options read_list(const FamilyRules& rules, const OptionsQuestion& question, const json::array& entries) {
    Options options;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto* entry = entries[i].if_object();
        auto option =
            entry != nullptr ? rules.read_entry(question, *entry) : OptionOrWhy(NotAnOption{"is not an object"});
        if (option)
            options.options.push_back(std::move(*option));
        else if (++left_out <= max_left_out)
            options.left_out.push_back(fmt::format("{}[{}]: {}", rules.option_list, i, option.error().why));
    }
    if (left_out > max_left_out)
        options.left_out.push_back(fmt::format("{}: {} more entries", rules.option_list, left_out - max_left_out));
    return options;
}

// Returns the entries that the order may have been made from. If only its description is not listed, the order must
// keep the bounds all the same.
std::vector<const Option*> listed_for(const FamilyRules& rules, const Order& order, const Options& options) {
    std::vector<const Option*> same_product;
    std::vector<const Option*> same_description;
    for (const auto& option : options.options) {
        if (!same_fields(option.sell, order.fields, rules.entry_fields)) continue;
        same_product.push_back(&option);
        if (same_fields(option.sell, order.fields, {rules.entry_description})) same_description.push_back(&option);
    }
    return same_description.empty() ? same_product : same_description;
}

}  // namespace

const FamilyRules& rules_of(Family family) noexcept {
    return *all_rules[index_of(family)];
}

std::string_view name_of(Family family, Language language) noexcept {
    return find_name(family, language);
}

bool FamilyRules::has_segment() const {
    return std::ranges::find(parameters, QuestionPart::segment, &OptionsParameter::part) != parameters.end();
}

void FamilyRules::read(json::object& body, Order& order, FieldErrors& errors) const {
    FieldReader reader(body, errors);
    read_fields(reader, order);
    if (has_segment()) order.segment = read_segment(reader, to_string(family), order.produto);
}

json::object FamilyRules::understood(const json::object& fields) const {
    auto same = fields;
    for (const auto path : punctuated_fields) {
        auto* value = find_at(same, path);
        if (auto* text = value != nullptr ? value->if_string() : nullptr)
            text->erase(std::remove_if(text->begin(), text->end(), [](char c) { return c == '.' || c == '-'; }),
                        text->end());
    }
    return same;
}

Secret FamilyRules::likeness_of(const json::object& fields) const {
    if (!std::empty(punctuated_fields)) return likeness(understood(fields), likeness_fields);
    return likeness(fields, likeness_fields);
}

Secret FamilyRules::card_of(const json::object& fields) const {
    return card_field.empty() ? Secret() : Secret(lenient_text(fields, card_field));
}

// "Most requests use UTC with milliseconds and a trailing Z. Health requests use a form without time zone."
std::string FamilyRules::client_time(WallTime at) const {
    return has_zoneless_times ? to_local_iso8601(at) : to_rfc3339(at);
}

std::string FamilyRules::path(Step step, std::string_view segment) const {
    return filled(pattern_of(paths, step), [segment](std::string_view) { return segment; });
}

OptionsQuestion FamilyRules::question(const QueryValues& query, FieldErrors& errors) const {
    OptionsQuestion asked{.family = family};
    // A menu has all of its products. A question about it may name a produto, as other questions do, and that is
    // ignored.
    (void)query("produto");
    for (const auto& parameter : parameters) {
        switch (parameter.part) {
            case QuestionPart::produto: asked.produto = query_value(query, parameter.name, errors); break;
            case QuestionPart::segment:
                asked.segment = query_segment(query, parameter.name, asked.produto, errors);
                break;
            case QuestionPart::menu: asked.menu = query_value(query, parameter.name, errors); break;
            case QuestionPart::customers: asked.customers = Secret(query_value(query, parameter.name, errors)); break;
        }
    }
    return asked;
}

std::optional<OptionsQuestion> FamilyRules::question_for(const Order& order) const {
    if (std::empty(entry_fields)) return std::nullopt;
    OptionsQuestion asked{.family = family, .estabelecimento = order.estabelecimento};
    for (const auto& parameter : parameters) {
        switch (parameter.part) {
            case QuestionPart::produto: asked.produto = order.produto; break;
            case QuestionPart::segment: asked.segment = order.segment; break;
            case QuestionPart::menu:
                asked.menu = lenient_text(order.extra, parameter.name);
                if (asked.menu.empty()) return std::nullopt;
                break;
            case QuestionPart::customers: asked.customers = Secret(lenient_text(order.fields, parameter.name)); break;
        }
    }
    return asked;
}

std::string FamilyRules::query_path(const OptionsQuestion& question) const {
    return filled(paths.options, [&](std::string_view wanted) -> std::string_view {
        if (wanted == "estabelecimento") return question.estabelecimento;
        const auto named = std::ranges::find(parameters, wanted, &OptionsParameter::name);
        CHECK(named != parameters.end());
        switch (named->part) {
            case QuestionPart::produto: return question.produto;
            case QuestionPart::segment: return question.segment;
            case QuestionPart::menu: return question.menu;
            case QuestionPart::customers: return question.customers.reveal();
        }
        CHECK(false);
    });
}

bool FamilyRules::has_options(const Product& product) const {
    return product.price_list.value_or(true);
}

bool FamilyRules::sells_without_options(const Product& product) const {
    return std::ranges::find(product_fields, "price_list") != product_fields.end() &&
           !product.price_list.value_or(false);
}

Result<Options> FamilyRules::read_options(const OptionsQuestion& question, std::string_view body) const {
    boost::system::error_code malformed;
    auto value = json::parse({body.data(), body.size()}, malformed);
    if (malformed || !value.is_object()) return errc::malformed;
    auto& answer = value.get_object();

    Options options;
    if (!option_list.empty()) {
        const auto* list = answer.if_contains(option_list);
        const auto* entries = list != nullptr ? list->if_array() : nullptr;
        if (entries == nullptr) return errc::malformed;
        options = read_list(*this, question, *entries);
    } else if (auto option = read_entry(question, answer)) {
        options.options.push_back(std::move(*option));
    } else {
        options.left_out.push_back(std::move(option.error().why));
    }
    for (const auto name : hidden_details)
        answer.stable_erase(name);
    options.details = std::move(answer);
    return options;
}

FieldErrors FamilyRules::check_bounds(const Order& order, const Options& options) const {
    if (std::empty(entry_fields)) return {};
    const auto quantity = whole_number(order.fields, "quantidade").value_or(1);
    FieldErrors first;
    for (const auto* option : listed_for(*this, order, options)) {
        auto errors = departures(*option, order.valor, quantity);
        if (errors.empty()) return {};
        if (first.empty()) first = std::move(errors);
    }
    return first;
}

std::string FamilyRules::redemption_of(const Order& order, const Options& options) const {
    const auto* list = redemption_in != nullptr ? options.details.if_contains(option_list) : nullptr;
    if (list == nullptr || !list->is_array()) return {};
    for (const auto& element : list->get_array()) {
        const auto* entry = element.if_object();
        if (entry != nullptr && same_fields(*entry, order.fields, entry_fields)) return redemption_in(*entry);
    }
    return {};
}

std::vector<std::string> FamilyRules::receipt_lines(const Sale& sale, const json::value& instrucao) const {
    std::vector<std::string> lines;
    for (const auto& [label, field] : receipt) {
        if (label.empty())
            append_messages(lines, instrucao, field);
        else
            append_labelled(lines, label, field_text(instrucao, field));
    }
    if (append_receipt != nullptr) append_receipt(lines, sale, instrucao);
    return lines_or_all(std::move(lines), instrucao);
}

}  // namespace gateway
