#include "words/words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway {
namespace {

constexpr std::string_view english_words =
#include "en_words.inc"
    ;
constexpr std::string_view portuguese_words =
#include "pt-BR_words.inc"
    ;

}  // namespace

std::string_view word_file(Language language) noexcept {
    return language == Language::portuguese ? portuguese_words : english_words;
}

const Words& Words::in(Language language) {
    static const Words in_english(Language::english);
    static const Words in_portuguese(Language::portuguese);
    return language == Language::portuguese ? in_portuguese : in_english;
}

Words::Words(Language language) : language_(language) {
    const auto file = boost::json::parse(word_file(language));
    const auto* texts = file.if_object();
    if (texts == nullptr) return;
    for (const auto& [key, text] : *texts) {
        auto& forms = texts_[key];
        if (const auto* said = text.if_string()) forms["other"] = *said;
        if (const auto* counted = text.if_object())
            for (const auto& [form, said] : *counted)
                if (const auto* one = said.if_string()) forms[form] = *one;
    }
}

// Portuguese counts nothing as one ("0 venda"), which nobody says, so a text may have a form of its own for it.
const std::string& Words::form_of(const Forms& forms, std::optional<std::int64_t> count) const {
    const auto* form = "other";
    if (count == 0 && forms.contains("none"))
        form = "none";
    else if (count == 1 || (count == 0 && language_ == Language::portuguese))
        form = "one";
    const auto found = forms.find(form);
    return found == forms.end() ? forms.find("other")->second : found->second;
}

std::string Words::say(std::string_view key, std::initializer_list<Value> values) const {
    const auto found = texts_.find(key);
    if (found == texts_.end()) return std::string(key);
    const auto* const count = std::ranges::find(values, "count", &Value::name);
    std::string_view rest = form_of(found->second, count == values.end() ? std::nullopt : count->number);
    std::string said;
    while (true) {
        const auto begin = rest.find('{');
        const auto end = rest.find('}', begin);
        if (end == rest.npos) return said.append(rest);
        said += rest.substr(0, begin);
        const auto* const value = std::ranges::find(values, rest.substr(begin + 1, end - begin - 1), &Value::name);
        if (value != values.end()) said += value->text;
        rest.remove_prefix(end + 1);
    }
}

std::string Words::word(std::string_view group, std::string_view code) const {
    auto key = std::string(group).append(".").append(code);
    return has(key) ? say(key) : std::string(code);
}

}  // namespace gateway
