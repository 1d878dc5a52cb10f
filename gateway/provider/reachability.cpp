#include "http/client/outage.hpp"

namespace gateway::http {
namespace {

// Often enough for an operator who looks at the end of the log, seldom enough for a night without the provider.
constexpr Duration pause_between_lines{60'000};
// The same where it is another reason now: what was mended has shown the next fault. Two that take turns are not news.
constexpr Duration pause_between_reasons{5'000};

}  // namespace

void Outage::failed(std::string_view why, Instant now) {
    if (++failures_ == 1) began_ = now;
    reason_ = why;
    const auto pause = why == why_ ? pause_between_lines : pause_between_reasons;
    if (failures_ > 1 && now < told_ + pause) return;
    told_ = now;
    why_ = why;
    log_.warn("transport.unreachable", {{"service", what_}, {"why", why}, {"failures", failures_}});
}

void Outage::over(Instant now) {
    if (failures_ == 0) return;
    const auto lasted = std::chrono::duration_cast<std::chrono::seconds>(now - began_).count();
    log_.info("transport.reachable", {{"service", what_}, {"failures", failures_}, {"afterSeconds", lasted}});
    failures_ = 0;
    reason_.clear();
}

}  // namespace gateway::http
