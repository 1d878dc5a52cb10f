// What a gateway remembers of a journal that it shares, in a small file of its own: how many commits the database has
// acknowledged to it. It is written in place and not flushed: what a power cut takes of it only makes it remember less.
//
// The file has an id, by which the journal tells the runs of one file from those of another, whatever names they have.
// It is locked while its process lives: where another run of the file begins, the process of the run before is gone.
#pragma once

#include "journal/sqlite/named_file.hpp"

#include <boost/system/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gateway::postgres {

// How many connections of a gateway count their commits.
inline constexpr std::size_t counted_connections = 2;

struct Acknowledged {
    std::string journal;  // by the name that the journal has given itself; empty: nothing was acknowledged yet
    std::string gateway;  // whose commits they are
    std::int64_t epoch = 0;
    std::array<std::int64_t, counted_connections> commits{};

    bool operator==(const Acknowledged&) const = default;
};

class TallyFile {
  public:
    // An empty path: nothing is kept. `new_id`: of a file that has none yet, or that cannot be kept; no two are alike.
    TallyFile(std::string path, std::string new_id) : path_(std::move(path)), id_(std::move(new_id)) {}
    TallyFile(const TallyFile&) = delete;
    TallyFile& operator=(const TallyFile&) = delete;
    ~TallyFile() { close(); }

    const std::string& path() const noexcept { return path_; }
    // It is what the file has, once that was opened.
    const std::string& id() const noexcept { return id_; }

    // Once, before it is written: locks the file for as long as this object lives, and reads it. A file that is not
    // there is made, with an id and nothing else; one of an earlier version is given an id. Nothing where it remembers
    // nothing yet, also where it cannot be made: write() says why. The error says in words why it cannot be used, and
    // what to do.
    boost::system::result<std::optional<Acknowledged>, std::string> open();
    // In the place of what it had, where it differs; a file that was removed is made anew. The error says why it cannot
    // be written.
    boost::system::result<void, std::string> write(const Acknowledged& acknowledged);

  private:
    enum class Taken { yes, not_there, by_another, failed };

    Taken take();
    bool store(const std::string& text);
    void close() noexcept;

    const std::string path_;
    std::string id_;
    int descriptor_ = -1;  // of the file that is locked
    int unwritable_ = 0;   // why it may only be read, as errno has it
    std::optional<NamedFile> named_;
    std::size_t size_ = 0;
    std::optional<Acknowledged> written_;
};

}  // namespace gateway::postgres
