#include "journal/postgres/sales_table.hpp"

#include "base/digest.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

namespace gateway::postgres {
namespace {

using rows::milliseconds;

constexpr Statement begin_sale{
    "begin_sale",
    "SELECT outcome, of_sale, at_term FROM begin_sale($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
    " $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27)"};
constexpr Statement record_step{
    "record_step_of_several",
    "SELECT record_step($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,"
    " $22, $23, $24, $25, $26, $27, $28)"};
// What settled it has freed it: nobody else had it, and it was this run's word that did.
constexpr auto reread_sql =
    sql("UPDATE sales SET term = term + 1, owner = CASE WHEN settled = 1 THEN '' ELSE owner END"
        " WHERE id = $1 AND term = $3::bigint AND (owner = $2 OR (settled = 1 AND owner = '')) RETURNING ",
        sale_columns);
constexpr Statement reread_sale{"reread_sale", reread_sql.text};
constexpr Statement has_sale{"has_sale", "SELECT 1 FROM sales WHERE id = $1"};

}  // namespace

Parameters SalesTable::row_of(const std::string& run, const Sale& sale,
                              const std::optional<std::string>& duplicate_hash) const {
    const auto id = sale.id.text();
    const auto step = first_step(sale, storage_.now());
    const auto named = sale.cashier.empty() ? std::nullopt : std::optional<std::string_view>(sale.cashier);
    Parameters row;
    row.add(run).add(id).add(sale.terminal).add(sale.key);
    storage_.seal(row, {encrypted::digest, id}, sale.digest);
    row.add(to_string(sale.family)).add(to_string(sale.mode)).add(sale.estabelecimento).add(sale.produto);
    row.add(sale.fornecedor).add(sale.valor.value).add(sale.segment);
    storage_.seal(row, {encrypted::request, id}, sale.request.reveal());
    if (sale.callback_secret.empty())
        row.add(std::nullopt);
    else
        row.add(sha256_hex(sale.callback_secret.reveal()));
    storage_.seal(row, {encrypted::redemption, id}, sale.redemption);
    row.add(milliseconds(sale.created_at)).add(to_string(sale.status)).add(int{sale.settled});
    row.add(to_string(sale.attention)).add(step.attempts).add(step.recorded_at).add(step.history);
    storage_.seal(row, {encrypted::cashier, id}, named);
    row.add(sale.current().id_externo.text()).add(duplicate_hash);
    if (duplicate_hash && !sale.duplicate_check->wanted) {
        const auto window = sale.duplicate_check->window;
        row.add(milliseconds(sale.created_at - window)).add(milliseconds(sale.created_at + window));
    } else {
        row.add(std::nullopt).add(std::nullopt);
    }
    return row;
}

Awaited<SalesTable::Begun> SalesTable::begin(const std::string& run, const Sale& sale,
                                             const std::optional<std::string>& duplicate_hash) {
    auto row = row_of(run, sale, duplicate_hash);
    const auto begun = co_await storage_.writer.write(begin_sale, std::move(row), sale.key);
    if (begun.has_error()) co_return begun.error();
    const auto told = (*begun)[0];
    const auto outcome = told.text(0);
    if (outcome == "begun") co_return Begun{.state = {}, .is_begun = true, .at = {.term = told.integer(2)}};
    if (outcome == "over") co_return errc::not_carried;
    if (outcome == "cancelled") co_return Begun{.state = {.cancelled = true}};
    const auto other = SaleId::parse(told.text(1));
    if (outcome == "unreadable" || !other) co_return errc::sale_unreadable;
    if (outcome == "duplicate") co_return Begun{.state = {.duplicate_of = *other}};
    co_return Begun{.state = {.sale = *other}};
}

Parameters SalesTable::step_of(const std::string& run, Carrying at, const Sale& sale, const Change& change,
                               const Attempt* fresh, const HistoryEntry& entry) const {
    const auto id = sale.id.text();
    auto step = next_step(sale, change, fresh, entry, storage_.now());
    // The database refuses a text that is no UTF-8, and a step that is never recorded would hold the sale up for ever.
    step.history = rows::shown(std::move(step.history));
    if (step.reason) step.reason = rows::shown(std::move(*step.reason));
    Parameters row;
    row.add(run).add(id).add(at.term).add(at.step).add(milliseconds(change.at)).add(step.reason);
    storage_.seal(row, {encrypted::words, id}, step.words);
    row.add(step.attempts).add(step.recorded_at).add(step.history).add(step.is_worth_a_line);
    row.add(change.details.has_value());
    storage_.seal(row, {encrypted::details, id}, step.facts);
    storage_.seal(row, {encrypted::goods, id}, step.goods);
    row.add(step.changes_standing).add(to_string(change.status)).add(int{change.settled});
    row.add(to_string(change.attention)).add(step.gives_way);
    row.add(change.day ? std::optional(to_text(*change.day)) : std::nullopt).add(sale.estabelecimento);
    row.add(change.esim.has_value());
    storage_.seal(row, {encrypted::esim, id}, rows::esim_text(change.esim));
    row.add(fresh != nullptr ? std::optional(fresh->id_externo.text()) : std::nullopt);
    const bool is_noted = entry.event == encrypted::noted_event;
    row.add(is_noted);
    storage_.seal(row, {encrypted::note, id}, is_noted ? std::optional(entry.detail) : std::nullopt);
    row.add(entry.word).add(long_history);
    return row;
}

Awaited<void> SalesTable::record(const std::string& run, Carrying at, const Sale& sale, const Change& change,
                                 const Attempt* fresh, const HistoryEntry& entry) {
    auto step = step_of(run, at, sale, change, fresh, entry);
    const auto recorded = co_await storage_.writer.write(record_step, std::move(step), sale.key);
    if (recorded.has_error()) co_return recorded.error();
    const bool is_done = (*recorded)[0].integer(0) != 0;
    co_return is_done ? Result<void>() : Result<void>(errc::not_carried);
}

Awaited<Sale> SalesTable::reread(const std::string& run, SaleId id, Carrying& at) {
    Parameters parameters;
    parameters.add(id.text()).add(run).add(at.term);
    const auto found = co_await storage_.writer.write(reread_sale, std::move(parameters));
    if (found.has_error()) co_return found.error();
    if (found->empty()) {
        const auto there = co_await has(id);
        if (there.has_error()) co_return there.error();
        co_return *there ? errc::not_carried : errc::not_found;
    }
    const auto row = (*found)[0];
    at = {.term = row.integer(term_column), .step = row.integer(step_column)};
    co_return co_await reader_.read(row);
}

Awaited<bool> SalesTable::has(SaleId id) {
    Parameters parameters;
    parameters.add(id.text());
    const auto found = co_await storage_.writer.read(has_sale, std::move(parameters));
    if (found.has_error()) co_return failure<bool>(found.error());
    co_return !found->empty();
}

}  // namespace gateway::postgres
