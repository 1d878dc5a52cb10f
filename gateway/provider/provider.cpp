#include "provider/provider.hpp"

#include "base/ascii.hpp"
#include "families/request_body.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/url/decode_view.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <fmt/format.h>

#include <utility>

namespace gateway {
namespace {

constexpr std::string_view health_placeholder = "{health}";
constexpr std::string_view id_externo_placeholder = "{idExterno}";
constexpr std::string_view id_transacao_placeholder = "{idTransacao}";
constexpr std::string_view day_placeholder = "{day}";
// This is the pause between two attempts to connect while the provider cannot be reached. It is short, so that a till
// soon sells again after the provider's return.
constexpr Duration try_again_after{2'000};
// What was learned within this time is recent enough for a till, and callers that ask often open no connections.
constexpr Duration news_last{10'000};
// Where nothing else brings news of the provider, it is looked for so often.
constexpr Duration look_every{60'000};
// A caller waits so long for a connection that only tells whether there is one.
constexpr Duration look_time{1'000};
// A request that was not found speaks against the address for so long. Where nobody sells, no other answer may tell a
// wrong address from a provider that did not know one product, and open sales must end all the same.
constexpr Duration doubt_lasts = std::chrono::minutes(15);
// A status address that refuses every token costs a token at most so often, and only while it is asked.
constexpr Duration status_costs_token_every{60'000};

// Returns the last segment of a path as a server reads it: without dot segments, empty segments and parameters.
std::string_view last_segment(std::string_view path) {
    std::vector<std::string_view> segments;
    while (!path.empty()) {
        const auto end = std::min(path.find('/'), path.size());
        const auto segment = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        if (segment == "..") {
            if (!segments.empty()) segments.pop_back();
        } else if (!segment.empty() && segment != ".") {
            segments.push_back(segment.substr(0, segment.find(';')));
        }
    }
    return segments.empty() ? std::string_view() : segments.back();
}

// Tells whether a path leads to a confirm operation, however it is spelt. "The cancel-flow example posts to the confirm
// path and shows EFETIVADA": a cancel that is sent there would sell.
bool is_confirm_path(std::string_view path) {
    const auto encoded = boost::urls::make_pct_string_view(path.substr(0, path.find_first_of("?#")));
    if (!encoded) return true;  // nobody knows where a malformed path leads
    const auto decoded = **encoded;
    return last_segment(to_lower(std::string(decoded.begin(), decoded.end()))) == "confirmar";
}

// Tells whether the text can stand in a path unchanged. Only a journal that was edited by hand can hold another one.
bool is_plain_segment(std::string_view segment) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    return segment.find_first_not_of(plain) == std::string_view::npos && segment.find_first_not_of('.') != segment.npos;
}

std::string filled_in(std::string path, std::string_view segment) {
    const auto at = path.find(health_placeholder);
    if (at == std::string::npos) return path;
    return is_plain_segment(segment) ? path.replace(at, health_placeholder.size(), segment) : std::string();
}

// Puts the value in percent-encoded: nobody knows which characters the provider's own ids have.
void replace_all(std::string& path, std::string_view placeholder, std::string_view value) {
    const auto encoded = boost::urls::encode(value, boost::urls::unreserved_chars);
    for (auto at = path.find(placeholder); at != std::string::npos; at = path.find(placeholder, at + encoded.size()))
        path.replace(at, placeholder.size(), encoded);
}

constexpr std::string_view white_space = " \t\r\n";

bool is_json(std::string_view body) {
    const auto start = body.find_first_not_of(white_space);
    return start != std::string_view::npos && (body[start] == '{' || body[start] == '[');
}

// Says what in an answer the documented interface cannot have sent. Returns an empty text if there is nothing.
std::string not_the_document(const Reply& reply) {
    if (reply.status >= 300 && reply.status <= 399)
        return fmt::format("it answers {}, which sends to another address", reply.status);
    if (reply.status > 299 || is_json(reply.body)) return {};
    return fmt::format("it answers {} without JSON", reply.status);
}

// Tells whether the provider's interface gave the answer, and not a web server before it: its successes are JSON.
bool is_of_the_interface(const Reply& reply) {
    const bool is_success = reply.kind == Reply::Kind::answered && reply.status >= 200 && reply.status < 300;
    return is_success && is_json(reply.body);
}

std::string label_of(Family family, std::string_view what) {
    return std::string(to_string(family)).append(" ").append(what);
}

// Tells the products of sales apart, as far as the provider may know one of them and not another.
std::size_t number_of_product(const Sale& sale) {
    return std::hash<std::string>{}(label_of(sale.family, sale.segment).append(" ").append(sale.produto));
}
constexpr std::size_t no_product = 0;  // of what is no step of a sale

}  // namespace

Provider::Provider(boost::asio::any_io_executor executor, ProviderOptions options, http::Client& client,
                   TokenKeeper& tokens, Clock& clock, Log& log, HearAnswer hear)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      client_(client),
      tokens_(tokens),
      clock_(clock),
      hear_(std::move(hear)),
      reachability_("provider", clock, log),
      looked_(clock) {}

std::string Provider::path_of(Step step, Family family, std::string_view segment) const {
    const auto& rules = rules_of(family);
    auto path = step == Step::cancelar && rules.cancel_is_configured ? filled_in(options_.health_cancel_path, segment)
                                                                     : rules.path(step, segment);
    if (!path.starts_with('/')) return {};
    if (step == Step::cancelar && is_confirm_path(path)) return {};
    return path;
}

bool Provider::asks_by_id_transacao() const noexcept {
    return options_.status_path.find(id_transacao_placeholder) != std::string::npos;
}

std::string Provider::status_path_of(const Attempt& attempt) const {
    if (!can_ask() || (asks_by_id_transacao() && attempt.id_transacao.empty())) return {};
    auto path = options_.status_path;
    replace_all(path, id_externo_placeholder, attempt.id_externo.text());
    replace_all(path, id_transacao_placeholder, attempt.id_transacao);
    return path;
}

bool Provider::can_cancel(Family family) const noexcept {
    constexpr std::string_view some_segment = "segment";
    return !path_of(Step::cancelar, family, some_segment).empty();
}

boost::asio::awaitable<Result<Provider::Access>> Provider::reserve(Instant deadline) {
    auto token = co_await tokens_.get(deadline);
    if (!token) co_return errc::no_token;
    auto connection = co_await client_.reserve(deadline);
    if (!connection) {
        if (connection.error() == errc::unreachable) not_reached();
        co_return connection.error();
    }
    // That wait may have been long, and another sale may have got a 401 meanwhile.
    if (tokens_.rejected(*token)) token = co_await tokens_.get(deadline);
    if (!token) co_return errc::no_token;
    Access access{std::move(*token), std::move(*connection)};
    co_return std::move(access);
}

Reply Provider::unsent(boost::system::error_code why) const {
    auto reply = Reply::unsent(why);
    if (why == errc::no_token) reply.cause = tokens_.trouble().value_or(std::string());
    if (why == errc::unreachable) reply.cause = client_.trouble();
    return reply;
}

boost::asio::awaitable<Reply> Provider::send(Access access, Step step, const Sale& sale, const Attempt& attempt,
                                             Instant deadline) {
    http::ClientRequest request;
    const bool asks = step == Step::consultar;
    const auto path = asks ? status_path_of(attempt) : path_of(step, sale.family, sale.segment);
    if (!path.empty()) request.target = options_.base_url.path + path;
    request.label = label_of(sale.family, to_string(step));
    if (asks) return send(std::move(access), std::move(request), Telling::aside, no_product, deadline);
    request.post = true;
    request.content_type = "application/json";
    request.body = Secret(request_body(step, sale, attempt, options_.callback_url.text, options_.callback_field));
    const auto first = step == Step::solicitar ? Telling::request : Telling::step;
    const auto telling = attempt.tries > 0 ? Telling::a_repeat : first;
    return send(std::move(access), std::move(request), telling, number_of_product(sale), deadline);
}

boost::asio::awaitable<Reply> Provider::query(const OptionsQuestion& question, Instant deadline) {
    http::ClientRequest request;
    request.target = options_.base_url.path + rules_of(question.family).query_path(question);
    request.label = label_of(question.family, "query");
    return exchange_twice(std::move(request), Telling::step, deadline);
}

boost::asio::awaitable<Reply> Provider::get(std::string target, std::string accept, std::string request_id,
                                            Instant deadline) {
    http::ClientRequest request;
    request.target = options_.base_url.path + target;
    request.label = "proxy";
    if (!accept.empty()) request.accept = std::move(accept);
    request.request_id = std::move(request_id);
    return exchange_twice(std::move(request), Telling::proxied, deadline);
}

boost::asio::awaitable<Reply> Provider::list(Day day, std::size_t limit, Instant deadline) {
    auto path = options_.list_path;
    replace_all(path, day_placeholder, to_text(day));
    http::ClientRequest request;
    request.target = options_.base_url.path + path;
    request.label = "list";
    request.answer_limit = limit;
    return exchange_twice(std::move(request), Telling::list, deadline);
}

boost::asio::awaitable<Reply> Provider::status(const Sale& sale, const Attempt& attempt, Instant deadline) {
    const auto path = status_path_of(attempt);
    if (path.empty()) return nowhere();
    http::ClientRequest request;
    request.target = options_.base_url.path + path;
    request.label = label_of(sale.family, to_string(Step::consultar));
    return exchange_twice(std::move(request), Telling::aside, deadline);
}

// A token that was revoked is the gateway's problem, not the caller's: the second try has a new one.
boost::asio::awaitable<Reply> Provider::exchange_twice(http::ClientRequest request, Telling telling, Instant deadline) {
    auto first = exchange(request, telling, deadline);
    auto reply = co_await std::move(first);
    if (reply.kind != Reply::Kind::answered || reply.status != 401) co_return reply;
    auto second = exchange(std::move(request), telling, deadline);
    co_return co_await std::move(second);
}

boost::asio::awaitable<Reply> Provider::exchange(http::ClientRequest request, Telling telling, Instant deadline) {
    for (;;) {
        auto access = co_await reserve(deadline);
        if (!access) co_return unsent(access.error());
        auto sending = send(std::move(*access), request, telling, no_product, deadline);
        auto reply = co_await std::move(sending);
        if (reply.failure != errc::stale_connection) co_return reply;
    }
}

// This is not a coroutine, because the answer is awaited much longer than the request is needed.
boost::asio::awaitable<Reply> Provider::send(Access access, http::ClientRequest request, Telling telling,
                                             std::size_t product, Instant deadline) {
    if (request.target.empty()) return nowhere();
    request.authorization = Secret("Bearer " + access.token.reveal());
    auto sending = access.connection->send(std::move(request), deadline);
    return reply_to(std::move(access), telling, product, std::move(sending));
}

// Answers a request without a target.
boost::asio::awaitable<Reply> Provider::nowhere() {
    co_return Reply::unsent(errc::not_found);
}

boost::asio::awaitable<Reply> Provider::reply_to(Access access, Telling telling, std::size_t product,
                                                 boost::asio::awaitable<Reply> sending) {
    auto reply = co_await std::move(sending);
    if (hear_ && telling != Telling::aside && is_of_the_interface(reply)) hear_(reply);
    if (telling == Telling::aside) {
        look_at_status(reply, access.token);
    } else if (reply.kind == Reply::Kind::answered && reply.status == 401) {
        refused(access.token, telling);
    } else {
        learn(reply, telling, product);
    }
    reply.address = address();
    look_for_its_end();
    co_return reply;
}

// Many sales may get the refusal of one token, which says nothing about the next token.
void Provider::refused(const Secret& token, Telling telling) {
    if (!tokens_.rejected(token)) reachability_.useless("it does not accept the token (401)", asked_by(telling));
    tokens_.reject(token);
}

// A 401 there may be about the token, or about the address, which may want what none of our tokens has. The first one
// costs the token. If another token does not help, no more are spent for a while, because sales need them. Then one is
// spent again, because the token may itself have ended, and nothing else may tell that.
void Provider::look_at_status(const Reply& reply, const Secret& token) {
    if (reply.kind == Reply::Kind::nothing_sent && reply.failure == errc::unreachable) return not_reached();
    if (reply.kind != Reply::Kind::answered) return;
    if (reply.status != 401) return status_cost_token_at_.reset();
    const auto now = clock_.now();
    if (status_cost_token_at_ && now - *status_cost_token_at_ < status_costs_token_every) return;
    status_cost_token_at_ = now;
    tokens_.reject(token);
}

void Provider::learn(const Reply& reply, Telling telling, std::size_t product) {
    const auto asked = asked_by(telling);
    switch (reply.kind) {
        case Reply::Kind::nothing_sent:
            if (reply.failure == errc::unreachable) not_reached();
            return;
        case Reply::Kind::lost: return learn_of_lost(reply, telling);
        case Reply::Kind::answered: break;
    }
    if (reply.finds_nothing()) return learn_of_not_found(reply.status, telling, product);
    const bool documented = is_documented(telling);
    if (documented && reply.may_be_of_another_server()) return learn_of_page(reply.status, telling);
    auto nonsense = reply.status >= 500 ? fmt::format("it answers {}", reply.status) : std::string();
    if (const auto strange = not_the_document(reply); documented && !strange.empty()) {
        note_strange(strange);
        nonsense = strange + ": is provider.base_url right?";
    }
    if (!nonsense.empty()) {
        return may_fail(telling) ? reachability_.failed_again(nonsense) : reachability_.useless(nonsense, asked);
    }
    note_sense(reply, product);
    reachability_.answered(asked);
}

// Only an answer about a product proves the address: only a seller knows it. Any other JSON at least ends the doubt.
void Provider::note_sense(const Reply& reply, std::size_t product) {
    if (!is_json(reply.body)) return;
    strange_since_.reset();
    if (product == no_product) return;
    address_ = Reply::Address::proven;
    not_found_ = no_product;
}

void Provider::learn_of_lost(const Reply& reply, Telling telling) {
    const bool is_late = reply.failure == errc::timed_out;
    const auto why = is_late ? "it does not answer in time" : fmt::format("no answer: {}", reply.failure.message());
    if (may_fail(telling)) return reachability_.failed_again(why);
    if (is_late) return reachability_.silent(why, asked_by(telling));
    reachability_.useless(why, asked_by(telling));
}

// The provider may not know one product, but it knows every path of the document. Where the address is proven, another
// 404 for the product that was not found last shows nothing new.
void Provider::learn_of_not_found(unsigned status, Telling telling, std::size_t product) {
    if (is_documented(telling)) note_strange(fmt::format("it answers {}", status));
    if (telling != Telling::request) return reachability_.knows_nothing();
    const bool is_new = std::exchange(not_found_, product) != product;
    if (address_ == Reply::Address::proven && !is_new) return reachability_.knows_nothing();
    const auto why = fmt::format("it answers {} to every sale: is the path in provider.base_url right?", status);
    reachability_.useless(why, asked_by(telling));
    doubt_address();
}

// A web server in front of the provider says this. As an answer to anything but a request for a sale, it tells as
// little as a 404.
void Provider::learn_of_page(unsigned status, Telling telling) {
    note_strange(fmt::format("it answers {} with a web page", status));
    if (telling != Telling::request) return reachability_.knows_nothing();
    const auto why = fmt::format(
        "it answers {} with a web page: is provider.base_url right, and may this machine call there?", status);
    reachability_.useless(why, asked_by(telling));
    doubt_address();
}

void Provider::note_strange(std::string answers) {
    if (!strange_since_) strange_since_ = clock_.now();
    strange_ = std::move(answers);
}

std::optional<Provider::AddressDoubt> Provider::address_doubt() const {
    if (!strange_since_ || address_ == Reply::Address::proven) return std::nullopt;
    const auto ago = std::chrono::duration_cast<Duration>(clock_.now() - *strange_since_);
    return AddressDoubt{.since = clock_.wall() - ago, .answers = strange_};
}

// A single failed request proves nothing against an address that was proven.
void Provider::doubt_address() {
    if (address_ == Reply::Address::proven && !reachability_.outage()) return;
    address_ = Reply::Address::doubted;
    doubted_at_ = clock_.now();
}

Reply::Address Provider::address() const {
    const bool is_old = address_ == Reply::Address::doubted && clock_.now() - doubted_at_ >= doubt_lasts;
    return is_old ? Reply::Address::once_doubted : address_;
}

bool Provider::is_documented(Telling telling) {
    return telling != Telling::proxied && telling != Telling::list;
}

bool Provider::may_fail(Telling telling) {
    return telling == Telling::a_repeat || telling == Telling::list;
}

Reachability::Asked Provider::asked_by(Telling telling) {
    return telling == Telling::request ? Reachability::Asked::request : Reachability::Asked::anything_else;
}

void Provider::not_reached() {
    const auto why = client_.trouble();
    reachability_.unreachable(why.empty() ? make_error_code(errc::unreachable).message() : why);
    look_for_its_end();
}

// A till that is told of an outage sells nothing, so no sale would show that the outage is over.
void Provider::look_for_its_end() {
    const auto& outage = reachability_.outage();
    if (outage && !outage->may_be_tried && !std::exchange(trying_, true))
        boost::asio::co_spawn(executor_, try_until_it_ends(), boost::asio::detached);
}

boost::asio::awaitable<void> Provider::try_until_it_ends() {
    while (reachability_.outage() && !reachability_.outage()->may_be_tried) {
        co_await clock_.sleep_for(try_again_after);
        co_await try_to_connect();
    }
    trying_ = false;
}

boost::asio::awaitable<void> Provider::try_to_connect() {
    const auto connection = co_await client_.reserve(clock_.now() + options_.request_timeout);
    if (connection)
        reachability_.connected();
    else if (connection.error() == errc::unreachable)
        not_reached();
}

boost::asio::awaitable<void> Provider::look() {
    if (reachability_.has_news(news_last)) co_return;
    if (!std::exchange(looking_, true)) boost::asio::co_spawn(executor_, look_now(), boost::asio::detached);
    // If a connection is idle, look_now() has ended already, and nothing would end the wait.
    if (looking_) co_await looked_.wait(clock_.now() + look_time);
}

boost::asio::awaitable<void> Provider::look_now() {
    co_await try_to_connect();
    looking_ = false;
    looked_.notify_all();
}

boost::asio::awaitable<void> Provider::keep_looking() {
    while (true) {
        co_await clock_.sleep_for(look_every);
        co_await look();
    }
}

void Provider::sale_refused(Want want) {
    if (want == Want::token)
        tokens_.sale_refused();
    else
        reachability_.sale_refused();
}

}  // namespace gateway
