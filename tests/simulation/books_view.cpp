#include "simulation/books_view.hpp"

#include "simulation/sql_reader.hpp"

#include <algorithm>
#include <charconv>

namespace gateway::simulation {
namespace {

std::int64_t number_in(const std::string& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

void read_sales(SqlReader& reader, BooksView& view) {
    reader.each("SELECT id, estabelecimento, family, valor, status, settled, day, late_day FROM sales",
                [&](auto column) {
                    BooksView::Sale sale{.id = column(0), .estabelecimento = column(1), .family = column(2)};
                    sale.valor = number_in(column(3));
                    sale.status = column(4);
                    sale.settled = column(5) == "1";
                    sale.day = column(6);
                    sale.late_day = column(7);
                    view.sales.emplace(column(0), std::move(sale));
                });
    reader.each(
        "SELECT sales.id, a.value ->> 'idExterno', a.value ->> 'state', a.value ->> 'idTransacao',"
        " a.value ->> 'createdAt', a.value ->> 'confirmTime' FROM sales,"
        " json_each(CASE WHEN json_valid(attempts) THEN attempts ELSE '[]' END) AS a ORDER BY sales.id, a.key",
        [&](auto column) {
            view.sales[column(0)].attempts.push_back(
                {column(1), column(2), column(3), number_in(column(4)), !column(5).empty()});
        });
}

void read_closes(SqlReader& reader, BooksView& view) {
    reader.each(
        "SELECT estabelecimento, series, number, day, made_at, made_by, open, totals, digest FROM closes"
        " ORDER BY estabelecimento, number, series",
        [&](auto column) {
            view.closes.push_back({.estabelecimento = column(0),
                                   .series = static_cast<int>(number_in(column(1))),
                                   .number = static_cast<int>(number_in(column(2))),
                                   .day = column(3),
                                   .made_at = column(4),
                                   .made_by = column(5),
                                   .open = column(6),
                                   .totals = column(7),
                                   .digest = column(8)});
        });
}

void read_findings(SqlReader& reader, BooksView& view) {
    reader.each("SELECT id, day, digest, findings FROM statements ORDER BY id", [&](auto column) {
        view.statements.push_back({number_in(column(0)), column(1), column(2), number_in(column(3))});
    });
    reader.each(
        "SELECT number, statement, day, kind, sale, id_externo, pending, effect, opened_at, closed_as, our_valor,"
        " their_valor FROM findings ORDER BY number",
        [&](auto column) {
            view.findings.push_back({.number = number_in(column(0)),
                                     .statement = number_in(column(1)),
                                     .day = column(2),
                                     .kind = column(3),
                                     .sale = column(4),
                                     .id_externo = column(5),
                                     .our_valor = column(10),
                                     .their_valor = column(11),
                                     .pending = column(6) == "1",
                                     .effect = column(7),
                                     .opened_at = column(8),
                                     .closed_as = column(9)});
        });
}

}  // namespace

const BooksView::Close* BooksView::close_of(const std::string& estabelecimento, const std::string& day) const {
    const auto found = std::ranges::find_if(
        closes, [&](const Close& close) { return close.estabelecimento == estabelecimento && close.day == day; });
    return found == closes.end() ? nullptr : &*found;
}

const BooksView::Sale* BooksView::sale_of(const std::string& id_externo) const {
    for (const auto& [id, sale] : sales)
        if (std::ranges::count(sale.attempts, id_externo, &Attempt::id_externo) > 0) return &sale;
    return nullptr;
}

const BooksView::Attempt* BooksView::attempt(const std::string& id_externo) const {
    const auto* sale = sale_of(id_externo);
    return sale == nullptr ? nullptr : &*std::ranges::find(sale->attempts, id_externo, &Attempt::id_externo);
}

BooksView read_books(Disk disk) {
    SqlReader reader(disk);
    return read_books(reader);
}

BooksView read_books(SqlReader& reader) {
    BooksView view;
    read_sales(reader, view);
    read_closes(reader, view);
    read_findings(reader, view);
    view.trouble = reader.trouble();
    return view;
}

}  // namespace gateway::simulation
