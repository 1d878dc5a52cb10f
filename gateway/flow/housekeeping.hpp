// Does the gateway's work that nobody asks for. It tries to write a journal that cannot be written until it can, erases
// old personal fields, encrypts again what has an older key, gives the sales of earlier versions their movement days,
// and reminds of the sales that need a person. Each task goes on as long as there is something to do, and reports in
// the log what it did.
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
    // Every reference must outlive this object and its coroutines. `retention` is how long personal fields and goods
    // are kept.
    Housekeeping(Journal& journal, AttentionList& attention, const Rules& rules, Duration retention, Clock& clock,
                 Log& log)
        : journal_(journal), attention_(attention), rules_(rules), retention_(retention), clock_(clock), log_(log) {}

    // Starts all tasks. It is called once.
    void start(const boost::asio::any_io_executor& executor);

    // Watches the journal for ever: looks every `look_apart`, and tries a journal that could not be written every
    // `probe_apart` until it can be. Not only readiness depends on this: a commit whose flush failed may be on the disk
    // all the same, and stays there until the next commit overwrites it.
    boost::asio::awaitable<void> keep_journal_alive(Duration look_apart, Duration probe_apart);

  private:
    boost::asio::awaitable<void> look_at_unreadable();
    boost::asio::awaitable<void> read_all();
    void look_at_damage();
    bool look_at_failures();
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
    Instant began_{};  // when start() was called, by the steady clock; began_wall_ has the wall clock's time
    WallTime began_wall_{};
    Log& log_;
    std::uint64_t unreadable_said_ = 0;
    bool damage_said_ = false;
    std::uint64_t failures_said_ = 0;
    std::uint64_t long_waits_said_ = 0;
    Instant waits_are_said_from_{};
    std::int64_t log_bytes_said_ = 0;
    bool move_said_ = false;
};

}  // namespace gateway
