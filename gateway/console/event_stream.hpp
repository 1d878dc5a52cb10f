// GET /console/events: what has changed, for a page to read it again, as server-sent events (WHATWG HTML, section 9.2).
// An event names topics and carries no data: what a person may see is asked for, and decided, in one place.
#pragma once

#include "console/changes.hpp"
#include "console/sign_in.hpp"
#include "http/server/message.hpp"

#include <memory>

namespace gateway {

class EventStreams {
  public:
    // More screens read again now and then.
    static constexpr std::size_t most = 8;
    // How often a stream says that it is still there.
    static constexpr Duration heartbeat{15'000};

    // Every reference must outlive it.
    EventStreams(Changes& changes, SignIn& sign_in, Clock& clock)
        : changes_(changes), sign_in_(sign_in), clock_(clock) {}

    boost::asio::awaitable<http::Response> begin(http::Request& request);
    std::size_t open() const noexcept { return *open_; }

  private:
    class Stream;

    Changes& changes_;
    SignIn& sign_in_;
    Clock& clock_;
    // A stream may be destroyed after all else, with the event loop: it holds this.
    const std::shared_ptr<std::size_t> open_ = std::make_shared<std::size_t>(0);
};

}  // namespace gateway
