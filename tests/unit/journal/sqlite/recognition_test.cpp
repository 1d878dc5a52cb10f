#include "journal/sqlite/recognition.hpp"

#include "base/system.hpp"
#include "journal/marked_sales.hpp"
#include "journal/recorded_step.hpp"
#include "journal/sqlite/backup.hpp"
#include "unit/journal/sqlite/journal_rig.hpp"
#include "unit/support/memory_log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
namespace fs = std::filesystem;

class RecognitionTest : public JournalRig {
  protected:
    RecognitionTest() { open(); }

    void open() {
        JournalOptions options;
        options.log = &log;
        JournalRig::open(options);
    }
    // Leaves the files as a process leaves them that has no time to put anything right.
    void kill() {
        for (const auto* const end : {"", "-wal", ".lock"})
            fs::copy_file(path + end, copy + end, fs::copy_options::overwrite_existing);
        close();
        for (const auto* const end : {"", "-wal", ".lock"})
            std::ofstream(path + end, std::ios::binary) << contents_of(copy + end);
    }

    Attention attention(const Sale& sale) { return found(sale.id).attention; }
    AttemptState state(const Sale& sale) { return found(sale.id).current().state; }

    // Does it as cp and mv do. Two files that are made within one tick of the kernel's clock have the same age.
    void put_a_copy_in_its_place() {
        do {
            fs::remove(copy);
            fs::copy_file(path, copy);
        } while (are_same(FileIdentity::of(copy).value(), FileIdentity::of(path).value()));
        fs::rename(copy, path);
    }
    // Replaces the journal's content by the copy's. The file stays the same file.
    void write_over(const std::string& copy) { std::ofstream(path, std::ios::binary) << contents_of(copy); }
    // Makes a copy, uses the journal in this way, and then overwrites it with the copy.
    void write_over_once(const std::function<void()>& used) {
        ASSERT_TRUE(back_up(path, copy).has_value());
        used();
        close();
        write_over(copy);
        open();
    }
    // Destroys the first block of the write-ahead log that has the sale's commits in it.
    void lose_the_block_of(const Sale& sale) {
        std::fstream log(path + "-wal", std::ios::binary | std::ios::in | std::ios::out);
        const auto bytes = contents_of(path + "-wal");
        const auto at = bytes.find(sale.id.str());
        ASSERT_NE(at, std::string::npos);
        constexpr std::size_t block_bytes = 4'096;
        log.seekp(static_cast<std::streamoff>(at / block_bytes * block_bytes));
        log << std::string(block_bytes, '\0');
    }

    MemoryLog log;
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
    const auto sale = held("k1");
    std::optional<Sale> lost;
    write_over_once([&] { lost = held("k2"); });
    EXPECT_EQ(attention(sale), Attention::restored);
    EXPECT_EQ(log.count("error journal.restored unsureSales=1"), 1u);
    EXPECT_TRUE(log.has("sale " + lost->id.str() + " was recorded, which it does not hold"));
    open();
    EXPECT_EQ(log.count("journal.restored"), 1u);
}

TEST_F(RecognitionTest, AnOlderCopyThatIsWrittenOverTheJournalIsKnownByTheStepThatItLacks) {
    auto sale = held("k1");
    write_over_once([&] { become(sale, AttemptState::cancelling, Status::CANCELADA); });
    EXPECT_EQ(attention(sale), Attention::restored);
    EXPECT_EQ(state(sale), AttemptState::disputing);
}

// SQLite would take pages of both: those that a checkpoint had moved into the file before the log was begun are lost.
TEST_F(RecognitionTest, ACopyThatIsWrittenOverTheJournalBesideItsLogIsRefused) {
    held("k1");
    const auto older = folder.path("older.db");
    ASSERT_TRUE(back_up(path, older).has_value());
    const auto lost = held("k2");
    ASSERT_TRUE(file().run("PRAGMA wal_checkpoint(RESTART)").has_value());
    held("k3");
    kill();
    write_over(older);
    for (int i = 0; i < 2; ++i)
        EXPECT_THAT(why_not(path), HasSubstr("a copy was written over it, and " + path + "-wal belongs to")) << i;
    const auto refuses = HasSubstr("together they are neither the one nor the other");
    EXPECT_THAT(look_before_opening(path, nullptr).fault, refuses);
    EXPECT_THAT(contents_of_journal(path).error(), refuses);
    EXPECT_THAT(read_marked_sales(path).error(), refuses);
    EXPECT_THAT(back_up(path, copy + ".new").error(), refuses);
    EXPECT_THAT(mark_restored(path, clock.wall()).error(), refuses);
    EXPECT_THAT(why_not(path), refuses) << "they have left both as they were";
    ASSERT_TRUE(restore(older, path, clock.wall()).has_value());
    open();
    EXPECT_FALSE(knows(lost));
}

TEST_F(RecognitionTest, ALogIsNotedAsSoonAsItIsBegun) {
    const auto refused = [&] {
        kill();
        write_over(folder.path("older.db"));
        return testing::Matches(HasSubstr("a copy was written over it"))(why_not(path));
    };
    const auto anew = [&] {
        fs::remove(path + "-wal");
        open();
    };
    ASSERT_TRUE(back_up(path, folder.path("older.db")).has_value());
    held("k1");
    open();
    EXPECT_TRUE(refused()) << "the start has begun it, and nothing was recorded since";
    anew();
    held("k2");
    ASSERT_TRUE(file().run("PRAGMA wal_checkpoint(TRUNCATE)").has_value());
    ASSERT_TRUE(clock.run(journal->check_files()).has_value());
    EXPECT_TRUE(refused()) << "another program has cut it, and the gateway has made it long again";
}

// A checkpoint that another program did not finish may not be on the disk.
TEST_F(RecognitionTest, WhatWasNotedOfTheLogBeforeAPowerCutKeepsNoLaterStartOnThatBootFromStarting) {
    const auto sale = held("k1");
    kill();
    {
        auto lock = *FileLock::take(path + ".lock");
        auto noted = lock.noted_log();
        ASSERT_TRUE(noted);
        noted->database = std::string(64, '0');
        ASSERT_TRUE(lock.note_log(*noted).has_value());
        ASSERT_TRUE(lock.note_run(RunState::begun, "another boot").has_value());
    }
    SystemClock machine(io.get_executor());
    ASSERT_NE(machine.boot(), "");
    for (int i = 0; i < 2; ++i) {
        auto opened =
            open_sqlite_journal(io.get_executor(), {.path = path, .durability = Durability::inline_}, machine);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
        kill();
    }
    open();
    EXPECT_EQ(attention(sale), Attention::none);
}

TEST_F(RecognitionTest, ALogOfWhichAnotherProgramHasMovedPagesFitsItsJournal) {
    const auto early = held("k1");
    ASSERT_TRUE(file().run("PRAGMA wal_checkpoint(RESTART)").has_value());
    std::vector<Sale> sales;
    for (const auto* const statement :
         {"PRAGMA wal_checkpoint(PASSIVE)", "VACUUM", "UPDATE sales SET reason = reason"}) {
        for (int i = 0; i < 20; ++i)
            sales.push_back(held(statement + std::to_string(i)));
        ASSERT_TRUE(file().run(statement).has_value());
        kill();
        open();
        EXPECT_TRUE(knows(early) && knows(sales.back())) << statement;
    }
    EXPECT_FALSE(log.has("journal.restored"));
}

TEST_F(RecognitionTest, ACopyThatLacksNothingMayBeWrittenOverTheJournal) {
    const auto sale = held("k1");
    write_over_once([] {});
    EXPECT_EQ(attention(sale), Attention::none);
    EXPECT_FALSE(log.has("journal.restored"));
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
    // It is reported once, although each of these runs is killed.
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

// An older copy has that sale as it is, and only the sale that was recorded before it tells that the copy is older.
TEST_F(RecognitionTest, ARepeatThatAddsNothingToTheHistoryDoesNotChangeTheNoteOfTheLastSale) {
    auto repeated = held("k1");
    const auto open_sale = held("k2");
    const auto noted = [&] { return FileLock::look(path + ".lock").recorded_sale().value(); };
    do {
        become(repeated, AttemptState::held, Status::AUTORIZADA);
        ASSERT_EQ(noted().id, repeated.id) << "its history is short, and has grown";
    } while (noted().history < long_history);
    std::optional<Sale> lost;
    write_over_once([&] {
        lost = held("k3");
        for (int i = 0; i < 3; ++i)
            become(repeated, AttemptState::held, Status::AUTORIZADA);
        EXPECT_EQ(noted().id, lost->id);
    });
    EXPECT_EQ(attention(open_sale), Attention::restored);
    EXPECT_TRUE(log.has("sale " + lost->id.str() + " was recorded, which it does not hold"));
}

TEST_F(RecognitionTest, AStepWhoseCommitFailedDoesNotChangeTheNoteOfTheLastSale) {
    auto failed = held("k1");
    const auto last = held("k2");
    ASSERT_TRUE(
        file().run("CREATE TRIGGER none BEFORE INSERT ON sales BEGIN SELECT raise(ABORT, 'no room'); END").has_value());
    const auto refused = sale("k3");
    Change change{.at = clock.wall(), .attempt = 0, .next = failed.current()};
    change.next.state = AttemptState::cancelling;
    change.status = Status::CANCELADA;
    const HistoryEntry entry{.event = "test"};
    boost::asio::co_spawn(io, journal->record(failed, change, nullptr, entry), boost::asio::detached);
    EXPECT_TRUE(clock.run(journal->begin(refused)).has_error()) << "it is of the same commit";
    EXPECT_EQ(found(failed.id).status, Status::AUTORIZADA);
    ASSERT_TRUE(clock.run(journal->probe()).has_value());
    EXPECT_EQ(FileLock::look(path + ".lock").recorded_sale()->id, last.id);
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
    EXPECT_EQ(clock.run(journal->history(sale.id)).value().events.size(), 3u) << "begun, held, restored";
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
        EXPECT_THAT(why_not(path), AllOf(HasSubstr("is not the one that a gateway used last"), HasSubstr("no room")))
            << "not the second time either";
    }
    EXPECT_EQ(FileLock::take(path + ".lock")->recorded_sale()->id, before->id);
}

TEST(FileIdentity, IsTheSameUnderEveryNameAndWhateverIsWritten) {
    const TemporaryFolder folder;
    const auto path = folder.write("t.db", "one");
    const auto before = FileIdentity::of(path).value();
    EXPECT_EQ(FileIdentity::of(path).value(), before);
    folder.write("t.db", "another, and a longer one");
    std::filesystem::rename(path, folder.path("renamed.db"));
    std::filesystem::create_hard_link(folder.path("renamed.db"), folder.path("hard.db"));
    std::filesystem::create_symlink(folder.path("renamed.db"), folder.path("soft.db"));
    for (const auto* name : {"renamed.db", "hard.db", "soft.db"})
        EXPECT_EQ(FileIdentity::of(folder.path(name)).value(), before) << name;
}

TEST(FileIdentity, IsDecidedByWhenAFileWasMadeWhereThatIsKnown) {
    const FileIdentity made_at_noon{.made_at = 12, .inode = 7, .file_system = 70};
    EXPECT_TRUE(are_same(made_at_noon, {.made_at = 12, .inode = 8, .file_system = 80})) << "numbered anew by a mount";
    EXPECT_FALSE(are_same(made_at_noon, {.made_at = 13, .inode = 7, .file_system = 70})) << "the number was free again";
}

TEST(FileIdentity, IsDecidedByTheNumbersWhereItIsNotKnownOfBoth) {
    const FileIdentity unknown{.made_at = {}, .inode = 7, .file_system = 70};
    for (const auto made_at : {std::optional<std::int64_t>(), std::optional<std::int64_t>(12)}) {
        EXPECT_TRUE(are_same(unknown, {.made_at = made_at, .inode = 7, .file_system = 70}));
        EXPECT_FALSE(are_same(unknown, {.made_at = made_at, .inode = 8, .file_system = 70}));
        EXPECT_FALSE(are_same({.made_at = made_at, .inode = 7, .file_system = 80}, unknown));
    }
}

TEST(FileIdentity, OfNoFileIsTheSystemsError) {
    EXPECT_EQ(FileIdentity::of("/nonexistent/t.db").error().value(), ENOENT);
}

}  // namespace
}  // namespace gateway::test
