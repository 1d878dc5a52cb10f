#include "console/versions.hpp"

namespace gateway {
namespace {

// Adds a number to a sum in such a way that the order of the numbers counts.
void add(std::uint64_t& sum, std::uint64_t number) {
    sum = sum * 1'000'003 + number;
}
void add(std::uint64_t& sum, WallTime at) {
    add(sum, static_cast<std::uint64_t>(at.time_since_epoch().count()));
}

std::uint64_t attention_version(const VersionedParts& parts) {
    std::uint64_t sum = parts.attention.size();
    for (const auto raised : parts.metrics.attention_raised)
        add(sum, raised);
    return sum;
}

std::uint64_t closes_version(const VersionedParts& parts) {
    std::uint64_t sum = 0;
    for (const auto& [estabelecimento, at] : parts.books.last_made())
        add(sum, at);
    return sum;
}

std::uint64_t findings_version(const VersionedParts& parts) {
    std::uint64_t sum = 0;
    if (const auto& read = parts.reconciler.last_read()) add(sum, *read);
    for (const auto& [kind, open] : parts.reconciler.open_findings()) {
        add(sum, static_cast<std::uint64_t>(kind));
        add(sum, static_cast<std::uint64_t>(open));
    }
    return sum;
}

std::uint64_t health_version(const VersionedParts& parts) {
    std::uint64_t sum = parts.tokens.trouble() ? 1 : 0;
    for (const auto& hindrance : parts.health.hindrances())
        add(sum, static_cast<std::uint64_t>(hindrance.kind) + 1);  // plus 1, so that the first kind counts, too
    for (const auto& away : parts.health.away())
        add(sum, away.get().since());
    for (const auto& trouble : parts.health.certificates()) {
        add(sum, static_cast<std::uint64_t>(trouble.kind) + 1);
        add(sum, trouble.validity.ends_at);
    }
    for (const auto& concern : parts.health.concerns())
        add(sum, concern.since.wall());
    return sum;
}

}  // namespace

Versions versions(const VersionedParts& parts) {
    return {parts.journal.stats().steps, attention_version(parts), closes_version(parts), findings_version(parts),
            health_version(parts)};
}

}  // namespace gateway
