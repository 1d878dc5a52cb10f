// points.toml lists the open points of the provider's interface. This says what they are called, what the values of
// their readings mean, and whether an answer fits the configuration. The values themselves are words for programs: they
// stay as they are in report.json, and a sandbox provider has the same ones. Pure.
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

// A probe goes so far.
enum class Level {
    look,       // asks for no sale
    authorise,  // every sale is cancelled: no money moves
    sell,       // one smallest sale of each family
};
std::string_view to_string(Level level) noexcept;
std::optional<Level> parse_level(std::string_view text) noexcept;

// Says whether an answer fits, by the configuration or by what the law makes of it.
struct Judgement {
    bool contradicts = false;
    std::string remark;              // in Portuguese, what follows from it; may be empty
    std::vector<std::string> lines;  // of the configuration that follow
};

// These are rows of judgements.toml and of points.toml, which say what each of their members is.
struct Rule {
    std::vector<std::string> like;
    std::string has;
    std::string differs;
    Judgement judgement;
};
struct Point {
    std::string name;
    Level level = Level::look;
    std::string title;
    std::string ask;
    std::string missing;
    std::vector<Rule> judged;
    std::map<std::string, std::string, std::less<>> words;
    std::pair<std::string, std::string> number;
};

const std::vector<Point>& points();
// Returns null where there is none of the name.
const Point* find_point(std::string_view name);
// Returns the point about a sale of the family that was left open; empty for eSIM, which does not stay open.
std::string_view open_sales_end_point(Family family);

// Returns those of the lines that the configuration does not have. Several lines stand in one text with " ; " between
// them.
std::vector<std::string> lines_not_in(const Config& config, std::string lines);

Judgement judge(const Point& point, const Reading& reading, const Config& config);

// Says in the Portuguese of the report what a value means for a point:
//
//     "cancel-unknown", "404"       "HTTP 404 sem status"
//     "cancel-again", "200-status"  "HTTP 200 com CANCELADA", which is the status that such a sale has
//     "rate-limit", "over-12"       "mais de 12 por segundo"
//     "scopes", "none"              "nenhum"
//
// What has no words is said as it is: a path, or the name of a field.
std::string answer_in_portuguese(std::string_view name, std::string_view value);

// Calls the family as the provider's people do.
std::string_view family_in_portuguese(Family family);

}  // namespace gateway::probe
