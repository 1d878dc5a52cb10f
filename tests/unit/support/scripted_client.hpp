// This is a network for tests: it keeps every request, and answers with what the test has prepared.
#pragma once

#include "base/check.hpp"
#include "base/clock.hpp"
#include "http/client/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gateway::test {

inline Reply answered(unsigned status, std::string body, std::string content_type = "application/json") {
    Reply reply;
    reply.kind = Reply::Kind::answered;
    reply.status = status;
    reply.content_type = std::move(content_type);
    reply.body = std::move(body);
    return reply;
}

inline Reply unsent(errc why = errc::unreachable) {
    return Reply::unsent(why);
}

inline Reply lost(errc why = errc::timed_out) {
    return Reply::lost(why);
}

// Answers in the order in which the test prepared the answers. Further requests get `otherwise`, which is a refused
// connection unless the test sets something else.
class ScriptedClient final : public http::Client {
  public:
    explicit ScriptedClient(Clock& clock) : clock_(clock) {}

    struct Seen {
        http::ClientRequest request;
        Instant at;
        Instant deadline;
    };
    std::vector<Seen> seen;
    std::function<Reply(const http::ClientRequest&)> otherwise = [](const http::ClientRequest&) { return unsent(); };
    std::string cause;  // the cause that a reply names when nothing was sent
    int under_way = 0;
    int most_under_way = 0;

    ScriptedClient& then(Reply reply, Duration after = Duration(0)) {
        script_.emplace_back(std::move(reply), after);
        return *this;
    }

    Duration connecting{0};  // how long opening a connection takes
    bool refuses = false;    // it refuses every connection

    boost::asio::awaitable<Result<std::unique_ptr<http::Reservation>>> reserve(Instant deadline) override {
        if (connecting > Duration(0)) co_await clock_.sleep_until(std::min(clock_.now() + connecting, deadline));
        if (clock_.now() >= deadline) co_return errc::timed_out;
        if (refuses) co_return errc::unreachable;
        co_return std::make_unique<Held>(*this);
    }

    std::string trouble() const override { return cause; }

  private:
    struct Held final : http::Reservation {
        explicit Held(ScriptedClient& c) : client(c) {}
        boost::asio::awaitable<Reply> send(http::ClientRequest request, Instant deadline) override {
            return client.answer(std::move(request), deadline);
        }
        ScriptedClient& client;
    };

    boost::asio::awaitable<Reply> answer(http::ClientRequest request, Instant deadline) {
        seen.push_back({request, clock_.now(), deadline});
        most_under_way = std::max(most_under_way, ++under_way);
        auto [reply, after] = next(request);
        if (after > Duration(0)) co_await clock_.sleep_until(std::min(clock_.now() + after, deadline));
        --under_way;
        co_return clock_.now() < deadline ? std::move(reply) : lost();
    }

    std::pair<Reply, Duration> next(const http::ClientRequest& request) {
        if (script_.empty()) return {otherwise(request), Duration(0)};
        auto first = std::move(script_.front());
        script_.pop_front();
        return first;
    }

    Clock& clock_;
    std::deque<std::pair<Reply, Duration>> script_;
};

}  // namespace gateway::test
