// Describes and writes by one table what we write: a row has the field and what tells its value. An object is written
// in the order of the rows, straight into a text.
//
// An optional without a value, an empty text or list, null, 0 and false count as nothing to tell. A field that may be
// null is null then, and one that is not always there is left out.
#pragma once

#include "api/openapi/schema.hpp"
#include "base/calendar.hpp"
#include "base/json_text.hpp"
#include "base/run_moment.hpp"
#include "base/wall_time.hpp"
#include "sale/sale.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gateway::openapi {

template <class From>
struct Written;
template <class From>
using Table = std::span<const Written<From>>;

// This is an object that stands in another one, or nothing where `from` is null. What it tells of must outlive it.
template <class From>
struct Part {
    Table<From> table{};
    const From* from = nullptr;

    bool empty() const { return from == nullptr; }
};
template <class From, std::size_t Size>
Part<From> part(const Written<From> (&table)[Size], const std::type_identity_t<From>& from) {
    return {table, &from};
}
template <class From, std::size_t Size>
Part<From> part(const Written<From> (&table)[Size], const std::optional<std::type_identity_t<From>>& from) {
    return {table, from ? &*from : nullptr};
}
template <class From, std::size_t Size>
Part<From> part(const Written<From> (&table)[Size], const std::type_identity_t<From>* from) {
    return {table, from};
}

// This is a list of objects. What it tells of must outlive it.
template <class From>
struct Parts {
    Table<From> table{};
    std::span<const From> all;

    bool empty() const { return all.empty(); }
};
template <class From, std::size_t Size>
Parts<From> parts(const Written<From> (&table)[Size], std::span<const std::type_identity_t<From>> all) {
    return {table, all};
}

// Leaves out what the listener does not tell.
template <class From>
void write_members(JsonWriter& json, Table<From> table, const std::type_identity_t<From>& from, ListenerSet on);
template <class From>
void write_object(JsonWriter& json, Table<From> table, const std::type_identity_t<From>& from, ListenerSet on) {
    json.begin_object();
    write_members(json, table, from, on);
    json.end_object();
}

// Writes a value as all of our answers have it.
template <class Value>
void put(JsonWriter& json, const Value& value, ListenerSet on) {
    if constexpr (requires { value.has_value(); }) {
        if (value.has_value())
            put(json, *value, on);
        else
            json.null();
    } else if constexpr (requires { value.from; }) {
        if (value.from != nullptr)
            write_object(json, value.table, *value.from, on);
        else
            json.null();
    } else if constexpr (requires { value.table; }) {
        json.begin_array();
        for (const auto& one : value.all)
            write_object(json, value.table, one, on);
        json.end_array();
    } else if constexpr (std::invocable<const Value&, JsonWriter&>) {
        value(json);  // it writes itself
    } else if constexpr (std::same_as<Value, bool>) {
        json.boolean(value);
    } else if constexpr (std::integral<Value>) {
        json.number(static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<Value>) {
        json.decimal(value);
    } else if constexpr (std::same_as<Value, Cents>) {
        json.number(value.value);
    } else if constexpr (std::same_as<Value, WallTime>) {
        json.plain(Rfc3339(value).text());
    } else if constexpr (std::same_as<Value, RunMoment>) {
        json.plain(Rfc3339(value.wall()).text());
    } else if constexpr (std::same_as<Value, Day>) {
        json.plain(to_text(value));
    } else if constexpr (std::is_enum_v<Value>) {
        json.plain(to_string(value));
    } else if constexpr (requires { value.text(); }) {
        json.plain(value.text());  // it is an id
    } else if constexpr (std::convertible_to<const Value&, std::string_view>) {
        json.string(value);
    } else if constexpr (std::convertible_to<const Value&, const boost::json::value&>) {
        json.value(value);
    } else {
        json.begin_array();
        for (const auto& one : value)
            put(json, one, on);
        json.end_array();
    }
}

template <class Value>
bool is_nothing(const Value& value) {
    if constexpr (requires { value.has_value(); })
        return !value.has_value();
    else if constexpr (requires { value.is_null(); })
        return value.is_null();
    else if constexpr (std::is_arithmetic_v<Value>)
        return value == Value{};
    else if constexpr (std::convertible_to<const Value&, std::string_view>)
        return std::string_view(value).empty();
    else if constexpr (requires { value.empty(); })
        return value.empty();
    else
        return false;
}

template <class From, class Tells>
void write_field(JsonWriter& json, const Field& field, const From& from, ListenerSet on) {
    decltype(auto) value = Tells{}(from);
    if (is_nothing(value)) {
        if (field.presence == Presence::sometimes) return;
        if (field.type.or_null) return json.key(field.name).null();
    }
    put(json.key(field.name), value, on);
}

template <class From>
struct Written {
    Field field;
    void (*write)(JsonWriter& json, const Field& field, const From& from, ListenerSet on);

    // `tells` is a lambda without captures: it is given what the object tells of, and returns the value.
    template <class Tells>
    constexpr Written(Field its_field, Tells /*tells*/) : field(its_field), write(&write_field<From, Tells>) {}
};

// Tells a member as it is.
template <auto Member>
constexpr auto its = [](const auto& from) -> const auto& {
    return from.*Member;
};

// Gives the fields of a table to the documents.
template <class From, std::size_t Size>
constexpr std::array<Field, Size> fields_of(const Written<From> (&table)[Size]) {
    std::array<Field, Size> fields{};
    for (std::size_t i = 0; i < Size; ++i)
        fields[i] = table[i].field;
    return fields;
}
template <const auto& Rows>
inline constexpr auto fields = fields_of(Rows);
template <const auto& Rows>
inline constexpr Type object_of = object(fields<Rows>);

template <class From>
void write_members(JsonWriter& json, Table<From> table, const std::type_identity_t<From>& from, ListenerSet on) {
    for (const auto& row : table)
        if ((row.field.on & on) != 0) row.write(json, row.field, from, on);
}

template <class From, std::size_t Size>
std::string write(const Written<From> (&table)[Size], const std::type_identity_t<From>& from,
                  ListenerSet on = everywhere) {
    std::string text;
    JsonWriter json(text);
    write_object(json, Table<From>(table), from, on);
    return text;
}

// Makes the same object for code that goes on with it.
template <class From, std::size_t Size>
boost::json::object object_from(const Written<From> (&table)[Size], const std::type_identity_t<From>& from) {
    return boost::json::parse(write(table, from)).get_object();
}

}  // namespace gateway::openapi
