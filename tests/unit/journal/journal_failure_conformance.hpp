// What every journal promises where its storage fails: a part of journal_conformance.hpp. What is not done is not
// there, now and after the journal was opened again.
#pragma once

#include "unit/journal/journal_conformance.hpp"

namespace gateway::test {

// An operation that fails at its first write, at its second one, and so on until nothing of it fails.
class FailingJournalConformance : public JournalConformance {
  protected:
    // What a reader of the journal can tell, whatever is there.
    std::string everything() {
        boost::json::array all;
        for (const auto& one : clock.run(journal->list({})).value().sales) {
            all.push_back({one.id.str(), one.key, to_string(one.status), to_string(one.current().state),
                           one.request.reveal(), one.attempts.size()});
            all.push_back(clock.run(journal->history(one.id)).value());
            all.push_back(clock.run(journal->callbacks(one.id)).value());
        }
        for (const std::string each : {"k1", "k2", "k3"}) {
            const auto state = clock.run(journal->find_key("caixa-01", each)).value();
            all.push_back({state.sale ? state.sale->str() : "", state.cancelled});
        }
        for (const auto& close : clock.run(journal->closes({})).value())
            all.push_back({close.number, close.open, close.digest.value_or("")});
        const auto kept_token = clock.run(journal->load_token()).value();
        all.push_back(kept_token ? boost::json::value(kept_token->access.reveal()) : boost::json::value(nullptr));
        return boost::json::serialize(all);
    }
    // `operation` is given a sale that is settled and one that is not.
    template <class Operation>
    void happens_as_a_whole_or_not_at_all(Operation operation) {
        constexpr int most_writes = 1000;
        for (int n = 1; n < most_writes; ++n) {
            SCOPED_TRACE(n);
            begin_anew();
            auto settled = begun("k1");
            become(settled, Status::EFETIVADA, true, AttemptState::sold);
            const auto open_one = begun("k2");
            clock.jump(1h);
            const auto before = everything();
            storage->fail_in(n);
            const bool done = clock.run(operation(settled, open_one)).has_value();
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

    // What an operation refers to until it is done.
    Sale kept = sale("k3");
    std::unique_ptr<Change> change;
    const HistoryEntry entry{.event = "test"};
    const std::string terminal = "caixa-01";
    const std::string key = "k3";
    const Secret body{"{}"};
    const CloseKey close_key{.estabelecimento = "12345678", .day = std::chrono::year(2026) / 11 / 20};
    const std::optional<KeptToken> token = KeptToken{.access = Secret("a"), .refresh = Secret("r")};
};

TEST_P(FailingJournalConformance, ABeginHappensAsAWholeOrNotAtAll) {
    happens_as_a_whole_or_not_at_all([&](const Sale&, const Sale&) { return journal->begin(kept); });
}

TEST_P(FailingJournalConformance, ARecordHappensAsAWholeOrNotAtAll) {
    happens_as_a_whole_or_not_at_all([&](const Sale&, const Sale& open_one) {
        change = std::make_unique<Change>(
            change_of(open_one, Status::CANCELADA, true, AttemptState::cancelled, clock.wall()));
        change->details = TransactionDetails{.cnpj_cpf = std::string(10'000, '1')};
        return journal->record(open_one, *change, nullptr, entry);
    });
}

TEST_P(FailingJournalConformance, ACancelOfAKeyHappensOrDoesNot) {
    happens_as_a_whole_or_not_at_all([&](const Sale&, const Sale&) { return journal->cancel_key(terminal, key); });
}

TEST_P(FailingJournalConformance, ACallbackIsKeptOrIsNot) {
    happens_as_a_whole_or_not_at_all(
        [&](const Sale& settled, const Sale&) { return journal->keep_callback(settled.id, "sale", true, body); });
}

TEST_P(FailingJournalConformance, ATokenIsSavedOrIsNot) {
    happens_as_a_whole_or_not_at_all([&](const Sale&, const Sale&) { return journal->save_token(token); });
}

TEST_P(FailingJournalConformance, ACloseIsBegunOrIsNotAndItsNumberIsGivenOnce) {
    happens_as_a_whole_or_not_at_all(
        [&](const Sale&, const Sale&) { return journal->begin_close(close_key, clock.wall(), terminal); });
    EXPECT_EQ(clock.run(journal->begin_close(close_key, clock.wall(), terminal)).value().number, 1);
}

TEST_P(FailingJournalConformance, AReceiptIsCountedOrIsNot) {
    happens_as_a_whole_or_not_at_all([&](const Sale& settled, const Sale&) { return journal->count_receipt(settled); });
    const std::string cashier = "Ana";  // lives until it is awaited
    happens_as_a_whole_or_not_at_all(
        [&](const Sale& settled, const Sale&) { return journal->note_receipt(settled, cashier); });
}

TEST_P(FailingJournalConformance, AnErasureHappensAsAWholeOrNotAtAll) {
    happens_as_a_whole_or_not_at_all(
        [&](const Sale&, const Sale&) { return journal->erase_personal(clock.wall() - 1min); });
}

}  // namespace gateway::test
