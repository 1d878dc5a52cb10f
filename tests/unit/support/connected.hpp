// Two ends of one connection of this machine, where what one end sent is there for the other at once.
#pragma once

#include "net/ready_socket.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>

namespace gateway::test {

struct Connected {
    using tcp = boost::asio::ip::tcp;

    explicit Connected(boost::asio::io_context& io) : far(io) {
        tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
        tcp::socket other(io);
        other.connect(acceptor.local_endpoint());
        acceptor.accept(far);
        far.non_blocking(true);
        other.native_non_blocking(true);
        near = std::make_unique<ReadySocket>(io.get_executor());
        EXPECT_FALSE(near->adopt(other.release()));
    }

    // What the near end can read now, up to so many bytes.
    std::string received(std::size_t room = 4096) const {
        std::string bytes(room, '\0');
        const auto count = near->receive(bytes);
        return count > 0 ? bytes.substr(0, static_cast<std::size_t>(count)) : std::string();
    }
    void send(std::string_view bytes) { far.send(boost::asio::buffer(bytes)); }

    tcp::socket far;
    std::unique_ptr<ReadySocket> near;
};

// Waits once, and keeps what came of it.
class Waiting {
  public:
    Waiting(ReadySocket& socket, ReadySocket::Way way) {
        socket.wait(way, [this](const boost::system::error_code& result) {
            ++told_;
            result_ = result;
        });
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() = default;

    int told() const noexcept { return told_; }
    const boost::system::error_code& result() const noexcept { return result_; }

  private:
    int told_ = 0;
    boost::system::error_code result_;
};

}  // namespace gateway::test
