#include "journal/marked_sales.hpp"

#include "base/told.hpp"
#include "base/wall_time.hpp"
#include "journal/attempts_text.hpp"
#include "journal/moving_mark.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite/backup.hpp"
#include "journal/sqlite/file_user.hpp"
#include "journal/sqlite/recognition.hpp"
#include "journal/sqlite/schema.hpp"
#include "journal/sqlite/transaction.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace gateway {
namespace {

Result<std::vector<Attempt>> read_attempts(const Row& row) {
    const auto recorded_at = rows::readable_time(row, 10);
    if (!recorded_at || !row.is_text(9)) return errc::sale_unreadable;
    return rows::read_attempts(row.text(9), *recorded_at, {.now = {}, .wall = *recorded_at, .boot = {}});
}

// Finds what the history says about a callback that came at `from`, where the next callback came at `to`.
std::optional<Status> said_by_history(const History& history, WallTime from, WallTime to) {
    for (const auto& entry : history.events)
        if (entry.event == "callback" && entry.at >= from && entry.at < to && !entry.verdict.empty())
            return parse_status(entry.verdict);
    return std::nullopt;
}

}  // namespace

MarkedRow read_marked(const Row& row) {
    const auto text = [&](int column) { return rows::shown(std::string(row.text(column))); };
    MarkedSale sale{.id = text(0)};
    sale.created_at = rows::readable_time(row, 1);
    sale.terminal = text(2);
    sale.estabelecimento = text(3);
    sale.family = parse_family(row.text(4));
    sale.produto = text(5);
    if (const auto cents = row.optional_integer(6); cents && *cents > 0) sale.valor = Cents{*cents};
    sale.status = parse_status(row.text(7));
    sale.attention = parse_attention(row.text(8)).value_or(Attention::unreadable);
    auto latest = rows::latest_attempt(row.text(9));
    if (const auto id_externo = IdExterno::parse(latest.id_externo)) sale.id_externo = id_externo->text();
    sale.id_transacao = rows::shown(std::move(latest.id_transacao));
    const auto attempts = read_attempts(row);
    auto history = rows::read_history(row.is_text(11) ? row.text(11) : std::string_view(), attempts);
    sale.history = history_facts(history, sale.attention, attempts.has_value() ? *attempts : std::vector<Attempt>());
    return {.sale = std::move(sale), .history = std::move(history)};
}

KeptCallback read_kept_callback(const Row& row) {
    KeptCallback callback{.at = rows::readable_time(row, 0),
                          .kind = rows::shown(std::string(row.text(1))),
                          .valid = row.optional_integer(2).value_or(0) != 0};
    if (row.is_text(3)) callback.body = Secret(rows::shown(std::string(row.text(3))));
    return callback;
}

void add_what_was_said(MarkedRow& of) {
    auto& callbacks = of.sale.callbacks;
    for (std::size_t i = 0; i < callbacks.size(); ++i) {
        if (!callbacks[i].at || !callbacks[i].valid) continue;
        auto next = WallTime::max();
        if (i + 1 < callbacks.size()) next = callbacks[i + 1].at.value_or(next);
        callbacks[i].said = said_by_history(of.history, *callbacks[i].at, next);
    }
}

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

namespace marked_sales {

Job<std::vector<MarkedSale>> all(Tx& tx) {
    const auto found = co_await tx.ask(sql::marked_sales);
    std::vector<MarkedSale> sales;
    for (const auto& row : found)
        sales.push_back(read_marked(row).sale);
    co_return sales;
}

Job<std::vector<MarkedSale>> with_callbacks(Transaction& tx) {
    const auto found = co_await tx.ask(sql::marked_sales);
    std::vector<MarkedSale> sales;
    for (const auto& row : found) {
        auto marked = read_marked(row);
        const auto callbacks = co_await tx.ask(sql::callbacks_of_marked, marked.sale.id, most_kept_callbacks);
        for (const auto& callback : callbacks)
            marked.sale.callbacks.push_back(read_kept_callback(callback));
        add_what_was_said(marked);
        sales.push_back(std::move(marked.sale));
    }
    co_return sales;
}

}  // namespace marked_sales

boost::system::result<std::vector<MarkedSale>, std::string> read_marked_sales(const std::string& journal,
                                                                              std::string_view boot) {
    const auto user = user_for(journal);
    if (user.has_error()) return user.error();
    const ActingAs acting(*user);
    const auto cannot = [&](const std::string& why) { return fmt::format("{} cannot be read: {}", journal, why); };
    std::error_code hidden;
    const bool there = std::filesystem::exists(journal, hidden);
    if (hidden) return cannot(hidden.message());
    if (!there)
        return fmt::format(told("there is no journal {}: a gateway makes it when it is first started"), journal);
    auto database = sqlite::Database::open_to_read(journal);
    if (database.has_error()) return cannot(database.error().message());
    const auto version = schema_version(*database);
    if (version.has_error()) return cannot(version.error());
    const auto notes = FileLock::look(database->file() + ".lock");
    if (const auto fits = check_log(database->file(), nullptr, notes, boot); fits.has_error())
        return cannot(fits.error());
    if (*version == 0) return cannot(std::string(told("it is empty")));
    if (*version < migrations().back().number)
        return cannot(
            std::string(told("an older version of this program wrote it; this version's gateway brings it up to date "
                             "when it is started")));
    const auto mark = find_mark(*database);
    if (mark.has_error()) return cannot(mark.error());
    // Only a journal that is whole and in use tells which sales need a person now.
    if (*mark) {
        const auto file = database->file();
        const bool is_half = (*mark)->state == MovingMark::State::arriving;
        const auto why = why_not_to_start(**mark, {file, is_half && is_in_use(file)});
        if (!why.empty()) return cannot(why);
    }
    auto sales = sqlite::run_to_end(*database, marked_sales::with_callbacks);
    if (sales.has_error()) return cannot(sales.error().message());
    return std::move(*sales);
}

}  // namespace gateway
