#include "journal/list_query.hpp"

#include "base/json_text.hpp"
#include "journal/encrypted_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

// Names the index that leaves the fewest rows to look at. The query names it explicitly, because the planner sees that
// a filter implies a partial index's condition only where the condition is written out, and would otherwise scan the
// finished sales.
struct Narrowing {
    const char* index;
    const char* condition;  // the index's condition, literally; empty: it has none
};

constexpr const char* needs_a_person = "attention <> 'none'";
constexpr const char* needs_no_person = "attention = 'none'";

constexpr Narrowing by_id{"sales_by_id", ""};
constexpr Narrowing by_key{"sales_by_key", ""};
constexpr Narrowing by_estabelecimento{"sales_by_estabelecimento", ""};
constexpr Narrowing by_attention{"sales_attention", needs_a_person};
constexpr Narrowing by_openness{"sales_open", "settled = 0"};
constexpr Narrowing by_no_sale{"sales_not_sold", "status IN ('CANCELADA', 'NEGADA')"};

const Narrowing& narrowing(const SaleFilter& filter) {
    if (filter.id_externo) return by_id;
    if (filter.key) return by_key;
    if (filter.attention.value_or(false)) return by_attention;
    if (filter.status) {
        switch (*filter.status) {
            case Status::PENDENTE:
            case Status::AUTORIZADA: return by_openness;
            case Status::CANCELADA:
            case Status::NEGADA: return by_no_sale;
            case Status::EFETIVADA: break;
        }
    }
    return filter.estabelecimento ? by_estabelecimento : by_id;
}

// Returns for example "family IN ('tv', 'egift')". The names are constants of the program, so they need no parameters.
std::string one_of(const std::vector<Family>& families) {
    if (families.empty()) return "FALSE";
    std::vector<std::string> words;
    words.reserve(families.size());
    for (const auto family : families)
        words.push_back(fmt::format("'{}'", to_string(family)));
    return fmt::format("family IN ({})", fmt::join(words, ", "));
}

}  // namespace

// Conditions that the index serves narrow the rows that are looked at, and cost nothing. All others are evaluated for
// each of these rows instead, so that a page ends even where no row belongs to the list.
ListQuery list_query(const SaleFilter& filter) {
    constexpr std::string_view everything = "TRUE";
    const auto& narrow = narrowing(filter);
    ListQuery query;
    std::string narrowed(everything);
    std::string listed(everything);
    const auto served_by = [&](const Narrowing& index) -> std::string& {
        return &narrow == &index ? narrowed : listed;
    };
    const auto add = [](std::string& terms, std::string_view term) { terms.append(" AND ").append(term); };
    const auto bound = [&](std::string value) {
        query.parameters.push_back(std::move(value));
        return fmt::format("?{}", query.parameters.size());
    };
    if (*narrow.condition != '\0') add(narrowed, narrow.condition);
    if (filter.attention) add(listed, *filter.attention ? needs_a_person : needs_no_person);
    if (filter.estabelecimento)
        add(served_by(by_estabelecimento), "estabelecimento = " + bound(*filter.estabelecimento));
    if (filter.terminal) add(served_by(by_key), "terminal = " + bound(*filter.terminal));
    if (filter.among) {
        const auto terminal = bound(filter.among->or_terminal);
        add(listed, fmt::format("({} OR terminal = {})", one_of(filter.among->families), terminal));
    }
    if (filter.key) add(served_by(by_key), "key = " + bound(*filter.key));
    if (filter.id_externo)
        add(narrowed,
            fmt::format("id = (SELECT sale FROM id_externos WHERE id_externo = {})", bound(*filter.id_externo)));
    if (filter.id_transacao) {
        const auto member = bound(member_of_attempt("idTransacao", *filter.id_transacao));
        add(listed, fmt::format("strpos(attempts, {}) > 0", member));
    }
    if (filter.family) add(listed, "family = " + bound(std::string(to_string(*filter.family))));
    if (filter.cashier) add(listed, "cashier IS NOT NULL");
    if (filter.valor)
        add(listed, fmt::format("valor = CAST({} AS BIGINT)", bound(std::to_string(filter.valor->value))));
    if (filter.status) add(served_by(by_no_sale), "status = " + bound(std::string(to_string(*filter.status))));
    // An id begins with the time of creation. Where an idExterno determines the id, the planner must not choose the
    // range.
    auto& range = filter.id_externo ? listed : narrowed;
    if (filter.from) add(range, "id >= " + bound(Ulid::first_at(*filter.from).str()));
    if (filter.to) add(range, "id < " + bound(Ulid::first_at(*filter.to).str()));
    if (filter.after) add(range, "id < " + bound(filter.after->str()));
    // Where the index serves everything, the page shows every row that it looks at.
    const auto most = listed == everything ? std::min(filter.limit, rows_per_page) : rows_per_page;
    query.sql = fmt::format(
        "SELECT n, id, CASE WHEN {} THEN 1 ELSE 0 END, cashier FROM sales INDEXED BY {} WHERE {} ORDER BY id DESC"
        " LIMIT {}",
        listed, narrow.index, narrowed, most + 1);
    return query;
}

bool ListPageMaker::take(const Row& row) {
    const bool shown = row.integer(2) != 0 &&
                       (!filter_.cashier || fields_.text(row, 3, encrypted::cashier, row.text(1)) == *filter_.cashier);
    if (looked_at_ == rows_per_page || (shown && page_.sales.size() >= filter_.limit)) {
        // Where the last row's id cannot be read, the next page begins after an earlier row, and meets that row again.
        page_.next = last_;
        return false;
    }
    ++looked_at_;
    if (const auto id = SaleId::parse(row.text(1))) last_ = id;
    if (shown) page_.sales.push_back({row.integer(0), std::string(row.text(1))});
    return true;
}

std::string member_of_attempt(std::string_view name, std::string_view value) {
    auto member = fmt::format("\"{}\":", name);
    append_json_string(member, value);
    return member;
}

}  // namespace gateway
