#include "console/sign_in.hpp"

#include "api/openapi/shared.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "base/ascii.hpp"
#include "base/wall_time.hpp"
#include "console/pages.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;
using http::verb;

// This header marks what a page reads again by itself, without a click, while perhaps nobody sits there.
constexpr std::string_view by_itself = "Console-Refresh";

// A browser connects a stream again by itself, too, and then sends no header of the page's.
bool opens_a_stream(const http::Request& request) {
    return request.header("Accept") == "text/event-stream";
}

bool is_write(const http::Request& request) {
    return request.method != verb::get && request.method != verb::head;
}

// Returns the value of the cookie with this name; empty where there is none. It is also empty where there are two,
// because another page may have put one of them there.
std::string_view cookie_in(const http::Request& request, std::string_view name) {
    if (request.headers.count("Cookie") != 1) return {};
    auto rest = request.header("Cookie");
    std::string_view found;
    std::size_t count = 0;
    while (!rest.empty()) {
        auto pair = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (!pair.starts_with(name) || pair.substr(name.size(), 1) != "=") continue;
        found = pair.substr(name.size() + 1);
        ++count;
    }
    return count == 1 ? found : std::string_view();
}

ResultOrResponse<Credentials> read_credentials(const http::Request& request) {
    auto body = json_object_body(request);
    if (body.has_error()) return body.error();
    FieldErrors errors;
    FieldReader reader(*body, errors);
    Credentials given;
    if (reader.has("link")) {
        given.link = Secret(reader.text("link"));
    } else {
        given.name = reader.text_that("name", is_name, name_in_words);
        given.password = Secret(reader.text("password"));
    }
    for (const auto& field : *body)
        errors.push_back({.pointer = reader.pointer(field.key()), .detail = "is not a field of this call"});
    if (!errors.empty()) return field_errors(request, std::move(errors));
    return given;
}

// Returns for whom the link is: the body is {"by": …}, or empty.
ResultOrResponse<std::string> name_in(const http::Request& request) {
    if (request.body.empty()) return std::string(Sessions::name_of_the_box);
    auto body = json_object_body(request);
    if (body.has_error()) return body.error();
    FieldErrors errors;
    FieldReader reader(*body, errors);
    auto name =
        reader.has("by") ? reader.text_that("by", is_name, name_in_words) : std::string(Sessions::name_of_the_box);
    for (const auto& field : *body)
        errors.push_back({.pointer = reader.pointer(field.key()), .detail = "is not a field of this call"});
    if (!errors.empty()) return field_errors(request, std::move(errors));
    return name;
}

// Counts a password that is being checked. Its frame may be destroyed after everything else, together with the event
// loop.
class Counted {
  public:
    explicit Counted(std::shared_ptr<std::size_t> count) : count_(std::move(count)) { ++*count_; }
    ~Counted() { --*count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    std::shared_ptr<std::size_t> count_;
};

http::Response signed_out_answer(const http::Request& request) {
    return secured(refuse(request, status::unauthorized, "unauthorized", "Nobody is signed in here. Sign in."));
}

http::Response other_page_answer(const http::Request& request) {
    return secured(refuse(request, status::forbidden, "forbidden", "Another page sent this. Nothing was done."));
}

}  // namespace

json::object StoreFacts::json(WallTime now) const {
    const auto end = std::chrono::duration_cast<std::chrono::seconds>(open_sales_end).count();
    return {{"version", version},
            {"store", {{"timezone", timezone}, {"today", to_text(zone.day_of(now))}}},
            {"help", help},
            {"providerPhone", provider_phone},
            {"openSalesEnd", open_sales_end > Duration(0) ? json::value(end) : json::value(nullptr)}};
}

json::object StoreFacts::looks() const {
    return {{"name", letterhead.name}, {"cnpj", letterhead.cnpj}, {"colour", colour}};
}

SignIn::SignIn(boost::asio::any_io_executor executor, SignInOptions options, Check check, Listening listening,
               Keep keep, Clock& clock, Random& random, Log& log)
    : executor_(std::move(executor)),
      tls_(options.tls),
      operators_(std::move(options.operators)),
      check_(std::move(check)),
      store_(std::move(options.store)),
      listening_(std::move(listening)),
      keep_(std::move(keep)),
      nobody_(PasswordHash::of_nobody(random)),
      sessions_(clock, random),
      clock_(clock),
      log_(log) {}

std::string SignIn::address() const {
    const auto console = listening_();
    if (!console) return {};
    const auto& address = console->address();
    auto host = address.is_unspecified() ? std::string("localhost") : address.to_string();
    if (address.is_v6() && !address.is_unspecified()) host = "[" + host + "]";
    return fmt::format("{}://{}:{}/", tls_ ? "https" : "http", host, console->port());
}

boost::asio::awaitable<http::Response> SignIn::guard(http::Request& request, const http::Handler& next) {
    const bool is_other_page = is_write(request) && !is_own_page(request);
    const bool use = !is_other_page && request.headers.count(by_itself) == 0 && !opens_a_stream(request);
    const auto* session = sessions_.find(shown(request), use);
    keep_meanwhile();
    if (session == nullptr) co_return signed_out_answer(request);
    if (is_other_page) co_return other_page_answer(request);
    if (is_write(request) && session->role != Role::settle)
        co_return secured(refuse(request, status::forbidden, "forbidden",
                                 fmt::format("{} may look, and settle nothing: the role in the gateway's configuration "
                                             "is \"look\".",
                                             session->name)));
    request.principal = session->name;
    auto answer = co_await next(request);
    co_return secured(std::move(answer));
}

std::string_view SignIn::shown(const http::Request& request) const {
    return cookie_in(request, cookie_name(request));
}

void SignIn::reload(std::vector<Operator> operators) {
    operators_ = std::move(operators);
    sessions_.keep_only(operators_);
    keep_meanwhile();
}

void SignIn::take(Result<std::vector<KeptSession>> of_earlier) {
    if (of_earlier.has_error()) {
        log_.warn("console.sessions_lost", "who was signed in at the console signs in again: {detail}",
                  {{"detail", "the journal cannot be read: " + of_earlier.error().message()}});
        return;
    }
    sessions_.take(std::move(*of_earlier), operators_);
    keep_meanwhile();
}

void SignIn::keep_meanwhile() {
    if (sessions_.have_changed()) boost::asio::co_spawn(executor_, keep_changes(), boost::asio::detached);
}

boost::asio::awaitable<bool> SignIn::keep_changes() {
    const auto changes = sessions_.changes();
    if (changes.empty()) co_return true;
    const auto done = co_await keep_(changes);
    if (done.has_value()) sessions_.kept(changes);
    const bool kept_before = std::exchange(keeps_, done.has_value());
    if (kept_before && !keeps_)
        log_.warn("console.not_kept", "who signs in or out at the console is not kept for the next start: {detail}",
                  {{"detail", done.error().message()}});
    co_return keeps_;
}

boost::asio::awaitable<http::Response> SignIn::begin(http::Request& request) {
    if (!is_own_page(request)) co_return other_page_answer(request);
    auto given = read_credentials(request);
    if (given.has_error()) co_return secured(given.error());
    http::Response answer;
    if (given->link.empty())
        answer = co_await by_password(request, std::move(*given));
    else
        answer = co_await by_link(request, given->link.reveal());
    co_return secured(std::move(answer));
}

boost::asio::awaitable<http::Response> SignIn::by_link(const http::Request& request, std::string_view link) {
    const auto shown = sessions_.begin_by_link(link);
    if (shown) co_return co_await welcome(request, *shown);
    co_return co_await refuse_late(request, "no such link",
                                   "This link was used already, or is older than five minutes. Type \"sales-gateway "
                                   "console\" on the gateway's machine for a new one.");
}

boost::asio::awaitable<http::Response> SignIn::by_password(const http::Request& request, Credentials given) {
    // A check takes long, so a caller who guesses is turned away before it.
    if (*checks_ == most_checks)
        co_return refuse(request, status::too_many_requests, "rate_limited",
                         "Other passwords are being looked at just now. Try again in a moment.")
            .with("Retry-After", "1");
    if (throttle_.would_turn_away(request.remote, clock_.now()))
        co_return too_many_guesses(request, "passwords", BruteForceThrottle::pace * BruteForceThrottle::waiting_tries);
    const auto known = std::ranges::find(operators_, given.name, &Operator::name);
    const auto who = known == operators_.end() ? std::nullopt : std::optional(*known);
    auto hash = who ? who->password : nobody_;
    bool right = false;
    {
        const Counted counted(checks_);  // not while the answer waits: others would be turned away for it
        right = co_await check_(std::move(hash), std::move(given.password));
    }
    // The configuration may have been read again in the meantime.
    if (right && who && std::ranges::find(operators_, *who) != operators_.end())
        co_return co_await welcome(request, sessions_.begin(*who));
    co_return co_await refuse_late(request, who ? "wrong password" : "no such operator",
                                   "No operator has this name and this password.");
}

boost::asio::awaitable<http::Response> SignIn::refuse_late(const http::Request& request, std::string_view why,
                                                           std::string detail) {
    const auto delay = throttle_.note(request.remote, clock_.now());
    if (delay.first_delay)
        log_.warn("console.guessing", "{remote} tries passwords: {detail}",
                  {{"remote", request.remote.to_string()},
                   {"detail", "wrong ones keep coming from there; each is answered late now"}});
    if (!delay.answer_at)
        co_return too_many_guesses(request, "passwords", BruteForceThrottle::pace * BruteForceThrottle::waiting_tries);
    if (!request.hammers())
        log_.info("console.refused", "a caller from {remote} is not let in at the console: {detail}",
                  {{"remote", request.remote.to_string()}, {"request", request.request_id}, {"detail", why}});
    if (*delay.answer_at > clock_.now()) co_await clock_.sleep_until(*delay.answer_at);
    co_return refuse(request, status::unauthorized, "unauthorized", std::move(detail));
}

boost::asio::awaitable<http::Response> SignIn::who(http::Request& request) {
    const auto* session = sessions_.find(shown(request), false);
    if (session == nullptr) co_return signed_out_answer(request);
    co_return secured(json_answer(session_json(*session)));
}

boost::asio::awaitable<http::Response> SignIn::end(http::Request& request) {
    if (!is_own_page(request)) co_return other_page_answer(request);
    // A stolen cookie must not live again after a restart. The page asks again and again until this is done.
    const auto who = sessions_.end(shown(request));
    bool has_left = true;
    if (who) has_left = co_await keep_changes();
    if (!has_left)
        co_return secured(refuse(request, status::service_unavailable, "journal_unavailable",
                                 "The session has ended until the gateway starts again; the journal cannot be written "
                                 "now to end it for good. Try again soon.")
                              .with("Retry-After", "1"));
    if (who) log_.info("console.signed_out", "{by} has signed out of the console", {{"by", *who}});
    http::Response answer{.status = status::no_content};
    answer.with("Set-Cookie", cookie(request, "") + "; Max-Age=0");
    co_return secured(std::move(answer));
}

boost::asio::awaitable<http::Response> SignIn::looks(http::Request& /*request*/) {
    co_return secured(json_answer(store_.looks()));
}

boost::asio::awaitable<http::Response> SignIn::link(http::Request& request) {
    if (auto page = no_web_page(request); page.has_error()) co_return page.error();
    auto name = name_in(request);
    if (name.has_error()) co_return name.error();
    const auto url = address();
    if (url.empty())
        co_return refuse(request, status::not_found, "not_configured",
                         "listen.console is not configured: there is no console");
    const auto secret = sessions_.make_link(std::move(*name));
    const json::object body{
        {"url", url}, {"secret", secret.reveal()}, {"expiresAt", to_rfc3339(clock_.wall() + Sessions::link_time)}};
    co_return json_answer(body, status::created);
}

// Browsers name with every request that may write the page that sends it (RFC 6454, section 7).
bool SignIn::is_own_page(const http::Request& request) const {
    const auto own = fmt::format("{}://{}", tls_ ? "https" : "http", request.header("Host"));
    return request.headers.count("Origin") == 1 && request.header("Origin") == own;
}

// The session lasts until the next start if the journal cannot be written.
boost::asio::awaitable<http::Response> SignIn::welcome(const http::Request& request, Secret shown) {
    (void)co_await keep_changes();
    const auto* session = sessions_.find(shown.reveal(), true);
    if (session == nullptr) co_return signed_out_answer(request);  // the configuration was read again in the meantime
    log_.info("console.signed_in", "{by} has signed in at the console from {remote}, to {role}",
              {{"by", session->name}, {"remote", request.remote.to_string()}, {"role", to_string(session->role)}});
    auto answer = json_answer(session_json(*session));
    answer.with("Set-Cookie", cookie(request, shown.reveal()));
    co_return answer;
}

json::object SignIn::session_json(const Session& session) const {
    auto facts = store_.json(clock_.wall());
    facts["name"] = session.name;
    facts["role"] = to_string(session.role);
    facts["endsAt"] = to_rfc3339(session.ends_at);
    facts["idleMinutes"] = std::chrono::duration_cast<std::chrono::minutes>(Sessions::idle).count();
    return facts;
}

std::string SignIn::cookie(const http::Request& request, std::string_view value) const {
    return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}", cookie_name(request), value,
                       tls_ ? "; Secure" : "");
}

// With TLS, neither another host nor anything without TLS can put a cookie with this name into a browser (RFC 6265bis,
// section 4.1.3.2).
//
// Browsers keep cookies by host without the port, and several consoles may share a host name, each at its own port. So
// the name contains the port that the browser sees.
std::string SignIn::cookie_name(const http::Request& request) const {
    const auto host = request.header("Host");
    const auto port = host.substr(std::min(host.rfind(':') + 1, host.size()));
    const bool has_port =
        host.find(':') != std::string_view::npos && !port.empty() && std::ranges::all_of(port, is_digit);
    return fmt::format("{}sales-gateway-console{}{}", tls_ ? "__Host-" : "", has_port ? "-" : "",
                       has_port ? port : std::string_view());
}

namespace openapi {
namespace {

constexpr Field console_link_wish_fields[] = {
    maybe({"by", text, "Whom the link is for; console where it is not told.", "rita"}),
};

constexpr Field console_link_fields[] = {
    {"url", text, "", "http://127.0.0.1:9091/"},
    {"secret", text, "To be written behind `#link=` of the address.",
     "81ea7cf4d718873a44dd7bc4e1279599acb6b831f2633e26f20015092ef1e065"},
    {"expiresAt", a("Time")},
};

constexpr Schema all_console_link_schemas[] = {
    {.name = "ConsoleLinkWish", .type = object(console_link_wish_fields)},
    {.name = "ConsoleLink", .type = object(console_link_fields)},
};

}  // namespace

std::span<const Schema> console_link_schemas() {
    return all_console_link_schemas;
}

Description make_console_link() {
    return {.id = "makeConsoleLink",
            .summary = "A link that opens the console once, on this machine",
            .tag = "Console",
            .text = "It works for five minutes, and lets its reader settle sales.",
            .body = may_take(a("ConsoleLinkWish"), {whole("usual", R"({"by":"rita"})")}),
            .answers = {gives(201, "The link: the address, `#link=` and the secret.", a("ConsoleLink"), {{"usual"}}),
                        web_page(),
                        refuses(404, "There is no console: listen.console is not configured.",
                                {{"not_configured", "listen.console is not configured: there is no console"}}),
                        refuses(422, "What is wrong with which field.",
                                {invalid("by", "must be a text of 1 to 64 characters without control characters")})}};
}

}  // namespace openapi

}  // namespace gateway
