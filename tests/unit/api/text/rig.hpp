// This is a listener whose calls answer what the test prepares, and the text that a person gets who asks for text.
#pragma once

#include "api/text/renderers.hpp"
#include "base/wall_time.hpp"
#include "http/server/target.hpp"
#include "unit/support/virtual_clock.hpp"
#include "unit/support/zone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace gateway::test {

inline text::Page page_of(std::size_t columns, bool colours = false, Language language = Language::english) {
    return {.words = Words::in(language),
            .now = *from_rfc3339("2026-11-22T20:10:00Z"),
            .columns = columns,
            .colours = colours};
}

struct TextRig : ::testing::Test {
    TextRig() {
        clock.shift_wall(*from_rfc3339("2026-11-22T20:10:00Z") - clock.wall());
        using http::verb;
        for (const auto* pattern : {"/v1/status", "/v1/sales", "/v1/sales/{id}", "/v1/sales/{id}/events",
                                    "/v1/attention", "/v1/totals", "/v1/closes", "/v1/findings", "/v1/latency"})
            add(verb::get, pattern);
        for (const auto* pattern : {"/v1/sales/{id}/resolve", "/v1/closes", "/v1/findings/{id}/resolve",
                                    "/v1/statements", "/v1/statements/from-status", "/v1/console/links"})
            add(verb::post, pattern);
        router.set_filter(
            text::answers(clock, [](http::Request& request, const http::Handler& next) { return next(request); }));
    }

    void answer(std::string body, unsigned status = 200) {
        const auto* const type = status < 400 ? "application/json" : "application/problem+json";
        script.push_back({.status = static_cast<http::status>(status), .content_type = type, .body = std::move(body)});
    }
    // Asks, and keeps the answer. Returns the exit status of a command.
    int asked(std::string_view target, http::verb method = http::verb::get, std::string body = {}) {
        http::Request request{.method = method, .body = std::move(body)};
        EXPECT_TRUE(http::set_target(request, target));
        request.headers.insert("Host", "127.0.0.1:9090");
        request.headers.insert("Accept", accept);
        request.headers.insert("Accept-Language", language);
        response = clock.run(router.dispatch(request));
        out = response.body;
        const auto at = response.content_type.find("; exit=");
        return at == std::string::npos ? 0 : std::stoi(response.content_type.substr(at + 7));
    }
    int posted(std::string_view target, std::string body = "{}") {
        return asked(target, http::verb::post, std::move(body));
    }
    std::string field(std::string_view name) const {
        for (const auto& [key, value] : response.headers)
            if (key == name) return value;
        return {};
    }

    const Zone zone{"<-03>3"};
    boost::asio::io_context io;
    VirtualClock clock{io};
    http::Router router;
    std::deque<http::Response> script;
    std::vector<std::string> targets;  // the targets that the calls were asked for, further ones included
    std::string accept = "text/plain;width=10000";
    std::string language = "en";
    http::Response response;
    std::string out;

  private:
    void add(http::verb method, const char* pattern) {
        router.add(method, pattern, [this](http::Request& request) -> boost::asio::awaitable<http::Response> {
            std::string target = request.path;
            for (const auto& [name, value] : request.query)
                target.append(target.find('?') == target.npos ? "?" : "&").append(name).append("=").append(value);
            targets.push_back(target);
            if (script.empty()) co_return http::Response{.status = http::status::service_unavailable};
            auto next = std::move(script.front());
            script.pop_front();
            co_return next;
        });
    }
};

}  // namespace gateway::test
