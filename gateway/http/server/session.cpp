#include "http/server/session.hpp"

#include "base/ulid.hpp"
#include "http/server/body.hpp"
#include "http/server/forwarded.hpp"
#include "http/server/problem.hpp"
#include "http/server/proxy_header.hpp"
#include "http/server/session_log.hpp"
#include "http/server/tls.hpp"

namespace gateway::http {
namespace {

namespace asio = boost::asio;

constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

// A connection that speaks TLS begins with this byte (RFC 8446, section 5.1), and no request does.
constexpr char tls_record = 0x16;

// So many bytes of a body are taken before the other connections have their turn: a millisecond's work at most. A
// caller that is fast enough never lets the socket run dry.
constexpr std::size_t body_at_once = std::size_t{256} << 10U;

}  // namespace

asio::awaitable<void> serve(std::shared_ptr<Listener> listener, asio::ip::tcp::socket socket,
                            asio::ip::address remote) {
    if (listener->stopped) co_return;
    try {
        Session session(*listener, std::move(socket), remote);
        bool ready = true;
        if (session.is_introduced()) ready = co_await session.introduction();
        if (ready && listener->tls) ready = co_await session.handshake();
        while (ready && session.carries_on()) {
            const bool came = co_await session.next_request();
            if (!came) break;
            co_await session.exchange();
        }
        co_await session.linger();
    } catch (const std::exception& failure) {
        // Most likely there is no memory left. This connection ends, and the others go on.
        log_failure(*listener, failure);
    }
}

Session::Session(Listener& listener, asio::ip::tcp::socket socket, const asio::ip::address& remote)
    : listener_(listener),
      stream_(std::move(socket)),
      own_(remote),
      account_(listener, remote),
      introduced_(listener.options.proxy_protocol && !listener.limits(remote)),
      forwards_(!listener.options.proxy_protocol && !listener.limits(remote)),
      deadline_(*listener.deadlines, [this] { expire(); }),
      carries_on_(!listener.drained_since) {
    listener_.sessions.push_back(*this);
    ++listener_.session_count;
    if (!carries_on_) first_.emplace(listener);
}

void Session::begin(Wait kind) {
    waiting_ = kind;
    expired_ = false;
    auto until = listener_.clock.now() + listener_.length_of(kind);
    if (listener_.drained_since && !begun_)
        until = std::min(until, *listener_.drained_since + Listener::first_request_time);
    deadline_.set(until);
}

void Session::end_wait() noexcept {
    waiting_.reset();
    deadline_.clear();
}

void Session::expire() {
    expired_ = true;
    stream_.cancel();
}

void Session::drain() {
    carries_on_ = false;
    if (!idle_) return;
    if (begun_) return stream_.cancel();
    if (!first_) first_.emplace(listener_);
    begin(*waiting_);  // the time that is left is shorter now
}

void Session::stop() {
    carries_on_ = false;
    lost_ = true;
    end_wait();
    stream_.close();
}

asio::awaitable<bool> Session::introduction() {
    begin(Wait::header);
    idle_ = true;
    ProxyHeader header;
    bool ended = false;
    while (header.state() == ProxyHeader::State::more && carries_on() && !expired_ && !ended) {
        auto& room = listener_.scratch;
        const auto here = stream_.peek(room);
        if (here.outcome == Stream::Outcome::done) {
            // What follows the header is left in the socket, because it may be TLS.
            const auto taken = header.feed({room.data(), here.bytes});
            (void)stream_.read(std::span(room).first(taken));
        } else if (waits(here.outcome)) {
            co_await stream_.wait(here.outcome);
        } else {
            ended = true;
        }
    }
    idle_ = false;
    end_wait();
    const bool whole = header.state() == ProxyHeader::State::complete;
    if (!whole) refuse_introduction(!header.empty(), header.state() == ProxyHeader::State::refused);
    if (whole && !lost_) lost_ = !account_.move_to(own_ = header.source().value_or(own_));
    co_return whole && !lost_;
}

// A caller that comes and goes without a byte only checked whether we are there.
void Session::refuse_introduction(bool begun, bool malformed) {
    const auto& refusal = malformed ? no_proxy_header : cut_proxy_header;
    lost_ = lost_ || !malformed || listener_.tls;
    if (!lost_) return refuse_in_clear(refusal);
    if (begun && !listener_.stopped) log_refusal(listener_, account_.caller(), {}, refusal.detail);
}

asio::awaitable<bool> Session::handshake() {
    stream_.secure(accept_tls(*listener_.tls));
    begin(Wait::header);
    idle_ = true;
    bool done = false;
    while (!done && carries_on() && !expired_) {
        const auto step = stream_.handshake();
        done = step.outcome == Stream::Outcome::done;
        if (waits(step.outcome)) {
            co_await stream_.wait(step.outcome);
        } else if (!done) {
            refuse_handshake();
            break;
        }
    }
    lost_ = lost_ || expired_;
    idle_ = false;
    end_wait();
    if (done) certified_ = peer_certificate(stream_.tls());
    co_return done;
}

asio::awaitable<bool> Session::next_request() {
    if (!received_.empty()) co_return true;
    begin(Wait::idle);
    idle_ = true;
    bool came = false;
    // Right after an answer there is rarely another request, so that a read without a wait would be in vain.
    for (bool here = stream_.pending(); !came; here = false) {
        // While draining, a request that has already come is still answered.
        if (carries_on() && !here) co_await stream_.wait(Stream::Outcome::wait_read);
        if (expired_ || lost_) break;
        const auto step = read_some();
        came = step.outcome == Stream::Outcome::done;
        lost_ = lost_ || step.outcome == Stream::Outcome::failed;
        if (!came && (!waits(step.outcome) || !carries_on())) break;
    }
    idle_ = false;
    end_wait();
    co_return came;
}

asio::awaitable<void> Session::exchange() {
    const Busy busy(listener_);
    begun_ = true;
    first_.reset();
    Request request;
    Head head;
    const auto refusal = co_await receive(request, head);
    if (lost_) co_return;
    Response response;
    if (refusal) {
        response = respond(request, *refusal);
    } else {
        response = co_await answer(request);
        if (listener_.stopped) co_return;
    }
    carries_on_ = carries_on_ && !refusal && head.keep_alive && !was_the_last();
    if (response.drop) {
        lost_ = true;
    } else {
        if (response.source && head.http_1_0) carries_on_ = false;
        send(request, response, head);
    }
    if (!unsent_.empty() || !document_.empty()) {
        std::string().swap(response.body);
        co_await flush();
    }
    keep(0);
    if (response.source && request.method != verb::head) co_await send_pieces(*response.source, !head.http_1_0);
    if (!refusal && !listener_.stopped) log_answer(listener_, account_.caller(), request, response);
    if (forwards_ && !lost_) (void)account_.move_to(own_);  // between two requests the connection is the proxy's
}

asio::awaitable<std::optional<Refusal>> Session::receive(Request& request, Head& head) {
    request.certified = certified_;
    auto refusal = co_await receive_head(request, head);
    request.remote = forwards_ ? caller_of(request.headers, own_, listener_.options.trusted_proxies) : own_;
    if (!lost_) lost_ = !account_.move_to(request.remote);
    if (lost_) co_return refusal;
    identify(request);
    if (!refusal) refusal = co_await receive_body(request, head);
    if (lost_) co_return refusal;
    end_wait();
    if (!request.body.empty()) keep(request.body.size());
    request.received = listener_.clock.now();
    request.refused_calls = &listener_.refused_calls;
    co_return refusal;
}

asio::awaitable<std::optional<Refusal>> Session::receive_head(Request& request, Head& head) {
    if (!stream_.encrypted() && received_.front() == tls_record) co_return tls_on_a_plain_port;
    HeadScanner scanner(listener_.options.header_limit);
    for (;;) {
        if (is_proxy_header(received_)) co_return unasked_proxy_header;
        const auto size = scanner.scan(received_);
        if (scanner.refusal()) co_return scanner.refusal();
        if (size > 0) {
            request.head_received = listener_.clock.now();
            const auto refusal = parse_head(std::string_view(received_).substr(0, size), request, head);
            consume(size);
            co_return refusal;
        }
        keep(received_.size());
        const auto arrival = co_await more(Wait::header);
        if (arrival != Arrival::bytes) co_return refusal_of(arrival);
    }
}

asio::awaitable<std::optional<Refusal>> Session::receive_body(Request& request, const Head& head) {
    BodyReader reader(head, listener_.router.body_limit(request).value_or(listener_.options.body_limit));
    bool asked = !head.expects_continue;
    std::size_t turns = 0;  // the turns that the others had
    for (;;) {
        consume(reader.read(received_, request.body));
        if (reader.refusal()) co_return reader.refusal();
        if (reader.complete()) co_return std::nullopt;
        if (request.body.size() / body_at_once > turns) {
            turns = request.body.size() / body_at_once;
            // Reserves memory for the announced length now that a part has come: growing step by step would copy all of
            // it.
            if (head.framing == Framing::length) request.body.reserve(head.content_length);
            co_await listener_.clock.sleep_for(Duration(0));
        }
        // A caller that has begun to send the body no longer waits to be asked for it.
        if (!asked && received_.empty() && request.body.empty()) {
            if (!listener_.router.invites(request)) {
                carries_on_ = false;  // the body may come all the same
                co_return std::nullopt;
            }
            write(continue_line);
            if (!unsent_.empty()) co_await flush();
            if (lost_) co_return std::nullopt;
        }
        asked = true;
        keep(received_.size() + request.body.size());
        const auto arrival = co_await more(Wait::body);
        if (arrival != Arrival::bytes) co_return refusal_of(arrival);
    }
}

asio::awaitable<Session::Arrival> Session::more(Wait kind) {
    if (waiting_ != kind) begin(kind);
    while (!expired_ && !lost_) {
        const auto step = read_some();
        switch (step.outcome) {
            case Stream::Outcome::done: co_return Arrival::bytes;
            case Stream::Outcome::ended: co_return Arrival::ended;
            case Stream::Outcome::failed: lost_ = true; break;
            case Stream::Outcome::wait_read:
            case Stream::Outcome::wait_write: co_await stream_.wait(step.outcome); break;
        }
    }
    co_return lost_ ? Arrival::lost : Arrival::late;
}

std::optional<Refusal> Session::refusal_of(Arrival arrival) {
    if (arrival == Arrival::ended) return bad_request("the request ends too early");
    return arrival == Arrival::late ? std::optional(request_timeout) : std::nullopt;
}

// Tells the caller that this is the wrong port. What came is neither read nor repeated.
void Session::refuse_handshake() {
    lost_ = !Stream::met_plain_http();
    if (lost_ && !stream_.heard()) return;  // it only checked whether we are there
    if (lost_) return log_failed_tls(listener_, account_.caller());
    stream_.give_up_tls();
    refuse_in_clear(clear_on_a_tls_port);
}

void Session::refuse_in_clear(const Refusal& refusal) {
    carries_on_ = false;
    Request request;
    identify(request);
    const auto response = respond(request, refusal);
    send(request, response, Head());  // a new connection takes so little at once
}

Response Session::respond(const Request& request, const Refusal& refusal) {
    const Problem problem{refusal.status, std::string(refusal.code), in_words(request, refusal)};
    log_refusal(listener_, account_.caller(), request.request_id, problem.detail);
    return to_response(problem, request);
}

std::string Session::in_words(const Request& request, const Refusal& refusal) const {
    if (refusal.status != status::payload_too_large) return std::string(refusal.detail);
    if (const auto own = listener_.router.body_limit(request)) return too_large_in_words(refusal, *own, {});
    return too_large_in_words(refusal, listener_.options.body_limit, listener_.options.body_limit_key);
}

Stream::Step Session::read_some() {
    const auto step = stream_.read(listener_.scratch);
    if (step.outcome == Stream::Outcome::done) received_.append(listener_.scratch.data(), step.bytes);
    return step;
}

void Session::consume(std::size_t bytes) {
    if (bytes < received_.size()) {
        received_.erase(0, bytes);
    } else {
        std::string().swap(received_);  // frees the memory, which an assignment would not do
    }
}

void Session::identify(Request& request) {
    const auto given = request.header("X-Request-Id");
    request.request_id =
        is_request_id(given) ? std::string(given) : Ulid::make(listener_.clock.wall(), listener_.random).str();
}

asio::awaitable<Response> Session::answer(Request& request) {
    std::string what;
    try {
        co_return co_await listener_.router.dispatch(request);
    } catch (const std::exception& failure) {
        what = failure.what();
    } catch (...) {
        what = "not a std::exception";
    }
    co_return respond_to_exception(request, what);
}

Response Session::respond_to_exception(const Request& request, std::string_view what) {
    if (listener_.stopped) return {};
    listener_.log.error("http.exception", "a fault in the gateway failed a call of {path}: {detail}",
                        {{"listener", listener_.options.name},
                         {"request", request.request_id},
                         {"path", request.route},
                         {"detail", what}});
    return to_response({status::internal_server_error, "internal_error", "the gateway failed to answer this"}, request);
}

void Session::send(const Request& request, const Response& response, const Head& head) {
    AnswerFrame frame;
    frame.request_id = request.request_id;
    frame.date = listener_.date.at(listener_.clock.wall());
    frame.head_only = request.method == verb::head;
    frame.keep_alive = carries_on_;
    frame.http_1_0 = head.http_1_0;
    auto& bytes = listener_.answer;
    bytes.clear();
    append_answer(bytes, response, frame);
    write(bytes);
    if (has_body(response, frame)) document_ = response.document;
    if (unsent_.empty()) send_some(document_);
    if (!lost_) listener_.count(request, response.status);
    if (bytes.capacity() > Listener::answer_kept) std::string().swap(bytes);
}

void Session::write(std::string_view bytes) {
    send_some(bytes);
    unsent_ = bytes;
}

void Session::send_some(std::string_view& bytes) {
    while (!lost_ && !bytes.empty()) {
        const auto step = stream_.write(bytes);
        if (waits(step.outcome)) return;
        bytes.remove_prefix(step.bytes);
        lost_ = step.outcome != Stream::Outcome::done;
    }
    if (lost_) bytes = {};
}

asio::awaitable<void> Session::flush() {
    keep(account_.kept() + unsent_.size());
    begin(Wait::write);
    std::string_view rest = unsent_;
    while (!lost_ && !(rest.empty() && document_.empty())) {
        auto& bytes = rest.empty() ? document_ : rest;
        const auto step = stream_.write(bytes);
        if (waits(step.outcome)) co_await stream_.wait(step.outcome);
        bytes.remove_prefix(step.bytes);
        lost_ = lost_ || expired_ || step.outcome == Stream::Outcome::failed;
    }
    end_wait();
    std::string().swap(unsent_);
    document_ = {};
}

asio::awaitable<void> Session::send_pieces(BodySource& source, bool chunked) {
    bool more = true;
    while (more && !lost_) {
        auto piece = co_await source.next();
        if (listener_.stopped) co_return;
        if (!is_here()) lost_ = true;
        more = piece && !listener_.drained_since;
        std::string bytes;
        if (piece && !piece->empty()) append_piece(bytes, *piece, chunked);
        if (!more) append_piece(bytes, {}, chunked);
        write(bytes);
        if (!unsent_.empty()) co_await flush();
        keep(0);
    }
}

// Takes what has come meanwhile. From a caller that waits for an answer, it is at most the next request.
bool Session::is_here() {
    while (received_.size() <= listener_.options.header_limit) {
        const auto step = read_some();
        if (step.outcome != Stream::Outcome::done) return waits(step.outcome);
    }
    return false;
}

asio::awaitable<void> Session::linger() {
    first_.reset();
    if (lost_) co_return;
    stream_.finish();
    begin(Wait::linger);
    std::size_t discarded = 0;
    while (!expired_ && !lost_ && discarded < Listener::linger_bytes) {
        const auto step = stream_.discard(listener_.scratch);
        if (step.outcome != Stream::Outcome::done && step.outcome != Stream::Outcome::wait_read) break;
        discarded += step.bytes;
        // This waits even if more is there already: a caller that never stops sending must not keep the others waiting.
        co_await stream_.wait(Stream::Outcome::wait_read);
    }
    end_wait();
}

}  // namespace gateway::http
