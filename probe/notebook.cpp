#include "probe/notebook.hpp"

#include "base/json_text.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::probe {
namespace {

namespace json = boost::json;

std::string noted_text(const json::object& line, std::string_view name) {
    const auto* value = line.if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

std::vector<std::string> noted_texts(const json::object& line, std::string_view name) {
    std::vector<std::string> texts;
    const auto* value = line.if_contains(name);
    if (const auto* array = value == nullptr ? nullptr : value->if_array())
        for (const auto& one : *array)
            if (const auto* text = one.if_string()) texts.emplace_back(*text);
    return texts;
}

json::array array_of(const std::vector<std::string>& texts) {
    json::array array;
    for (const auto& text : texts)
        array.push_back(json::value(text));
    return array;
}

std::string word_of_family(std::optional<Family> family) {
    return family ? std::string(to_string(*family)) : std::string();
}

}  // namespace

boost::system::result<std::unique_ptr<Notebook>, std::string> Notebook::open(const std::string& path,
                                                                             const Clock& clock) {
    auto file = AppendFile::open(path);
    if (file.has_error()) return file.error();
    const auto lines = file->take_lines();
    std::unique_ptr<Notebook> book(new Notebook(std::move(*file), clock));
    for (const auto& text : lines) {
        boost::system::error_code malformed;
        const auto value = json::parse(text, malformed);
        // What was cut short is found out once more.
        if (const auto* line = malformed ? nullptr : value.if_object()) book->apply(*line);
    }
    return book;
}

bool Notebook::write(const json::object& line) {
    std::string text;
    append_json(text, line);
    apply(line);
    return file_.append(text, AppendFile::Lasting::written);
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
                  {"tried", array_of(reading.tried)},
                  {"at", to_rfc3339(clock_.wall())}});
}

bool Notebook::fact(std::string_view name, std::string_view text) {
    return write({{"what", "fact"}, {"name", name}, {"text", text}});
}

bool Notebook::trial(TrialRecord record) {
    return write({{"what", "trial"},
                  {"title", record.title},
                  {"at", to_rfc3339(clock_.wall())},
                  {"result", record.result},
                  {"lines", array_of(record.lines)}});
}

void Notebook::apply(const json::object& line) {
    const auto what = noted_text(line, "what");
    const auto at = from_rfc3339(noted_text(line, "at")).value_or(WallTime{});
    if (what == "reading") {
        const auto* answered = line.if_contains("answered");
        const auto* applies = line.if_contains("applies");
        const auto word = noted_text(line, "family");
        Reading reading{.point = noted_text(line, "point"),
                        .family = parse_family(word),
                        .answered = answered != nullptr && *answered == json::value(true),
                        .applies = applies == nullptr || *applies != json::value(false),
                        .value = noted_text(line, "value"),
                        .detail = noted_text(line, "detail"),
                        .heard = noted_text(line, "heard"),
                        .tried = noted_texts(line, "tried"),
                        .at = at};
        readings_[{reading.point, word}] = std::move(reading);
    } else if (what == "fact") {
        const auto name = noted_text(line, "name");
        const auto known = std::ranges::find(facts_, name, &Fact::name);
        if (known != facts_.end())
            known->text = noted_text(line, "text");
        else
            facts_.push_back({name, noted_text(line, "text")});
    } else if (what == "trial") {
        trials_.push_back({.title = noted_text(line, "title"),
                           .at = at,
                           .result = noted_text(line, "result"),
                           .lines = noted_texts(line, "lines")});
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
