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
#include <span>

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
// A token that has one of these is an address. A host's name is one, too: see is_address().
constexpr std::array<std::string_view, 4> signs_of_addresses{"://", "@", "www.", "lpa:1"};
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
    const auto* first = list != nullptr ? list->if_contains(0) : &value;
    const auto* text = first != nullptr ? first->if_string() : nullptr;
    return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

// Returns the text of the field with this name in the value or below it. Outer fields come first.
std::string_view text_below(const json::value& value, std::string_view name) {
    std::string_view text;
    if (const auto* object = value.if_object()) {
        if (const auto* field = object->if_contains(name)) text = first_text(*field);
        for (const auto& member : *object)
            if (text.empty() && !is_goods(member.key())) text = text_below(member.value(), name);
    }
    if (const auto* list = value.if_array())
        for (const auto& element : *list)
            if (text.empty()) text = text_below(element, name);
    return text;
}

// Tells whether the value calls a transaction EFETIVADA, ours or another. It may hold goods then, whether it is
// believed or not.
bool says_sold(const json::value& value) {
    if (const auto* list = value.if_array()) return std::ranges::any_of(*list, says_sold);
    const auto* object = value.if_object();
    return object != nullptr && std::ranges::any_of(*object, [](const auto& member) {
               const bool status = member.key() == "status";
               return (status && parse_status(first_text(member.value())) == Status::EFETIVADA) ||
                      says_sold(member.value());
           });
}

// Numbers say nothing here, so it does not matter what becomes of a long one.
ParsedJson parsed(std::string_view body) {
    return parse_strict_json(body, usual_json_depth, {}, LongNumbers::rounded, Zeros::replaced);
}

// Puts the text on one line, without control characters and without repeated spaces. The line is empty if the text is
// not UTF-8.
std::string on_one_line(std::string_view text) {
    auto line = plain_form(text);
    const auto is_repeated = [](char one, char next) { return one == ' ' && next == ' '; };
    line.erase(std::unique(line.begin(), line.end(), is_repeated), line.end());
    return std::string(trim(line));
}

// A document inside a text, or a piece of one, is for programs, and goods come in that form.
bool is_document(std::string_view line) {
    return line.starts_with('{') || line.starts_with('[') || line.find('<') != std::string_view::npos;
}

std::string raw_sentence(std::string_view body) {
    const auto value = parsed(body);
    std::string line;
    if (value.has_error()) {
        line = on_one_line(body);
        if (utf8_length(line) > max_sentence_length) return {};  // it is a page, not a sentence
    } else if (const auto* text = value->if_string()) {
        line = on_one_line({text->data(), text->size()});
    } else {
        for (const auto name : sentence_names)
            if (line.empty()) line = on_one_line(text_below(*value, name));
    }
    return is_document(line) ? std::string() : line;
}

enum class Kind { letter, digit, space, other };

// This is one character of the text.
struct Character {
    utf8proc_int32_t point;
    Kind kind;
    std::string_view text;
    bool hidden = false;
};
using Piece = std::span<Character>;

// Unicode's categories stand in this order: none yet, letters, the marks upon them, numbers, everything else.
Kind kind_of(utf8proc_int32_t point) {
    const auto category = utf8proc_category(point);
    if (category <= UTF8PROC_CATEGORY_ME) return Kind::letter;
    if (category <= UTF8PROC_CATEGORY_NO) return Kind::digit;
    return point == ' ' ? Kind::space : Kind::other;
}

std::vector<Character> characters_of(std::string_view text) {
    std::vector<Character> characters;
    while (!text.empty()) {
        const auto [point, bytes] = first_code_point(text);
        characters.push_back({.point = point, .kind = kind_of(point), .text = text.substr(0, bytes)});
        text.remove_prefix(bytes);
    }
    return characters;
}

// Returns the longest pieces in which the test holds for every element, in their order.
template <class Element, class Test>
std::vector<std::span<Element>> pieces_of(std::vector<Element>& whole, Test test) {
    std::vector<std::span<Element>> pieces;
    for (auto begin = std::find_if(whole.begin(), whole.end(), test); begin != whole.end();) {
        const auto end = std::find_if_not(begin, whole.end(), test);
        pieces.emplace_back(begin, end);
        begin = std::find_if(end, whole.end(), test);
    }
    return pieces;
}

// Returns the piece from the beginning of one to the end of the other.
Piece joined(Piece first, Piece last) {
    return {first.begin(), last.end()};
}

std::string_view text_of(Piece piece) {
    return {piece.front().text.begin(), piece.back().text.end()};
}

bool is_of_token(const Character& character) {
    return character.kind != Kind::space;
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

    bool has_word(std::string_view word) const {
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
        auto characters = characters_of(text);
        for (const auto piece : pieces_of(characters, is_of_word)) {
            auto word = folded(text_of(piece));
            const bool particle = std::ranges::find(particles, word) != particles.end();
            if (word.size() >= least_personal_word && !particle) words_.insert(std::move(word));
        }
    }

    std::set<std::string, std::less<>> words_;
    std::vector<std::string> numbers_;
};

// Tells whether the character is what the sign stands for: 'w' is a letter or a digit, 'a' a letter, 'l' a small
// letter, 'h' a hexadecimal digit, and every other sign is itself.
bool fits(char character, char sign) {
    switch (sign) {
        case 'w': return is_alphanumeric(character);
        case 'a': return is_lower(to_lower(character));
        case 'l': return is_lower(character);
        case 'h': return hex_value(character) >= 0;
        default: return character == sign;  // default: the signs are characters, not enumerators
    }
}

// Returns the rest of the text from the first place on that has this shape, or an empty text.
std::string_view from_shape(std::string_view text, std::string_view shape) {
    return {std::search(text.begin(), text.end(), shape.begin(), shape.end(), fits), text.end()};
}

// Tells whether the token, which ends at the next space, is the address of a page, a mailbox or an eSIM.
bool is_address(std::string_view token) {
    const auto has = [plain = to_lower(token)](std::string_view sign) { return plain.find(sign) != plain.npos; };
    const bool with_path = from_shape(token, "w.a").find('/') != token.npos;
    return std::ranges::any_of(signs_of_addresses, has) || !from_shape(token, "w.ll").empty() || with_path;
}

// Tells whether the token is text in another encoding, which may hide anything: "%C3", "&atilde;".
bool is_encoded(std::string_view token) {
    return !from_shape(token, "%hh").empty() || token.find(';', token.find('&')) != token.npos;
}

// Tells whether the token looks like a code that a customer pays for: "ABCD-12EF-34GH", "ABCD-EFGH-IJKL".
bool is_code(std::string_view token) {
    const auto length = std::ranges::count_if(token, is_alphanumeric);
    if (static_cast<std::size_t>(length) < least_code_length) return false;
    const bool grouped = std::ranges::count(token, '-') >= 2;
    return std::ranges::any_of(token, is_digit) || (grouped && std::ranges::none_of(token, is_lower));
}

// Marks what must not be shown of a text, and shows the rest.
class Curtain {
  public:
    Curtain(std::string_view text, const Personal& personal)
        : text_(text),
          personal_(personal),
          characters_(characters_of(text)),
          words_(pieces_of(characters_, is_of_word)) {
        hide_tokens();
        hide_words();
        hide_numbers();
        if (is_about_a_person()) hide_unusual_words();
    }

    std::string shown() const {
        std::string shown;
        for (const auto& one : characters_) {
            if (!one.hidden)
                shown += one.text;
            else if (!shown.ends_with(removed))
                shown += removed;
        }
        return shown;
    }

  private:
    static void hide(Piece piece) {
        for (auto& one : piece)
            one.hidden = true;
    }

    void hide_tokens() {
        for (const auto piece : pieces_of(characters_, is_of_token)) {
            const auto token = text_of(piece);
            if (is_address(token) || is_encoded(token) || is_code(token)) hide(piece);
        }
    }

    void hide_words() {
        for (const auto word : words_)
            if (is_personal(word)) hide(word);
        const auto is_letter = [](Piece word) { return word.size() == 1 && word.front().kind == Kind::letter; };
        for (const auto letters : pieces_of(words_, is_letter))
            if (letters.size() >= least_spelled_letters) hide(joined(letters.front(), letters.back()));
    }
    bool is_personal(Piece piece) const {
        const auto foreign = [](const Character& one) { return one.point > last_latin; };
        const auto word = text_of(piece);
        return personal_.has_word(word) || digits_in(word).size() >= least_personal_digits ||
               std::ranges::any_of(piece, foreign);
    }

    // The name of the owner may stand beside what was hidden, or beside what came with signs in its place
    // ("529.***.***-25"). Nobody here knows the name, so only the usual words of a refusal are shown.
    bool is_about_a_person() const {
        const auto has = [plain = to_lower(text_)](std::string_view signs) { return plain.find(signs) != plain.npos; };
        return std::ranges::any_of(characters_, &Character::hidden) || has("**") || has("xx");
    }
    void hide_unusual_words() {
        for (const auto word : words_)
            if (!names_nobody(text_of(word))) hide(word);
    }

    // Numbers are found in whatever groups they are written. A comma counts as a part of a number only where the number
    // is the customer's own, because otherwise it ends an amount.
    void hide_numbers() {
        auto groups = pieces_of(characters_, [](const Character& one) { return one.kind == Kind::digit; });
        Piece before(characters_.begin(), 0);
        for (std::span<Piece> rest(groups); !rest.empty(); rest = rest.subspan(1)) {
            const auto group = rest.front();
            const auto gap = between(before, group);
            const bool cents = group.size() == 2 && gap.size() == 1 && gap.front().point == ',';
            const auto plain = number_at(rest, false);
            if (!cents && digits_in(text_of(plain)).size() >= least_personal_digits) hide(plain);
            for (const auto number : {number_at(rest, true), group})
                if (personal_.has_number(digits_in(text_of(number)))) hide(number);
            before = group;
        }
    }
    // Returns the number that begins with the first of the groups of digits.
    static Piece number_at(std::span<const Piece> groups, bool with_commas) {
        const auto ends_a_number = [&](const Character& one) {
            return one.kind == Kind::letter || (one.point == ',' && !with_commas);
        };
        auto number = groups.front();
        for (const auto group : groups.subspan(1)) {
            const auto gap = between(number, group);
            if (gap.size() > most_between_digits || std::ranges::any_of(gap, ends_a_number)) break;
            number = joined(number, group);
        }
        return number;
    }
    static Piece between(Piece one, Piece next) { return {one.end(), next.begin()}; }

    const std::string_view text_;
    const Personal& personal_;
    std::vector<Character> characters_;
    std::vector<Piece> words_;
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
    boost::system::error_code ec;  // the value is null then
    const auto request = json::parse(sale.request.reveal(), ec);
    const auto* fields = request.if_object();
    if (fields == nullptr) return texts;
    for (const auto& field : *fields)
        if (std::ranges::find(impersonal_fields, std::string_view(field.key())) == impersonal_fields.end())
            collect_texts(field.value(), texts);
    return texts;
}

}  // namespace

std::string provider_sentence(std::string_view body, const std::vector<std::string>& personal) {
    const auto sentence = raw_sentence(body);
    return cut_to_a_sentence(Curtain(sentence, Personal(personal)).shown());
}

std::string provider_sentence(const Sale& sale, const Reply& reply) {
    return provider_sentence(reply.body, personal_texts(sale));
}

std::string refusal_sentence(const Sale& sale) {
    const auto reason = sale.reason.value_or(Reason{});
    if (reason.code != ReasonCode::refused) return {};
    return provider_sentence(reason.provider_body.reveal(), personal_texts(sale));
}

std::string provider_said(const Sale& sale, const Answer& answer, const Reply& reply) {
    if (answer.verdict == Verdict::refused)
        return provider_sentence(answer.reason.provider_body.reveal(), personal_texts(sale));
    const bool sells_nothing = answer.verdict == Verdict::throttled || answer.verdict == Verdict::no_such_sale ||
                               answer.verdict == Verdict::declined || answer.verdict == Verdict::unknown;
    // A success may hold goods, whatever else is wrong with it. A reply that did not come has no status.
    if (!sells_nothing || reply.status < 400) return {};
    const auto value = parsed(reply.body);
    if (value && says_sold(*value)) return {};
    return provider_sentence(sale, reply);
}

}  // namespace gateway
