// Counts what the runs have dealt and met. These are plain numbers, so that several processes can share their memory.
#pragma once

#include "sale/sale.hpp"
#include "simulation/faults.hpp"

#include <array>
#include <cstdint>
#include <numeric>

namespace gateway::simulation {

enum class Event {
    run,
    sale,
    request,  // to the provider
    call,     // of a terminal
    told_sold,
    told_not_sold,
    told_held,
    told_pending,
    told_unreadable,
    crash_at_handler,
    crash_at_write,
    stop,    // in order
    killed,  // crashes of the process alone
    torn,    // crashes after which parts of unflushed writes were there
    boot_failed,
    disk_fault,
    visit,  // of another program
    visit_failed,
    copy,      // of the journal, by another program
    put_back,  // older copies in the journal's place
    second_gateway,
    clock_jump,
    trouble,        // of one of several gateways
    journal_fault,  // between a gateway and the journal that it shares
    outage,
    callback,
    callback_fault,
    terminal_fault,  // it vanished, or an answer did not reach it
    marked,          // a sale came to need a person
    damage,          // of a value in the journal
    put_right,
    stated_settled,  // what became of a statement's words
    stated_repeated,
    stated_contradiction,
    close,
    close_again,
    statement,
    statement_refused,
    finding,
    handler,
    disk_change,
};
// This is the failure that left an image of the disk (see disks.hpp).
enum class ImageKind { cut, killed_before, flush_failed, unpromised };
inline constexpr std::size_t image_kind_count = static_cast<std::size_t>(ImageKind::unpromised) + 1;
inline constexpr std::size_t attempt_state_count = static_cast<std::size_t>(AttemptState::throttled) + 1;
inline constexpr std::size_t event_count = static_cast<std::size_t>(Event::disk_change) + 1;

std::string_view to_string(Event event) noexcept;
std::string_view to_string(ImageKind kind) noexcept;

struct Statistics {
    std::array<std::uint64_t, event_count> events{};
    std::array<std::uint64_t, fault_count> faults{};
    std::array<std::uint64_t, talk_count> talks{};
    std::array<std::uint64_t, attempt_state_count> words{};  // of a statement, by the state that they met

    std::array<std::uint64_t, all_attentions.size()> left{};  // sales that have a mark at rest
    std::array<std::uint64_t, image_kind_count> images{};     // of the disk
    std::array<std::uint64_t, image_kind_count> broken{};     // images from which a promise was broken

    void count(Event event, std::uint64_t by = 1) { events.at(static_cast<std::size_t>(event)) += by; }
    void count(Fault fault) { ++faults.at(static_cast<std::size_t>(fault)); }
    void count(Talk talk) { ++talks.at(static_cast<std::size_t>(talk)); }
    void count_word(AttemptState state) { ++words.at(static_cast<std::size_t>(state)); }
    void count(ImageKind kind, bool is_broken) {
        ++images.at(static_cast<std::size_t>(kind));
        broken.at(static_cast<std::size_t>(kind)) += is_broken ? 1 : 0;
    }
    void count_left(Attention mark) { ++left.at(static_cast<std::size_t>(mark)); }
    std::uint64_t images_in_all() const { return std::accumulate(images.begin(), images.end(), std::uint64_t{0}); }
    std::uint64_t of(Event event) const { return events.at(static_cast<std::size_t>(event)); }
    void add(const Statistics& other);
};

}  // namespace gateway::simulation
