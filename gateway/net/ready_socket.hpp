// A TCP socket that remembers whether it can be read or written: the system announces once that it can, and that stands
// until a call finds otherwise. A wait therefore takes no system call, where Asio asks the system anew with each one.
//
// Every call is made at once and answers as the system's: -1, and errno says why.
#pragma once

#include "net/continuation.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace gateway {

class Readiness;

using ReadinessHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class ReadySocket : public ReadinessHook {
  public:
    enum class Way : std::uint8_t { read, write };

    // None yet. The executor is that of an io_context which one thread runs, and which is destroyed later than this.
    explicit ReadySocket(const boost::asio::any_io_executor& executor);
    ReadySocket(const ReadySocket&) = delete;
    ReadySocket& operator=(const ReadySocket&) = delete;
    // Closes it; who waits hears of that later, as by close().
    ~ReadySocket();

    // Takes over a descriptor, which must not block; closes it where the system cannot watch one more.
    boost::system::error_code adopt(int descriptor);
    int descriptor() const noexcept { return descriptor_; }

    // Where it is under way, errno is EINPROGRESS; then it is over once the socket can be written.
    int connect(const boost::asio::ip::tcp::endpoint& peer);
    ssize_t receive(std::span<char> room, int flags = 0);
    ssize_t send(std::string_view bytes);
    // Whether something to read was announced, or the end, that no call has yet found to be all: as of the last time
    // that Readiness looked.
    bool announced() const noexcept { return readable_; }
    // Says whether the call that has just failed would have had to wait.
    static bool would_block() noexcept;
    // Why it failed.
    static boost::system::error_code last_error() noexcept;

    // Ends when the socket can be read (written), or by cancel() or close(); never before this has returned. It ends on
    // the thread of the io_context, whatever executor the token prefers. One wait at a time.
    template <class Token>
    auto wait(Way way, Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
            [this, way](auto handler) { begin_wait(way, Continuation(std::move(handler))); }, token);
    }
    void cancel();
    void close();

  private:
    friend class Readiness;

    enum class Ending : std::uint8_t { none, ready, aborted, closed };

    void begin_wait(Way way, Continuation continuation);
    bool waits() const noexcept { return continuation_ && ending_ == Ending::none; }
    bool still_ready(Way way);
    void end_wait(Ending ending);

    // Called by Readiness. Whether that ends the wait.
    bool announce(std::uint32_t events);
    // The last thing that it does: who waited may destroy it.
    void tell();

    Readiness& readiness_;
    Continuation continuation_;
    int descriptor_ = -1;
    Way way_ = Way::read;           // what is waited for
    Ending ending_ = Ending::none;  // how the wait has ended of which its owner is yet to hear
    bool readable_ = false;
    bool writable_ = false;
    bool more_ = false;  // not only bytes were announced but also, say, their end, which is not announced again
};

}  // namespace gateway
