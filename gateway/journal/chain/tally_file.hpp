// A gateway remembers in a small file of its own how many commits of a shared journal the database has acknowledged to
// it. The file is written in place and not flushed: what a power cut takes of it only makes it remember less.
//
// The file has an id, by which the journal tells the runs of one file from those of another, whatever names they have.
// The file is locked while its process lives: where another run of it begins, the process of the run before is gone.
#pragma once

#include "journal/sqlite/named_file.hpp"

#include <boost/system/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gateway::postgres {

// This many connections of a gateway count their commits.
inline constexpr std::size_t counted_connections = 2;

struct Acknowledged {
    std::string journal;  // the name that the journal has given itself; empty: nothing has been acknowledged yet
    std::string gateway;  // the gateway whose commits they are
    std::int64_t epoch = 0;
    std::array<std::int64_t, counted_connections> commits{};

    bool operator==(const Acknowledged&) const = default;
};

class TallyFile {
  public:
    // With an empty path nothing is kept. `new_id` must be unique; it is for a file that has no id or cannot be kept.
    TallyFile(std::string path, std::string new_id) : path_(std::move(path)), id_(std::move(new_id)) {}
    TallyFile(const TallyFile&) = delete;
    TallyFile& operator=(const TallyFile&) = delete;
    ~TallyFile() { close(); }

    const std::string& path() const noexcept { return path_; }
    // Returns the id of the file, after open().
    const std::string& id() const noexcept { return id_; }

    // Locks the file for as long as this object lives, and reads it. It is called once, before write(). A missing file
    // is made, with nothing but an id; one of an earlier version gets an id. Returns nothing where the file remembers
    // nothing yet, and also where it cannot be made: write() says why. The error says in words why the file cannot be
    // used, and what to do.
    boost::system::result<std::optional<Acknowledged>, std::string> open();
    // Replaces the content of the file where it differs; a file that was removed is made again. The error says why it
    // cannot be written.
    boost::system::result<void, std::string> write(const Acknowledged& acknowledged);

  private:
    enum class Taken { yes, not_there, by_another, failed };

    Taken take();
    bool store(const std::string& text);
    void close() noexcept;

    const std::string path_;
    std::string id_;
    int descriptor_ = -1;  // the descriptor of the file that is locked
    int unwritable_ = 0;   // the errno that says why the file may only be read; 0: it may be written
    std::optional<NamedFile> named_;
    std::size_t size_ = 0;
    std::optional<Acknowledged> written_;
};

// Says why what a file has acknowledged is not this gateway's; empty: it is.
std::string why_not_of(const Acknowledged& acknowledged, const std::string& gateway);
// Says, as a start does, why this gateway cannot use the file; empty: nothing is known that is in the way. The file is
// only read, so that a gateway may have it.
std::string look_at_tally_file(const std::string& path, const std::string& gateway);

}  // namespace gateway::postgres
