// Describes what we write and what we are sent, with a row for each field. The OpenAPI documents get schemas and
// examples from these tables; what we write is written by them, too (written.hpp).
//
// `rules` are members of a JSON Schema object, for example "type":"integer","minimum":0. An example is JSON, but that
// of a text stands without its quotes, unless it is empty. A field without an example has the example of its type.
#pragma once

#include "api/routes.hpp"
#include "families/sell_schema.hpp"

#include <span>
#include <string_view>

namespace gateway::openapi {

struct Field;

// This is a word that a value may be, with its meaning; a word without one explains itself.
struct Word {
    std::string_view word;
    std::string_view meaning{};
};

enum class Many { one, list, map };

// Says what a value may be.
struct Type {
    std::string_view rules{};         // JSON Schema says this of it
    std::string_view schema{};        // or the schema of this name says it
    std::span<const Field> fields{};  // or it is an object of these fields,
    std::span<const Field> more{};    // and of these, and has no others
    std::span<const Word> words{};    // or it is one of these words
    std::string_view or_schema{};     // besides `schema`, it may be what the schema of this name says
    Many many = Many::one;            // a list of these, or an object that has them under names that are not known
    std::string_view rules_of_list{};
    bool or_null = false;
};

constexpr Type a(std::string_view schema) {
    return {.schema = schema};
}
constexpr Type either(std::string_view schema, std::string_view or_schema) {
    return {.schema = schema, .or_schema = or_schema};
}
constexpr Type object(std::span<const Field> fields, std::span<const Field> more = {}) {
    return {.fields = fields, .more = more};
}
constexpr Type one_of(std::span<const Word> words) {
    return {.words = words};
}
constexpr Type list_of(Type type, std::string_view rules = {}) {
    type.many = Many::list;
    type.rules_of_list = rules;
    return type;
}
constexpr Type map_of(Type type, std::string_view rules = {}) {
    type.many = Many::map;
    type.rules_of_list = rules;
    return type;
}
constexpr Type or_null(Type type) {
    type.or_null = true;
    return type;
}

constexpr Type anything{};
constexpr Type text{R"("type":"string")"};
constexpr Type some_text{R"("type":"string","minLength":1)"};
constexpr Type short_text{R"("type":"string","minLength":1,"maxLength":64)"};
// A field for the provider may hold such a text, which has no control characters.
constexpr Type field_text{sell_text};
constexpr Type boolean{R"("type":"boolean")"};
constexpr Type always_true{R"("const":true)"};
constexpr Type integer{R"("type":"integer")"};
constexpr Type count{R"("type":"integer","minimum":0)"};
constexpr Type count_from_one{R"("type":"integer","minimum":1)"};
constexpr Type cents{R"("type":"integer","minimum":1,"maximum":99999999)"};
constexpr Type cents_or_none{sell_cents_or_none};
constexpr Type quantity{R"("type":"integer","minimum":1,"maximum":9999)"};
constexpr Type int32{sell_int32};
constexpr Type http_status{R"("type":"integer","minimum":100,"maximum":999)"};
constexpr Type yes_or_no{R"("enum":["true","false"])"};
constexpr Type key_text{R"("type":"string","pattern":"^[!-~]{1,64}$")"};
constexpr Type ulid_text{R"("type":"string","pattern":"^[0-9A-HJKMNP-TV-Z]{26}$")"};
constexpr Type sha256_text{R"("type":"string","pattern":"^[0-9a-f]{64}$")"};
// A time that a caller names, with any offset (RFC 3339).
constexpr Type time_text{R"("type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}")"};
constexpr Type day_text{R"("type":"string","format":"date","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")"};
constexpr Type date_time{R"("type":"string","format":"date-time")"};

enum class Presence { always, sometimes };
constexpr auto everywhere = ListenerSet(on_terminals | on_admin | on_console);

struct Field {
    std::string_view name{};
    Type type{};
    std::string_view description{};
    std::string_view example{};
    Presence presence = Presence::always;
    ListenerSet on = everywhere;  // the listeners whose answers and documents have the field
};
constexpr Field maybe(Field field) {
    field.presence = Presence::sometimes;
    return field;
}
constexpr Field for_operators(Field field) {
    field.on = on_both_of_people;
    return field;
}
constexpr Field for_tills(Field field) {
    field.on = on_terminals;
    return field;
}
// The console has no document, because its pages come with the gateway.
constexpr Field in_console(Field field) {
    field.on = on_console;
    return field;
}
constexpr Field not_in_console(Field field) {
    field.on = ListenerSet(on_terminals | on_admin);
    return field;
}

// Gives an example its name. It is the example of the schema, changed by these members: each is added to it, or
// replaces one of its own.
struct Example {
    std::string_view name;
    std::string_view members{};
    bool is_whole = false;  // the members are the example, which may then be anything
};
constexpr Example whole(std::string_view name, std::string_view value) {
    return {name, value, true};
}

// Gives a name in the documents to what has one. Each document has the schemas that it speaks of.
struct Schema {
    std::string_view name;
    std::string_view description{};
    Type type{};
    std::string_view extends{};  // the name of a schema whose fields it has besides its own
    std::string_view rules{};    // JSON Schema says this of it, too
    std::string_view example{};  // set where its fields do not make an example
    bool is_extended = false;    // others extend it, so it does not say that it has no more fields
};

}  // namespace gateway::openapi
