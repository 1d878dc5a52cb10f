#include "base/log_text.hpp"

#include "base/ascii.hpp"
#include "base/in_words.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gateway {
namespace {

// These ids lead to everything that was said about a sale, and stand at the end.
constexpr std::array<std::string_view, 5> ids{"sale", "idExterno", "idTransacao", "terminal", "request"};

// These fields have words of the gateway's own, which are told in the language of the sentence.
constexpr std::array<std::string_view, 5> own_words{"detail", "kind", "closedAs", "role", "source"};

// Tells whether the text begins with U+2028 to U+202E or U+2066 to U+2069, which break a line or turn the direction of
// what follows.
bool breaks_the_line(std::string_view text) noexcept {
    if (text.size() < 3 || text[0] != '\xE2') return false;
    const auto last = static_cast<unsigned char>(text[2]);
    return (text[1] == '\x80' && last >= 0xA8 && last <= 0xAE) || (text[1] == '\x81' && last >= 0xA6 && last <= 0xA9);
}

// Tells whether the text begins with a C1 control character, which UTF-8 writes in two bytes.
bool is_c1(std::string_view text) noexcept {
    return text.size() >= 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0;
}

// Appends text that others chose, on one line: without control characters, without two spaces in a row and, where the
// sentence has it in quotes, without quotes.
void append_words(std::string& out, std::string_view text) {
    const bool quoted = out.ends_with('"');
    auto well_formed = utf8_before_fault(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto rest = text.substr(i);
        if (i == well_formed) {
            out += '?';
            well_formed = i + 1 + utf8_before_fault(rest.substr(1));
        } else if (breaks_the_line(rest)) {
            out += '?';
            i += 2;
        } else if (is_control(text[i]) || is_c1(rest) || text[i] == ' ') {
            if (!out.ends_with(' ')) out += ' ';
            if (is_c1(rest)) ++i;
        } else {
            out += quoted && text[i] == '"' ? '\'' : text[i];
        }
    }
    if (!text.empty() && out.ends_with(' ')) out.pop_back();
}

class SentenceWriter {
  public:
    SentenceWriter(std::string& out, std::span<const LogField> fields, WallTime at, const Telling& telling)
        : out_(out), fields_(fields), at_(at), telling_(telling), told_(fields.size(), false) {}

    void say(std::string_view words) {
        while (!words.empty()) {
            const auto next = words.find_first_of("[{");
            say_literally(words.substr(0, next));
            if (next == words.npos) return;
            words.remove_prefix(next + 1);
            const bool optional = words.data()[-1] == '[';
            const auto end = words.find(optional ? ']' : '}');
            if (optional)
                say_where_there_is_something(words.substr(0, end));
            else
                say_field(words.substr(0, end));
            words.remove_prefix(end + 1);
        }
    }

    void append_ids() {
        std::string_view before = "  ";
        for (const auto name : ids) {
            const auto* field = find(name);
            if (field == nullptr || is_told(*field) || is_left_out(*field)) continue;
            out_.append(before).append(name).append("=");
            append_id(*field);
            before = " ";
        }
    }

  private:
    const LogField* find(std::string_view name) const {
        const auto found = std::ranges::find(fields_, name, &LogField::name);
        return found == fields_.end() ? nullptr : &*found;
    }

    std::size_t number_of(const LogField& field) const { return static_cast<std::size_t>(&field - fields_.data()); }
    bool is_told(const LogField& field) const { return told_[number_of(field)]; }

    // Tells whether every field that the words name has something to say.
    bool has_all(std::string_view words) const {
        for (auto begin = words.find('{'); begin != words.npos; begin = words.find('{', begin + 1)) {
            const auto* field = find(words.substr(begin + 1, words.find('}', begin) - begin - 1));
            if (field == nullptr || is_nothing(*field)) return false;
        }
        return true;
    }
    static bool is_nothing(const LogField& field) {
        const auto* number = std::get_if<std::int64_t>(&field.value);
        const auto* yes = std::get_if<bool>(&field.value);
        const auto* length = std::get_if<Duration>(&field.value);
        return is_left_out(field) || (number != nullptr && *number == 0) || (yes != nullptr && !*yes) ||
               (length != nullptr && length->count() == 0);
    }
    void say_where_there_is_something(std::string_view words) {
        if (has_all(words)) say(words);
    }

    // Leaves only one space, also after a value that is nothing but spaces.
    void say_literally(std::string_view words) {
        if (out_.ends_with(' ') && words.starts_with(' ')) words.remove_prefix(1);
        out_ += words;
    }

    void say_field(std::string_view name) {
        const auto* field = find(name);
        if (field == nullptr) return;
        told_[number_of(*field)] = true;
        const auto* words = std::get_if<std::string_view>(&field->value);
        if (words != nullptr && !telling_.is_english() && std::ranges::find(own_words, name) != own_words.end())
            return say_value(telling_(*words));
        std::visit([this](const auto& value) { say_value(value); }, field->value);
    }
    void say_value(std::string_view text) { append_words(out_, text); }
    void say_value(std::int64_t number) { append_number(out_, number); }
    void say_value(bool yes) { out_ += telling_(yes ? "yes" : "no"); }
    void say_value(Duration length) { out_ += duration_in_words(length, telling_.language); }
    void say_value(LogField::Money money) { out_ += money_in_words(money.cents); }
    // Says "10:11:12", with the date before it if the line has another date.
    void say_value(WallTime time) {
        constexpr std::size_t date = 10;
        const auto text = to_local_text(time);
        const bool today = to_local_text(at_).starts_with(text.substr(0, date));
        out_ += today ? text.substr(date + 1) : text;
    }

    // Ids are ours, the provider's or a caller's. An id that is not a plain word stands in quotes.
    void append_id(const LogField& field) {
        const auto* text = std::get_if<std::string_view>(&field.value);
        const auto is_plain = [](char c) { return c > ' ' && c < 0x7f && c != '"'; };
        const bool quoted = text != nullptr && !std::ranges::all_of(*text, is_plain);
        if (quoted) out_ += '"';
        std::visit([this](const auto& value) { say_value(value); }, field.value);
        if (quoted) out_ += '"';
    }

    std::string& out_;
    const std::span<const LogField> fields_;
    const WallTime at_;
    const Telling& telling_;
    std::vector<bool> told_;  // one for each field
};

}  // namespace

void append_log_text(std::string& out, const Sentence& sentence, std::span<const LogField> fields, WallTime at,
                     const Telling& telling) {
    SentenceWriter writer(out, fields, at, telling);
    for (const auto part : sentence.parts())
        if (!part.empty()) writer.say(telling(part));
    writer.append_ids();
}

bool is_left_out(const LogField& field) noexcept {
    const auto* text = std::get_if<std::string_view>(&field.value);
    return text != nullptr && text->empty();
}

std::string_view level_in_words(LogLevel level) noexcept {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warn: return "warning";
        case LogLevel::error: return "error";
    }
    return "error";
}

}  // namespace gateway
