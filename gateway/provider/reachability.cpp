#include "provider/reachability.hpp"

namespace gateway {
namespace {

// Often enough for an operator who looks at the end of the log, seldom enough for a night without the provider.
constexpr Duration pause_between_lines{60'000};
// The same where it is another reason now: what was mended has shown the next fault. Two that take turns are not news.
constexpr Duration pause_between_reasons{5'000};
// A single request may be lost, or too much for the provider; so many one after the other are not chance.
constexpr std::uint64_t useless_max = 3;
// After so long without a failure, tills may be sent to try again.
constexpr Duration forgiven_after{60'000};

}  // namespace

Reachability::Reachability(std::string_view service, const Clock& clock, Log& log)
    : service_(service), clock_(clock), log_(log), reached_since_(clock.wall()) {}

void Reachability::unreachable(std::string_view why) {
    could_connect_ = false;
    if (!outage_) failures_ = 0;
    failed(why, true);
}

void Reachability::silent(std::string_view why) {
    could_connect_ = true;
    if (!outage_) failures_ = 0;
    failed(why, true);
}

void Reachability::useless(std::string_view why) {
    could_connect_ = true;
    failed(why, outage_ || failures_ + 1 >= useless_max);
}

void Reachability::failed(std::string_view why, bool outage) {
    const auto now = clock_.now();
    last_news_ = now;
    if (failures_++ == 0) {
        first_failed_ = now;
        first_failed_wall_ = clock_.wall();
    }
    if (!outage) return;
    const bool begins = !outage_;
    if (begins) outage_.emplace(Outage{.since = first_failed_wall_, .last_error = {}});
    outage_->last_error = why;
    const auto pause = why == told_why_ ? pause_between_lines : pause_between_reasons;
    if (!begins && now < told_ + pause) return;
    told_ = now;
    told_why_ = why;
    log_.warn(begins ? "outage.begun" : "outage.goes_on", begins ? begin_sentence() : goes_on_sentence(),
              {{"service", service_}, {"detail", why}, {"failures", failures_}, {"refused", outage_->refused}});
}

void Reachability::answered() {
    last_news_ = clock_.now();
    if (outage_) over();
    failures_ = 0;
}

void Reachability::connected() {
    const auto now = clock_.now();
    const bool forgiven = !could_connect_ || (last_news_ && now - *last_news_ >= forgiven_after);
    if (outage_ && !forgiven) return;
    last_news_ = now;
    if (!outage_) return;
    over();
    failures_ = 0;
}

void Reachability::over() {
    const auto lasted = std::chrono::duration_cast<Duration>(clock_.now() - first_failed_);
    // As loud as its beginning: the operator who reads warnings alone waits for it.
    log_.warn("outage.over", over_sentence(),
              {{"service", service_}, {"failures", failures_}, {"refused", outage_->refused}, {"durationMs", lasted}});
    outage_.reset();
    reached_since_ = clock_.wall();
}

Sentence Reachability::begin_sentence() const {
    if (service_ == "token_service") return "the token service gives no token: {detail}";
    return "the provider cannot be used: {detail}";
}

Sentence Reachability::goes_on_sentence() const {
    const auto trouble = service_ == "token_service" ? Sentence("the token service still gives no token")
                                                     : Sentence("the provider still cannot be used");
    return trouble + ": {detail} (failed exchanges: {failures}[, sales not sold: {refused}])";
}

Sentence Reachability::over_sentence() const {
    const auto end = service_ == "token_service" ? Sentence("the token service gives tokens again")
                                                 : Sentence("the provider can be used again");
    return end + " after {durationMs} (failed exchanges: {failures}[, sales not sold: {refused}])";
}

void Reachability::sale_refused() {
    if (outage_) ++outage_->refused;
}

}  // namespace gateway
