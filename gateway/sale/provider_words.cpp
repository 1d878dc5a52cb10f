#include "sale/provider_words.hpp"

#include "base/ascii.hpp"
#include "base/strict_json.hpp"
#include "base/utf8.hpp"
#include "sale/quoted_words.hpp"

#include <boost/json.hpp>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <set>

namespace gateway {
namespace {

namespace json = boost::json;

// Services say under these names what is wrong; the surest comes first. The interface document names only
// "error_description", for the token service.
constexpr std::array<std::string_view, 12> sentence_names{
    "mensagem", "mensagens",     "message", "messages", "error_description", "descricao", "detalhe", "detail",
    "motivo",   "descricaoErro", "erro",    "error"};
constexpr std::array<std::string_view, 2> goods_in_words{"instrucao", "complemento"};
// These fields of a sell say nothing of the customer. Every other one may, also one of a family that is not here yet.
constexpr std::array<std::string_view, 11> impersonal_fields{
    "chaveProduto", "configuracaoId", "id_valor", "produtoIdParceiro", "quantidade", "servicoId", "tipoCredito",
    "tipoNegocio",  "tipoProduto",    "valor",    "valorRecarga"};

constexpr int deepest_sentence = 4;
constexpr std::string_view removed = "…";
// A number with fewer digits is an error code, an amount or a number of days, unless it is a piece of the customer's
// own.
constexpr std::size_t least_personal_digits = 6;
constexpr std::size_t least_own_digits = 4;
constexpr std::size_t least_code_length = 8;
// A word of the customer's that is shorter than the first is no secret. A word that is as long as the second is looked
// for inside of other words, too.
constexpr std::size_t least_personal_word = 2;
constexpr std::size_t least_personal_part = 4;
// Many names and addresses have these words, and so has every sentence.
constexpr std::array<std::string_view, 6> particles{"de", "da", "do", "das", "dos", "em"};
// At most so many characters stand between the digits of one number, however it is written.
constexpr std::size_t most_between_digits = 3;
// So many single letters in a row are a spelled word.
constexpr std::size_t least_spelled_letters = 3;
// This is the last code point of the letters of Portuguese, and of any name on a Brazilian document.
constexpr utf8proc_int32_t last_latin = 0x024F;

bool is_goods(std::string_view name) {
    return std::find(goods_in_words.begin(), goods_in_words.end(), name) != goods_in_words.end();
}

// Returns the text of the value, or of the first entry of a list.
std::string_view first_text(const json::value& value) {
    const auto* list = value.if_array();
    const auto& first = list != nullptr && !list->empty() ? list->front() : value;
    const auto* text = first.if_string();
    return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

// Returns the text of the field with this name in the value or below it. Outer fields come first.
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

// Tells whether the value calls a transaction EFETIVADA, ours or another. It may hold goods then, whether it is
// believed or not.
bool says_sold(const json::value& value, int depth) {
    const auto* object = value.if_object();
    return object != nullptr && std::ranges::any_of(*object, [&](const auto& member) {
               const bool status = member.key() == "status";
               if (status && parse_status(first_text(member.value())) == Status::EFETIVADA) return true;
               return depth > 0 && says_sold(member.value(), depth - 1);
           });
}

// Puts the text on one line, without control characters and without repeated spaces.
std::string on_one_line(std::string_view given) {
    const auto text = plain_form(given);
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

// A document inside a text, or a piece of one, is for programs, and goods come in that form.
bool is_document(std::string_view line) {
    return line.starts_with('{') || line.starts_with('[') || line.find('<') != std::string_view::npos;
}

std::string raw_sentence(std::string_view body) {
    const auto value = parse_strict_json(body, usual_json_depth, {}, LongNumbers::as_text, Zeros::replaced);
    std::string line;
    if (value.has_error()) {
        line = on_one_line(body);
        if (utf8_length(line) > max_sentence_length) return {};  // it is a page, not a sentence
    } else if (const auto* text = value->if_string()) {
        line = on_one_line({text->data(), text->size()});
    } else {
        for (const auto name : sentence_names)
            if (line.empty()) line = on_one_line(text_below(*value, name, deepest_sentence));
    }
    return is_document(line) ? std::string() : line;
}

enum class Kind { letter, digit, space, other };

// This is one character of the text.
struct Character {
    utf8proc_int32_t point;
    Kind kind;
    std::size_t at;  // the offset in bytes
    std::size_t bytes;
};

// Unicode's categories stand in this order: letters, the marks upon them, numbers, everything else.
Kind kind_of(utf8proc_int32_t point) {
    const auto category = utf8proc_category(point);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME) return Kind::letter;
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) return Kind::digit;
    return point == ' ' ? Kind::space : Kind::other;
}

std::vector<Character> characters_of(std::string_view text) {
    std::vector<Character> characters;
    for (std::size_t at = 0; at < text.size();) {
        const auto [point, bytes] = first_code_point(text.substr(at));
        characters.push_back({.point = point, .kind = kind_of(point), .at = at, .bytes = bytes});
        at += bytes;
    }
    return characters;
}

bool is_of_word(const Character& character) {
    return character.kind == Kind::letter || character.kind == Kind::digit;
}

std::string digits_in(std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), is_digit);
    return digits;
}

// Holds what is known of the customer in the form in which it is looked for.
class Personal {
  public:
    explicit Personal(const std::vector<std::string>& texts) {
        for (const auto& given : texts) {
            const auto text = plain_form(given);
            add_words(text);
            if (auto digits = digits_in(text); digits.size() >= least_own_digits) numbers_.push_back(std::move(digits));
        }
    }

    bool has_command(std::string_view word) const {
        const auto plain = folded(word);
        return words_.contains(plain) || std::ranges::any_of(words_, [&](const std::string& own) {
                   return own.size() >= least_personal_part && plain.find(own) != plain.npos;
               });
    }
    // Tells whether the digits are a piece of one of the customer's numbers, or contain one.
    bool has_number(std::string_view digits) const {
        return digits.size() >= least_own_digits && std::ranges::any_of(numbers_, [&](const std::string& own) {
                   return own.find(digits) != own.npos || digits.find(own) != digits.npos;
               });
    }

  private:
    void add_words(std::string_view text) {
        const auto characters = characters_of(text);
        for (auto begin = characters.begin(); begin != characters.end();) {
            const auto end = std::find_if_not(begin, characters.end(), is_of_word);
            if (end != begin) {
                const auto last = std::prev(end);
                auto word = folded(text.substr(begin->at, last->at + last->bytes - begin->at));
                const bool particle = std::ranges::find(particles, word) != particles.end();
                if (word.size() >= least_personal_word && !particle) words_.insert(std::move(word));
            }
            begin = end == characters.end() ? end : std::next(end);
        }
    }

    std::set<std::string, std::less<>> words_;
    std::vector<std::string> numbers_;
};

// Tells whether the token, which ends at the next space, is the address of a page, a mailbox or an eSIM.
bool is_address(std::string_view token) {
    if (token.find("://") != token.npos || token.find('@') != token.npos) return true;
    const auto plain = to_lower(token);
    if (plain.starts_with("www.") || plain.find("lpa:1") != plain.npos) return true;
    for (auto dot = token.find('.'); dot != token.npos; dot = token.find('.', dot + 1)) {
        const bool after_name = dot > 0 && is_alphanumeric(token[dot - 1]);
        const auto ending = token.substr(dot + 1);
        const bool before_name = ending.size() >= 2 && is_lower(ending[0]) && is_lower(ending[1]);
        const bool with_path = !ending.empty() && is_alphanumeric(ending[0]) && ending.find('/') != ending.npos;
        if (after_name && (before_name || (with_path && !is_digit(ending[0])))) return true;
    }
    return false;
}

// Tells whether the token is text in another encoding, which may hide anything: "%C3", "&atilde;".
bool is_encoded(std::string_view token) {
    for (auto at = token.find('%'); at != token.npos; at = token.find('%', at + 1))
        if (at + 2 < token.size() && hex_value(token[at + 1]) >= 0 && hex_value(token[at + 2]) >= 0) return true;
    const auto entity = token.find('&');
    return entity != token.npos && token.find(';', entity) != token.npos;
}

// Tells whether the token looks like a code that a customer pays for: "ABCD-12EF-34GH", "ABCD-EFGH-IJKL".
bool is_code(std::string_view token) {
    const auto length = std::ranges::count_if(token, is_alphanumeric);
    if (static_cast<std::size_t>(length) < least_code_length) return false;
    const auto groups = std::ranges::count(token, '-') + 1;
    return std::ranges::any_of(token, is_digit) || (groups >= 3 && std::ranges::none_of(token, is_lower));
}

// Marks what must not be shown of a text, and shows the rest.
class Curtain {
  public:
    Curtain(std::string_view text, const Personal& personal)
        : text_(text), personal_(personal), characters_(characters_of(text)), hidden_(characters_.size(), false) {
        hide_tokens();
        hide_words();
        hide_numbers();
        if (is_about_a_person()) hide_unusual_words();
    }

    std::string shown() const {
        std::string shown;
        for (std::size_t i = 0; i < characters_.size(); ++i) {
            if (!hidden_[i])
                shown += text_.substr(characters_[i].at, characters_[i].bytes);
            else if (!shown.ends_with(removed))
                shown += removed;
        }
        return shown;
    }

  private:
    std::string_view text_between(std::size_t begin, std::size_t end) const {
        const auto from = characters_[begin].at;
        return text_.substr(from, (end < characters_.size() ? characters_[end].at : text_.size()) - from);
    }
    void hide(std::size_t begin, std::size_t end) {
        std::fill(hidden_.begin() + at(begin), hidden_.begin() + at(end), true);
    }
    static std::ptrdiff_t at(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }
    // Returns the index, from `begin` on, of the first character for which `test` does not hold.
    template <class Test>
    std::size_t end_of(std::size_t begin, Test test) const {
        while (begin < characters_.size() && test(characters_[begin]))
            ++begin;
        return begin;
    }

    void hide_tokens() {
        const auto is_of_token = [](const Character& one) { return one.kind != Kind::space; };
        for (std::size_t begin = 0; begin < characters_.size();) {
            const auto end = end_of(begin, is_of_token);
            if (end > begin) {
                const auto token = text_between(begin, end);
                if (is_address(token) || is_encoded(token) || is_code(token)) hide(begin, end);
                // The mailbox is written with spaces around the sign.
                if (token.starts_with('@') && begin > 0) hide_token_before(begin - 1);
                if (token.ends_with('@')) hide(end, end_of(std::min(end + 1, characters_.size()), is_of_token));
            }
            begin = end + 1;
        }
    }
    void hide_token_before(std::size_t space) {
        std::size_t begin = space;
        while (begin > 0 && characters_[begin - 1].kind != Kind::space)
            --begin;
        hide(begin, space);
    }

    void hide_words() {
        std::size_t letters = 0;  // the number of single letters in a row
        std::size_t spelled = 0;  // the index of the first of them
        for (std::size_t begin = 0; begin < characters_.size();) {
            const auto end = end_of(begin, is_of_word);
            if (end > begin && is_personal(begin, end)) hide(begin, end);
            if (end > begin) {
                const bool single = end == begin + 1 && characters_[begin].kind == Kind::letter;
                const bool goes_on = begin > 0 && characters_[begin - 1].kind == Kind::space;
                if (!single || !goes_on) letters = 0;
                if (single && letters++ == 0) spelled = begin;
                if (letters >= least_spelled_letters) hide(spelled, end);
            }
            begin = end + 1;
        }
    }
    bool is_personal(std::size_t begin, std::size_t end) const {
        const auto foreign = [](const Character& one) { return one.point > last_latin; };
        const auto word = text_between(begin, end);
        return personal_.has_command(word) || digits_in(word).size() >= least_personal_digits ||
               std::any_of(characters_.begin() + at(begin), characters_.begin() + at(end), foreign);
    }

    // The name of the owner may stand beside what was hidden, or beside what came with signs in its place
    // ("529.***.***-25"). Nobody here knows the name, so only the usual words of a refusal are shown.
    bool is_about_a_person() const {
        const auto has = [plain = to_lower(text_)](std::string_view signs) { return plain.find(signs) != plain.npos; };
        return std::ranges::find(hidden_, true) != hidden_.end() || has("**") || has("xx");
    }
    void hide_unusual_words() {
        for (std::size_t begin = 0; begin < characters_.size();) {
            const auto end = end_of(begin, is_of_word);
            if (end > begin && !names_nobody(text_between(begin, end))) hide(begin, end);
            begin = end + 1;
        }
    }

    // Numbers are found in whatever groups they are written. A comma counts as a part of a number only where the number
    // is the customer's own, because otherwise it ends an amount.
    void hide_numbers() {
        for (std::size_t begin = 0; begin < characters_.size();) {
            if (characters_[begin].kind != Kind::digit) {
                ++begin;
                continue;
            }
            const auto plain = number_at(begin, false);
            const auto any = number_at(begin, true);
            const auto run = end_of(begin, [](const Character& one) { return one.kind == Kind::digit; });
            const bool cents = run == begin + 2 && begin >= 2 && characters_[begin - 1].point == ',' &&
                               characters_[begin - 2].kind == Kind::digit;
            if (!cents && digits_between(begin, plain) >= least_personal_digits) hide(begin, plain);
            if (any > run && personal_.has_number(digits_in(text_between(begin, any)))) hide(begin, any);
            if (personal_.has_number(digits_in(text_between(begin, run)))) hide(begin, run);
            begin = run;
        }
    }
    std::size_t digits_between(std::size_t begin, std::size_t end) const {
        return static_cast<std::size_t>(std::count_if(characters_.begin() + at(begin), characters_.begin() + at(end),
                                                      [](const Character& one) { return one.kind == Kind::digit; }));
    }
    // Returns the index where the number ends that begins there.
    std::size_t number_at(std::size_t begin, bool with_commas) const {
        std::size_t end = begin;
        for (std::size_t i = begin; i < characters_.size() && i <= end + most_between_digits; ++i) {
            const auto& one = characters_[i];
            if (one.kind == Kind::digit) end = i + 1;
            if (one.kind == Kind::letter || (one.point == ',' && !with_commas)) break;
        }
        return end;
    }

    const std::string_view text_;
    const Personal& personal_;
    const std::vector<Character> characters_;
    std::vector<bool> hidden_;  // one for each character
};

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
    if (const auto* list = value.if_array())
        for (const auto& element : *list)
            collect_texts(element, texts);
}

std::vector<std::string> personal_texts(const Sale& sale) {
    std::vector<std::string> texts;
    boost::system::error_code ec;
    const auto request = json::parse(sale.request.reveal(), ec);
    const auto* fields = ec ? nullptr : request.if_object();
    if (fields == nullptr) return texts;
    for (const auto& field : *fields)
        if (std::ranges::find(impersonal_fields, std::string_view(field.key())) == impersonal_fields.end())
            collect_texts(field.value(), texts);
    return texts;
}

}  // namespace

std::string provider_sentence(std::string_view body, const std::vector<std::string>& personal) {
    if (!is_utf8(body)) return {};
    const auto sentence = raw_sentence(body);
    return cut_to_a_sentence(Curtain(sentence, Personal(personal)).shown());
}

std::string provider_sentence(const Sale& sale, const Reply& reply) {
    return provider_sentence(reply.body, personal_texts(sale));
}

std::string refusal_sentence(const Sale& sale) {
    if (!sale.reason || sale.reason->code != ReasonCode::refused) return {};
    return provider_sentence(sale.reason->provider_body.reveal(), personal_texts(sale));
}

std::string provider_said(const Sale& sale, const Answer& answer, const Reply& reply) {
    if (reply.kind != Reply::Kind::answered) return {};
    if (answer.verdict == Verdict::refused)
        return provider_sentence(answer.reason.provider_body.reveal(), personal_texts(sale));
    const bool sells_nothing = answer.verdict == Verdict::throttled || answer.verdict == Verdict::no_such_sale ||
                               answer.verdict == Verdict::declined || answer.verdict == Verdict::unknown;
    // A success may hold goods, whatever else is wrong with it.
    if (!sells_nothing || reply.status < 400) return {};
    const auto value = parse_strict_json(reply.body, usual_json_depth, {}, LongNumbers::as_text, Zeros::replaced);
    if (value && says_sold(*value, deepest_sentence)) return {};
    return provider_sentence(sale, reply);
}

}  // namespace gateway
