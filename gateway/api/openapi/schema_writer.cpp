#include "api/openapi/schema_writer.hpp"

#include "base/check.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string>

namespace gateway::openapi {
namespace {

namespace json = boost::json;

// Makes a schema that takes null, too.
json::object or_null_too(json::object schema) {
    auto* const type = schema.if_contains("type");
    auto* const words = schema.if_contains("enum");
    if (type == nullptr && words == nullptr) return {{"oneOf", {std::move(schema), {{"type", "null"}}}}};
    if (type != nullptr) *type = json::array{*type, "null"};
    if (words != nullptr) words->get_array().push_back(nullptr);
    return schema;
}

}  // namespace

json::object parsed(std::string_view members) {
    return json::parse("{" + std::string(members) + "}").get_object();
}

json::object reference(std::string_view kind, std::string_view name) {
    return {{"$ref", "#/components/" + std::string(kind) + "/" + std::string(name)}};
}

void add_members(json::object& to, json::object members) {
    for (auto& member : members)
        to[member.key()] = std::move(member.value());
}

json::value with_members(json::value value, std::string_view changes) {
    if (!changes.empty()) add_members(value.get_object(), json::parse(changes).get_object());
    return value;
}

json::object SchemaWriter::single(const Type& type) {
    if (!type.or_schema.empty()) return {{"oneOf", {schema_of(a(type.schema)), schema_of(a(type.or_schema))}}};
    if (!type.schema.empty()) {
        (void)find(type.schema);
        return reference("schemas", type.schema);
    }
    if (!type.fields.empty()) {
        auto made = object_of(type, true);
        add_members(made, rules(type.rules));
        return made;
    }
    if (type.words.empty()) return rules(type.rules);
    json::array words;
    for (const auto& [word, meaning] : type.words)
        words.emplace_back(word);
    return {{"enum", std::move(words)}};
}

// Parses the rules, and finds the schemas that they name, so that the document has these, too.
json::object SchemaWriter::rules(std::string_view text) {
    constexpr std::string_view schemas = "#/components/schemas/";
    for (auto at = text.find(schemas); at != std::string_view::npos; at = text.find(schemas, at)) {
        at += schemas.size();
        (void)find(text.substr(at, text.find('"', at) - at));
    }
    return parsed(text);
}

json::object SchemaWriter::schema_of(const Type& type) {
    auto schema = single(type);
    if (type.many == Many::list) schema = {{"type", "array"}, {"items", std::move(schema)}};
    if (type.many == Many::map) schema = {{"type", "object"}, {"additionalProperties", std::move(schema)}};
    if (type.many != Many::one) add_members(schema, rules(type.rules_of_list));
    return type.or_null ? or_null_too(std::move(schema)) : schema;
}

json::object SchemaWriter::object_of(const Type& type, bool closed) {
    json::array required;
    json::object properties;
    for (const auto fields : {type.fields, type.more})
        for (const auto& field : fields) {
            if (!has(field)) continue;
            if (field.presence == Presence::always) required.emplace_back(field.name);
            properties[field.name] = described(field.description, field.type);
        }
    json::object schema{{"type", "object"}};
    if (!required.empty()) schema["required"] = std::move(required);
    schema["properties"] = std::move(properties);
    if (closed) schema["additionalProperties"] = false;
    return schema;
}

json::object SchemaWriter::described(std::string_view description, const Type& type) {
    std::string text(description);
    for (const auto& [word, meaning] : type.words)
        if (!meaning.empty()) text.append("\n- `").append(word).append("`: ").append(meaning);
    json::object made;
    if (!text.empty()) made["description"] = text;
    add_members(made, schema_of(type));
    return made;
}

const Schema& SchemaWriter::find(std::string_view name) {
    for (const auto schemas : schemas_)
        for (const auto& schema : schemas)
            if (schema.name == name) {
                if (std::ranges::find(wanted_, schema.name) == wanted_.end()) wanted_.push_back(schema.name);
                return schema;
            }
    CHECK(false);
}

json::object SchemaWriter::component_of(const Schema& schema) {
    json::object made;
    if (schema.extends.empty() && !schema.is_extended) {
        made = described(schema.description, schema.type);
    } else {
        made["description"] = schema.description;
        auto own = schema.type.fields.empty() ? json::object() : object_of(schema.type, false);
        if (schema.is_extended) {
            add_members(made, std::move(own));
        } else {
            json::array all{schema_of(a(schema.extends))};
            if (!own.empty()) all.push_back(std::move(own));
            made["allOf"] = std::move(all);
            made["unevaluatedProperties"] = false;
        }
    }
    add_members(made, rules(schema.rules));
    return made;
}

bool SchemaWriter::is_text(const Type& type) {
    if (type.many != Many::one || !type.fields.empty()) return false;
    if (!type.schema.empty()) return is_text(find(type.schema).type);
    return !type.words.empty() || type.rules.starts_with(R"("type":"string")") ||
           type.rules.starts_with(R"("enum":[")");
}

json::value SchemaWriter::example_of(const Type& type, std::string_view given) {
    if (type.or_null && given == "null") return nullptr;
    if (!given.empty()) return is_text(type) && given != R"("")" ? json::value(given) : json::parse(given);
    if (type.many == Many::list) {
        auto one = type;
        one.many = Many::one;
        return json::array{example_of(one)};
    }
    if (!type.fields.empty()) return example_of_fields(type);
    if (!type.words.empty()) return json::value(type.words.front().word);
    CHECK(!type.schema.empty());  // every other type needs a schema
    const auto& schema = find(type.schema);
    if (schema.extends.empty()) return example_of(schema.type, schema.example);
    auto example = example_of(a(schema.extends)).get_object();
    add_members(example, example_of_fields(schema.type));
    return example;
}

json::object SchemaWriter::example_of_fields(const Type& type) {
    json::object example;
    for (const auto fields : {type.fields, type.more})
        for (const auto& field : fields)
            if (has(field) && (field.presence == Presence::always || !field.example.empty()))
                example[field.name] = example_of(field.type, field.example);
    return example;
}

json::object SchemaWriter::examples_of(const Content& content) {
    json::object examples;
    for (const auto& example : content.examples) {
        json::value value;
        if (example.is_whole || is_text(content.type))
            value = example_of(is_text(content.type) ? text : anything, example.members);
        else
            value = with_members(example_of(content.type), example.members);
        examples[example.name] = {{"value", std::move(value)}};
    }
    return examples;
}

// Returns the type of a member that a problem may have besides.
const Type& SchemaWriter::problem_member(std::string_view name) {
    const auto& fields = find("Problem").type.fields;
    const auto found = std::ranges::find(fields, name, &Field::name);
    CHECK(found != fields.end());
    return found->type;
}

json::object SchemaWriter::take() {
    json::object made;
    std::size_t next = 0;
    while (next < wanted_.size()) {  // a schema that is written may want more of them
        const auto name = wanted_[next++];
        made[name] = component_of(find(name));
    }
    return made;
}

}  // namespace gateway::openapi
