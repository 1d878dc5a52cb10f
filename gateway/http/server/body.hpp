// The body of a request that comes in pieces: of a known length, or in chunks. Pure.
//
// A chunk's extensions and the trailer are read and forgotten; anything that is not exactly the grammar of RFC 9112,
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
    // At most `limit` bytes; a length that is known to be more is refused at once.
    BodyReader(const Head& head, std::size_t limit);

    // Appends to `body` what belongs to it at the front of `bytes`; how many of these it took. What it leaves it wants
    // to see again with more behind it.
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
    std::uint64_t remaining_ = 0;  // of the body, or of the chunk
    std::size_t trailer_size_ = 0;
    std::size_t limit_;
    std::optional<Refusal> refusal_;
};

// What is wrong with a body of which at most `limit` bytes are taken. `key` names the setting that says how many; empty
// where none does.
std::string too_large_in_words(const Refusal& refusal, std::size_t limit, std::string_view key);

}  // namespace gateway::http
