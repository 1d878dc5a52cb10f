// Makes an authority of the store's own and a certificate for the console, as files in the folder tls/ beside the
// configuration. An authority that is there is used again, because every telephone would have to install another one.
#pragma once

#include "base/random.hpp"
#include "base/told.hpp"
#include "base/wall_time.hpp"
#include "config/config.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <vector>

namespace gateway {

struct CertificateWish {
    std::string config;              // the file, beside which the others are
    std::vector<std::string> names;  // by which browsers call the console; empty: see names_of_console()
    bool new_authority = false;      // replaces the authority that is there
};

struct NewCertificate {
    std::string lines{};  // "[listen.console_tls]" and the keys below it; empty: the configuration has them already
    std::vector<std::string> of_listen{};  // further keys for its section [listen], with their values
    std::vector<std::string> addresses{};  // where a browser finds the console
    std::string fingerprint{};             // the authority's SHA-256, as telephones show it
    std::string authority{};               // the file of the authority's certificate
    WallTime ends_at{};                    // the end of the console's certificate
    bool is_of_new_authority = false;
    bool needs_restart = false;  // because TLS or a key of [listen] is new; else a reload is enough
};

// Says what is wrong with a text that is neither the name of a host nor an IP address; empty where nothing is.
std::string wrong_name_of_console(const std::string& name);

// Returns the names of the configuration, or else those of this machine.
std::vector<std::string> names_of_console(const ListenOptions& listen);

// Writes the files, each of them as a whole. The key can be read by the group of the configuration, which the service
// belongs to, and the authority's key by its owner only. The error says what could not be done, and why.
boost::system::result<NewCertificate, std::string> make_certificate(const CertificateWish& wish, WallTime now,
                                                                    Random& random);

// Says in words what is to be done next, here and on the telephone. Times are in the local zone.
std::string what_to_do_with(const NewCertificate& made, const Telling& tell);

}  // namespace gateway
