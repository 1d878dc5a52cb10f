// The open points of the provider's interface, which points.toml lists: what they are called, what the values of their
// readings mean, and whether an answer fits the configuration. The values themselves are words for programs: they stay
// as they are in report.json, and a sandbox provider has the same ones. Pure.
#pragma once

#include "config/config.hpp"
#include "probe/notebook.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// A row of points.toml, which says what each of them is.
struct Point {
    std::string name;
    Level level = Level::look;
    std::string title;
    std::string ask;
    std::string missing;
    std::string fits;
    std::string unfit;
    std::string compare;
    Judgement otherwise;
    std::map<std::string, std::string, std::less<>> words;
    std::pair<std::string, std::string> number;
};

const std::vector<Point>& points();
// Null where there is none of the name.
const Point* find_point(std::string_view name);
// The point about a sale of the family that was left open; empty of eSIM, which does not stay open.
std::string_view open_sales_end_point(Family family);

Judgement judge(const Point& point, const Reading& reading, const Config& config);

// What a value says of a point, in the Portuguese of the report:
//
//     "cancel-unknown", "404"       "HTTP 404 sem status"
//     "cancel-again", "200-status"  "HTTP 200 com CANCELADA", which is the status that such a sale has
//     "rate-limit", "over-12"       "mais de 12 por segundo"
//     "scopes", "none"              "nenhum"
//
// Of what has no words it is the value itself: a path, or the name of a field.
std::string answer_in_portuguese(std::string_view point, std::string_view value);

// As the provider's people call it.
std::string_view family_in_portuguese(Family family);

}  // namespace gateway::probe
