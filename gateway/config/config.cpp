#include "config/config.hpp"

#include "base/systemd.hpp"
#include "config/checks.hpp"
#include "config/diagnostics.hpp"
#include "config/files.hpp"
#include "config/keys.hpp"
#include "config/spelling.hpp"
#include "config/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <iterator>
#include <system_error>

namespace gateway {

namespace {

// A store with a thousand terminals needs a fifth of this.
constexpr std::size_t file_limit = 1024 * 1024;

const Key* find_key(std::string_view name) {
    const auto keys = all_keys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

bool is_inside(std::string_view name, std::string_view section) {
    return name.size() > section.size() && name.starts_with(section) && name[section.size()] == '.';
}

bool is_section(std::string_view name) {
    return std::ranges::any_of(all_keys(), [&](const Key& key) { return is_inside(key.name, name); });
}

std::string_view last_part(std::string_view name) {
    return name.substr(name.rfind('.') + 1);
}

// Lists the keys and sections in a section ("provider." or, for the file itself, ""), in the order of the table.
std::string known_in(std::string_view section) {
    std::vector<std::string_view> words;
    for (const auto& key : all_keys()) {
        if (!key.name.starts_with(section)) continue;
        const auto word = key.name.substr(section.size()).substr(0, key.name.substr(section.size()).find('.'));
        if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    }
    return "; " + fmt::format(told("known here: {}"), fmt::join(words, ", "));
}

// This is what an unknown name was probably meant to be: how to tell it, and what has to follow in the same section or,
// as a full name, in another section. All are empty where nobody knows.
struct Meant {
    std::string_view told;
    std::string_view here;
    std::string_view elsewhere;
};

// Returns the first of these that exists: a name of the same section that begins in the same way; the same word in
// another section (but not in a list, because "name" and "password" say too little); a near name of the same section; a
// near section.
Meant meant_by(std::string_view name) {
    std::vector<std::string_view> names;
    // Nearness is measured on the wrong part only. The sections before it are right, or they would have been reported.
    const auto front = name.substr(0, name.size() - last_part(name).size());
    for (const auto& key : all_keys())
        if (!front.empty() && key.name.starts_with(name))
            return {.told = last_part(key.name), .here = key.name.substr(front.size()), .elsewhere = {}};
    for (const auto& key : all_keys()) {
        if (!is_in_a_list(key) && last_part(key.name) == last_part(name))
            return {.told = key.name, .here = {}, .elsewhere = key.name};
        names.push_back(key.name);
        for (auto dot = key.name.rfind('.'); dot != std::string_view::npos; dot = key.name.rfind('.', dot - 1)) {
            names.push_back(key.name.substr(0, dot));
        }
    }
    std::vector<std::string_view> here;
    for (const auto candidate : names) {
        if (!candidate.starts_with(front)) continue;
        here.push_back(candidate.substr(front.size()));
    }
    const auto nearest = nearest_word(last_part(name), here);
    return {.told = nearest, .here = nearest, .elsewhere = {}};
}

class Reader {
  public:
    Reader(Config& config, Diagnostics& diagnostics) : config_(config), diagnostics_(diagnostics) {}

    void read(const toml::table& root) {
        Target target{config_};
        read_section(root, "", "", target);
        for (const auto& key : all_keys()) {
            if (!is_in_a_list(key)) require(key, std::string(key.name), target);
        }
    }

  private:
    // `name` is the section's name in the table of keys, `shown` its name in messages.
    void read_section(const toml::table& section, const std::string& name, const std::string& shown, Target& target) {
        const auto below = [](const std::string& parent, std::string_view word) {
            return parent.empty() ? std::string(word) : parent + "." + std::string(word);
        };
        for (const auto& [key, value] : section)
            read_value(value, below(name, key), below(shown, key), target);
    }

    void read_value(const toml::node& value, const std::string& name, const std::string& shown, Target& target) {
        diagnostics_.stands(shown, value.source().begin.line);
        if (name == terminals_section) {
            read_list(value, terminals_section, told("terminal"), config_.terminals, &Target::terminal);
        } else if (name == operators_section) {
            read_list(value, operators_section, told("operator"), config_.operators, &Target::person);
        } else if (name == products_section) {
            read_list(value, products_section, told("product"), config_.products, &Target::product);
        } else if (const auto* key = find_key(name)) {
            if (auto wrong = store(value, key->slot(target), key->rules.bounds)) {
                diagnostics_.error(shown, *wrong);
            } else {
                doubt(value, shown);
            }
        } else if (!is_section(name)) {
            refuse(name, shown);
        } else if (const auto* section = value.as_table()) {
            read_section(*section, name, shown, target);
        } else {
            diagnostics_.error(shown, told("is a section; write [{}] and its keys below it"), name);
        }
    }

    // Refuses an unknown name. Where nobody knows what was meant, all names of the section are listed.
    void refuse(std::string_view name, const std::string& shown) {
        const auto meant = meant_by(name);
        const auto in_front = [](std::string_view of) { return of.substr(0, of.size() - last_part(of).size()); };
        const auto hint = meant.told.empty() ? known_in(in_front(name))
                                             : "; " + fmt::format(told("did you mean \"{}\"?"), meant.told);
        diagnostics_.error(shown, told("is no key of this program{}"), hint);
        if (!meant.here.empty()) diagnostics_.means(std::string(in_front(shown)).append(meant.here));
        if (!meant.elsewhere.empty()) diagnostics_.means(std::string(meant.elsewhere));
    }

    // Warns of a text, or of a text in a list, that hardly anybody can mean.
    void doubt(const toml::node& value, const std::string& shown) {
        const auto doubt_of = [](const toml::node& node) {
            const auto* text = node.as_string();
            return text ? doubt_about_text(text->get()) : std::nullopt;
        };
        if (const auto words = doubt_of(value)) diagnostics_.warn(shown, *words);
        const auto* list = value.as_array();
        for (std::size_t i = 0; list && i < list->size(); ++i)
            if (const auto words = doubt_of((*list)[i])) diagnostics_.warn(shown, told("entry {} {}"), i + 1, *words);
    }

    // Reads the tables of a list, each into an entry of its own, to which `place` of the target points.
    template <class Entry>
    void read_list(const toml::node& value, std::string_view name, std::string_view one, std::vector<Entry>& entries,
                   Entry* Target::*place) {
        const std::string section(name);
        const auto* list = value.as_array();
        if (!list || !std::ranges::all_of(*list, [](const toml::node& entry) { return entry.is_table(); })) {
            diagnostics_.error(section, told("is a list; write [[{}]] above each {}'s keys"), section, one);
            return;
        }
        entries.resize(list->size());
        for (std::size_t i = 0; i < list->size(); ++i) {
            const auto shown = name_of_entry(section, i);
            diagnostics_.stands(shown, (*list)[i].source().begin.line);
            Target target{config_};
            target.*place = &entries[i];
            read_section(*(*list)[i].as_table(), section, shown, target);
            for (const auto& key : all_keys()) {
                if (is_inside(key.name, section))
                    require(key, shown + std::string(key.name.substr(section.size())), target);
            }
        }
    }

    void require(const Key& key, const std::string& shown, Target& target) {
        const bool is_there = diagnostics_.has(shown) && !is_blank(key.slot(target));
        if (key.rules.missing.empty() || is_there || diagnostics_.has_error(shown)) return;
        if (diagnostics_.has(shown))
            diagnostics_.error(shown, told("must not be empty: {}"), key.rules.missing);
        else
            diagnostics_.error(shown, told("is missing: {}"), key.rules.missing);
    }

    Config& config_;
    Diagnostics& diagnostics_;
};

// Calls `visit` with the name of each key that is a credential, and with the file that it names.
void for_each_credential(Config& config, const auto& visit) {
    Target target{config};
    for (const auto& key : all_keys())
        if (key.rules.is_credential) visit(key.name, *std::get<std::string*>(key.slot(target)));
}

void take_credentials(Config& config) {
    for_each_credential(config, [](std::string_view, std::string& file) { file = credential_in_place_of(file); });
}

ConfigReading finish(Config config, const Diagnostics& diagnostics) {
    ConfigReading reading{{}, diagnostics.errors(), diagnostics.warnings(), diagnostics.lines()};
    const auto by_line = [](const ConfigProblem& a, const ConfigProblem& b) { return a.line < b.line; };
    std::ranges::stable_sort(reading.errors, by_line);
    std::ranges::stable_sort(reading.warnings, by_line);
    if (!reading.errors.empty()) {
        reading.rest = std::move(config);
        return reading;
    }
    config.warnings = reading.warnings;
    reading.config = std::move(config);
    return reading;
}

// This is the result for a command that needs only one key of a file: that key's errors, and those of the file as a
// whole.
struct OneKeyReading {
    Config config;
    std::vector<ConfigProblem> errors;
};

// This is the advice that follows the error about a file that cannot be read.
struct WaysOut {
    std::string_view not_allowed;
    std::string_view otherwise;
};

ConfigProblem unreadable_file(const std::string& error, const WaysOut& ways_out) {
    const bool not_allowed = error.ends_with(std::generic_category().message(EACCES));
    const auto way_out = not_allowed ? ways_out.not_allowed : ways_out.otherwise;
    return {"", 0, way_out.empty() ? error : fmt::format("{}; {}", error, way_out)};
}

ConfigProblem syntax_problem(std::string_view text, const toml::parse_error& error) {
    const auto& at = error.source().begin;
    return {
        "", at.line,
        fmt::format(told("is not TOML: {}"),
                    syntax_in_words(text, {.line = at.line, .column = at.column, .description = error.description()}))};
}

OneKeyReading load_one_key(const std::string& path, std::string_view key, const WaysOut& ways_out) {
    const auto text = read_file(path, file_limit);
    if (!text) return {{}, {unreadable_file(text.error(), ways_out)}};
    OneKeyReading reading;
    Diagnostics diagnostics;
    try {
        Reader(reading.config, diagnostics).read(toml::parse(*text));
    } catch (const toml::parse_error& error) {
        auto problem = syntax_problem(*text, error);
        problem.message = fmt::format("{}; {}", problem.message, ways_out.otherwise);
        return {{}, {std::move(problem)}};
    }
    std::ranges::copy_if(diagnostics.errors(), std::back_inserter(reading.errors),
                         [&](const ConfigProblem& error) { return error.key == key; });
    return reading;
}

}  // namespace

std::vector<Family> Config::families_of(const TerminalConfig& terminal) const {
    std::vector<Family> families;
    std::ranges::copy_if(all_families, std::back_inserter(families), [&](Family family) {
        const bool listed = std::ranges::find(terminal.families, family) != terminal.families.end();
        return (listed || terminal.families.empty()) && (takes_callbacks() || !is_by_callback(family));
    });
    return families;
}

std::vector<Terminal> Config::callers() const {
    std::vector<Terminal> callers;
    for (const auto& terminal : terminals)
        callers.push_back(
            {.id = terminal.id,
             .key_sha256 = terminal.key_sha256.all,
             .estabelecimento = terminal.estabelecimento.empty() ? provider.estabelecimento : terminal.estabelecimento,
             .families = families_of(terminal),
             .printer = {.cp860 = terminal.printer.cp860.value_or(printer.cp860),
                         .cp850 = terminal.printer.cp850.value_or(printer.cp850),
                         .wpc1252 = terminal.printer.wpc1252.value_or(printer.wpc1252)}});
    return callers;
}

std::optional<http::TlsFiles> ListenOptions::tls_of_terminals() const {
    return has_tls() ? std::optional(tls) : std::nullopt;
}

std::optional<http::TlsFiles> ListenOptions::tls_of_callbacks() const {
    if (!has_tls()) return std::nullopt;
    return http::TlsFiles{.cert = tls.cert, .key = tls.key};
}

std::optional<http::TlsFiles> ListenOptions::tls_of_console() const {
    return console_tls.cert.empty() ? tls_of_callbacks() : std::optional(console_tls);
}

bool ConfigReading::has_error(std::string_view key) const {
    return std::ranges::find(errors, key, &ConfigProblem::key) != errors.end();
}

ConfigReading read_config(std::string_view text) {
    Config config;
    Diagnostics diagnostics;
    // The library reports bad syntax by an exception, at the first place where it finds any.
    try {
        Reader(config, diagnostics).read(toml::parse(text));
    } catch (const toml::parse_error& error) {
        return {{}, {syntax_problem(text, error)}, {}};
    }
    take_credentials(config);
    check_config(config, diagnostics);
    return finish(std::move(config), diagnostics);
}

ConfigReading load_config(const std::string& path) {
    const auto text = read_file(path, file_limit);
    if (!text)
        return {
            {}, {unreadable_file(text.error(), {told("the user that this runs as must be able to read it"), ""})}, {}};
    auto reading = read_config(*text);
    if (!reading.seen().provider.app_secret.empty() && reading.seen().provider.app_secret_file.empty() &&
        is_public(path)) {
        reading.warnings.push_back({"provider.app_secret", line_of(reading.lines, "provider.app_secret"),
                                    fmt::format(told("stands in a file that everybody on this machine may read"))});
    }
    return reading;
}

JournalReading load_journal_place(const std::string& path) {
    auto reading = load_one_key(path, "journal.path", {told("run it with sudo"), told("--config names another one")});
    const auto& journal = reading.config.journal;
    if (reading.errors.empty() && journal.path.empty() && journal.url.empty())
        reading.errors.push_back({"journal.path", 0, std::string(no_journal)});
    if (!reading.errors.empty() || !journal.url.empty())
        return {"", journal.url, credential_in_place_of(journal.password_file), std::move(reading.errors)};
    return {journal.path, "", "", {}};
}

AdminReading load_admin_address(const std::string& path) {
    auto reading = load_one_key(path, "listen.admin",
                                {.not_allowed = told("run it with sudo, or pass --admin HOST:PORT"),
                                 .otherwise = told("--config names another one, and --admin HOST:PORT needs none")});
    if (!reading.errors.empty()) return {std::nullopt, std::move(reading.errors)};
    return {reading.config.listen.admin, {}};
}

std::optional<std::string> load_store_zone(const std::string& path) {
    const auto reading = load_one_key(path, "store.timezone", {});
    const auto& zone = reading.config.store.timezone;
    return reading.errors.empty() && TimeZone::find(zone) ? std::optional(zone) : std::nullopt;
}

std::string load_provider_phone(const std::string& path) {
    return load_one_key(path, "provider.phone", {}).config.provider_phone;
}

std::vector<NamedPath> paths_in(const Config& config) {
    auto copy = config;
    std::vector<NamedPath> paths;
    for_each_credential(copy, [&](std::string_view key, const std::string& file) {
        if (!file.empty()) paths.push_back({.key = key, .path = file});
    });
    if (!config.statement.folder.empty()) paths.push_back({.key = "statement.folder", .path = config.statement.folder});
    const auto writes = [&](std::string_view key, const std::string& file) {
        if (file.empty()) return;
        const auto folder = std::filesystem::path(file).parent_path();
        paths.push_back({.key = key, .path = folder.empty() ? "." : folder.string(), .use = NamedPath::Use::writes});
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored))
            paths.push_back({.key = key, .path = file, .use = NamedPath::Use::writes});
    };
    writes("journal.path", config.journal.path);
    writes("journal.tally_file", config.journal.tally_file);
    return paths;
}

unsigned line_of(const ConfigLines& lines, std::string_view key) {
    for (std::string name(key); !name.empty();) {
        if (const auto found = lines.find(name); found != lines.end()) return found->second;
        const auto dot = name.rfind('.');
        name.resize(dot == std::string::npos ? 0 : dot);
    }
    return 0;
}

std::string to_string(const ConfigProblem& problem, std::string_view path) {
    std::string text(path);
    if (problem.line != 0) text += ":" + std::to_string(problem.line);
    if (!problem.key.empty()) text += ": " + problem.key;
    return text + ": " + problem.message;
}

}  // namespace gateway
