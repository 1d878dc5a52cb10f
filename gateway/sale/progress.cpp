#include "sale/progress.hpp"

#include "base/check.hpp"
#include "base/wall_time.hpp"
#include "sale/machine_decision.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

using State = AttemptState;

// Returns what the law does next, leaving out the moment at which a person is asked, which is told beside it. A wait
// until that moment would hide the exchange that comes after it.
Action next_of(const Rules& rules, const Sale& sale, std::size_t index, Instant now) {
    const auto next = next_action(rules, sale, index, now);
    if (next.kind != Action::Kind::wait) return next;
    Sale unasked = sale;
    unasked.attempts.at(index).attention_at = never;
    return next_action(rules, unasked, index, now);
}

// Makes the sentence about one attempt, and keeps what it is made of.
class Telling {
  public:
    Telling(const Rules& rules, const Sale& sale, std::size_t index, const AttemptFacts& facts, const Context& context)
        : rules_(rules), sale_(sale), attempt_(sale.attempts.at(index)), facts_(facts), context_(context) {
        told_.under_way = facts.under_way.has_value();
        told_.waits_for_journal = facts.waits_for_journal && !told_.under_way;
        if (told_.waits_for_journal) return;
        const auto next = next_of(rules, sale, index, context.now);
        if (told_.under_way)
            told_.step = facts.under_way;
        else if (next.kind == Action::Kind::exchange)
            told_.step = next.step;
        if (told_.step) told_.number = facts.tries + 1;
        if (!told_.under_way) told_.next_at = wall(std::max(next.at, context.now));
        const bool goods_are_missing = attempt_.state == State::collecting && !is_final(sale_.status);
        told_.attention_at = wall(goods_are_missing ? attempt_.deadline : attempt_.attention_at);
    }

    Progress tell() && {
        told_.text = with_person(sentence()) + ".";
        return std::move(told_);
    }

  private:
    // Returns nothing if the moment never comes.
    std::optional<WallTime> wall(Instant at) const {
        if (at == never) return std::nullopt;
        return context_.wall + std::chrono::duration_cast<Duration>(at - context_.now);
    }
    std::string time(const std::optional<WallTime>& at) const {
        constexpr std::size_t date_length = 10;
        if (!at) return "a time that is not known";
        const auto text = to_local_text(*at);
        const bool today = text.substr(0, date_length) == to_local_text(context_.wall).substr(0, date_length);
        return today ? text.substr(date_length + 1) : text;
    }

    bool cancellable() const { return rules_.cancellable(sale_.family); }
    std::string deadline() const { return time(wall(attempt_.deadline)); }

    // Returns "asks the provider to cancel idExterno 01M8…", or what is asked before that.
    std::string asks(std::string_view to, std::string_view id) const {
        if (told_.step == Step::consultar) return fmt::format("asks the provider how idExterno {} stands", id);
        return fmt::format("asks the provider to {} idExterno {}", to, id);
    }
    // Returns for example "try 4 at 17:05:08".
    std::string which_try() const {
        if (told_.under_way) return fmt::format("try {} is under way", told_.number);
        if (told_.next_at <= context_.wall) return fmt::format("try {} comes now", told_.number);
        return fmt::format("try {} at {}", told_.number, time(told_.next_at));
    }
    std::string with_person(std::string sentence) const {
        if (sale_.attention != Attention::none)
            return sentence + (facts_.marked_since ? "; a person was asked at " + time(facts_.marked_since)
                                                   : std::string("; a person has been asked"));
        if (!told_.attention_at) return sentence;
        // The law asks the provider first: see Decision::look_at_the_clock().
        if (*told_.attention_at <= context_.wall) return sentence + "; a person is asked if that brings nothing";
        return sentence + "; a person is asked at " + time(told_.attention_at);
    }

    std::string sentence() const {
        const auto id = attempt_.id_externo.text();
        if (told_.waits_for_journal)
            return fmt::format(
                "The last step of the sale is not recorded yet, because the journal cannot be written; until it can, "
                "the gateway asks the provider nothing more for idExterno {}",
                id);
        if (has_window() && !told_.step) return window_is_over(id);
        switch (attempt_.state) {
            case State::requesting:
                return told_.under_way
                           ? fmt::format("The gateway has asked the provider for idExterno {} and waits for its answer",
                                         id)
                           : fmt::format("The gateway asks the provider for idExterno {} at {}", id,
                                         time(told_.next_at));
            case State::held:
                return fmt::format(
                    "idExterno {} is authorised, and the terminal holds it until {}; if it has neither confirmed nor "
                    "cancelled by then, the gateway cancels",
                    id, deadline());
            case State::confirming:
                return fmt::format("The gateway {}: {}; if no answer has come by {}, it finds out what became of it",
                                   asks("confirm", id), which_try(), deadline());
            case State::collecting:
                if (is_final(sale_.status))
                    return fmt::format(
                        "idExterno {} is sold, and the provider's statement has it unconfirmed: the gateway confirms "
                        "it once more: {}",
                        id, which_try());
                return fmt::format("idExterno {} is sold, but its goods have not come: the gateway asks for them: {}",
                                   id, which_try());
            case State::disputing: return disputing(id);
            case State::retracting:
                return fmt::format("The gateway {}, so that it can try again while the terminal waits: {}",
                                   asks("cancel", id), which_try());
            case State::cancelling: return cancelling(id);
            case State::lingering:
                if (!cancellable()) return cancelling(id);
                return fmt::format(
                    "The provider has cancelled idExterno {}, or does not know it; because the request may still reach "
                    "it late, the gateway asks it to cancel once more: {}",
                    id, which_try());
            case State::awaiting: return awaiting(id);
            case State::sold:
            case State::cancelled:
            case State::refused:
            case State::unsent:
            case State::unauthorised:
            case State::throttled: return fmt::format("Nothing is left to do for idExterno {}", id);
        }
        CHECK(false);
    }

    bool has_window() const {
        return attempt_.state == State::confirming || attempt_.state == State::collecting ||
               attempt_.state == State::retracting;
    }

    // The window leaves no time for another exchange.
    std::string window_is_over(std::string_view id) const {
        if (attempt_.state == State::confirming)
            return fmt::format(
                "The gateway confirms idExterno {} no more, because no answer has come in the time for it; from {} on "
                "it finds out what became of it",
                id, deadline());
        if (attempt_.state == State::retracting)
            return fmt::format(
                "The provider has not cancelled idExterno {} in time for another try while the terminal waits; from {} "
                "on the sale is cancelled, and the gateway goes on to cancel idExterno {}",
                id, deadline(), id);
        if (is_final(sale_.status))
            return fmt::format(
                "idExterno {} is sold, and no answer has come in the time for the confirm that was sent once more; "
                "at {} the gateway leaves it at that",
                id, deadline());
        return fmt::format(
            "idExterno {} is sold, but its goods have not come in the time for them; the gateway asks for them no more",
            id);
    }

    std::string disputing(std::string_view id) const {
        const auto unknown = fmt::format("Whether the provider sold idExterno {} is not known", id);
        if (!is_asked_without_end(rules_, sale_.family, attempt_))
            return unknown + ", and there is no way to ask it: only a person can find out";
        if (told_.step == Step::consultar)
            return fmt::format("{}; the gateway asks it how that stands: {}", unknown, which_try());
        const bool confirms = told_.step == Step::confirmar;
        return fmt::format("{}; the gateway asks it to {}, because the answer says how it stands: {}", unknown,
                           confirms ? "confirm" : "cancel", which_try());
    }

    std::string awaiting(std::string_view id) const {
        auto waits = fmt::format("idExterno {} waits for the provider's callback since {}", id,
                                 time(facts_.since.value_or(attempt_.created_at)));
        if (told_.step != Step::consultar) return waits;
        return fmt::format("{}; where none comes, the gateway asks it how that stands: {}", waits, which_try());
    }

    std::string cancelling(std::string_view id) const {
        if (!cancellable() && told_.step == Step::consultar)
            return fmt::format(
                "The gateway has no way to cancel idExterno {} at the provider: only a person can; it asks how that "
                "stands: "
                "{}",
                id, which_try());
        if (!cancellable())
            return fmt::format("The gateway has no way to cancel idExterno {} at the provider: only a person can", id);
        if (facts_.under_way == Step::solicitar)
            return fmt::format(
                "idExterno {} is to be cancelled; the request for it is still under way, and the "
                "gateway asks the provider to cancel it once that has ended",
                id);
        return fmt::format("The gateway {}: {}", asks("cancel", id), which_try());
    }

    const Rules& rules_;
    const Sale& sale_;
    const Attempt& attempt_;
    const AttemptFacts& facts_;
    const Context& context_;
    Progress told_;
};

}  // namespace

Progress progress(const Rules& rules, const Sale& sale, std::size_t index, const AttemptFacts& facts,
                  const Context& context) {
    return Telling(rules, sale, index, facts, context).tell();
}

std::vector<std::size_t> open_attempts(const std::vector<Attempt>& attempts) {
    std::vector<std::size_t> open;
    for (auto index = attempts.size(); index-- > 0;)
        if (!is_settled(attempts[index].state)) open.push_back(index);
    return open;
}

}  // namespace gateway
