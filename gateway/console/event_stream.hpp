// Serves GET /console/events: tells a page what has changed, so that it reads that again, by server-sent events (WHATWG
// HTML, section 9.2). An event names topics and carries no data: what a person may see is decided where it is asked
// for.
#pragma once

#include "console/changes.hpp"
#include "console/sign_in.hpp"
#include "http/server/message.hpp"

#include <memory>

namespace gateway {

class EventStreams {
  public:
    // Further screens read again from time to time instead.
    static constexpr std::size_t most = 8;
    // A stream says this often that it is still there.
    static constexpr Duration heartbeat{15'000};

    // Every reference must outlive this object.
    EventStreams(Changes& changes, SignIn& sign_in, Clock& clock)
        : changes_(changes), sign_in_(sign_in), clock_(clock) {}

    boost::asio::awaitable<http::Response> begin(http::Request& request);
    std::size_t open() const noexcept { return *open_; }

  private:
    class Stream;

    Changes& changes_;
    SignIn& sign_in_;
    Clock& clock_;
    // A stream may be destroyed after everything else, together with the event loop, so it shares this counter.
    const std::shared_ptr<std::size_t> open_ = std::make_shared<std::size_t>(0);
};

}  // namespace gateway
