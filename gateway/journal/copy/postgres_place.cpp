// A journal on PostgreSQL is a place with one connection, on which one thing is done after the other. A database has
// more than the tables of every journal: the rest belongs to its gateways. A journal that is moved away must need
// nothing of that rest any more, and one that arrives is owned by nobody.
#include "base/in_words.hpp"
#include "base/utf8.hpp"
#include "journal/chain/lease.hpp"
#include "journal/copy/place.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/error.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/postgres/transaction.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <future>
#include <limits>
#include <map>
#include <utility>

namespace gateway::moving {
namespace {

using Awaited = boost::asio::awaitable<boost::system::error_code>;

// Counting and sorting a million rows takes a minute on a slow machine. The keepalives of the connection notice much
// earlier that the server is gone.
constexpr Duration patience = std::chrono::minutes(30);
// A slow machine needs some seconds to make all tables of a journal.
constexpr Duration patience_of_tables{20'000};
// This is the time between two looks whether the server waits for a standby. The second look in a row that finds it
// waiting ends the wait.
constexpr Duration between_looks{5'000};
constexpr std::chrono::milliseconds a_moment{100};

constexpr std::string_view stop_in_order =
    "start a gateway on it once more, let it decide what is open, and stop it in order (SIGTERM)";

class PostgresPlace final : public Place {
  public:
    explicit PostgresPlace(PostgresAccess access)
        : Place(access.url), access_(std::move(access)), wait_(access_.io.get_executor(), access_.clock) {
        auto opened = wait_for(postgres::Connection::open(wait_, access_.client, access_.connection, {}));
        if (opened.has_error()) refuse("{} cannot be reached: {}", name(), opened.error());
        connection_ = std::move(*opened);
        if (const auto refusal = why_unfit(); !refusal.empty()) refuse_to_use(refusal);
        is_there_ = number(sql::has_journal.sql) != 0;
    }

    std::optional<MovingMark> mark() override {
        if (!is_there_ && arrives_) refuse("{} did not say whether it has the mark", name());
        if (!is_there_) return std::nullopt;
        migrate({});
        const auto rows = ask(sql::moving_mark.sql);
        if (rows.empty()) return std::nullopt;
        auto mark = read_mark(rows.front());
        if (!mark) refuse("{}: what copy-journal noted in it cannot be read", name());
        return mark;
    }

    void perform(Engine::Access access, const Engine::Work& work) override {
        const auto proof = access == Engine::Access::write ? postgres::Proof::given : postgres::Proof::not_needed;
        finish(open_ ? open_->run(work) : run_by_itself(proof, work));
    }
    void commit() override {
        finish(open_->commit());
        open_.reset();
    }

    // The second transaction stays open. It keeps everybody else from writing until this object is gone, or the journal
    // is marked as moved.
    void leave(const MovingMark& mark) override {
        if (!is_there_) refuse("there is no journal at {}", name());
        const auto dead = dead_runs();
        begin();
        end_runs(dead);
        note(mark);
        commit();
        begin();
        if (number(sql::hold_copying.sql) == 0) refuse("another copy-journal is copying {} right now", name());
        end_runs({});
        hold_still();
        refuse_what_is_left();
    }
    void mark_moved(const MovingMark& mark) override {
        const std::array<Value, 2> values{mark.copy, rows::milliseconds(mark.at)};
        if (ask(sql::mark_as_moved.sql, values).changed() == 0)
            refuse("a gateway has begun on {} meanwhile: stop it, and call this once more", name());
        ask(sql::refuse_commits.sql);
        commit();
    }
    std::uint64_t bytes() override { return static_cast<std::uint64_t>(number(sql::bytes_of_database.sql)); }

    bool has_tables() override { return is_there_; }
    void arrive(const MovingMark& mark, bool anew) override {
        // The rows of a new journal have not been cleared yet. So the mark gives the copy no name, and nobody goes on
        // with a copy that has none.
        auto first = mark;
        first.copy.clear();
        arrives_ = true;
        migrate([&](Transaction& tx) { return moving_mark::set(tx, first); });
        is_there_ = true;
        if (!anew) return;
        const auto before = this->mark();
        if (before && before->copy == mark.copy && before->state == MovingMark::State::leaving)
            refuse("{} and {} are one journal", mark.place, name());
        const auto dead = dead_runs();
        begin();
        end_runs(dead);
        ask(sql::clear_keys.sql);
        perform(Engine::Access::write, [&](Transaction& tx) { return begin_copy(tx, mark); });
        commit();
    }
    const Column* unfit(const Table& table, const Rows::One& row) override {
        if (std::exchange(limits_of_, &table) != &table) look_up_limits(table);
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const auto& column = table.columns[i];
            const int at = static_cast<int>(i);
            const auto text = row.text(at);
            const auto number = row.integer(at);
            const bool fits = column.is_number ? number <= limits_[i] && number >= -limits_[i] - 1
                                               : column.may_be_encrypted ||
                                                     (text.find('\0') == std::string_view::npos && is_utf8(text));
            if (!fits) return &column;
        }
        return nullptr;
    }
    void append_besides(Transaction& tx, const Table& table, const Rows& rows) override {
        if (table.name != "sales") return;
        const std::array<Value, 2> range{rows.front().integer(0), rows[rows.size() - 1].integer(0)};
        tx.run(sql::add_keys_of_sales.sql, range);
    }
    void settle() override {
        perform(Engine::Access::write, [](Transaction& tx) -> Job<void> {
            tx.run(sql::add_row_of_token);
            tx.run(sql::go_on_counting);
            tx.run(sql::count_rows);
            co_return;
        });
        begin();
        hold_still();
    }

    void check() override {
        for (const auto& [found, what] : {std::pair(sql::sales_without_key, "sales have no key"),
                                          std::pair(sql::keys_without_sale, "keys have no sale")})
            if (const auto odd = number(found.sql); odd != 0) refuse("{} is damaged: {} {}", name(), odd, what);
    }

  private:
    using Runs = std::map<std::string, std::int64_t>;

    // Waits until it is known that no gateway lives, and returns the runs that have not ended.
    Runs dead_runs() {
        Runs before;
        const auto until = access_.clock.now() + dead_after;
        while (true) {
            Runs now;
            for (const auto row : ask(sql::open_runs.sql)) {
                const std::string run(row.text(0));
                now.emplace(run, row.integer(1));
                if (before.try_emplace(run, row.integer(1)).first->second != row.integer(1))
                    refuse("the gateway {} is running on {}: stop it first", row.text(2), name());
            }
            if (now.empty() || access_.clock.now() >= until) return now;
            wait_for(access_.clock.sleep_for(renew_every));
        }
    }
    // Ends these runs in the open transaction. The lock of the runs keeps gateways from beginning meanwhile; one that
    // had been paused finds that its run has ended.
    void end_runs(const Runs& dead) {
        ask(sql::hold_runs.sql);
        for (const auto& [run, renewals] : dead) {
            const std::array<Value, 2> ended{run, renewals};
            ask(sql::end_open_run.sql, ended);
        }
        if (const auto alive = ask(sql::open_runs.sql); !alive.empty())
            refuse("the gateway {} has begun on {}: stop it first", alive.front().text(2), name());
    }
    // Refuses a journal for which a gateway has to do something first.
    void refuse_what_is_left() {
        if (const auto of_dead = ask(sql::sales_of_dead.sql); !of_dead.empty())
            refuse("{} open sales on {} are still those of the gateway {}, which did not stop in order: {}",
                   of_dead.front().integer(1), name(), of_dead.front().text(0), stop_in_order);
        if (const auto notes = ask(sql::sales_that_wait.sql); !notes.empty())
            refuse(
                "{0} sales on {1} wait for the gateway {2}, which may yet send a request of theirs: start that gateway "
                "once more, or say that it is gone (sales-gateway gateways --gone {2}), and stop all of them in order",
                notes.front().integer(1), name(), notes.front().text(0));
        if (const auto commands = number(sql::commands_that_wait.sql); commands > 0)
            refuse("{} decisions wait on {} for the gateway that owns their sale: {}", commands, name(), stop_in_order);
    }

    // Keeps everybody else from writing into the journal until the transaction ends.
    void hold_still() {
        std::string names;
        for (const auto row : ask(sql::tables_of_journal.sql))
            names += fmt::format("{}{}", names.empty() ? "" : ", ", row.text(0));
        ask(fmt::format("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", names));
        // The table of commits is altered at the end. Locking it now makes a reader of it delay the beginning of the
        // copying, and not its end.
        ask(sql::lock_commits_alone.sql);
    }
    void look_up_limits(const Table& table) {
        limits_.assign(table.columns.size(), std::numeric_limits<std::int64_t>::max());
        for (const auto narrow : ask(sql::narrow_columns.sql))
            for (std::size_t i = 0; i < limits_.size(); ++i)
                if (narrow.text(0) == table.name + "." + table.columns[i].name) limits_[i] = narrow.integer(1);
    }

    // Begins a transaction that stays open while other things are done.
    void begin() {
        open_.emplace(*connection_, postgres::Proof::given, patience);
        ask(sql::be_patient.sql);
    }
    Awaited run_by_itself(postgres::Proof proof, const Engine::Work& work) {
        postgres::ServerTransaction transaction(*connection_, proof, patience);
        auto failed = co_await transaction.run(work);
        if (!failed) failed = co_await transaction.commit();
        if (failed) co_await transaction.take_back(failed);
        co_return failed;
    }

    // Waits until the work is done. Closes the connection where the server waits for a standby, because that wait may
    // have no end.
    void finish(Awaited work) {
        auto coming = start(std::move(work));
        auto next_look = access_.clock.now() + between_looks;
        while (!is_there(coming)) {
            access_.io.run_one_for(a_moment);
            if (is_there(coming) || access_.clock.now() < next_look) continue;
            const bool waited = !standby_.empty();  // at the look before this one
            standby_ = standby_waited_for();
            if (waited && !standby_.empty() && !is_there(coming)) {
                connection_->close(standby_);
                wait_.wake();
            }
            next_look = access_.clock.now() + between_looks;
        }
        if (!connection_->is_over()) standby_.clear();
        if (const auto failed = coming.get()) refuse("{}: {}", name(), trouble(failed));
    }
    std::string trouble(const boost::system::error_code& failed) {
        if (connection_->is_over() && !standby_.empty()) return standby_;
        if (connection_->is_over()) return "the connection to the server is lost: " + connection_->last_words();
        // The server has ended the wait of a commit that it had done.
        if (failed == errc::commit_unknown) {
            const auto standby = standby_waited_for();
            return standby.empty() ? "the server was told not to wait for its standby any more, which may lack what "
                                     "was written last"
                                   : standby;
        }
        auto words = failed.message();
        if (const auto refusal = connection_->take_refusal(); !refusal.empty()) words += ": " + refusal;
        if (failed == postgres::sql_error(postgres::state::disk_full) && expected_bytes() > 0)
            words += "; the journal that is copied takes " + bytes_in_words(expected_bytes());
        return words;
    }
    // Tells which standby a commit waits for; empty where no commit waits.
    std::string standby_waited_for() {
        auto words = wait_for(postgres::what_is_waited_for(access_.io.get_executor(), access_.clock, access_.client,
                                                           {.connection = access_.connection}));
        return words.empty() ? words : words + "; bring one back";
    }

    std::string why_unfit() {
        std::string words;
        perform(Engine::Access::glance, [&](Transaction& tx) -> Job<void> {
            const auto facts = co_await postgres::read_facts(tx);
            words = postgres::refusal_of(facts);
        });
        return words;
    }
    // Makes the tables or brings them up to date; `with` makes the initial content of a new journal.
    void migrate(const Engine::Work& with) {
        postgres::SessionOptions options{.connection = access_.connection, .deadline = patience_of_tables};
        postgres::Session session(access_.io.get_executor(), access_.clock, access_.client, std::move(options));
        const auto ready = wait_for(postgres::bring_up_to_date(session, postgres::migrations(), with));
        if (!ready.has_error()) return;
        const auto standby = standby_waited_for();
        refuse_to_use(standby.empty() ? ready.error() : standby);
    }

    template <class T>
    std::future<T> start(boost::asio::awaitable<T> work) {
        access_.io.restart();
        return boost::asio::co_spawn(access_.io, std::move(work), boost::asio::use_future);
    }
    template <class T>
    static bool is_there(const std::future<T>& coming) {
        return coming.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
    template <class T>
    T wait_for(boost::asio::awaitable<T> work) {
        auto coming = start(std::move(work));
        while (!is_there(coming))
            access_.io.run_one();
        return coming.get();
    }

    PostgresAccess access_;
    postgres::SocketWait wait_;
    std::unique_ptr<postgres::Connection> connection_;
    std::optional<postgres::ServerTransaction> open_;
    std::string standby_;  // the standby that was waited for in vain; empty: none
    bool is_there_ = false;
    bool arrives_ = false;  // a journal was to begin here, and may have begun
    const Table* limits_of_ = nullptr;
    std::vector<std::int64_t> limits_;  // the largest number that each column of this table can hold
};

}  // namespace

Explained<std::unique_ptr<Place>> open_database(PostgresAccess access) {
    return explained([&]() -> std::unique_ptr<Place> { return std::make_unique<PostgresPlace>(std::move(access)); });
}

}  // namespace gateway::moving
