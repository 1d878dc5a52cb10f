// Reads and checks the files that a configuration names, before anything depends on them.
#pragma once

#include "base/secret.hpp"
#include "config/config.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Returns the whole file. The error says why not, in words that follow the file's name.
boost::system::result<std::string, std::string> read_file(const std::string& path, std::size_t limit);
// Returns the whole file, without the byte order mark that an editor may have put at its beginning.
boost::system::result<std::string, std::string> read_text(const std::string& path, std::size_t limit);
// Returns the secret `what` from a file: its only line or, with Lines::the_first, its first line. The error says in
// words what is wrong with the file. A byte order mark and the line's end are not part of the secret; every other
// character that an editor does not show is refused, with its name and place.
enum class Lines { one, the_first };
boost::system::result<Secret, std::string> read_secret(const std::string& path, std::string_view what,
                                                       Lines lines = Lines::one);
// Says which character in the text an editor does not show, and where. Returns nothing where all are visible; spaces
// inside the text count as visible.
std::optional<std::string> invisible_in(std::string_view text);
// Tells whether every user of this machine may read the file.
bool is_public(const std::string& path);

// These are the remarks on a certificate and its key.
struct PairRemarks {
    std::optional<std::string> cert;      // why TLS could not use it
    std::optional<std::string> key;       // why TLS could not use it; it may only belong to another certificate
    std::optional<std::string> validity;  // that the certificate is not good today, or not for long
};
// Checks the two files. Where one has no name, only the other is checked. Times in the remarks are in this zone.
PairRemarks look_at_pair(const std::string& cert, const std::string& key, const TimeZone& zone);

// Returns those of the names that the certificate in the file is not for; none where the file has no certificate.
std::vector<std::string> names_not_in(const std::string& cert, const std::vector<std::string>& names);

// These are the remarks on a file of certificate authorities.
struct AuthorityRemarks {
    std::optional<std::string> file;    // why TLS could not use them
    std::vector<std::string> validity;  // each certificate that is not valid today, or not for long
    bool none_is_good = false;          // no certificate is valid today
};
AuthorityRemarks look_at_authorities(const std::string& path, const TimeZone& zone);

}  // namespace gateway
