// How the commands say what a sale's JSON says: times, amounts, outcomes. Words that are not known (of a newer gateway)
// are said as they came.
#pragma once

#include "base/clock.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace gateway {

// "2026-11-22 17:05:03" in the zone of this machine; the text itself where it is no time, a dash where it is empty.
std::string local_time(const boost::json::object& object, std::string_view name);
// The same without the date where that is the one of `other`.
std::string local_time_beside(const boost::json::object& object, std::string_view name, std::string_view other);

// "R$ 49,90"; a dash where there is none.
std::string amount_of(const boost::json::object& sale);
// "sold", "not sold", "held", "pending".
std::string outcome_of(const boost::json::object& sale);
// The word of its mark, "attention" from a gateway that does not tell which; empty where it has none.
std::string mark_of(const boost::json::object& sale);

// "3 days 4 h", "5 h 12 min", "12 min", "40 s".
std::string length_of(Duration length);
// "1 sale", "2 sales".
std::string counted(std::int64_t number, std::string_view one, std::string_view many);

}  // namespace gateway
