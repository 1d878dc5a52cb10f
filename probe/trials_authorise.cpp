// The trials that authorise sales and cancel them again: what a cancel and a confirm say of a sale in each state, and
// where a health sale is cancelled at all.
#include "probe/answer_words.hpp"
#include "probe/reply_words.hpp"
#include "probe/trial.hpp"

#include <fmt/format.h>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;

const std::vector<std::string_view> points_of_cancel{"sale-http", "cancel-effect", "cancel-again",
                                                     "confirm-on-cancelada"};
const std::vector<std::string_view> points_of_health{"health-cancel-path", "health-cancel-does"};

// A cancel that was answered with an error of the server's is sent once more after that.
constexpr Duration before_second{2'000};

// Whether an answer says something of the address and the sale: what was lost does not, nor does a server that is in
// trouble, nor one that takes no token or no more requests.
bool tells(const Reply& reply) {
    return reply.kind == Reply::Kind::answered && reply.status < 500 && reply.status != 401 && reply.status != 429;
}

void read_cancel_effect(const Shot& shot, Found& found) {
    const auto word = said(shot.reply);
    if (shot.is(Verdict::cancelled))
        found.answer("cancel-effect", "cancels", shot.reply);
    else if (word == "200-autorizada")
        found.answer("cancel-effect", "stays-autorizada", shot.reply);
    else if (!tells(shot.reply))
        found.leave("cancel-effect", shot.reply);
    else
        found.answer("cancel-effect", word, shot.reply);
}

// Once more, and a confirm of it.
awaitable<void> ask_of_cancelled(Setting& setting, Found& found, Deal& deal) {
    auto again = setting.bench.cancelar(deal);
    const auto cancel = co_await std::move(again);
    if (cancel.reply.kind == Reply::Kind::answered)
        found.answer("cancel-again", said(cancel.reply, Status::CANCELADA), cancel.reply);
    else
        found.leave("cancel-again", cancel.reply);
    auto confirming = setting.bench.confirmar(deal);
    const auto confirm = co_await std::move(confirming);
    if (confirm.reply.kind == Reply::Kind::answered)
        found.answer("confirm-on-cancelada", said(confirm.reply, Status::CANCELADA), confirm.reply);
    else
        found.leave("confirm-on-cancelada", confirm.reply);
}

// The first answer that tells what a cancel does. One that was not told may have worked: of what is said of a second
// one, only a status counts.
awaitable<Shot> cancel_until_told(Setting& setting, Deal& deal) {
    auto cancelling = setting.bench.cancelar(deal);
    auto first = co_await std::move(cancelling);
    if (tells(first.reply)) co_return first;
    co_await setting.bench.pause(before_second);
    auto again = setting.bench.cancelar(deal);
    auto second = co_await std::move(again);
    co_return second.is(Verdict::cancelled) || said(second.reply) == "200-autorizada" ? second : first;
}

awaitable<void> cancel_one(Setting& setting, Found& found, Family family) {
    auto& bench = setting.bench;
    if (!bench.can_cancel(family)) {
        found.leave_all(points_of_cancel, "não se conhece como cancelar esta família");
        co_return;
    }
    auto authorising = authorise(setting, found, family, points_of_cancel);
    auto deal = co_await std::move(authorising);
    if (!deal) co_return;
    found.answer("sale-http", std::to_string(bench.last_accepted_http()));
    auto cancelling = cancel_until_told(setting, *deal);
    const auto shot = co_await std::move(cancelling);
    read_cancel_effect(shot, found);
    if (shot.is(Verdict::cancelled)) {
        co_await ask_of_cancelled(setting, found, *deal);
        co_return;
    }
    found.leave_all({"cancel-again", "confirm-on-cancelada"},
                    "a venda não foi cancelada: " + in_portuguese(shot.reply));
    co_await bench.take_back(*deal);
}

awaitable<void> cancel_unknown(Setting& setting, Found& found, Family family) {
    auto& bench = setting.bench;
    const bool answers = cancel_is_answered(setting, family);
    const bool is_known = setting.book.answered("cancel-effect", family);
    const auto goods = setting.goods.find(family);
    if (!answers || goods == setting.goods.end()) {
        found.leave("cancel-unknown", answers || !is_known ? why_not_authorised(setting, family)
                                                           : "o endereço do cancelar não responde por vendas");
        co_return;
    }
    auto deal = bench.deal(goods->second);
    auto cancelling = bench.cancelar(deal);
    const auto shot = co_await std::move(cancelling);
    if (shot.reply.kind == Reply::Kind::answered)
        found.answer("cancel-unknown", said(shot.reply), shot.reply);
    else
        found.leave("cancel-unknown", shot.reply);
}

awaitable<void> request_after_cancel(Setting& setting, Found& found, Family family) {
    auto& bench = setting.bench;
    if (const auto why = why_not_authorised(setting, family); !why.empty()) {
        found.leave("request-after-cancel", why);
        co_return;
    }
    auto deal = bench.deal(setting.goods.at(family));
    auto cancelling = bench.cancelar(deal);
    const auto cancel = co_await std::move(cancelling);
    if (cancel.reply.kind != Reply::Kind::answered) {
        found.leave("request-after-cancel", cancel.reply);
        co_return;
    }
    auto asking = bench.solicitar(deal);
    const auto shot = co_await std::move(asking);
    if (shot.is(Verdict::authorised))
        found.answer("request-after-cancel", "sells", shot.reply);
    else if (shot.reply.kind == Reply::Kind::answered)
        found.answer("request-after-cancel", said(shot.reply), shot.reply);
    else
        found.leave("request-after-cancel", shot.reply);
    co_await bench.take_back(deal);
}

// Then it says nothing of the one that there is. Nothing where it is not told: an error of the server's is an answer,
// where it comes twice.
awaitable<std::optional<bool>> says_the_same_of_unknown(Setting& setting, std::string path, Verdict verdict) {
    auto deal = setting.bench.deal(setting.goods.at(Family::health));
    Shot shot;
    for (int tries = 0; tries < 2 && !tells(shot.reply); ++tries) {
        auto cancelling = setting.bench.cancelar_by(deal, path);
        shot = co_await std::move(cancelling);
    }
    const bool in_trouble = shot.reply.kind == Reply::Kind::answered && shot.reply.status >= 500;
    if (!tells(shot.reply) && !in_trouble) co_return std::nullopt;
    co_return shot.is(verdict);
}

// The candidates in order, on one sale that is authorised for it.
awaitable<void> find_health_path(Setting& setting, Found& found, std::vector<std::string> candidates) {
    auto& bench = setting.bench;
    auto authorising = authorise(setting, found, Family::health, points_of_health);
    auto deal = co_await std::move(authorising);
    if (!deal) co_return;
    std::vector<std::string> tried;
    const auto all = [&] { return fmt::format("{}", fmt::join(tried, "; ")); };
    // The sale is not over, for the list of what may be open, before it is known what the path says of any sale.
    bool doubtful = false;
    for (const auto& path : candidates) {
        if (!bench.can_cancel_by(path)) {
            tried.push_back(path + " não é um caminho que cancele");
            continue;
        }
        auto cancelling = bench.cancelar_by(*deal, path);
        const auto shot = co_await std::move(cancelling);
        tried.push_back(fmt::format("{} respondeu {}", path, in_portuguese(shot.reply)));
        const bool sells = shot.is(Verdict::sold);
        if (!sells && !shot.is(Verdict::cancelled)) {
            doubtful = doubtful || !tells(shot.reply);
            continue;
        }
        auto checking = says_the_same_of_unknown(setting, path, shot.answer.verdict);
        const auto same = co_await std::move(checking);
        if (same != false) {
            tried.push_back(path + (same ? " diz o mesmo de uma venda que não existe"
                                         : ": não se sabe o que diz de uma venda que não existe"));
            doubtful = true;
            if (!same) break;
            continue;
        }
        bench.believe(*deal, shot);
        found.answer("health-cancel-path", path, all());
        found.answer("health-cancel-does", sells ? "sells" : "cancels", shot.reply);
        if (!sells) bench.use_health_path(path);
        co_return;
    }
    if (doubtful) {
        found.leave_all(points_of_health, all());
        co_return;
    }
    if (!setting.book.readings("cancel-effect").empty() && !safe_family(setting)) {
        found.leave_all(points_of_health, all() + "; em nenhuma família o cancelar cancela");
        co_return;
    }
    found.answer("health-cancel-path", "none", all());
    found.tried("health-cancel-path", candidates);
    found.drop("health-cancel-does", "nenhum candidato cancelou");
}

awaitable<void> health_path(Setting& setting, Found& found) {
    std::vector<std::string> candidates;
    const auto& configured = setting.bench.options().provider.health_cancel_path;
    if (!configured.empty()) candidates.push_back(configured);
    for (const auto& path : setting.wishes.health_paths)
        if (path != configured) candidates.push_back(path);
    if (candidates.empty()) {
        found.leave_all(points_of_health, "nenhum candidato foi dado (--health-cancel-path)");
    } else if (configured.empty() && !setting.wishes.may_stay_open) {
        found.leave_all(points_of_health, "a venda pode ficar em aberto: só com --may-stay-open");
    } else {
        co_await find_health_path(setting, found, std::move(candidates));
    }
}

std::string of_family(std::string_view title, Family family) {
    return fmt::format("{} ({})", title, family_in_portuguese(family));
}

}  // namespace

std::vector<Trial> authorise_trials(const Setting& setting) {
    std::vector<Trial> trials;
    for (const auto family : cancellable_families(setting)) {
        if (family == Family::health)
            trials.push_back(
                {"Onde se cancela uma venda de saúde", Level::authorise, std::nullopt, points_of_health, health_path});
        trials.push_back({of_family("Autorizar, cancelar, cancelar de novo, confirmar a venda cancelada", family),
                          Level::authorise, family, points_of_cancel,
                          [family](Setting& s, Found& f) { return cancel_one(s, f, family); }});
        trials.push_back({of_family("Cancelar um idExterno desconhecido", family),
                          Level::authorise,
                          family,
                          {"cancel-unknown"},
                          [family](Setting& s, Found& f) { return cancel_unknown(s, f, family); }});
        trials.push_back({of_family("Solicitar depois do próprio cancelar", family),
                          Level::authorise,
                          family,
                          {"request-after-cancel"},
                          [family](Setting& s, Found& f) { return request_after_cancel(s, f, family); }});
    }
    return trials;
}

}  // namespace gateway::probe
