// What a gateway remembers of a journal that it shares, in a small file of its own: how many commits the database has
// acknowledged to it. It is written in place and not flushed: what a power cut takes of it only makes it remember less.
#pragma once

#include <boost/system/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace gateway::postgres {

// How many connections of a gateway count their commits.
inline constexpr std::size_t counted_connections = 2;

struct Acknowledged {
    std::string journal;  // by the name that the journal has given itself
    std::string gateway;  // whose commits they are
    std::int64_t epoch = 0;
    std::array<std::int64_t, counted_connections> commits{};

    bool operator==(const Acknowledged&) const = default;
};

class TallyFile {
  public:
    // An empty path: nothing is kept.
    explicit TallyFile(std::string path) : path_(std::move(path)) {}

    const std::string& path() const noexcept { return path_; }

    // Nothing where there is no file yet. The error says in words why it cannot be used, and what to do.
    boost::system::result<std::optional<Acknowledged>, std::string> read() const;
    // In the place of what it had, where it differs; a file that was removed is made anew. The error says why it cannot
    // be written.
    boost::system::result<void, std::string> write(const Acknowledged& acknowledged);

  private:
    boost::system::result<void, std::string> make(const std::string& text) const;

    const std::string path_;
    std::optional<Acknowledged> written_;
};

}  // namespace gateway::postgres
