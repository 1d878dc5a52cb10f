// The files that a configuration names, looked at before anything depends on them.
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

// The whole file, or why not, in words that follow its name.
boost::system::result<std::string, std::string> read_file(const std::string& path, std::size_t limit);
// The whole file without the byte order mark that an editor may have put before it.
boost::system::result<std::string, std::string> read_text(const std::string& path, std::size_t limit);
// The one line of a file that holds a secret, `what`, and nothing else, or its first line; or what is wrong with the
// file. A byte order mark and the line's end are no part of the secret; whatever else nobody can see in an editor is
// refused by its name and place.
enum class Lines { one, the_first };
boost::system::result<Secret, std::string> read_secret(const std::string& path, std::string_view what,
                                                       Lines lines = Lines::one);
// Says what in the text nobody can see in an editor, and where. Says nothing where all of it can be seen, apart from
// spaces inside.
std::optional<std::string> invisible_in(std::string_view text);
// Whether everybody on this machine may read it.
bool is_public(const std::string& path);

// What is to be said of a certificate and its key.
struct PairRemarks {
    std::optional<std::string> cert;      // why TLS could not use it
    std::optional<std::string> key;       // likewise; it may only belong to another certificate
    std::optional<std::string> validity;  // that the certificate is not good today, or not for long
};
// Looks at one of the two files alone where the other has no name. Times in the remarks are those of the zone.
PairRemarks look_at_pair(const std::string& cert, const std::string& key, const TimeZone& zone);

// These are the remarks on a file of authorities.
struct AuthorityRemarks {
    std::optional<std::string> file;    // why TLS could not use them
    std::vector<std::string> validity;  // each certificate that is not good today, or not for long
    bool none_is_good = false;          // today
};
AuthorityRemarks look_at_authorities(const std::string& path, const TimeZone& zone);

}  // namespace gateway
