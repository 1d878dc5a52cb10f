// The descriptions of the listeners, OpenAPI 3.1. They stand in openapi/ and travel inside the program; that they say
// what is served is held true by the end-to-end tests, which check every exchange against them.
#pragma once

#include "http/server/router.hpp"

#include <string_view>

namespace gateway {

std::string_view terminals_openapi() noexcept;
std::string_view admin_openapi() noexcept;

// Serves a document at GET /openapi.json, to everybody: it tells no secret, and who writes a till's program has no key
// yet. It must live as long as the program, as these do.
void add_openapi(http::Router& router, std::string_view document);

}  // namespace gateway
