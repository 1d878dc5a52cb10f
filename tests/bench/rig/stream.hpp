// This is a connected socket that carries HTTP messages, in clear or, on the accepting side, over TLS.
#pragma once

#include "bench/rig/poller.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

namespace rig {

struct FreeSsl {
    void operator()(SSL* tls) const noexcept { SSL_free(tls); }
};
using Ssl = std::unique_ptr<SSL, FreeSsl>;

// Returns the first complete message of `text`, head and body; empty while there is none. Bodies have a length.
std::string_view first_message(std::string_view text);
std::string_view body_of(std::string_view message);
// Returns the status of an answer.
int status_of(std::string_view message);

class Stream : public Poller::Watcher {
  public:
    // Takes the descriptor, which does not block.
    Stream(Poller& poller, int descriptor, Ssl tls = nullptr);
    ~Stream() override;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void send(std::string_view text);
    bool open() const { return descriptor_ >= 0; }
    void shut();
    // Returns the TLS session once its handshake is done; nothing in clear.
    const SSL* tls() const { return tls_.get(); }

    void ready(std::uint32_t events) final;

  protected:
    // A whole message has come. This may send and shut.
    virtual void received(std::string_view message) = 0;
    // The other side is gone, or was shut. This is the last call.
    virtual void ended() = 0;
    virtual void handshake_done() {}

  private:
    enum class Outcome { done, blocked, ended };

    bool shake_hands();
    Outcome read_some();
    void flush();
    void want_room(bool wanted);
    void take_messages();

    Poller& poller_;
    int descriptor_;
    Ssl tls_;
    bool shaken_ = false;
    bool wants_room_ = false;
    bool reading_ = false;
    std::string in_;
    std::string out_;
};

// Makes a socket that is being connected to this machine's `port`.
int connect_to(int port);
// Makes a socket that listens on this machine's `port`; 0 stands for any, and port_of tells it then.
int listen_on(int port);
int port_of(int descriptor);

}  // namespace rig
