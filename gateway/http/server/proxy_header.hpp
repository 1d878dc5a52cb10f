// The PROXY protocol's header, with which a proxy that hands on bytes as they are says for whom it does so, before any
// of them: version 1, a line of text, and version 2, which is binary (https://www.haproxy.org/download/2.8/doc/
// proxy-protocol.txt). Pure: no socket, no time.
#pragma once

#include "http/server/refusal.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

// Why a connection is refused: a trusted proxy's without a header, or with half of one; anybody else's with one.
constexpr Refusal no_proxy_header =
    bad_request("a connection from a trusted proxy must begin with a PROXY header, and this one does not");
constexpr Refusal cut_proxy_header = bad_request("the PROXY header did not come to its end");
constexpr Refusal unasked_proxy_header =
    bad_request("this connection begins with a PROXY header, which is not taken from its address");

class ProxyHeader {
  public:
    enum class State { more, complete, refused };

    // The longest line of version 1, its end included.
    static constexpr std::size_t line_limit = 107;
    // Bytes of version 2 in all: 232 hold every address, and the rest what a proxy adds to them (TLVs), a few hundred.
    static constexpr std::size_t binary_limit = 4096;

    // Takes off `bytes`, which come behind what was taken before, as many as belong to the header, and returns their
    // number: at least one of them, unless the header is complete or refused.
    std::size_t feed(std::string_view bytes);

    State state() const noexcept { return state_; }
    // Whether none of it has come.
    bool empty() const noexcept { return text_.empty(); }
    // Once complete: for whom the proxy speaks; nothing where it speaks for itself, or does not know.
    const std::optional<boost::asio::ip::address>& source() const noexcept { return source_; }

  private:
    std::size_t missing() const;
    void conclude();
    bool read_line(std::string_view line);
    bool read_binary();

    std::string text_;
    State state_ = State::more;
    std::optional<boost::asio::ip::address> source_;
};

// Whether these are the first bytes of such a header, and of nothing else.
bool is_proxy_header(std::string_view bytes) noexcept;

}  // namespace gateway::http
