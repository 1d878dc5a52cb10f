// The open points of the provider's interface: what its document does not say, and a live provider has to be asked. One
// row a point, with the name that the sandbox provider's personality has for it where it has one. Written from the
// document and the design, not from the sandbox.
#pragma once

#include "config/config.hpp"
#include "probe/notebook.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::probe {

// How far a probe goes.
enum class Level {
    look,       // asks for no sale
    authorise,  // every sale is cancelled: no money moves
    sell,       // one smallest sale of each family
};
std::string_view to_string(Level level) noexcept;
std::optional<Level> parse_level(std::string_view text) noexcept;

// What decides whether an answer fits: the configuration, or what the law makes of it.
struct Judgement {
    bool contradicts = false;
    std::string remark;              // in Portuguese, what follows from it; may be empty
    std::vector<std::string> lines;  // of the configuration that follow
};
using Judge = Judgement (*)(const Reading& reading, const Config& config);

struct Point {
    std::string_view name;
    Level level;             // from which on it is looked for
    std::string_view title;  // in Portuguese
    std::string_view ask;    // the sentence for the provider's analyst, where it is not answered
    Judge judge;
};

std::span<const Point> points() noexcept;
const Point* find_point(std::string_view name) noexcept;

}  // namespace gateway::probe
