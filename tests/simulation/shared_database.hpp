// This is the database that several gateways share: a server, with a standby, that runs their transactions statement by
// statement. Each statement sees what is committed when it begins. The tables and the statements are those for
// PostgreSQL (sqlite_dialect.hpp), in an SQLite on the world's disk. That file has what is committed. The changes of an
// open transaction are taken out of it whenever another one has its turn.
//
// The rows that a transaction has changed, or has selected in order to change them, are its own until it ends, and so
// are its advisory locks. Another transaction waits for them, and its statement is then run again. Of two that wait for
// each other, one fails.
//
// While the standby does not answer, what is committed is seen, but nobody is told. Then the standby is back, or it
// takes the server's place and knows nothing of what waited.
#pragma once

#include "journal/postgres/statement.hpp"
#include "simulation/disk.hpp"
#include "simulation/plan.hpp"

#include <sqlite3.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gateway::postgres {
struct Command;
}

namespace gateway::simulation {

class World;

class SharedDatabase {
  public:
    // `world` must outlive this object. Its disk has the tables from now on.
    explicit SharedDatabase(World& world);
    SharedDatabase(const SharedDatabase&) = delete;
    SharedDatabase& operator=(const SharedDatabase&) = delete;
    ~SharedDatabase();

    // This is what a gateway sends on a connection of its own: a round of statements, of which the first one begins the
    // transaction, or that it commits.

    using Connection = std::uint64_t;
    struct Text;
    struct Asked {
        Text* text;
        postgres::Parameters parameters;
    };
    struct Message {
        Connection connection;
        std::string run;  // the run of the gateway
        bool begins = false;
        std::vector<Asked> round{};
        bool commits = false;
        bool waits = false;  // whether the commit waits until the standby has it, too
    };
    struct Answer {
        std::vector<Rows> rows{};
        boost::system::error_code error{};  // an error ends the transaction
    };
    using Tell = std::function<void(Answer)>;

    Connection connect() { return ++last_connection_; }
    std::vector<Asked> asked(std::span<const postgres::Command> commands);
    // The message has arrived. The server acts on it after `late`.
    void take(Message message, Duration late, Tell tell);
    // The gateway has given up the connection.
    void close(Connection connection);

    // The following concern the standby. What is done while it is behind waits for it.

    void standby_falls_behind();
    void standby_is_back();
    // The standby takes the server's place. What waited for it never happened, and every connection is gone.
    void promote();
    // Returns what the standby has, which is durable.
    const Disk& durable() const;

    // Tells whether the run was ended, or has not begun yet.
    bool is_over(const std::string& run);

  private:
    struct Place {  // a row; or, without a table, an advisory lock under its name
        std::string table;
        std::int64_t row = 0;
        std::string words{};
        auto operator<=>(const Place&) const = default;
    };
    struct Change {
        int kind;  // SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE
        std::string table;
        std::int64_t row;
    };
    struct Aside;
    struct Open;
    struct Run;
    struct Done;
    using Connections = std::set<Connection>;

    void open();
    void let_go();
    Text& text(std::string_view name, std::string_view sql);
    sqlite3_stmt* ready(Text& text);
    void step(std::string_view sql);
    template <class Take>
    void each(std::string_view sql, const postgres::Parameters& parameters, Take take);

    void perform(Message message, Tell tell);
    void go_on(Open& open);
    void commit(Open& open);
    void fail(Open& open, std::string_view state);
    void end(Connection connection);
    void end_idle();
    void end_idle_later();
    void wake();

    Done execute(Open& open, const Asked& asked);
    Run run(const Asked& asked);
    Connections others_that_hold(const Open& open, const Place& place, bool alone) const;
    Connections others_that_are_met(Open& open, const Asked& asked);
    Run run_beside(const Open* other, const Open& open, const Asked& asked);
    bool waits_for_itself(const Open& open) const;

    void stand_in(Open& open, bool writes);
    void put_aside();
    void restore(const Open& open, std::map<Place, bool>* changed);
    std::string insertion_into(const std::string& table);
    void look_at_changes(const Open& open);
    bool is_living(const std::string& run);
    void once_durable(std::function<void()> then);

    static void note_change(void* self, int kind, const char*, const char* table, sqlite3_int64 row);
    static void next_value(sqlite3_context* context, int, sqlite3_value** values);
    static void may_lock(sqlite3_context* context, int, sqlite3_value** values);
    static void clock_timestamp(sqlite3_context* context, int, sqlite3_value** values);

    struct Standby {
        Disk disk;
        std::vector<std::function<void()>> waiting{};
    };
    struct Owned {
        std::string run;
        std::int64_t step = 0;
    };

    World& world_;
    sqlite3* database_ = nullptr;
    std::map<std::string, Text, std::less<>> texts_;  // by the text for PostgreSQL
    std::map<Connection, Open> open_;
    Open* standing_ = nullptr;  // the transaction whose changes are in SQLite; those of all others are put aside
    const Open* selecting_ = nullptr;
    std::vector<Change> changes_;
    std::map<std::string, std::int64_t> last_values_;
    Connection last_connection_ = 0;
    std::optional<Standby> behind_;
    std::map<std::int64_t, Owned> owned_;  // as it was committed last, by the rows of the sales
};

}  // namespace gateway::simulation
