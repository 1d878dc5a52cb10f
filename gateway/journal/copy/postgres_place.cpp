#include "journal/copy/postgres_place.hpp"

#include "journal/chain/lease.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/rows.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace gateway::moving {
namespace {

using postgres::Command;
using postgres::Parameters;
using postgres::Statement;

constexpr Statement has_journal{"moving_has_journal", "SELECT to_regclass('journal_migrations') IS NOT NULL"};
constexpr Statement look{"moving_mark_of_several", "SELECT state, copy, place, at FROM moving"};
constexpr Statement set{"moving_set",
                        "INSERT INTO moving (one, state, copy, place, at) VALUES (1, $1, $2, $3, $4)"
                        " ON CONFLICT (one) DO UPDATE SET state = $1, copy = $2, place = $3, at = $4"};
constexpr Statement take_away{"moving_take_away", "DELETE FROM moving"};
constexpr Statement mark_as_moved{"moving_moved", "SELECT mark_moved($1, $2)"};
constexpr Statement hold_still{"moving_hold_still", "SELECT hold_still()"};

constexpr Statement database_size{"moving_size", "SELECT pg_database_size(current_database())"};
constexpr Statement runs{"moving_runs", "SELECT run, renewals, name FROM gateways WHERE ended = 0"};
constexpr Statement lock_runs{"moving_lock_runs", "SELECT pg_advisory_xact_lock(hashtextextended('gateways', 0))"};
constexpr Statement end_run{"moving_end_run", "UPDATE gateways SET ended = 1 WHERE run = $1 AND renewals = $2"};
constexpr Statement new_run{"moving_new_run", "SELECT name FROM gateways WHERE ended = 0 LIMIT 1"};

// Who carried sales and did not give them back.
constexpr Statement carried{"moving_carried",
                            "SELECT coalesce((SELECT name FROM gateways WHERE run = owner), owner), count(*) FROM sales"
                            " WHERE settled = 0 AND owner <> '' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"};
constexpr Statement waiting{
    "moving_waiting",
    "SELECT note ->> 'gateway', count(*) FROM sales, jsonb_array_elements(taken_from::jsonb) AS note"
    " WHERE taken_from IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 1"};
constexpr Statement words_left{"moving_words", "SELECT count(*) FROM words"};

// Each sale has its key, and each key that is not cancelled its sale.
constexpr Statement keyless{
    "moving_keyless",
    "SELECT count(*) FROM sales AS s WHERE NOT EXISTS"
    " (SELECT 1 FROM keys AS k WHERE k.key = s.key AND k.terminal = s.terminal AND k.sale = s.id)"};
constexpr Statement saleless{
    "moving_saleless",
    "SELECT count(*) FROM keys AS k WHERE sale IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM sales AS s WHERE s.id = k.sale AND s.key = k.key AND s.terminal = k.terminal)"};
constexpr Statement keys_of_sales{"moving_keys",
                                  "INSERT INTO keys (terminal, key, sale) SELECT terminal, key, id FROM sales"
                                  " WHERE n BETWEEN $1 AND $2"};

// New numbers follow those that have arrived.
constexpr std::array go_on_counting{
    Statement{"moving_next_sale",
              "SELECT setval(pg_get_serial_sequence('sales', 'n'), max(n)) FROM sales"
              " HAVING max(n) > 0"},
    Statement{"moving_next_note",
              "SELECT setval(pg_get_serial_sequence('notes', 'n'), max(n)) FROM notes"
              " HAVING max(n) > 0"},
    Statement{"moving_next_callback",
              "SELECT setval(pg_get_serial_sequence('callbacks', 'n'), max(n)) FROM callbacks"
              " HAVING max(n) > 0"},
    Statement{"moving_next_statement",
              "SELECT setval(pg_get_serial_sequence('statements', 'id'), max(id))"
              " FROM statements HAVING max(id) > 0"},
    Statement{"moving_next_finding",
              "SELECT setval(pg_get_serial_sequence('findings', 'number'), max(number))"
              " FROM findings HAVING max(number) > 0"}};
// There is always a row, for gateways to agree in who asks for a token.
constexpr Statement no_token{"moving_no_token", "INSERT INTO token (one) VALUES (1) ON CONFLICT DO NOTHING"};
constexpr Statement count_the_rows{"moving_analyze",
                                   "ANALYZE sales, keys, id_externos, notes, callbacks, closes, statements, findings"};

constexpr std::string_view stop_in_order =
    "start a gateway on it once more, let it decide what is open, and stop it in order (SIGTERM)";

Parameters mark_row(const MovingMark& mark) {
    Parameters row;
    row.add(to_string(mark.state)).add(mark.copy).add(mark.place).add(rows::milliseconds(mark.at));
    return row;
}

void add(Parameters& parameters, const Column& column, const Cell& cell) {
    using Kind = ColumnValue::Kind;
    if (cell.kind == Cell::Kind::null) {
        parameters.add(std::nullopt);
    } else if (cell.kind == Cell::Kind::number) {
        parameters.add(cell.number);
    } else if (column.kind == Column::Kind::sealed) {
        parameters.add_sealed({cell.kind == Cell::Kind::text ? Kind::text : Kind::blob, cell.bytes});
    } else {
        parameters.add(std::string_view(cell.bytes));
    }
}

}  // namespace

Explained<std::unique_ptr<Place>> PostgresPlace::open(PostgresAccess access) {
    std::unique_ptr<PostgresPlace> place(new PostgresPlace(std::move(access)));
    if (auto opened = place->talk_.open(); opened.has_error()) return opened.error();
    const auto there = place->number(has_journal);
    if (there.has_error()) return there.error();
    place->is_there_ = *there != 0;
    return std::unique_ptr<Place>(std::move(place));
}

Statement PostgresPlace::statement(const std::string& name, std::string sql) {
    const auto& [kept_name, kept_sql] = *statements_.try_emplace(name, std::move(sql)).first;
    return {kept_name.c_str(), kept_sql.c_str()};
}

Explained<std::int64_t> PostgresPlace::number(Statement statement) {
    const auto rows = talk_.ask(statement);
    if (rows.has_error()) return rows.error();
    return rows->empty() ? 0 : (*rows)[0].integer(0);
}

Explained<std::optional<MovingMark>> PostgresPlace::mark() {
    if (!is_there_ && arrives_) return name() + " did not say whether it has the mark";
    if (!is_there_) return std::optional<MovingMark>();
    if (auto ready = talk_.migrate(); ready.has_error()) return ready.error();
    const auto rows = talk_.ask(look);
    if (rows.has_error()) return rows.error();
    if (rows->empty()) return std::optional<MovingMark>();
    auto mark = read_mark((*rows)[0]);
    if (!mark) return fmt::format("{}: what copy-journal noted in it cannot be read", name());
    return mark;
}

Explained<std::map<std::string, std::int64_t>> PostgresPlace::dead_runs() {
    std::map<std::string, std::int64_t> before;
    const auto until = talk_.clock().now() + dead_after;
    while (true) {
        const auto found = talk_.ask(runs);
        if (found.has_error()) return found.error();
        std::map<std::string, std::int64_t> now;
        for (std::size_t i = 0; i < found->size(); ++i) {
            const auto row = (*found)[i];
            const auto renewals = row.integer(1);
            now.emplace(row.text(0), renewals);
            if (before.try_emplace(std::string(row.text(0)), renewals).first->second != renewals)
                return fmt::format("the gateway {} is running on {}: stop it first", row.text(2), name());
        }
        if (now.empty() || talk_.clock().now() >= until) return now;
        const auto pause = [this]() -> boost::asio::awaitable<bool> {
            co_await talk_.clock().sleep_for(renew_every);
            co_return true;
        };
        auto pausing = pause();
        (void)talk_.wait_for(std::move(pausing));
    }
}

Done PostgresPlace::nothing_is_left() {
    const auto of_dead = talk_.ask(carried);
    if (of_dead.has_error()) return of_dead.error();
    if (!of_dead->empty())
        return fmt::format("{} open sales on {} are still those of the gateway {}, which did not stop in order: {}",
                           (*of_dead)[0].integer(1), name(), (*of_dead)[0].text(0), stop_in_order);
    const auto notes = talk_.ask(waiting);
    if (notes.has_error()) return notes.error();
    if (!notes->empty())
        return fmt::format(
            "{} sales on {} wait for the gateway {}, which may yet send a request of theirs: start that gateway once "
            "more, or say that it is gone (sales-gateway gateways --gone {}), and stop all of them in order",
            (*notes)[0].integer(1), name(), (*notes)[0].text(0), (*notes)[0].text(0));
    const auto words = number(words_left);
    if (words.has_error()) return words.error();
    if (*words > 0)
        return fmt::format("{} decisions wait on {} for the gateway that carries their sale: {}", *words, name(),
                           stop_in_order);
    return {};
}

// In the transaction that is open: under the lock of the runs no gateway begins meanwhile, and one that stood still
// finds that it has ended.
Done PostgresPlace::end_runs(const std::map<std::string, std::int64_t>& dead) {
    if (const auto locked = talk_.ask(lock_runs); locked.has_error()) return locked.error();
    for (const auto& [run, renewals] : dead) {
        Parameters ended;
        ended.add(run).add(renewals);
        if (const auto over = talk_.ask(end_run, std::move(ended)); over.has_error()) return over.error();
    }
    const auto alive = talk_.ask(new_run);
    if (alive.has_error()) return alive.error();
    if (!alive->empty())
        return fmt::format("the gateway {} has begun on {}: stop it first", (*alive)[0].text(0), name());
    return {};
}

// The second transaction stays open, and keeps everybody else from writing until this object is gone, or the journal is
// marked as moved.
Done PostgresPlace::leave(const MovingMark& mark) {
    if (!is_there_) return fmt::format("there is no journal at {}", name());
    const auto dead = dead_runs();
    if (dead.has_error()) return dead.error();
    if (auto begun = talk_.begin(); begun.has_error()) return begun;
    if (auto ended = end_runs(*dead); ended.has_error()) return ended;
    if (const auto noted = talk_.ask(set, mark_row(mark)); noted.has_error()) return noted.error();
    if (auto done = talk_.commit(); done.has_error()) return done;

    if (auto begun = talk_.begin(); begun.has_error()) return begun;
    const auto is_alone = number(postgres::hold_copying);
    if (is_alone.has_error()) return is_alone.error();
    if (*is_alone == 0) return fmt::format("another copy-journal is copying {} right now", name());
    if (auto ended = end_runs({}); ended.has_error()) return ended;
    if (const auto held = talk_.ask(hold_still); held.has_error()) return held.error();
    return nothing_is_left();
}

Done PostgresPlace::mark_moved(const MovingMark& mark) {
    Parameters parameters;
    parameters.add(mark.copy).add(rows::milliseconds(mark.at));
    const auto moved = talk_.ask(mark_as_moved, std::move(parameters));
    if (moved.has_error()) return moved.error();
    if ((*moved)[0].integer(0) == 0)
        return fmt::format("a gateway has begun on {} meanwhile: stop it, and call this once more", name());
    return talk_.commit();
}

std::uint64_t PostgresPlace::bytes() {
    const auto size = number(database_size);
    return size.has_value() ? static_cast<std::uint64_t>(*size) : 0;
}

Explained<bool> PostgresPlace::is_in_use() {
    if (!is_there_) return false;
    std::string any;
    for (const auto& table : all_tables())
        if (table.tells_of_use)
            any += fmt::format("{}EXISTS (SELECT 1 FROM {})", any.empty() ? "SELECT " : " OR ",
                               table.on_postgres != nullptr ? table.on_postgres : table.name);
    const auto used = number(statement("moving_used", any));
    if (used.has_error()) return used.error();
    return *used != 0;
}

// The tables come with the mark in them: there is no moment at which a gateway would take them for an empty journal.
Done PostgresPlace::arrive(const MovingMark& mark, bool anew) {
    // The rows that a new journal has are not cleared yet, so the copy has no name: nobody goes on with one without.
    auto first = mark;
    first.copy.clear();
    const auto note = [&first](postgres::Transaction& transaction) -> postgres::Awaited<void> {
        const auto noted = co_await transaction.run(set, mark_row(first));
        co_return noted.has_error() ? Result<void>(noted.error()) : Result<void>();
    };
    arrives_ = true;
    if (auto ready = talk_.migrate(note); ready.has_error()) return ready;
    is_there_ = true;
    if (!anew) return {};
    const auto before = this->mark();
    if (before.has_error()) return before.error();
    if (*before && (*before)->copy == mark.copy && (*before)->state == MovingMark::State::leaving)
        return fmt::format("{} and {} are one journal", mark.place, name());
    const auto dead = dead_runs();
    if (dead.has_error()) return dead.error();
    if (auto begun = talk_.begin(); begun.has_error()) return begun;
    if (auto ended = end_runs(*dead); ended.has_error()) return ended;
    if (const auto noted = talk_.ask(set, mark_row(mark)); noted.has_error()) return noted.error();
    for (const auto& table : all_tables()) {
        const auto clearing = statement(fmt::format("moving_clear_{}", table.name), clear_sql(table, Engine::postgres));
        if (const auto cleared = talk_.ask(clearing); cleared.has_error()) return cleared.error();
    }
    return talk_.commit();
}

// In one transaction, sent in one go.
Done PostgresPlace::write(const Table& table, std::span<const Record> records) {
    const auto inserting = statement(fmt::format("moving_insert_{}", table.name), insert_sql(table, Engine::postgres));
    std::vector<Parameters> rows(records.size());
    std::vector<Command> commands;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (const auto* wrong = unfit_for_postgres(table, records[i]); wrong != nullptr)
            return fmt::format(
                "table {}, row {}: PostgreSQL cannot hold what stands in the column {}; it was damaged or altered, and "
                "has to be mended first",
                table.name, keys_in_words(table, records[i]), wrong);
        for (std::size_t c = 0; c < records[i].size(); ++c)
            add(rows[i], table.columns[c], records[i][c]);
        commands.push_back({inserting, &rows[i]});
    }
    Parameters range;
    if (table.columns.front().name == std::string_view("n") && table.name == std::string_view("sales")) {
        range.add(records.front().front().number).add(records.back().front().number);
        commands.push_back({keys_of_sales, &range});
    }
    const auto written = talk_.write(commands);
    if (written.has_error())
        return fmt::format("table {}, rows from {} to {}: {}", table.name, keys_in_words(table, records.front()),
                           keys_in_words(table, records.back()), written.error());
    return {};
}

Done PostgresPlace::settle() {
    std::vector<Command> commands{{no_token}};
    for (const auto& statement : go_on_counting)
        commands.push_back({statement});
    const auto settled = talk_.write(commands);
    if (settled.has_error()) return settled.error();
    // Without it the first queries of a gateway go through all rows.
    const auto counted = talk_.ask(count_the_rows);
    if (counted.has_error()) return counted.error();
    if (auto begun = talk_.begin(); begun.has_error()) return begun;
    if (const auto held = talk_.ask(hold_still); held.has_error()) return held.error();
    return {};
}

Done PostgresPlace::complete() {
    if (const auto taken = talk_.ask(take_away); taken.has_error()) return taken.error();
    return talk_.commit();
}

Done PostgresPlace::check() {
    for (const auto& [statement, what] :
         {std::pair(keyless, "sales have no key"), std::pair(saleless, "keys have no sale")}) {
        const auto odd = number(statement);
        if (odd.has_error()) return odd.error();
        if (*odd != 0) return fmt::format("{} is damaged: {} {}", name(), *odd, what);
    }
    return {};
}

Explained<std::int64_t> PostgresPlace::count(const Table& table) {
    return number(statement(fmt::format("moving_count_{}", table.name), count_sql(table, Engine::postgres)));
}

Explained<std::optional<Record>> PostgresPlace::last(const Table& table) {
    const auto rows =
        talk_.ask(statement(fmt::format("moving_last_{}", table.name), last_sql(table, Engine::postgres)));
    if (rows.has_error()) return rows.error();
    if (rows->empty()) return std::optional<Record>();
    Record keys;
    (void)read_record((*rows)[0], table, table.keys, keys);  // the columns of its keys have no room for anything else
    return std::optional(std::move(keys));
}

Done PostgresPlace::begin_reading(const Table& table, const std::optional<Record>& after) {
    table_ = &table;
    after_ = after;
    at_end_ = false;
    return {};
}

Done PostgresPlace::read(std::vector<Record>& records) {
    if (at_end_) records.clear();
    if (at_end_) return {};
    const bool after = after_.has_value();
    Parameters parameters;
    for (std::size_t i = 0; after && i < table_->keys; ++i)
        add(parameters, table_->columns[i], (*after_)[i]);
    parameters.add(rows_at_once);
    const auto name = fmt::format("moving_select_{}{}", after ? "after_" : "", table_->name);
    const auto found =
        talk_.ask(statement(name, select_sql(*table_, Engine::postgres, after, true)), std::move(parameters));
    if (found.has_error()) return found.error();
    records.resize(found->size());
    for (std::size_t i = 0; i < records.size(); ++i)
        if (const auto* wrong = read_record((*found)[i], *table_, table_->columns.size(), records[i]); wrong != nullptr)
            return fmt::format("{}: table {}, row {}: the column {} cannot be read", this->name(), table_->name,
                               keys_in_words(*table_, records[i]), wrong);
    at_end_ = records.size() < rows_at_once;
    if (!records.empty())
        after_.emplace(records.back().begin(), records.back().begin() + static_cast<std::ptrdiff_t>(table_->keys));
    return {};
}

}  // namespace gateway::moving
