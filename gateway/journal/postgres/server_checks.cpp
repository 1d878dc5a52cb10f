#include "journal/postgres/server_checks.hpp"

#include "base/ascii.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gateway::postgres {
namespace {

constexpr std::int64_t oldest_version = 140000;

// ASKED(name, value) is requested when a session begins. KNOWN(name, value) is set afterwards, where the server knows
// it. OURS(name, value, why) can be set by a superuser only, and is just checked. The values are written as the server
// shows them.
#define SESSION_SETTINGS(ASKED, KNOWN, OURS)                                                                    \
    ASKED("bytea_output", "hex")                                                                                \
    ASKED("client_encoding", "UTF8")                                                                            \
    ASKED("DateStyle", "ISO, YMD")                                                                              \
    ASKED("IntervalStyle", "postgres")                                                                          \
    ASKED("TimeZone", "UTC")                                                                                    \
    ASKED("extra_float_digits", "1")                                                                            \
    ASKED("lc_numeric", "C")                                                                                    \
    ASKED("lc_monetary", "C")                                                                                   \
    ASKED("lc_time", "C")                                                                                       \
    ASKED("standard_conforming_strings", "on")                                                                  \
    ASKED("backslash_quote", "safe_encoding")                                                                   \
    ASKED("escape_string_warning", "on")                                                                        \
    ASKED("array_nulls", "on")                                                                                  \
    ASKED("transform_null_equals", "off")                                                                       \
    ASKED("quote_all_identifiers", "off")                                                                       \
    ASKED("xmlbinary", "base64")                                                                                \
    ASKED("xmloption", "content")                                                                               \
    ASKED("role", "none")                                                                                       \
    ASKED("search_path", "public")                                                                              \
    /* With "on", a policy of a table would hide rows without a word. */                                        \
    ASKED("row_security", "off")                                                                                \
    /* Less would hide the warning that a commit is not on the standby. */                                      \
    ASKED("client_min_messages", "notice")                                                                      \
    ASKED("exit_on_error", "off")                                                                               \
    ASKED("check_function_bodies", "on")                                                                        \
    ASKED("default_table_access_method", "heap")                                                                \
    ASKED("default_transaction_isolation", "read committed")                                                    \
    ASKED("default_transaction_read_only", "off")                                                               \
    ASKED("default_transaction_deferrable", "off")                                                              \
    /* Where the limit of its cost is low, every statement would wait for a compiler. */                        \
    ASKED("jit", "off")                                                                                         \
    /* A server that is set so starts processes for each statement, and for each index. */                      \
    ASKED("max_parallel_workers_per_gather", "0")                                                               \
    ASKED("max_parallel_maintenance_workers", "0")                                                              \
    ASKED("statement_timeout", "0")                                                                             \
    ASKED("lock_timeout", "0")                                                                                  \
    ASKED("idle_session_timeout", "0")                                                                          \
    ASKED("plpgsql.extra_errors", "none")                                                                       \
    ASKED("plpgsql.extra_warnings", "none")                                                                     \
    /* A server that waits for a lock does not notice that its client is gone, and holds what it has locked. */ \
    KNOWN("client_connection_check_interval", "2s")                                                             \
    KNOWN("transaction_timeout", "0")                                                                           \
    KNOWN("restrict_nonsystem_relation_kind", "")                                                               \
    OURS("zero_damaged_pages", "off", "sales on a damaged page would be gone without a word")                   \
    OURS("ignore_checksum_failure", "off", "damaged sales would be read as if nothing had happened")

struct SessionSetting {
    std::string_view name;
    std::string_view value;
    std::string_view why{};
};

#define NOTHING(...)
#define SETTING(...) SessionSetting{__VA_ARGS__},
constexpr SessionSetting asked[] = {SESSION_SETTINGS(SETTING, NOTHING, NOTHING)};
constexpr SessionSetting looked_at[] = {SESSION_SETTINGS(NOTHING, NOTHING, SETTING)};

#define ROW(name, value, ...) "('" name "', '" value "'),"
#define ROWS_OF_ALL SESSION_SETTINGS(ROW, ROW, ROW)

// The last row of both lists is no setting; it ends the list. A module's setting is empty until the module is loaded.
constexpr std::string_view set_what_is_known{"SELECT set_config(name, value, false) FROM (VALUES " SESSION_SETTINGS(
    NOTHING, ROW, NOTHING) "('', '')) AS s (name, value)"
                           " WHERE name <> '' AND current_setting(name, true) IS NOT "
                           "NULL"};
constexpr std::string_view wrong_settings{"SELECT name, current_setting(name, true), value FROM (VALUES " ROWS_OF_ALL
                                          "('', '')) AS s (name, value)"
                                          " WHERE name <> '' AND nullif(current_setting(name, true), '') <> value"};

// Says why a gateway does not use a server with this setting, and what the operator can do.
std::string refusal_of_setting(std::string_view name, std::string_view is, std::string_view should_be) {
    const auto found = std::ranges::find(looked_at, name, &SessionSetting::name);
    if (found != std::end(looked_at))
        return fmt::format("the database server has {}={} for this user: {}; set {}={}", name, is, found->why, name,
                           should_be);
    return fmt::format(
        "the session has {}={}, though it asked for {}: something between the gateway and the database server, or an "
        "environment variable of PostgreSQL's client, changes what a session asks for; take that away",
        name, is, should_be);
}

// Remembers for all connections of a session what the operator was told.
struct Said {
    explicit Said(Log& l) : log(l) {}
    Log& log;
    std::string warning;
};

Job<std::string> look(Transaction& tx, std::shared_ptr<Said> said) {
    const auto facts = co_await read_facts(tx);
    auto refusal = refusal_of(facts);
    if (!refusal.empty()) co_return refusal;
    auto warning = warning_of(facts);
    if (!warning.empty() && warning != said->warning)
        said->log.warn("journal.alone", "{detail}", {{"detail", warning}});
    said->warning = std::move(warning);
    co_return std::string();
}

bool are_one(std::string_view one, std::string_view other) {
    return to_lower(one) == to_lower(other);
}

class NameReader {
  public:
    explicit NameReader(std::string_view text) : text_(text) {}

    std::vector<std::string> read() {
        std::vector<std::string> names;
        for (auto word = next(); !word.empty(); word = next()) {
            if (word == "(")
                names.clear();  // the text before it was the number of standbys
            else if (word != "," && word != ")")
                names.push_back(std::move(word));
        }
        return names;
    }

  private:
    std::string next() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t' || text_.front() == '\n'))
            text_.remove_prefix(1);
        if (text_.empty()) return {};
        if (text_.front() == '"') return quoted();
        const auto end = std::max(std::min(text_.find_first_of(" \t\n,()\""), text_.size()), std::size_t{1});
        std::string word(text_.substr(0, end));
        text_.remove_prefix(end);
        return word;
    }
    // Two quotes stand for one quote.
    std::string quoted() {
        std::string word;
        for (text_.remove_prefix(1); !text_.empty(); text_.remove_prefix(1)) {
            if (text_.front() == '"') {
                text_.remove_prefix(1);
                if (!text_.starts_with('"')) break;
            }
            word += text_.front();
        }
        return word;
    }

    std::string_view text_;
};

std::string words_on(const DatabaseState::Standby& standby) {
    if (!standby.connected) return standby.name + " is away";
    if (standby.state.empty()) return standby.name + " is connected";
    return fmt::format("{} is connected ({}, {})", standby.name, standby.state, standby.sync_state);
}

}  // namespace

Job<ServerFacts> read_facts(Transaction& tx) {
    (void)co_await tx.ask(set_what_is_known);
    const auto rows = co_await tx.ask(sql::server_facts);
    const auto row = rows.front();
    ServerFacts facts;
    facts.version = row.integer(0);
    facts.is_standby = row.integer(1) != 0;
    facts.fsync = row.text(2);
    facts.full_page_writes = row.text(3);
    facts.synchronous_commit = row.text(4);
    facts.synchronous_standby_names = row.text(5);
    facts.encoding = row.text(6);
    facts.other_schema = row.text(7);
    const auto wrong = co_await tx.ask(wrong_settings);
    if (!wrong.empty())
        facts.wrong_setting = refusal_of_setting(wrong.front().text(0), wrong.front().text(1), wrong.front().text(2));
    co_return facts;
}

std::string session_options() {
    std::string options;
    for (const auto& [name, value, why] : asked) {
        options += fmt::format(" -c {}=", name);
        for (const char c : value) {
            if (c == ' ') options += '\\';
            options += c;
        }
    }
    return options;
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
    // remote_write is refused even where there is no standby and it means the same as on: a standby that is added later
    // would acknowledge what a power cut takes from it, and nobody would notice.
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

std::function<Job<std::string>(Transaction&)> look_at_server(Log& log) {
    return [said = std::make_shared<Said>(log)](Transaction& tx) { return look(tx, said); };
}

std::vector<std::string> names_of_standbys(std::string_view setting) {
    return NameReader(setting).read();
}

Job<DatabaseState> read_standbys(Transaction& tx) {
    DatabaseState state;
    const auto waiting = co_await tx.ask(sql::waiting_commits);
    state.waits_for_standby = waiting.front().integer(0) != 0;
    state.synchronous_standby_names = waiting.front().text(1);
    const std::string own(waiting.front().text(2));
    const auto connected = co_await tx.ask(sql::connected_standbys);
    for (const auto row : connected)
        state.standbys.push_back({.name = std::string(row.text(0)),
                                  .connected = true,
                                  .state = std::string(row.text(1)),
                                  .sync_state = std::string(row.text(2))});
    for (auto& name : names_of_standbys(state.synchronous_standby_names)) {
        const auto is_it = [&](const DatabaseState::Standby& known) { return are_one(known.name, name); };
        if (name != "*" && !are_one(name, own) && std::ranges::none_of(state.standbys, is_it))
            state.standbys.push_back({.name = std::move(name)});
    }
    co_return state;
}

std::string what_is_waited_for(const DatabaseState& state) {
    std::vector<std::string> all;
    for (const auto& standby : state.standbys)
        all.push_back(words_on(standby));
    return fmt::format(
        "the database server {} waits for a synchronous standby before it says of anything that it is kept "
        "(synchronous_standby_names = '{}'): {}",
        state.server, state.synchronous_standby_names,
        all.empty() ? "no standby is connected" : fmt::format("{}", fmt::join(all, ", ")));
}

boost::asio::awaitable<std::string> what_is_waited_for(boost::asio::any_io_executor executor, Clock& clock,
                                                       const Client& client, SessionOptions options) {
    Session beside(std::move(executor), clock, client, std::move(options));
    auto state = co_await beside.perform<DatabaseState>(Engine::Access::glance, read_standbys);
    if (state.has_error() || !state->waits_for_standby) co_return std::string();
    state->server = beside.server();
    co_return what_is_waited_for(*state);
}

std::string words_on_waiting(std::string what) {
    return std::move(what) + "; bring one back, and all goes on by itself";
}

}  // namespace gateway::postgres
