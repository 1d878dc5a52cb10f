// What happened to a sale, as lines for people: one for each event, runs of equal ones folded into one.
#pragma once

#include <boost/json/array.hpp>

#include <string>
#include <vector>

namespace gateway {

struct StoryLine {
    std::string when;  // "2026-11-22 17:05:01", or "2026-11-22 17:05:01–17:12:44"
    std::string what;  // "cancelar: no answer, 23 times"
};

// Of the entries of GET /v1/sales/{id}/events, oldest first. Events that take turns (confirmar, cancelar, confirmar, …)
// are a run too.
std::vector<StoryLine> story_lines(const boost::json::array& events);

}  // namespace gateway
