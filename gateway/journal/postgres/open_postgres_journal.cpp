#include "journal/postgres/open_postgres_journal.hpp"

#include "journal/key_rotation.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/postgres/standbys.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

using Agreed = boost::system::result<void, std::string>;

constexpr Statement lock_keys{"lock_sealing_keys", "LOCK TABLE sealing_keys IN SHARE ROW EXCLUSIVE MODE"};
constexpr Statement names_of_keys{"names_of_keys", "SELECT name FROM sealing_keys"};
constexpr Statement retire_keys{"retire_keys_of_several", "UPDATE sealing_keys SET current = 0 WHERE name <> $1"};
// In a new journal there is nothing to seal anew.
constexpr Statement use_key{
    "use_key",
    "INSERT INTO sealing_keys AS k SELECT $1, 1, CASE WHEN EXISTS (SELECT 1 FROM sales)"
    " OR EXISTS (SELECT 1 FROM token WHERE access IS NOT NULL) OR EXISTS (SELECT 1 FROM findings) THEN '' ELSE '~' END"
    " ON CONFLICT (name) DO UPDATE SET current = 1, done_until = EXCLUDED.done_until WHERE k.current = 0"};
constexpr Statement note_prefix{"note_prefix", "INSERT INTO id_prefixes VALUES ($1, $2) ON CONFLICT DO NOTHING"};

// Whether the cipher has every key that values are sealed with; from then on the first of its keys is the current one.
Awaited<void> agree_in(Transaction& transaction, const FieldCipher& cipher, std::string& words) {
    const auto locked = co_await transaction.run(lock_keys, Parameters());
    if (locked.has_error()) co_return locked.error();
    const auto names = co_await transaction.run(names_of_keys, Parameters());
    if (names.has_error()) co_return names.error();
    for (std::size_t i = 0; i < names->size(); ++i) {
        const auto here = has_key((*names)[i].text(0), cipher);
        if (!here.has_error()) continue;
        words = here.error();
        co_return errc::journal_foreign;
    }
    if (!cipher.encrypts()) co_return Result<void>();
    Parameters current;
    current.add(cipher.current());
    auto used = co_await transaction.run(retire_keys, current);
    if (!used.has_error()) used = co_await transaction.run(use_key, std::move(current));
    if (used.has_error()) co_return used.error();
    co_return Result<void>();
}

boost::asio::awaitable<Agreed> agree_on_keys(Session& session, const FieldCipher& cipher) {
    std::string words;
    const std::function<Awaited<void>(Transaction&)> work = [&](Transaction& transaction) {
        return agree_in(transaction, cipher, words);
    };
    const auto agreed = co_await session.transaction(work);
    if (!agreed.has_error()) co_return Agreed();
    co_return words.empty() ? agreed.error().message() : words;
}

// Before the first idExterno has it: a reader of the provider's books is told by it which of them may be ours.
boost::asio::awaitable<Agreed> remember_prefix(Session& session, const std::string& prefix, WallTime at) {
    if (prefix.empty()) co_return Agreed();
    Parameters parameters;
    parameters.add(prefix).add(rows::milliseconds(at));
    const auto noted = co_await session.write(note_prefix, std::move(parameters));
    if (noted.has_error()) co_return noted.error().message();
    co_return Agreed();
}

boost::asio::awaitable<Agreed> prepare(PostgresJournal& journal, const FieldCipher& cipher,
                                       const std::string& id_prefix, const Clock& clock) {
    auto ready = co_await journal.compare_tally();
    // One that is refused has changed nothing by then: a key that it alone has would keep the others from starting.
    if (!ready.has_error()) ready = co_await journal.leases().begin();
    if (ready.has_error()) co_return ready;
    ready = co_await agree_on_keys(journal.writer(), cipher);
    if (!ready.has_error()) ready = co_await remember_prefix(journal.writer(), id_prefix, clock.wall());
    if (!ready.has_error()) co_await journal.renew_lease();
    if (!ready.has_error() && !journal.may_act()) ready = std::string("the database does not answer in time");
    // So that nobody has to wait until its run is dead.
    if (ready.has_error()) (void)co_await journal.give_back();
    co_return ready;
}

// Why nothing was done, where the error that `session` gave says `error`: while the commits wait for a standby, the
// server does not answer, and the connection looks lost.
boost::asio::awaitable<std::string> why_not(boost::asio::any_io_executor executor, Clock& clock, const Client& client,
                                            const SessionOptions& options, const Session& session, std::string error) {
    auto asking = what_is_waited_for(std::move(executor), clock, client, options);
    const auto waited_for = co_await std::move(asking);
    if (!waited_for.empty()) co_return waited_for + "; bring one back, and start the gateway once more";
    // Why there is no connection says more than that there is none.
    co_return session.hindrance().value_or(std::move(error));
}

// On a connection of its own: those of the journal count their commits, in tables that may not be there yet.
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

boost::asio::awaitable<boost::system::result<std::unique_ptr<PostgresJournal>, std::string>> open_postgres_journal(
    boost::asio::any_io_executor executor, Clock& clock, const Client& client, PostgresOptions options,
    Random& random) {
    auto cipher = std::make_unique<FieldCipher>();
    if (!options.keys.empty()) cipher = std::make_unique<FieldCipher>(options.keys, random);
    const auto& sealing = *cipher;
    if (sealing.encrypts()) options.identity.key_name = sealing.current();
    const auto url = options.session.connection.url;
    auto migrated = co_await bring_up_to_date_by_itself(executor, clock, client, options.session);
    if (migrated.has_error()) co_return in_words(url, migrated.error());
    auto journal = std::make_unique<PostgresJournal>(executor, clock, client, options.session, std::move(cipher),
                                                     std::move(options.identity), options.tally_file, random);
    const auto ready = co_await prepare(*journal, sealing, options.id_prefix, clock);
    if (!ready.has_error()) co_return std::move(journal);
    const auto why = co_await why_not(executor, clock, client, options.session, journal->writer(), ready.error());
    co_return in_words(url, why);
}

}  // namespace gateway::postgres
