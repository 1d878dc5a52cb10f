// GET /openapi.json gives the description of a listener, in OpenAPI 3.1. It is made of the tables of routes when it is
// first asked for. It is for everybody, because it tells no secret, and a person who writes a till's program has no key
// yet.
//
// The end-to-end tests check every exchange against the documents, so that these say what is served.
#pragma once

#include "api/openapi/schema.hpp"
#include "http/server/message.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gateway {

class OpenapiApi {
  public:
    // `calls` has every call that there is, and `schemas` every schema. The tables must outlive the server, as those of
    // the program do, and so must this object.
    OpenapiApi(std::vector<std::span<const Call>> calls, std::vector<std::span<const openapi::Schema>> schemas)
        : calls_(std::move(calls)), schemas_(std::move(schemas)) {}

    boost::asio::awaitable<http::Response> terminals(http::Request& request);
    boost::asio::awaitable<http::Response> admin(http::Request& request);

    // Returns the document of the listener, which is on_terminals or on_admin, as JSON.
    const std::string& document(ListenerSet listener);

  private:
    const std::vector<std::span<const Call>> calls_;
    const std::vector<std::span<const openapi::Schema>> schemas_;
    std::string of_terminals_;  // empty until somebody asks for it
    std::string of_admin_;
};

}  // namespace gateway
