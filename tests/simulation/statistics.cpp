#include "simulation/statistics.hpp"

namespace gateway::simulation {
namespace {

template <std::size_t N>
void add_all(std::array<std::uint64_t, N>& to, const std::array<std::uint64_t, N>& from) {
    for (std::size_t i = 0; i < N; ++i)
        to.at(i) += from.at(i);
}

}  // namespace

std::string_view to_string(Event event) noexcept {
    constexpr std::array<std::string_view, event_count> words{"runs",
                                                              "sales",
                                                              "requests",
                                                              "terminal calls",
                                                              "told sold",
                                                              "told not_sold",
                                                              "told held",
                                                              "told pending",
                                                              "told unreadable",
                                                              "crashes between handlers",
                                                              "crashes between writes",
                                                              "orderly stops",
                                                              "crashes of the process alone",
                                                              "torn crashes",
                                                              "failed starts",
                                                              "disk failures",
                                                              "visits of other programs",
                                                              "visits that failed",
                                                              "copies of the journal",
                                                              "copies put in its place",
                                                              "second gateways",
                                                              "clock jumps",
                                                              "troubles of a gateway",
                                                              "faults of the shared journal",
                                                              "outages",
                                                              "callbacks",
                                                              "callback faults",
                                                              "terminal faults",
                                                              "sales marked for a person",
                                                              "values damaged",
                                                              "values put right",
                                                              "statements that settled",
                                                              "that had it repeated",
                                                              "that contradicted",
                                                              "closes",
                                                              "closes asked for again",
                                                              "statements read",
                                                              "statements refused",
                                                              "findings",
                                                              "handlers",
                                                              "disk writes"};
    return words.at(static_cast<std::size_t>(event));
}

std::string_view to_string(ImageKind kind) noexcept {
    constexpr std::array<std::string_view, image_kind_count> words{
        "power cut", "killed, started, told, then cut", "a flush failed, then cut", "blocks of 16,384: not promised"};
    return words.at(static_cast<std::size_t>(kind));
}

void Statistics::add(const Statistics& other) {
    add_all(events, other.events);
    add_all(faults, other.faults);
    add_all(talks, other.talks);
    add_all(words, other.words);
    add_all(left, other.left);
    add_all(images, other.images);
    add_all(broken, other.broken);
}

}  // namespace gateway::simulation
