// The law of a sale: what follows from what happened. It is a pure function: it does no I/O and knows no clock, for
// time and the chance for jitter are handed in. flow/driver asks it, writes its answer down, and does what it says.
//
// A sale has one attempt, or several: each is one idExterno, and at most one exchange of each is under way. The driver
// asks two questions. decide(): something happened to an attempt; what does the sale become? next_action(): how does an
// attempt stand; what should be done next?
//
// The life of one attempt (eSIM on the right: no confirm, no cancel). `(+)` marks where another attempt may follow. The
// drawing shows the usual moves; is_legal_move() in machine.cpp has all, and sale.hpp says what each state means. Not
// drawn: requesting goes straight to cancelling where no further attempt may follow, on a cancel and on a restart;
// retracting may go to lingering; an EFETIVADA leads to sold (or collecting) from every state with an exchange.
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
// What the provider's statement of a day says of an attempt is heard, too. It decides `disputing` and `awaiting` as an
// answer would. An attempt that is over stays what it is, but where the statement has it AUTORIZADA the provider never
// heard the last word, which is said once more: sold ──► collecting ──► sold, and for all that are not sold ──►
// cancelling. Those moves never change a final status.
//
// Where several gateways share a journal, the request of an attempt may leave after another gateway has taken the sale
// over and cancelled it (SentLate). The wait for a late arrival begins anew then: lingering ──► lingering, and
// cancelled ──► lingering where no idTransacao was seen.
//
// Where the provider can be asked how an attempt stands (`consultar`), it is asked where its word is what is missing:
//   confirming, retracting, cancelling, lingering
//               before every repeat of the confirm or the cancel; where no cancel can be sent (health), again and
//               again, seldom
//   disputing   before every confirm and every cancel, but for the first cancel where the terminal asked for that;
//               where neither can be sent, again and again, seldom
//   awaiting    from the middle of the wait for the callback on, again and again, seldom
//   confirming, cancelling, disputing that are taken up again
//               before the first confirm or cancel; not lingering, whose last cancel is sent in any case
// While a window is open (confirming, retracting) it is asked only where the window has time for that exchange and the
// one that follows.
// EFETIVADA and CANCELADA mean what they mean as the answer to the confirm or the cancel that comes next, and of an
// eSIM what its callback would say, as NEGADA does. Everything else says nothing, and the confirm or the cancel follows
// at once as if nothing had been asked. No move is made that is not made without it.
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

// What tells the movement day of a sale: this machine's clock, or the time that the provider gave the request.
enum class DayClock { ours, request };

// The numbers of the law.
struct Rules {
    Duration confirm_window{120'000};   // how long a confirm is repeated
    Duration late_arrival{120'000};     // how late a request may still reach the provider
    Duration attention_after{600'000};  // how long an attempt may stay unsettled before a person is asked to look
    Duration hold{300'000};             // how long a terminal may hold an authorised sale
    int max_attempts = 2;
    Duration attempt_time{15'000};  // what must be left of a terminal's patience for another attempt
    // By family, in the order of the enumeration.
    std::array<bool, family_count> can_cancel = [] {
        std::array<bool, family_count> all{};
        std::ranges::transform(all_families, all.begin(), [](Family family) { return !is_by_callback(family); });
        return all;
    }();
    // Whether a 4xx without a status says, as the answer to a cancel, that the provider has no such sale. Where it
    // answers so to sales that it has, too, it says nothing: see Verdict::declined.
    bool trusts_cancel_4xx = true;
    // Whether the provider can be asked how an attempt stands, and whether by its idTransacao only.
    bool can_ask = false;
    bool asks_by_id_transacao = false;
    TimeZone zone{};  // that movement days are of
    DayClock day = DayClock::ours;

    bool cancellable(Family family) const { return can_cancel.at(index_of(family)); }
    bool askable(const Attempt& attempt) const {
        return can_ask && (!asks_by_id_transacao || !attempt.id_transacao.empty());
    }
};

// When something is decided, and with which luck: `chance` is uniform over its whole range and spreads repeats in time.
struct Context {
    Instant now;
    WallTime wall;
    std::uint32_t chance = 0;
};

struct Answered {
    Step step;
    Answer answer;
};
// Whatever was under way for the attempt, its answer will not come: the gateway was started again, a fault lost it, or
// the journal was in doubt of what followed from it.
struct Lost {};
struct Elapsed {};  // a time that next_action() named has come
struct ConfirmAsked {};
struct CancelAsked {};
struct CalledBack {
    Status status;  // situacaoTransacao
    EsimDetails details;
};
struct Resolved {
    std::optional<Status> status;  // EFETIVADA or CANCELADA decides the sale; nothing: clears the mark of a final one
    std::string note;
    std::string by;                   // who says so; empty: not told
    std::optional<EsimDetails> esim;  // of an eSIM that is EFETIVADA, or is so by this: what its receipt prints
};
// What the provider says of one attempt beside its exchanges, as in its statement of a day. That amount and
// establishment are the sale's, and that such a word may settle one, is for the caller to know. While an exchange of
// the attempt is under way it is not decided: the answer may make it untrue.
struct Stated {
    Status status;
    std::string source;  // what says so, for a person: "statement of 2026-11-20, line 12"; no customers' data
};
// The request of the attempt may have left only now: a gateway that stood still between its last look and the first
// byte sends it when another one, which took the sale over, has cancelled it. Decided like Stated.
struct SentLate {};
using Event = std::variant<Answered, Lost, Elapsed, ConfirmAsked, CancelAsked, CalledBack, Resolved, Stated, SentLate>;

// What became of a statement's word.
enum class StatedEffect {
    nothing,        // it agrees, or the attempt is none that a statement may move
    settled,        // it decided the attempt
    repeated,       // the status stays; the confirm or the cancel, which the provider never heard, is sent once more
    contradiction,  // it says another final status: ours stays, and a person is asked
};

// What becomes of a sale by an event: everything here is recorded in one transaction before anything is done.
struct Change {
    WallTime at{};        // when it was decided
    std::size_t attempt;  // which one of sale.attempts moves
    Attempt next;         // and to what
    Status status;
    bool settled;
    std::optional<Day> day{};  // the movement day, where the status becomes final by this
    Attention attention;
    std::optional<Reason> reason;
    std::optional<TransactionDetails> details;  // learned now
    std::optional<EsimDetails> esim;            // learned now
    bool again = false;  // one more attempt follows: the driver makes it, and it is recorded in the same transaction
    Duration pause{0};   // before that attempt's request
    StatedEffect stated = StatedEffect::nothing;  // of Stated
    bool changes_nothing = false;  // the sale stays as it is; an answer still gets its entry in the history
    friend bool operator==(const Change&, const Change&) = default;
};

// What should be done next for an attempt?
struct Action {
    enum class Kind {
        exchange,  // begin `step` with the provider, not before `at`
        wait,      // hand in Elapsed at `at`, unless something happens before
        rest,      // nothing, until something happens
    };
    Kind kind = Kind::rest;
    Step step = Step::solicitar;
    Instant at = never;
    friend bool operator==(const Action&, const Action&) = default;
};

// What follows from `event` for `sale.attempts[attempt]`. An event that is about the sale (ConfirmAsked, CancelAsked,
// CalledBack, Resolved) is decided for the latest attempt; what an operator found out of a final sale, for the first
// attempt that is open. Stated and SentLate are about the attempt that they name. Every state has an answer to every
// event.
Change decide(const Rules& rules, const Sale& sale, std::size_t attempt, const Event& event, const Context& context);
// What should be done next for `sale.attempts[index]`, which has no exchange under way.
Action next_action(const Rules& rules, const Sale& sale, std::size_t index, Instant now);

// Whether the law allows an attempt to move from one state to the other. decide() checks every move against it.
bool is_legal_move(AttemptState from, AttemptState to) noexcept;

// Whether the law can have made of the sale what it is: its status, its attempts and its family belong together, and it
// is settled only where they are. False of one that was altered outside this program: decide() must not see it.
bool is_possible(const Sale& sale) noexcept;
// The same of a sale of which only this is known: its status, which is final, the state of its latest attempt, and
// whether it has a reason.
bool is_possible_end(Status status, AttemptState latest, bool has_reason) noexcept;

}  // namespace gateway
