// Reads the body of a request that comes in pieces, with a known length or in chunks. It is pure.
//
// A chunk's extensions and the trailer are read and forgotten. Everything that departs from the grammar of RFC 9112,
// section 7.1, is refused.
#pragma once

#include "http/server/head.hpp"
#include "http/server/refusal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

class BodyReader {
  public:
    // Takes at most `limit` bytes. A length that is known to be more is refused at once.
    BodyReader(const Head& head, std::size_t limit);

    // Appends to `body` the bytes at the front of `bytes` that belong to it, and returns how many it took. The caller
    // must pass the rest again, with more bytes after it.
    std::size_t read(std::string_view bytes, std::string& body);
    bool complete() const noexcept { return state_ == State::complete; }
    const std::optional<Refusal>& refusal() const noexcept { return refusal_; }

  private:
    enum class State { data, chunk_size, chunk_data, chunk_end, trailer, complete };

    std::size_t step(std::string_view bytes, std::string& body);
    std::size_t read_data(std::string_view bytes, std::string& body, State next);
    std::size_t read_size(std::string_view bytes, std::size_t body_size);
    std::size_t read_chunk_end(std::string_view bytes);
    std::size_t read_trailer(std::string_view bytes);
    std::optional<std::string_view> line(std::string_view bytes);

    State state_ = State::complete;
    std::uint64_t remaining_ = 0;  // bytes of the body, or of the chunk
    std::size_t trailer_size_ = 0;
    std::size_t limit_;
    std::optional<Refusal> refusal_;
};

// Says what is wrong with a body that may have at most `limit` bytes. `key` names the setting for that number, and is
// empty if there is none.
std::string too_large_in_words(const Refusal& refusal, std::size_t limit, std::string_view key);

}  // namespace gateway::http
