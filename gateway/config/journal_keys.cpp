#include "config/journal_keys.hpp"

#include "base/ascii.hpp"
#include "base/told.hpp"
#include "config/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace gateway {

namespace {

using Keys = boost::system::result<std::vector<Secret>, std::string>;

// There is room for the current key and some old ones, with remarks. A longer file is the wrong one.
constexpr std::size_t key_file_limit = 16384;
constexpr std::size_t key_size = 32;

constexpr std::string_view how_to_make_one = told("make a key with: openssl rand -hex 32");

std::optional<std::string> key_of(std::string_view hex) {
    return hex.size() == 2 * key_size ? from_hex(hex) : std::nullopt;
}

// No random key looks like this: it is a placeholder, or a file of zeros.
bool is_no_secret(const std::string& key) {
    return std::ranges::all_of(key, [&](char c) { return c == key.front(); });
}

}  // namespace

Keys read_journal_keys(const std::string& path) {
    const auto text = read_text(path, key_file_limit);
    if (!text) return fmt::format(told("\"{}\" {}; without its key the journal cannot be used"), path, text.error());
    std::vector<Secret> keys;
    unsigned number = 0;
    for (std::string_view rest = *text; !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const auto line = trim(rest.substr(0, end), " \t\r");
        rest.remove_prefix(std::min(end + 1, rest.size()));
        ++number;
        if (line.empty() || line.starts_with('#')) continue;
        // The line is not quoted, because it may be a key with a typing mistake.
        auto key = key_of(line);
        if (!key)
            return fmt::format(told("\"{}\" line {} is not a key of 64 hex digits; {}"), path, number, how_to_make_one);
        if (is_no_secret(*key))
            return fmt::format(told("\"{}\" line {} is a key that anybody could guess; {}"), path, number,
                               how_to_make_one);
        Secret secret(std::move(*key));
        if (std::ranges::find(keys, secret) != keys.end())
            return fmt::format(told("\"{}\" line {} is a key that stands above it already"), path, number);
        keys.push_back(std::move(secret));
    }
    if (keys.empty()) return fmt::format(told("\"{}\" holds no key; {}"), path, how_to_make_one);
    return keys;
}

}  // namespace gateway
