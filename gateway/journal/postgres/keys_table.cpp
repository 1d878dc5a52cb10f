#include "journal/postgres/keys_table.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement cancel_key{"cancel_key", "SELECT cancel_key($1, $2, $3)"};
constexpr Statement find_key{"find_key", "SELECT sale FROM keys WHERE key = $2 AND terminal = $1"};
constexpr Statement owners_of{"owners",
                              "SELECT sale FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place)"
                              " LEFT JOIN id_externos ON id_externo = asked.id ORDER BY place"};
// A journal that had sales before its first prefix has ids without one. That none is used any more is not kept: without
// a prefix nobody asks whose one is.
constexpr Statement known_prefixes{
    "id_prefixes",
    "SELECT prefix FROM id_prefixes UNION ALL SELECT '' WHERE NOT EXISTS (SELECT 1 FROM id_prefixes) OR"
    " (SELECT created_at FROM sales ORDER BY n LIMIT 1) < (SELECT min(used_at) FROM id_prefixes)"};

// The sale that has the key, from a row of its id; nothing: it is cancelled.
Result<KeyState> state_of(const Row& row) {
    if (row.is_null(0)) return KeyState{.cancelled = true};
    const auto id = SaleId::parse(row.text(0));
    if (!id) return errc::sale_unreadable;
    return KeyState{.sale = *id};
}

}  // namespace

Awaited<KeyState> KeysTable::cancel(const std::string& terminal, const std::string& key) {
    Parameters parameters;
    parameters.add(terminal).add(key).add(rows::milliseconds(storage_.clock.wall()));
    const auto cancelled = co_await storage_.writer.write(cancel_key, std::move(parameters), key);
    if (cancelled.has_error()) co_return cancelled.error();
    co_return state_of((*cancelled)[0]);
}

Awaited<KeyState> KeysTable::find(const std::string& terminal, const std::string& key) {
    Parameters parameters;
    parameters.add(terminal).add(key);
    const auto found = co_await storage_.writer.read(find_key, std::move(parameters));
    if (found.has_error()) co_return found.error();
    if (found->empty()) co_return KeyState{};
    co_return state_of((*found)[0]);
}

Awaited<std::vector<std::optional<SaleId>>> KeysTable::owners(const std::vector<std::string>& id_externos) {
    Parameters parameters;
    parameters.add(id_externos);
    const auto found = co_await storage_.reader.read(owners_of, std::move(parameters));
    if (found.has_error()) co_return found.error();
    std::vector<std::optional<SaleId>> owners;
    for (std::size_t i = 0; i < found->size(); ++i)
        owners.push_back(SaleId::parse((*found)[i].text(0)));
    co_return owners;
}

Awaited<std::vector<std::string>> KeysTable::prefixes() {
    const auto found = co_await storage_.reader.read(known_prefixes, Parameters());
    if (found.has_error()) co_return found.error();
    std::vector<std::string> prefixes;
    for (std::size_t i = 0; i < found->size(); ++i)
        prefixes.emplace_back((*found)[i].text(0));
    co_return prefixes;
}

}  // namespace gateway::postgres
