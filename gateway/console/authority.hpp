// Gives the authority that vouches for the console to telephones, which install it. A certificate is no secret, so
// nobody has to sign in for it.
#pragma once

#include "http/server/router.hpp"

#include <functional>
#include <string>

namespace gateway {

class AuthorityApi {
  public:
    // `authority` returns the certificate in DER; empty where there is none.
    explicit AuthorityApi(std::function<std::string()> authority) : authority_(std::move(authority)) {}

    boost::asio::awaitable<http::Response> get(http::Request& request);

  private:
    const std::function<std::string()> authority_;
};

}  // namespace gateway
