// Has the console's own files, which are part of the program, and the header fields that keep a browser from doing
// anything else with them.
#pragma once

#include "api/openapi/description.hpp"
#include "http/server/router.hpp"

#include <span>
#include <string_view>

namespace gateway {

struct Page {
    std::string_view path;  // for example "/app.js"
    std::string_view text;
};
std::span<const Page> pages();

// Adds a route for each of them, and "/" for index.html. They are for everybody, because they say nothing about the
// store.
void add_pages(http::Router& router);

// Returns the calls that only these pages make, and the call that makes a link to them.
std::span<const Call> console_calls() noexcept;
namespace openapi {
std::span<const Schema> console_link_schemas();
Description make_console_link();
}  // namespace openapi

// Adds the header fields that every answer of the console has. With them a browser takes the answer for what it says it
// is, shows it in no frame, and loads and runs nothing but the console's own files.
http::Response secured(http::Response response);

}  // namespace gateway
