#include "journal/list_query.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

// The index that leaves the fewest rows to look at. Named in the query, because the planner does not see that a filter
// implies a partial index's condition unless the condition is written out, and would scan the finished sales.
struct Narrowing {
    const char* index;      // empty: the primary key
    const char* condition;  // the index's own, literally
};

constexpr const char* needs_a_person = "attention <> 'none'";
constexpr const char* needs_nobody = "attention = 'none'";

Narrowing narrowing(const SaleFilter& filter) {
    if (filter.id_externo) return {"", ""};
    if (filter.key) return {"", ""};
    if (filter.attention.value_or(false)) return {"sales_attention", needs_a_person};
    if (filter.status) {
        switch (*filter.status) {
            case Status::PENDENTE:
            case Status::AUTORIZADA: return {"sales_open", "settled = 0"};
            case Status::CANCELADA:
            case Status::NEGADA: return {"sales_not_sold", "status IN ('CANCELADA', 'NEGADA')"};
            case Status::EFETIVADA: break;
        }
    }
    return {filter.estabelecimento ? "sales_by_estabelecimento" : "", ""};
}

// "(family IN ('tv', 'egift')": the words are the program's own.
std::string one_of(const std::vector<Family>& families) {
    std::vector<std::string> words;
    words.reserve(families.size());
    for (const auto family : families)
        words.push_back(fmt::format("'{}'", word(family)));
    return fmt::format("(family IN ({})", fmt::join(words, ", "));
}

}  // namespace

ListQuery list_query(const SaleFilter& filter) {
    ListQuery query;
    const auto [index, condition] = narrowing(filter);
    query.sql = "SELECT id FROM sales";
    if (*index != '\0') query.sql += fmt::format(" INDEXED BY {}", index);
    query.sql += " WHERE 1";
    if (*condition != '\0') query.sql += fmt::format(" AND {}", condition);
    if (filter.attention) query.sql += fmt::format(" AND {}", *filter.attention ? needs_a_person : needs_nobody);
    const auto where = [&](const char* term, std::string value) {
        query.sql += fmt::format(" AND {}", term);
        query.parameters.push_back(std::move(value));
    };
    if (filter.estabelecimento) where("estabelecimento = ?", *filter.estabelecimento);
    if (filter.terminal) where("terminal = ?", *filter.terminal);
    if (filter.among) where((one_of(filter.among->families) + " OR terminal = ?)").c_str(), filter.among->or_terminal);
    if (filter.key) where("key = ?", *filter.key);
    if (filter.id_externo) where("id = (SELECT sale FROM id_externos WHERE id_externo = ?)", *filter.id_externo);
    if (filter.status) where("status = ?", std::string(word(*filter.status)));
    // An id begins with the time of creation.
    if (filter.from) where("id >= ?", Ulid::first_at(*filter.from).str());
    if (filter.to) where("id < ?", Ulid::first_at(*filter.to).str());
    if (filter.after) where("id < ?", filter.after->str());
    query.sql += fmt::format(" ORDER BY id DESC LIMIT {}", filter.limit);
    return query;
}

}  // namespace gateway
