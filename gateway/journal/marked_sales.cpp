#include "journal/marked_sales.hpp"

#include "journal/rows.hpp"
#include "journal/schema.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace gateway {
namespace {

// In the order in which read_row() takes them. The index is named with its condition, or the planner would look at
// every sale there ever was.
constexpr const char* query =
    "SELECT id, created_at, terminal, estabelecimento, family, produto, valor, status, attention,"
    " CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END,"
    " CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END"
    " FROM sales INDEXED BY sales_attention WHERE attention <> 'none' ORDER BY id";

MarkedSale read_row(const sqlite::Statement& row) {
    const auto text = [&](int column) { return rows::shown(std::string(row.text(column))); };
    MarkedSale sale{.id = text(0)};
    sale.created_at = rows::readable_time(row, 1);
    sale.terminal = text(2);
    sale.estabelecimento = text(3);
    sale.family = parse_family(row.text(4));
    sale.produto = text(5);
    if (const auto cents = row.optional_integer(6)) sale.valor = Cents{*cents};
    sale.status = parse_status(row.text(7));
    sale.attention = parse_attention(row.text(8)).value_or(Attention::unreadable);
    if (const auto id_externo = IdExterno::parse(row.text(9))) sale.id_externo = id_externo->text();
    if (row.is_text(10)) sale.id_transacao = text(10);
    return sale;
}

}  // namespace

MarkedSale marked_sale(const Sale& sale) {
    return {.id = sale.id.str(),
            .created_at = sale.created_at,
            .terminal = sale.terminal,
            .estabelecimento = sale.estabelecimento,
            .family = sale.family,
            .produto = sale.produto,
            .valor = sale.valor,
            .status = sale.status,
            .attention = sale.attention,
            .id_externo = sale.current().id_externo.str(),
            .id_transacao = sale.current().id_transacao};
}

Result<std::vector<MarkedSale>> marked_sales(sqlite::Database& database) {
    auto statement = sqlite::Statement::prepare(database, query);
    if (statement.has_error()) return statement.error();
    std::vector<MarkedSale> sales;
    while (true) {
        const auto row = statement->step();
        if (row.has_error()) return row.error();
        if (!*row) return sales;
        sales.push_back(read_row(*statement));
    }
}

boost::system::result<std::vector<MarkedSale>, std::string> read_marked_sales(const std::string& journal) {
    const auto cannot = [&](const std::string& why) { return fmt::format("{} cannot be read: {}", journal, why); };
    std::error_code hidden;
    const bool there = std::filesystem::exists(journal, hidden);
    if (hidden) return cannot(hidden.message());
    if (!there) return fmt::format("there is no journal {}: a gateway makes it when it is first started", journal);
    auto database = sqlite::Database::open_to_read(journal);
    if (database.has_error()) return cannot(database.error().message());
    const auto version = schema_version(*database);
    if (version.has_error()) return cannot(version.error());
    if (*version == 0) return cannot("it is empty");
    if (*version < migrations().back().number)
        return cannot(
            "an older version of this program wrote it; this version's gateway brings it up to date when it "
            "is started");
    auto sales = marked_sales(*database);
    if (sales.has_error()) return cannot(sales.error().message());
    return std::move(*sales);
}

}  // namespace gateway
