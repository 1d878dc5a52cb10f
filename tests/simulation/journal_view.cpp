#include "simulation/journal_view.hpp"

#include <sqlite3.h>

namespace gateway::simulation {
namespace {

class Reader {
  public:
    explicit Reader(Disk& disk) : before_(disk.mount()) {
        if (sqlite3_open_v2("journal.db", &connection_, SQLITE_OPEN_READWRITE, Disk::vfs()) != SQLITE_OK) fail();
        sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);  // the copy is thrown away
    }
    ~Reader() {
        sqlite3_close_v2(connection_);
        if (before_ != nullptr) before_->mount();
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    template <class Take>
    void each(const char* sql, Take take) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(connection_, sql, -1, &statement, nullptr) != SQLITE_OK) return fail();
        int code = sqlite3_step(statement);
        for (; code == SQLITE_ROW; code = sqlite3_step(statement))
            take([&](int column) {
                const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
                return std::string(text != nullptr ? text : "");
            });
        if (code != SQLITE_DONE) fail();
        sqlite3_finalize(statement);
    }
    const std::string& trouble() const { return trouble_; }

  private:
    void fail() {
        if (trouble_.empty()) trouble_ = sqlite3_errmsg(connection_);
    }

    Disk* const before_;
    sqlite3* connection_ = nullptr;
    std::string trouble_;
};

}  // namespace

const JournalView::Sale* JournalView::with_key(const std::string& terminal, const std::string& key) const {
    const auto found = by_key.find({terminal, key});
    return found == by_key.end() ? nullptr : &sales.at(found->second);
}

JournalView read_journal(Disk disk) {
    JournalView view;
    Reader reader(disk);
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
