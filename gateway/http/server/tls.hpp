// The TLS side of a listener: version 1.2 or later, forward secrecy only, a certificate from files.
#pragma once

#include "base/error.hpp"
#include "http/server/server.hpp"
#include "net/stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway::http {

// The context, or in words what is wrong with the files; `code` is then errc::not_found or errc::malformed.
struct TlsFailure {
    errc code;
    std::string words;  // names the file, quotes nothing from it
};
boost::system::result<boost::asio::ssl::context, TlsFailure> make_tls_context(const TlsFiles& files);

// What a context shows that was made of this file.
std::optional<ShownCertificate> shown_by(boost::asio::ssl::context& context, const std::string& file,
                                         const Clock& clock);
bool shows_the_same(boost::asio::ssl::context& one, boost::asio::ssl::context& other);

// The server's side of one connection.
Ssl accept_tls(boost::asio::ssl::context& context);

// What the certificate says that the peer has shown; empty where it has shown none.
Certified peer_certificate(SSL* tls);

}  // namespace gateway::http
