#include "words/sentences.hpp"

#include "base/ascii.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gateway {
namespace {

constexpr std::string_view portuguese_file =
#include "pt-BR_sentences.inc"
    ;

// Is a text with placeholders, taken apart.
struct Format {
    explicit Format(std::string_view text) : words(1) {
        while (!text.empty()) {
            const auto brace = text.substr(0, 2);
            const auto end = text.find('}');
            if (brace == "{{" || brace == "}}") {
                words.back() += brace[0];
                text.remove_prefix(2);
            } else if (text[0] == '{' && end != text.npos) {
                const auto name = text.substr(1, end - 1);
                names.emplace_back(name.substr(0, name.find(':')));
                words.emplace_back();
                text.remove_prefix(end + 1);
            } else {
                words.back() += text[0];
                text.remove_prefix(1);
            }
        }
    }

    std::size_t length() const {
        std::size_t sum = 0;
        for (const auto& some : words)
            sum += some.size();
        return sum;
    }

    // Returns what stands in the place of the placeholders, if the text was made of this format.
    std::optional<std::vector<std::string_view>> values_in(std::string_view text) const {
        if (names.empty()) return text == words[0] ? std::optional(std::vector<std::string_view>()) : std::nullopt;
        if (text.size() < length() || !text.starts_with(words.front()) || !text.ends_with(words.back()))
            return std::nullopt;
        text.remove_suffix(words.back().size());
        text.remove_prefix(words.front().size());
        std::vector<std::string_view> values;
        for (std::size_t i = 1; i < names.size(); ++i) {
            const auto end = text.find(words[i]);
            if (end == text.npos) return std::nullopt;
            values.push_back(text.substr(0, end));
            text.remove_prefix(end + words[i].size());
        }
        values.push_back(text);
        return values;
    }

    std::vector<std::string> words;  // before, between and after the placeholders: one more than there are names
    std::vector<std::string> names;  // in the braces, without how the value is formatted
};

// Has all that is said in one language.
class Sentences {
  public:
    explicit Sentences(std::string_view file) {
        const auto parsed = boost::json::parse(file);
        for (const auto& [group, texts] : parsed.as_object())
            for (const auto& [english, text] : texts.as_object()) {
                whole_.emplace(english, text.as_string());
                if (group != "log") add_format(english, text.as_string());
            }
        // A format with more words of its own is the likelier one.
        std::ranges::stable_sort(formats_, std::greater(),
                                 [](const auto& format) { return format.first.length(); });
    }

    std::string tell(std::string_view english) const {
        if (const auto found = whole_.find(english); found != whole_.end()) return found->second;
        for (const auto& [format, text] : formats_)
            if (const auto values = format.values_in(english)) return filled(text, format.names, *values);
        for (const std::string_view joint : {": ", "; "}) {
            const auto at = english.find(joint);
            if (at == english.npos) continue;
            return tell(english.substr(0, at)).append(joint).append(tell(english.substr(at + joint.size())));
        }
        return std::string(english);
    }

  private:
    void add_format(std::string_view english, std::string_view text) {
        Format format(english);
        if (english.find_first_of("{}") != english.npos && format.length() > 0)
            formats_.emplace_back(std::move(format), Format(text));
    }

    std::string filled(const Format& text, const std::vector<std::string>& names,
                       const std::vector<std::string_view>& values) const {
        auto said = text.words[0];
        for (std::size_t i = 0; i < text.names.size(); ++i) {
            const auto& name = text.names[i];
            auto place = i;
            if (!name.empty() && is_digit(name[0]))
                std::from_chars(name.data(), name.data() + name.size(), place);
            else if (!name.empty())
                place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
            said.append(tell(values.at(place))).append(text.words[i + 1]);
        }
        return said;
    }

    std::map<std::string, std::string, std::less<>> whole_;  // every text, with its placeholders
    std::vector<std::pair<Format, Format>> formats_;         // those with placeholders: English and its translation
};

}  // namespace

std::string told_in(Language language, std::string_view english) {
    static const Sentences in_portuguese(portuguese_file);
    return language == Language::portuguese ? in_portuguese.tell(english) : std::string(english);
}

}  // namespace gateway
