#include "journal/id_query.hpp"

namespace gateway {

IdQuery::IdQuery(sqlite::Database& d)
    : owner_(d, "SELECT sale FROM id_externos WHERE id_externo = ?"),
      // A journal that had sales before its first prefix has ids without one. That none is used any more is not kept:
      // without a prefix nobody asks whose one is.
      prefixes_(d,
                "SELECT prefix FROM id_prefixes UNION ALL SELECT '' WHERE NOT EXISTS (SELECT 1 FROM id_prefixes) OR"
                " (SELECT created_at FROM sales ORDER BY n LIMIT 1) < (SELECT min(used_at) FROM id_prefixes)") {}

Result<std::vector<std::optional<SaleId>>> IdQuery::owners(const std::vector<std::string>& id_externos) {
    std::vector<std::optional<SaleId>> owners;
    owners.reserve(id_externos.size());
    for (const auto& id : id_externos) {
        owner_.bind_all(id);
        const auto row = owner_.step();
        if (row.has_error()) return row.error();
        owners.push_back(*row ? SaleId::parse(owner_.text(0)) : std::nullopt);
    }
    owner_.reset();
    return owners;
}

Result<std::vector<std::string>> IdQuery::prefixes() {
    std::vector<std::string> prefixes;
    prefixes_.bind_all();
    while (true) {
        const auto row = prefixes_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        prefixes.emplace_back(prefixes_.text(0));
    }
    prefixes_.reset();
    return prefixes;
}

}  // namespace gateway
