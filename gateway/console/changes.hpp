// Tells a page what has changed since it was last read, by comparing numbers that the gateway counts anyway. They are
// compared only while a page asks. So a console that nobody looks at costs nothing, and no sale ever waits for one.
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

// Has one number for each topic, which becomes another one when anything of the topic changes.
using Versions = std::array<std::uint64_t, all_topics.size()>;

class Changes {
  public:
    using Look = std::function<Versions()>;
    // A change may go unseen for this long.
    static constexpr Duration pace{500};

    // `run` names this run of the gateway, in letters and digits. What was counted in another run means nothing here.
    Changes(std::string run, Look look, Clock& clock) : run_(std::move(run)), look_(std::move(look)), clock_(clock) {}

    // Compares the numbers now, unless that was done less than a `pace` ago.
    void look();
    // Returns how many changes there have been.
    std::uint64_t count() const noexcept { return count_; }
    // Returns the topics that have changed since there were `count` changes.
    std::vector<Topic> since(std::uint64_t count) const;

    // Returns a name for this moment: "<run>-<count>".
    std::string id() const;
    // Returns what has changed since the moment with this name; every topic, where the name is not of this run.
    std::vector<Topic> since(std::string_view id) const;

  private:
    const std::string run_;
    const Look look_;
    Clock& clock_;
    std::optional<Versions> versions_;
    Instant looked_{};
    std::uint64_t count_ = 0;
    std::array<std::uint64_t, all_topics.size()> changed_{};  // the number of the latest change of each topic
};

}  // namespace gateway
