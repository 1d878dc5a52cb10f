#include "simulation/journal_view.hpp"

#include "simulation/sql_reader.hpp"

namespace gateway::simulation {

const JournalView::Sale* JournalView::with_key(const std::string& terminal, const std::string& key) const {
    const auto found = by_key.find({terminal, key});
    return found == by_key.end() ? nullptr : &sales.at(found->second);
}

JournalView read_journal(Disk disk) {
    SqlReader reader(disk);
    return read_journal(reader);
}

JournalView read_journal(SqlReader& reader) {
    JournalView view;
    reader.each(
        "SELECT id, terminal, key, family, status, settled, attention, goods, esim FROM sales", [&](auto column) {
            JournalView::Sale sale{.id = column(0), .terminal = column(1), .key = column(2), .family = column(3)};
            sale.status = column(4);
            sale.settled = column(5) == "1";
            sale.attention = column(6);
            sale.goods = column(7);
            sale.esim = column(8);
            view.by_key.emplace(std::pair(sale.terminal, sale.key), sale.id);
            auto id = sale.id;
            view.sales.emplace(std::move(id), std::move(sale));
        });
    reader.each("SELECT id_externo, sale FROM id_externos",
                [&](auto column) { view.by_attempt.emplace(column(0), column(1)); });
    reader.each(
        "SELECT sales.id, a.value ->> 'idExterno', a.value ->> 'state', a.value ->> 'idTransacao' FROM sales,"
        " json_each(CASE WHEN json_valid(attempts) THEN attempts ELSE '[]' END) AS a ORDER BY sales.id, a.key",
        [&](auto column) {
            view.sales[column(0)].attempts.push_back({column(1), column(2), column(3)});
        });
    reader.each("SELECT body FROM callbacks", [&](auto column) { view.callbacks.insert(column(0)); });
    view.trouble = reader.trouble();
    return view;
}

}  // namespace gateway::simulation
