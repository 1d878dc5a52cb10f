#include "api/config_in_force.hpp"

#include "base/wall_time.hpp"

#include <fmt/format.h>

namespace gateway {

void ConfigInForce::take(std::vector<ConfigProblem> warnings, std::vector<std::string_view> waiting) {
    warnings_ = std::move(warnings);
    waiting_ = waiting.empty() ? std::nullopt : std::optional(Waiting{RunMoment(clock_), std::move(waiting)});
}

void ConfigInForce::end_reload(std::string failure) {
    const RunMoment now(clock_);
    if (failure.empty()) reloaded_at_ = now;
    failure_ = failure.empty() ? std::nullopt : std::optional(Failure{now, std::move(failure)});
}

void ConfigInForce::expose(Exposition& out) const {
    out.metric("gateway_config_reload_successful", "gauge",
               "Whether the configuration could be used when it was read last.");
    out.sample(failure_ ? 0 : 1);
    out.metric("gateway_config_reload_timestamp_seconds", "gauge",
               "When a configuration was read last that could be used, in seconds since 1970.");
    out.sample(reloaded_at());
}

std::vector<HostCheck::Concern> ConfigInForce::concerns() const {
    std::vector<HostCheck::Concern> found;
    if (failure_)
        found.push_back({.what = "reload",
                         .kind = "failed",
                         .since = failure_->at,
                         .sentence = fmt::format("the last reload, at {}, {}", to_local_text(failure_->at.wall()),
                                                 failure_->what)});
    if (waiting_)
        found.push_back(
            {.what = "restart",
             .kind = "awaited",
             .since = waiting_->read_at,
             .sentence = fmt::format("these settings were changed in the file, which was read at {}, and "
                                     "wait for a restart: {}",
                                     to_local_text(waiting_->read_at.wall()), fmt::join(waiting_->keys, ", "))});
    return found;
}

}  // namespace gateway
