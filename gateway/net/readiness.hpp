// Who waits for which socket, for all sockets of one io_context. They share an epoll instance, and that instance is all
// that the event loop watches for them: it hears once of as many sockets as have something to say, and those who wait
// are told one after the other, in that turn of the loop.
//
// Belongs to the io_context, as a service of it; a wait is work that keeps it running.
#pragma once

#include "net/ready_socket.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace gateway {

class Readiness final : public boost::asio::execution_context::service {
  public:
    // How Asio finds it.
    using key_type = Readiness;  // NOLINT(readability-identifier-naming): Asio's name
    static boost::asio::execution_context::id id;

    // Throws boost::system::system_error where the system has no descriptor left.
    explicit Readiness(boost::asio::execution_context& context);
    Readiness(const Readiness&) = delete;
    Readiness& operator=(const Readiness&) = delete;
    ~Readiness() override = default;

    static Readiness& of(const boost::asio::any_io_executor& executor);

    // Lets every socket know what has been announced of it by now. Who waits is told later, as always.
    void look();

  private:
    friend class ReadySocket;
    using Sockets = boost::intrusive::list<ReadySocket, boost::intrusive::base_hook<ReadinessHook>,
                                           boost::intrusive::constant_time_size<false>>;
    class Turn;

    // From here on the socket hears what is announced of its descriptor, until that is closed.
    boost::system::error_code watch(ReadySocket& socket);
    void wait(ReadySocket& socket);
    // The socket's wait has ended.
    void tell_soon(ReadySocket& socket);
    // The same, where the socket is about to be no more.
    void abandon(Continuation continuation);

    void shutdown() override;
    void listen();
    void listen_no_more();
    bool collect();
    void tell_all();
    void tell_later();

    boost::asio::io_context& context_;
    boost::asio::posix::stream_descriptor epoll_;
    Sockets waiting_;
    Sockets ended_;  // whose waits have ended, in the order in which they are told
    bool listening_ = false;
    bool telling_ = false;
    bool posted_ = false;  // tell_all() comes by itself
    bool shut_down_ = false;
};

}  // namespace gateway
