// This is the door of the console: whatever a browser, or what pretends to be one, shows as cookies, sends to sign in
// with, or says of its page or of the last event that it saw, only the secret itself lets anybody in. The first letter
// says which of these the rest is; "@" stands for the secret in it.
#include "console/changes.hpp"
#include "console/pages.hpp"
#include "console/sign_in.hpp"
#include "fuzz/fuzz.hpp"
#include "http/server/target.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/algorithm/string/replace.hpp>

using namespace gateway;
using http::verb;

namespace {

constexpr std::string_view cookie_name = "sales-gateway-console-9091";
constexpr std::string_view own_origin = "http://127.0.0.1:9091";
constexpr auto right_password = "certo";

class Door {
  public:
    Door() {
        add_calls(router_, console_calls(), on_console, Parts(sign_in_));
        add_calls(admin_, console_calls(), on_admin, Parts(sign_in_));
        for (const auto method : {verb::get, verb::post})
            router_.add(method, "/v1/thing", [this](http::Request& request) { return thing(request); });
        router_.set_filter(
            [this](http::Request& request, const http::Handler& next) { return sign_in_.guard(request, next); });
    }

    http::Request request(verb method, std::string_view target) {
        http::Request made;
        made.method = method;
        CHECK(http::set_target(made, target));
        made.remote = boost::asio::ip::make_address("192.0.2.7");
        made.headers.insert("Host", "127.0.0.1:9091");
        return made;
    }
    http::Response ask(http::Request asked) { return clock_.run(router_.dispatch(asked)); }
    http::Response sign_in(std::string body) {
        auto asked = request(verb::post, "/console/session");
        asked.headers.insert("Origin", own_origin);
        asked.headers.insert("Content-Type", "application/json");
        asked.body = std::move(body);
        return ask(std::move(asked));
    }
    std::string link() {
        auto asked = request(verb::post, "/v1/console/links");
        const auto answer = clock_.run(admin_.dispatch(asked));
        return std::string(boost::json::parse(answer.body).at("secret").as_string());
    }
    // Returns the value of the cookie of a person who is signed in.
    std::string session() {
        const auto answer = sign_in(R"({"name":"Ana","password":"certo"})");
        CHECK(answer.status == http::status::ok);
        for (const auto& [name, value] : answer.headers)
            if (name == "Set-Cookie") return value.substr(0, value.find(';')).substr(cookie_name.size() + 1);
        CHECK(false);
        return {};
    }
    std::size_t came_in() const { return came_in_; }
    Clock& clock() { return clock_; }

  private:
    boost::asio::awaitable<http::Response> thing(http::Request& request) {
        CHECK(request.principal == "Ana");
        ++came_in_;
        co_return http::Response{.body = "{}"};
    }
    // This replaces scrypt, which takes a tenth of a second.
    static boost::asio::awaitable<bool> check(PasswordHash hash, Secret password) {
        co_return hash.text() == ana().password.text() && password.reveal() == right_password;
    }
    static boost::asio::awaitable<Result<void>> keep(const SessionChanges&) { co_return Result<void>(); }
    static Operator ana() {
        const auto text = "$scrypt$ln=15,r=8,p=1$" + std::string(21, 'a') + "A$" + std::string(42, 'a') + "A";
        return {.name = "Ana", .password = *PasswordHash::parse(text), .role = Role::settle};
    }

    boost::asio::io_context io_;
    test::VirtualClock clock_{io_};
    test::SeededRandom random_;
    test::MemoryLog log_;
    std::size_t came_in_ = 0;
    SignIn sign_in_{io_.get_executor(),
                    {.tls = false, .operators = {ana()}},
                    check,
                    [] { return SignIn::Endpoint(boost::asio::ip::address_v4::loopback(), 9091); },
                    keep,
                    clock_,
                    random_,
                    log_};
    http::Router router_, admin_;
};

std::string with_secret(std::string_view text, const std::string& secret) {
    return boost::algorithm::replace_all_copy(std::string(text), "@", secret);
}

// Each line is a Cookie field.
void check_cookies(std::string_view bytes) {
    Door door;
    const auto secret = door.session();
    auto asked = door.request(verb::get, "/v1/thing");
    const auto shown = with_secret(bytes, secret);
    std::size_t fields = 0;
    for (std::size_t begin = 0; begin <= shown.size(); ++fields) {
        const auto end = std::min(shown.find('\n', begin), shown.size());
        asked.headers.insert("Cookie", std::string_view(shown).substr(begin, end - begin));
        begin = end + 1;
    }
    const auto in = door.ask(std::move(asked)).status == http::status::ok;
    CHECK(in == (door.came_in() == 1));
    const auto pair = std::string(cookie_name) + "=" + secret;
    if (in) CHECK(fields == 1 && shown.find(pair) != std::string::npos);
    if (shown == pair) CHECK(in);
}

// Says whether a text stands in a body once, as a whole value. An answer may name a member that it does not know.
bool only_as_a_value(std::string_view body, const std::string& text) {
    return body.find(":\"" + text + '"') != std::string_view::npos && body.find(text) == body.rfind(text);
}

void check_sign_in(std::string_view bytes) {
    Door door;
    const auto link = door.link();
    const auto body = with_secret(bytes, link);
    const auto answer = door.sign_in(body);
    const bool in = answer.status == http::status::ok;
    if (!in) {
        CHECK(static_cast<unsigned>(answer.status) >= 400);
        for (const auto& [name, value] : answer.headers)
            CHECK(name != "Set-Cookie");
        if (only_as_a_value(body, link)) CHECK(answer.body.find(link) == std::string::npos);
        return;
    }
    const auto given = boost::json::parse(body).as_object();
    const bool by_link = given == boost::json::object{{"link", link}};
    CHECK(by_link || given == boost::json::object({{"name", "Ana"}, {"password", right_password}}));
    if (by_link) CHECK(door.sign_in(body).status == http::status::unauthorized);  // it works once
}

// The input is Host and Origin, on a line each: only a page of this very host may write.
void check_origin(std::string_view bytes) {
    Door door;
    const auto secret = door.session();
    auto asked = door.request(verb::post, "/v1/thing");
    asked.headers.insert("Cookie", std::string(cookie_name) + "=" + secret);
    const auto line = bytes.substr(0, bytes.find('\n'));
    asked.headers.insert("Origin", line);
    const bool in = door.ask(std::move(asked)).status == http::status::ok;
    CHECK(in == (line == own_origin));
}

void check_last_event(std::string_view bytes) {
    Door door;
    Versions versions{};
    Changes changes(
        "run", [&versions] { return versions; }, door.clock());
    changes.look();
    const auto seen = changes.since(bytes);
    CHECK(seen.empty() || seen.size() == all_topics.size());
    if (seen.empty()) CHECK(bytes.starts_with("run-"));
    if (bytes == changes.id()) CHECK(seen.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    switch (input.choice(4)) {
        case 0: check_cookies(input.rest()); break;
        case 1: check_sign_in(input.rest()); break;
        case 2: check_origin(input.rest()); break;
        case 3: check_last_event(input.rest()); break;
    }
    return 0;
}
