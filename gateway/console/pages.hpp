// The console's own files, which travel inside the program, and the header fields that keep a browser from doing
// anything else with them.
#pragma once

#include "api/openapi/description.hpp"
#include "http/server/router.hpp"

#include <span>
#include <string_view>

namespace gateway {

struct Page {
    std::string_view path;  // "/app.js"
    std::string_view text;
};
std::span<const Page> pages();

// All of them, for everybody: they say nothing of the store. "/" is index.html.
void add_pages(http::Router& router);

// The calls that only these pages make, and the one that makes a link to them.
std::span<const Call> console_calls() noexcept;
namespace openapi {
std::span<const Schema> console_link_schemas();
Description make_console_link();
}  // namespace openapi

// With what every answer of the console has: a browser takes it for what it says it is, shows it in no frame, and loads
// and runs nothing but the console's own files.
http::Response secured(http::Response response);

}  // namespace gateway
