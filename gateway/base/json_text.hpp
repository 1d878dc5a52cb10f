// Writes JSON straight into a string, because a tree of values that is thrown away at once would cost too much in every
// sale.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway {

// Appends `text` as a JSON string with its quotes. Everything is escaped that JSON says, and also DEL, which a terminal
// obeys. Bytes that are not UTF-8 are left unchanged.
void append_json_string(std::string& out, std::string_view text);

// Appends the value. Unlike Boost.JSON's serialize() it writes 1.5 as 1.5, and it writes valid JSON whatever the value
// holds.
void append_json(std::string& out, const boost::json::value& value);
void append_json(std::string& out, const boost::json::object& object);

// Writes values, and the commas between them, at the end of a string. The caller must end what it begins, and must give
// each value in an object a key.
class JsonWriter {
  public:
    // `out` must outlive the writer.
    explicit JsonWriter(std::string& out) noexcept : out_(out) {}

    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }

    // Writes the key of the value that comes next. `name` is one of ours: nothing in it needs an escape.
    JsonWriter& key(std::string_view name);
    // Writes a key that is not one of ours.
    JsonWriter& escaped_key(std::string_view name);

    void string(std::string_view text);
    // Writes a string in which nothing needs an escape: a word or a number of ours.
    void plain(std::string_view text);
    // Writes null if the text is empty.
    void string_or_null(std::string_view text);
    void number(std::int64_t number);
    // Writes the fewest digits that are read as this number and not as an integer. For an infinite number it writes a
    // number that is too large for a double, because JSON has no infinity.
    void decimal(double number);
    void boolean(bool yes) { raw(yes ? "true" : "false"); }
    void null() { raw("null"); }
    void value(const boost::json::value& any);
    void value(const boost::json::object& object);
    // Writes a whole value that is JSON already.
    void raw(std::string_view json);
    // Writes the members of an object that is JSON already as members of the object that is being written. A text
    // without braces around it has no members.
    void members(std::string_view object);

  private:
    void begin(char bracket);
    void end(char bracket);
    void separate();

    std::string& out_;
    bool comma_due_ = false;
};

}  // namespace gateway
