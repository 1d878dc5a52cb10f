#include "journal/days.hpp"

#include "journal/book_rows.hpp"

#include <optional>
#include <string>
#include <utility>

namespace gateway::days {
namespace {

// Finds the last of the rows after which a page can go on: one whose id and establishment are texts.
std::optional<rows::DayPlace> last_place(const Rows& found, Day day) {
    for (auto i = found.size(); i > 0; --i) {
        const auto row = found[i - 1];
        if (row.is_text(0) && row.is_text(rows::estabelecimento_column))
            return rows::DayPlace{.day = day,
                                  .estabelecimento = std::string(row.text(rows::estabelecimento_column)),
                                  .id = std::string(row.text(0))};
    }
    return std::nullopt;
}

// Collects the sales of a page.
class Page {
  public:
    Page(Tx& tx, const std::optional<SaleFilter::Among>& among) : tx_(tx), among_(among), fields_(tx.cipher) {}

    std::size_t room() const noexcept { return room_; }

    // Takes the rows of a statement whose limit was room(). Returns whether these are all the rows there are.
    Job<bool> take(const Rows& found) {
        const bool all = found.size() < room_;
        room_ -= found.size();
        for (const auto& row : found)
            co_await take(row);
        co_return all;
    }

    // `next` is what DayPage::next says. No other call may follow.
    DayPage finish(std::string next) {
        tx_.unreadable.add_values(fields_.unreadable());
        made_.next = std::move(next);
        return std::move(made_);
    }

  private:
    Job<void> take(Rows::One row) {
        auto sale = rows::read_day_sale(row, fields_);
        if (!sale) {
            co_await tx_.mark_unreadable(row.integer(rows::number_column_of_day_sale));
            ++made_.unreadable;
        } else if (!among_ || among_->has(*sale)) {
            made_.sales.push_back(std::move(*sale));
        }
    }

    Tx& tx_;
    const std::optional<SaleFilter::Among>& among_;
    rows::FieldReader fields_;
    std::size_t room_ = rows_per_page;
    DayPage made_;
};

}  // namespace

Job<DayPage> of_days(Tx& tx, const DayFilter& filter, std::string_view after) {
    rows::DayPlace place{.day = filter.from};
    if (!after.empty()) {
        auto goes_on = rows::place_of(after);
        if (!goes_on) throw JobFailed(errc::malformed);
        place = std::move(*goes_on);
    }
    const auto& statement = filter.estabelecimento ? sql::sales_of_establishments_day : sql::sales_of_day;
    Page page(tx, filter.among);
    for (std::size_t days = 0; place.day <= filter.to; ++days) {
        if (days == days_per_page) co_return page.finish(rows::written(place));
        const auto day = to_text(place.day);
        const auto& establishment = filter.estabelecimento ? *filter.estabelecimento : place.estabelecimento;
        const auto found = co_await tx.ask(statement, day, establishment, place.id, page.room());
        auto last = last_place(found, place.day);
        const bool all = co_await page.take(found);
        place = !all && last ? std::move(*last) : rows::DayPlace{.day = next_day(place.day)};
        if (!all) co_return page.finish(rows::written(place));
    }
    co_return page.finish({});
}

Job<DayPage> of_close(Tx& tx, const CloseKey& key, std::string_view after) {
    const std::optional<SaleFilter::Among> everything;
    Page page(tx, everything);
    const auto day = to_text(key.day);
    const auto found = co_await tx.ask(sql::sales_of_close, day, key.estabelecimento, after, page.room());
    const bool all = co_await page.take(found);
    const auto last = last_place(found, key.day);
    co_return page.finish(!all && last ? last->id : std::string());
}

}  // namespace gateway::days
