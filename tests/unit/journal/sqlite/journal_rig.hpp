// This is a journal in a file of the test's own folder, which one gateway after the other opens, and sales in it.
#pragma once

#include "journal/sqlite/database.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace gateway::test {

class JournalRig : public testing::Test {
  protected:
    ~JournalRig() override { journal.reset(); }

    void open(JournalOptions options = {}) {
        journal.reset();
        options.path = path;
        options.durability = Durability::inline_;
        auto opened = open_sqlite_journal(io.get_executor(), options, clock);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    void close() { journal.reset(); }
    // Returns why no gateway starts on the file; empty: one has started and ended.
    std::string why_not(const std::string& file) {
        auto opened = open_sqlite_journal(io.get_executor(), {.path = file, .durability = Durability::inline_}, clock);
        return opened.has_value() ? "" : opened.error();
    }
    // Opens the file as another program does.
    sqlite::Database file() const { return *sqlite::Database::open(path, nullptr); }

    Sale sale(std::string key = "k1", Family family = Family::tv) {
        clock.jump(Duration(1));
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.digest = "d";
        made.family = family;
        made.estabelecimento = "12345678";
        made.produto = "TV Mensal";
        made.valor = Cents{2500};
        made.request = Secret(R"({"cpf":"123.456.789-09"})");
        made.created_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        return made;
    }
    Sale begun(std::string key = "k1", Family family = Family::tv) {
        auto made = sale(std::move(key), family);
        EXPECT_TRUE(clock.run(journal->begin(made)).has_value());
        return made;
    }
    void become(Sale& made, AttemptState state, Status status, bool settled = false) {
        Change change{.at = clock.wall(), .attempt = 0, .next = made.current()};
        change.next.state = state;
        change.next.id_transacao = "T1";
        if (state == AttemptState::confirming || state == AttemptState::sold) change.next.confirm_time = clock.wall();
        if (state == AttemptState::confirming) change.next.deadline = clock.now() + Duration(3'600'000);
        if (state == AttemptState::retracting || state == AttemptState::cancelling)
            change.next.cancel_time = clock.wall();
        change.status = status;
        change.settled = settled;
        change.attention = Attention::none;
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.attempts[0] = change.next;
        made.status = status;
    }
    Sale held(std::string key) {
        auto made = begun(std::move(key));
        become(made, AttemptState::held, Status::AUTORIZADA);
        return made;
    }
    Sale found(SaleId id) { return clock.run(journal->find(id)).value().value(); }
    bool knows(const Sale& sale) { return clock.run(journal->find(sale.id)).value().has_value(); }

    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    std::string copy = folder.path("copy.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

}  // namespace gateway::test
