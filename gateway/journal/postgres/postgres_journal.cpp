#include "journal/postgres/postgres_journal.hpp"

#include "base/ulid.hpp"
#include "journal/callbacks.hpp"
#include "journal/closes.hpp"
#include "journal/dating.hpp"
#include "journal/days.hpp"
#include "journal/duplicates.hpp"
#include "journal/erasure.hpp"
#include "journal/findings.hpp"
#include "journal/key_rotation.hpp"
#include "journal/keys.hpp"
#include "journal/marked_sales.hpp"
#include "journal/postgres/error.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/postgres/standbys.hpp"
#include "journal/recorded_step.hpp"
#include "journal/sales.hpp"
#include "journal/statements.hpp"
#include "journal/tx.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway::postgres {
namespace {

using Access = Engine::Access;

// What the session adds to every commit is a write, and touches no row that another gateway may hold.
constexpr Statement harmless_write{"harmless_write", "SELECT 1"};

// The channel of leave_word(), in sql/postgres/.
constexpr Statement listen_to_words{"listen_to_words", "LISTEN sales_gateway_words"};

// Of the sessions of one gateway one says when the database goes away.
SessionOptions silent(SessionOptions options) {
    options.log = nullptr;
    return options;
}

// The writer's and the reader's commits are counted; nothing is asked on the listener.
constexpr std::size_t of_writer = 0;
constexpr std::size_t of_reader = 1;

SessionOptions counted(SessionOptions options, CommitCount& count) {
    options.count = &count;
    return options;
}

using Looked = boost::system::result<void, std::string>;

struct Seen {
    std::string refusal;  // why the server would not be taken; empty: it would
    DatabaseState state;
};

Awaited<Seen> see(Transaction& transaction) {
    Seen seen;
    const auto facts = co_await read_facts(transaction);
    if (facts.has_error()) co_return facts.error();
    seen.refusal = refusal_of(*facts);
    auto state = co_await read_standbys(transaction);
    if (state.has_error()) co_return state.error();
    seen.state = std::move(*state);
    co_return seen;
}

boost::asio::awaitable<Looked> listen(const std::function<boost::asio::awaitable<Looked>(Transaction&)>& first,
                                      Transaction& transaction) {
    if (first) {
        auto looked = co_await first(transaction);
        if (looked.has_error()) co_return looked;
    }
    const auto heard = co_await transaction.run(listen_to_words, Parameters());
    if (heard.has_error()) co_return heard.error().message();
    co_return Looked();
}

}  // namespace

PostgresJournal::PostgresJournal(boost::asio::any_io_executor executor, Clock& clock, const Client& client,
                                 const SessionOptions& options, std::unique_ptr<FieldCipher> cipher, Identity identity,
                                 const std::string& tally_file, Random& random)
    : executor_(executor),
      client_(client),
      options_(options),
      cipher_(std::move(cipher)),
      unreadable_sales_(clock, unreadable_),
      database_{.gateway = identity.name},
      tally_(identity.name, tally_file, Ulid::make(clock.wall(), random).str(), options.log),
      writer_(executor, clock, client, counted(options, tally_.count(of_writer))),
      reader_(executor, clock, client, counted(silent(options), tally_.count(of_reader))),
      listener_(executor, clock, client, listening(silent(options))),
      storage_{writer_, reader_, *cipher_, clock, unreadable_sales_},
      duplicate_key_(storage_, sale_reader_, random),
      leases_(storage_, std::move(identity), tally_.file(), random) {}

// Nothing is asked on this connection: it is there for what comes by itself.
SessionOptions PostgresJournal::listening(SessionOptions options) {
    options.opened = [first = std::move(options.opened)](Transaction& transaction) {
        return listen(first, transaction);
    };
    options.heard = [this](std::string_view, std::string_view) {
        if (heard_) heard_();
    };
    return options;
}

boost::asio::awaitable<void> PostgresJournal::look_at_database() {
    const std::function<Awaited<Seen>(Transaction&)> work = see;
    auto seen = co_await listener_.transaction(work, Session::Told::no);
    auto gateway = std::move(database_.gateway);
    database_ = seen.has_value() ? std::move(seen->state) : DatabaseState();
    database_.gateway = std::move(gateway);
    database_.server = seen.has_value() ? listener_.server() : std::string();
    commits_when_seen_ = commits();
    if (database_.waits_for_standby) writer_.in_trouble();
    if (seen.has_error() || seen->refusal.empty()) co_return;
    writer_.leave(seen->refusal);
    reader_.leave(seen->refusal);
}

boost::asio::awaitable<void> PostgresJournal::watch_database() {
    while (true) {
        co_await look_at_database();
        co_await storage_.clock.sleep_for(renew_every);
    }
}

boost::asio::awaitable<void> PostgresJournal::keep_lease() {
    boost::asio::co_spawn(executor_, watch_database(), boost::asio::detached);
    while (true) {
        co_await renew_lease();
        co_await storage_.clock.sleep_for(renew_every);
    }
}

boost::asio::awaitable<void> PostgresJournal::renew_lease() {
    if (!tally_.is_whole()) {
        // Whatever this gateway knows of its sales is not what the database knows.
        carriage_.abandon();
        (void)co_await compare_tally();
    }
    co_await carriage_.renew();
    if (leases_.trusted()) tally_.keep();
}

boost::asio::awaitable<boost::system::result<void, std::string>> PostgresJournal::compare_tally() {
    Session uncounted(executor_, storage_.clock, client_, silent(options_));
    co_return co_await tally_.compare(uncounted, storage_.clock.wall());
}

template <class T, class Work>
auto PostgresJournal::perform(Session& session, Engine::Access access, Work work, std::string order) -> Awaited<T> {
    std::function<Job<T>(gateway::Transaction&)> job =
        [this, work = std::move(work), at = storage_.now()](gateway::Transaction& transaction) -> Job<T> {
        Tx tx(transaction, *cipher_, unreadable_sales_, at);
        co_return co_await work(tx);
    };
    return session.perform<T>(access, std::move(job), std::move(order));
}

auto PostgresJournal::begin(const Sale& sale) -> Awaited<KeyState> {
    std::optional<std::string> hash;
    if (sale.duplicate_check) {
        const auto key = co_await duplicate_key_.get();
        if (key.has_error()) co_return key.error();
        hash = duplicate_hash(sale, *key);
    }
    co_return co_await carriage_.begin(sale, hash);
}

auto PostgresJournal::find(SaleId id) -> Awaited<std::optional<Sale>> {
    return read<std::optional<Sale>>(writer_, [id](Tx& tx) { return sales::find(tx, id); });
}

auto PostgresJournal::list(const SaleFilter& filter) -> Awaited<SalePage> {
    return read<SalePage>(reader_, [&](Tx& tx) { return sales::list(tx, filter); });
}

auto PostgresJournal::marked() -> Awaited<std::vector<MarkedSale>> {
    return read<std::vector<MarkedSale>>(reader_, marked_sales::all);
}

auto PostgresJournal::history(SaleId id) -> Awaited<boost::json::array> {
    return read<boost::json::array>(reader_, [id](Tx& tx) { return sales::history(tx, id); });
}

auto PostgresJournal::sales_of_days(const DayFilter& filter, const std::string& after) -> Awaited<DayPage> {
    return read<DayPage>(reader_, [&](Tx& tx) { return days::of_days(tx, filter, after); });
}

auto PostgresJournal::sales_of_close(const CloseKey& key, const std::string& after) -> Awaited<DayPage> {
    return read<DayPage>(reader_, [&](Tx& tx) { return days::of_close(tx, key, after); });
}

auto PostgresJournal::open_sales(const std::optional<std::string>& estabelecimento, const std::string& after)
    -> Awaited<OpenPage> {
    return read<OpenPage>(reader_, [&](Tx& tx) { return sales::open(tx, estabelecimento, after); });
}

auto PostgresJournal::begin_close(const CloseKey& key, WallTime at, const std::string& by) -> Awaited<Close> {
    return perform<Close>(writer_, Access::write, [&key, at, &by](Tx& tx) { return closes::begin(tx, key, at, by); });
}

auto PostgresJournal::finish_close(const Close& close) -> Awaited<void> {
    return perform<void>(writer_, Access::write, [&](Tx& tx) { return closes::finish(tx, close); });
}

auto PostgresJournal::closes(const CloseFilter& filter) -> Awaited<std::vector<Close>> {
    return read<std::vector<Close>>(reader_, [&](Tx& tx) { return closes::list(tx, filter); });
}

auto PostgresJournal::forgotten_days(const std::string& estabelecimento, Day from, Day to)
    -> Awaited<std::vector<Day>> {
    return read<std::vector<Day>>(reader_, [&estabelecimento, from, to](Tx& tx) {
        return closes::forgotten_days(tx, estabelecimento, from, to);
    });
}

auto PostgresJournal::known_statement(const std::string& digest, const std::string& reading)
    -> Awaited<std::optional<KeptStatement>> {
    return read<std::optional<KeptStatement>>(reader_, [&](Tx& tx) { return statements::find(tx, digest, reading); });
}

auto PostgresJournal::last_statement(const std::string& source) -> Awaited<std::optional<KeptStatement>> {
    return read<std::optional<KeptStatement>>(reader_, [&](Tx& tx) { return statements::last(tx, source); });
}

auto PostgresJournal::statements(std::optional<std::int64_t> before, std::size_t limit)
    -> Awaited<std::vector<KeptStatement>> {
    return read<std::vector<KeptStatement>>(reader_, [=](Tx& tx) { return statements::list(tx, before, limit); });
}

auto PostgresJournal::findings(const FindingFilter& filter) -> Awaited<std::vector<Finding>> {
    return read<std::vector<Finding>>(reader_, [&](Tx& tx) { return findings::list(tx, filter); });
}

auto PostgresJournal::open_findings() -> Awaited<std::map<FindingKind, std::int64_t>> {
    return read<std::map<FindingKind, std::int64_t>>(reader_, findings::count_open);
}

auto PostgresJournal::owners(const std::vector<std::string>& id_externos)
    -> Awaited<std::vector<std::optional<SaleId>>> {
    return read<std::vector<std::optional<SaleId>>>(reader_, [&](Tx& tx) { return keys::owners(tx, id_externos); });
}

auto PostgresJournal::id_prefixes() -> Awaited<std::vector<std::string>> {
    return read<std::vector<std::string>>(reader_, keys::prefixes);
}

auto PostgresJournal::cancel_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    return perform<KeyState>(
        writer_, Access::write, [&](Tx& tx) { return keys::cancel(tx, terminal, key); }, key);
}

auto PostgresJournal::find_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    return read<KeyState>(writer_, [&](Tx& tx) { return keys::find(tx, terminal, key); });
}

auto PostgresJournal::keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body)
    -> Awaited<void> {
    return perform<void>(writer_, Access::write,
                         [&, sale, kind, valid](Tx& tx) { return callbacks::insert(tx, sale, kind, valid, body); });
}

auto PostgresJournal::find_callback(const std::string& secret) -> Awaited<std::optional<SaleId>> {
    return read<std::optional<SaleId>>(writer_, [&](Tx& tx) { return callbacks::find_sale(tx, secret); });
}

auto PostgresJournal::callbacks(SaleId id) -> Awaited<boost::json::array> {
    return read<boost::json::array>(reader_, [id](Tx& tx) { return callbacks::list(tx, id); });
}

auto PostgresJournal::count_receipt(const Sale& sale) -> Awaited<std::int64_t> {
    return perform<std::int64_t>(writer_, Access::write,
                                 [id = sale.id, line = receipt_line(sale, storage_.clock.wall())](Tx& tx) {
                                     return sales::count_receipt(tx, id, line);
                                 });
}

auto PostgresJournal::note_receipt(const Sale& sale, const std::string& by) -> Awaited<void> {
    return perform<void>(writer_, Access::write,
                         [id = sale.id, line = receipt_line(sale, storage_.clock.wall(), by)](Tx& tx) {
                             return sales::note_receipt(tx, id, line);
                         });
}

auto PostgresJournal::date_old_sales(const Rules& rules) -> Awaited<Dated> {
    return perform<Dated>(reader_, Access::write, [&rules, run = leases_.run()](Tx& tx) {
        return keep_house<Dated>(tx, run, [&](Tx& its) { return dating::date_some(its, rules); });
    });
}

auto PostgresJournal::keep_statement(const KeptStatement& statement, const std::vector<Finding>& findings)
    -> Awaited<FindingChanges> {
    return perform<FindingChanges>(reader_, Access::write,
                                   [&](Tx& tx) { return findings::keep(tx, statement, findings); });
}

auto PostgresJournal::close_finding(std::int64_t number, const std::string& note, const std::string& by, WallTime at)
    -> Awaited<Finding> {
    return perform<Finding>(writer_, Access::write, [&, number, at](Tx& tx) {
        return findings::close(tx, number, {.at = at, .as = FindingEnd::resolved, .by = by, .note = note});
    });
}

auto PostgresJournal::finding_done(std::int64_t number, const std::string& effect, bool settled, WallTime at)
    -> Awaited<Finding> {
    const auto settled_at = settled ? std::optional(at) : std::nullopt;
    return perform<Finding>(writer_, Access::write, [number, &effect, settled_at](Tx& tx) {
        return findings::done(tx, number, effect, settled_at);
    });
}

auto PostgresJournal::erase_personal(WallTime cutoff) -> Awaited<Erased> {
    auto erase = [this, cutoff, run = leases_.run()](Tx& tx) {
        return keep_house<erasure::Round>(tx, run, [this, cutoff](Tx& its) {
            return erasure::erase_some(its, cutoff, erasure_came_back_to_, encrypted::tables_of_several);
        });
    };
    auto round = co_await perform<erasure::Round>(reader_, Access::write, std::move(erase));
    if (round.has_error()) co_return round.error();
    erasure_came_back_to_ = std::move(round->came_back_to);
    co_return round->erased;
}

auto PostgresJournal::rotate_keys() -> Awaited<KeyRotationState> {
    return perform<KeyRotationState>(reader_, Access::write, [run = leases_.run()](Tx& tx) {
        return keep_house<KeyRotationState>(
            tx, run, [](Tx& its) { return key_rotation::rotate_some(its, encrypted::tables_of_several); });
    });
}

// The database sees to that: rows that were replaced are vacuumed.
auto PostgresJournal::forget_old_pages() -> Awaited<void> {
    co_return Result<void>();
}

// On both connections: either may have met the end of a disk.
auto PostgresJournal::probe() -> Awaited<void> {
    if (!leases_.hindrance().empty()) co_return errc::journal_unavailable;
    auto written = co_await writer_.write(harmless_write, Parameters());
    if (written.has_value()) written = co_await reader_.write(harmless_write, Parameters());
    if (written.has_error()) co_return written.error();
    co_return Result<void>();
}

auto PostgresJournal::check_files() -> Awaited<void> {
    co_return Result<void>();
}

// What was seen is a second old, and a commit that is done since is news.
bool PostgresJournal::waits_for_standby() const noexcept {
    return database_.waits_for_standby && commits() == commits_when_seen_;
}

std::optional<DatabaseState> PostgresJournal::database() const {
    auto state = database_;
    state.waits_for_standby = waits_for_standby();
    return state;
}

std::string PostgresJournal::detail(const boost::system::error_code& failure) const {
    if (auto words = writer_.hindrance()) return *words;
    if (waits_for_standby()) return words_on_waiting(what_is_waited_for(database_));
    if (!leases_.hindrance().empty()) return leases_.hindrance();
    const auto server = writer_.server();
    if (!server.empty() && sql_state(failure).starts_with("08"))
        return fmt::format("the database server {} can be reached again, and nothing has been written to it yet",
                           server);
    return {};
}

JournalStats PostgresJournal::stats() const {
    auto stats = writer_.stats();
    const auto of_reader = reader_.stats();
    if (!stats.failure) stats.failure = of_reader.failure;
    if (!stats.since) stats.since = of_reader.since;
    if (healthy()) stats.since.reset();  // a connection that was lost, and has had nothing to do since
    stats.detail = detail(stats.failure);
    return stats;
}

}  // namespace gateway::postgres
