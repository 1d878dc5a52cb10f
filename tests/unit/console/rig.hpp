// Runs the console's sign-in, with routes behind it, in virtual time. Passwords are checked at once, or as slowly as
// the test says.
#pragma once

#include "console/pages.hpp"
#include "console/sign_in.hpp"
#include "http/server/target.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::test {

// This is what a caller of the console was told.
struct Shown {
    http::Response response;

    unsigned status() const { return static_cast<unsigned>(response.status); }
    boost::json::object json() const { return boost::json::parse(response.body).as_object(); }
    std::string text(const char* name) const {
        const auto body = json();
        return body.contains(name) ? std::string(body.at(name).as_string()) : std::string();
    }
    std::string header(std::string_view name) const {
        for (const auto& [key, value] : response.headers)
            if (key == name) return value;
        return {};
    }
    // Returns the pair of the cookie that was set, as a browser sends it back.
    std::string cookie() const {
        const auto set = header("Set-Cookie");
        return set.substr(0, set.find(';'));
    }
};

class ConsoleRig {
  public:
    explicit ConsoleRig(bool over_tls = false) : tls(over_tls) {
        SignIn::Check look = [this](PasswordHash hash, Secret password) {
            return check(std::move(hash), std::move(password));
        };
        const SignInOptions options{
            .tls = tls,
            .operators = {ana, bia},
            .store = {.version = "0.0.0",
                      .provider_phone = "0800 123 4567",
                      .letterhead = {.name = "Mercadinho da Praça", .cnpj = "12.345.678/0001-95"},
                      .colour = "#1a5fb4"}};
        const SignIn::Keep keep = [this](const SessionChanges& changes) { return this->keep(changes); };
        sign_in = std::make_unique<SignIn>(
            io.get_executor(), options, std::move(look), [this] { return listening; }, keep, clock, random, log);
        add_calls(router, console_calls(), on_console, Parts(*sign_in));
        add_calls(admin, console_calls(), on_admin, Parts(*sign_in));
        for (const auto method : {http::verb::get, http::verb::post})
            router.add(method, "/v1/thing", [this](http::Request& request) -> boost::asio::awaitable<http::Response> {
                principals.push_back(request.principal);
                co_return http::Response{.body = "{}"};
            });
        router.set_filter(
            [this](http::Request& request, const http::Handler& next) { return sign_in->guard(request, next); });
    }

    // Makes a hash whose password `check` knows, because computing one takes a tenth of a second.
    PasswordHash hash_of(char salt, std::string password) {
        auto text = "$scrypt$ln=15,r=8,p=1$" + std::string(21, salt) + "A$" + std::string(42, salt) + "A";
        auto hash = *PasswordHash::parse(text);
        passwords[std::move(text)] = std::move(password);
        return hash;
    }

    // Makes a request as a browser sends it that shows this cookie. A request that may write comes from the console's
    // own page.
    http::Request request(http::verb method, std::string_view target, std::string body = {},
                          std::string_view cookie = {}) const {
        auto made = without_origin(method, target, std::move(body), cookie);
        if (method != http::verb::get) made.headers.insert("Origin", origin());
        return made;
    }
    http::Request without_origin(http::verb method, std::string_view target, std::string body = {},
                                 std::string_view cookie = {}) const {
        http::Request made;
        made.method = method;
        EXPECT_TRUE(http::set_target(made, target));
        made.request_id = "r-1";
        made.remote = boost::asio::ip::make_address("192.0.2.7");
        made.headers.insert("Host", "127.0.0.1:9091");
        if (!cookie.empty()) made.headers.insert("Cookie", cookie);
        if (!body.empty()) made.headers.insert("Content-Type", "application/json");
        made.body = std::move(body);
        return made;
    }
    std::string origin() const { return std::string(tls ? "https" : "http") + "://127.0.0.1:9091"; }

    Shown ask(http::Request asked) { return {clock.run(router.dispatch(asked))}; }
    Shown ask(http::verb method, std::string_view target, std::string_view cookie) {
        return ask(request(method, target, {}, cookie));
    }
    Shown get(std::string_view target, std::string_view cookie) { return ask(http::verb::get, target, cookie); }
    Shown sign_in_with(std::string body) { return ask(request(http::verb::post, "/console/session", std::move(body))); }
    Shown sign_in_as(std::string_view name, std::string_view password) {
        const boost::json::object body{{"name", name}, {"password", password}};
        return sign_in_with(boost::json::serialize(body));
    }
    // Returns the cookie of a person who may settle; the next function, that of one who may look.
    std::string of_ana() { return sign_in_as("Ana", "certo").cookie(); }
    std::string of_bia() { return sign_in_as("Bia", "certo também").cookie(); }

    // Begins a request, and keeps its answer as soon as it is there.
    std::shared_ptr<std::optional<Shown>> begin(http::Request asked) {
        auto answer = std::make_shared<std::optional<Shown>>();
        boost::asio::co_spawn(io, keep(std::move(asked), answer), boost::asio::detached);
        clock.settle();
        return answer;
    }
    std::shared_ptr<std::optional<Shown>> begin_sign_in(std::string_view name, std::string_view password) {
        const boost::json::object body{{"name", name}, {"password", password}};
        return begin(request(http::verb::post, "/console/session", boost::json::serialize(body)));
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    MemoryLog log;
    const bool tls;
    std::optional<SignIn::Endpoint> listening{{boost::asio::ip::address_v4::loopback(), 9091}};  // the console
    std::map<std::string, std::string> passwords;  // by the text of their hash
    std::vector<std::string> looked_at;            // these texts
    Duration check_takes{0};
    std::map<std::string, KeptSession> kept;  // what the journal has of the sessions, by digest
    std::size_t written = 0;                  // how often it was written
    boost::system::error_code journal_fails;  // with which error it is not written; none: it is
    Duration journal_takes{0};
    Operator ana{.name = "Ana", .password = hash_of('a', "certo"), .role = Role::settle};
    Operator bia{.name = "Bia", .password = hash_of('b', "certo também"), .role = Role::look};
    std::vector<std::string> principals;  // the principals of the calls that came through
    std::unique_ptr<SignIn> sign_in;
    http::Router router, admin;

  private:
    boost::asio::awaitable<Result<void>> keep(const SessionChanges& changes) {
        if (journal_takes > Duration(0)) co_await clock.sleep_for(journal_takes);
        if (journal_fails) co_return journal_fails;
        ++written;
        for (const auto& begun : changes.begun)
            kept[begun.digest] = begun;
        for (const auto& used : changes.used)
            if (kept.contains(used.digest)) kept[used.digest] = used;
        for (const auto& digest : changes.ended)
            kept.erase(digest);
        co_return Result<void>();
    }
    boost::asio::awaitable<bool> check(PasswordHash hash, Secret password) {
        looked_at.push_back(hash.text());
        if (check_takes > Duration(0)) co_await clock.sleep_for(check_takes);
        const auto known = passwords.find(hash.text());
        co_return known != passwords.end() && known->second == password.reveal();
    }
    boost::asio::awaitable<void> keep(http::Request asked, std::shared_ptr<std::optional<Shown>> answer) {
        auto response = co_await router.dispatch(asked);
        answer->emplace(Shown{std::move(response)});
    }
};

}  // namespace gateway::test
