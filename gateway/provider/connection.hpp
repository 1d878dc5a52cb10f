// One connection to the provider, with the time by which whatever it is doing must be done.
#pragma once

#include "base/channel.hpp"
#include "provider/deadlines.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace gateway {

class Connection {
  public:
    Connection(const boost::asio::any_io_executor& executor, std::shared_ptr<Deadlines> deadlines)
        : channel(executor), deadline_(std::move(deadlines), [this] { time_out(); }) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    // A peer that still listens is told, and the session can be resumed.
    ~Connection() { channel.finish(); }

    std::shared_ptr<void> trust;  // what the channel's TLS points to
    Channel channel;
    bool used = false;  // it has carried a request before

    // From then on every wait ends at once and every read and write fails.
    void set_deadline(Instant when) { deadline_.set(when); }
    void clear_deadline() { deadline_.clear(); }
    bool timed_out() const noexcept { return timed_out_; }

  private:
    void time_out() {
        timed_out_ = true;
        channel.close();
    }

    Deadline deadline_;
    bool timed_out_ = false;
};

}  // namespace gateway
