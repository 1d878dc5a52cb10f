// Tests what every journal promises where its storage fails: a part of journal_conformance.hpp. What is not done is not
// there, neither now nor after the journal was opened again.
#pragma once

#include "base/wall_time.hpp"
#include "unit/journal/journal_conformance.hpp"

#include <functional>

namespace gateway::test {

// Lets an operation fail at its first write, then at its second one, and so on until nothing of it fails.
class FailingJournalConformance : public JournalConformance {
  protected:
    // Returns everything that a reader can find out about the journal.
    std::string everything() {
        boost::json::array all;
        for (const auto& one : ask(journal->list({})).sales) {
            all.push_back({one.id.str(), one.key, to_string(one.status), to_string(one.current().state),
                           one.request.reveal(), one.attempts.size()});
            for (const auto& event : history(one))
                all.push_back({to_rfc3339(event.at), event.id_externo, event.event, event.state, event.detail});
            for (const auto& callback : ask(journal->callbacks(one.id)))
                all.push_back({callback.kind, callback.valid, callback.body.value_or(Secret()).reveal()});
        }
        for (const std::string each : {"k1", "k2", "k3"}) {
            const auto state = ask(journal->find_key("caixa-01", each));
            all.push_back({state.sale ? state.sale->str() : "", state.cancelled});
        }
        for (const auto& close : ask(journal->closes({})))
            all.push_back({close.number, close.open, close.digest.value_or("")});
        const auto token = ask(journal->load_token());
        all.push_back(token ? boost::json::value(token->access.reveal()) : boost::json::value(nullptr));
        return boost::json::serialize(all);
    }
    template <class Operation>
    void happens_as_a_whole_or_not_at_all(Operation operation) {
        constexpr int most_writes = 1000;
        for (int n = 1; n < most_writes; ++n) {
            SCOPED_TRACE(n);
            begin_anew();
            const auto settled = sold("k1");
            const auto open_one = begun("k2");
            clock.jump(1h);
            const auto before = everything();
            storage->fail_in(n);
            const bool done = operation(settled, open_one);
            const bool failed = storage->until_failure() == 0;
            storage->fail_in(0);
            const auto after = everything();
            EXPECT_EQ(done, after != before);
            EXPECT_EQ(journal->healthy(), done);
            ASSERT_TRUE(clock.run(journal->probe())) << "it heals";
            EXPECT_TRUE(journal->healthy());
            open();
            EXPECT_EQ(everything(), after);
            if (!failed) return;
        }
        FAIL() << "there is no end";
    }
};

TEST_P(FailingJournalConformance, EveryOperationHappensAsAWholeOrNotAtAll) {
    const CloseKey close{.estabelecimento = "12345678", .day = day("2026-11-20")};
    using Operation = std::function<bool(const Sale& settled, const Sale& open_one)>;
    const auto is_done = [&](auto operation) { return clock.run(std::move(operation)).has_value(); };
    const std::vector<std::pair<const char*, Operation>> operations{
        {"begin", [&](const auto&, const auto&) { return is_done(journal->begin(sale("k3"))); }},
        {"record",
         [&](const auto&, const auto& open_one) {
             auto change = change_to(open_one, AttemptState::cancelled);
             change.details = TransactionDetails{.cnpj_cpf = std::string(10'000, '1')};
             return is_done(journal->record(open_one, change, nullptr, {.event = "test"}));
         }},
        {"cancel of a key", [&](const auto&, const auto&) { return is_done(journal->cancel_key("caixa-01", "k3")); }},
        {"callback",
         [&](const auto& settled, const auto&) {
             return is_done(journal->keep_callback(settled.id, "sale", true, Secret("{}")));
         }},
        {"token",
         [&](const auto&, const auto&) {
             return is_done(journal->save_token(KeptToken{.access = Secret("a"), .refresh = Secret("r")}));
         }},
        {"close", [&](const auto&, const auto&) { return is_done(journal->begin_close(close, clock.wall(), "zé")); }},
        {"receipt", [&](const auto& settled, const auto&) { return is_done(journal->count_receipt(settled)); }},
        {"receipt that was shown",
         [&](const auto& settled, const auto&) { return is_done(journal->note_receipt(settled, "Ana")); }},
        {"erasure", [&](const auto&, const auto&) { return is_done(journal->erase_personal(clock.wall() - 1min)); }}};
    for (const auto& [name, operation] : operations) {
        SCOPED_TRACE(name);
        happens_as_a_whole_or_not_at_all(operation);
        EXPECT_EQ(ask(journal->begin_close(close, clock.wall(), "zé")).number, 1) << "a number is given once";
    }
}

}  // namespace gateway::test
