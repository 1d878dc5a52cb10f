#include "journal/postgres/sale_list.hpp"

#include "journal/list_query.hpp"

#include <map>

namespace gateway::postgres {
namespace {

// What is asked of each row that is looked at, so that a page ends even where no row belongs to the list.
constexpr char listed[] =
    "SELECT n, id, (($3::boolean IS NULL OR (attention <> 'none') = $3)"
    " AND ($4::text IS NULL OR estabelecimento = $4) AND ($5::text IS NULL OR terminal = $5)"
    " AND ($6::text[] IS NULL OR family = ANY($6) OR terminal = $7::text) AND ($8::text IS NULL OR key = $8)"
    " AND ($9::text IS NULL OR strpos(attempts, $9) > 0) AND ($10::text IS NULL OR family = $10)"
    " AND (NOT $11::boolean OR cashier IS NOT NULL) AND ($12::bigint IS NULL OR valor = $12)"
    " AND ($13::text IS NULL OR status = $13)), cashier"
    " FROM sales WHERE id >= $1 AND id < $2 ";
constexpr char newest_first[] = " ORDER BY id DESC LIMIT 1001";
static_assert(rows_per_page == 1'000);

constexpr auto by_id_sql = sql(listed, newest_first);
constexpr auto by_id_externo_sql =
    sql(listed, "AND id = (SELECT sale FROM id_externos WHERE id_externo = $14)", newest_first);
constexpr auto by_key_sql = sql(listed, "AND id = ANY(ARRAY(SELECT sale FROM keys WHERE key = $14))", newest_first);
constexpr auto by_establishment_sql = sql(listed, "AND estabelecimento = $14", newest_first);
constexpr auto by_attention_sql = sql(listed, "AND attention <> 'none'", newest_first);
constexpr auto by_openness_sql = sql(listed, "AND settled = 0", newest_first);
constexpr auto by_no_sale_sql = sql(listed, "AND status = $14 AND status IN ('CANCELADA', 'NEGADA')", newest_first);
constexpr Statement list_by_id{"list_by_id", by_id_sql.text};
constexpr Statement list_by_id_externo{"list_by_id_externo", by_id_externo_sql.text};
constexpr Statement list_by_key{"list_by_key", by_key_sql.text};
constexpr Statement list_by_establishment{"list_by_establishment", by_establishment_sql.text};
constexpr Statement list_by_attention{"list_by_attention", by_attention_sql.text};
constexpr Statement list_by_openness{"list_by_openness", by_openness_sql.text};
constexpr Statement list_by_no_sale{"list_by_no_sale", by_no_sale_sql.text};

constexpr auto listed_sql = sql("SELECT ", sale_columns, " FROM sales WHERE n = ANY($1::bigint[])");
constexpr Statement listed_sales{"listed_sales", listed_sql.text};

struct Narrowed {
    Statement statement;
    std::optional<std::string> value;  // that the statement takes besides
};

Narrowed narrowed(const SaleFilter& filter) {
    if (filter.id_externo) return {list_by_id_externo, filter.id_externo};
    if (filter.key) return {list_by_key, filter.key};
    if (filter.attention.value_or(false)) return {list_by_attention, std::nullopt};
    if (filter.status == Status::PENDENTE || filter.status == Status::AUTORIZADA)
        return {list_by_openness, std::nullopt};
    if (filter.status == Status::CANCELADA || filter.status == Status::NEGADA)
        return {list_by_no_sale, std::string(to_string(*filter.status))};
    if (filter.estabelecimento) return {list_by_establishment, filter.estabelecimento};
    return {list_by_id, std::nullopt};
}

// An id begins with the time of creation.
Parameters parameters_of(const SaleFilter& filter) {
    constexpr std::string_view behind_all = "~";
    std::string end(behind_all);
    if (filter.to) end = std::min(end, Ulid::first_at(*filter.to).str());
    if (filter.after) end = std::min(end, filter.after->str());
    Parameters all;
    all.add(filter.from ? Ulid::first_at(*filter.from).str() : std::string()).add(end);
    all.add(filter.attention).add(filter.estabelecimento).add(filter.terminal);
    if (filter.among) {
        std::vector<std::string> words;
        for (const auto family : filter.among->families)
            words.emplace_back(to_string(family));
        all.add(words).add(filter.among->or_terminal);
    } else {
        all.add(std::nullopt).add(std::nullopt);
    }
    all.add(filter.key);
    if (filter.id_transacao)
        all.add(member_of_attempt("idTransacao", *filter.id_transacao));
    else
        all.add(std::nullopt);
    all.add(filter.family ? std::optional(to_string(*filter.family)) : std::nullopt);
    all.add(filter.cashier.has_value());
    all.add(filter.valor ? std::optional(filter.valor->value) : std::nullopt);
    all.add(filter.status ? std::optional(to_string(*filter.status)) : std::nullopt);
    return all;
}

}  // namespace

Awaited<SalePage> SaleList::page(const SaleFilter& filter) {
    const auto narrow = narrowed(filter);
    auto parameters = parameters_of(filter);
    if (narrow.value) parameters.add(*narrow.value);
    const auto looked_at = co_await storage_.reader.read(narrow.statement, std::move(parameters));
    if (looked_at.has_error()) co_return looked_at.error();
    rows::FieldReader fields(storage_.cipher);
    ListPageMaker maker(filter, fields);
    for (std::size_t i = 0; i < looked_at->size(); ++i)
        if (!maker.take((*looked_at)[i])) break;
    const auto& made = maker.page();
    SalePage page{.sales = {}, .next = made.next, .unreadable = {}};
    if (made.sales.empty()) co_return page;
    std::vector<std::string> numbers;
    for (const auto& one : made.sales)
        numbers.push_back(std::to_string(one.number));
    Parameters which;
    which.add(numbers);
    const auto found = co_await storage_.reader.read(listed_sales, std::move(which));
    if (found.has_error()) co_return found.error();
    std::map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < found->size(); ++i)
        places.emplace((*found)[i].integer(rows::number_column), i);
    for (const auto& one : made.sales) {
        const auto place = places.find(one.number);
        if (place == places.end()) continue;
        const auto row = (*found)[place->second];
        auto sale = co_await reader_.read(row);
        if (sale.has_error())
            page.unreadable.push_back(rows::shown(one.id));
        else
            page.sales.push_back(std::move(*sale));
    }
    co_return page;
}

}  // namespace gateway::postgres
