#include "sale/provider_words.hpp"

#include "base/ascii.hpp"
#include "base/strict_json.hpp"
#include "base/utf8.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace gateway {
namespace {

namespace json = boost::json;

// Where services say in words what is wrong, the surest first. The interface document names "error_description", of the
// token service.
constexpr std::array<std::string_view, 12> sentence_names{
    "mensagem", "mensagens",     "message", "messages", "error_description", "descricao", "detalhe", "detail",
    "motivo",   "descricaoErro", "erro",    "error"};
constexpr std::array<std::string_view, 2> goods_in_words{"instrucao", "complemento"};
constexpr std::array<std::string_view, 4> personal_fields{"cpf", "numeroCartao", "consumidor", "endereco"};

constexpr int deepest_sentence = 4;
constexpr std::string_view removed = "…";
// Fewer digits are an error code, an amount or a number of days.
constexpr std::size_t least_personal_digits = 6;
constexpr std::size_t least_code_length = 8;
// Shorter words are found in most names and in every sentence.
constexpr std::size_t least_personal_word = 3;

bool is_goods(std::string_view name) {
    return std::find(goods_in_words.begin(), goods_in_words.end(), name) != goods_in_words.end();
}

// The first text in the value: itself, or of a list's first entry.
std::string_view first_text(const json::value& value) {
    const auto* list = value.if_array();
    const auto& first = list != nullptr && !list->empty() ? list->front() : value;
    const auto* text = first.if_string();
    return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

// The text of the field of that name in the value or below it, outer ones first.
std::string_view text_below(const json::value& value, std::string_view name, int depth) {
    if (const auto* object = value.if_object()) {
        if (const auto* field = object->if_contains(name))
            if (const auto text = first_text(*field); !text.empty()) return text;
        for (auto at = object->begin(); depth > 0 && at != object->end(); ++at) {
            if (is_goods(at->key())) continue;
            if (const auto text = text_below(at->value(), name, depth - 1); !text.empty()) return text;
        }
    }
    if (const auto* list = value.if_array())
        for (auto at = list->begin(); depth > 0 && at != list->end(); ++at)
            if (const auto text = text_below(*at, name, depth - 1); !text.empty()) return text;
    return {};
}

// One line of text without control characters; spaces are not repeated.
std::string on_one_line(std::string_view text) {
    std::string line;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool c1 = text[i] == '\xC2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        const bool space = text[i] == ' ' || is_control(text[i]) || c1;
        if (!space) line += text[i];
        if (space && !line.empty() && line.back() != ' ') line += ' ';
        if (c1) ++i;
    }
    while (line.ends_with(' '))
        line.pop_back();
    return line;
}

// A document inside a text, or what is left of one, is for programs; and goods come like that.
bool is_document(std::string_view line) {
    return line.starts_with('{') || line.starts_with('[') || line.find('<') != std::string_view::npos;
}

std::string raw_sentence(std::string_view body) {
    const auto value = parse_strict_json(body, usual_json_depth, {}, LongNumbers::as_text);
    std::string line;
    if (value.has_error()) {
        line = on_one_line(body);
        if (utf8_length(line) > max_sentence_length) return {};  // a page, not a sentence
    } else if (const auto* text = value->if_string()) {
        line = on_one_line({text->data(), text->size()});
    } else {
        for (const auto name : sentence_names)
            if (line.empty()) line = on_one_line(text_below(*value, name, deepest_sentence));
    }
    return is_document(line) ? std::string() : line;
}

// A letter or digit of any script: what words are made of.
bool is_of_word(char c) {
    return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t word_length(std::string_view text) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_of_word) - text.begin());
}

// As it is compared: an accent or a capital more or less is the same word.
std::string folded(std::string_view word) {
    std::string plain;
    for (const char c : word)
        if (is_alphanumeric(c)) plain += to_lower(c);
    return plain;
}

using Words = std::set<std::string, std::less<>>;

Words words_of(const std::vector<std::string>& texts) {
    Words words;
    for (std::string_view text : texts) {
        while (!text.empty()) {
            const auto length = word_length(text);
            if (auto word = folded(text.substr(0, length)); word.size() >= least_personal_word)
                words.insert(std::move(word));
            text.remove_prefix(std::max<std::size_t>(length, 1));
        }
    }
    return words;
}

// The length of the number at the front, in whatever groups it is written; 0 where it has too few digits to be
// personal.
std::size_t personal_number_length(std::string_view text) {
    std::size_t digits = 0;
    std::size_t length = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_digit(text[i])) {
            ++digits;
            length = i + 1;
        } else if (i == 0 || i > length || std::string_view(".-/ ()").find(text[i]) == std::string_view::npos) {
            break;
        }
    }
    return digits >= least_personal_digits ? length : 0;
}

// Whether it leads somewhere, to a page, to a mailbox, to an eSIM, or reads like a code that a customer pays for.
bool is_key_to_something(std::string_view token) {
    if (token.find("://") != token.npos || token.find('@') != token.npos) return true;
    const auto plain = folded(token);
    const bool has_digit = std::any_of(plain.begin(), plain.end(), is_digit);
    return plain.starts_with("lpa1") || plain.starts_with("www") || (has_digit && plain.size() >= least_code_length);
}

// What stands at the front and must not be shown, in bytes.
std::size_t personal_length(std::string_view rest, const Words& personal, bool at_word, bool at_token) {
    if (at_token) {
        const auto token = rest.substr(0, rest.find(' '));
        if (is_key_to_something(token)) return token.size();
    }
    if (!at_word) return 0;
    if (const auto number = personal_number_length(rest); number > 0) return number;
    const auto length = word_length(rest);
    const auto word = rest.substr(0, length);
    const auto digits = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), is_digit));
    return personal.contains(folded(word)) || digits >= least_personal_digits ? length : 0;
}

std::string without_personal(std::string_view text, const Words& personal) {
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
        const bool at_token = i == 0 || text[i - 1] == ' ';
        const bool at_word = is_of_word(text[i]) && (i == 0 || !is_of_word(text[i - 1]));
        if (const auto length = personal_length(text.substr(i), personal, at_word, at_token); length > 0) {
            if (!shown.ends_with(removed)) shown += removed;
            i += length;
        } else {
            shown += text[i++];
        }
    }
    return shown;
}

std::string cut_to_a_sentence(std::string text) {
    if (utf8_length(text) <= max_sentence_length) return text;
    std::size_t end = 0;
    for (std::size_t points = 0; points < max_sentence_length; ++end)
        if ((static_cast<unsigned char>(text[end + 1]) & 0xC0) != 0x80) ++points;
    text.resize(end);
    return text.append(removed);
}

void collect_texts(const json::value& value, std::vector<std::string>& texts) {
    if (const auto* text = value.if_string()) texts.emplace_back(text->data(), text->size());
    if (value.is_int64() || value.is_uint64()) texts.push_back(json::serialize(value));
    if (const auto* object = value.if_object())
        for (const auto& member : *object)
            collect_texts(member.value(), texts);
}

std::vector<std::string> personal_texts(const Sale& sale) {
    std::vector<std::string> texts;
    boost::system::error_code ec;
    const auto request = json::parse(sale.request.reveal(), ec);
    const auto* fields = ec ? nullptr : request.if_object();
    for (const auto name : personal_fields)
        if (const auto* value = fields != nullptr ? fields->if_contains(name) : nullptr) collect_texts(*value, texts);
    return texts;
}

}  // namespace

std::string provider_sentence(std::string_view body, const std::vector<std::string>& personal) {
    if (!is_utf8(body)) return {};
    return cut_to_a_sentence(without_personal(raw_sentence(body), words_of(personal)));
}

std::string refusal_sentence(const Sale& sale) {
    if (!sale.reason || sale.reason->code != ReasonCode::refused) return {};
    return provider_sentence(sale.reason->provider_body.reveal(), personal_texts(sale));
}

}  // namespace gateway
