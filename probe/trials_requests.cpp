// These trials send what a gateway would never send: an idExterno that is used twice, is longer than its own or has
// other characters; a field that is missing; an amount, a product, a bound or an establishment that is wrong.
//
// What becomes of a second request is found out on a sale that is cancelled first: whatever it makes is then the only
// sale of its idExterno, and a cancel ends it. Only where that made none of its own is it tried on an open sale too.
#include "base/ascii.hpp"
#include "probe/reply_words.hpp"
#include "probe/trials.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::probe {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

// An idExterno of each length is tried. The first one that is refused ends it, and what lies between is looked for.
constexpr std::array<std::size_t, 5> lengths{27, 31, 37, 41, 64};

// Returns the family to try these in. By then we know in which family a cancel works.
Family family_of(const Setting& setting) {
    const auto family = safe_family(setting).value_or(cancellable_families(setting).front());
    require_authorising(setting, family);
    return family;
}

// --- an idExterno that is used twice -------------------------------------------------------------------------------

enum class Body { same, other };

// Only the client's time differs in another body: what is asked for is the same, and can be paid for once more.
Shot ask_again(Bench& bench, Deal& deal, Body body) {
    auto again = deal;
    // The sale is taken for one that was not answered yet: the law believes no answer that names another transaction
    // than it knows, and whether there is another one is what is asked here.
    again.attempt().id_transacao.clear();
    if (body == Body::other) again.attempt().created_at += 1s;
    auto shot = bench.solicitar(again);
    if (shot.is(Verdict::authorised)) deal.attempt().id_transacao = again.attempt().id_transacao;
    return shot;
}

// Says in a word what the second answer says of the transaction `first`.
std::string again_word(const Shot& shot, const std::string& first) {
    const auto& reply = shot.reply;
    if (is_success(reply) && !first.empty() && reply.body.find(first) != std::string::npos) return "same";
    return is_success(reply) && shot.is(Verdict::authorised) ? "second" : said(reply);
}

// Tries it on a sale that was cancelled before, or on one that is open.
std::string used_twice(Setting& setting, Family family, Body body, bool open) {
    auto& bench = setting.bench;
    auto deal = authorise(setting, family);
    const auto first = deal.attempt().id_transacao;
    if (!open) {
        const auto cancelled = bench.cancelar(deal);
        if (!cancelled.is(Verdict::cancelled)) {
            bench.take_back(deal);
            throw Untold{"a venda não foi cancelada: " + in_portuguese(cancelled.reply)};
        }
    }
    const auto shot = ask_again(bench, deal, body);
    // A refusal of an idExterno that is known is no sale, and no reason to doubt the one that there is.
    const bool refused = is_answered(shot.reply) && shot.reply.status >= 400 && shot.reply.status < 500;
    if (refused && !shot.is(Verdict::refused)) bench.ledger().refused(deal.id);
    bench.take_back(deal);
    told(shot.reply);
    return again_word(shot, first);
}

void ask_twice(Setting& setting, Found& found, Family family, Body body, std::string_view point) {
    const auto cancelled = used_twice(setting, family, body, false);
    if (cancelled == "second") {
        found.answer(point, cancelled, "depois do cancelar, o mesmo idExterno fez outra transação");
        return;
    }
    const auto word = used_twice(setting, family, body, true);
    found.answer(point, word,
                 word == cancelled ? "também depois do cancelar"
                                   : "depois do cancelar: " + answer_in_portuguese(point, cancelled));
}

// --- an idExterno of another kind ----------------------------------------------------------------------------------

// Returns whether a sale with this idExterno is taken; one that is, is cancelled.
bool takes(Setting& setting, Family family, std::string id) {
    auto& bench = setting.bench;
    auto deal = bench.deal(setting.goods.at(family), std::move(id));
    const auto shot = bench.solicitar(deal);
    if (!shot.is(Verdict::refused)) bench.take_back(deal);
    if (shot.is(Verdict::authorised)) return true;
    // An error of the provider's own, or of the token, says nothing of the idExterno; nor does a success that is not
    // of this sale.
    if (is_about_the_sale(shot.reply) && (shot.is(Verdict::refused) || shot.reply.status / 100 == 4)) return false;
    throw Untold{"a um pedido não veio resposta que se possa ler como sim ou não"};
}

bool takes_length(Setting& setting, Family family, std::size_t length) {
    auto id = setting.bench.make_id();
    while (id.size() < length)
        id += static_cast<char>('0' + setting.bench.parts().random.below(10));
    return takes(setting, family, std::move(id));
}

void find_length(Setting& setting, Found& found, Family family) {
    const auto refusing =
        std::ranges::find_if(lengths, [&](std::size_t length) { return !takes_length(setting, family, length); });
    if (refusing == lengths.end()) {
        found.answer("id-length", "unlimited", fmt::format("{} caracteres são aceitos", lengths.back()));
        return;
    }
    auto refused = *refusing;
    auto taken = refusing == lengths.begin() ? Ulid::length : *std::prev(refusing);
    while (refused - taken > 1) {
        const auto middle = taken + (refused - taken) / 2;
        (takes_length(setting, family, middle) ? taken : refused) = middle;
    }
    found.answer("id-length", std::to_string(taken), fmt::format("com {} foi recusado", refused));
}

void find_letters(Setting& setting, Found& found, Family family) {
    if (setting.bench.uses_digits()) {
        found.answer("id-letters", "digits", "um idExterno com letras foi recusado, um só de dígitos não");
        return;
    }
    auto lower = to_lower(setting.bench.make_id());
    lower.back() = 'a';
    auto other = lower;
    other[other.size() - 2] = '-';
    if (takes(setting, family, other))
        found.answer("id-letters", "any", "letras minúsculas e um hífen são aceitos");
    else
        found.answer("id-letters", takes(setting, family, lower) ? "alphanumeric" : "upper-digits");
}

// --- requests that are wrong ---------------------------------------------------------------------------------------

// This is a sale that should be refused; one that is not is cancelled.
struct Wrong {
    std::string_view point;
    // Returns what is done to the body; nothing if this cannot be tried with these goods.
    std::optional<Alteration> (*alteration)(const Goods& goods);
    // Changes the sale instead, if its cancel has to say the same.
    void (*in_sale)(Sale& sale) = nullptr;
};

std::optional<Alteration> without_product(const Goods&) {
    return [](json::object& body) { body.erase("produto"); };
}

std::optional<Alteration> bad_amount(const Goods& goods) {
    if (!goods.order.fields.contains("valor")) return std::nullopt;
    return [](json::object& body) { body["valor"] = "12,5o"; };
}

std::optional<Alteration> unknown_product(const Goods& goods) {
    // Where the product is told by a code of the catalogue, the name alone is the client's own.
    for (const std::string_view code : {"chaveProduto", "tipoCredito", "produtoIdParceiro"})
        if (goods.order.fields.contains(code)) return [code](json::object& body) { body[code] = "9999"; };
    return [](json::object& body) { body["produto"] = "Produto Inexistente"; };
}

std::optional<Alteration> beyond_bound(const Goods& goods) {
    if (!goods.most || !goods.order.fields.contains("valor")) return std::nullopt;
    // It is a multiple of the unit, so that it breaks the bound alone.
    const auto beyond = goods.most->value + std::max<std::int64_t>(goods.order.valor.value, 1);
    return [beyond](json::object& body) { body["valor"] = std::to_string(beyond); };
}

std::optional<Alteration> nothing_in_the_body(const Goods&) {
    return [](json::object&) {};
}

void wrong_establishment(Sale& sale) {
    std::string other(sale.estabelecimento.size(), '9');
    if (other == sale.estabelecimento) other.back() = '8';
    sale.estabelecimento = other;
}

constexpr std::array wrongs{Wrong{"error-missing-field", without_product}, Wrong{"error-bad-amount", bad_amount},
                            Wrong{"error-unknown-product", unknown_product}, Wrong{"error-beyond-bound", beyond_bound},
                            Wrong{"error-wrong-establishment", nothing_in_the_body, wrong_establishment}};

// Sends the request in the first family whose goods it fits and whose cancel works. Returns the shape of the error.
std::string ask_for_wrong(Setting& setting, Found& found, const Wrong& wrong) {
    const auto families = cancellable_families(setting);
    const auto family = std::ranges::find_if(families, [&](Family one) {
        return why_not_authorised(setting, one).empty() && wrong.alteration(setting.goods.at(one)).has_value();
    });
    if (family == families.end())
        throw Untold{"não há um produto com que se possa experimentar isto e cancelar depois"};
    const auto& goods = setting.goods.at(*family);
    auto deal = setting.bench.deal(goods);
    if (wrong.in_sale != nullptr) wrong.in_sale(deal.sale);
    const auto shot = setting.bench.solicitar(deal, *wrong.alteration(goods));
    if (!shot.is(Verdict::refused)) setting.bench.take_back(deal);
    told(shot.reply);
    found.answer(wrong.point, said(shot.reply), fmt::format("visto com {}", family_in_portuguese(*family)));
    const bool bare = shot.reply.status >= 400 && status_word(shot.reply).empty();
    return bare && shot.reply.status != 401 ? std::string(error_shape(shot.reply)) : std::string();
}

}  // namespace

void use_ids_twice(Setting& setting, Found& found, Family) {
    const auto family = family_of(setting);
    for (const auto& [point, body] :
         {std::pair("id-again-same-body", Body::same), {"id-again-other-body", Body::other}})
        found.read({point}, [&, point = point, body = body] { ask_twice(setting, found, family, body, point); });
}

void use_other_ids(Setting& setting, Found& found, Family) {
    const auto family = family_of(setting);
    found.read({"id-letters"}, [&] { find_letters(setting, found, family); });
    find_length(setting, found, family);
}

void ask_for_wrongs(Setting& setting, Found& found, Family) {
    std::string shape;
    for (const auto& wrong : wrongs)
        found.read({wrong.point}, [&] {
            const auto one = ask_for_wrong(setting, found, wrong);
            if (shape.empty()) shape = one;
        });
    if (shape.empty()) shape = setting.bench.error_shape_seen();
    if (shape.empty()) throw Untold{"nenhum erro com corpo foi visto"};
    found.answer("error-body", shape);
}

}  // namespace gateway::probe
