#include "journal/sqlite/backup.hpp"

#include "journal/moving_mark.hpp"
#include "journal/sqlite/transaction.hpp"
#include "unit/journal/sqlite/journal_rig.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class CopyTest : public JournalRig {
  protected:
    // Notes in the file what copy-journal would note.
    static void note(const std::string& file, const MovingMark& mark) {
        auto database = sqlite::Database::open(file, nullptr);
        const auto noted = sqlite::run_to_end(*database, [&](Transaction& tx) { return moving_mark::set(tx, mark); });
        ASSERT_TRUE(noted.has_value());
    }
};

TEST_F(CopyTest, TheTimeOfTheLastCopyIsKnown) {
    open();
    EXPECT_FALSE(last_backup(path));
    ASSERT_TRUE(back_up(path, copy).has_value());
    const auto first = last_backup(path);
    ASSERT_TRUE(first);
    EXPECT_FALSE(back_up(path, copy).has_value()) << "the file is there already";
    EXPECT_EQ(last_backup(path), first) << "what was not made is no copy";
    const auto long_ago = std::filesystem::last_write_time(path + ".backup") - 48h;
    std::filesystem::last_write_time(path + ".backup", long_ago);
    const auto set_back = last_backup(path);
    EXPECT_EQ(set_back, *first - 48h);
    ASSERT_TRUE(back_up(path, folder.path("another.db")).has_value());
    EXPECT_GT(last_backup(path), set_back);
    EXPECT_EQ(contents_of(path + ".backup"), folder.path("another.db") + "\n");
    EXPECT_FALSE(last_backup(copy)) << "a copy has none of its own";
}

TEST_F(CopyTest, WhatHasTheNameOfTheNoteIsReplacedAndNotWrittenTo) {
    open();
    const auto others = folder.path("of-another-account");
    std::ofstream(others) << "untouched";
    std::filesystem::create_symlink(others, path + ".backup");
    const auto made = back_up(path, copy);
    ASSERT_TRUE(made.has_value());
    EXPECT_THAT(made->warnings, testing::IsEmpty());
    EXPECT_EQ(contents_of(others), "untouched");
    EXPECT_EQ(contents_of(path + ".backup"), copy + "\n");
    std::filesystem::remove(path + ".backup");
    std::filesystem::create_directory(path + ".backup");
    const auto another = back_up(path, folder.path("another.db"));
    ASSERT_TRUE(another.has_value()) << "a copy is good without a note of it";
    EXPECT_THAT(another->warnings, testing::ElementsAre(HasSubstr(path + ".backup")));
}

TEST_F(CopyTest, ARunningJournalIsCopiedAsItStands) {
    open();
    auto sold = begun("k1");
    become(sold, AttemptState::sold, Status::EFETIVADA, true);
    const auto open_sale = begun("k2");
    const auto contents = back_up(path, copy);
    ASSERT_TRUE(contents.has_value()) << contents.error();
    EXPECT_EQ(contents->sales, 2);
    EXPECT_EQ(contents->open, 1);
    EXPECT_EQ(contents->newest, open_sale.created_at);
    EXPECT_TRUE(clock.run(journal->probe()).has_value()) << "the journal goes on";
    struct stat status {};
    ASSERT_EQ(::stat(copy.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(copy).parent_path()))
        files.push_back(entry.path().filename());
    EXPECT_THAT(files, UnorderedElementsAre("journal.db", "journal.db-wal", "journal.db-shm", "journal.db.lock",
                                            "journal.db.backup", "copy.db"));
}

// A copy cannot know which numbers were used after it was made.
TEST_F(CopyTest, TheClosesOfARestoredCopyGoOnInASeriesOfTheirOwn) {
    const auto closed = [&](unsigned day) {
        const CloseKey key{.estabelecimento = "1", .day = std::chrono::year(2026) / 11 / std::chrono::day(day)};
        const auto close = clock.run(journal->begin_close(key, clock.wall(), "maria")).value();
        return std::to_string(close.number) + "/" + std::to_string(close.series);
    };
    open();
    EXPECT_EQ(closed(19), "1/1");
    ASSERT_TRUE(back_up(path, copy).has_value());
    EXPECT_EQ(closed(20), "2/1");
    close();
    ASSERT_TRUE(restore(copy, path, clock.wall()).has_value());
    open();
    EXPECT_EQ(closed(20), "2/2");
    EXPECT_EQ(closed(21), "3/2");
    EXPECT_EQ(closed(19), "1/1") << "what the copy knows stays as it was";
    close();
    ASSERT_TRUE(restore(copy, path, clock.wall()).has_value()) << "once more, and nothing of the second series is left";
    open();
    EXPECT_EQ(closed(20), "2/2");
    ASSERT_TRUE(back_up(path, folder.path("second.db")).has_value());
    close();
    ASSERT_TRUE(restore(folder.path("second.db"), path, clock.wall()).has_value());
    open();
    EXPECT_EQ(closed(21), "3/3");
}

TEST_F(CopyTest, NothingIsOverwritten) {
    open();
    folder.write("copy.db", "precious");
    const auto contents = back_up(path, copy);
    ASSERT_TRUE(contents.has_error());
    EXPECT_THAT(contents.error(), HasSubstr("nothing is ever overwritten"));
    EXPECT_EQ(contents_of(copy), "precious");
}

TEST_F(CopyTest, WhatIsNoJournalIsNotCopied) {
    EXPECT_THAT(back_up(path, copy).error(), HasSubstr("there is no journal"));
    folder.write("journal.db", "");
    EXPECT_THAT(back_up(path, copy).error(), HasSubstr("it is empty"));
    folder.write("journal.db", std::string(5000, 'x'));
    EXPECT_THAT(back_up(path, copy).error(), HasSubstr("not a database at all"));
    {
        auto foreign = sqlite::Database::open(folder.path("foreign.db"), nullptr);
        ASSERT_TRUE(foreign->run("CREATE TABLE sales (id)").has_value());
    }
    EXPECT_THAT(back_up(folder.path("foreign.db"), copy).error(), HasSubstr("another program's database"));
    EXPECT_FALSE(std::filesystem::exists(copy));
}

TEST_F(CopyTest, ADamagedJournalIsSaidAndItsCopyThrownAway) {
    open();
    for (int i = 0; i < 200; ++i)
        begun("k" + std::to_string(i));
    close();
    auto text = contents_of(path);
    for (std::size_t at = 3 * 4096; at < text.size(); at += 4096)
        text.replace(at, 200, 200, '\xff');
    folder.write("journal.db", text);
    const auto contents = back_up(path, copy);
    ASSERT_TRUE(contents.has_error());
    EXPECT_THAT(contents.error(), HasSubstr("is damaged"));
    EXPECT_FALSE(std::filesystem::exists(copy));
}

TEST_F(CopyTest, ARestoredJournalKnowsWhatTheCopyKnew) {
    open();
    auto sold = begun("k1");
    become(sold, AttemptState::sold, Status::EFETIVADA, true);
    ASSERT_TRUE(back_up(path, copy).has_value());
    const auto later = begun("k2");
    close();
    const auto restored = restore(copy, path, clock.wall());
    ASSERT_TRUE(restored.has_value()) << restored.error();
    EXPECT_EQ(restored->contents.sales, 1);
    EXPECT_EQ(restored->unsure, 0);
    EXPECT_TRUE(std::filesystem::exists(restored->set_aside));
    EXPECT_TRUE(std::filesystem::exists(copy));
    open();
    EXPECT_EQ(found(sold.id).status, Status::EFETIVADA);
    EXPECT_EQ(found(sold.id).attention, Attention::none);
    EXPECT_FALSE(knows(later));
    close();
    const auto back = restore(restored->set_aside, path, clock.wall() + 1s);
    ASSERT_TRUE(back.has_value()) << back.error();
    open();
    EXPECT_TRUE(knows(later)) << "what was set aside is whole";
}

TEST_F(CopyTest, WhatTheCopyHoldsOpenIsLeftToTheProvidersWord) {
    open();
    const auto requesting = begun("k1");
    const auto held = this->held("k2");
    auto confirming = begun("k3");
    become(confirming, AttemptState::confirming, Status::AUTORIZADA);
    auto retracting = begun("k6");
    become(retracting, AttemptState::retracting, Status::PENDENTE);
    auto cancelling = begun("k4");
    become(cancelling, AttemptState::cancelling, Status::CANCELADA);
    const auto esim = begun("k5", Family::esim);
    ASSERT_TRUE(clock.run(journal->save_token(KeptToken{.access = Secret("a"), .refresh = Secret("r")})).has_value());
    ASSERT_TRUE(back_up(path, copy).has_value());
    close();
    clock.jump(1s);
    const auto restored = restore(copy, path, clock.wall());
    ASSERT_TRUE(restored.has_value()) << restored.error();
    EXPECT_EQ(restored->unsure, 5);
    open();
    for (const auto& sale : {requesting, held, confirming, retracting}) {
        const auto now = found(sale.id);
        EXPECT_EQ(now.current().state, AttemptState::disputing);
        EXPECT_EQ(now.current().id_externo, sale.current().id_externo);
        EXPECT_EQ(now.current().cancel_time, sale.current().cancel_time.value_or(clock.wall()));
        EXPECT_EQ(now.current().confirm_time, std::nullopt) << "it may have been cancelled since: nothing is confirmed";
        EXPECT_EQ(now.current().deadline, never);
        EXPECT_EQ(now.status, Status::AUTORIZADA);
        EXPECT_EQ(now.attention, Attention::restored);
        const auto history = clock.run(journal->history(sale.id));
        EXPECT_EQ(history->events.back().event, "restored");
    }
    EXPECT_EQ(found(cancelling.id).current().state, AttemptState::cancelling)
        << "no confirm was ever sent, nor will be";
    EXPECT_EQ(found(cancelling.id).attention, Attention::none);
    EXPECT_EQ(found(esim.id).current().state, AttemptState::requesting) << "the start makes it wait for its callback";
    EXPECT_EQ(found(esim.id).attention, Attention::restored);
    EXPECT_EQ(*clock.run(journal->load_token()), std::nullopt);
}

TEST_F(CopyTest, AJournalThatCameBackByOtherMeansIsMarkedInItsPlace) {
    open();
    const auto held = this->held("k1");
    ASSERT_TRUE(clock.run(journal->save_token(KeptToken{.access = Secret("a"), .refresh = Secret("r")})).has_value());
    EXPECT_THAT(mark_restored(path, clock.wall()).error(),
                HasSubstr("another sales-gateway process, a gateway or copy-journal, holds "));
    close();
    EXPECT_EQ(contents_of_journal(path)->open, 1);
    const auto marked = mark_restored(path, clock.wall());
    ASSERT_TRUE(marked.has_value()) << marked.error();
    EXPECT_EQ(marked->contents.sales, 1);
    EXPECT_EQ(marked->unsure, 1);
    open();
    EXPECT_EQ(found(held.id).attention, Attention::restored);
    EXPECT_EQ(found(held.id).current().state, AttemptState::disputing);
    EXPECT_FALSE(clock.run(journal->load_token()).value());
    const auto absent = folder.path("absent.db");
    EXPECT_THAT(mark_restored(absent, clock.wall()).error(), HasSubstr("there is no journal"));
    EXPECT_FALSE(std::filesystem::exists(absent));
    EXPECT_THAT(contents_of_journal(absent).error(), HasSubstr("there is no journal"));
}

TEST_F(CopyTest, ACopyIsInstalledWhereThereIsNoJournalOrNoneAnyMore) {
    open();
    const auto sale = begun("k1");
    ASSERT_TRUE(back_up(path, copy).has_value());
    close();
    std::filesystem::remove(path);
    EXPECT_THAT(why_not(path), HasSubstr("it is missing"));
    for (const auto* name : {"journal.db", "elsewhere.db"}) {
        path = folder.path(name);
        const auto restored = restore(copy, path, clock.wall());
        ASSERT_TRUE(restored.has_value()) << restored.error();
        EXPECT_EQ(restored->set_aside, "");
        open();
        EXPECT_TRUE(knows(sale));
        close();
    }
}

TEST_F(CopyTest, ALinkToTheJournalStaysOne) {
    open();
    const auto sale = begun("k1");
    const auto link = folder.path("link.db");
    std::filesystem::create_symlink(path, link);
    ASSERT_TRUE(back_up(link, copy).has_value());
    EXPECT_THAT(restore(copy, link, clock.wall()).error(),
                HasSubstr("another sales-gateway process, a gateway or copy-journal, holds "));
    EXPECT_TRUE(clock.run(journal->probe()).has_value()) << "the gateway that runs on it goes on";
    close();
    const auto restored = restore(copy, link, clock.wall());
    ASSERT_TRUE(restored.has_value()) << restored.error();
    EXPECT_THAT(restored->set_aside, StartsWith(path));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    open();
    EXPECT_TRUE(knows(sale));
}

TEST_F(CopyTest, WhatIsNoCopyReplacesNothing) {
    open();
    const auto sale = begun("k1");
    close();
    const auto before = contents_of(path);
    EXPECT_THAT(restore(copy, path, clock.wall()).error(), HasSubstr("there is no copy"));
    EXPECT_THAT(restore(path, path, clock.wall()).error(), HasSubstr("is the journal itself"));
    folder.write("copy.db", "rubbish, and more of it than a database has at its beginning");
    EXPECT_THAT(restore(copy, path, clock.wall()).error(), HasSubstr("not a database at all"));
    EXPECT_EQ(contents_of(path), before);
    open();
    EXPECT_TRUE(knows(sale));
}

// The journal that it was moved to is lost, and what is left is not the newest.
TEST_F(CopyTest, AJournalThatWasMovedAwayIsACopyLikeAnyOther) {
    open();
    const auto sale = begun("k1");
    close();
    note(path, {MovingMark::State::moved, "c", "postgresql://x", clock.wall()});
    EXPECT_THAT(why_not(path), HasSubstr("it was moved to postgresql://x"));
    const auto made = back_up(path, copy);
    ASSERT_TRUE(made.has_value()) << "it is read as before";
    EXPECT_THAT(made->warnings, testing::ElementsAre(HasSubstr("no gateway starts on " + path +
                                                               ": it was moved to postgresql://x at ")));
    ASSERT_TRUE(restore(copy, path, clock.wall()).has_value());
    open();
    EXPECT_EQ(found(sale.id).attention, Attention::restored);
}

TEST_F(CopyTest, AJournalThatHasNotArrivedAsAWholeIsNotRestored) {
    open();
    ASSERT_TRUE(back_up(path, copy).has_value());
    close();
    note(copy, {MovingMark::State::arriving, "c", "postgresql://x", clock.wall()});
    EXPECT_THAT(restore(copy, path, clock.wall()).error(), HasSubstr("a copy of postgresql://x that is not whole yet"));
    open();
}

TEST_F(CopyTest, NoGatewayStartsOnAJournalWhoseRestoreWasInterrupted) {
    open();
    const auto sale = begun("k1");
    ASSERT_TRUE(back_up(path, copy).has_value());
    close();
    // A crash can leave this: the new journal is ready, and the old one is partly gone.
    std::filesystem::rename(path, path + ".replaced-x");
    std::filesystem::copy_file(copy, path + ".restored");
    EXPECT_TRUE(restore_is_unfinished(path));
    EXPECT_THAT(why_not(path), HasSubstr("call sales-gateway restore once more"));
    EXPECT_FALSE(std::filesystem::exists(path)) << "and makes no new one";
    ASSERT_TRUE(restore(copy, path, clock.wall()).has_value());
    EXPECT_FALSE(restore_is_unfinished(path));
    open();
    EXPECT_TRUE(knows(sale));
}

}  // namespace
}  // namespace gateway::test
