#include "journal/day_query.hpp"

#include "journal/book_rows.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace gateway {
namespace {

// As rows::read_day_sale() takes them.
constexpr std::string_view select_day_sale =
    "SELECT id, terminal, cashier, estabelecimento, produto, family, valor, status, day, late_day,"
    " CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END,"
    " CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END, n,"
    " CASE WHEN json_valid(attempts) THEN json_array_length(attempts) > 1 END FROM sales INDEXED BY ";

}  // namespace

// A page in the making.
class DayQuery::Page {
  public:
    Page(FieldCipher& cipher, const std::optional<SaleFilter::Among>& among) : fields_(cipher), among_(among) {}

    // Takes the rows that the statement gives, as long as there is room. Whether it gave all of them.
    Result<bool> take_all(sqlite::Statement& rows) {
        for (; looked_at < rows_per_page; ++looked_at) {
            const auto row = rows.step();
            if (row.has_error()) return {boost::system::in_place_error, row.error()};
            if (!*row) return true;
            take(rows);
        }
        rows.reset();
        return false;
    }

    std::size_t looked_at = 0;
    DayPage made;
    // The last row that can be gone on from; the ids are as they stand in the rows.
    std::string last_id;
    std::string last_estabelecimento;
    std::vector<std::int64_t> unreadable;  // by number
    std::size_t unreadable_fields() const { return fields_.unreadable(); }

  private:
    void take(const Row& row) {
        if (row.is_text(0) && row.is_text(rows::estabelecimento_column)) {
            last_id = row.text(0);
            last_estabelecimento = row.text(rows::estabelecimento_column);
        }
        auto sale = rows::read_day_sale(row, fields_);
        if (!sale)
            unreadable.push_back(row.integer(rows::number_column_of_day_sale));
        else if (!among_ || among_->has(*sale))
            made.sales.push_back(std::move(*sale));
    }

    rows::FieldReader fields_;
    const std::optional<SaleFilter::Among>& among_;
};

DayQuery::DayQuery(sqlite::Database& d, FieldCipher& cipher, UnreadableSales& unreadable)
    : cipher_(cipher),
      unreadable_(unreadable),
      of_day_(d, sql_of_day()),
      of_establishments_day_(d, sql_of_establishments_day()),
      of_close_(d, sql_of_close()) {}

std::string DayQuery::sql_of_day() {
    return fmt::format(
        "{}sales_of_day WHERE day = ?1 AND (estabelecimento, id) > (?2, ?3)"
        " ORDER BY estabelecimento, id",
        select_day_sale);
}

std::string DayQuery::sql_of_establishments_day() {
    return fmt::format("{}sales_of_day WHERE day = ?1 AND estabelecimento = ?2 AND id > ?3 ORDER BY id",
                       select_day_sale);
}

// The day's own, and those that came too late for the close of an earlier day.
std::string DayQuery::sql_of_close() {
    return fmt::format(
        "{0}sales_of_day WHERE day = ?1 AND estabelecimento = ?2 AND id > ?3 AND late_day IS NULL UNION ALL"
        " {0}sales_of_late_day WHERE late_day = ?1 AND estabelecimento = ?2 AND id > ?3 ORDER BY id",
        select_day_sale);
}

Result<DayPage> DayQuery::of_days(const DayFilter& filter, const std::string& after) {
    rows::DayPlace place{.day = filter.from};
    if (!after.empty()) {
        auto goes_on = rows::place_of(after);
        if (!goes_on) return errc::malformed;
        place = std::move(*goes_on);
    }
    Page page(cipher_, filter.among);
    for (std::size_t days = 0; place.day <= filter.to; ++days) {
        if (days == days_per_page) {
            page.made.next = rows::written(place);
            break;
        }
        auto& rows = filter.estabelecimento ? of_establishments_day_ : of_day_;
        const auto day = to_text(place.day);
        rows.bind_all(day, filter.estabelecimento ? *filter.estabelecimento : place.estabelecimento, place.id);
        page.last_id = place.id;
        page.last_estabelecimento = place.estabelecimento;
        const auto all = page.take_all(rows);
        if (all.has_error()) return all.error();
        const bool goes_on = page.last_id != place.id || page.last_estabelecimento != place.estabelecimento;
        if (!*all && goes_on) {
            page.made.next = rows::written({place.day, page.last_estabelecimento, page.last_id});
            break;
        }
        place = {.day = next_day(place.day)};
    }
    return finish(std::move(page));
}

Result<DayPage> DayQuery::of_close(const CloseKey& key, const std::string& after) {
    const std::optional<SaleFilter::Among> everything;
    Page page(cipher_, everything);
    const auto day = to_text(key.day);
    of_close_.bind_all(day, key.estabelecimento, after);
    page.last_id = after;
    const auto all = page.take_all(of_close_);
    if (all.has_error()) return all.error();
    if (!*all && page.last_id != after) page.made.next = page.last_id;
    return finish(std::move(page));
}

// Marks what cannot be read, once nothing is being read any more.
DayPage DayQuery::finish(Page&& page) {
    of_day_.reset();
    of_establishments_day_.reset();
    of_close_.reset();
    for (const auto number : page.unreadable)
        unreadable_.add(number);
    unreadable_.add_values(page.unreadable_fields());
    page.made.unreadable = page.unreadable.size();
    return std::move(page.made);
}

}  // namespace gateway
