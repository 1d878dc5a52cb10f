// Whether a service of the provider's can be reached, as the exchanges with it show: for the log, the monitoring and
// the tills. The log is told that an outage began and why, from time to time that it goes on, soon that there is
// another reason, and that it is over; not every failure of every sale.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

class Reachability {
  public:
    struct Outage {
        WallTime since;
        std::string last_error;     // for people
        std::uint64_t refused = 0;  // sales that were not made while it lasted
    };

    // `service` is a literal: "provider". Both references must outlive the calls.
    Reachability(std::string_view service, const Clock& clock, Log& log);

    // Nothing could be sent to it: one such failure is an outage, which begins with it.
    void unreachable(std::string_view why);
    // It was reached, and let the whole time of an exchange pass without a word: one such failure is an outage too.
    void silent(std::string_view why);
    // It was reached, and did not do what it is there for. One such failure may be that request's; several in a row are
    // an outage.
    void useless(std::string_view why);
    // It gave an answer that makes sense.
    void answered();
    // A connection to it came about: the end of an outage in which there was none, and, once it has not failed for a
    // while, of every other.
    void connected();
    // A sale was not made. Counts where there is an outage.
    void sale_refused();

    std::string_view service() const noexcept { return service_; }
    const std::optional<Outage>& outage() const noexcept { return outage_; }
    // Since when it can be reached, or cannot.
    WallTime since() const noexcept { return outage_ ? outage_->since : reached_since_; }
    // Whether something was learned of it in the last `age`.
    bool has_news(Duration age) const { return last_news_ && clock_.now() - *last_news_ < age; }

  private:
    void failed(std::string_view why, bool outage);
    void over();
    Sentence begin_sentence() const;
    Sentence goes_on_sentence() const;
    Sentence over_sentence() const;

    const std::string_view service_;
    const Clock& clock_;
    Log& log_;
    WallTime reached_since_;
    std::optional<Instant> last_news_;
    std::optional<Outage> outage_;
    bool could_connect_ = false;  // when it failed last
    // Of the failures in a row: when the first of them was, on both clocks.
    Instant first_failed_{};
    WallTime first_failed_wall_{};
    std::uint64_t failures_ = 0;  // in a row
    Instant told_{};
    std::string told_why_;
};

}  // namespace gateway
