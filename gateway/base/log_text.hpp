// A line of the log as a person reads it: one sentence, and after two spaces the ids by which its history is found.
#pragma once

#include "base/log.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway {

// Appends the sentence with the values of the fields that it names (amounts as money, lengths of time in their units,
// times in the zone of this machine), then those of the fields that name a sale which it does not: "sale=… request=…".
// Whatever a value holds, it is one line, and nothing but an id follows two spaces. `at` is the time of the line: a
// time of the same day is told without its date.
void append_log_text(std::string& out, const Sentence& sentence, std::span<const LogField> fields, WallTime at);

// Whether it says nothing: an empty text.
bool is_left_out(const LogField& field) noexcept;
// "warning" and so on.
std::string_view level_in_words(LogLevel level) noexcept;

}  // namespace gateway
