// A probe leaves a report in Portuguese that the provider's analyst can read, the same for programs, and the lines of
// configuration that follow. Pure.
#pragma once

#include "config/config.hpp"
#include "probe/ledger.hpp"
#include "probe/notebook.hpp"
#include "probe/points.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace gateway::probe {

// Says how a point stands over all families.
enum class Standing { answered, contradicts, not_answered, not_applicable, not_tried };

struct PointReport {
    const Point* point = nullptr;
    Standing standing = Standing::not_tried;
    bool not_reached = false;  // not tried though the level has it, and for no reason that is known
    std::string answer;        // in Portuguese: one value, or one a family
    std::string detail;
    std::string remark;
    std::vector<std::string> lines;
};

// Returns the reports on all points, in the order of their table.
std::vector<PointReport> point_reports(const Notebook& book, const Config& config, Level level);
// Returns whether every point of the level is answered or has nothing to answer, and none contradicts, except those for
// which nothing was given: a statement, a family, a sale left open.
bool all_answered(const std::vector<PointReport>& points);
// Returns the lines of configuration that follow from the points, each once.
std::vector<std::string> proposed_lines(const std::vector<PointReport>& points);

struct Report {
    std::string version;  // of the program
    Level level = Level::look;
    WallTime at{};
    std::string interrupted{};  // in Portuguese, why the run did not come to its end; empty where it did
    std::size_t transcript_lines = 0;
    std::string transcript_digest{};  // of its last line
    std::vector<Entry> open{};        // sales that may be open
    std::vector<Entry> sold{};        // those that the provider has said to be EFETIVADA
    std::vector<PointReport> points{};
};
// The notebook has what was found out, and the configuration the addresses of the provider.
std::string report_markdown(const Report& report, const Notebook& book, const Config& config);
boost::json::object report_json(const Report& report, const Notebook& book);
// Returns a line for each sale, in Portuguese.
std::vector<std::string> lines_of(const std::vector<Entry>& sales);

}  // namespace gateway::probe
