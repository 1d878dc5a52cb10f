// What changed since a page read it last, found out by comparing numbers that the gateway counts anyway. They are
// looked at only while a page asks, so that a console that nobody looks at costs nothing, and no sale ever waits for
// one.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

enum class Topic { sales, attention, closes, findings, health };
inline constexpr std::array all_topics{Topic::sales, Topic::attention, Topic::closes, Topic::findings, Topic::health};
std::string_view to_string(Topic topic) noexcept;

// Holds a number for each topic, which is another one once anything of the topic has changed.
using Versions = std::array<std::uint64_t, all_topics.size()>;

class Changes {
  public:
    using Look = std::function<Versions()>;
    // How long a change may go unseen.
    static constexpr Duration pace{500};

    // `run` names this run of the gateway, in letters and digits: what was counted in another one means nothing here.
    Changes(std::string run, Look look, Clock& clock) : run_(std::move(run)), look_(std::move(look)), clock_(clock) {}

    // Looks what is different now, where nobody has looked for a pace.
    void look();
    // How many changes there were.
    std::uint64_t count() const noexcept { return count_; }
    // What has changed since there were that many.
    std::vector<Topic> since(std::uint64_t count) const;

    // Names this moment: "<run>-<count>".
    std::string id() const;
    // Whether it is one of ours: what has changed since then, and else every topic.
    std::vector<Topic> since(std::string_view id) const;

  private:
    const std::string run_;
    const Look look_;
    Clock& clock_;
    std::optional<Versions> versions_;
    Instant looked_{};
    std::uint64_t count_ = 0;
    std::array<std::uint64_t, all_topics.size()> changed_{};  // which change was the last one of each topic
};

}  // namespace gateway
