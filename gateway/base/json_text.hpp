// JSON written straight into a string. What every sale says is not worth a tree of values that is thrown away at once.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway {

// Appends `text` as a JSON string, quotes included. What JSON asks to be escaped is, and DEL, which a terminal obeys.
// Bytes that are not UTF-8 stay as they are.
void append_json_string(std::string& out, std::string_view text);

// Appends the value. Unlike Boost.JSON's serialize() it writes 1.5 as 1.5, and JSON whatever the value holds.
void append_json(std::string& out, const boost::json::value& value);
void append_json(std::string& out, const boost::json::object& object);

// Writes values, and the commas between them, at the end of a string. That what is begun is ended, and that an object's
// values have keys, is up to the caller.
class JsonWriter {
  public:
    // `out` must outlive the writer.
    explicit JsonWriter(std::string& out) noexcept : out_(out) {}

    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }

    // Of the value that is written next. `name` is one of ours: nothing in it needs an escape.
    JsonWriter& key(std::string_view name);
    // The same of a name that is not ours.
    JsonWriter& escaped_key(std::string_view name);

    void string(std::string_view text);
    // A string in which nothing needs an escape: a word or a number of ours.
    void plain(std::string_view text);
    // null where the text is empty.
    void string_or_null(std::string_view text);
    void number(std::int64_t number);
    // The fewest digits that read back as this number and as no integer. One that was too large to be held is written
    // as one that is: JSON has no infinity.
    void decimal(double number);
    void boolean(bool yes) { raw(yes ? "true" : "false"); }
    void null() { raw("null"); }
    void value(const boost::json::value& any);
    void value(const boost::json::object& object);
    // A whole value that is JSON already.
    void raw(std::string_view json);
    // The members of an object that is JSON already, as members of the object that is being written. A text without
    // braces around it has none.
    void members(std::string_view object);

  private:
    void begin(char bracket);
    void end(char bracket);
    void separate();

    std::string& out_;
    bool comma_due_ = false;
};

}  // namespace gateway
