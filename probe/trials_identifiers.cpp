// The trials about the idExterno: used twice, longer than the gateway's own, and with other characters.
//
// What becomes of a second request is found out on a sale that is cancelled first: whatever it makes is then the only
// sale of its idExterno, and a cancel ends it. Only where that made none of its own is it tried on an open sale too.
#include "probe/answer_words.hpp"
#include "probe/reply_words.hpp"
#include "probe/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

// Of an idExterno: the first one that is refused ends it, and what lies between is looked for.
constexpr std::array<std::size_t, 5> lengths{27, 31, 37, 41, 64};

enum class Body { same, other };

// In another body only the client's time differs: what is asked for is the same, and can be paid for once more.
awaitable<Shot> ask_again(Setting& setting, Deal& deal, Body body) {
    auto again = deal;
    // As a sale that was not answered yet: the law believes no answer that names another transaction than it knows, and
    // whether there is another one is what is asked here.
    again.attempt().id_transacao.clear();
    if (body == Body::other) again.attempt().created_at += 1s;
    auto asking = setting.bench.solicitar(again);
    auto shot = co_await std::move(asking);
    if (shot.is(Verdict::authorised)) deal.attempt().id_transacao = again.attempt().id_transacao;
    co_return shot;
}

std::string id_in(const Reply& reply, const std::string& wanted) {
    return reply.body.find(wanted) == std::string::npos ? std::string() : wanted;
}

// What the second answer says of the transaction `first`; empty where it says nothing that can be told apart.
std::string again_word(const Shot& shot, const std::string& first) {
    if (shot.reply.kind != Reply::Kind::answered) return {};
    if (shot.reply.status < 200 || shot.reply.status > 299) return said(shot.reply);
    if (!first.empty() && !id_in(shot.reply, first).empty()) return "same";
    if (shot.is(Verdict::authorised)) return "second";
    return said(shot.reply);
}

// On a sale that was cancelled before, or on one that is open.
awaitable<std::string> used_twice(Setting& setting, Found& found, Family family, Body body, bool open,
                                  std::string_view point) {
    auto& bench = setting.bench;
    auto authorising = authorise(setting, found, family, {point});
    auto deal = co_await std::move(authorising);
    if (!deal) co_return "";
    const auto first = deal->attempt().id_transacao;
    if (!open) {
        auto cancelling = bench.cancelar(*deal);
        const auto cancelled = co_await std::move(cancelling);
        if (!cancelled.is(Verdict::cancelled)) {
            found.leave(point, "a venda não foi cancelada: " + in_portuguese(cancelled.reply));
            co_await bench.take_back(*deal);
            co_return "";
        }
    }
    auto asking = ask_again(setting, *deal, body);
    const auto shot = co_await std::move(asking);
    const auto word = again_word(shot, first);
    if (word.empty()) found.leave(point, shot.reply);
    // A refusal of an idExterno that is known is no sale, and no reason to doubt the one that there is.
    const bool refused =
        shot.reply.kind == Reply::Kind::answered && shot.reply.status >= 400 && shot.reply.status < 500;
    if (refused && !shot.is(Verdict::refused)) bench.ledger().refused(deal->id);
    co_await bench.take_back(*deal);
    co_return word;
}

awaitable<void> id_again(Setting& setting, Found& found, Family family, Body body) {
    const std::string_view point = body == Body::same ? "id-again-same-body" : "id-again-other-body";
    auto safely = used_twice(setting, found, family, body, false, point);
    const auto cancelled = co_await std::move(safely);
    if (cancelled.empty()) co_return;
    if (cancelled == "second") {
        found.answer(point, cancelled, "depois do cancelar, o mesmo idExterno fez outra transação");
        co_return;
    }
    auto openly = used_twice(setting, found, family, body, true, point);
    const auto word = co_await std::move(openly);
    if (word.empty()) co_return;
    found.answer(point, word,
                 word == cancelled ? "também depois do cancelar"
                                   : "depois do cancelar: " + answer_in_portuguese(point, cancelled));
}

awaitable<void> both_bodies(Setting& setting, Found& found, Family family) {
    if (const auto why = why_not_authorised(setting, family); !why.empty()) {
        found.leave_all({"id-again-same-body", "id-again-other-body"}, why);
        co_return;
    }
    co_await id_again(setting, found, family, Body::same);
    co_await id_again(setting, found, family, Body::other);
}

enum class Taken { yes, no, unknown };

// Whether a sale with this idExterno is taken; one that is, is cancelled.
awaitable<Taken> takes(Setting& setting, Family family, std::string id) {
    auto& bench = setting.bench;
    auto deal = bench.deal_with_id(setting.goods.at(family), std::move(id));
    auto asking = bench.solicitar(deal);
    const auto shot = co_await std::move(asking);
    if (!shot.is(Verdict::refused)) co_await bench.take_back(deal);
    if (shot.is(Verdict::authorised)) co_return Taken::yes;
    // An error of the provider's own, or of the token, says nothing of the idExterno; nor does a success that is not
    // of this sale.
    const bool is_no = is_about_the_sale(shot.reply) && (shot.is(Verdict::refused) || shot.reply.status / 100 == 4);
    co_return is_no ? Taken::no : Taken::unknown;
}

std::string id_of_length(Bench& bench, std::size_t length) {
    auto id = bench.make_id();
    while (id.size() < length)
        id += static_cast<char>('0' + bench.random().below(10));
    return id;
}

awaitable<void> id_length(Setting& setting, Found& found, Family family) {
    constexpr std::string_view point = "id-length";
    std::size_t taken = Ulid::length;
    std::size_t refused = 0;
    for (const auto length : lengths) {
        auto asking = takes(setting, family, id_of_length(setting.bench, length));
        const auto answer = co_await std::move(asking);
        if (answer == Taken::unknown) {
            found.leave(point, "a um pedido não veio resposta que se possa ler como sim ou não");
            co_return;
        }
        if (answer == Taken::no) {
            refused = length;
            break;
        }
        taken = length;
    }
    if (refused == 0) {
        found.answer(point, "unlimited", fmt::format("{} caracteres são aceitos", taken));
        co_return;
    }
    while (refused - taken > 1) {
        const auto middle = taken + (refused - taken) / 2;
        auto asking = takes(setting, family, id_of_length(setting.bench, middle));
        const auto answer = co_await std::move(asking);
        if (answer == Taken::unknown) {
            found.leave(point, "a um pedido não veio resposta que se possa ler como sim ou não");
            co_return;
        }
        (answer == Taken::yes ? taken : refused) = middle;
    }
    found.answer(point, std::to_string(taken), fmt::format("com {} foi recusado", refused));
}

awaitable<void> id_letters(Setting& setting, Found& found, Family family) {
    constexpr std::string_view point = "id-letters";
    auto& bench = setting.bench;
    if (bench.uses_digits()) {
        found.answer(point, "digits", "um idExterno com letras foi recusado, um só de dígitos não");
        co_return;
    }
    auto lower = bench.make_id();
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    lower.back() = 'a';
    auto other = lower;
    other[other.size() - 2] = '-';
    auto asking = takes(setting, family, other);
    const auto any = co_await std::move(asking);
    if (any == Taken::yes) {
        found.answer(point, "any", "letras minúsculas e um hífen são aceitos");
        co_return;
    }
    auto asking_lower = takes(setting, family, lower);
    const auto alphanumeric = co_await std::move(asking_lower);
    if (any == Taken::unknown || alphanumeric == Taken::unknown)
        found.leave(point, "a um pedido não veio resposta que se possa ler como sim ou não");
    else
        found.answer(point, alphanumeric == Taken::yes ? "alphanumeric" : "upper-digits");
}

awaitable<void> length_and_letters(Setting& setting, Found& found, Family family) {
    if (const auto why = why_not_authorised(setting, family); !why.empty()) {
        found.leave_all({"id-length", "id-letters"}, why);
        co_return;
    }
    co_await id_letters(setting, found, family);
    co_await id_length(setting, found, family);
}

}  // namespace

std::vector<Trial> identifier_trials(const Setting& setting) {
    const auto families = cancellable_families(setting);
    if (families.empty()) return {};
    // By the time that these are made it is known in which family a cancel works.
    const auto of = [](const Setting& s) { return safe_family(s).value_or(cancellable_families(s).front()); };
    return {{"Um idExterno usado duas vezes",
             Level::authorise,
             std::nullopt,
             {"id-again-same-body", "id-again-other-body"},
             [of](Setting& s, Found& f) { return both_bodies(s, f, of(s)); }},
            {"Tamanho e caracteres do idExterno",
             Level::authorise,
             std::nullopt,
             {"id-length", "id-letters"},
             [of](Setting& s, Found& f) { return length_and_letters(s, f, of(s)); }}};
}

}  // namespace gateway::probe
