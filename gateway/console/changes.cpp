#include "console/changes.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

// Returns the count in "<run>-<count>"; nothing where the text is of another run, or has no count.
std::optional<std::uint64_t> count_in(std::string_view id, std::string_view run) {
    if (!id.starts_with(run) || id.substr(run.size(), 1) != "-") return std::nullopt;
    id.remove_prefix(run.size() + 1);
    return parse_number<std::uint64_t>(id);
}

}  // namespace

std::string_view to_string(Topic topic) noexcept {
    switch (topic) {
        case Topic::sales: return "sales";
        case Topic::attention: return "attention";
        case Topic::closes: return "closes";
        case Topic::findings: return "findings";
        case Topic::health: return "health";
    }
    return "";
}

void Changes::look() {
    const auto now = clock_.now();
    if (versions_ && now < looked_ + pace) return;
    looked_ = now;
    const auto versions = look_();
    const auto before = versions_.value_or(versions);
    if (versions != before) ++count_;
    for (std::size_t i = 0; i < versions.size(); ++i)
        if (versions.at(i) != before.at(i)) changed_.at(i) = count_;
    versions_ = versions;
}

std::vector<Topic> Changes::since(std::uint64_t count) const {
    std::vector<Topic> topics;
    for (const auto topic : all_topics)
        if (changed_.at(static_cast<std::size_t>(topic)) > count) topics.push_back(topic);
    return topics;
}

std::string Changes::id() const {
    return fmt::format("{}-{}", run_, count_);
}

std::vector<Topic> Changes::since(std::string_view id) const {
    const auto count = count_in(id, run_);
    if (!count || *count > count_) return {all_topics.begin(), all_topics.end()};
    return since(*count);
}

}  // namespace gateway
