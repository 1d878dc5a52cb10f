// The law of a sale: what follows from what happened. It is a pure function: it does no I/O and knows no clock, for
// time and the chance for jitter are handed in. flow/driver asks it, writes its answer down, and does what it says.
//
// A sale has one attempt, or several: each is one idExterno, and at most one exchange of each is under way. The driver
// asks two questions. decide(): something happened to an attempt; what does the sale become? next_action(): how does an
// attempt stand; what should be done next?
//
// The drawing shows the life of one attempt (eSIM, which has no confirm and no cancel, is on the right). `(+)` marks
// where another attempt may follow. Only the usual moves are drawn; is_legal_move() in machine.cpp has all of them, and
// sale.hpp says what each state means. These moves are not drawn: requesting goes straight to cancelling where no
// further attempt may follow, on a cancel and on a restart; retracting may go to lingering; EFETIVADA leads to sold (or
// to collecting) from every state that has an exchange.
//
//                  ┌──────────── requesting ───────────────┬──────────────────┐
//        authorised│      unknown│        │a no            │nothing there     │eSIM: authorised, unknown
//        ┌─────────┴───┐         │     refused     unsent (+)                  ▼
//        ▼ manual      ▼ auto    │                 first 401 (+), throttled awaiting ──callback──► sold
//      held ──yes──► confirming  │                                                              cancelled
//        │no,          │   │     │                                                              refused
//        │expired      │   │window closed, or a cancel asked for
//        │             │   └──► disputing ──► sold | cancelled     only the provider's word counts
//        │             ▼         │
//        │           sold ◄── collecting (goods missing: asked for once more)
//        ▼                       ▼
//      cancelling ◄─time up── retracting (+)
//        │ answered
//        ▼
//      lingering ──one more cancel──► cancelled      (straight to cancelled where the provider said
//                                                     CANCELADA and idTransacao was seen)
//
// A restore puts every attempt that may have gone on since the backup into `disputing` (not an eSIM's: its callback
// decides) and removes its confirm_time. Nobody knows what the terminal was told since, and without a confirm_time the
// gateway never sends a confirm. If the attempt has no idTransacao, later attempts may be missing from the backup; a
// CANCELADA for this one does not settle the sale then, and an operator decides.
//
// The provider's statement of a day is an event, too. It decides `disputing` and `awaiting` as an answer would. An
// attempt that is over stays as it is, with one exception: if the statement says AUTORIZADA, the provider never
// received the last step, which is sent once more. A sold attempt goes sold ──► collecting ──► sold, and every other
// goes to cancelling. Those moves never change a final status.
//
// Where several gateways share a journal, the request of an attempt may leave after another gateway has taken the sale
// over and cancelled it (SentLate). The wait for a late arrival begins anew then: lingering ──► lingering, and
// cancelled ──► lingering where no idTransacao was seen.
//
// Where the provider can be asked how an attempt stands (`consultar`), it is asked whenever its word is missing:
//   confirming, retracting, cancelling, lingering
//               before every repeat of the confirm or the cancel; where no cancel can be sent (health), again and
//               again, seldom
//   disputing   before every confirm and every cancel, but for the first cancel where the terminal asked for that;
//               where neither can be sent, again and again, seldom
//   awaiting    from the middle of the wait for the callback on, again and again, seldom
//   confirming, cancelling, disputing that are taken up again
//               before the first confirm or cancel; not lingering, whose last cancel is sent in any case
// While a window is open (confirming, retracting), the provider is asked only if the window leaves time for that
// exchange and for the one that follows.
// EFETIVADA and CANCELADA mean the same as in an answer to the confirm or the cancel that comes next. For an eSIM they
// mean the same as in its callback, and so does NEGADA. Every other answer says nothing, and the confirm or the cancel
// follows at once, as if nothing had been asked. Asking adds no move to the law.
//
// `retracting` sends the same cancel as `cancelling`, but the terminal still waits and may get another attempt. The
// sale is therefore still PENDENTE in `retracting`, and CANCELADA in `cancelling`.
#pragma once

#include "sale/answer.hpp"
#include "sale/sale.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <variant>

namespace gateway {

// Says which clock tells the movement day of a sale: this machine's, or the time that the provider gave to the request.
enum class DayClock { ours, request };

// These numbers are the parameters of the law.
struct Rules {
    Duration confirm_window{120'000};   // a confirm is repeated for so long
    Duration late_arrival{120'000};     // a request may still reach the provider after so long
    Duration attention_after{600'000};  // an attempt may stay unsettled for so long before a person is asked to look
    Duration hold{300'000};             // a terminal may hold an authorised sale for so long
    int max_attempts = 2;
    Duration attempt_time{15'000};  // so much of a terminal's patience must be left for another attempt
    // The families stand in the order of the enumeration.
    std::array<bool, family_count> can_cancel = [] {
        std::array<bool, family_count> all{};
        std::ranges::transform(all_families, all.begin(), [](Family family) { return !is_by_callback(family); });
        return all;
    }();
    // True if a 4xx without a status, as the answer to a cancel, says that the provider has no such sale. A provider
    // that gives this answer for sales that it does have says nothing by it: see Verdict::declined.
    bool trusts_cancel_4xx = true;
    // The first says whether the provider can be asked how an attempt stands, the second whether only by its
    // idTransacao.
    bool can_ask = false;
    bool asks_by_id_transacao = false;
    TimeZone zone{};  // movement days are dates in it
    DayClock day = DayClock::ours;

    bool cancellable(Family family) const { return can_cancel.at(index_of(family)); }
    bool askable(const Attempt& attempt) const {
        return can_ask && (!asks_by_id_transacao || !attempt.id_transacao.empty());
    }
};

// Says when something is decided, and with which luck: `chance` is uniform over its whole range and spreads repeats in
// time.
struct Context {
    Instant now;
    WallTime wall;
    std::uint32_t chance = 0;
};

struct Answered {
    Step step;
    Answer answer;
};
// The answer to whatever was under way for the attempt will not come: the gateway was started again, a fault lost the
// answer, or the journal could not say whether it has recorded what followed from it.
struct Lost {};
struct Elapsed {};  // a time that next_action() named has come
struct ConfirmAsked {};
struct CancelAsked {};
struct CalledBack {
    Status status;  // situacaoTransacao
    EsimDetails details;
};
struct Resolved {
    std::optional<Status> status;  // EFETIVADA or CANCELADA decides the sale; nothing clears the mark of a final sale
    std::string note;
    std::string by;                   // the person who says so; empty where that was not told
    std::optional<EsimDetails> esim;  // what the receipt prints, of an eSIM that is EFETIVADA or becomes so by this
};
// The provider says how one attempt stands outside of its exchanges, for example in its statement of a day. The caller
// has checked that amount and establishment are the sale's, and that such a source may settle a sale. The event is not
// decided while an exchange of the attempt is under way, because the answer may make it untrue.
struct Stated {
    Status status;
    std::string source;  // names the source for a person: "statement of 2026-11-20, line 12"; has no customers' data
};
// The request of the attempt may have left only now. A gateway that stood still between its last look and the first
// byte may send the request after another gateway has taken the sale over and cancelled it. Like Stated, it is not
// decided while an exchange of the attempt is under way.
struct SentLate {};
using Event = std::variant<Answered, Lost, Elapsed, ConfirmAsked, CancelAsked, CalledBack, Resolved, Stated, SentLate>;

// Says what became of a statement's word.
enum class StatedEffect {
    nothing,        // it agrees, or a statement may not move the attempt
    settled,        // it decided the attempt
    repeated,       // the status stays; the confirm or the cancel, which the provider never received, is sent once more
    contradiction,  // it says another final status: ours stays, and a person is asked
};

// Holds what becomes of a sale by an event. All of it is recorded in one transaction before anything is done.
struct Change {
    WallTime at{};        // the moment of the decision
    std::size_t attempt;  // the index in sale.attempts of the one that moves
    Attempt next;         // the attempt as it stands after the move
    Status status;
    bool settled;
    std::optional<Day> day{};  // the movement day, if the status becomes final by this
    Attention attention;
    std::optional<Reason> reason;
    std::optional<TransactionDetails> details;  // there if something was learned
    std::optional<EsimDetails> esim;            // there if something was learned
    bool again = false;  // one more attempt follows: the driver makes it, and it is recorded in the same transaction
    Duration pause{0};   // the time before that attempt's request
    StatedEffect stated = StatedEffect::nothing;  // only Stated sets it
    bool changes_nothing = false;  // the sale stays as it is; an answer still gets its entry in the history
    friend bool operator==(const Change&, const Change&) = default;
};

// Says what should be done next for an attempt.
struct Action {
    enum class Kind {
        exchange,  // begin `step` with the provider, not before `at`
        wait,      // hand in Elapsed at `at`, unless something happens before
        rest,      // do nothing until something happens
    };
    Kind kind = Kind::rest;
    Step step = Step::solicitar;
    Instant at = never;
    friend bool operator==(const Action&, const Action&) = default;
};

// Says what follows from `event` for `sale.attempts[attempt]`. ConfirmAsked, CancelAsked, CalledBack and Resolved are
// about the sale, and are decided for its latest attempt; only what an operator found out about a final sale is decided
// for the first attempt that is open. Stated and SentLate are about the attempt that they name. Every state has an
// answer to every event.
Change decide(const Rules& rules, const Sale& sale, std::size_t attempt, const Event& event, const Context& context);
// Says what should be done next for `sale.attempts[index]`, which has no exchange under way.
Action next_action(const Rules& rules, const Sale& sale, std::size_t index, Instant now);

// Tells whether the law allows an attempt to move from one state to the other. decide() checks every move against it.
bool is_legal_move(AttemptState from, AttemptState to) noexcept;

// Tells whether the law can have led to this sale: its status, its attempts and its family fit together, and it is
// settled only where they are. A sale that was altered outside of this program may not be possible, and decide() must
// not get it.
bool is_possible(const Sale& sale) noexcept;
// Tells the same where only this is known of a sale: its status, which is final, the state of its latest attempt, and
// whether it has a reason.
bool is_possible_end(Status status, AttemptState latest, bool has_reason) noexcept;

}  // namespace gateway
