// Tells, for the log, the monitoring and the tills, whether a service of the provider can be reached and used, as the
// exchanges with it show. The log does not get every failure of every sale. It gets a line when an outage begins and
// why, from time to time that it goes on, soon that it has another reason, and that it is over.
//
// An outage ends when the trouble that began it ends. There are four troubles, and the outage lasts as long as any of
// them:
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
        std::string last_error;     // in words for people
        std::uint64_t refused = 0;  // the number of sales that were not made since the first failure of the outage
        // True if a sale may be tried, which will show whether the outage is over. That is so if only requests failed
        // and something else was answered since, or if there is a connection and nothing has failed for a minute. Tills
        // that are told of an outage sell nothing, so that nobody would find out otherwise.
        bool may_be_tried = false;
        // True if new credentials were used for what failed last; what the old ones brought may still work.
        bool of_new_credentials = false;
        // True if the outage may have begun before: nothing had shown that the service could be reached.
        bool maybe_longer = false;
    };

    // Describes an exchange that reached the service and failed.
    struct Failure {
        WallTime at;
        std::string why;  // in words for people
    };

    // Says what was asked of the service: to begin a sale, or anything else.
    enum class Asked { request, anything_else };

    // `service` is a literal, such as "provider". Both references must outlive the calls.
    Reachability(std::string_view service, const Clock& clock, Log& log);

    // Nothing could be sent to the service. One such failure begins an outage.
    void unreachable(std::string_view why);
    // Says the same of what was asked with new credentials, while what the old ones brought may still work.
    void useless_to_new_credentials(std::string_view why);
    // The service was reached, and gave no answer in the whole time of an exchange. One such failure begins an outage,
    // too.
    void silent(std::string_view why, Asked asked);
    // The service was reached, and did not do what it is for. One such failure may be due to that request; several in a
    // row begin an outage.
    void useless(std::string_view why, Asked asked);
    // The service was reached, and what had failed before failed again. That may be due to that one sale, so it is not
    // part of an outage.
    void failed_again(std::string_view why);
    // The service gave an answer that makes sense.
    void answered(Asked asked = Asked::request);
    // The service answered that it does not know what was asked for (404), which a wrong address answers as well.
    void knows_nothing();
    // A connection to the service was made.
    void connected();
    // A sale was not made. It is counted if there is an outage, and also if an outage begins later with failures before
    // this one.
    void sale_refused();
    // The service will be asked with other credentials, and it is not known what it says to these. An outage goes on.
    void ask_anew();

    std::string_view service() const noexcept { return service_; }
    const std::optional<Outage>& outage() const noexcept { return outage_; }
    // Returns the last exchange that reached the service, if it failed, and nothing if it was answered or there was
    // none.
    std::optional<Failure> last_failure() const;
    // Tells whether a connection or an exchange showed that the service can be reached, and nothing has shown the
    // opposite since.
    bool reached() const noexcept { return reached_ && !outage_; }
    // Tells whether there is an outage although the service can be reached and answers.
    bool answers() const noexcept { return outage_ && !rows_[no_connection].open && !rows_[silence].open; }
    // Tells whether the service was asked anything since the start, or since ask_anew(). A connection alone asks
    // nothing.
    bool asked() const noexcept { return asked_ || outage_; }
    // Returns the moment since which the service can be reached, or cannot. If neither is known, it is the moment since
    // which nothing is known.
    WallTime since() const { return (outage_ ? outage_->since : since_).wall(); }
    // Tells whether something was learned about the service in the last `age`.
    bool has_news(Duration age) const { return last_news_ && clock_.now() - *last_news_ < age; }

  private:
    enum Trouble : std::size_t { no_connection, silence, exchanges, requests, troubles };
    struct Row {
        std::uint64_t failures = 0;  // failures in a row
        std::optional<RunMoment> first_failed{};
        std::uint64_t refused = 0;  // sales that were not made since, before there was an outage
        bool open = false;          // it is a reason for the outage
    };
    // Says which trouble a failure is a part of, and how many such failures in a row begin an outage.
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
    std::optional<Instant> failure_at_;  // the moment when the last exchange failed
    std::string failure_why_;
    std::array<Row, troubles> rows_{};
    std::uint64_t failures_ = 0;  // the failures of the outage
    Instant last_failed_{};
    Instant told_{};
    std::string told_why_;
};

}  // namespace gateway
