// GET /openapi.json: the description of a listener, OpenAPI 3.1, which is made of the tables of routes when it is asked
// for first. It is for everybody: it tells no secret, and a person who writes a till's program has no key yet.
//
// That the documents say what is served is held true by the end-to-end tests, which check every exchange against them.
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
    // Every call that there is, and every schema. The tables must outlive the server, as those of the program do, and
    // so must this.
    OpenapiApi(std::vector<std::span<const Call>> calls, std::vector<std::span<const openapi::Schema>> schemas)
        : calls_(std::move(calls)), schemas_(std::move(schemas)) {}

    boost::asio::awaitable<http::Response> terminals(http::Request& request);
    boost::asio::awaitable<http::Response> admin(http::Request& request);

    // The document of the listener, which is on_terminals or on_admin, as JSON.
    const std::string& document(ListenerSet listener);

  private:
    const std::vector<std::span<const Call>> calls_;
    const std::vector<std::span<const openapi::Schema>> schemas_;
    std::string of_terminals_;  // empty until somebody asks for it
    std::string of_admin_;
};

}  // namespace gateway
