#include "sandbox/books.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway::sandbox {
namespace {

// So many departures are enough to see what a client does wrong; the count goes on beyond them.
constexpr std::size_t most_departures = 1000;

// This limit keeps a client that repeats for days from filling the memory with one sale.
constexpr std::size_t most_history = 200;
// We look at so many entries for one at rest before we forget an open one. This bounds the cost of one more sale.
constexpr std::size_t most_looks = 64;

bool at_rest(const Transaction& transaction) {
    return transaction.status == Status::none || is_final(transaction.status);
}

}  // namespace

std::size_t Metrics::index(Step step, std::optional<Family> family) {
    const auto row = family ? static_cast<std::size_t>(*family) : families.size();
    return row * steps.size() + static_cast<std::size_t>(step);
}

void Metrics::depart(Departure departure) {
    ++departures_;
    if (latest_.size() == most_departures) latest_.pop_front();
    latest_.push_back(std::move(departure));
}

bool Transaction::move_to(Status wanted, WallTime now) {
    if (is_final(status)) return false;
    status = wanted;
    if (is_final(wanted)) finished = now;
    return true;
}

void Transaction::note(Seen seen) {
    if (history.size() < most_history) {
        history.push_back(std::move(seen));
    } else {
        ++history_left_out;
    }
}

Transaction& Books::entry(const std::string& idExterno, WallTime now) {
    auto* known = find(idExterno);
    return known != nullptr ? *known : add(idExterno, now);
}

Transaction& Books::add(const std::string& idExterno, WallTime now) {
    if (entries_.size() >= keep_) make_room();
    auto& made = entries_.emplace_back();
    made.idExterno = idExterno;
    made.first_seen = now;
    by_external_.insert_or_assign(idExterno, &made);
    return made;
}

void Books::make_room() {
    CHECK(!entries_.empty());
    const auto looks = std::min(entries_.size(), most_looks);
    const auto end_of_looks = std::next(entries_.begin(), static_cast<std::ptrdiff_t>(looks));
    auto victim = std::find_if(entries_.begin(), end_of_looks, &at_rest);
    if (victim == end_of_looks) victim = entries_.begin();
    if (!victim->idTransacao.empty()) by_id_.erase(victim->idTransacao);
    if (find(victim->idExterno) == &*victim) by_external_.erase(victim->idExterno);
    entries_.erase(victim);
    ++forgotten_;
}

void Books::index(const Transaction& transaction) {
    auto* entry = find(transaction.idExterno);
    CHECK(entry == &transaction && by_id_.emplace(transaction.idTransacao, entry).second);
}

void Books::clear() {
    by_id_.clear();
    by_external_.clear();
    entries_.clear();
}

}  // namespace gateway::sandbox
