// What happened to a sale, as lines for people: one for each event, runs of equal ones folded into one.
#pragma once

#include <boost/json/array.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gateway {

struct StoryLine {
    std::string when;  // "2026-11-22 17:05:01", or "2026-11-22 17:05:01–17:12:44"
    std::string what;  // "cancelar: no answer, 23 times"
};

// Of the entries of GET /v1/sales/{id}/events, oldest first. Events that take turns (confirmar, cancelar, confirmar, …)
// are a run too. Where a long history leaves tries out, a line says how many, as far as what came later tells;
// `left_out_at_end`: of those that came last.
std::vector<StoryLine> story_lines(const boost::json::array& events, std::int64_t left_out_at_end = 0);

}  // namespace gateway
