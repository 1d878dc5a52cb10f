#include "console/pages.hpp"

#include "base/digest.hpp"
#include "console/authority.hpp"
#include "console/event_stream.hpp"
#include "console/sign_in.hpp"
#include "words/words.hpp"

#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace gateway {
namespace {

constexpr Page files[] = {
#include "console_pages.inc"
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> types{{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
}};

constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for "
    "'script'";

constexpr Call all_calls[] = {
    {http::verb::post, "/console/session", on_console, answered_by<&SignIn::begin>, nullptr, http::Access::everybody},
    {http::verb::get, "/console/session", on_console, answered_by<&SignIn::who>, nullptr, http::Access::everybody},
    {http::verb::delete_, "/console/session", on_console, answered_by<&SignIn::end>, nullptr, http::Access::everybody},
    {http::verb::get, "/console/authority.crt", on_console, answered_by<&AuthorityApi::get>, nullptr,
     http::Access::everybody},
    {http::verb::get, "/console/looks", on_console, answered_by<&SignIn::looks>, nullptr, http::Access::everybody},
    {http::verb::get, "/console/events", on_console, answered_by<&EventStreams::begin>},
    {http::verb::post, "/v1/console/links", on_admin, answered_by<&SignIn::link>, openapi::make_console_link},
};

std::string_view type_of(std::string_view path) {
    for (const auto& [ending, type] : types)
        if (path.ends_with(ending)) return type;
    return "application/octet-stream";
}

// Tells whether the caller's copy, which If-None-Match names (RFC 9110, section 13.1.2), is the present one.
bool has_it(const http::Request& request, std::string_view tag) {
    return request.header("If-None-Match").find(tag) != std::string_view::npos;
}

void add_page(http::Router& router, std::string path, const Page& page) {
    const auto tag = "\"" + sha256_hex(page.text).substr(0, 32) + "\"";
    router.add(
        http::verb::get, std::move(path),
        [&page, tag](http::Request& request) -> boost::asio::awaitable<http::Response> {
            http::Response answer{.content_type = std::string(type_of(page.path)), .document = page.text};
            if (has_it(request, tag)) answer = {.status = http::status::not_modified};
            // The browser asks each time, so that it never has half of the old files after an upgrade.
            answer.with("ETag", tag).with("Cache-Control", "no-cache");
            co_return secured(std::move(answer));
        },
        http::Access::everybody);
}

}  // namespace

std::span<const Page> pages() {
    static const auto all_pages = [] {
        std::vector<Page> all(std::begin(files), std::end(files));
        all.push_back({"/words/en.json", word_file(Language::english)});
        all.push_back({"/words/pt-BR.json", word_file(Language::portuguese)});
        return all;
    }();
    return all_pages;
}

std::span<const Call> console_calls() noexcept {
    return all_calls;
}

void add_pages(http::Router& router) {
    for (const auto& page : pages())
        add_page(router, page.path == "/index.html" ? "/" : std::string(page.path), page);
}

http::Response secured(http::Response response) {
    response.with("Content-Security-Policy", std::string(policy))
        .with("X-Content-Type-Options", "nosniff")
        .with("Referrer-Policy", "no-referrer")
        .with("Cross-Origin-Opener-Policy", "same-origin")
        .with("Cross-Origin-Resource-Policy", "same-origin");
    return response;
}

}  // namespace gateway
