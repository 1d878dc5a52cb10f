// These trials authorise sales and cancel them, or sell them: they find out what a cancel and a confirm say of a sale
// in each state, and where a health sale is cancelled at all.
#include "base/json_members.hpp"
#include "probe/records.hpp"
#include "probe/reply_words.hpp"
#include "probe/trials.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::probe {
namespace {

constexpr auto no_cancel = "não se conhece como cancelar esta família";
constexpr auto no_address = "o endereço do cancelar não responde por vendas";
// A cancel that was answered with an error of the server's is sent once more after that.
constexpr Duration before_second{2'000};
// A confirm without an answer is sent so many times before the sale is left to the next run.
constexpr int most_confirms = 3;
constexpr Duration between_confirms{2'000};

// Returns the first answer that tells what a cancel does. A first cancel that was not answered may have worked, so that
// of the answer to the second one only a status counts.
Shot cancel_until_told(Bench& bench, Deal& deal) {
    auto first = bench.cancelar(deal);
    if (tells(first.reply)) return first;
    bench.pause(before_second);
    auto second = bench.cancelar(deal);
    return second.is(Verdict::cancelled) || said(second.reply) == "200-autorizada" ? second : first;
}

void read_cancel_effect(const Shot& shot, Found& found) {
    const auto word = said(shot.reply);
    if (shot.is(Verdict::cancelled))
        found.answer("cancel-effect", "cancels", shot.reply);
    else if (word == "200-autorizada")
        found.answer("cancel-effect", "stays-autorizada", shot.reply);
    else if (tells(shot.reply))
        found.answer("cancel-effect", word, shot.reply);
    else
        found.leave("cancel-effect", in_portuguese(shot.reply));
}

}  // namespace

void cancel_one(Setting& setting, Found& found, Family family) {
    auto& bench = setting.bench;
    if (!bench.can_cancel(family)) throw Untold{no_cancel};
    auto deal = authorise(setting, family);
    found.answer("sale-http", std::to_string(bench.last_accepted_http()));
    const auto shot = cancel_until_told(bench, deal);
    read_cancel_effect(shot, found);
    if (!shot.is(Verdict::cancelled)) {
        bench.take_back(deal);
        throw Untold{"a venda não foi cancelada: " + in_portuguese(shot.reply)};
    }
    found.hear("cancel-again", bench.cancelar(deal).reply, Status::CANCELADA);
    found.hear("confirm-on-cancelada", bench.confirmar(deal).reply, Status::CANCELADA);
}

void cancel_unknown(Setting& setting, Found& found, Family family) {
    if (!setting.goods.contains(family) || !setting.book.answered("cancel-effect", family))
        throw Untold{why_not_authorised(setting, family)};
    if (!cancel_is_answered(setting, family)) throw Untold{no_address};
    auto deal = setting.bench.deal(setting.goods.at(family));
    found.hear("cancel-unknown", setting.bench.cancelar(deal).reply);
}

void request_after_cancel(Setting& setting, Found& found, Family family) {
    auto& bench = setting.bench;
    require_authorising(setting, family);
    auto deal = bench.deal(setting.goods.at(family));
    told(bench.cancelar(deal).reply);
    const auto shot = bench.solicitar(deal);
    if (shot.is(Verdict::authorised))
        found.answer("request-after-cancel", "sells", shot.reply);
    else
        found.hear("request-after-cancel", shot.reply);
    bench.take_back(deal);
}

// --- where a health sale is cancelled ------------------------------------------------------------------------------

namespace {

// Returns whether the path says the same of a sale that does not exist: then it says nothing of the one that does.
// Returns nothing if no answer tells. An error of the server's tells if it comes twice.
std::optional<bool> says_the_same_of_unknown(Setting& setting, const std::string& path, Verdict verdict) {
    auto deal = setting.bench.deal(setting.goods.at(Family::health));
    Shot shot;
    for (int tries = 0; tries < 2 && !tells(shot.reply); ++tries)
        shot = setting.bench.cancelar_by(deal, path);
    const bool in_trouble = is_answered(shot.reply) && shot.reply.status >= 500;
    if (!tells(shot.reply) && !in_trouble) return std::nullopt;
    return shot.is(verdict);
}

// Tries the candidates in order, on one sale that is authorised for it.
class PathSearch {
  public:
    PathSearch(Setting& setting, Found& found) : setting_(setting), found_(found) {}

    // Returns whether the path cancels, or sells.
    bool try_path(Deal& deal, const std::string& path) {
        auto& bench = setting_.bench;
        if (!bench.can_cancel_by(path)) {
            tried_.push_back(path + " não é um caminho que cancele");
            return false;
        }
        const auto shot = bench.cancelar_by(deal, path);
        tried_.push_back(fmt::format("{} respondeu {}", path, in_portuguese(shot.reply)));
        const bool sells = shot.is(Verdict::sold);
        if (!sells && !shot.is(Verdict::cancelled)) {
            doubtful_ = doubtful_ || !tells(shot.reply);
            return false;
        }
        // The sale stays in the list of what may be open until we know what the path says of any sale.
        const auto same = says_the_same_of_unknown(setting_, path, shot.answer.verdict);
        if (!same) throw Untold{words() + "; " + path + ": não se sabe o que diz de uma venda que não existe"};
        if (*same) {
            tried_.push_back(path + " diz o mesmo de uma venda que não existe");
            doubtful_ = true;
            return false;
        }
        bench.believe(deal, shot);
        found_.answer("health-cancel-path", path, words());
        found_.answer("health-cancel-does", sells ? "sells" : "cancels", shot.reply);
        if (!sells) bench.use_health_path(path);
        return true;
    }
    bool is_doubtful() const noexcept { return doubtful_; }
    std::string words() const { return fmt::format("{}", fmt::join(tried_, "; ")); }

  private:
    Setting& setting_;
    Found& found_;
    std::vector<std::string> tried_;
    bool doubtful_ = false;
};

}  // namespace

void find_health_path(Setting& setting, Found& found, Family) {
    const auto& configured = setting.bench.options().health_cancel_path;
    const auto candidates = candidates_of(configured, setting.arguments.health_paths);
    if (candidates.empty()) throw Untold{"nenhum candidato foi dado (--health-cancel-path)"};
    if (configured.empty() && !setting.arguments.may_stay_open)
        throw Untold{"a venda pode ficar em aberto: só com --may-stay-open"};
    auto deal = authorise(setting, Family::health);
    PathSearch search(setting, found);
    for (const auto& path : candidates)
        if (search.try_path(deal, path)) return;
    if (search.is_doubtful()) throw Untold{search.words()};
    if (!setting.book.readings("cancel-effect").empty() && !safe_family(setting))
        throw Untold{search.words() + "; em nenhuma família o cancelar cancela"};
    found.answer("health-cancel-path", "none", search.words());
    found.tried("health-cancel-path", candidates);
    found.drop("health-cancel-does", "nenhum candidato cancelou");
}

// --- what is sold --------------------------------------------------------------------------------------------------

namespace {

void read_instrucao(const Reply& reply, Found& found) {
    constexpr std::string_view point = "egift-instrucao-again";
    const auto answer = object_of(reply.body);
    const auto* transacao = object_in(answer, "transacao");
    if (transacao == nullptr) {
        found.leave(point, "a resposta ao segundo confirmar não tem transacao: " + in_portuguese(reply));
        return;
    }
    const auto* instrucao = transacao->if_contains("instrucao");
    found.answer(point, instrucao == nullptr ? "missing" : instrucao->is_null() ? "null" : "again");
}

// If no token is needed, the answer is a success, or the same as with a token; if one is needed, it is 401. Any other
// answer has another reason.
void read_token_need(const Reply& bare, const Reply& with_token, Found& found) {
    constexpr std::string_view point = "egift-confirm-token";
    if (is_answered(bare) && bare.status == 401)
        found.answer(point, "required", bare);
    else if (is_success(bare) || (tells(bare) && said(bare) == said(with_token)))
        found.answer(point, "optional", bare);
    else
        found.leave(point, in_portuguese(bare));
}

// Returns an authorised sale that was confirmed.
Deal sell(Setting& setting, Family family) {
    auto& bench = setting.bench;
    if (!may_leave_open(setting, family)) require_authorising(setting, family);
    auto deal = authorise(setting, family);
    Shot shot;
    for (int tries = 0; tries < most_confirms && !is_answered(shot.reply); ++tries) {
        if (tries > 0) bench.pause(between_confirms);
        shot = bench.confirmar(deal);
    }
    if (shot.is(Verdict::sold)) return deal;
    // A confirm that was not answered may have sold. The answer to a cancel tells that, and then changes nothing.
    bench.take_back(deal);
    throw Untold{"o confirmar não deu EFETIVADA: " + in_portuguese(shot.reply)};
}

}  // namespace

void sell_one(Setting& setting, Found& found, Family family) {
    auto& bench = setting.bench;
    // In one folder one sale of a family is sold. What was not answered is asked about the same sale again.
    const auto sold = bench.ledger().sold_sales();
    const auto before = std::ranges::find(sold, family, &Entry::family);
    auto deal = before == sold.end() ? sell(setting, family) : bench.deal_of(*before);
    const auto again = bench.confirmar(deal).reply;
    found.hear("confirm-again", again, Status::EFETIVADA);
    if (traits_of(family).delivery == Delivery::with_confirm) {
        read_instrucao(again, found);
        read_token_need(bench.confirmar_without_token(deal).reply, again, found);
    }
    if (!bench.can_cancel(family)) throw Untold{no_cancel};
    if (!cancel_is_answered(setting, family)) throw Untold{no_address};
    found.hear("cancel-on-efetivada", bench.cancelar(deal).reply, Status::EFETIVADA);
}

}  // namespace gateway::probe
