// Shared by the tests of moving: journals in files and in databases of the tests' own, with rows that are as odd as
// they may be, and a clock that runs as fast as a test wants.
#pragma once

#include "journal/copy/moving.hpp"
#include "journal/copy/place.hpp"
#include "journal/postgres/postgres_journal.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/journal/postgres/rig.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::moving::test {

using gateway::test::PostgresCluster;

// This is the system's clock, running `speed` times as fast.
class HastyClock final : public Clock {
  public:
    explicit HastyClock(boost::asio::io_context& io) : io_(io), system_(io.get_executor()), began_(system_.now()) {}
    Instant now() const override { return began_ + (system_.now() - began_) * speed; }
    WallTime wall() const override { return system_.wall(); }
    std::unique_ptr<Timer> make_timer() override { return std::make_unique<HastyTimer>(*this); }

    int speed = 1;
    std::function<void(Duration)> waits{};

  private:
    class HastyTimer final : public Timer {
      public:
        explicit HastyTimer(HastyClock& clock) : clock_(clock), timer_(clock.system_.make_timer()) {}
        boost::asio::awaitable<Wake> wait_until(Instant when) override {
            if (when == never) co_return co_await timer_->wait_until(never);
            const auto length = when - clock_.now();
            if (clock_.waits) clock_.waits(std::chrono::duration_cast<Duration>(length));
            co_return co_await timer_->wait_until(clock_.system_.now() + length / clock_.speed);
        }
        void notify() override { timer_->notify(); }

      private:
        HastyClock& clock_;
        const std::unique_ptr<Timer> timer_;
    };

    boost::asio::io_context& io_;
    SystemClock system_;
    const Instant began_;
};

// This is a database of the test's own.
class OwnDatabase {
  public:
    OwnDatabase() : name_("moving_" + std::to_string(++made_)) { cluster().sql("CREATE DATABASE " + name_); }
    static PostgresCluster& cluster() { return PostgresCluster::shared(); }
    std::string url() const { return cluster().url(name_); }
    std::string sql(const std::string& commands) const { return cluster().sql(commands, name_); }

  private:
    static inline int made_ = 0;
    const std::string name_;
};

class SilentProgress : public Progress {
  public:
    void begin(const std::string& step, const std::string& of, std::int64_t rows, std::int64_t done) override {
        begun.push_back(step + " " + of);
        if (done > 0) begun.back() += " from " + std::to_string(done) + " of " + std::to_string(rows);
        if (on_begin) on_begin(begun.back());
    }
    void advance(std::int64_t) override {}
    void end() override {}
    void say(const std::string& sentence) override { said += sentence + "\n"; }

    std::vector<std::string> begun;
    std::string said;
    std::function<void(const std::string&)> on_begin{};
};

class MovingTest : public postgres::test::PostgresTest {
  protected:
    // A place is a file's name in the folder, or a URL.
    Explained<std::unique_ptr<Place>> open(const std::string& place) {
        if (!place.starts_with("postgresql")) return open_file(folder.path(place));
        return open_database({.io = io,
                              .clock = clock,
                              .client = postgres::test::built_client(),
                              .connection = options(place).connection,
                              .url = place});
    }
    Explained<Moved> move(const std::string& from, const std::string& to, std::function<bool()> stop = {}) {
        const auto source = open(from);
        if (source.has_error()) return source.error();
        const auto target = open(to);
        if (target.has_error()) return target.error();
        return move_journal({.from = **source,
                             .to = **target,
                             .clock = clock,
                             .random = random,
                             .progress = progress,
                             .stop_wanted = std::move(stop)});
    }
    // Moves the journal. Returns "" where it is moved now, else the reason why it is not.
    std::string why_not(const std::string& from, const std::string& to) {
        const auto moved = move(from, to);
        if (moved.has_error()) return moved.error();
        return *moved == Moved::now ? "" : *moved == Moved::earlier ? "earlier" : "stopped";
    }

    // Starts a gateway's journal on SQLite. Returns "" where it starts, else the reason why it does not.
    std::string start_sqlite(const std::string& file, std::vector<Secret> keys = {}) {
        auto opened = open_sqlite_journal(io.get_executor(),
                                          {.path = folder.path(file),
                                           .keys = std::move(keys),
                                           .random = &random,
                                           .durability = Durability::inline_,
                                           .log_bytes = gateway::test::short_log_bytes},
                                          clock);
        if (opened.has_error()) return opened.error();
        journal = std::move(*opened);
        return "";
    }
    std::string start_postgres(const std::string& url, std::vector<Secret> keys = {}) {
        postgres::PostgresOptions wanted{.session = options(url),
                                         .identity = {.name = "a", .provider = "p", .key_name = "", .rules = "r"},
                                         .keys = std::move(keys)};
        auto opened = run(postgres::open_postgres_journal(io.get_executor(), clock, postgres::test::built_client(),
                                                          std::move(wanted), random));
        if (opened.has_error()) return opened.error();
        journal = std::move(*opened);
        return "";
    }
    // Lets the gateway on PostgreSQL give its sales back, and ends it.
    void stop_postgres() {
        EXPECT_TRUE(run(journal->chain()->give_back()).has_value());
        journal.reset();
    }

    // Runs SQL in the file's journal, as the operator's sqlite3 would.
    void sqlite(const std::string& file, const std::string& commands) {
        auto database = sqlite::Database::open(folder.path(file), nullptr);
        ASSERT_TRUE(database.has_value());
        EXPECT_TRUE(database->run(commands.c_str()).has_value()) << database->message();
    }
    std::string sqlite_text(const std::string& file, const std::string& query) {
        auto database = sqlite::Database::open(folder.path(file), nullptr);
        const auto rows = database->ask(query);
        EXPECT_TRUE(rows.has_value()) << database->message();
        std::string text;
        for (const auto& row : rows.value())
            text += std::string(row.text(0)) + "\n";
        return text;
    }
    // Returns the whole content of the file, with the types of all values.
    std::string everything(const std::string& file) {
        std::string text;
        for (const auto& table : all_tables()) {
            std::string columns, order;
            for (std::size_t i = 0; i < table.columns.size(); ++i) {
                const auto& name = table.columns[i].name;
                columns += (i == 0 ? "quote(" : " || ',' || quote(") + name + ")";
                if (i < table.keys) order += (i == 0 ? "" : ", ") + name;
            }
            text += table.name + ":\n" +
                    sqlite_text(file, "SELECT " + columns + " FROM " + table.name + " ORDER BY " + order);
        }
        return text;
    }
    void make_journal(const std::string& file) {
        ASSERT_EQ(start_sqlite(file), "");
        journal.reset();
    }
    // Makes a journal with two odd sales, `more` usual ones, and something odd in each other table.
    void make_odd_journal(const std::string& file, int more);

    const gateway::test::TemporaryFolder folder;
    HastyClock clock{io};
    gateway::test::SeededRandom random;
    SilentProgress progress;
    std::unique_ptr<Journal> journal;
};

inline void MovingTest::make_odd_journal(const std::string& file, int more) {
    make_journal(file);
    sqlite(file, R"(
INSERT INTO sales VALUES (1, 'S1', 'caixa "1"', 'k''1', x'0100ff00', 'tv', 'm', '000123', 'TV çãõ', 'f\n', 9223372036854775807,
    's', x'00', 'hash', '', -9223372036854775808, 0, 'EFETIVADA', 1, 'none', '{"code":"x"}', 'words 😀', x'', 'goods',
    x'7400', 9223372036854775807, 'no JSON at all', -1, 'line 1' || char(10) || 'line 2 \ " é', x'ff', 'dup', '2026-11-20',
    '2026-11-21');
INSERT INTO sales VALUES (7, 'S7', '', '', '', '', '', '', '', '', 0, '', NULL, NULL, x'00', 0, 0, '', 0, '', NULL, NULL,
    NULL, NULL, NULL, 0, '', 0, '', NULL, NULL, NULL, NULL);
INSERT INTO id_externos VALUES ('E1', 'S1'), ('e1', 'S1'), ('É', 'S7');
INSERT INTO cancelled_keys VALUES ('caixa', 'b', 5), ('caixa', 'B', 6), ('Caixa', 'é', 7);
INSERT INTO notes VALUES (3, 'S1', x'0001'), (9, 'S1', NULL), (10, 'S7', 'nota');
INSERT INTO callbacks VALUES (2, 5, 'S1', 'sale', 0, 'não é JSON'), (4, 5, 'S1', 'recharge', 1, NULL);
INSERT INTO closes VALUES ('000123', 1, 1, '2026-11-20', 5, '', '[]', NULL, NULL),
    ('000123', 2, 2, '2026-11-21', 5, 'Ana', '[]', '{}', 'd');
UPDATE close_series SET series = 2;
INSERT INTO statements VALUES (5, '2026-11-20', 'file', '', 'd', 'r', 1, '', '', 3, 2, 1, 0, NULL),
    (6, '2026-11-20', 'list', 'n', 'd', 'r', 1, 'Ana', 'cents', 3, 2, 1, 0, 5);
INSERT INTO findings VALUES (8, 6, '2026-11-20', 'sold_there', 'E1', NULL, 'E1', '', '', '', NULL, NULL, 5, 'X', 0, '',
    'look', 1, '', 5, NULL, NULL, NULL, NULL), (9, 6, '2026-11-20', 'k', 's', 'S1', '', '', '', '', 1, '', NULL, NULL, 2,
    'd', '', 0, 'e', 5, 6, 'resolved', 'Ana', x'0102');
INSERT INTO id_prefixes VALUES ('AB12', 5);
INSERT INTO token VALUES (1, x'00ff', 'refresh', 5, 6, 'owner');
UPDATE erasure SET done_until = 'S1';
INSERT INTO erase_later VALUES ('S1', NULL), ('S7', 0);
INSERT INTO sealing_keys VALUES ('0123456789abcdef', 1, '~'), ('fedcba9876543210', 0, '');
INSERT INTO duplicate_key VALUES (1, x'0a00');
UPDATE dating SET done_down_to = 8;
)");
    sqlite(file,
           "WITH RECURSIVE i(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM i WHERE i < " + std::to_string(9 + more) +
               ") INSERT INTO sales SELECT i, 'T' || i, 'caixa', 'k' || i, 'd', 'tv', 'm', '000123', 'p', 'f', i,"
               " 's', NULL, NULL, '', i, i, 'EFETIVADA', 1, 'none', NULL, NULL, NULL, NULL, NULL, 0, '[]', i, '{}',"
               " NULL, NULL, '2026-11-20', NULL FROM i WHERE " +
               std::to_string(more) + " > 0");
}

}  // namespace gateway::moving::test
