// Writes a line of the log as a person reads it: one sentence, and after two spaces the ids by which everything about a
// sale is found.
#pragma once

#include "base/log.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway {

// Appends the sentence with the values of the fields that it names: amounts as money, lengths of time in their units,
// and times in this machine's zone. After that come the fields that name a sale and that the sentence does not name:
// "sale=… request=…". Whatever a value holds, the result is one line, and nothing but an id follows two spaces. `at` is
// the time of the line: a time on the same day has no date. `telling` tells each part of the sentence, and the values
// that are words of the gateway's own; what others say stays as they said it.
void append_log_text(std::string& out, const Sentence& sentence, std::span<const LogField> fields, WallTime at,
                     const Telling& telling = {});

// Tells whether the field says nothing: its text is empty.
bool is_left_out(const LogField& field) noexcept;
// Returns "warning" and so on.
std::string_view level_in_words(LogLevel level) noexcept;

}  // namespace gateway
