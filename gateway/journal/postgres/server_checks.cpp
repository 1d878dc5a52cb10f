#include "journal/postgres/server_checks.hpp"

#include "journal/postgres/session_settings.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace gateway::postgres {
namespace {

constexpr std::int64_t oldest_version = 140000;

constexpr Statement server_facts{
    "server_facts",
    "SELECT current_setting('server_version_num')::bigint, pg_is_in_recovery(), current_setting('fsync'),"
    " current_setting('full_page_writes'), current_setting('synchronous_commit'),"
    " current_setting('synchronous_standby_names'), current_setting('server_encoding'),"
    " (SELECT min(schemaname) FROM pg_tables WHERE tablename = 'journal_migrations'"
    " AND to_regclass('journal_migrations') IS NULL)"};

using Looked = boost::system::result<void, std::string>;

// What was said to the operator, for all connections of a session.
struct Said {
    explicit Said(Log& l) : log(l) {}
    Log& log;
    std::string warning;
};

boost::asio::awaitable<Looked> look(Transaction& transaction, std::shared_ptr<Said> said) {
    const auto facts = co_await read_facts(transaction);
    if (facts.has_error()) co_return facts.error().message();
    auto refusal = refusal_of(*facts);
    if (!refusal.empty()) co_return refusal;
    auto warning = warning_of(*facts);
    if (!warning.empty() && warning != said->warning)
        said->log.warn("journal.alone", "{detail}", {{"detail", warning}});
    said->warning = std::move(warning);
    co_return Looked();
}

}  // namespace

boost::asio::awaitable<Result<ServerFacts>> read_facts(Transaction& transaction) {
    const auto set = co_await transaction.run(set_what_is_known);
    if (set.has_error()) co_return set.error();
    const auto rows = co_await transaction.run(server_facts);
    if (rows.has_error()) co_return rows.error();
    if (rows->empty()) co_return errc::malformed;
    const auto row = (*rows)[0];
    ServerFacts facts;
    facts.version = row.integer(0);
    facts.is_standby = row.integer(1) != 0;
    facts.fsync = row.text(2);
    facts.full_page_writes = row.text(3);
    facts.synchronous_commit = row.text(4);
    facts.synchronous_standby_names = row.text(5);
    facts.encoding = row.text(6);
    facts.other_schema = row.text(7);
    const auto wrong = co_await transaction.run(wrong_settings);
    if (wrong.has_error()) co_return wrong.error();
    if (!wrong->empty())
        facts.wrong_setting = refusal_of_setting((*wrong)[0].text(0), (*wrong)[0].text(1), (*wrong)[0].text(2));
    co_return facts;
}

std::string refusal_of(const ServerFacts& facts) {
    if (facts.version < oldest_version)
        return fmt::format("the database server is PostgreSQL {}, and it takes 14 or a newer one",
                           facts.version / 10000);
    if (facts.is_standby)
        return "the database server is a standby: name the primary in journal.url, or all servers of the cluster, and "
               "the primary among them is found";
    if (facts.fsync != "on")
        return "the database server has fsync=off: a power cut may destroy all of it; set fsync=on";
    if (facts.full_page_writes != "on")
        return "the database server has full_page_writes=off: a power cut may destroy pages of it; set "
               "full_page_writes=on";
    if (facts.encoding != "UTF8")
        return fmt::format(
            "the database keeps text in {}, which does not have every letter that a sale or a name may have: make one "
            "with createdb --template=template0 --encoding=UTF8 --owner=USER NAME, the user being the one of "
            "journal.url, "
            "and name it there",
            facts.encoding);
    // remote_write is refused also where there is no standby, and it is as good as on: one that is set later would
    // acknowledge what a power cut takes from it, and nobody would look.
    if (facts.synchronous_commit != "on" && facts.synchronous_commit != "remote_apply")
        return fmt::format(
            "the database server has synchronous_commit={} for this user: it says of sales that they are kept which a "
            "power cut takes away; set synchronous_commit=on",
            facts.synchronous_commit);
    if (!facts.other_schema.empty())
        return fmt::format(
            "the journal's tables stand in the schema {} of the database, and the gateway looks into public: give it "
            "the name, with DROP SCHEMA public for one that is empty, and ALTER SCHEMA {} RENAME TO public",
            facts.other_schema, facts.other_schema);
    return facts.wrong_setting;
}

std::string warning_of(const ServerFacts& facts) {
    if (!facts.synchronous_standby_names.empty()) return {};
    return "the database server has no synchronous standby (synchronous_standby_names is empty): sales that only its "
           "own disk has are lost with it";
}

LookAtServer look_at_server(Log& log) {
    return [said = std::make_shared<Said>(log)](Transaction& transaction) { return look(transaction, said); };
}

}  // namespace gateway::postgres
