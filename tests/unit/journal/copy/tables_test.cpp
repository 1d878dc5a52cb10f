#include "journal/copy/tables.hpp"

#include "unit/journal/copy/rig.hpp"

#include <set>

namespace gateway::moving::test {
namespace {

using namespace testing;

class TablesTest : public MovingTest {
  protected:
    // "sales.id" and so on, as the list of tables has them.
    static std::set<std::string> listed(Engine engine) {
        std::set<std::string> all;
        for (const auto& table : all_tables())
            for (const auto& column : table.columns) {
                const bool there = engine == Engine::postgres;
                const std::string in = there && table.on_postgres != nullptr ? table.on_postgres : table.name;
                all.insert(in + "." + (there && column.on_postgres != nullptr ? column.on_postgres : column.name));
            }
        return all;
    }
    static std::set<std::string> lines(const std::string& text) {
        std::set<std::string> all;
        for (std::size_t at = 0; at < text.size();) {
            const auto end = std::min(text.find('\n', at), text.size());
            all.insert(text.substr(at, end - at));
            at = end + 1;
        }
        return all;
    }
};

// A further migration that adds a column adds it to the list, or to what is left behind on purpose.
TEST_F(TablesTest, NoColumnOfEitherEngineIsForgotten) {
    make_journal("a.db");
    auto on_sqlite = lines(sqlite_text("a.db",
                                       "SELECT t.name || '.' || c.name FROM pragma_table_list AS t"
                                       " JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'"
                                       " AND t.name NOT IN ('sqlite_schema', 'sqlite_temp_schema', 'journal_file',"
                                       " 'moving')"));
    EXPECT_EQ(on_sqlite, listed(Engine::sqlite));

    const OwnDatabase database;
    ASSERT_EQ(start_postgres(database.url()), "");
    stop_postgres();
    auto there = lines(database.sql(
        "SELECT table_name || '.' || column_name FROM information_schema.columns JOIN"
        " pg_tables ON tablename = table_name AND schemaname = table_schema WHERE"
        " table_schema = 'public' AND table_name NOT IN ('gateways', 'words', 'upkeep', 'commits', 'epoch',"
        " 'moving', 'journal_migrations')"));
    for (const auto* of_gateways : {"sales.owner", "sales.term", "sales.step", "sales.taken_from", "keys.met",
                                    "keys.sale", "token.number", "token.asked_by", "token.asked_until"})
        EXPECT_EQ(there.erase(of_gateways), 1U) << of_gateways;
    EXPECT_EQ(there, listed(Engine::postgres));
}

// Both engines put the rows in one order only where PostgreSQL compares bytes, as SQLite does.
TEST_F(TablesTest, TextsThatOrderRowsAreComparedByteByByte) {
    const OwnDatabase database;
    ASSERT_EQ(start_postgres(database.url()), "");
    stop_postgres();
    for (const auto& table : all_tables())
        for (const auto& column : table.columns.first(table.keys)) {
            if (column.kind != Column::Kind::text) continue;
            const std::string name = table.on_postgres != nullptr ? table.on_postgres : table.name;
            EXPECT_EQ(database.sql("SELECT collation_name FROM information_schema.columns WHERE table_name = '" + name +
                                   "' AND column_name = '" + column.name + "'"),
                      "C")
                << name << "." << column.name;
        }
}

TEST(Tables, TheStatementsAreThoseOfTheEngine) {
    const Table* cancelled = nullptr;
    for (const auto& table : all_tables())
        if (table.name == std::string_view("cancelled_keys")) cancelled = &table;
    ASSERT_NE(cancelled, nullptr);
    EXPECT_EQ(select_sql(*cancelled, Engine::sqlite, true, false),
              "SELECT terminal, key, at FROM cancelled_keys WHERE (terminal, key) > (?1, ?2) ORDER BY terminal, key");
    EXPECT_EQ(select_sql(*cancelled, Engine::postgres, true, true),
              "SELECT terminal, key, cancelled_at FROM keys WHERE sale IS NULL AND (terminal, key) > ($1, $2)"
              " ORDER BY terminal, key LIMIT $3");
    EXPECT_EQ(insert_sql(*cancelled, Engine::postgres),
              "INSERT INTO keys (terminal, key, cancelled_at) VALUES ($1, $2, $3)");
    EXPECT_EQ(last_sql(*cancelled, Engine::postgres),
              "SELECT terminal, key FROM keys WHERE sale IS NULL ORDER BY terminal DESC, key DESC LIMIT 1");
    EXPECT_EQ(count_sql(*cancelled, Engine::sqlite), "SELECT count(*) FROM cancelled_keys");
}

}  // namespace
}  // namespace gateway::moving::test
