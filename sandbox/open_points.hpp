// This is the table of what the provider's interface document leaves open: every point with its alternatives.
#pragma once

#include "sandbox/personality.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

struct Alternative {
    std::string_view value;
    std::string_view meaning;
};

struct Point {
    std::string name;                         // "cancel-unknown" in files, "--cancel-unknown" as an option
    std::string_view question;                // the row of open points that it belongs to
    std::string help;                         // one line
    std::vector<Alternative> alternatives{};  // the first is the sandbox's own way
    std::string_view also{};                  // other values that it takes, such as "a duration"; empty: none
    // Puts the value in force and returns true, or returns false where the value is not understood.
    std::function<bool(Personality&, std::string_view value)> set{};
    std::function<std::string(const Personality&)> get{};
};

// It stands for the points of all families whose names begin with it.
inline constexpr std::string_view all_open_sales_end = "open-sales-end";

// They stand in the order of the questions.
const std::vector<Point>& points();
const Point* find_point(std::string_view name);

}  // namespace gateway::sandbox
