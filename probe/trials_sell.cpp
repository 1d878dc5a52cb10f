// The trials that sell: one smallest sale of each family, and what is said of it afterwards.
#include "probe/answer_words.hpp"
#include "probe/esim_trial.hpp"
#include "probe/reply_words.hpp"
#include "probe/trial.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway::probe {
namespace {

namespace json = boost::json;
using boost::asio::awaitable;

// A confirm without an answer is repeated as often before the sale is left to the next run.
constexpr int most_confirms = 3;
constexpr Duration between_confirms{2'000};

std::vector<std::string_view> points_of_sale(Family family) {
    std::vector<std::string_view> points{"confirm-again", "cancel-on-efetivada"};
    if (family == Family::egift) points.insert(points.end(), {"egift-instrucao-again", "egift-confirm-token"});
    return points;
}

const json::object* member_object(const json::object* parent, std::string_view name) {
    const auto* value = parent == nullptr ? nullptr : parent->if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
}

void read_instrucao(const Reply& reply, Found& found) {
    constexpr std::string_view point = "egift-instrucao-again";
    boost::system::error_code malformed;
    const auto value = json::parse(reply.body, malformed);
    const auto* root = malformed ? nullptr : value.if_object();
    const auto* transacao = member_object(root, "transacao");
    if (transacao == nullptr) {
        found.leave(point, "a resposta ao segundo confirmar não tem transacao: " + in_portuguese(reply));
        return;
    }
    const auto* instrucao = transacao->if_contains("instrucao");
    found.answer(point, instrucao == nullptr ? "missing" : instrucao->is_null() ? "null" : "again");
}

// What an answer says of a sale that was sold. What did not come, or was no answer to the question, says nothing.
void read_said(std::string_view point, const Reply& reply, Found& found) {
    if (is_about_the_sale(reply))
        found.answer(point, said(reply, Status::EFETIVADA), reply);
    else
        found.leave(point, reply);
}

// Without a token the answer is a success, or the same as with one; or it is 401. Anything else has another reason.
void read_token_need(const Reply& bare, const Reply& with_token, Found& found) {
    constexpr std::string_view point = "egift-confirm-token";
    const bool answered = bare.kind == Reply::Kind::answered;
    const bool success = answered && bare.status >= 200 && bare.status <= 299;
    const bool same = answered && is_about_the_sale(bare) && bare.status < 500 && said(bare) == said(with_token);
    if (answered && bare.status == 401)
        found.answer(point, "required", bare);
    else if (success || same)
        found.answer(point, "optional", bare);
    else
        found.leave(point, bare);
}

awaitable<bool> sell(Setting& setting, Found& found, Deal& deal, const std::vector<std::string_view>& points) {
    Shot shot;
    for (int tries = 0; tries < most_confirms; ++tries) {
        if (tries > 0) co_await setting.bench.pause(between_confirms);
        auto confirming = setting.bench.confirmar(deal);
        shot = co_await std::move(confirming);
        if (shot.is(Verdict::sold)) co_return true;
        if (shot.reply.kind == Reply::Kind::answered) break;
    }
    found.leave_all(points, "o confirmar não deu EFETIVADA: " + in_portuguese(shot.reply));
    // What was not answered may have been sold: the provider's word on a cancel tells, and changes nothing then.
    co_await setting.bench.take_back(deal);
    co_return false;
}

// An authorised sale that was confirmed; nothing where there is none, and then the points are left.
awaitable<std::optional<Deal>> sell_first(Setting& setting, Found& found, Family family,
                                          std::vector<std::string_view> points) {
    if (const auto why = why_not_authorised(setting, family); !why.empty() && !may_leave_open(setting, family)) {
        found.leave_all(points, why);
        co_return std::nullopt;
    }
    auto authorising = authorise(setting, found, family, points);
    auto deal = co_await std::move(authorising);
    if (!deal) co_return std::nullopt;
    auto selling = sell(setting, found, *deal, points);
    if (!co_await std::move(selling)) co_return std::nullopt;
    co_return deal;
}

// A folder has one sale of a family that was sold: what was not answered of it is asked of it again.
std::optional<Deal> sold_before(Setting& setting, Family family) {
    const auto sold = setting.bench.ledger().sold_sales();
    const auto found = std::ranges::find(sold, family, &Entry::family);
    return found == sold.end() ? std::nullopt : std::optional(setting.bench.deal_of(*found));
}

awaitable<void> sell_one(Setting& setting, Found& found, Family family) {
    auto& bench = setting.bench;
    const auto points = points_of_sale(family);
    auto deal = sold_before(setting, family);
    if (!deal) {
        auto selling = sell_first(setting, found, family, points);
        deal = co_await std::move(selling);
    }
    if (!deal) co_return;
    auto again = bench.confirmar(*deal);
    const auto second = co_await std::move(again);
    read_said("confirm-again", second.reply, found);
    if (family == Family::egift) {
        read_instrucao(second.reply, found);
        auto without = bench.confirmar_without_token(*deal);
        const auto bare = co_await std::move(without);
        read_token_need(bare.reply, second.reply, found);
    }
    if (!bench.can_cancel(family)) {
        found.leave("cancel-on-efetivada", "não se conhece como cancelar esta família");
        co_return;
    }
    if (!cancel_is_answered(setting, family)) {
        found.leave("cancel-on-efetivada", "o endereço do cancelar não responde por vendas");
        co_return;
    }
    auto cancelling = bench.cancelar(*deal);
    const auto cancel = co_await std::move(cancelling);
    read_said("cancel-on-efetivada", cancel.reply, found);
}

}  // namespace

std::vector<Trial> sell_trials(const Setting& setting) {
    std::vector<Trial> trials;
    for (const auto family : cancellable_families(setting))
        trials.push_back(
            {fmt::format("Vender, confirmar de novo, cancelar a venda efetivada ({})", family_in_portuguese(family)),
             Level::sell, family, points_of_sale(family),
             [family](Setting& s, Found& f) { return sell_one(s, f, family); }});
    if (auto trial = esim_trial(setting)) trials.push_back(std::move(*trial));
    return trials;
}

}  // namespace gateway::probe
