// Does what tests do with a journal of any kind: makes sales as a terminal begins them and changes as the law makes
// them, and has short ways to ask the journal.
#pragma once

#include "journal/chain.hpp"
#include "unit/support/new_sale.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gateway::test {

inline const Secret first_key(std::string(32, 'a'));
inline const Secret second_key(std::string(32, 'b'));

// Returns everything that a journal keeps of a value, for comparisons.
inline auto kept_of(const Sale& s) {
    auto attempts = s.attempts;
    for (auto& one : attempts)
        one.next_try = {};
    const auto kept = std::tie(s.id, s.terminal, s.key, s.digest, s.family, s.mode, s.estabelecimento, s.produto,
                               s.fornecedor, s.valor, s.segment, s.request, s.redemption, s.cashier, s.created_at,
                               s.status, s.settled, s.day, s.attention, s.reason, s.details, s.esim);
    return std::tuple_cat(kept, std::make_tuple(std::move(attempts)));
}
inline auto kept_of(const MarkedSale& s) {
    return std::tie(s.id, s.created_at, s.terminal, s.estabelecimento, s.family, s.produto, s.valor, s.status,
                    s.attention, s.id_externo, s.id_transacao);
}
inline auto kept_of(const DaySale& s) {
    return std::tie(s.id, s.terminal, s.cashier, s.estabelecimento, s.produto, s.family, s.valor, s.status, s.day,
                    s.late, s.id_externo, s.id_transacao, s.retried);
}
inline auto kept_of(const KeptStatement& s) {
    return std::tie(s.id, s.day, s.source, s.network, s.digest, s.reading, s.read_at, s.by, s.header_money, s.rows,
                    s.matched, s.others, s.findings, s.replaced, s.superseded);
}
inline auto kept_of(const Finding& f) {
    return std::tie(f.number, f.statement, f.day, f.kind, f.sale, f.id_externo, f.id_transacao, f.nsu,
                    f.estabelecimento, f.ours, f.theirs, f.line, f.detail, f.asks, f.pending, f.effect, f.opened_at,
                    f.note);
}

class JournalUser {
  protected:
    // Returns the value of an operation that is done.
    template <class T>
    T ask(Journal::Awaited<T> operation) {
        return clock.run(std::move(operation)).value();
    }
    template <class T>
    boost::system::error_code error_of(Journal::Awaited<T> operation) {
        return clock.run(std::move(operation)).error();
    }

    static Day day(std::string_view text) { return parse_day(text).value(); }
    Attempt attempt() { return {.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()}; }
    Sale sale(std::string key = "k1") {
        auto made = new_sale(clock, random, std::move(key));
        made.digest = "d";
        made.request = Secret(R"({"cpf":"123.456.789-09"})");
        return made;
    }
    static bool is_recorded(const KeyState& state) { return !state.sale && !state.cancelled && !state.duplicate_of; }
    Sale begun(Sale made) {
        EXPECT_TRUE(is_recorded(ask(journal->begin(made))));
        return made;
    }
    Sale begun(std::string key = "k1") { return begun(sale(std::move(key))); }

    // Makes a change that brings the latest attempt into this state, and gives the sale the status that it usually has
    // then.
    Change change_to(const Sale& made, AttemptState state) {
        Change change{.at = clock.wall(), .attempt = made.attempts.size() - 1, .next = made.current()};
        change.next.state = state;
        if (state == AttemptState::confirming) change.next.confirm_time = clock.wall();
        if (state == AttemptState::cancelling) change.next.cancel_time = clock.wall();
        change.status = status_of(state);
        change.settled = is_settled(state);
        change.attention = made.attention;
        change.reason = made.reason;
        return change;
    }
    void record(Sale& made, const Change& change, const HistoryEntry& entry = {.event = "test"},
                const Attempt* fresh = nullptr) {
        ask(journal->record(made, change, fresh, entry));
        made.status = change.status;
        made.settled = change.settled;
        made.attention = change.attention;
        made.reason = change.reason;
        if (change.day) made.day = change.day;
        if (change.details) made.details = merged(made.details, *change.details);
        if (change.esim) made.esim = merged(made.esim.value_or(EsimDetails{}), *change.esim);
        made.attempts.at(change.attempt) = change.next;
        if (fresh != nullptr) made.attempts.push_back(*fresh);
    }
    void become(Sale& made, AttemptState state) { record(made, change_to(made, state)); }
    Sale sold(std::string key = "k1") {
        auto made = begun(std::move(key));
        become(made, AttemptState::sold);
        return made;
    }
    // Makes a sale with something in every column: a first attempt that was not sent, and a decision by hand in its
    // history.
    Sale full(std::string key = "k1", Family family = Family::tv, bool settled = true) {
        auto made = sale(std::move(key));
        made.family = family;
        made.fornecedor = "F";
        made.segment = "s";
        made.redemption = "resgate-em";
        made.cashier = "Rita do caixa";
        made.duplicate_check = {
            .likeness = Secret("123.456.789-09"), .window = std::chrono::minutes(5), .wanted = true};
        made.callback_secret = Secret("secret of " + made.key);
        made = begun(std::move(made));
        auto unsent = change_to(made, AttemptState::unsent);
        unsent.status = Status::PENDENTE;
        unsent.settled = false;
        unsent.again = true;
        const auto fresh = attempt();
        record(made, unsent, {.event = "solicitar", .verdict = "unknown", .http_status = 502}, &fresh);
        const auto open_state = family == Family::esim ? AttemptState::awaiting : AttemptState::confirming;
        auto change = change_to(made, settled ? AttemptState::sold : open_state);
        change.next.id_transacao = "T1";
        change.next.confirm_time = clock.wall();
        change.next.cancel_time = clock.wall();
        change.next.deadline = clock.now() + std::chrono::minutes(2);
        change.next.attention_at = clock.now() + std::chrono::minutes(10);
        change.reason = Reason{.code = ReasonCode::by_operator, .detail = "Sr. Antonio", .provider_status = 422};
        change.reason->provider_body = Secret("o cliente Jose");
        change.reason->retry_after = std::chrono::seconds(17);
        change.details =
            TransactionDetails{.estabelecimento_nome = "Loja", .cnpj_cpf = "1", .fornecedor = "F", .data_hora = "D"};
        change.details->instrucao = Secret("PIN-998877");
        change.details->complemento = Secret("COMPLEMENTO-1");
        change.esim = EsimDetails{.uuid = "1", .promocao_ativada = "SIM", .situacao_recarga = "S", .nsu_recarga = "1"};
        change.esim->msisdn = Secret("55119998877");
        change.esim->url = Secret("https://ativa.x");
        record(made, change,
               {.event = "resolved", .http_status = 200, .duration = Duration(12), .detail = "Sr. Antonio"});
        ask(journal->keep_callback(made.id, "sale", true, Secret("callback-body")));
        return made;
    }

    Sale found(SaleId id) { return ask(journal->find(id)).value(); }
    std::vector<PastEvent> history(const Sale& of) { return ask(journal->history(of.id)).events; }
    std::vector<std::string> keys(const SaleFilter& filter) {
        std::vector<std::string> all;
        for (const auto& one : ask(journal->list(filter)).sales)
            all.push_back(one.key);
        return all;
    }
    std::vector<std::string> marked_ids() {
        std::vector<std::string> ids;
        for (const auto& one : ask(journal->marked()))
            ids.push_back(one.id);
        return ids;
    }
    // Returns how many steps it took to encrypt everything with the current key.
    int rotate() {
        for (int steps = 1;; ++steps)
            if (ask(journal->rotate_keys()) != KeyRotationState::in_progress) return steps;
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;

  private:
    static Status status_of(AttemptState state) {
        switch (state) {
            case AttemptState::held:
            case AttemptState::awaiting:
            case AttemptState::confirming: return Status::AUTORIZADA;
            case AttemptState::collecting:
            case AttemptState::sold: return Status::EFETIVADA;
            case AttemptState::retracting:
            case AttemptState::cancelling:
            case AttemptState::lingering:
            case AttemptState::cancelled: return Status::CANCELADA;
            case AttemptState::refused: return Status::NEGADA;
            case AttemptState::requesting:
            case AttemptState::disputing:
            case AttemptState::unsent:
            case AttemptState::unauthorised:
            case AttemptState::throttled: break;
        }
        return Status::PENDENTE;
    }
};

}  // namespace gateway::test
