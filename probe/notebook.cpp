#include "probe/notebook.hpp"

#include "base/json_members.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::probe {
namespace {

namespace json = boost::json;

std::vector<std::string> texts_in(const json::object& line, std::string_view name) {
    std::vector<std::string> texts;
    if (const auto* array = array_in(line, name))
        for (const auto& one : *array)
            if (const auto* text = one.if_string()) texts.emplace_back(*text);
    return texts;
}

std::string word_of_family(std::optional<Family> family) {
    return family ? std::string(to_string(*family)) : std::string();
}

}  // namespace

Notebook::Notebook(const std::string& path, const Clock& clock) : file_(path), clock_(clock) {
    for (const auto& record : file_.take_records())
        apply(record);
}

bool Notebook::write(const json::object& line) {
    apply(line);
    return file_.append(line, AppendFile::Lasting::written);
}

bool Notebook::put(Reading reading) {
    if (!reading.answered && answered(reading.point, reading.family)) return true;
    return write({{"what", "reading"},
                  {"point", reading.point},
                  {"family", word_of_family(reading.family)},
                  {"answered", reading.answered},
                  {"applies", reading.applies},
                  {"value", reading.value},
                  {"detail", reading.detail},
                  {"heard", reading.heard},
                  {"tried", json::value_from(reading.tried)},
                  {"at", to_rfc3339(clock_.wall())}});
}

bool Notebook::fact(std::string_view name, std::string_view text) {
    return write({{"what", "fact"}, {"name", name}, {"text", text}});
}

bool Notebook::trial(std::string_view title, std::string_view result, const std::vector<std::string>& lines) {
    return write({{"what", "trial"},
                  {"title", title},
                  {"at", to_rfc3339(clock_.wall())},
                  {"result", result},
                  {"lines", json::value_from(lines)}});
}

void Notebook::apply(const json::object& line) {
    const auto text = [&](std::string_view name) { return std::string(text_in(line, name)); };
    const auto what = text_in(line, "what");
    const auto at = time_in(line, "at").value_or(WallTime{});
    if (what == "reading") {
        readings_[{text("point"), text("family")}] = {.point = text("point"),
                                                      .family = parse_family(text_in(line, "family")),
                                                      .answered = flag_in(line, "answered").value_or(false),
                                                      .applies = flag_in(line, "applies").value_or(true),
                                                      .value = text("value"),
                                                      .detail = text("detail"),
                                                      .heard = text("heard"),
                                                      .tried = texts_in(line, "tried"),
                                                      .at = at};
    } else if (what == "fact") {
        const auto known = std::ranges::find(facts_, text_in(line, "name"), &Fact::name);
        if (known != facts_.end())
            known->text = text("text");
        else
            facts_.push_back({text("name"), text("text")});
    } else if (what == "trial") {
        trials_.push_back(
            {.title = text("title"), .at = at, .result = text("result"), .lines = texts_in(line, "lines")});
    }
}

const Reading* Notebook::find(std::string_view point, std::optional<Family> family) const {
    const auto found = readings_.find({std::string(point), word_of_family(family)});
    return found == readings_.end() ? nullptr : &found->second;
}

std::vector<Reading> Notebook::readings(std::string_view point) const {
    std::vector<Reading> all;
    for (const auto& [place, reading] : readings_)
        if (place.first == point) all.push_back(reading);
    return all;
}

bool Notebook::answered(std::string_view point, std::optional<Family> family) const {
    const auto* reading = find(point, family);
    return reading != nullptr && reading->answered;
}

bool Notebook::done(std::string_view point, std::optional<Family> family) const {
    const auto* reading = find(point, family);
    return reading != nullptr && (reading->answered || !reading->applies);
}

std::string Notebook::value(std::string_view point, std::optional<Family> family) const {
    const auto* reading = find(point, family);
    return reading != nullptr && reading->answered ? reading->value : std::string();
}

}  // namespace gateway::probe
