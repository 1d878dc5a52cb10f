// Watches a folder for statements. A file is read once it has not changed between two looks. It stays where it is,
// unchanged; what was read before is recognised by its bytes. Of several files, the one that was changed first is read
// first. Names that begin with a dot are ignored. The folder must be on a disk of this machine, because reading it
// blocks the caller.
#pragma once

#include "base/clock.hpp"
#include "books/reconciler.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gateway {

class StatementFolder {
  public:
    static constexpr Duration look_every{10'000};
    // When the journal did not take a file, files wait this long.
    static constexpr Duration read_again{600'000};

    // Every reference must outlive this object and its coroutines.
    StatementFolder(std::string folder, Reconciler& reconciler, Clock& clock)
        : folder_(std::move(folder)), reconciler_(reconciler), clock_(clock) {}

    // Starts looking; never ends. It is called once.
    void start(const boost::asio::any_io_executor& executor);
    boost::asio::awaitable<void> look();

  private:
    struct Seen {
        std::uintmax_t size = 0;
        std::filesystem::file_time_type changed_at{};
        bool done = false;
    };
    using Files = std::map<std::string, Seen>;  // by name

    boost::asio::awaitable<void> keep_looking();
    Files files();
    static std::vector<Files::value_type*> in_order(Files& files);
    // Returns whether the file need not be read again.
    boost::asio::awaitable<bool> read(const std::string& name, std::uintmax_t size);
    void say_refused(const std::string& name, const std::string& detail);

    const std::string folder_;
    Reconciler& reconciler_;
    Clock& clock_;
    Files seen_;
    Instant not_before_{};  // the time before which nothing is read
    bool failure_said_ = false;
};

}  // namespace gateway
