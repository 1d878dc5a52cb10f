// This is a journal in a file of the test's own, which the test alters past it. Nothing waits for a disk.
#pragma once

#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/journal/journal_user.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway::test {

class SqliteRig : public testing::Test, protected JournalUser {
  protected:
    SqliteRig() { CountingVfs::counted.flush_skipped = true; }
    ~SqliteRig() override { journal.reset(); }

    // Opens the journal with these keys. Returns why it is refused; empty: it is open.
    std::string why_not(const std::vector<Secret>& keys) {
        beside_.reset();
        journal.reset();
        const JournalOptions options{.path = path,
                                     .keys = keys,
                                     .random = &random,
                                     .vfs = CountingVfs::name,
                                     .durability = Durability::inline_,
                                     .log_bytes = short_log_bytes};
        auto opened = open_sqlite_journal(io.get_executor(), options, clock);
        if (opened.has_error()) return opened.error();
        journal = std::move(*opened);
        return "";
    }
    void open(const std::vector<Secret>& keys = {}) { ASSERT_EQ(why_not(keys), ""); }

    // Returns another connection, which is valid until the journal is opened again.
    sqlite::Database& beside() {
        if (!beside_) beside_ = *sqlite::Database::open(path, nullptr);
        return *beside_;
    }
    void sql(const std::string& statements) {
        ASSERT_TRUE(beside().run(statements.c_str()).has_value()) << statements << ": " << beside().message();
    }
    std::vector<std::string> texts(const std::string& query) {
        std::vector<std::string> all;
        const auto found = beside().ask(query).value();
        for (const auto& row : found)
            all.emplace_back(row.text(0));
        return all;
    }
    std::string text(const std::string& query) { return texts(query).at(0); }
    void keep(const std::string& table) {
        sql(fmt::format("DROP TABLE IF EXISTS temp.kept_{0}; CREATE TEMP TABLE kept_{0} AS SELECT * FROM {0}", table));
    }
    void put_back(const std::string& table) {
        sql(fmt::format("DELETE FROM {0}; INSERT INTO {0} SELECT * FROM temp.kept_{0}", table));
    }

    CountingVfs vfs;
    TemporaryFolder folder;
    std::string path = folder.path("journal.db");

  private:
    std::optional<sqlite::Database> beside_;
};

}  // namespace gateway::test
