#include "journal/sqlite/recognition.hpp"

#include "journal/sqlite/backup.hpp"
#include "journal/sqlite/file_identity.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
namespace fs = std::filesystem;

class RecognitionTest : public Test {
  protected:
    RecognitionTest() { open(); }
    ~RecognitionTest() override { journal.reset(); }

    void open() {
        journal.reset();
        const JournalOptions options{.path = path, .durability = Durability::inline_, .log = &log};
        auto opened = open_sqlite_journal(io.get_executor(), options, clock);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    void close() { journal.reset(); }
    // Leaves the files as a process leaves them that has no time to put anything right.
    void kill() {
        for (const auto* const end : {"", "-wal", ".lock"})
            fs::copy_file(path + end, copy + end, fs::copy_options::overwrite_existing);
        close();
        for (const auto* const end : {"", "-wal", ".lock"})
            std::ofstream(path + end, std::ios::binary | std::ios::trunc)
                << std::ifstream(copy + end, std::ios::binary).rdbuf();
    }

    Sale held(std::string key) {
        clock.jump(1ms);
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.digest = "d";
        made.produto = "TV Mensal";
        made.valor = Cents{2500};
        made.request = Secret("{}");
        made.created_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        EXPECT_TRUE(clock.run(journal->begin(made)).has_value());
        become(made, AttemptState::held, Status::AUTORIZADA);
        return made;
    }
    void become(Sale& made, AttemptState state, Status status) {
        Change change{.at = clock.wall(), .attempt = 0, .next = made.current()};
        change.next.state = state;
        change.status = status;
        change.attention = Attention::none;
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.attempts[0] = change.next;
        made.status = status;
    }
    Attention attention(const Sale& sale) { return clock.run(journal->find(sale.id)).value().value().attention; }
    AttemptState state(const Sale& sale) { return clock.run(journal->find(sale.id)).value().value().current().state; }

    // As cp and mv do it. Two files that are made within one tick of the kernel's clock are as old as each other.
    void put_a_copy_in_its_place() {
        do {
            fs::remove(copy);
            fs::copy_file(path, copy);
        } while (are_same(FileIdentity::of(copy).value(), FileIdentity::of(path).value()));
        fs::rename(copy, path);
    }
    // What is in the copy takes the place of what is in the journal, and the file stays the one that it is.
    void write_over(const std::string& copy) {
        std::ifstream from(copy, std::ios::binary);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << from.rdbuf();
    }
    // Of the write-ahead log, the first one that its commits have in it.
    void lose_the_block_of(const Sale& sale) {
        std::fstream log(path + "-wal", std::ios::binary | std::ios::in | std::ios::out);
        const auto bytes = contents_of(path + "-wal");
        const auto at = bytes.find(sale.id.str());
        ASSERT_NE(at, std::string::npos);
        constexpr std::size_t block_bytes = 4'096;
        log.seekp(static_cast<std::streamoff>(at / block_bytes * block_bytes));
        log << std::string(block_bytes, '\0');
    }
    sqlite::Database file() const { return *sqlite::Database::open(path, nullptr); }

    MemoryLog log;
    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    std::string copy = folder.path("copy.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

TEST_F(RecognitionTest, ACopyInTheJournalsPlaceIsPreparedAsARestoredOneOnce) {
    const auto sale = held("k1");
    ASSERT_TRUE(clock.run(journal->save_token(KeptToken{.access = Secret("a"), .refresh = Secret("r")})).has_value());
    close();
    put_a_copy_in_its_place();
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
    EXPECT_EQ(state(sale), AttemptState::disputing) << "never confirmed";
    EXPECT_EQ(*clock.run(journal->load_token()), std::nullopt);
    const CloseKey key{.estabelecimento = "1", .day = std::chrono::year(2026) / 11 / 20};
    EXPECT_EQ(clock.run(journal->begin_close(key, clock.wall(), "maria")).value().series, 2);
    EXPECT_EQ(log.count("error journal.restored unsureSales=1"), 1u);
    EXPECT_TRUE(log.has("its file is not the one that a gateway used last"));
    const auto later = held("k2");
    open();
    EXPECT_EQ(log.count("journal.restored"), 1u) << "it is the journal now";
    EXPECT_EQ(attention(later), Attention::none);
}

TEST_F(RecognitionTest, AnOlderCopyThatIsWrittenOverTheJournalIsKnownByTheSaleThatItLacks) {
    auto sale = held("k1");
    ASSERT_TRUE(back_up(path, copy).has_value());
    const auto lost = held("k2");
    close();
    write_over(copy);
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
    EXPECT_EQ(log.count("error journal.restored unsureSales=1"), 1u);
    EXPECT_TRUE(log.has("sale " + lost.id.str() + " was recorded, which it does not hold"));
    open();
    EXPECT_EQ(log.count("journal.restored"), 1u);
}

TEST_F(RecognitionTest, AnOlderCopyThatIsWrittenOverTheJournalIsKnownByTheStepThatItLacks) {
    auto sale = held("k1");
    ASSERT_TRUE(back_up(path, copy).has_value());
    become(sale, AttemptState::cancelling, Status::CANCELADA);
    close();
    write_over(copy);
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
    EXPECT_EQ(state(sale), AttemptState::disputing);
}

TEST_F(RecognitionTest, AJournalOfWhichTheDiskHasLostWhatItHadFlushedIsKnownByItsLog) {
    const auto sale = held("k1");
    const auto lost = held("k2");
    for (const auto* const key : {"k3", "k4"})
        (void)held(key);
    kill();
    lose_the_block_of(lost);
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
    EXPECT_EQ(clock.run(journal->find(lost.id)).value(), std::nullopt);
    EXPECT_EQ(log.count("error journal.restored unsureSales=1"), 1u);
    EXPECT_TRUE(log.has("its disk has lost what it had flushed"));
    // It is said once, although each of these runs is killed.
    for (const auto* const key : {"k5", "k6", "k7", "k8"}) {
        const auto sold = held(key);
        kill();
        open();
        EXPECT_EQ(attention(sold), Attention::none);
    }
    EXPECT_EQ(log.count("journal.restored"), 1u);
}

TEST_F(RecognitionTest, ADiskThatHasLostCommitsIsKnownAfterAKillInTheMiddleOfThat) {
    const auto sale = held("k1");
    close();
    ASSERT_TRUE(FileLock::take(path + ".lock")->note_run(RunState::lost_commits, "").has_value());
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
    open();
    EXPECT_EQ(log.count("error journal.restored unsureSales=1"), 1u);
}

TEST_F(RecognitionTest, ACopyThatLacksNothingMayBeWrittenOverTheJournal) {
    const auto sale = held("k1");
    ASSERT_TRUE(back_up(path, copy).has_value());
    close();
    write_over(copy);
    open();
    EXPECT_EQ(attention(sale), Attention::none);
    EXPECT_FALSE(log.has("journal.restored"));
}

TEST_F(RecognitionTest, AJournalThatLostItsLogLacksWhatWasInIt) {
    auto sale = held("k1");
    open();  // what was written so far is no longer in the log
    become(sale, AttemptState::cancelling, Status::CANCELADA);
    const auto left = folder.path("left.db");
    fs::copy_file(path, left);
    close();
    write_over(left);
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
}

TEST_F(RecognitionTest, AJournalIsItselfAfterAMoveACrashAndAVacuum) {
    auto sale = held("k1");
    close();
    for (const std::string ending : {"", ".lock"})
        fs::rename(path + ending, folder.path("moved.db") + ending);
    path = folder.path("moved.db");
    open();
    become(sale, AttemptState::held, Status::AUTORIZADA);
    close();
    ASSERT_TRUE(file().run("VACUUM").has_value());
    fs::remove(path + ".lock");
    open();
    EXPECT_EQ(attention(sale), Attention::none);
    EXPECT_FALSE(log.has("journal.restored"));
}

TEST_F(RecognitionTest, ACrashBetweenACommitAndItsNoteIsNone) {
    auto sale = held("k1");
    const auto noted = fs::file_size(path + ".lock");
    fs::copy_file(path + ".lock", folder.path("noted"));
    become(sale, AttemptState::cancelling, Status::CANCELADA);
    const auto next = held("k2");
    close();
    fs::copy_file(folder.path("noted"), path + ".lock", fs::copy_options::overwrite_existing);
    open();
    EXPECT_EQ(attention(next), Attention::none);
    EXPECT_FALSE(log.has("journal.restored"));
    EXPECT_EQ(fs::file_size(path + ".lock"), noted) << "a note is as long as the one before";
}

TEST_F(RecognitionTest, OneOfAVersionThatRemembersNothingIsTrustedAndRemembered) {
    const auto sale = held("k1");
    close();
    ASSERT_TRUE(file().run("DELETE FROM journal_file").has_value());
    put_a_copy_in_its_place();
    open();
    EXPECT_EQ(attention(sale), Attention::none);
    close();
    put_a_copy_in_its_place();
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
}

TEST_F(RecognitionTest, ARestoredJournalIsPreparedByTheRestoreAlone) {
    const auto sale = held("k1");
    ASSERT_TRUE(back_up(path, copy).has_value());
    held("k2");
    close();
    ASSERT_TRUE(restore(copy, path, clock.wall()).has_value());
    open();
    EXPECT_EQ(attention(sale), Attention::restored);
    EXPECT_FALSE(log.has("journal.restored"));
    EXPECT_EQ(clock.run(journal->history(sale.id)).value().size(), 3u) << "begun, held, restored";
}

TEST_F(RecognitionTest, WhatCannotBeReadSaysNothing) {
    const auto sale = held("k1");
    close();
    ASSERT_TRUE(file().run("UPDATE sales SET story = x'00'; UPDATE journal_file SET inode = 'x'").has_value());
    open();
    EXPECT_FALSE(log.has("journal.restored"));
}

TEST_F(RecognitionTest, AJournalThatCannotBePreparedIsNotOpened) {
    const auto sale = held("k1");
    close();
    ASSERT_TRUE(
        file().run("CREATE TRIGGER none BEFORE UPDATE ON sales BEGIN SELECT raise(ABORT, 'no room'); END").has_value());
    const auto before = FileLock::take(path + ".lock")->recorded_sale();
    put_a_copy_in_its_place();
    for (int i = 0; i < 2; ++i) {
        auto opened = open_sqlite_journal(io.get_executor(), {.path = path, .durability = Durability::inline_}, clock);
        ASSERT_TRUE(opened.has_error()) << "not the second time either";
        EXPECT_THAT(opened.error(), AllOf(HasSubstr("is not the one that a gateway used last"), HasSubstr("no room")));
    }
    EXPECT_EQ(FileLock::take(path + ".lock")->recorded_sale()->id, before->id);
}

}  // namespace
}  // namespace gateway::test
