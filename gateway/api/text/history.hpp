// Folds what happened to a sale. A provider that is away for a night is asked hundreds of times, so equal events that
// follow each other are told once. A terminal is shown lines; the console is given the passages, and draws them.
#pragma once

#include "api/text/page.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gateway::text {

// Holds some events of a history that are told as one: a round of events and how often it came, or tries that a long
// history leaves out.
struct Passage {
    std::size_t first = 0;      // the index of the round's first event, or of the event before what is left out
    std::size_t length = 1;     // how many events a round has; 0: tries are left out here
    std::size_t times = 1;      // how many equal rounds follow each other
    std::int64_t left_out = 0;  // how many tries are left out
    bool lasts = false;         // tries are left out until now
};

// Folds the entries of GET /v1/sales/{id}/events, oldest first. Events that take turns (confirmar, cancelar, confirmar,
// …) are rounds too. `left_out_at_end` counts the tries that are left out behind the last event.
std::vector<Passage> folded(const boost::json::array& events, std::int64_t left_out_at_end = 0);

// Returns the passages of a history, as GET /v1/sales/{id}/events has it, for the console. Each passage says when it
// ended.
boost::json::array passages_of(const boost::json::object& history);

struct HistoryLine {
    std::string when;  // "2026-11-22 17:05:01", or "2026-11-22 17:05:01–17:12:44"
    std::string what;  // "cancelar: no answer, 23 times"
};
std::vector<HistoryLine> history_lines(const Page& page, const boost::json::array& events,
                                       std::int64_t left_out_at_end = 0);

}  // namespace gateway::text
