// Reads the header of the PROXY protocol. A proxy that passes bytes on unchanged uses it to say, before any of them,
// for whom it calls. Version 1 is a line of text, and version 2 is binary
// (https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt). It is pure: it has no socket and no time.
#pragma once

#include "http/server/refusal.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

// A connection is refused for one of these reasons: a trusted proxy's has no header or only a part of one, or anybody
// else's has one.
constexpr Refusal no_proxy_header =
    bad_request("a connection from a trusted proxy must begin with a PROXY header, and this one does not");
constexpr Refusal cut_proxy_header = bad_request("the PROXY header did not come to its end");
constexpr Refusal unasked_proxy_header =
    bad_request("this connection begins with a PROXY header, which is not taken from its address");

class ProxyHeader {
  public:
    enum class State { more, complete, refused };

    // The longest line of version 1 has so many bytes, including its end.
    static constexpr std::size_t line_limit = 107;
    // A header of version 2 has at most so many bytes. 232 hold every address; the rest is for what a proxy adds to
    // them (TLVs), a few hundred bytes.
    static constexpr std::size_t binary_limit = 4096;

    // Takes those of `bytes` that belong to the header, and returns their number. `bytes` follow what was taken before.
    // At least one byte is taken, unless the header is complete or refused.
    std::size_t feed(std::string_view bytes);

    State state() const noexcept { return state_; }
    // Tells whether no byte of the header has come.
    bool empty() const noexcept { return text_.empty(); }
    // Returns, once the header is complete, for whom the proxy calls. Returns nothing if it calls for itself, or does
    // not know.
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

// Tells whether these bytes begin such a header, and can begin nothing else.
bool is_proxy_header(std::string_view bytes) noexcept;

}  // namespace gateway::http
