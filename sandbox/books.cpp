#include "sandbox/books.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway::sandbox {
namespace {

// A client that repeats for days must not fill the memory with one sale.
constexpr std::size_t most_history = 200;
// How far to look for an entry at rest before an open one is forgotten: bounds the cost of one more sale.
constexpr int most_looks = 64;

bool at_rest(const Transaction& transaction) {
    return transaction.status == Status::none || is_final(transaction.status);
}

}  // namespace

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
    const auto known = by_external_.find(idExterno);
    if (known != by_external_.end()) return *known->second;
    return add(idExterno, now);
}

Transaction& Books::add(const std::string& idExterno, WallTime now) {
    if (entries_.size() >= keep_) make_room();
    entries_.emplace_back();
    const auto made = std::prev(entries_.end());
    made->idExterno = idExterno;
    made->first_seen = now;
    by_external_.insert_or_assign(idExterno, made);
    return *made;
}

void Books::make_room() {
    CHECK(!entries_.empty());
    auto victim = entries_.begin();
    auto candidate = entries_.begin();
    for (int looks = 0; looks < most_looks && candidate != entries_.end(); ++looks, ++candidate)
        if (at_rest(*candidate)) {
            victim = candidate;
            break;
        }
    if (!victim->idTransacao.empty()) by_id_.erase(victim->idTransacao);
    const auto named = by_external_.find(victim->idExterno);
    if (named != by_external_.end() && named->second == victim) by_external_.erase(named);
    entries_.erase(victim);
    ++forgotten_;
}

Transaction* Books::find(const std::string& idExterno) {
    const auto found = by_external_.find(idExterno);
    return found == by_external_.end() ? nullptr : &*found->second;
}

const Transaction* Books::find(const std::string& idExterno) const {
    const auto found = by_external_.find(idExterno);
    return found == by_external_.end() ? nullptr : &*found->second;
}

Transaction* Books::find_by_id(const std::string& idTransacao) {
    const auto found = by_id_.find(idTransacao);
    return found == by_id_.end() ? nullptr : found->second;
}

const Transaction* Books::find_by_id(const std::string& idTransacao) const {
    const auto found = by_id_.find(idTransacao);
    return found == by_id_.end() ? nullptr : found->second;
}

void Books::index(const Transaction& transaction) {
    auto* entry = find(transaction.idExterno);
    CHECK(entry == &transaction);
    CHECK(by_id_.emplace(transaction.idTransacao, entry).second);
}

void Books::clear() {
    by_id_.clear();
    by_external_.clear();
    entries_.clear();
}

}  // namespace gateway::sandbox
