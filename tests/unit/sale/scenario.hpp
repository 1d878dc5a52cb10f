// Tells a sale step by step: what happens, how the sale stands then, and what is to be done next, in words. Every step
// is checked against the law.
#pragma once

#include "unit/sale/law.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace gateway::test {

using namespace std::chrono_literals;

class Scenario {
  public:
    explicit Scenario(Family family, ConfirmMode mode = ConfirmMode::automatic) : sale(new_sale(family, mode)) {
        wall = sale.created_at;
        rules.can_cancel = {true, true, true, false, false};
    }

    Rules rules;
    Sale sale;
    Instant now{1h};
    WallTime wall;
    std::uint32_t chance = 0;

    static constexpr std::size_t current = static_cast<std::size_t>(-1);

    Change happens(const Event& event, std::size_t attempt = current) {
        const auto index = attempt == current ? sale.attempts.size() - 1 : attempt;
        const auto before = sale;
        const auto change = decide(rules, sale, index, event, {.now = now, .wall = wall, .chance = chance});
        carry_out(sale, change, now);
        EXPECT_EQ(broken_law(rules, before, event, change, sale, now), "");
        return change;
    }
    Change answered(Step step, Answer answer, std::size_t attempt = current) {
        return happens(Answered{.step = step, .answer = std::move(answer)}, attempt);
    }
    // Makes the usual answer; AUTORIZADA names the transaction.
    Change answered(Step step, Verdict verdict, std::size_t attempt = current) {
        return answered(step, usual(step, verdict), attempt);
    }
    Change called_back(Status status, EsimDetails details = {}) {
        return happens(CalledBack{.status = status, .details = std::move(details)});
    }

    void pass(Duration time) {
        now += time;
        wall += time;
    }
    // Lets as much time pass as the law itself says, and tells the law.
    Change wait_it_out(std::size_t attempt = current) {
        const auto due = act(attempt);
        EXPECT_EQ(due.kind, Action::Kind::wait) << doing(attempt);
        if (due.at > now) pass(std::chrono::ceil<Duration>(due.at - now));
        return happens(Elapsed{}, attempt);
    }
    // Kills the gateway and starts it again after some time, on a machine that ran on or was started again, too.
    enum class Machine { ran_on, started_again };
    void restart(Duration after = 0ms, Machine machine = Machine::started_again) {
        pass(after);
        forget_what_is_not_durable(sale, now);
        for (auto& one : sale.attempts)
            if (machine == Machine::started_again) one.deadline_is_certain = false;
        for (std::size_t i = 0; i < sale.attempts.size(); ++i)
            happens(Lost{}, i);
    }
    void patient_for(Duration time) { sale.patience = now + time; }

    Action act(std::size_t attempt = current) const {
        return next_action(rules, sale, attempt == current ? sale.attempts.size() - 1 : attempt, now);
    }
    // Returns what is to be done: "solicitar", "cancelar in 500 ms", "wait 120000 ms", "wait" or "rest".
    std::string doing(std::size_t attempt = current) const {
        const auto next = act(attempt);
        if (next.kind == Action::Kind::rest) return "rest";
        std::string text(next.kind == Action::Kind::wait ? std::string_view("wait") : to_string(next.step));
        if (next.at == never || next.at <= now) return text;
        const auto left = std::chrono::duration_cast<Duration>(next.at - now).count();
        return text + (next.kind == Action::Kind::wait ? " " : " in ") + std::to_string(left) + " ms";
    }
    // Returns how the sale stands: "confirming AUTORIZADA", "sold EFETIVADA settled" or "lingering CANCELADA
    // unsettled!".
    std::string stands(std::size_t attempt = current) const {
        const auto index = attempt == current ? sale.attempts.size() - 1 : attempt;
        std::string text(to_string(sale.attempts.at(index).state));
        text.append(" ").append(to_string(sale.status));
        if (sale.settled) text += " settled";
        if (sale.attention != Attention::none) text.append(" ").append(to_string(sale.attention)).append("!");
        return text;
    }
    std::string why() const { return sale.reason ? std::string(to_string(sale.reason->code)) : "no reason"; }
    Attempt& attempt(std::size_t index) { return sale.attempts.at(index); }

    Answer usual(Step step, Verdict verdict) const {
        const bool goods_come_later = sale.family == Family::egift || sale.family == Family::esim;
        Answer answer{.verdict = verdict};
        if (verdict == Verdict::authorised) answer.id_transacao = "T1";
        if (verdict == Verdict::authorised && !goods_come_later) answer.details.instrucao = Secret("{}");
        if (step == Step::solicitar && verdict == Verdict::unknown) answer.reason.code = ReasonCode::response_lost;
        if (verdict == Verdict::unsent) answer.reason.code = ReasonCode::never_sent;
        if (verdict == Verdict::refused) answer.reason.code = ReasonCode::refused;
        return answer;
    }
};

// Makes a sale that the provider has authorised: it is held, or being confirmed.
inline Scenario authorised(Family family = Family::tv, ConfirmMode mode = ConfirmMode::automatic) {
    Scenario scenario(family, mode);
    scenario.answered(Step::solicitar, Verdict::authorised);
    return scenario;
}

inline Answer with_goods(Verdict verdict) {
    Answer answer{.verdict = verdict};
    answer.details.instrucao = Secret(R"({"urlAtivacao":"https://gift.example/1"})");
    return answer;
}

inline Answer asking_for_patience(Verdict verdict, std::chrono::seconds retry_after) {
    Answer answer{.verdict = verdict};
    answer.reason.retry_after = retry_after;
    return answer;
}

}  // namespace gateway::test
