// The notebook has what a probe has found out so far: readings of open points, facts, and the trials that it made with
// their log lines. It is a file of lines, so that a probe that was stopped goes on where it was, and the report tells
// of all runs.
#pragma once

#include "base/clock.hpp"
#include "probe/records.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::probe {

// Holds what one trial found out about one point, perhaps of one family only.
struct Reading {
    std::string point;
    std::optional<Family> family;
    bool answered = false;
    bool applies = true;               // false where other answers leave nothing to ask
    std::string value;                 // one word, where it was answered
    std::string detail;                // a sentence in Portuguese: more of the answer, or why there is none
    std::string heard{};               // said() of the answer, where one answer was read
    std::vector<std::string> tried{};  // the candidates that were tried, where there are some
    WallTime at{};
};

// Holds what the report tells although no point asks for it: an address, a certificate, a latency.
struct Fact {
    std::string name;
    std::string text;
};

// Tells of a sequence of exchanges that was made to find something out.
struct TrialRecord {
    std::string title;
    WallTime at{};
    std::string result{};            // in Portuguese; empty where it only put things right
    std::vector<std::string> lines;  // of the program's own log
};

class Notebook {
  public:
    // Throws Failed if the file cannot be used.
    Notebook(const std::string& path, const Clock& clock);

    // These write at once. They return false if the line could not be written, and it counts in this run all the same.
    // A reading without an answer does not take back an answer that is there.
    bool put(Reading reading);
    bool fact(std::string_view name, std::string_view text);
    bool trial(std::string_view title, std::string_view result, const std::vector<std::string>& lines);

    // Returns the latest reading of the point; null if there is none.
    const Reading* find(std::string_view point, std::optional<Family> family = std::nullopt) const;
    // Returns the readings of all families, and the one that is of none.
    std::vector<Reading> readings(std::string_view point) const;
    bool answered(std::string_view point, std::optional<Family> family) const;
    // Tells whether nothing is left to find out about the point.
    bool done(std::string_view point, std::optional<Family> family) const;
    // Returns the value that was read; empty if the point was not answered.
    std::string value(std::string_view point, std::optional<Family> family = std::nullopt) const;

    const std::vector<Fact>& facts() const noexcept { return facts_; }
    const std::vector<TrialRecord>& trials() const noexcept { return trials_; }
    const std::string& fault() const noexcept { return file_.fault(); }

  private:
    using Place = std::pair<std::string, std::string>;  // a point and a family's word

    bool write(const boost::json::object& line);
    void apply(const boost::json::object& line);

    AppendFile file_;
    const Clock& clock_;
    std::map<Place, Reading> readings_;
    std::vector<Fact> facts_;
    std::vector<TrialRecord> trials_;
};

}  // namespace gateway::probe
