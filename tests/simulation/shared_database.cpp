#include "simulation/shared_database.hpp"

#include "base/check.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/error.hpp"
#include "simulation/sqlite_dialect.hpp"
#include "simulation/world.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gateway::simulation {
namespace {

// This is the setting idle_in_transaction_session_timeout of a gateway's connections.
constexpr Duration idle_most{2'000};

using Locks = SqliteText::Locks;

constexpr std::string_view dead_lock = "40P01";
constexpr std::string_view not_unique = "23505";

// Adds the statement's present row, from column `first` on.
void add_row(Rows& rows, sqlite3_stmt* statement, int first) {
    const int columns = sqlite3_column_count(statement);
    rows.expect(static_cast<std::size_t>(columns - first));
    for (int column = first; column < columns; ++column) {
        const auto type = sqlite3_column_type(statement, column);
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        using Kind = Rows::Kind;
        rows.add(type == SQLITE_NULL      ? Kind::null
                 : type == SQLITE_INTEGER ? Kind::integer
                                          : Kind::text,
                 sqlite3_column_int64(statement, column), size > 0 ? std::string_view(text, size) : std::string_view());
    }
}

// Here no server knows the type of a parameter, so digits are bound as a number; a column of texts makes a text of it
// again. A value that may be encrypted is never encrypted here, and is kept as its text.
void bind(sqlite3_stmt* statement, const postgres::Parameters& parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto parameter = parameters.at(i);
        const int index = static_cast<int>(i) + 1;
        if (parameter.data == nullptr || index > sqlite3_bind_parameter_count(statement)) continue;
        std::string_view text(parameter.data, static_cast<std::size_t>(parameter.length));
        if (parameter.is_bytes) {
            CHECK(text.starts_with(postgres::text_mark));
            text.remove_prefix(1);
        }
        std::int64_t number = 0;
        const auto* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        const bool is_number = !parameter.is_bytes && !text.empty() && read.ec == std::errc() && read.ptr == end;
        if (is_number && std::to_string(number) == text)
            sqlite3_bind_int64(statement, index, number);
        else
            sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    }
}

struct FreeValue {
    void operator()(sqlite3_value* value) const noexcept { sqlite3_value_free(value); }
};

sqlite3* open_on(Disk& disk) {
    (void)disk.mount();
    sqlite3* database = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    CHECK(sqlite3_open_v2(journal_path, &database, flags, Disk::vfs()) == SQLITE_OK);
    // The server's disk is well, and everything that is written to the file is committed.
    constexpr auto settings =
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
        "PRAGMA cache_spill = OFF; PRAGMA temp_store = MEMORY";
    CHECK(sqlite3_exec(database, settings, nullptr, nullptr, nullptr) == SQLITE_OK);
    return database;
}

// It is made once.
const Disk& new_database() {
    static const Disk made = [] {
        Disk disk;
        auto* const before = disk.mount();
        auto* const database = open_on(disk);
        const auto tables = "BEGIN;" + shared_tables() + "COMMIT";
        char* words = nullptr;
        sqlite3_create_function(
            database, "nextval", 1, SQLITE_UTF8, nullptr, [](auto*, int, auto**) {}, nullptr, nullptr);
        if (sqlite3_exec(database, tables.c_str(), nullptr, nullptr, &words) != SQLITE_OK)
            throw std::logic_error(std::string("SQLite does not take the tables: ") + words);
        sqlite3_close_v2(database);
        if (before != nullptr) before->mount();
        return disk.at_rest();
    }();
    return made;
}

}  // namespace

struct SharedDatabase::Text {
    SqliteText text;
    sqlite3_stmt* statement = nullptr;  // nullptr: it is not prepared
};

// This is a row that a transaction has changed: its content there, or nothing where it is deleted.
struct SharedDatabase::Aside {
    Place place;
    bool is_new = false;
    std::vector<std::unique_ptr<sqlite3_value, FreeValue>> values{};  // the first value is its number
};

struct SharedDatabase::Open {
    Connection connection = 0;
    std::string run{};
    std::vector<Asked> round{};  // the round that is under way
    Answer answer{};             // the answer to it
    Tell tell{};
    bool is_busy = false;
    bool commits = false;
    Time idle_since{};
    Connections waits_for{};
    std::map<Place, bool> locks{};    // with true where it has the lock alone
    std::map<Place, bool> changed{};  // with true where the row is new; while its changes are in the database
    std::vector<Aside> aside{};       // the changed rows while they are not in the database

    bool has_changed(const std::string& table) const {
        const auto is_of_table = [&](const Place& place) { return place.table == table; };
        return std::ranges::any_of(changed, [&](const auto& one) { return is_of_table(one.first); }) ||
               std::ranges::any_of(aside, is_of_table, &Aside::place);
    }
};

// This is what a statement did.
struct SharedDatabase::Run {
    int code = SQLITE_OK;
    Rows rows{};
    std::vector<std::int64_t> selected{};  // the rows that it locks
    std::vector<Change> changes{};
};

// This is the result of a statement of a transaction.
struct SharedDatabase::Done {
    Rows rows{};
    Connections waits_for{};  // not empty: nothing was done
    int code = SQLITE_OK;
};

SharedDatabase::SharedDatabase(World& world) : world_(world) {
    world_.disk() = new_database().at_rest();
    open();
}

SharedDatabase::~SharedDatabase() {
    let_go();
}

void SharedDatabase::open() {
    database_ = open_on(world_.disk());
    sqlite3_update_hook(database_, &SharedDatabase::note_change, this);
    const auto add = [&](const char* name, int values, auto* function) {
        sqlite3_create_function(database_, name, values, SQLITE_UTF8, this, function, nullptr, nullptr);
    };
    add("nextval", 1, &SharedDatabase::next_value);
    add("may_lock", 2, &SharedDatabase::may_lock);
    add("clock_timestamp", 0, &SharedDatabase::clock_timestamp);
    if (hooks().statement)
        if (const auto altered = hooks().statement("opening", {}); !altered.empty()) step(altered);
    owned_.clear();
    each("SELECT rowid, owner, step FROM sales", {}, [&](auto* row) {
        owned_[sqlite3_column_int64(row, 0)] = {reinterpret_cast<const char*>(sqlite3_column_text(row, 1)),
                                                sqlite3_column_int64(row, 2)};
    });
}

// The transactions that are open are lost.
void SharedDatabase::let_go() {
    open_.clear();
    standing_ = nullptr;
    for (auto& [sql, text] : texts_)
        sqlite3_finalize(std::exchange(text.statement, nullptr));
    sqlite3_close_v2(std::exchange(database_, nullptr));
}

void SharedDatabase::standby_falls_behind() {
    if (!behind_) behind_.emplace(Standby{.disk = world_.disk().copy()});
}

void SharedDatabase::standby_is_back() {
    if (!behind_) return;
    const auto waiting = std::move(behind_->waiting);
    behind_.reset();
    for (const auto& then : waiting)
        then();
}

void SharedDatabase::promote() {
    if (!behind_) return;
    let_go();
    world_.disk() = std::move(behind_->disk);
    behind_.reset();
    open();
}

const Disk& SharedDatabase::durable() const {
    return behind_ ? behind_->disk : world_.disk();
}

void SharedDatabase::once_durable(std::function<void()> then) {
    if (!behind_) return then();
    behind_->waiting.push_back(std::move(then));
}

auto SharedDatabase::text(std::string_view name, std::string_view sql) -> Text& {
    const auto known = texts_.find(sql);
    if (known != texts_.end()) return known->second;
    std::string altered(sql);
    if (!name.empty() && hooks().statement) altered = hooks().statement(name, std::move(altered));
    return texts_.emplace(sql, Text{as_sqlite_takes_it(std::move(altered))}).first->second;
}

sqlite3_stmt* SharedDatabase::ready(Text& text) {
    const auto& sql = text.text.sql;
    if (text.statement == nullptr) {
        const int code = sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()),
                                            SQLITE_PREPARE_PERSISTENT, &text.statement, nullptr);
        if (code != SQLITE_OK) throw std::logic_error("SQLite does not take " + sql + ": " + sqlite3_errmsg(database_));
    }
    sqlite3_clear_bindings(text.statement);
    return text.statement;
}

template <class Take>
void SharedDatabase::each(std::string_view sql, const postgres::Parameters& parameters, Take take) {
    auto* const statement = ready(text({}, sql));
    bind(statement, parameters);
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement))
        take(statement);
    sqlite3_reset(statement);
    if (code != SQLITE_DONE) throw std::logic_error(std::string(sql) + ": " + sqlite3_errmsg(database_));
}

void SharedDatabase::step(std::string_view sql) {
    each(sql, {}, [](auto*) {});
}

void SharedDatabase::note_change(void* self, int kind, const char*, const char* table, sqlite3_int64 row) {
    static_cast<SharedDatabase*>(self)->changes_.push_back({kind, table, row});
}

// A number is given only once, whatever becomes of the transaction.
void SharedDatabase::next_value(sqlite3_context* context, int, sqlite3_value** values) {
    auto& self = *static_cast<SharedDatabase*>(sqlite3_user_data(context));
    sqlite3_result_int64(context, ++self.last_values_[reinterpret_cast<const char*>(sqlite3_value_text(values[0]))]);
}

// Tells SQLite whether no other transaction has the row.
void SharedDatabase::may_lock(sqlite3_context* context, int, sqlite3_value** values) {
    const auto& self = *static_cast<SharedDatabase*>(sqlite3_user_data(context));
    const Place place{.table = reinterpret_cast<const char*>(sqlite3_value_text(values[0])),
                      .row = sqlite3_value_int64(values[1])};
    const auto has_it = [&](const auto& one) {
        return &one.second != self.selecting_ && one.second.locks.contains(place);
    };
    sqlite3_result_int(context, std::ranges::any_of(self.open_, has_it) ? 0 : 1);
}

void SharedDatabase::clock_timestamp(sqlite3_context* context, int, sqlite3_value**) {
    const auto& self = *static_cast<SharedDatabase*>(sqlite3_user_data(context));
    sqlite3_result_int64(context, std::chrono::floor<Duration>(self.world_.now()).count());
}

auto SharedDatabase::asked(std::span<const postgres::Command> commands) -> std::vector<Asked> {
    std::vector<Asked> all;
    for (const auto& [statement, parameters] : commands)
        all.push_back(
            {&text(statement.name, statement.sql), parameters != nullptr ? *parameters : postgres::Parameters()});
    return all;
}

void SharedDatabase::take(Message message, Duration late, Tell tell) {
    end_idle();
    if (message.begins) open_[message.connection] = {.connection = message.connection, .run = message.run};
    const auto found = open_.find(message.connection);
    if (found != open_.end()) {
        found->second.is_busy = true;
        found->second.commits = message.commits;
    }
    if (late == Duration(0)) return perform(std::move(message), std::move(tell));
    world_.in(late, [this, message = std::move(message), tell = std::move(tell)] { perform(message, tell); });
}

void SharedDatabase::perform(Message message, Tell tell) {
    const auto found = open_.find(message.connection);
    if (found == open_.end()) return tell({.error = postgres::sql_error(postgres::state::connection_failure)});
    auto& open = found->second;
    open.round = std::move(message.round);
    open.answer = {};
    open.tell = std::move(tell);
    if (!message.commits) return go_on(open);
    if (message.waits)
        open.tell = [this, then = std::move(open.tell)](const Answer& answer) {
            once_durable([then, answer] { then(answer); });
        };
    commit(open);
}

void SharedDatabase::close(Connection connection) {
    const auto found = open_.find(connection);
    if (found == open_.end() || found->second.commits) return;
    end(connection);
    wake();
}

void SharedDatabase::go_on(Open& open) {
    for (auto next = open.answer.rows.size(); next < open.round.size(); ++next) {
        auto done = execute(open, open.round[next]);
        open.waits_for = std::move(done.waits_for);
        if (open.waits_for.empty() && done.code != SQLITE_OK) return fail(open, not_unique);
        if (waits_for_itself(open)) return fail(open, dead_lock);
        if (!open.waits_for.empty()) return end_idle_later();
        open.answer.rows.push_back(std::move(done.rows));
    }
    open.is_busy = false;
    open.idle_since = world_.now();
    const auto waits = [](const auto& one) { return !one.second.waits_for.empty(); };
    if (std::ranges::any_of(open_, waits)) end_idle_later();
    open.tell(std::move(open.answer));
}

void SharedDatabase::commit(Open& open) {
    stand_in(open, false);
    if (standing_ == &open) {
        look_at_changes(open);
        step("COMMIT");
        standing_ = nullptr;
    }
    const auto tell = std::move(open.tell);
    open_.erase(open.connection);
    tell({});
    wake();
}

void SharedDatabase::fail(Open& open, std::string_view state) {
    world_.note("server: a transaction of {} ends with {}", open.run, state);
    const auto tell = std::move(open.tell);
    end(open.connection);
    tell({.error = postgres::sql_error(state)});
    wake();
}

void SharedDatabase::end(Connection connection) {
    const auto found = open_.find(connection);
    if (standing_ == &found->second) {
        step("ROLLBACK");
        standing_ = nullptr;
    }
    open_.erase(found);
}

void SharedDatabase::end_idle() {
    Connections idle;
    for (const auto& [connection, open] : open_)
        if (!open.is_busy && world_.now() - open.idle_since >= idle_most) idle.insert(connection);
    for (const auto connection : idle)
        end(connection);
    if (!idle.empty()) wake();
}

void SharedDatabase::end_idle_later() {
    world_.in(idle_most, [this] { end_idle(); });
}

// Continues the transactions that waited for one that has ended.
void SharedDatabase::wake() {
    const auto may_go_on = [&](const auto& one) {
        const auto& others = one.second.waits_for;
        return !others.empty() && std::ranges::none_of(others, [&](auto other) { return open_.contains(other); });
    };
    for (auto next = std::ranges::find_if(open_, may_go_on); next != open_.end();
         next = std::ranges::find_if(open_, may_go_on)) {
        next->second.waits_for.clear();
        go_on(next->second);
    }
}

bool SharedDatabase::waits_for_itself(const Open& open) const {
    Connections seen;
    std::vector<Connection> next(open.waits_for.begin(), open.waits_for.end());
    while (!next.empty()) {
        const auto one = open_.find(next.back());
        next.pop_back();
        if (one == open_.end() || !seen.insert(one->first).second) continue;
        if (&one->second == &open) return true;
        next.insert(next.end(), one->second.waits_for.begin(), one->second.waits_for.end());
    }
    return false;
}

auto SharedDatabase::others_that_hold(const Open& open, const Place& place, bool alone) const -> Connections {
    Connections others;
    for (const auto& [connection, other] : open_) {
        if (&other == &open) continue;
        const auto held = other.locks.find(place);
        if (held != other.locks.end() && (alone || held->second)) others.insert(connection);
    }
    return others;
}

auto SharedDatabase::execute(Open& open, const Asked& asked) -> Done {
    const auto& [sql, locks, table, writes, inserts] = asked.text->text;
    const bool is_beside_others = open_.size() > 1;
    Done done;
    if (is_beside_others && inserts) done.waits_for = others_that_are_met(open, asked);
    if (!done.waits_for.empty()) return done;
    stand_in(open, writes);
    if (is_beside_others && writes) step("SAVEPOINT before");
    selecting_ = &open;
    auto run = this->run(asked);
    std::map<Place, bool> wanted;
    if (locks == Locks::words_alone || locks == Locks::words_with_others)
        wanted.emplace(Place{.words = asked.parameters.at(0).data}, locks == Locks::words_alone);
    for (const auto row : run.selected)
        wanted.emplace(Place{.table = table, .row = row}, locks == Locks::rows_alone);
    const auto is_new = [&](const Change& change) {
        const auto known = open.changed.find({.table = change.table, .row = change.row});
        return change.kind == SQLITE_INSERT || (known != open.changed.end() && known->second);
    };
    for (const auto& change : run.changes)
        if (!is_new(change)) wanted[{.table = change.table, .row = change.row}] = true;
    if (is_beside_others)
        for (const auto& [place, alone] : wanted)
            done.waits_for.merge(others_that_hold(open, place, alone));
    if (is_beside_others && writes && !done.waits_for.empty()) step("ROLLBACK TO before");
    if (is_beside_others && writes) step("RELEASE before");
    done.code = run.code;
    if (!done.waits_for.empty()) return done;
    for (const auto& change : run.changes) {
        const Place place{.table = change.table, .row = change.row};
        if (const bool was_made_here = is_new(change); was_made_here && change.kind == SQLITE_DELETE)
            open.changed.erase(place);
        else
            open.changed[place] = was_made_here;
    }
    for (const auto& [place, alone] : wanted)
        open.locks[place] = open.locks[place] || alone;
    done.rows = std::move(run.rows);
    return done;
}

// Runs the statement on the present content.
auto SharedDatabase::run(const Asked& asked) -> Run {
    auto* const statement = ready(*asked.text);
    bind(statement, asked.parameters);
    const auto& text = asked.text->text;
    const bool selects_to_lock = text.locks == Locks::rows_alone || text.locks == Locks::rows_with_others;
    changes_.clear();
    Run run;
    run.code = sqlite3_step(statement);
    for (; run.code == SQLITE_ROW; run.code = sqlite3_step(statement)) {
        if (selects_to_lock) run.selected.push_back(sqlite3_column_int64(statement, 0));
        add_row(run.rows, statement, selects_to_lock ? 1 : 0);
    }
    if (text.writes) run.rows.set_changed(sqlite3_changes(database_));
    sqlite3_reset(statement);
    if (run.code == SQLITE_DONE) run.code = SQLITE_OK;
    if (run.code != SQLITE_OK && run.code != SQLITE_CONSTRAINT)
        throw std::logic_error(text.sql + ": " + sqlite3_errmsg(database_));
    run.changes = std::exchange(changes_, {});
    return run;
}

// Returns the transactions whose rows, which nobody sees yet, decide what an insertion does. It waits for their ends.
auto SharedDatabase::others_that_are_met(Open& open, const Asked& asked) -> Connections {
    Connections others;
    const auto told = [](const Run& run) {
        std::vector<int> kinds{run.code};
        for (const auto& change : run.changes)
            kinds.push_back(change.kind);
        return kinds;
    };
    for (const auto& [connection, other] : open_) {
        if (&other == &open || !other.has_changed(asked.text->text.table)) continue;
        put_aside();
        if (told(run_beside(nullptr, open, asked)) != told(run_beside(&other, open, asked))) others.insert(connection);
    }
    return others;
}

auto SharedDatabase::run_beside(const Open* other, const Open& open, const Asked& asked) -> Run {
    step("BEGIN");
    if (other != nullptr) restore(*other, nullptr);
    restore(open, nullptr);
    auto run = this->run(asked);
    step("ROLLBACK");
    return run;
}

void SharedDatabase::stand_in(Open& open, bool writes) {
    if (standing_ == &open) return;
    put_aside();
    if (!writes && open.aside.empty()) return;
    step("BEGIN");
    standing_ = &open;
    restore(open, &open.changed);
    open.aside.clear();
}

void SharedDatabase::put_aside() {
    if (standing_ == nullptr) return;
    for (const auto& [place, is_new] : standing_->changed) {
        auto& aside = standing_->aside.emplace_back(Aside{.place = place, .is_new = is_new});
        const postgres::Parameters number{place.row};
        each("SELECT rowid, * FROM " + place.table + " WHERE rowid = ?1", number, [&](auto* row) {
            for (int column = 0; column < sqlite3_column_count(row); ++column)
                aside.values.emplace_back(sqlite3_value_dup(sqlite3_column_value(row, column)));
        });
    }
    standing_->changed.clear();
    standing_ = nullptr;
    step("ROLLBACK");
}

// A new row may get another place than it had, because nobody else has seen it there.
void SharedDatabase::restore(const Open& open, std::map<Place, bool>* changed) {
    for (const auto& aside : open.aside) {
        if (aside.is_new) continue;
        const postgres::Parameters number{aside.place.row};
        each("DELETE FROM " + aside.place.table + " WHERE rowid = ?1", number, [](auto*) {});
    }
    for (const auto& [place, is_new, values] : open.aside) {
        auto at = place;
        if (!values.empty()) {
            auto* const statement = ready(text({}, insertion_into(place.table)));
            for (int i = is_new ? 1 : 0; i < static_cast<int>(values.size()); ++i)
                sqlite3_bind_value(statement, i + 1, values[static_cast<std::size_t>(i)].get());
            CHECK(sqlite3_step(statement) == SQLITE_DONE);
            sqlite3_reset(statement);
            at.row = sqlite3_last_insert_rowid(database_);
        }
        if (changed != nullptr) changed->emplace(std::move(at), is_new);
    }
}

std::string SharedDatabase::insertion_into(const std::string& table) {
    auto* const statement = ready(text({}, "SELECT * FROM " + table));
    std::string columns = "rowid";
    std::string values = "?1";
    for (int column = 0; column < sqlite3_column_count(statement); ++column) {
        columns.append(", ").append(sqlite3_column_name(statement, column));
        values.append(", ?").append(std::to_string(column + 2));
    }
    return "INSERT INTO " + table + " (" + columns + ") VALUES (" + values + ")";
}

// Checks what is about to be committed, whatever the conditions of the statements were.
void SharedDatabase::look_at_changes(const Open& open) {
    auto& promises = world_.promises();
    for (const auto& one : open.changed) {
        const auto& place = one.first;
        const bool is_new = one.second;
        const postgres::Parameters number{place.row};
        if (place.table == "gateways" && is_new)
            each(
                "SELECT name FROM gateways WHERE ended = 0 GROUP BY name HAVING count(*) > 1"
                " UNION ALL SELECT file FROM gateways WHERE ended = 0 GROUP BY file HAVING count(*) > 1",
                {}, [&](auto* row) {
                    promises.owned_twice(std::string("two runs live of ") +
                                         reinterpret_cast<const char*>(sqlite3_column_text(row, 0)));
                });
        if (place.table != "sales") continue;
        each("SELECT owner, step, id FROM sales WHERE rowid = ?1", number, [&](auto* row) {
            const auto column = [&](int index) {
                return std::string(reinterpret_cast<const char*>(sqlite3_column_text(row, index)));
            };
            Owned now{.run = column(0), .step = sqlite3_column_int64(row, 1)};
            auto& before = owned_[place.row];
            if (now.run != before.run)
                world_.note("server: {} gives {} from {} to {}", open.run, column(2), before.run, now.run);
            if (!is_new && now.step != before.step && before.run != open.run)
                promises.owned_twice(open.run + " recorded a step of a sale that " +
                                     (before.run.empty() ? "nobody" : before.run) + " owns");
            if (!is_new && now.run != before.run && !now.run.empty() && !before.run.empty() && is_living(before.run))
                promises.owned_twice(open.run + " took a sale from " + before.run + ", which lives");
            before = std::move(now);
        });
    }
}

bool SharedDatabase::is_living(const std::string& run) {
    bool lives = false;
    each("SELECT 1 FROM gateways WHERE run = ?1 AND ended = 0", {run}, [&](auto*) { lives = true; });
    return lives;
}

bool SharedDatabase::is_over(const std::string& run) {
    put_aside();
    return !is_living(run);
}

}  // namespace gateway::simulation
