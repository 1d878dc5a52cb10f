#include "simulation/faults.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway::simulation {
namespace {

constexpr unsigned at(std::initializer_list<Talk> talks) {
    unsigned mask = 0;
    for (const auto talk : talks)
        mask |= 1U << static_cast<unsigned>(talk);
    return mask;
}
constexpr unsigned anywhere =
    at({Talk::token, Talk::query, Talk::solicitar, Talk::confirmar, Talk::cancelar, Talk::consultar});
constexpr unsigned sales = at({Talk::query, Talk::solicitar, Talk::confirmar, Talk::cancelar, Talk::consultar});
constexpr unsigned posts = at({Talk::solicitar, Talk::confirmar, Talk::cancelar});
constexpr unsigned status = at({Talk::consultar});
constexpr unsigned settling = at({Talk::confirmar, Talk::cancelar});

struct Row {
    Fault fault;
    std::string_view word;
    unsigned where;
    bool processed;
};
constexpr std::array table{
    Row{Fault::none, "none", anywhere, true},
    Row{Fault::oddly_written, "oddly_written", sales, true},
    Row{Fault::slow, "slow", anywhere, true},
    Row{Fault::unreachable, "unreachable", anywhere, false},
    Row{Fault::request_lost, "request_lost", anywhere, false},
    Row{Fault::answer_lost, "answer_lost", anywhere, true},
    Row{Fault::late, "late", posts | status, true},
    Row{Fault::late_silent, "late_silent", posts | status, true},
    Row{Fault::doubled, "doubled", posts, true},
    Row{Fault::rejected, "rejected", anywhere, false},
    Row{Fault::revoked, "revoked", sales, true},
    Row{Fault::throttled, "throttled", anywhere, false},
    Row{Fault::not_now, "not_now", sales, false},
    Row{Fault::not_now_after, "not_now_after", posts, true},
    Row{Fault::forbidden, "forbidden", anywhere, false},
    Row{Fault::refused, "refused", at({Talk::token, Talk::query, Talk::solicitar, Talk::confirmar, Talk::consultar}),
        false},
    Row{Fault::refused_after, "refused_after", at({Talk::confirmar}), true},
    Row{Fault::error, "error", anywhere, false},
    Row{Fault::error_after, "error_after", anywhere, true},
    Row{Fault::redirected, "redirected", anywhere, false},
    Row{Fault::redirected_after, "redirected_after", posts, true},
    Row{Fault::html, "html", anywhere, false},
    Row{Fault::html_after, "html_after", posts, true},
    Row{Fault::cut_short, "cut_short", anywhere, true},
    Row{Fault::empty, "empty", anywhere, true},
    Row{Fault::field_missing, "field_missing", posts | status, true},
    Row{Fault::goods_missing, "goods_missing", at({Talk::solicitar, Talk::confirmar, Talk::consultar}), true},
    Row{Fault::other_id, "other_id", posts | status, true},
    Row{Fault::other_amount, "other_amount", posts | status, true},
    Row{Fault::other_status, "other_status", posts | status, true},
};
static_assert(table.size() == fault_count);
static_assert((settling & posts) == settling);

const Row& row(Fault fault) {
    const auto& found = table.at(static_cast<std::size_t>(fault));
    CHECK(found.fault == fault);
    return found;
}

}  // namespace

std::string_view to_string(Talk talk) noexcept {
    constexpr std::array<std::string_view, talk_count> words{"token",     "query",    "solicitar",
                                                             "confirmar", "cancelar", "consultar"};
    return words.at(static_cast<std::size_t>(talk));
}

std::string_view to_string(Fault fault) noexcept {
    return row(fault).word;
}

bool makes_sense(Fault fault, Talk talk) noexcept {
    return (row(fault).where & (1U << static_cast<unsigned>(talk))) != 0;
}

bool is_processed(Fault fault) noexcept {
    return row(fault).processed;
}

Fate RandomDealer::deal(Talk talk) {
    Fate fate;
    fate.there = Duration(chance_.between(0, mix_.latency_most.count()));
    fate.back = Duration(chance_.between(0, mix_.latency_most.count()));
    fate.late = Duration(chance_.between(0, mix_.late_most.count()));
    fate.roll = chance_.below(1U << 20);
    if (mix_.kinds.empty() || !chance_.permille(mix_.permille)) return fate;
    const auto fault = chance_.pick(mix_.kinds);
    if (makes_sense(fault, talk)) fate.fault = fault;
    return fate;
}

Fate PlannedDealer::deal(Talk talk) {
    Fate fate;
    if (asking_does_not_count_ && talk == Talk::consultar) return fate;
    const auto number = exchanges_++;
    if (settles_in_silence_ && (talk == Talk::confirmar || talk == Talk::cancelar)) fate.fault = Fault::answer_lost;
    for (const auto& planned : planned_) {
        if (planned.at != number) continue;
        ++met_;
        fate.roll = planned.roll;
        fate.late = Duration(planned.roll % 2 == 0 ? 20'000 : 90'000);
        if (makes_sense(planned.fault, talk)) fate.fault = planned.fault;
    }
    return fate;
}

}  // namespace gateway::simulation
