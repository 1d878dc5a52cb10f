// What the gateway does while nobody asks for anything: tries a journal that cannot be written until it can, erases
// what is old, encrypts anew what has another key, gives the sales of earlier versions their movement days, and reminds
// of the sales that need a person. Each goes on for as long as there is something to do, and says in the log what it
// did.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "flow/attention_list.hpp"
#include "journal/journal.hpp"
#include "sale/machine.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace gateway {

class Housekeeping {
  public:
    // Every reference must outlive it and its coroutines. `retention` is how long personal fields and goods are kept.
    Housekeeping(Journal& journal, AttentionList& attention, const Rules& rules, Duration retention, Clock& clock,
                 Log& log)
        : journal_(journal), attention_(attention), rules_(rules), retention_(retention), clock_(clock), log_(log) {}

    // Once.
    void start(const boost::asio::any_io_executor& executor);

    // For ever: looks every `look_apart`, and tries a journal that could not be written every `probe_apart` until it
    // can. Not only readiness waits for it: a commit whose flush failed may be on the disk all the same, and is there
    // until the next one is written over it.
    boost::asio::awaitable<void> keep_journal_alive(Duration look_apart, Duration probe_apart);

  private:
    boost::asio::awaitable<void> look_at_unreadable();
    boost::asio::awaitable<void> read_all();
    void look_at_damage();
    void look_at_waits();
    void look_at_log();
    boost::asio::awaitable<void> look_for_file();
    boost::asio::awaitable<void> erase_old();
    WallTime oldest_to_keep() const;
    boost::asio::awaitable<void> encrypt_anew();
    boost::asio::awaitable<void> date_old();
    boost::asio::awaitable<void> remind();

    Journal& journal_;
    AttentionList& attention_;
    const Rules& rules_;
    const Duration retention_;
    Clock& clock_;
    Instant began_{};  // start() was called, by both clocks
    WallTime began_wall_{};
    Log& log_;
    std::uint64_t unreadable_said_ = 0;
    bool damage_said_ = false;
    std::uint64_t long_waits_said_ = 0;
    Instant waits_are_said_from_{};
    std::int64_t log_bytes_said_ = 0;
    bool move_said_ = false;
};

}  // namespace gateway
