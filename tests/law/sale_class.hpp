// A sale as the law sees it. The law compares moments with each other and never measures them, and of most texts it
// asks only whether they are there. All sales between which it cannot tell are one class, and the classes are few.
#pragma once

#include "sale/machine.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace gateway::law {

// Says where a moment lies. The law asks two things of a deadline that has not come: whether the terminal's last
// question still fits before it (confirming, retracting), and, of the moment when a person is asked about an eSIM,
// whether the second half of that wait has begun. `near` says that the answer is no, and yes, respectively. For every
// other moment that is ahead, `near` stands for both.
enum class Moment : std::uint8_t { come, near, far, never };

// Says how the terminal's patience stands to the time that one more attempt needs. At the boundary (`just`) there is
// still enough, and what waits for the end of the patience is over.
enum class Patience : std::uint8_t { over, just, near, far };

// Says what a callback, or a person, has told about an eSIM.
enum class Facts : std::uint8_t { none, url, url_and_failed_recharge };

enum class Why : std::uint8_t { none, by_operator, other };

struct AttemptClass {
    AttemptState state = AttemptState::requesting;
    bool has_id_transacao = false;
    bool has_confirm_time = false;
    bool has_cancel_time = false;
    Moment deadline = Moment::never;
    Moment attention_at = Moment::never;
    bool waits = false;  // next_try has not come
    bool tried = false;  // the law distinguishes no tries from some; their number only makes a pause longer
    bool renewed = false;
    bool confirms_next = false;  // Attempt::turn, which only disputing reads, and which is set on the way there
    bool ask = false;
    bool deadline_is_certain = false;
    friend auto operator<=>(const AttemptClass&, const AttemptClass&) = default;
};

struct SaleClass {
    Status status = Status::PENDENTE;
    bool settled = false;
    Attention attention = Attention::none;
    Why reason = Why::none;
    bool has_goods = false;
    Facts facts = Facts::none;
    Patience patience = Patience::far;
    std::vector<AttemptClass> attempts{AttemptClass{}};
    friend auto operator<=>(const SaleClass&, const SaleClass&) = default;
};

// This is when every sale of a class is looked at, and what the wall clock says then.
inline constexpr Instant now{std::chrono::hours(1000)};
inline constexpr WallTime wall{std::chrono::sys_days(std::chrono::year(2024) / 5 / 2)};

// If a pause and the moment when a person is asked have both come, the law asks which of them came first.
enum class CameFirst { pause, attention };

// Returns one sale of the class. Nothing that the law decides differs between two of them: every moment that is ahead
// can come before every other, because the world below lets them come in any order.
Sale example_of(const SaleClass& of, const Rules& rules, Family family, ConfirmMode mode,
                CameFirst first = CameFirst::pause);
SaleClass class_of(const Sale& sale, const Rules& rules);

EsimDetails details_of(Facts facts);

// Returns what the class becomes when one moment comes, or comes nearer: each as one element.
std::vector<SaleClass> when_time_goes_on(const SaleClass& from);

// Returns what is left of the attempts if they are read from the journal, which does not have everything.
SaleClass from_the_journal(SaleClass sale);
// Says what was started again: the program only; or the machine, whose clock may have been set, so that a wait may be
// over too early; or the machine, whose clock was set so far ahead that every deadline has come.
enum class Restart : std::uint8_t { program, machine, machine_ahead };
inline constexpr std::array restarts{Restart::program, Restart::machine, Restart::machine_ahead};
// Returns what is left of the sale after a restart.
SaleClass after_restart(const SaleClass& sale, Restart how);

std::string in_words(const SaleClass& sale);

}  // namespace gateway::law
