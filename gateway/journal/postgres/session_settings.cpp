#include "journal/postgres/session_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::postgres {
namespace {

// ASKED(name, value) is asked for when a session begins. KNOWN(name, value) is set afterwards, where the server knows
// it. OURS(name, value, why) cannot be set by a user who is no superuser, and is only looked at. The values are written
// as the server shows them.
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
    ASKED("statement_timeout", "0")                                                                             \
    ASKED("lock_timeout", "0")                                                                                  \
    ASKED("idle_session_timeout", "0")                                                                          \
    ASKED("plpgsql.extra_errors", "none")                                                                       \
    ASKED("plpgsql.extra_warnings", "none")                                                                     \
    /* A server that waits for a lock does not notice that its client is gone, and holds what it has locked. */ \
    KNOWN("client_connection_check_interval", "2s")                                                             \
    KNOWN("transaction_timeout", "0")                                                                           \
    KNOWN("restrict_nonsystem_relation_kind", "")                                                               \
    OURS("session_replication_role", "origin", "a journal that was moved elsewhere could be written again")     \
    OURS("zero_damaged_pages", "off", "sales on a damaged page would be gone without a word")                   \
    OURS("ignore_checksum_failure", "off", "damaged sales would be read as if nothing had happened")            \
    OURS("plpgsql.variable_conflict", "error", "its functions would mean something else")

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

}  // namespace

// The last row of both is no setting, and ends the list. A setting of a module is empty until the module is loaded.
const Statement set_what_is_known{"set_what_is_known",
                                  "SELECT set_config(name, value, false) FROM (VALUES " SESSION_SETTINGS(
                                      NOTHING, ROW, NOTHING) "('', '')) AS s (name, value)"
                                                             " WHERE name <> '' AND current_setting(name, true) IS NOT "
                                                             "NULL"};
const Statement wrong_settings{"wrong_settings",
                               "SELECT name, current_setting(name, true), value FROM (VALUES " ROWS_OF_ALL
                               "('', '')) AS s (name, value)"
                               " WHERE name <> '' AND nullif(current_setting(name, true), '') <> value"};

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

}  // namespace gateway::postgres
