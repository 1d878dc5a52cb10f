#include "provider/reachability.hpp"

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

// This is often enough for an operator who looks at the end of the log, and seldom enough for a night without the
// provider.
constexpr Duration pause_between_lines{60'000};
// The pause is shorter if the reason is new: what was repaired may have shown the next fault. Two reasons that take
// turns are not news.
constexpr Duration pause_between_reasons{5'000};
// A single request may be lost, or be too much for the provider. So many failures in a row are not chance.
constexpr std::uint64_t useless_max = 3;
// After so long without a failure, tills may try again.
constexpr Duration forgiven_after{60'000};

}  // namespace

Reachability::Reachability(std::string_view service, const Clock& clock, Log& log)
    : service_(service), clock_(clock), log_(log), since_(clock) {}

void Reachability::unreachable(std::string_view why) {
    failed(why, {{no_connection, 1}});
}

void Reachability::useless_to_new_credentials(std::string_view why) {
    failed(why, {{no_connection, 1}}, true);
}

void Reachability::silent(std::string_view why, Asked asked) {
    note_failure(why);
    if (asked == Asked::request)
        failed(why, {{silence, 1}, {exchanges, useless_max}, {requests, useless_max}});
    else
        failed(why, {{silence, 1}, {exchanges, useless_max}});
}

void Reachability::useless(std::string_view why, Asked asked) {
    note_failure(why);
    if (asked == Asked::request)
        failed(why, {{exchanges, useless_max}, {requests, useless_max}});
    else
        failed(why, {{exchanges, useless_max}});
}

void Reachability::failed_again(std::string_view why) {
    note_failure(why);
    if (!any_open()) note_reached();
}

void Reachability::note_failure(std::string_view why) {
    asked_ = true;
    failure_at_ = clock_.now();
    failure_why_ = why;
}

void Reachability::note_reached() {
    if (!std::exchange(reached_, true)) since_ = RunMoment(clock_);
}

std::optional<Reachability::Failure> Reachability::last_failure() const {
    if (!failure_at_) return std::nullopt;
    const auto ago = std::chrono::duration_cast<Duration>(clock_.now() - *failure_at_);
    return Failure{.at = clock_.wall() - ago, .why = failure_why_};
}

void Reachability::failed(std::string_view why, std::initializer_list<Part> parts, bool of_new_credentials) {
    const auto now = clock_.now();
    last_news_ = now;
    last_failed_ = now;
    for (const auto& part : parts)
        failed_as_part(part);
    if (!any_open()) return note_reached();
    const bool begins = !outage_;
    if (begins)
        begin();
    else
        ++failures_;
    outage_->last_error = why;
    outage_->may_be_tried = false;
    outage_->of_new_credentials = of_new_credentials;
    const auto pause = why == told_why_ ? pause_between_lines : pause_between_reasons;
    if (!begins && now < told_ + pause) return;
    told_ = now;
    told_why_ = why;
    log_.warn(begins ? "outage.begun" : "outage.goes_on", begins ? begin_sentence() : goes_on_sentence(),
              {{"service", service_}, {"detail", why}, {"failures", failures_}, {"refused", outage_->refused}});
}

void Reachability::failed_as_part(const Part& part) {
    auto& row = rows_[part.trouble];
    if (row.failures++ == 0) row.first_failed = RunMoment(clock_);
    row.open = outage_ || row.failures >= part.enough;
}

// The outage begins with the first failure of the longest row.
void Reachability::begin() {
    const Row* longest = nullptr;
    for (const auto& row : rows_)
        if (row.open && (longest == nullptr || row.first_failed->is_before(*longest->first_failed))) longest = &row;
    failures_ = longest->failures;
    outage_.emplace(Outage{
        .since = *longest->first_failed, .last_error = {}, .refused = longest->refused, .maybe_longer = !reached_});
}

bool Reachability::any_open() const {
    return std::ranges::any_of(rows_, &Row::open);
}

void Reachability::answered(Asked asked) {
    asked_ = true;
    failure_at_.reset();
    if (asked == Asked::request) return ended({no_connection, silence, exchanges, requests});
    ended({no_connection, silence, exchanges});
    if (outage_) outage_->may_be_tried = true;
}

void Reachability::knows_nothing() {
    asked_ = true;
    failure_at_.reset();
    ended({no_connection, silence});
}

void Reachability::connected() {
    ended({no_connection});
    if (outage_ && clock_.now() - last_failed_ >= forgiven_after) outage_->may_be_tried = true;
}

void Reachability::ended(std::initializer_list<Trouble> some) {
    for (const auto trouble : some)
        rows_[trouble] = Row{};
    if (any_open()) return;
    last_news_ = clock_.now();
    if (outage_) return over();
    note_reached();
}

void Reachability::over() {
    // The line is as loud as the one about the beginning: an operator who reads only warnings waits for it.
    log_.warn("outage.over", over_sentence(),
              {{"service", service_},
               {"failures", failures_},
               {"refused", outage_->refused},
               {"durationMs", outage_->since.ago()}});
    outage_.reset();
    reached_ = true;
    since_ = RunMoment(clock_);
}

void Reachability::ask_anew() {
    asked_ = false;
    reached_ = false;
    failure_at_.reset();
    since_ = RunMoment(clock_);
}

Sentence Reachability::begin_sentence() const {
    if (outage_->of_new_credentials) return "the token service gives no token for the new app_secret: {detail}";
    if (service_ == "token_service") return "the token service gives no token: {detail}";
    return "the provider cannot be used: {detail}";
}

Sentence Reachability::goes_on_sentence() const {
    const auto trouble = outage_->of_new_credentials
                             ? Sentence("the token service still gives no token for the new app_secret")
                         : service_ == "token_service" ? Sentence("the token service still gives no token")
                                                       : Sentence("the provider still cannot be used");
    return trouble + ": {detail} (failed exchanges: {failures}[, sales not sold: {refused}])";
}

Sentence Reachability::over_sentence() const {
    const auto end = outage_->of_new_credentials   ? Sentence("the token service gives tokens for the app_secret again")
                     : service_ == "token_service" ? Sentence("the token service gives tokens again")
                                                   : Sentence("the provider can be used again");
    const auto after =
        outage_->maybe_longer ? Sentence(" after at least {durationMs}") : Sentence(" after {durationMs}");
    return end + after + " (failed exchanges: {failures}[, sales not sold: {refused}])";
}

void Reachability::sale_refused() {
    if (outage_) {
        ++outage_->refused;
        return;
    }
    for (auto& row : rows_)
        if (row.failures > 0) ++row.refused;
}

}  // namespace gateway
