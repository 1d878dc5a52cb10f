#include "books/statement_folder.hpp"

#include "unit/books/statement_rig.hpp"

#include <filesystem>
#include <fstream>

namespace gateway::test {
namespace {

using namespace testing;

class StatementFolderTest : public StatementRig {
  protected:
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(watched.path(name), std::ios::binary) << text;
    }
    void look(int times = 1) {
        for (int i = 0; i < times; ++i)
            clock->run(looking());
    }
    boost::asio::awaitable<bool> looking() {
        co_await watcher->look();
        co_return true;
    }

    TemporaryFolder watched;
    std::unique_ptr<StatementFolder> watcher = std::make_unique<StatementFolder>(watched.path(""), *reconciler, *clock);
    const std::string text = statement_of({{.id_externo = "01J0ABCDEF0123456789ABCDEF"}});
};

TEST_F(StatementFolderTest, AFileIsReadOnceItIsWholeAndStaysWhereItIs) {
    write("a.txt", text.substr(0, 20));
    look();
    write("a.txt", text);
    look();
    EXPECT_EQ(log.count("statement."), 0u) << "it has changed since the last look";
    look();
    EXPECT_EQ(log.count("statement.read"), 1u);
    look(3);
    EXPECT_EQ(log.count("statement."), 1u);
    EXPECT_TRUE(std::filesystem::exists(watched.path("a.txt")));
    write("b.txt", text);
    const auto before = reconciler->last_read();
    ASSERT_TRUE(before);
    clock->jump(std::chrono::hours(1));
    build();
    watcher = std::make_unique<StatementFolder>(watched.path(""), *reconciler, *clock);
    look(2);
    EXPECT_EQ(log.count("statement."), 1u) << "it is known by its bytes";
    EXPECT_EQ(reconciler->last_read(), before) << "and so is when it was read, after a start too";
    EXPECT_EQ(findings().size(), 1u);
}

TEST_F(StatementFolderTest, AFileThatIsNoneIsSaidOnceAndLookedAtAgainWhenItChanges) {
    write("a.txt", "x");
    look(4);
    EXPECT_EQ(log.count("warn statement.refused"), 1u);
    EXPECT_TRUE(log.has("file=a.txt"));
    write("a.txt", text);
    look(2);
    EXPECT_EQ(log.count("statement.read"), 1u);
    EXPECT_EQ(reconciler->refused(), 1u);
}

TEST_F(StatementFolderTest, WhatIsHiddenOrNoFileOrFarTooLongIsNotRead) {
    write(".a.txt", text);
    std::filesystem::create_directory(watched.path("folder"));
    write("long", "");
    std::filesystem::resize_file(watched.path("long"), std::uintmax_t{1} << 30U);
    look(3);
    EXPECT_EQ(log.count("statement.read"), 0u);
    EXPECT_EQ(log.count("statement.refused"), 1u);
    EXPECT_TRUE(log.has("1073741824 bytes"));
}

TEST_F(StatementFolderTest, TheFileThatChangedLastCountsWhateverItsName) {
    write("b.txt", text);
    write("a.txt", statement_of({}));
    const auto now = std::filesystem::last_write_time(watched.path("b.txt"));
    std::filesystem::last_write_time(watched.path("a.txt"), now + std::chrono::seconds(1));
    look(2);
    EXPECT_EQ(log.count("statement.read"), 2u);
    EXPECT_EQ(findings({.open = true}).size(), 0u) << "the corrected one came later";
    EXPECT_EQ(findings().size(), 1u);
}

TEST_F(StatementFolderTest, NoFileOvertakesOneThatTheJournalDidNotTake) {
    class Failing final : public ForwardingJournal {
      public:
        using ForwardingJournal::ForwardingJournal;
        int fails = 1;
        Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                               const std::vector<Finding>& found) override {
            if (fails-- > 0) co_return errc::journal_unavailable;
            co_return co_await real_->keep_statement(statement, found);
        }
    } failing(*journal);
    in_front = &failing;
    build();
    watcher = std::make_unique<StatementFolder>(watched.path(""), *reconciler, *clock);
    write("a.txt", text);
    write("b.txt", statement_of({}));
    const auto now = std::filesystem::last_write_time(watched.path("a.txt"));
    std::filesystem::last_write_time(watched.path("b.txt"), now + std::chrono::seconds(1));
    look(3);
    EXPECT_EQ(log.count("statement.read"), 0u);
    clock->advance(StatementFolder::read_again);
    look();
    EXPECT_EQ(log.count("statement.read"), 2u);
    EXPECT_EQ(findings({.open = true}).size(), 0u);
    watcher.reset();
    in_front = nullptr;
    build();
}

TEST_F(StatementFolderTest, AFolderThatIsGoneIsSaidOnce) {
    watcher = std::make_unique<StatementFolder>(watched.path("gone"), *reconciler, *clock);
    look(3);
    EXPECT_EQ(log.count("warn statement.refused"), 1u);
    EXPECT_EQ(reconciler->refused(), 1u);
    EXPECT_FALSE(reconciler->last_read());
}

TEST_F(StatementFolderTest, WhatTheJournalDidNotTakeIsTriedAgain) {
    class Failing final : public ForwardingJournal {
      public:
        using ForwardingJournal::ForwardingJournal;
        bool fails = true;
        Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                               const std::vector<Finding>& found) override {
            if (fails) co_return errc::journal_unavailable;
            co_return co_await real_->keep_statement(statement, found);
        }
    } failing(*journal);
    in_front = &failing;
    build();
    watcher = std::make_unique<StatementFolder>(watched.path(""), *reconciler, *clock);
    write("a.txt", text);
    look(4);
    EXPECT_EQ(log.count("statement.read"), 0u);
    EXPECT_EQ(log.count("statement.refused"), 1u) << "the journal says by itself that it is away";
    failing.fails = false;
    clock->advance(StatementFolder::read_again);
    look();
    EXPECT_EQ(log.count("statement.read"), 1u);
    watcher.reset();
    in_front = nullptr;
    build();
}

}  // namespace
}  // namespace gateway::test
