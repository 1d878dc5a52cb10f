#include "journal/sales.hpp"

#include "base/digest.hpp"
#include "journal/closes.hpp"
#include "journal/duplicates.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/erasure.hpp"
#include "journal/keys.hpp"
#include "journal/list_query.hpp"
#include "journal/recorded_step.hpp"
#include "journal/rows.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gateway::sales {
namespace {

using rows::milliseconds;

// One page has this many open sales; reading one takes some ten microseconds.
constexpr std::size_t open_at_once = 200;

// Returns false, and writes nothing, where another sale has its key, its id or its callback's secret already.
Job<bool> insert(Tx& tx, const Owner& by, const Sale& sale, const std::optional<std::string>& duplicate_hash) {
    const auto id = sale.id.text();
    std::optional<std::string> callback_hash;
    if (!sale.callback_secret.empty()) callback_hash = sha256_hex(sale.callback_secret.reveal());
    const EncryptedValue digest(tx.cipher, {encrypted::digest, id}, sale.digest);
    const EncryptedValue request(tx.cipher, {encrypted::request, id}, sale.request.reveal());
    const EncryptedValue redemption(tx.cipher, {encrypted::redemption, id}, sale.redemption);
    const auto named = sale.cashier.empty() ? std::nullopt : std::optional<std::string_view>(sale.cashier);
    const EncryptedValue cashier(tx.cipher, {encrypted::cashier, id}, named);
    const auto step = first_step(sale, tx.at);
    const auto inserted = co_await tx.ask(
        sql::insert_sale, id, by.run, sale.terminal, sale.key, digest, to_string(sale.family), to_string(sale.mode),
        sale.estabelecimento, sale.produto, sale.fornecedor, sale.valor.value, sale.segment, request, callback_hash,
        redemption, milliseconds(sale.created_at), step.recorded_at, to_string(sale.status), sale.settled,
        to_string(sale.attention), step.attempts, step.history, cashier, duplicate_hash);
    if (inserted.changed() == 0) co_return false;
    tx.run(sql::insert_attempt, sale.current().id_externo.text(), id);
    co_return true;
}

// Finds a possible duplicate of a sale whose key is free. The check of the key comes before this one. Two gateways that
// begin equal sales do so one after the other.
Job<std::optional<SaleId>> duplicate_of(Tx& tx, const Sale& sale, std::string_view hash) {
    tx.hold(std::string("duplicate ").append(hash));
    if (sale.duplicate_check->wanted) co_return std::nullopt;
    const auto found = co_await duplicates::find(tx, sale, hash);
    if (!found) co_return std::nullopt;
    const auto known = co_await keys::find(tx, sale.terminal, sale.key);
    co_return known.sale || known.cancelled ? std::nullopt : found;
}

// Begins a sale whose row is there already, or whose key or id stands in another row.
Job<Begun> begin_again(Tx& tx, const Owner& by, const Sale& sale) {
    const Begun begun_before{.state = {}, .is_begun = true};
    if (by.is_alone()) {
        const auto known = co_await keys::find(tx, sale.terminal, sale.key);
        if (!known.sale) throw JobFailed(errc::sale_unreadable);
        co_return *known.sale == sale.id ? begun_before : Begun{.state = known};
    }
    const auto again = co_await tx.ask(sql::begin_again, sale.id.text(), by.run);
    if (!again.empty()) co_return Begun{.state = {}, .is_begun = true, .term = again.front().integer(0)};
    const auto there = co_await tx.ask(sql::has_sale, sale.id.text());
    if (!there.empty()) co_return Begun{.state = {.sale = sale.id}};
    (void)co_await tx.ask(sql::free_key, sale.terminal, sale.key, sale.id.text());
    throw JobFailed(errc::sale_unreadable);
}

}  // namespace

Job<std::optional<Sale>> read(Tx& tx, Rows::One row) {
    rows::FieldReader fields(tx.cipher);
    const auto number = row.integer(rows::number_column);
    auto sale = rows::read_sale(row, fields, tx.at);
    if (sale.has_error()) {
        co_await tx.mark_unreadable(number);
        co_return std::nullopt;
    }
    tx.unreadable.remove(number);
    if (!fields.unreadable().empty()) co_await tx.mark_unreadable(*sale, number, fields.unreadable());
    co_return std::move(*sale);
}

Job<Begun> begin(Tx& tx, const Owner& by, const Sale& sale, const std::optional<std::string>& duplicate_hash) {
    std::optional<Transaction::Asked> over;
    if (!by.is_alone()) over.emplace(tx.ask(sql::run_is_over, by.run));
    if (duplicate_hash) {
        const auto duplicate = co_await duplicate_of(tx, sale, *duplicate_hash);
        if (duplicate) co_return Begun{.state = {.duplicate_of = duplicate}};
    }
    if (over) {
        const auto is_over = co_await *over;
        if (!is_over.empty()) throw JobFailed(errc::not_owned);
    }
    const auto taken = co_await tx.ask(sql::take_key, sale.terminal, sale.key, sale.id.text());
    const auto by_whom = taken.front();
    if (by_whom.is_null(0)) co_return Begun{.state = {.cancelled = true}};
    if (by_whom.text(0) != sale.id.text()) {
        const auto state = co_await keys::find(tx, sale.terminal, sale.key);
        if (!state.sale && !state.cancelled) throw JobFailed(errc::sale_unreadable);
        co_return Begun{.state = state};
    }
    const bool inserted = co_await insert(tx, by, sale, duplicate_hash);
    if (!inserted) co_return co_await begin_again(tx, by, sale);
    if (by_whom.integer(1) != 0) erasure::written(tx, sale.id.text());
    co_return Begun{.state = {}, .is_begun = true};
}

Job<void> record(Tx& tx, const Owner& by, const Sale& sale, const Change& change, const Attempt* fresh,
                 const HistoryEntry& entry) {
    const auto id = sale.id.text();
    std::optional<Day> late_day;
    if (change.day) late_day = co_await closes::late_day(tx, sale.estabelecimento, *change.day);
    const auto step = next_step(sale, change, fresh, entry, tx.at);
    // No engine keeps every text, and a step that is never recorded would hold the sale up for ever.
    const auto lines = rows::shown("\n" + step.history);
    const auto reason = step.reason ? std::optional(rows::shown(*step.reason)) : std::nullopt;
    const auto limit = step.is_worth_a_line ? std::nullopt : std::optional(long_history);
    const EncryptedValue words(tx.cipher, {encrypted::words, id}, step.words);
    const EncryptedValue details(tx.cipher, {encrypted::details, id}, step.facts);
    const EncryptedValue goods(tx.cipher, {encrypted::goods, id}, step.goods);
    const auto update = [&](const Statement& statement, const auto&... more) {
        return tx.ask(statement, id, by.run, by.term, by.step, change.settled, milliseconds(change.at), reason, words,
                      step.attempts, step.recorded_at, lines, limit, change.details.has_value(), details, goods,
                      more...);
    };
    const auto update_standing = [&](const Statement& statement, const auto&... more) {
        return update(statement, to_string(change.status), to_string(change.attention), step.gives_way, more...);
    };
    const auto update_row = [&] {
        const bool settles = change.settled != sale.settled;
        if (!step.changes_standing) return update(sql::record_step);
        if (!change.day) return update_standing(settles ? sql::record_settled : sql::record_standing);
        const auto late = late_day ? std::optional(to_text(*late_day)) : std::nullopt;
        return update_standing(settles ? sql::record_day_and_settled : sql::record_day, to_text(*change.day), late);
    };
    const auto updated = co_await update_row();
    if (!by.is_alone() && updated.changed() == 0) throw JobFailed(errc::not_owned);
    if (fresh != nullptr) tx.run(sql::insert_attempt, fresh->id_externo.text(), id);
    if (entry.event == encrypted::noted_event)
        tx.run(sql::insert_note, id, EncryptedValue(tx.cipher, {encrypted::note, id}, entry.detail));
    if (entry.forwarded_command && !by.is_alone()) tx.run(sql::remove_command, *entry.forwarded_command);
    if (change.esim) {
        const auto esim = rows::esim_text(change.esim);
        tx.run(sql::set_esim, id, EncryptedValue(tx.cipher, {encrypted::esim, id}, esim));
    }
    // An open sale needs no note: the erasure itself puts off a sale that it finds open, and comes back to it.
    if (sale.settled) erasure::written(tx, id);
}

Job<std::int64_t> count_receipt(Tx& tx, SaleId id, const std::string& line) {
    const auto lines = "\n" + line;
    const auto counted = co_await tx.ask(sql::count_receipt, id.text(), lines, long_history);
    if (counted.empty()) throw JobFailed(errc::not_found);
    co_return std::max(counted.front().integer(0), std::int64_t{0});
}

Job<void> note_receipt(Tx& tx, SaleId id, const std::string& line) {
    const auto lines = "\n" + line;
    const auto noted = co_await tx.ask(sql::note_receipt, id.text(), lines, longest_history);
    if (noted.changed() == 0) throw JobFailed(errc::not_found);
}

Job<std::optional<Sale>> find(Tx& tx, SaleId id) {
    const auto found = co_await tx.ask(sql::sale_by_id, id.text());
    if (found.empty()) co_return std::nullopt;
    auto sale = co_await read(tx, found.front());
    if (!sale) throw JobFailed(errc::sale_unreadable);
    co_return sale;
}

Job<Sale> reread(Tx& tx, SaleId id) {
    auto sale = co_await find(tx, id);
    if (!sale) throw JobFailed(errc::not_found);
    co_return std::move(*sale);
}

Job<SalePage> list(Tx& tx, const SaleFilter& filter) {
    const auto query = list_query(filter);
    const std::vector<Value> values(query.parameters.begin(), query.parameters.end());
    const auto looked_at = co_await tx.ask(query.sql, values);
    rows::FieldReader fields(tx.cipher);
    ListPageMaker maker(filter, fields);
    for (const auto& row : looked_at)
        if (!maker.take(row)) break;
    auto& shown = maker.page();
    SalePage page{.sales = {}, .next = shown.next, .unreadable = {}};
    std::vector<Transaction::Asked> asked;
    asked.reserve(shown.sales.size());
    for (const auto& one : shown.sales)
        asked.push_back(tx.ask(sql::sale_by_number, one.number));
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto found = co_await asked[i];
        if (found.empty()) continue;
        auto sale = co_await read(tx, found.front());
        if (sale)
            page.sales.push_back(std::move(*sale));
        else
            page.unreadable.push_back(rows::shown(std::move(shown.sales[i].id)));
    }
    co_return page;
}

Job<AdoptedSales> unfinished(Tx& tx) {
    const auto found = co_await tx.ask(sql::unsettled_sales);
    AdoptedSales unfinished;
    for (const auto& row : found) {
        auto sale = co_await read(tx, row);
        if (sale)
            unfinished.sales.push_back(std::move(*sale));
        else
            ++unfinished.unreadable;
    }
    co_return unfinished;
}

Job<OpenPage> open(Tx& tx, const std::optional<std::string>& estabelecimento, const std::string& after) {
    std::int64_t last = 0;
    const auto [end, failure] = std::from_chars(after.data(), after.data() + after.size(), last);
    if (!after.empty() && (failure != std::errc{} || end != after.data() + after.size()))
        throw JobFailed(errc::malformed);
    const auto found = co_await tx.ask(sql::open_sales, last, estabelecimento, open_at_once);
    OpenPage page;
    if (found.size() == open_at_once) page.next = std::to_string(found[open_at_once - 1].integer(rows::number_column));
    for (const auto& row : found) {
        auto sale = co_await read(tx, row);
        if (!sale)
            page.unreadable += rows::is_of_a_day(row) ? 0 : 1;
        else if (!is_final(sale->status))
            page.sales.push_back(std::move(*sale));
    }
    co_return page;
}

Job<History> history(Tx& tx, SaleId id) {
    const auto found = co_await tx.ask(sql::history_of_sale, id.text());
    if (found.empty()) co_return History();
    const auto attempts = rows::read_attempts(found.front().text(1), tx.at.wall, tx.at);
    auto history = rows::read_history(found.front().text(0), attempts);
    // Where an entry is missing, nobody knows which note belongs to which decision.
    if (!history.is_complete) co_return history;
    const auto notes = co_await tx.ask(sql::notes_of_sale, id.text());
    rows::FieldReader fields(tx.cipher);
    std::size_t noted = 0;
    for (auto& entry : history.events) {
        if (entry.event != encrypted::noted_event) continue;
        if (noted == notes.size()) break;
        const auto note = notes[noted++];
        if (!note.is_null(0)) entry.detail = rows::shown(fields.text(note, 0, encrypted::note, id.text()));
    }
    tx.unreadable.add_values(fields.unreadable());
    co_return history;
}

Job<std::optional<std::int64_t>> history_length(Tx& tx, SaleId id) {
    const auto found = co_await tx.ask(sql::history_length, id.text());
    if (found.empty() || !found.front().is_text(1)) co_return std::nullopt;
    co_return found.front().integer(0);
}

}  // namespace gateway::sales
