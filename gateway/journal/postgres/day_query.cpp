#include "journal/postgres/day_query.hpp"

#include "journal/book_rows.hpp"

namespace gateway::postgres {
namespace {

// How many sales one page looks at; the statements say the same.
constexpr std::size_t sales_per_page = 500;

constexpr char select_day_sale[] =
    "SELECT id, terminal, cashier, estabelecimento, produto, family, valor, status, day, late_day, attempts, n, reason"
    " FROM sales WHERE ";
constexpr int day_column = 8;

constexpr auto of_days_sql =
    sql(select_day_sale,
        "day >= $1 AND day <= $2 AND (day, estabelecimento, id) > ($1, $3, $4)"
        " AND ($5::text IS NULL OR estabelecimento = $5) ORDER BY day, estabelecimento, id LIMIT 500");
constexpr Statement sales_of_days{"sales_of_days", of_days_sql.text};
// The day's own, and those that came too late for the close of an earlier day.
constexpr auto of_close_sql = sql(
    "(", select_day_sale,
    "day = $1 AND estabelecimento = $2 AND id > $3 AND late_day IS NULL ORDER BY id LIMIT 500) UNION ALL (",
    select_day_sale, "late_day = $1 AND estabelecimento = $2 AND id > $3 ORDER BY id LIMIT 500) ORDER BY 1 LIMIT 500");
constexpr Statement sales_of_close{"sales_of_close", of_close_sql.text};

}  // namespace

Awaited<DayPage> DayQuery::of_days(const DayFilter& filter, const std::string& after) {
    rows::DayPlace place{.day = filter.from};
    if (!after.empty()) {
        auto goes_on = rows::place_of(after);
        if (!goes_on) co_return errc::malformed;
        place = std::move(*goes_on);
    }
    Parameters parameters;
    parameters.add(to_text(place.day)).add(to_text(filter.to)).add(place.estabelecimento).add(place.id);
    parameters.add(filter.estabelecimento);
    const auto found = co_await storage_.reader.read(sales_of_days, std::move(parameters));
    if (found.has_error()) co_return found.error();
    auto page = co_await page_of(*found, filter.among);
    if (page.has_error() || found->size() < sales_per_page) co_return page;
    const auto last = (*found)[found->size() - 1];
    if (const auto day = parse_day(last.text(day_column)))
        page->next = rows::written({.day = *day,
                                    .estabelecimento = std::string(last.text(rows::estabelecimento_column)),
                                    .id = std::string(last.text(0))});
    co_return page;
}

Awaited<DayPage> DayQuery::of_close(const CloseKey& key, const std::string& after) {
    Parameters parameters;
    parameters.add(to_text(key.day)).add(key.estabelecimento).add(after);
    const auto found = co_await storage_.reader.read(sales_of_close, std::move(parameters));
    if (found.has_error()) co_return found.error();
    const std::optional<SaleFilter::Among> everything;
    auto page = co_await page_of(*found, everything);
    if (page.has_value() && found->size() == sales_per_page) page->next = (*found)[found->size() - 1].text(0);
    co_return page;
}

Awaited<DayPage> DayQuery::page_of(const Rows& found, const std::optional<SaleFilter::Among>& among) {
    DayPage page;
    rows::FieldReader fields(storage_.cipher);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto row = found[i];
        auto sale = rows::read_day_sale(row, fields);
        if (!sale) {
            ++page.unreadable;
            co_await reader_.add(row.integer(rows::number_column_of_day_sale));
        } else if (!among || among->has(*sale)) {
            page.sales.push_back(std::move(*sale));
        }
    }
    reader_.add_values(fields.unreadable());
    co_return page;
}

}  // namespace gateway::postgres
