#include "journal/postgres/sale_rows.hpp"

namespace gateway::postgres {
namespace {

// The marks that only a person takes away stay, and the line is written once. Unless $3, a mark that is gone stays so
// where the line is there: a person cleared it.
constexpr Statement mark_unreadable{
    "mark_unreadable_sale",
    "UPDATE sales SET attention = CASE WHEN attention = ANY($4::text[]) THEN attention ELSE 'unreadable' END,"
    " story = CASE WHEN strpos(story, '\"event\":\"unreadable\"') > 0 THEN story ELSE story || chr(10) || $2 END"
    " WHERE n = $1::bigint AND NOT (strpos(story, '\"event\":\"unreadable\"') > 0"
    " AND (attention = ANY($4::text[]) OR NOT $3::boolean))"
    " AND ($3::boolean OR attention = 'unreadable' OR NOT attention = ANY($4::text[]))"};

std::vector<std::string> lasting_marks() {
    std::vector<std::string> marks;
    for (const auto attention : all_attentions)
        if (attention != Attention::none && !is_passing(attention)) marks.emplace_back(to_string(attention));
    return marks;
}

}  // namespace

Awaited<Sale> SaleReader::read(const Row& row) {
    rows::FieldReader fields(storage_.cipher);
    const auto number = row.integer(rows::number_column);
    auto sale = rows::read_sale(row, fields, storage_.now());
    if (sale.has_error()) {
        co_await add(number);
        co_return sale.error();
    }
    storage_.unreadable.remove(number);
    if (fields.unreadable().empty()) co_return sale;
    add_values(fields.unreadable());
    std::string line;
    rows::append_entry(line, {.event = "unreadable",
                              .at = storage_.clock.wall(),
                              .attempt = sale->attempts.size() - 1,
                              .state = to_string(sale->current().state)});
    constexpr bool again = false;
    const bool is_new = co_await mark(number, std::move(line), again);
    const bool marked_for_good = sale->attention != Attention::none && !is_passing(sale->attention);
    if (is_new && !marked_for_good) sale->attention = Attention::unreadable;
    co_return sale;
}

boost::asio::awaitable<void> SaleReader::add(std::int64_t number) {
    storage_.unreadable.meet(number);
    std::string line;
    rows::append_entry(line, {.event = "unreadable", .at = storage_.clock.wall()});
    constexpr bool again = true;  // a mark that is gone comes back: no person can have dealt with the sale
    (void)co_await mark(number, std::move(line), again);
}

boost::asio::awaitable<bool> SaleReader::mark(std::int64_t number, std::string line, bool again) {
    Parameters parameters;
    parameters.add(number).add(line).add(again).add(lasting_marks());
    const auto marked = co_await storage_.writer.write(mark_unreadable, std::move(parameters));
    co_return marked.has_error() || marked->affected() > 0;
}

}  // namespace gateway::postgres
