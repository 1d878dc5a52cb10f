// One connection to the provider, with the time by which whatever it is doing must be done.
#pragma once

#include "net/deadlines.hpp"
#include "net/stream.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace gateway::http {

class Connection {
  public:
    Connection(const boost::asio::any_io_executor& executor, std::shared_ptr<Deadlines> deadlines)
        : stream(executor), deadline_(std::move(deadlines), [this] { time_out(); }) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    // A peer that still listens is told, and the session can be resumed.
    ~Connection() { stream.finish(); }

    std::shared_ptr<void> trust;  // what the stream's TLS points to
    Stream stream;
    bool used = false;  // it has carried a request before

    // From then on every wait ends at once and every read and write fails.
    void set_deadline(Instant when) { deadline_.set(when); }
    void clear_deadline() { deadline_.clear(); }
    bool timed_out() const noexcept { return timed_out_; }

  private:
    void time_out() {
        timed_out_ = true;
        stream.close();
    }

    Deadline deadline_;
    bool timed_out_ = false;
};

}  // namespace gateway::http
