#include "base/ascii.hpp"
#include "base/systemd.hpp"
#include "config/checks.hpp"
#include "config/files.hpp"
#include "config/journal_keys.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace gateway {
namespace {

constexpr std::size_t longest_name = 64;
constexpr auto usual_tally_file = "/var/lib/sales-gateway/tally";

// Tells whether SQLite gives the path another meaning: ":memory:" is a journal that is forgotten, and "file:" begins an
// address that may mean the same.
bool has_meaning_to_sqlite(std::string_view path) {
    return path.starts_with(':') || path.starts_with("file:");
}

// Returns whether systemd makes the folder before it starts the service.
bool is_made_for_service(const std::filesystem::path& folder) {
    const auto unit = read_service_unit(own_unit);
    return unit && std::ranges::find(unit->made, folder.lexically_normal().string()) != unit->made.end();
}

// Checks that a file may be made there.
void check_place(const std::string& key, const std::string& file, Diagnostics& diagnostics) {
    const std::filesystem::path path(file);
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    std::error_code failure;
    const bool is_to_come = !std::filesystem::exists(folder, failure) && !failure && is_made_for_service(folder);
    if (!std::filesystem::is_directory(folder, failure) && !is_to_come) {
        diagnostics.error(key, told("stands in {}, which is no folder; make it first"), folder.string());
    } else if (std::filesystem::is_directory(path, failure)) {
        diagnostics.error(key, told("is a folder; name a file in it"));
    }
}

void check_file(const std::string& file, Diagnostics& diagnostics) {
    if (has_meaning_to_sqlite(file)) {
        diagnostics.error("journal.path",
                          told("must name a file on a disk, such as \"/var/lib/sales-gateway/journal.db\"; what is "
                               "only in memory loses every open sale with the process"));
        return;
    }
    if (file.starts_with("postgresql:") || file.starts_with("postgres:")) {
        diagnostics.error("journal.path", told("names a database, which is for journal.url to say"));
        return;
    }
    check_place("journal.path", file, diagnostics);
}

std::string name_of_machine() {
    std::array<char, longest_name + 1> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return {};
    return std::string(name.data());
}

void check_keys(JournalConfig& journal, Diagnostics& diagnostics) {
    const std::string key = "journal.key_file";
    if (journal.key_file.empty()) return;
    auto keys = read_journal_keys(journal.key_file);
    if (!keys) return diagnostics.error(key, keys.error());
    if (is_public(journal.key_file))
        diagnostics.warn(key, told("\"{}\" may be read by everybody on this machine"), journal.key_file);
    journal.keys = std::move(*keys);
}

void check_password(JournalConfig& journal, Diagnostics& diagnostics) {
    const std::string key = "journal.password_file";
    if (journal.password_file.empty()) return;
    auto password = read_secret(journal.password_file, told("the password"), Lines::the_first);
    if (!password) return diagnostics.error(key, password.error());
    remark_on_secret(*password, journal.password_file, key, diagnostics);
    journal.password = std::move(*password);
}

// Checks a shared journal. The details of the URL are read by PostgreSQL's client. It is empty where it could not be
// read.
void check_shared(JournalConfig& journal, Diagnostics& diagnostics) {
    if (!journal.url.empty() && !journal.url.starts_with("postgresql://") && !journal.url.starts_with("postgres://"))
        diagnostics.error("journal.url", told("must begin with postgresql://"));
    if (journal.gateway.empty()) journal.gateway = name_of_machine();
    const bool is_name = !journal.gateway.empty() && journal.gateway.size() <= longest_name &&
                         std::ranges::all_of(journal.gateway, [](char c) {
                             return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
                         });
    if (!is_name && !diagnostics.has_error("journal.gateway"))
        diagnostics.error("journal.gateway",
                          told("is 1 to 64 letters, digits, dots, - and _, and \"{}\" is none; without it the "
                               "machine's name is taken"),
                          journal.gateway);
    if (journal.tally_file.empty()) journal.tally_file = usual_tally_file;
    if (!diagnostics.has_error("journal.tally_file"))
        check_place("journal.tally_file", journal.tally_file, diagnostics);
    check_password(journal, diagnostics);
}

}  // namespace

void check_journal(JournalConfig& journal, Diagnostics& diagnostics) {
    check_keys(journal, diagnostics);
    const bool is_file = !journal.path.empty();
    const bool is_unread = diagnostics.has_error("journal.path") || diagnostics.has_error("journal.url");
    const bool is_shared = !journal.url.empty() || (diagnostics.has_error("journal.url") && !is_file);
    if (is_shared && is_file)
        return diagnostics.error(
            "journal.url",
            told("stands beside journal.path: the journal is in a file, or on PostgreSQL. Delete one of the two"));
    if (is_shared) return check_shared(journal, diagnostics);
    if (is_file) check_file(journal.path, diagnostics);
    if (is_unread) return;
    for (const auto& [key, value] :
         {std::pair("journal.password_file", &journal.password_file), std::pair("journal.gateway", &journal.gateway),
          std::pair("journal.tally_file", &journal.tally_file)})
        if (!value->empty()) diagnostics.error(key, told("says nothing without journal.url"));
    if (!is_file) diagnostics.error("journal.path", std::string(no_journal));
}

}  // namespace gateway
