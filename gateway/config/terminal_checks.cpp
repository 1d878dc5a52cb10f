#include "base/ascii.hpp"
#include "config/checks.hpp"
#include "config/files.hpp"
#include "config/keys.hpp"
#include "config/new_terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gateway {

namespace {

constexpr std::size_t digest_length = 64;
// A terminal has at most this many digests. Those of the old and the new key are two, and there is room for a change
// that was begun twice. Keys that nobody removes would be as many ways in.
constexpr std::size_t most_digests = 4;

// This is the digest in the example. As far as anybody knows, no key has it.
constexpr std::string_view placeholder = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr std::string_view digest_of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
// This is the digest of the key of caixa-01 in config/sandbox.toml, which everybody can read.
constexpr std::string_view demo_digest = "12d3336369935a77edf5aea93861c3246bc95e234a013b528b814544f17dee23";

// Changes the digest to lower case. Returns whether it is one at all.
bool read_digest(std::string& digest) {
    digest = to_lower(digest);
    return digest.size() == digest_length && std::ranges::all_of(digest, [](char c) { return hex_value(c) >= 0; });
}

class TerminalCheck {
  public:
    TerminalCheck(const Config& config, Diagnostics& diagnostics) : config_(config), diagnostics_(diagnostics) {}

    void look_at(TerminalConfig& terminal, const std::string& section) {
        check_id(terminal, section + ".id");
        check_digests(terminal.key_sha256.all, section + ".key_sha256");
        check_families(terminal, section + ".families");
        if (const auto hidden = invisible_in(terminal.estabelecimento))
            diagnostics_.hinder(section + ".estabelecimento", *hidden);
    }

  private:
    void check_id(const TerminalConfig& terminal, const std::string& key) {
        if (terminal.id.empty()) return;
        if (!is_terminal_id(terminal.id)) {
            diagnostics_.error(key, told("must be 1 to 64 letters, digits, dots, - and _"));
            return;
        }
        const auto [first, is_new] = ids_.emplace(terminal.id, key);
        if (!is_new) diagnostics_.error(key, told("\"{}\" is the id of {} too"), terminal.id, first->second);
    }

    void check_digests(std::vector<std::string>& digests, const std::string& key) {
        if (digests.size() > most_digests) {
            diagnostics_.error(key,
                               told("lists {} digests, must be at most {}: take out those of keys that no till has"),
                               digests.size(), most_digests);
            return;
        }
        for (std::size_t i = 0; i < digests.size(); ++i)
            check_digest(digests[i], key, digests.size() == 1 ? 0 : i + 1);
    }

    // A complaint begins with the number of the entry, where the key has several.
    void check_digest(std::string& digest, const std::string& key, std::size_t number) {
        const auto entry = [&](std::string_view complaint) {
            return number == 0 ? std::string(complaint) : fmt::format(told("entry {} {}"), number, complaint);
        };
        if (!read_digest(digest)) {
            // It is not quoted, because it may be the key itself by mistake.
            diagnostics_.error(key, entry(told("must be the SHA-256 of the key, 64 hex digits; "
                                               "sales-gateway new-terminal makes both")));
            return;
        }
        if (digest == digest_of_nothing) {
            diagnostics_.error(key, entry(told("is the digest of an empty key; sales-gateway new-terminal "
                                               "makes a real one")));
            return;
        }
        if (digest == placeholder) {
            diagnostics_.warn(key, entry(told("is the example's placeholder, which no key has: nobody "
                                              "comes in with it; sales-gateway new-terminal makes a real "
                                              "one")));
        }
        const bool is_sandbox =
            is_loopback(config_.provider.base_url.host) || diagnostics_.has_error("provider.base_url");
        if (digest == demo_digest && !is_sandbox) {
            diagnostics_.error(key, entry(told("is that of the published demo key, which is good only "
                                               "against a local sandbox")));
        }
        const auto [first, is_new] = digests_.emplace(digest, key);
        if (is_new) return;
        diagnostics_.error(key, entry(first->second == key
                                          ? fmt::format(told("stands there twice"))
                                          : fmt::format(told("is the digest of {} too; every terminal has its own key"),
                                                        first->second)));
    }

    void check_families(const TerminalConfig& terminal, const std::string& key) {
        const bool unread =
            diagnostics_.has_error("listen.callbacks") || diagnostics_.has_error("provider.callback_url");
        if (config_.takes_callbacks() || unread) return;
        for (const auto family : terminal.families)
            if (is_by_callback(family))
                diagnostics_.error(key, told("lists {}, which needs listen.callbacks and provider.callback_url"),
                                   to_string(family));
    }

    const Config& config_;
    Diagnostics& diagnostics_;
    std::map<std::string, std::string> ids_;
    std::map<std::string, std::string> digests_;
};

void check_estabelecimento(const Config& config, Diagnostics& diagnostics) {
    const std::string key = "provider.estabelecimento";
    if (!config.provider.estabelecimento.empty() || diagnostics.has_error(key)) return;
    for (std::size_t i = 0; i < config.terminals.size(); ++i) {
        const auto& terminal = config.terminals[i];
        const auto section = name_of_entry(terminals_section, i);
        if (!terminal.estabelecimento.empty() || diagnostics.has_error(section + ".estabelecimento")) continue;
        return diagnostics.error(key, told("is missing, and terminal \"{}\" has no estabelecimento of its own"),
                                 terminal.id);
    }
}

}  // namespace

void check_terminals(Config& config, Diagnostics& diagnostics) {
    TerminalCheck check(config, diagnostics);
    for (std::size_t i = 0; i < config.terminals.size(); ++i) {
        check.look_at(config.terminals[i], name_of_entry(terminals_section, i));
    }
    if (config.terminals.empty() && !diagnostics.has_error("terminals")) {
        diagnostics.warn("terminals", told("there are none: nobody can sell; sales-gateway new-terminal makes one"));
    }
    check_estabelecimento(config, diagnostics);
}

}  // namespace gateway
