#include "sandbox/faults.hpp"

#include "base/strict_json.hpp"
#include "sandbox/personality.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <limits>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

// This is more than any test needs; each call is compared with all of them.
constexpr std::size_t most_rules = 200;
constexpr int most_calls = 1'000'000'000;

std::string member(const json::key_value_pair& pair) {
    return "\"" + std::string(pair.key()) + "\"";
}

// Each of these puts the member's value into `target` and returns "", or returns what is wrong with it.
template <class Text>
std::string take_text(const json::key_value_pair& pair, Text& target) {
    const auto* text = pair.value().if_string();
    if (text == nullptr) return member(pair) + " must be a string";
    target = std::string(*text);
    return "";
}

std::string_view to_string(const BehaviourFacts& behaviour) {
    return behaviour.word;
}

// Lists the words of those that are `fit`, one after the other.
template <class All, class Fit>
std::string listed(const All& all, Fit fit) {
    std::string list;
    for (const auto& one : all)
        if (fit(one)) list.append(list.empty() ? "" : ", ").append(to_string(one));
    return list;
}

template <class Word, class All>
std::string take_word(const json::key_value_pair& pair, std::optional<Word> (*parse)(std::string_view), const All& all,
                      std::optional<Word>& target) {
    const auto* text = pair.value().if_string();
    target = text == nullptr ? std::nullopt : parse(*text);
    return target ? "" : member(pair) + " must be one of " + listed(all, [](const auto&) { return true; });
}

std::string take_number(const json::key_value_pair& pair, int least, int most, int& target) {
    const auto* number = pair.value().if_int64();
    if (number == nullptr || *number < least || *number > most)
        return member(pair) + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    target = static_cast<int>(*number);
    return "";
}

std::string take_delay(const json::key_value_pair& pair, std::optional<Duration>& target) {
    const auto* number = pair.value().if_int64();
    const auto* text = pair.value().if_string();
    if (number != nullptr) target = parse_duration(std::to_string(*number));
    if (text != nullptr) target = parse_duration(*text);
    return target ? "" : member(pair) + " must be milliseconds or a text such as \"3s\"";
}

std::string take_headers(const json::key_value_pair& pair, std::vector<std::pair<std::string, std::string>>& target) {
    const auto* object = pair.value().if_object();
    if (object == nullptr) return member(pair) + " must be an object";
    for (const auto& header : *object) {
        const auto* text = header.value().if_string();
        // A line break would end the header and start a message of the rule's own making.
        if (text == nullptr || std::string_view(*text).find_first_of("\r\n") != std::string_view::npos)
            return member(pair) + " must hold texts of one line";
        target.emplace_back(header.key(), *text);
    }
    return "";
}

}  // namespace

std::string Faults::take(const json::key_value_pair& pair, Rule& rule) {
    const std::string_view key = pair.key();
    if (key == "step") return take_word(pair, &parse_step, steps, rule.step);
    if (key == "behaviour") return take_word(pair, &parse_behaviour, behaviours(), rule.behaviour);
    if (key == "family") return take_word(pair, &parse_family, families, rule.family);
    if (key == "idExterno") return take_text(pair, rule.idExterno);
    if (key == "nth") return take_number(pair, 1, most_calls, rule.nth);
    if (key == "times") return take_number(pair, 0, most_calls, rule.times);
    if (key == "status") return take_number(pair, 200, 599, rule.treatment.status);
    if (key == "headers") return take_headers(pair, rule.treatment.headers);
    if (key == "delay") return take_delay(pair, rule.treatment.delay);
    if (key == "seen" || key == "hits") return "";  // with this, a document that was shown can be put back
    if (key != "body")
        return "unknown member " + member(pair) +
               ": there are step, behaviour, family, idExterno, nth, times, status, headers, body and delay";
    const auto* text = pair.value().if_string();
    rule.treatment.body = text != nullptr ? std::string(*text) : json::serialize(pair.value());
    return "";
}

boost::system::result<Faults::Rule, std::string> Faults::read(const json::object& given) {
    Rule rule;
    rule.given = given;
    for (const auto& pair : given)
        if (auto problem = take(pair, rule); !problem.empty()) return problem;
    if (!rule.step) return std::string("\"step\" is missing");
    if (!rule.behaviour) return std::string("\"behaviour\" is missing");
    if (!makes_sense(*rule.behaviour, *rule.step))
        return "this behaviour makes no sense at the step " + std::string(to_string(*rule.step)) +
               ", where these do: " +
               listed(behaviours(), [&](const auto& one) { return makes_sense(one.behaviour, *rule.step); });
    if (*rule.step == Step::token && (rule.family || rule.idExterno))
        return std::string("a token request has no family and no idExterno");
    rule.treatment.behaviour = *rule.behaviour;
    return rule;
}

boost::system::result<void, std::string> Faults::replace(std::string_view document) {
    const auto parsed = parse_strict_json(document);
    if (!parsed) return parsed.error();
    const auto* list = parsed->if_array();
    if (list == nullptr) return std::string("the document must be an array of rules");
    if (list->size() > most_rules) return "more than " + std::to_string(most_rules) + " rules";
    std::vector<Rule> rules;
    for (const auto& element : *list) {
        const auto where = "rule " + std::to_string(rules.size() + 1) + ": ";
        if (!element.is_object()) return where + "must be an object";
        auto rule = read(element.get_object());
        if (!rule) return where + rule.error();
        rules.push_back(std::move(*rule));
    }
    rules_ = std::move(rules);
    return {};
}

std::optional<Treatment> Faults::match(Step step, std::optional<Family> family, std::string_view idExterno) {
    Rule* chosen = nullptr;
    for (auto& rule : rules_) {
        if (rule.step != step || (rule.family && rule.family != family)) continue;
        if (rule.idExterno && *rule.idExterno != idExterno) continue;
        ++rule.seen;
        const bool in_force = rule.seen >= rule.nth && (rule.times == 0 || rule.seen - rule.nth < rule.times);
        if (in_force && chosen == nullptr) chosen = &rule;
    }
    if (chosen == nullptr) return std::nullopt;
    ++chosen->hits;
    return chosen->treatment;
}

json::array Faults::document() const {
    json::array list;
    for (const auto& rule : rules_) {
        auto shown = rule.given;
        shown["seen"] = rule.seen;
        shown["hits"] = rule.hits;
        list.push_back(std::move(shown));
    }
    return list;
}

}  // namespace gateway::sandbox
