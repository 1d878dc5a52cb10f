// This is the TLS side of a listener. It speaks version 1.2 or later, with forward secrecy only, and shows a
// certificate from files.
#pragma once

#include "base/error.hpp"
#include "http/server/server.hpp"
#include "net/stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway::http {

// Says what is wrong with the files. `code` is errc::not_found or errc::malformed.
struct TlsFailure {
    errc code;
    std::string words;  // names the file and quotes nothing from it
};
boost::system::result<boost::asio::ssl::context, TlsFailure> make_tls_context(const TlsFiles& files);

// Describes what a context shows that was made from this file.
std::optional<ShownCertificate> shown_by(boost::asio::ssl::context& context, const std::string& file,
                                         const Clock& clock);
bool shows_the_same(boost::asio::ssl::context& one, boost::asio::ssl::context& other);

// Makes the server's side of one connection.
Ssl accept_tls(boost::asio::ssl::context& context);

// Returns what the certificate says that the peer has shown. It is empty if the peer has shown none.
Certified peer_certificate(SSL* tls);

}  // namespace gateway::http
