// Many deadlines on one timer: thousands of connections wait at once, each for its own moment, and nearly none of them
// ever comes.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>

namespace gateway {

class Deadline;

class Deadlines : public std::enable_shared_from_this<Deadlines> {
  public:
    // `clock` must live until stop().
    Deadlines(boost::asio::any_io_executor executor, Clock& clock);

    // From here on no deadline passes any more, and the clock is left alone.
    void stop();

  private:
    friend class Deadline;
    using List = std::multimap<Instant, Deadline*>;

    void add(Instant when, Deadline& deadline);
    static boost::asio::awaitable<void> watch(std::shared_ptr<Deadlines> self);

    const boost::asio::any_io_executor executor_;
    Clock& clock_;
    const std::unique_ptr<Timer> timer_;
    List list_;
    Instant wakes_at_ = never;  // when the timer looks next, by itself
    bool watching_ = false;
    bool stopped_ = false;
};

// One of them. Calls `passed` once for each time that it was set and not cleared; that must not destroy it.
class Deadline {
  public:
    Deadline(std::shared_ptr<Deadlines> deadlines, std::function<void()> passed);
    ~Deadline() { clear(); }
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

    void set(Instant when);
    void clear();

  private:
    friend class Deadlines;

    const std::shared_ptr<Deadlines> deadlines_;
    const std::function<void()> passed_;
    Deadlines::List::iterator place_;  // the list's end: not set
};

}  // namespace gateway
