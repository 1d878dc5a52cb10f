#include "journal/postgres/postgres_journal.hpp"

#include "base/ulid.hpp"
#include "journal/key_rotation.hpp"
#include "journal/keys.hpp"
#include "journal/postgres/error.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/tx.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway::postgres {
namespace {

// Only one session of a gateway reports that the database went away. The others use these options.
SessionOptions silent(SessionOptions options) {
    options.log = nullptr;
    return options;
}

// The commits of the writer and of the reader are counted. The listener makes none that count.
constexpr std::size_t of_writer = 0;
constexpr std::size_t of_reader = 1;

SessionOptions counted(SessionOptions options, CommitCount& count) {
    options.count = &count;
    return options;
}

struct Seen {
    std::string refusal;  // why the server would be refused; empty: it would not
    DatabaseState state;
};

Job<Seen> see(Transaction& tx) {
    Seen seen;
    const auto facts = co_await read_facts(tx);
    seen.refusal = refusal_of(facts);
    seen.state = co_await read_standbys(tx);
    co_return seen;
}

Job<std::string> listen(const std::function<Job<std::string>(Transaction&)>& first, Transaction& tx) {
    if (first) {
        auto words = co_await first(tx);
        if (!words.empty()) co_return words;
    }
    tx.run(sql::listen_to_commands);
    co_return std::string();
}

using Agreed = boost::system::result<void, std::string>;

// Says which key is missing among those that values are encrypted with. Where none is missing, the cipher's first key
// becomes the current one.
Job<std::string> agree_on_keys(Transaction& tx, const FieldCipher& cipher) {
    tx.run(sql::lock_keys);
    auto words = co_await key_rotation::missing_key(tx, cipher);
    if (words.empty() && cipher.encrypts()) co_await key_rotation::use_key(tx, cipher);
    co_return words;
}

boost::asio::awaitable<Agreed> agree(Session& session, const FieldCipher& cipher, const std::string& id_prefix,
                                     WallTime at) {
    std::string refusal;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> {
        refusal = co_await agree_on_keys(tx, cipher);
        if (refusal.empty()) co_await keys::note_prefix(tx, id_prefix, at);
    };
    const auto agreed = co_await session.commit(Engine::Access::alone, work);
    if (!refusal.empty()) co_return refusal;
    if (agreed.has_error()) co_return agreed.error().message();
    co_return Agreed();
}

boost::asio::awaitable<Agreed> prepare(PostgresJournal& journal, const FieldCipher& cipher,
                                       const std::string& id_prefix, const Clock& clock) {
    auto ready = co_await journal.compare_acknowledged();
    // A gateway that is refused up to here has changed nothing: a key of its own would keep the others from starting.
    if (!ready.has_error()) ready = co_await journal.leases().begin();
    if (ready.has_error()) co_return ready;
    ready = co_await agree(journal.writer(), cipher, id_prefix, clock.wall());
    if (!ready.has_error()) co_await journal.renew_lease();
    if (!ready.has_error() && !journal.may_act()) ready = std::string("the database does not answer in time");
    // The run is ended, so that no other gateway has to wait until its lease is over.
    if (ready.has_error()) (void)co_await journal.give_back();
    co_return ready;
}

// Says why nothing was done, where `session` returned `error`. While commits wait for a standby, the server does not
// answer, and the connection seems to be lost.
boost::asio::awaitable<std::string> why_not(boost::asio::any_io_executor executor, Clock& clock, const Client& client,
                                            const SessionOptions& options, const Session& session, std::string error) {
    auto asking = what_is_waited_for(std::move(executor), clock, client, options);
    const auto waited_for = co_await std::move(asking);
    if (!waited_for.empty()) co_return waited_for + "; bring one back, and start the gateway once more";
    // The reason why there is no connection says more than that there is none.
    co_return session.hindrance().value_or(std::move(error));
}

// Uses a separate connection, because those of the journal count their commits in tables that may not exist yet.
boost::asio::awaitable<Agreed> bring_up_to_date_by_itself(boost::asio::any_io_executor executor, Clock& clock,
                                                          const Client& client, SessionOptions options) {
    const auto url = options.connection.url;
    Session session(executor, clock, client, options);
    auto ready = co_await bring_up_to_date(session);
    if (!ready.has_error()) ready = co_await may_start(session, url);
    if (ready.has_error()) co_return co_await why_not(executor, clock, client, options, session, ready.error());
    co_return ready;
}

std::string in_words(const std::string& url, const std::string& why) {
    return fmt::format("the journal {} cannot be used: {}", url, why);
}

}  // namespace

PostgresJournal::PostgresJournal(boost::asio::any_io_executor executor, Clock& clock, const Client& client,
                                 const SessionOptions& options, std::unique_ptr<FieldCipher> cipher,
                                 const Identity& identity, const std::string& tally_file, Random& random)
    : ChainJournal(std::move(cipher), clock, identity, tally_file, Ulid::make(clock.wall(), random).str(), random),
      executor_(executor),
      client_(client),
      options_(options),
      database_{.gateway = identity.name},
      acknowledged_(identity.name, tally_file_, options.log),
      writer_(executor, clock, client, counted(options, acknowledged_.count(of_writer))),
      reader_(executor, clock, client, counted(silent(options), acknowledged_.count(of_reader))),
      listener_(executor, clock, client, listening(silent(options))) {}

// No caller's job runs on this connection: it is there for notifications, and for looks at the server.
SessionOptions PostgresJournal::listening(SessionOptions options) {
    options.opened = [first = std::move(options.opened)](Transaction& tx) { return listen(first, tx); };
    options.heard = [this](std::string_view, std::string_view) { hear_of_command(); };
    return options;
}

boost::asio::awaitable<void> PostgresJournal::look_at_database() {
    auto seen = co_await listener_.perform<Seen>(Engine::Access::glance, see);
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
        co_await clock_.sleep_for(renew_every);
    }
}

boost::asio::awaitable<void> PostgresJournal::keep_lease() {
    boost::asio::co_spawn(executor_, watch_database(), boost::asio::detached);
    co_await ChainJournal::keep_lease();
}

boost::asio::awaitable<void> PostgresJournal::renew_lease() {
    if (!acknowledged_.is_whole()) {
        // This gateway and the database know different things about its sales.
        ownership_.abandon();
        (void)co_await compare_acknowledged();
    }
    co_await ownership_.renew();
    if (leases_.trusted()) acknowledged_.keep();
}

boost::asio::awaitable<boost::system::result<void, std::string>> PostgresJournal::compare_acknowledged() {
    Session uncounted(executor_, clock_, client_, silent(options_));
    co_return co_await acknowledged_.compare(uncounted, clock_.wall());
}

// Both connections are tried, because each may be the one that met a full disk.
auto PostgresJournal::probe() -> Awaited<void> {
    if (!leases_.hindrance().empty()) co_return errc::journal_unavailable;
    auto proven = co_await writer_.prove();
    if (proven.has_value()) proven = co_await reader_.prove();
    co_return proven;
}

// The last look may be a second old. A commit that was done after it proves that commits do not wait.
bool PostgresJournal::waits_for_standby() const noexcept {
    return database_.waits_for_standby && commits() == commits_when_seen_;
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
    const auto& of_reader = reader_.stats();
    if (!stats.failure) stats.failure = of_reader.failure;
    if (!stats.since) stats.since = of_reader.since;
    if (healthy()) stats.since.reset();  // that of a connection that was lost and has had nothing to do since
    stats.detail = detail(stats.failure);
    stats.database = database_;
    stats.database->waits_for_standby = waits_for_standby();
    return with_counts(std::move(stats));
}

boost::asio::awaitable<boost::system::result<std::unique_ptr<PostgresJournal>, std::string>> open_postgres_journal(
    boost::asio::any_io_executor executor, Clock& clock, const Client& client, PostgresOptions options,
    Random& random) {
    auto cipher = std::make_unique<FieldCipher>();
    if (!options.keys.empty()) cipher = std::make_unique<FieldCipher>(options.keys, random);
    const auto& encryption = *cipher;
    if (encryption.encrypts()) options.identity.key_name = encryption.current();
    const auto url = options.session.connection.url;
    auto migrated = co_await bring_up_to_date_by_itself(executor, clock, client, options.session);
    if (migrated.has_error()) co_return in_words(url, migrated.error());
    auto journal = std::make_unique<PostgresJournal>(executor, clock, client, options.session, std::move(cipher),
                                                     options.identity, options.tally_file, random);
    const auto ready = co_await prepare(*journal, encryption, options.id_prefix, clock);
    if (!ready.has_error()) co_return std::move(journal);
    const auto why = co_await why_not(executor, clock, client, options.session, journal->writer(), ready.error());
    co_return in_words(url, why);
}

}  // namespace gateway::postgres
