// Counts what has happened, for the metrics. These are plain numbers; nothing here decides anything.
#pragma once

#include "base/clock.hpp"
#include "base/histogram.hpp"
#include "flow/recent_exchanges.hpp"
#include "sale/answer.hpp"
#include "sale/sale.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace gateway {

struct Metrics {
    static constexpr std::size_t family_count = all_families.size();
    static constexpr std::size_t status_count = 5;
    static constexpr std::size_t step_count = all_steps.size();
    static constexpr std::size_t known_count = 10;

    std::array<std::uint64_t, family_count> begun{};
    std::array<std::array<std::uint64_t, status_count>, family_count> final{};
    std::array<std::array<std::array<std::uint64_t, known_count>, step_count>, family_count> answers{};
    std::array<std::array<Histogram, step_count>, family_count> exchange_time{};
    std::array<Histogram, family_count> sale_time{};  // from the request to the final status
    RecentExchanges recent_exchanges;
    Histogram durable_time;  // from handing a step to the journal until the step is durable
    std::uint64_t journal_failures = 0;
    std::uint64_t attempts_again = 0;
    std::uint64_t replays = 0;
    std::array<std::uint64_t, all_attentions.size()> attention_raised{};
    std::optional<WallTime> newest_record;  // the newest time that this run has written to a sale
};

}  // namespace gateway
