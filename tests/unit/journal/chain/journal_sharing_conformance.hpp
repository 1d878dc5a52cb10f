// Tests what every journal promises that several gateways share, in the sale's terms: who owns a sale, and that nobody
// else records what becomes of it. One that has a storage of its own describes it as a SharedJournalStorage. One file
// of a program includes this header.
#pragma once

#include "journal/chain/chain_journal.hpp"
#include "journal/chain/lease.hpp"
#include "unit/support/new_sale.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gateway::test {

using postgres::ChainJournal;

using postgres::ChainJournal;

// This is a storage in which several journals find the same sales, for as long as the object lives.
class SharedJournalStorage {
  public:
    SharedJournalStorage() = default;
    SharedJournalStorage(const SharedJournalStorage&) = delete;
    SharedJournalStorage& operator=(const SharedJournalStorage&) = delete;
    virtual ~SharedJournalStorage() = default;

    // Opens the journal for the gateway of this name, with its lease.
    virtual std::unique_ptr<ChainJournal> open(boost::asio::any_io_executor executor, VirtualClock& clock,
                                               const std::string& gateway) = 0;
    // Does what the gateway does each second.
    virtual void renew(VirtualClock& clock, ChainJournal& journal) = 0;
};

struct SharedStorageKind {
    const char* name;
    std::unique_ptr<SharedJournalStorage> (*make)();
};

class SharingConformance : public testing::TestWithParam<SharedStorageKind> {
  protected:
    SharingConformance() {
        for (const auto* name : {"a", "b"})
            start(name);
    }
    ~SharingConformance() override { gateways.clear(); }

    void start(const std::string& name) {
        kill(name);
        gateways[name] = storage->open(io.get_executor(), clock, name);
    }
    // Ends the gateway's process from one moment to the next.
    void kill(const std::string& name) { gateways.erase(name); }
    ChainJournal& a() { return *gateways.at("a"); }
    ChainJournal& b() { return *gateways.at("b"); }
    // Lets time pass in which all gateways but `still`, which is paused, keep their leases.
    void pass(Duration length, const std::string& still = {}) {
        for (const auto end = clock.now() + length; clock.now() < end;) {
            clock.jump(renew_every);
            for (const auto& [name, journal] : gateways)
                if (name != still) storage->renew(clock, *journal);
        }
    }
    std::vector<SaleId> adopted(ChainJournal& by) {
        std::vector<SaleId> ids;
        for (const auto& sale : clock.run(by.adopt()).value().sales)
            ids.push_back(sale.id);
        return ids;
    }
    Sale sale(std::string key) { return new_sale(clock, random, std::move(key)); }
    Sale begun(ChainJournal& by, std::string key) {
        auto made = sale(std::move(key));
        const auto state = clock.run(by.begin(made));
        EXPECT_TRUE(state.has_value() && !state->sale && !state->cancelled && !state->duplicate_of);
        return made;
    }
    // Records a change of the sale. Returns no error where that is done.
    boost::system::error_code record(ChainJournal& by, Sale& made, bool settled = false,
                                     std::optional<std::int64_t> command = std::nullopt) {
        Change change{.at = clock.wall(), .attempt = 0, .next = made.current()};
        change.next.state = settled ? AttemptState::cancelled : AttemptState::cancelling;
        change.next.cancel_time = clock.wall();
        change.status = Status::CANCELADA;
        change.settled = settled;
        const auto recorded =
            clock.run(by.record(made, change, nullptr, {.event = "test", .forwarded_command = command}));
        if (recorded.has_error()) return recorded.error();
        made.status = change.status;
        made.settled = settled;
        made.attempts.back() = change.next;
        return {};
    }
    std::int64_t left(ChainJournal& by, const Sale& about, Event event = CancelAsked{}) {
        const ForwardedCommand command{.sale = about.id, .event = std::move(event), .request_id = "r"};
        return clock.run(by.forward_command(command)).value();
    }
    std::vector<std::int64_t> commands(ChainJournal& of) {
        std::vector<std::int64_t> numbers;
        for (const auto& command : clock.run(of.forwarded_commands()).value())
            numbers.push_back(command.number);
        return numbers;
    }
    template <class T>
    static bool is_elsewhere(const Result<T>& result) {
        return result.has_error() && result.error() == errc::not_owned;
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<SharedJournalStorage> storage = GetParam().make();
    std::map<std::string, std::unique_ptr<ChainJournal>> gateways;
};

using namespace std::chrono_literals;
using namespace testing;

TEST_P(SharingConformance, OneGatewaysSaleIsTheOthersToReadAndNotToRecord) {
    auto made = begun(a(), "k1");
    EXPECT_TRUE(a().owns(made.id));
    EXPECT_FALSE(b().owns(made.id));
    EXPECT_EQ(clock.run(b().find(made.id)).value()->key, "k1");
    EXPECT_EQ(record(b(), made), errc::not_owned);
    EXPECT_TRUE(is_elsewhere(clock.run(b().reread(made.id))));
    EXPECT_TRUE(is_elsewhere(clock.run(b().claim(made.id))));
    EXPECT_THAT(adopted(b()), IsEmpty());
    EXPECT_FALSE(record(a(), made));
    EXPECT_EQ(clock.run(b().find(made.id)).value()->status, Status::CANCELADA);
}

TEST_P(SharingConformance, AKeyHasOneFateWhicheverGatewayItComesTo) {
    EXPECT_TRUE(clock.run(a().cancel_key("caixa-01", "k1"))->cancelled);
    EXPECT_TRUE(clock.run(b().begin(sale("k1")))->cancelled);
    const auto made = begun(a(), "k2");
    EXPECT_EQ(clock.run(b().cancel_key("caixa-01", "k2"))->sale, made.id);
    EXPECT_EQ(clock.run(b().begin(sale("k2")))->sale, made.id);
    EXPECT_EQ(clock.run(b().find_key("caixa-01", "k2"))->sale, made.id);
}

TEST_P(SharingConformance, APossibleDuplicateIsKnownWhicheverGatewaySoldIt) {
    auto first = sale("k1");
    first.duplicate_check = {.likeness = Secret("1"), .window = std::chrono::minutes(5), .wanted = false};
    auto second = sale("k2");
    second.duplicate_check = first.duplicate_check;
    EXPECT_FALSE(clock.run(a().begin(first))->duplicate_of);
    EXPECT_EQ(clock.run(b().begin(second))->duplicate_of, first.id);
}

TEST_P(SharingConformance, WhoIsSignedInAtAConsoleIsSoAtThatGatewayOnly) {
    for (const auto* name : {"a", "b"}) {
        const KeptSession session{.digest = name, .name = name, .role = "look"};
        const SessionChanges begun{.begun = {session}};
        ASSERT_TRUE(clock.run(gateways.at(name)->change_sessions(begun)).has_value());
    }
    EXPECT_THAT(clock.run(a().load_sessions()).value(), ElementsAre(Field(&KeptSession::name, "a")));
    EXPECT_THAT(clock.run(b().load_sessions()).value(), ElementsAre(Field(&KeptSession::name, "b")));
}

TEST_P(SharingConformance, ALeaseIsTrustedForFourSecondsFromItsRenewal) {
    EXPECT_TRUE(a().may_act());
    clock.jump(trusted_for - 1ms);
    EXPECT_TRUE(a().may_act());
    clock.jump(1ms);
    EXPECT_FALSE(a().may_act());
    storage->renew(clock, a());
    EXPECT_TRUE(a().may_act());
}

TEST_P(SharingConformance, NothingIsTakenFromAGatewayThatLives) {
    const auto made = begun(a(), "k1");
    pass(20s);
    EXPECT_THAT(adopted(b()), IsEmpty());
    EXPECT_TRUE(a().owns(made.id));
}

TEST_P(SharingConformance, WhatADeadGatewayOwnedIsAdoptedOnceAndItsLateRecordIsNothing) {
    start("c");
    auto made = begun(a(), "k1");
    pass(3s);
    pass(5s, "a");
    EXPECT_THAT(adopted(b()), IsEmpty()) << "it may live yet";
    pass(2s, "a");
    EXPECT_THAT(adopted(b()), ElementsAre(made.id));
    EXPECT_THAT(adopted(*gateways.at("c")), IsEmpty());
    EXPECT_THAT(adopted(b()), IsEmpty()) << "it owns that";
    EXPECT_EQ(record(a(), made), errc::not_owned);
    EXPECT_FALSE(a().owns(made.id));
    EXPECT_FALSE(record(b(), made));
}

TEST_P(SharingConformance, ARunThatWasEndedBeginsAnewAndOwnsNothing) {
    auto made = begun(a(), "k1");
    pass(8s, "a");
    EXPECT_THAT(adopted(b()), ElementsAre(made.id));
    storage->renew(clock, a());
    EXPECT_FALSE(a().may_act());
    EXPECT_FALSE(a().owns(made.id));
    storage->renew(clock, a());
    EXPECT_TRUE(a().may_act());
    EXPECT_FALSE(clock.run(a().find_key("caixa-01", "k2"))->sale);
    EXPECT_TRUE(a().owns(begun(a(), "k2").id));
}

TEST_P(SharingConformance, WhatIsGivenBackIsAdoptedAtOnceAndIsNotSentLate) {
    auto made = begun(a(), "k1");
    ASSERT_TRUE(clock.run(a().give_back()));
    EXPECT_FALSE(a().owns(made.id));
    EXPECT_THAT(adopted(b()), ElementsAre(made.id));
    EXPECT_EQ(record(a(), made), errc::not_owned);
    storage->renew(clock, a());
    EXPECT_THAT(commands(b()), IsEmpty());
}

TEST_P(SharingConformance, WhatIsBegunWhileAllIsGivenBackIsGivenBackToo) {
    const auto made = sale("k1");
    boost::asio::co_spawn(io, a().begin(made), boost::asio::detached);
    ASSERT_TRUE(clock.run(a().give_back()));
    EXPECT_FALSE(a().owns(made.id));
    EXPECT_THAT(adopted(b()), ElementsAre(made.id));
}

TEST_P(SharingConformance, ManyAreAdoptedSomeAtOnceAndOldestFirst) {
    std::vector<SaleId> made;
    for (int i = 0; i < 105; ++i)
        made.push_back(begun(a(), "k" + std::to_string(i)).id);
    ASSERT_TRUE(clock.run(a().give_back()));
    auto all = adopted(b());
    EXPECT_EQ(all.size(), 100u);
    for (const auto& id : adopted(b()))
        all.push_back(id);
    EXPECT_EQ(all, made);
}

TEST_P(SharingConformance, ABeginThatIsRepeatedGoesOnAndOneThatCameToSomethingDoesNot) {
    auto made = begun(a(), "k1");
    const auto again = clock.run(a().begin(made));
    EXPECT_FALSE(again->sale);
    EXPECT_FALSE(record(a(), made));
    EXPECT_EQ(clock.run(a().begin(made))->sale, made.id);
    auto other = begun(a(), "k2");
    ASSERT_TRUE(clock.run(a().give_back()));
    EXPECT_THAT(adopted(b()), Contains(other.id));
    EXPECT_EQ(clock.run(a().begin(other))->sale, other.id);
    EXPECT_FALSE(a().owns(other.id));
}

TEST_P(SharingConformance, ARereadGivesTheSaleAsItStandsAndItGoesOn) {
    auto made = begun(a(), "k1");
    EXPECT_FALSE(record(a(), made));
    EXPECT_EQ(clock.run(a().reread(made.id))->status, Status::CANCELADA);
    EXPECT_EQ(clock.run(a().reread(made.id))->status, Status::CANCELADA);
    EXPECT_FALSE(record(a(), made, true));
    EXPECT_FALSE(a().owns(made.id)) << "it is settled";
    EXPECT_TRUE(clock.run(b().claim(made.id)));
}

TEST_P(SharingConformance, AForwardedCommandReachesTheGatewayThatOwnsTheSaleAndGoesWithItsRecord) {
    auto made = begun(a(), "k1");
    const auto command = left(b(), made);
    EXPECT_THAT(commands(a()), ElementsAre(command));
    EXPECT_THAT(commands(b()), IsEmpty());
    const auto heard = clock.run(a().forwarded_commands()).value();
    EXPECT_TRUE(std::holds_alternative<CancelAsked>(heard.at(0).event));
    EXPECT_EQ(heard.at(0).sale, made.id);
    EXPECT_EQ(heard.at(0).request_id, "r");
    EXPECT_TRUE(clock.run(b().is_waiting(command)).value());
    EXPECT_FALSE(record(a(), made, false, command));
    EXPECT_FALSE(clock.run(b().is_waiting(command)).value());
    EXPECT_THAT(commands(a()), IsEmpty());
    const ForwardedCommand about_nothing{.sale = sale("k2").id, .event = CancelAsked{}};
    EXPECT_TRUE(clock.run(b().forward_command(about_nothing)).has_error());
}

TEST_P(SharingConformance, AForwardedCommandOfWhichNothingComesIsDismissedByItsOwnerAlone) {
    auto made = begun(a(), "k1");
    const auto command = left(b(), made);
    EXPECT_TRUE(is_elsewhere(clock.run(b().dismiss_command(made.id, command))));
    EXPECT_TRUE(clock.run(a().dismiss_command(made.id, command)));
    EXPECT_FALSE(clock.run(b().is_waiting(command)).value());
    EXPECT_FALSE(record(a(), made)) << "it goes on";
}

TEST_P(SharingConformance, AForwardedCommandOfASettledSaleIsAnybodysWhoClaimsTheSaleForIt) {
    auto made = begun(a(), "k1");
    EXPECT_FALSE(record(a(), made, true));
    const auto command = left(a(), made);
    EXPECT_THAT(commands(a()), ElementsAre(command));
    EXPECT_THAT(commands(b()), ElementsAre(command));
    EXPECT_TRUE(clock.run(b().claim(made.id)));
    EXPECT_THAT(commands(a()), IsEmpty());
    EXPECT_TRUE(is_elsewhere(clock.run(a().claim(made.id))));
    EXPECT_TRUE(clock.run(b().dismiss_command(made.id, command)));
    EXPECT_FALSE(b().owns(made.id)) << "it is settled, and nobody's again";
    EXPECT_TRUE(clock.run(a().claim(made.id)));
}

TEST_P(SharingConformance, WhatMayBeSentLateIsACommandOnceItsGatewayRunsAgain) {
    auto made = begun(a(), "k1");
    auto told = begun(a(), "k2");
    EXPECT_FALSE(record(a(), told, true)) << "of this one nothing is under way";
    kill("a");
    pass(8s);
    EXPECT_THAT(adopted(b()), ElementsAre(made.id));
    EXPECT_THAT(commands(b()), IsEmpty()) << "the machine may wake up yet";
    start("a");
    const auto heard = clock.run(b().forwarded_commands()).value();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<SentLate>(heard[0].event));
    EXPECT_EQ(heard[0].attempt, made.current().id_externo);
    EXPECT_FALSE(record(b(), made, false, heard[0].number));
    ASSERT_TRUE(clock.run(a().give_back()));
    start("a");
    EXPECT_THAT(commands(b()), IsEmpty()) << "it is told once";
}

TEST_P(SharingConformance, OfAGatewayThatRunsAgainNothingIsSentLateAnyMore) {
    for (int i = 0; i < 101; ++i)
        begun(a(), "k" + std::to_string(i));
    kill("a");
    pass(8s);
    EXPECT_THAT(adopted(b()), SizeIs(100));
    start("a");
    EXPECT_THAT(commands(b()), SizeIs(100));
    EXPECT_THAT(adopted(b()), SizeIs(1)) << "its machine does something else by now";
    ASSERT_TRUE(clock.run(a().give_back()));
    start("a");
    EXPECT_THAT(commands(b()), SizeIs(100));
}

TEST_P(SharingConformance, AGatewayThatWakesUpBeforeItIsEndedGoesOn) {
    auto made = begun(a(), "k1");
    pass(8s, "a");
    storage->renew(clock, a());
    EXPECT_THAT(adopted(b()), IsEmpty()) << "it was dead for this one until now";
    EXPECT_TRUE(a().may_act());
    EXPECT_FALSE(record(a(), made));
}

TEST_P(SharingConformance, OneGatewayIsOnDutyUntilItEnds) {
    auto old = begun(a(), "k1");
    EXPECT_FALSE(record(a(), old, true));
    clock.jump(24h);
    for (const auto& [name, journal] : gateways)
        storage->renew(clock, *journal);
    EXPECT_EQ(clock.run(a().erase_personal(clock.wall() - 48h)).value().sales, 0u);
    EXPECT_EQ(clock.run(b().erase_personal(clock.wall() - 1h)).value().sales, 0u) << "it is not this one's";
    ASSERT_TRUE(clock.run(a().give_back()));
    EXPECT_EQ(clock.run(b().erase_personal(clock.wall() - 1h)).value().sales, 1u);
}

TEST_P(SharingConformance, ADayIsClosedOnceAndWhatComesLaterIsLate) {
    const CloseKey key{.estabelecimento = "12345678", .day = std::chrono::year(2026) / 11 / 20};
    auto made = begun(b(), "k1");
    const auto close = clock.run(a().begin_close(key, clock.wall(), "maria")).value();
    EXPECT_EQ(clock.run(b().begin_close(key, clock.wall(), "rita"))->made_by, "maria");
    EXPECT_THAT(close.open, HasSubstr(made.id.str()));
    Change change{.at = clock.wall(), .attempt = 0, .next = made.current(), .status = Status::NEGADA, .settled = true};
    change.next.state = AttemptState::refused;
    change.day = key.day;
    ASSERT_TRUE(clock.run(b().record(made, change, nullptr, {.event = "test"})));
    EXPECT_THAT(clock.run(a().sales_of_close(key, ""))->sales, IsEmpty());
    const CloseKey next{.estabelecimento = key.estabelecimento, .day = next_day(key.day)};
    EXPECT_EQ(clock.run(a().sales_of_close(next, ""))->sales.size(), 1u);
}

}  // namespace gateway::test
