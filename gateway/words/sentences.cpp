#include "words/sentences.hpp"

#include "base/ascii.hpp"
#include "words/words.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gateway {
namespace {

constexpr std::string_view portuguese_sentences =
#include "pt-BR_sentences.inc"
    ;

// This is a text with placeholders, taken apart.
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
                const auto colon = name.find(':');
                names.emplace_back(name.substr(0, colon));
                stays.push_back(colon != name.npos || words.back().ends_with('"'));
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
    std::vector<bool> stays;         // of each: its value is filled in as it is
};

// Has everything that is said in Portuguese.
class Sentences {
  public:
    Sentences() {
        each_in(boost::json::parse(portuguese_sentences), [this](std::string_view group, const auto& texts) {
            each_in(texts, [&](std::string_view text, const auto& said) {
                if (const auto* words = said.if_string()) add(text, *words, group != "log");
            });
        });
        add_words();
        // A format with more words of its own is the likelier one.
        std::ranges::stable_sort(formats_, std::greater(), [](const auto& format) { return format.first.length(); });
    }

    // Returns the text, or of one that was joined the parts that are known.
    std::string tell(std::string_view text) const {
        if (auto said = whole(text)) return std::move(*said);
        if (auto said = made(text, Last::words)) return std::move(*said);
        const auto ends = joints_in(text);
        // The last value of a format would take along what was joined to it.
        for (const auto end : ends)
            if (auto said = whole(text.substr(0, end))) return said->append(tell_joined(text.substr(end)));
        if (auto said = made(text)) return std::move(*said);
        for (const auto end : ends) {
            const auto head = text.substr(0, end);
            const auto rest = text.substr(end);
            if (const auto said = find(rest)) return tell(head).append(*said);
            if (auto said = made(head)) return said->append(tell_joined(rest));
        }
        return ends.empty() ? std::string(text)
                            : std::string(text.substr(0, ends.back())).append(tell_joined(text.substr(ends.back())));
    }

  private:
    static constexpr std::size_t joint = 2;  // the length of each
    static constexpr std::array<std::string_view, 5> joints{": ", "; ", ". ", ", ", " ("};

    // Returns where a joint begins, from the end of the text to its beginning.
    static std::vector<std::size_t> joints_in(std::string_view text) {
        std::vector<std::size_t> found;
        for (auto at = text.size(); at-- > 0;)
            if (std::ranges::find(joints, text.substr(at, joint)) != joints.end()) found.push_back(at);
        return found;
    }
    // Tells a text that begins with a joint.
    std::string tell_joined(std::string_view text) const {
        if (auto said = find(text)) return std::move(*said);
        return std::string(text.substr(0, joint)).append(tell(text.substr(joint)));
    }

    static void each_in(const boost::json::value& file, const auto& take) {
        if (const auto* members = file.if_object())
            for (const auto& [name, value] : *members)
                take(name, value);
    }

    // Tells a text that ends with a space with what is appended to it.
    void add(std::string_view text, std::string_view said, bool may_be_filled) {
        whole_.emplace(text, said);
        const bool begins = text.ends_with(' ');
        if (!may_be_filled || (!begins && text.find_first_of("{}") == text.npos)) return;
        const std::string_view more = begins ? "{}" : "";
        Format format(std::string(text).append(more));
        if (format.length() > 0) formats_.emplace_back(std::move(format), Format(std::string(said).append(more)));
    }

    // Takes what the word files have by its English: causes, whose key is the English text, and what findings mean.
    void add_words() {
        constexpr std::string_view cause = "detail.";
        constexpr std::string_view finding = "finding_means.";
        each_in(boost::json::parse(word_file(Language::portuguese)), [&](std::string_view key, const auto& text) {
            const auto* words = text.if_string();
            if (words == nullptr) return;
            std::string said(*words);
            if (key.starts_with(finding)) add(Words::in(Language::english).say(key), said, true);
            if (!key.starts_with(cause)) return;
            said[0] = to_lower(said[0]);  // it begins a sentence there, and stands inside of one here
            add(key.substr(cause.size()), said, true);
        });
    }

    // Returns the Portuguese of the text itself; of a format that it was made of; of either.
    std::optional<std::string> whole(std::string_view text) const {
        const auto found = whole_.find(text);
        return found == whole_.end() ? std::nullopt : std::optional(found->second);
    }
    enum class Last { words, anything };
    std::optional<std::string> made(std::string_view text, Last last = Last::anything) const {
        for (const auto& [format, said] : formats_) {
            if (last == Last::words && format.words.back().empty()) continue;
            if (const auto values = format.values_in(text)) return filled(said, format.names, *values);
        }
        return std::nullopt;
    }
    std::optional<std::string> find(std::string_view text) const {
        auto said = whole(text);
        return said ? said : made(text);
    }

    std::string filled(const Format& format, const std::vector<std::string>& names,
                       const std::vector<std::string_view>& values) const {
        auto said = format.words[0];
        for (std::size_t i = 0; i < format.names.size(); ++i) {
            const auto& name = format.names[i];
            auto place = i;
            if (!name.empty() && is_digit(name[0]))
                std::from_chars(name.data(), name.data() + name.size(), place);
            else if (!name.empty())
                place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
            const auto value = values.at(place);
            said.append(format.stays[i] ? std::string(value) : tell(value)).append(format.words[i + 1]);
        }
        return said;
    }

    std::map<std::string, std::string, std::less<>> whole_;  // each text, with its placeholders
    std::vector<std::pair<Format, Format>> formats_;         // those with placeholders, and their Portuguese
};

}  // namespace

std::string told_in(Language language, std::string_view english) {
    if (language == Language::english) return std::string(english);
    static const Sentences in_portuguese;
    return in_portuguese.tell(english);
}

}  // namespace gateway
