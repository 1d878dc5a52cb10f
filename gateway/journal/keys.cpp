#include "journal/keys.hpp"

#include "journal/rows.hpp"

namespace gateway::keys {

Job<KeyState> find(Tx& tx, std::string_view terminal, std::string_view key) {
    const auto taken = co_await tx.ask(sql::key_of_sale, terminal, key);
    if (!taken.empty()) {
        const auto sale = co_await tx.readable_id(taken.front());
        co_return KeyState{.sale = sale};
    }
    const auto cancelled = co_await tx.ask(sql::cancelled_key, terminal, key);
    co_return KeyState{.cancelled = !cancelled.empty()};
}

Job<KeyState> cancel(Tx& tx, std::string_view terminal, std::string_view key) {
    auto state = co_await find(tx, terminal, key);
    if (state.sale || state.cancelled) co_return state;
    const auto cancelled = co_await tx.ask(sql::cancel_key, terminal, key, rows::milliseconds(tx.at.wall));
    if (cancelled.changed() > 0) co_return KeyState{.cancelled = true};
    // Another gateway has taken the key in the meantime.
    state = co_await find(tx, terminal, key);
    if (!state.sale && !state.cancelled) throw JobFailed(errc::sale_unreadable);
    co_return state;
}

Job<std::vector<std::optional<SaleId>>> owners(Tx& tx, const std::vector<std::string>& id_externos) {
    std::vector<Transaction::Asked> asked;
    asked.reserve(id_externos.size());
    for (const auto& id : id_externos)
        asked.push_back(tx.ask(sql::owner_of_attempt, id));
    std::vector<std::optional<SaleId>> owners;
    owners.reserve(id_externos.size());
    for (auto& one : asked) {
        const auto owner = co_await one;
        owners.push_back(owner.empty() ? std::nullopt : SaleId::parse(owner.front().text(0)));
    }
    co_return owners;
}

Job<std::vector<std::string>> prefixes(Tx& tx) {
    const auto found = co_await tx.ask(sql::id_prefixes);
    std::vector<std::string> prefixes;
    for (const auto& row : found)
        prefixes.emplace_back(row.text(0));
    co_return prefixes;
}

Job<void> note_prefix(Transaction& tx, std::string_view prefix, WallTime at) {
    if (prefix.empty()) co_return;
    const auto known = co_await tx.ask(sql::knows_prefix, prefix);
    if (known.empty()) tx.run(sql::note_prefix, prefix, rows::milliseconds(at));
}

}  // namespace gateway::keys
