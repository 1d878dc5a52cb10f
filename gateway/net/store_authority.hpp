// Makes an authority of the store's own, and the certificates that it vouches for. Certificates and keys are in PEM;
// names are those of hosts, of letters, digits, dots, hyphens and underscores, or IP addresses.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"
#include "base/wall_time.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <vector>

namespace gateway {

struct CertifiedKey {
    std::string cert;
    Secret key;
};

// Returns a new private key.
Secret make_private_key();

// Makes an authority that is good for ten years. Whoever steals its key can pretend to be no site of the Internet,
// because it can vouch for nothing but these names and the names below them, localhost, and addresses: those among the
// names, and those of private networks and of this machine itself. `names` has one name or more. Among the authorities
// of a telephone it is called after the store, in UTF-8, or after the first of the names where `store` is empty.
CertifiedKey make_authority(const std::vector<std::string>& names, const std::string& store, WallTime now,
                            Random& random);

struct IssuedCertificate {
    std::string cert;
    WallTime ends_at;
};
// Makes a server's certificate for these names, localhost and the loopback addresses, with the key that is given. It is
// good for 825 days, or until the authority ends: Apple's devices accept no longer ones, not even of an authority that
// their owner has installed. The error says in words why the authority cannot vouch for it.
boost::system::result<IssuedCertificate, std::string> issue_certificate(const CertifiedKey& authority,
                                                                        const Secret& key,
                                                                        const std::vector<std::string>& names,
                                                                        WallTime now, Random& random);

// Returns the SHA-256 of the first certificate in the text, as telephones and browsers show it: "0A:1B:…". It is empty
// where there is no certificate.
std::string fingerprint_of(const std::string& cert);

}  // namespace gateway
