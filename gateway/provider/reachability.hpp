// Whether a service of the provider's can be reached and used, as the exchanges with it show: for the log, the
// monitoring and the tills. The log is told that an outage began and why, from time to time that it goes on, soon that
// there is another reason, and that it is over; not every failure of every sale.
//
// An outage ends by what began it. Four troubles are told apart, and the outage lasts while one of them does:
//
//     trouble        begins with                       ends with
//     no connection  one exchange that had none        a connection, or any answer that is no failure
//     silence        one exchange without a word       any answer that is no failure
//     exchanges      three failures in a row           an answer that makes sense
//     requests       three failed requests in a row    an answer that makes sense to a request, which begins a sale
//
// While the outage lasts, a failure begins its trouble at once.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/run_moment.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

class Reachability {
  public:
    struct Outage {
        RunMoment since;
        std::string last_error;     // for people
        std::uint64_t refused = 0;  // sales that were not made since the first failure that it began with
        // Whether a sale may be tried, and shows whether the outage is over: requests alone failed and something else
        // was answered since, or there is a connection and nothing has failed for a minute. Tills that were told of an
        // outage sell nothing, and nobody would find out otherwise.
        bool may_be_tried = false;
        // What failed last was asked with new credentials, and what those of before got may go on.
        bool of_new_credentials = false;
        // Whether it may have begun before: nothing had shown that the service could be reached.
        bool maybe_longer = false;
    };

    // An exchange that reached the service and failed.
    struct Failure {
        WallTime at;
        std::string why;  // for people
    };

    // What was asked of the service: to begin a sale, or anything else.
    enum class Asked { request, anything_else };

    // `service` is a literal: "provider". Both references must outlive the calls.
    Reachability(std::string_view service, const Clock& clock, Log& log);

    // Nothing could be sent to it: one such failure is an outage, which begins with it.
    void unreachable(std::string_view why);
    // The same, of what was asked with new credentials, while what those of before got may go on.
    void useless_to_new_credentials(std::string_view why);
    // It was reached, and let the whole time of an exchange pass without a word: one such failure is an outage too.
    void silent(std::string_view why, Asked asked);
    // It was reached, and did not do what it is there for. One such failure may be that request's; several in a row are
    // an outage.
    void useless(std::string_view why, Asked asked);
    // It was reached, and what had failed before failed again, which may be that one sale's: it is part of no outage.
    void failed_again(std::string_view why);
    // It gave an answer that makes sense.
    void answered(Asked asked = Asked::request);
    // It answered that it does not know what was asked for (404), which a wrong address does as well.
    void knows_nothing();
    // A connection to it came about.
    void connected();
    // A sale was not made. Counts where there is an outage, and once one begins with failures before it.
    void sale_refused();
    // It will be asked with other credentials: what it says to these is not known. An outage goes on.
    void ask_anew();

    std::string_view service() const noexcept { return service_; }
    const std::optional<Outage>& outage() const noexcept { return outage_; }
    // The last exchange that reached it, where that one failed; nothing where it was answered, or there was none.
    std::optional<Failure> last_failure() const;
    // Whether a connection or an exchange showed that it can be reached, and nothing has shown the opposite since.
    bool reached() const noexcept { return reached_ && !outage_; }
    // Whether there is an outage although it can be reached and answers.
    bool answers() const noexcept { return outage_ && !rows_[no_connection].open && !rows_[silence].open; }
    // Whether it was asked anything since the start, or since ask_anew(). A connection alone asks nothing.
    bool asked() const noexcept { return asked_ || outage_; }
    // Since when it can be reached, or cannot; where neither is known, since when nothing is.
    WallTime since() const { return (outage_ ? outage_->since : since_).wall(); }
    // Whether something was learned of it in the last `age`.
    bool has_news(Duration age) const { return last_news_ && clock_.now() - *last_news_ < age; }

  private:
    enum Trouble : std::size_t { no_connection, silence, exchanges, requests, troubles };
    struct Row {
        std::uint64_t failures = 0;  // in a row
        std::optional<RunMoment> first_failed{};
        std::uint64_t refused = 0;  // sales that were not made since, before there was an outage
        bool open = false;          // it is a reason of the outage
    };
    // A trouble that a failure is part of, and how many such failures in a row begin an outage.
    struct Part {
        Trouble trouble;
        std::uint64_t enough;
    };

    void failed(std::string_view why, std::initializer_list<Part> parts, bool of_new_credentials = false);
    void failed_as_part(const Part& part);
    void note_failure(std::string_view why);
    void note_reached();
    void begin();
    void ended(std::initializer_list<Trouble> some);
    void over();
    bool any_open() const;
    Sentence begin_sentence() const;
    Sentence goes_on_sentence() const;
    Sentence over_sentence() const;

    const std::string_view service_;
    const Clock& clock_;
    Log& log_;
    RunMoment since_;
    bool reached_ = false;
    bool asked_ = false;
    std::optional<Instant> last_news_;
    std::optional<Outage> outage_;
    std::optional<Instant> failure_at_;  // of the last exchange
    std::string failure_why_;
    std::array<Row, troubles> rows_{};
    std::uint64_t failures_ = 0;  // of the outage
    Instant last_failed_{};
    Instant told_{};
    std::string told_why_;
};

}  // namespace gateway
