#include "journal/keys_table.hpp"

#include "journal/rows.hpp"

namespace gateway {

KeysTable::KeysTable(sqlite::Database& d, UnreadableSales& unreadable)
    : unreadable_(unreadable),
      sale_(d, "SELECT id, n FROM sales WHERE terminal = ? AND key = ?"),
      cancelled_(d, "SELECT 1 FROM cancelled_keys WHERE terminal = ? AND key = ?"),
      any_cancelled_(d, "SELECT 1 FROM cancelled_keys LIMIT 1"),
      insert_(d, "INSERT INTO cancelled_keys VALUES (?,?,?) ON CONFLICT DO NOTHING") {}

Result<KeyState> KeysTable::find(std::string_view terminal, std::string_view key) {
    sale_.bind_all(terminal, key);
    const auto known = sale_.step();
    if (known.has_error()) return known.error();
    if (*known) {
        const auto id = unreadable_.readable_id(sale_);
        sale_.reset();
        if (id.has_error()) return id.error();
        return KeyState{.sale = *id};
    }
    const auto cancelled = is_cancelled(terminal, key);
    if (cancelled.has_error()) return cancelled.error();
    return KeyState{.cancelled = *cancelled};
}

Result<bool> KeysTable::is_cancelled(std::string_view terminal, std::string_view key) {
    if (!there_are_cancelled_) {
        const auto any = any_cancelled_.step();
        if (any.has_error()) return any;
        there_are_cancelled_ = *any;
        any_cancelled_.reset();
    }
    if (!*there_are_cancelled_) return false;
    cancelled_.bind_all(terminal, key);
    const auto cancelled = cancelled_.step();
    cancelled_.reset();
    return cancelled;
}

Result<KeyState> KeysTable::cancel(std::string_view terminal, std::string_view key, WallTime at) {
    auto state = find(terminal, key);
    if (state.has_error() || state->sale || state->cancelled) return state;
    there_are_cancelled_ = true;
    if (auto r = insert_.run(terminal, key, rows::milliseconds(at)); r.has_error()) return r.error();
    state->cancelled = true;
    return state;
}

}  // namespace gateway
