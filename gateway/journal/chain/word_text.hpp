// What a word says, as the JSON of its column. Only what is asked or told from outside is left for another gateway: an
// answer, or a time that has come, is the business of the one that carries the sale.
#pragma once

#include "journal/rows.hpp"
#include "sale/machine.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway::postgres {

std::string event_text(const Event& event);
// Nothing, which is counted, where it makes no sense.
std::optional<Event> read_event(std::string_view text, rows::FieldReader& fields);

}  // namespace gateway::postgres
