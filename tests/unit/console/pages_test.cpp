#include "console/pages.hpp"

#include "http/server/target.hpp"
#include "unit/console/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class PagesTest : public testing::Test {
  protected:
    PagesTest() {
        add_pages(router);
        router.set_filter([](http::Request&, const http::Handler&) -> boost::asio::awaitable<http::Response> {
            co_return http::Response{.status = http::status::unauthorized};
        });
    }
    Shown get(std::string_view target, std::string_view copy = {}) {
        http::Request asked{.method = http::verb::get};
        EXPECT_TRUE(http::set_target(asked, target));
        if (!copy.empty()) asked.headers.insert("If-None-Match", copy);
        return {clock.run(router.dispatch(asked))};
    }
    static std::string_view text_of(std::string_view path) {
        for (const auto& page : pages())
            if (page.path == path) return page.text;
        return {};
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    http::Router router;
};

TEST_F(PagesTest, EveryFileIsServedAsWhatItIs) {
    std::set<std::string> types;
    for (const auto& page : pages()) {
        if (page.path == "/index.html") continue;
        const auto told = get(page.path);
        EXPECT_EQ(told.status(), 200U) << page.path;
        EXPECT_EQ(told.response.document, page.text) << page.path;
        EXPECT_NE(told.response.content_type, "application/octet-stream") << page.path;
        types.insert(told.response.content_type);
    }
    EXPECT_EQ(types,
              (std::set<std::string>{"application/json", "font/woff2", "image/svg+xml", "text/css; charset=utf-8",
                                     "text/javascript; charset=utf-8", "text/plain; charset=utf-8"}));
}

// It is no text, so it has bytes that end a text of C++, and the gateway sends the length that the file has.
TEST_F(PagesTest, TheFontIsServedWholeAndWithItsLicence) {
    const auto font = text_of("/fonts/inter.woff2");
    ASSERT_GT(font.size(), 12U);
    EXPECT_THAT(font, StartsWith("wOF2"));
    std::size_t length = 0;  // which the font's own head says (WOFF2, section 4.1)
    for (const char byte : font.substr(8, 4))
        length = length * 256 + static_cast<unsigned char>(byte);
    EXPECT_EQ(font.size(), length);
    EXPECT_LT(font.size(), 60'000U);
    EXPECT_THAT(std::string(text_of("/fonts/OFL.txt")), HasSubstr("SIL OPEN FONT LICENSE Version 1.1"));
}

TEST_F(PagesTest, TheRootIsTheIndexAndHasNoOtherName) {
    const auto told = get("/");
    EXPECT_EQ(told.status(), 200U);
    EXPECT_EQ(told.response.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(told.response.document, text_of("/index.html"));
    EXPECT_FALSE(told.response.document.empty());
    EXPECT_EQ(get("/index.html").status(), 401U);
}

TEST_F(PagesTest, WhatIsNoFileIsNotForEverybody) {
    for (const auto* target : {"/app.js/", "/lib", "/pages/../app.css", "/words/fr.json", "/v1/sales"})
        EXPECT_EQ(get(target).status(), 401U) << target;
}

TEST_F(PagesTest, ABrowserThatHasTheFileIsSentNothing) {
    const auto tag = get("/app.js").header("ETag");
    EXPECT_THAT(tag, testing::MatchesRegex("\"[0-9a-f]{32}\""));
    for (const auto& sent : {tag, "W/" + tag, "\"another\", " + tag}) {
        const auto told = get("/app.js", sent);
        EXPECT_EQ(told.status(), 304U) << sent;
        EXPECT_TRUE(told.response.body.empty() && told.response.document.empty());
        EXPECT_EQ(told.header("ETag"), tag);
        EXPECT_EQ(told.header("Cache-Control"), "no-cache");
    }
    EXPECT_EQ(get("/app.js", "\"another\"").status(), 200U);
    EXPECT_EQ(get("/style.css", tag).status(), 200U) << "of another file";
}

TEST_F(PagesTest, ABrowserAsksEachTimeWhetherItHasTheFile) {
    for (const auto& page : pages()) {
        const auto told = get(page.path == "/index.html" ? "/" : page.path);
        EXPECT_EQ(told.header("Cache-Control"), "no-cache") << page.path;
        EXPECT_NE(told.header("ETag"), "") << page.path;
    }
}

TEST_F(PagesTest, ABrowserLoadsAndRunsNothingElse) {
    for (const auto* target : {"/", "/app.js"}) {
        const auto told = get(target);
        EXPECT_EQ(told.header("Content-Security-Policy"),
                  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
                  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                  "require-trusted-types-for 'script'");
        EXPECT_EQ(told.header("X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(told.header("Referrer-Policy"), "no-referrer");
        EXPECT_EQ(told.header("Cross-Origin-Opener-Policy"), "same-origin");
        EXPECT_EQ(told.header("Cross-Origin-Resource-Policy"), "same-origin");
    }
}

// A shop without Internet sees the same pages. The only address in them is the name of a drawing's language.
TEST_F(PagesTest, NoFileNamesAnotherHost) {
    for (const auto& page : pages()) {
        std::string text(page.text);
        for (const std::string name : {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"})
            for (auto at = text.find(name); at != text.npos; at = text.find(name))
                text.erase(at, name.size());
        for (const auto* mark : {"://", "src=\"//", "href=\"//", "url(//", "@import"})
            EXPECT_THAT(text, Not(HasSubstr(mark))) << page.path;
    }
}

TEST_F(PagesTest, TheIndexRunsNothingInline) {
    const std::string index(text_of("/index.html"));
    EXPECT_THAT(index, StartsWith("<!doctype html>"));
    for (const auto* mark : {"<style", " style=", " onload=", " onclick=", "javascript:"})
        EXPECT_THAT(index, Not(HasSubstr(mark))) << mark;
    for (auto at = index.find("<script"); at != index.npos; at = index.find("<script", at + 1))
        EXPECT_THAT(index.substr(at, index.find('>', at) - at), HasSubstr(" src=\"")) << index.substr(at, 40);
}

}  // namespace
}  // namespace gateway::test
