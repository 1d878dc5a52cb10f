#include "journal/postgres/open_postgres_journal.hpp"

#include "journal/key_rotation.hpp"
#include "journal/keys.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

using Agreed = boost::system::result<void, std::string>;

// Whether the cipher has every key that values are sealed with; from then on the first of its keys is the current one.
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
    auto ready = co_await journal.compare_tally();
    // One that is refused has changed nothing by then: a key that it alone has would keep the others from starting.
    if (!ready.has_error()) ready = co_await journal.leases().begin();
    if (ready.has_error()) co_return ready;
    ready = co_await agree(journal.writer(), cipher, id_prefix, clock.wall());
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
                                                     options.identity, options.tally_file, random);
    const auto ready = co_await prepare(*journal, sealing, options.id_prefix, clock);
    if (!ready.has_error()) co_return std::move(journal);
    const auto why = co_await why_not(executor, clock, client, options.session, journal->writer(), ready.error());
    co_return in_words(url, why);
}

}  // namespace gateway::postgres
