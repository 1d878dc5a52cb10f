// Keeps many deadlines on one timer. Thousands of connections wait at once, each for its own moment, and nearly none of
// these moments comes. To set or clear a deadline costs a few pointers and no memory.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/set.hpp>

#include <functional>
#include <memory>

namespace gateway {

class Deadlines;

using DeadlineHook = boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class Deadline : public DeadlineHook {
  public:
    // `passed` is called once for each time that the deadline was set and came before it was cleared or set anew. It
    // must not destroy the deadline. `deadlines` must outlive it.
    Deadline(Deadlines& deadlines, std::function<void()> passed) : deadlines_(deadlines), passed_(std::move(passed)) {}
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline() = default;

    void set(Instant when);
    void clear() noexcept { unlink(); }

    friend bool operator<(const Deadline& a, const Deadline& b) noexcept { return a.when_ < b.when_; }

  private:
    friend class Deadlines;

    Deadlines& deadlines_;
    const std::function<void()> passed_;
    Instant when_{};
};

class Deadlines : public std::enable_shared_from_this<Deadlines> {
  public:
    // Deadlines pass on `executor`, which must run on one thread. `clock` must live until stop().
    Deadlines(boost::asio::any_io_executor executor, Clock& clock) : executor_(std::move(executor)), clock_(clock) {}
    Deadlines(const Deadlines&) = delete;
    Deadlines& operator=(const Deadlines&) = delete;
    ~Deadlines() = default;

    // After this no deadline passes any more, and the clock is not used.
    void stop();

  private:
    friend class Deadline;

    class Watch;

    void add(Deadline& deadline);
    static boost::asio::awaitable<void> watch(std::shared_ptr<Deadlines> self);
    void pass(Instant now);

    const boost::asio::any_io_executor executor_;
    Clock& clock_;
    boost::intrusive::multiset<Deadline, boost::intrusive::base_hook<DeadlineHook>,
                               boost::intrusive::constant_time_size<false>>
        set_;  // the earliest comes first
    // Stands in the frame of watch(), because the io_context may end before this object does.
    Timer* timer_ = nullptr;
    Instant wakes_at_ = never;  // the moment when the timer ends by itself
    bool watching_ = false;
    bool stopped_ = false;
};

}  // namespace gateway
