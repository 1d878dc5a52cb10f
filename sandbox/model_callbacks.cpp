// This is the half of the model in which the provider is the caller: eSIM sales move when their callbacks fall due,
// whether or not anybody is told.
#include "sandbox/model.hpp"

#include <algorithm>

namespace gateway::sandbox {
namespace {

constexpr std::string_view rubbish = "<!doctype html><html><body>nao e JSON</body></html>";

std::optional<WallTime> earlier(std::optional<WallTime> a, std::optional<WallTime> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

}  // namespace

std::optional<WallTime> Model::next_due() const {
    const auto late = held_.empty() ? std::nullopt : std::optional(held_.begin()->first);
    return earlier(earlier(late, sales_.next_open_end()), sales_.callbacks().next_due());
}

std::vector<Delivery> Model::advance(WallTime now, std::size_t most) {
    process_due(now);
    std::vector<Delivery> deliveries;
    while (deliveries.size() < most) {
        auto* callback = sales_.callbacks().next(now);
        if (callback == nullptr) break;
        move(*callback, now);
        if (auto delivery = send(*callback, now)) deliveries.push_back(std::move(*delivery));
    }
    return deliveries;
}

void Model::move(Callback& callback, WallTime now) {
    if (std::exchange(callback.moved, true)) return;
    auto* sale = sales_.books().find_by_id(callback.idTransacao);
    // A final status stays, even when a contradicting callback is about to be sent.
    if (sale != nullptr) sale->move_to(callback.status, now);
}

std::optional<Delivery> Model::send(Callback& callback, WallTime now) {
    auto& callbacks = sales_.callbacks();
    if (!callback.sent) {
        note_callback(callback, {.at = now, .behaviour = "never"});
        callbacks.done(callback.id);
        return std::nullopt;
    }
    Treatment treatment;
    if (!std::exchange(callback.shielded, false))
        treatment = faults_.match(Step::callback, Family::esim, callback.idExterno).value_or(Treatment{});
    const auto& what = facts(treatment.behaviour);
    if (treatment.behaviour == Behaviour::slow) {
        callback.shielded = true;
        callbacks.postpone(callback.id, now + treatment.delay.value_or(options_.slow));
        return std::nullopt;
    }
    ++metrics_.count(Step::callback, Family::esim).seen;
    if (what.effect == Effect::unseen) {
        ++metrics_.count(Step::callback, Family::esim).lost;
        note_callback(callback, {.at = now, .behaviour = what.word});
        send_again(callback.id, now);
        return std::nullopt;
    }
    if (what.effect == Effect::twice) {
        auto copy = callback;
        copy.shielded = true;
        copy.tries = 0;
        callbacks.add(std::move(copy), now + treatment.delay.value_or(options_.callback_delay));
    }
    callback.unheard = what.reply == ReplyKind::lost;
    const bool is_rubbish = what.reply == ReplyKind::rubbish;
    return Delivery{callback.id, callback.idExterno, callback.url, is_rubbish ? std::string(rubbish) : callback.body};
}

void Model::callback_answered(std::uint64_t id, std::optional<int> status, WallTime now) {
    auto* callback = sales_.callbacks().find(id);
    if (callback == nullptr) return;  // the books were cleared in the meantime
    const bool unheard = std::exchange(callback->unheard, false);
    const bool any_2xx = options_.callback_until == CallbackUntil::any_2xx;
    const bool ends = status == 200 || (any_2xx && status >= 200 && status <= 299);
    const bool heard = ends && !unheard;
    auto& count = metrics_.count(Step::callback, Family::esim);
    ++(heard ? count.processed : status && !unheard ? count.refused : count.lost);
    note_callback(*callback, {.at = now,
                              .behaviour = unheard ? "lose_answer" : "normal",
                              .processed = heard,
                              .answered = status.value_or(0)});
    if (heard) {
        sales_.callbacks().done(id);
    } else {
        send_again(id, now);
    }
}

void Model::send_again(std::uint64_t id, WallTime now) {
    const auto idExterno = sales_.callbacks().find(id)->idExterno;
    if (!sales_.callbacks().again(id, now))
        log_.warn("sandbox.callback_given_up", "a callback was not taken, and is not sent again",
                  {{"idExterno", idExterno}});
}

void Model::note_callback(const Callback& callback, Seen seen) {
    auto* sale = sales_.books().find_by_id(callback.idTransacao);
    if (sale == nullptr) return;
    ++sale->calls_of(Step::callback);
    seen.step = Step::callback;
    seen.status = sale->status;
    log_.info("sandbox.callback", "called back with {status}: {behaviour}[, answered {httpStatus}]",
              {{"idExterno", callback.idExterno},
               {"status", to_string(callback.status)},
               {"behaviour", seen.behaviour},
               {"httpStatus", seen.answered == 0 ? std::nullopt : std::optional(seen.answered)}});
    sale->note(std::move(seen));
}

}  // namespace gateway::sandbox
