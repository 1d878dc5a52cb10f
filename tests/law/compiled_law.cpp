#include "law/compiled_law.hpp"

#include "base/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace gateway::law {
namespace {

using Kind = Happening::Kind;

// A decision is made at another time than those before it, so that a repeat which takes its own time is seen.
const WallTime decided_at = wall + std::chrono::minutes(1);

// Does what the driver does with a change that is durable.
Sale carried_out(Sale sale, const Change& change) {
    sale.attempts.at(change.attempt) = change.next;
    sale.status = change.status;
    sale.settled = change.settled;
    sale.attention = change.attention;
    sale.reason = change.reason;
    if (change.details) sale.details = *change.details;
    if (change.esim) sale.esim = change.esim;
    if (!change.again) return sale;
    Attempt fresh{.id_externo = IdExterno(Ulid::first_at(wall + std::chrono::hours(sale.attempts.size())))};
    fresh.next_try = now + change.pause;
    sale.attempts.push_back(std::move(fresh));
    return sale;
}

// A change that is said to change nothing is not recorded.
void check_silence(const Sale& before, const Change& change) {
    if (!change.changes_nothing) return;
    const auto& was = before.attempts.at(change.attempt);
    const auto& is = change.next;
    const bool same = was.state == is.state && was.id_transacao == is.id_transacao &&
                      was.confirm_time == is.confirm_time && was.cancel_time == is.cancel_time &&
                      was.deadline == is.deadline && was.attention_at == is.attention_at &&
                      before.status == change.status && before.settled == change.settled &&
                      before.attention == change.attention && !change.details && !change.esim && !change.again;
    require(same, "3: a change of what the journal has is recorded");
}

bool lacks_goods_in_silence(const SaleClass& sale, Family family) {
    const bool there = is_by_callback(family)                         ? sale.facts != Facts::none
                       : traits_of(family).delivery != Delivery::none ? sale.has_goods
                                                                      : true;
    return sale.status == Status::EFETIVADA && sale.attention == Attention::none && !there;
}

bool names_an_attempt(const Happening& happening) {
    return happening.kind != Kind::confirm_asked && happening.kind != Kind::cancel_asked &&
           happening.kind != Kind::called_back && happening.kind != Kind::resolved;
}

void check_sale(const SaleClass& before, const SaleClass& after, const Terms& terms, bool by_person) {
    require(!is_final(before.status) || before.status == after.status, "7: a final status never changes");
    const bool all_settled =
        std::ranges::all_of(after.attempts, [](const auto& attempt) { return is_settled(attempt.state); });
    require(!after.settled || (all_settled && is_final(after.status)),
            "7: a settled sale is final, and so is all of it");
    // After a person has taken the mark away, only a mark about something else comes and goes.
    const bool was_known = before.status == Status::EFETIVADA && before.attention != Attention::undeliverable;
    require(by_person || was_known || !lacks_goods_in_silence(after, terms.family),
            "8: what was sold without its goods is marked");
}

}  // namespace

CompiledLaw::Number CompiledLaw::number_of(const SaleClass& sale) {
    const auto [place, is_new] = numbers_.try_emplace(sale, static_cast<Number>(nodes_.size()));
    if (is_new) nodes_.push_back({.sale = sale});
    return place->second;
}

Change CompiledLaw::decide(const Sale& sale, std::size_t attempt, const Happening& happening,
                           std::uint32_t chance) const {
    const Context context{.now = now, .wall = decided_at, .chance = chance};
    return functions_.decide(terms_.rules, sale, attempt, event_of(happening), context);
}

void CompiledLaw::check_attempt(const Attempt& before, const Attempt& after) const {
    const bool is_legal = before.state == after.state || is_legal_move(before.state, after.state);
    require(is_legal || !functions_.keeps_its_own_lists, "every move is legal");
    require(before.id_externo == after.id_externo, "4: an attempt keeps its idExterno");
    require(!before.confirm_time || after.confirm_time == before.confirm_time,
            "a repeated confirm is the same byte for byte");
    require(!before.cancel_time || after.cancel_time == before.cancel_time,
            "a repeated cancel is the same byte for byte");
    require(!before.cancel_time || before.confirm_time || !after.confirm_time,
            "presumed abort: a cancel that was decided never turns back");
}

Sale CompiledLaw::decide_well(const Sale& before, std::size_t attempt, const Happening& happening) const {
    const auto change = decide(before, attempt, happening, 0);
    check_attempt(before.attempts.at(change.attempt), change.next);
    check_silence(before, change);
    auto after = carried_out(before, change);
    require(is_possible(after) || !functions_.keeps_its_own_lists, "every decision leads to a sale that is possible");
    return after;
}

void CompiledLaw::examine(Number number) {
    auto& node = nodes_[number];
    if (node.examined) return;
    node.examined = true;
    const auto sale = example(node.sale);
    for (std::size_t i = 0; i < sale.attempts.size(); ++i)
        for (const auto& happening : everything_that_happens()) {
            if (i > 0 && !names_an_attempt(happening)) continue;
            try {
                decide_well(sale, i, happening);
            } catch (const Broken& broken) {
                throw Broken(
                    fmt::format("{}\n        here, if of attempt {}: {}", broken.what(), i + 1, in_words(happening)));
            }
        }
}

CompiledLaw::Number CompiledLaw::decided(Number sale, std::size_t attempt, const Happening& happening) {
    const auto key = (std::uint64_t{sale} << 32) | (std::uint64_t{attempt} << 20) | key_of(happening);
    if (const auto known = decided_.find(key); known != decided_.end()) return known->second;
    examine(sale);
    const auto& from = nodes_[sale].sale;
    const auto before = example(from);
    const auto next = class_of(decide_well(before, attempt, happening), terms_.rules);
    check_sale(from, next, terms_, happening.kind == Kind::resolved);
    const auto unlucky = decide(before, attempt, happening, std::numeric_limits<std::uint32_t>::max());
    require(class_of(carried_out(before, unlucky), terms_.rules) == next,
            "chance spreads repeats in time, and does nothing else");
    require(happening.kind != Kind::elapsed || next != from, "nothing is waited for that has come already");
    return decided_[key] = number_of(next);
}

const CompiledLaw::Due& CompiledLaw::due(Number sale, std::size_t attempt) {
    auto& node = nodes_[sale];
    for (std::size_t i = node.due.size(); i < node.sale.attempts.size(); ++i)
        node.due.push_back(find_due(node.sale, i));
    return node.due.at(attempt);
}

CompiledLaw::Due CompiledLaw::find_due(const SaleClass& of, std::size_t attempt) const {
    Due due;
    for (const auto first : {CameFirst::pause, CameFirst::attention}) {
        const auto action = functions_.next_action(terms_.rules, example(of, first), attempt, now);
        const bool is_now = action.kind != Action::Kind::rest && action.at <= now;
        if (!is_now) continue;
        const auto step = action.kind == Action::Kind::exchange ? std::optional(action.step) : std::nullopt;
        if (step) check_exchange(of, of.attempts[attempt], *step);
        if (std::ranges::find(due, step) == due.end()) due.push_back(step);
    }
    return due;
}

void CompiledLaw::check_exchange(const SaleClass& sale, const AttemptClass& attempt, Step step) const {
    const bool requests = attempt.state == AttemptState::requesting;
    require(requests == (step == Step::solicitar), "4: an attempt is requested once");
    const bool settles = step == Step::confirmar || step == Step::cancelar;
    require(!settles || !is_by_callback(terms_.family), "an eSIM has neither confirm nor cancel");
    require(step != Step::cancelar || terms_.rules.cancellable(terms_.family), "a cancel has an address");
    require(step != Step::cancelar || attempt.has_cancel_time, "presumed abort: only a cancel that was decided leaves");
    if (step == Step::confirmar) {
        require(attempt.has_confirm_time, "presumed abort: only a confirm that was decided leaves");
        require(attempt.has_id_transacao, "a confirm has an idTransacao");
        require(sale.status != Status::CANCELADA && sale.status != Status::NEGADA,
                "2: no confirm leaves for a sale that is not sold");
    }
    const bool by_id = terms_.rules.asks_by_id_transacao;
    require(step != Step::consultar || (terms_.rules.can_ask && (!by_id || attempt.has_id_transacao)),
            "the provider is asked only where it can be asked");
}

const std::vector<CompiledLaw::Number>& CompiledLaw::later(Number sale) {
    auto& node = nodes_[sale];
    if (node.later) return *node.later;
    std::vector<Number> later;
    for (const auto& next : when_time_goes_on(node.sale))
        later.push_back(number_of(next));
    return *(nodes_[sale].later = std::move(later));
}

CompiledLaw::Number CompiledLaw::reread(Number sale) {
    if (const auto known = nodes_[sale].reread) return *known;
    const auto number = number_of(from_the_journal(nodes_[sale].sale));
    return *(nodes_[sale].reread = number);
}

CompiledLaw::Number CompiledLaw::restarted(Number sale, Restart how) {
    const auto place = static_cast<std::size_t>(how);
    if (const auto known = nodes_[sale].restarted.at(place)) return *known;
    const auto number = number_of(after_restart(nodes_[sale].sale, how));
    return *(nodes_[sale].restarted.at(place) = number);
}

}  // namespace gateway::law
