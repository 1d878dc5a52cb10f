#include "journal/sales_table.hpp"

#include "base/digest.hpp"
#include "journal/attempts_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/list_query.hpp"
#include "journal/recorded_step.hpp"
#include "journal/rows.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

namespace gateway {
namespace {

using rows::milliseconds;

// How many open sales one page gives: each takes some ten microseconds to read.
constexpr std::size_t open_at_once = 200;

constexpr std::string_view with_details = ", facts=?9, goods=?10";
// A mark that the journal made itself stays (?14) where the step does not know of it and has none to say, or one that
// passes and would take it along.
constexpr std::string_view with_standing =
    ", status=?11,"
    " attention=CASE WHEN ?14 AND attention='unreadable' THEN attention ELSE ?13 END";

// Apart from the rest: a column that is named has its index written, changed or not.
constexpr std::string_view with_settled = ", settled=?12";
constexpr std::string_view with_day = ", day=?15, late_day=?16";

std::string update_sql(std::initializer_list<std::string_view> more) {
    return fmt::format(
        "UPDATE sales SET updated_at=?2, reason=?3, words=?4, attempts=?5, recorded_at=?6, story=CASE WHEN ?8 OR"
        " length(story)<{} THEN story||'\n'||?7 ELSE story END{} WHERE id=?1",
        long_history, fmt::join(more, ""));
}

// Which of the statements it is that writes so much of a step, in the order of the constructor.
std::size_t update_number(bool details, bool standing, bool settled, bool ends) {
    const std::size_t columns = standing ? 1U + (settled ? 1U : 0U) + (ends ? 2U : 0U) : 0U;
    return 2 * columns + (details ? 1U : 0U);
}

std::string select(std::string_view condition) {
    return std::string(rows::select_sale).append(condition);
}

}  // namespace

SalesTable::SalesTable(sqlite::Database& d, FieldCipher& cipher, UnreadableSales& unreadable)
    : database_(d),
      cipher_(cipher),
      unreadable_(unreadable),
      insert_(d,
              "INSERT INTO sales (id, terminal, key, digest, family, mode, estabelecimento, produto, fornecedor, valor,"
              " segment, request, callback_hash, redemption, created_at, updated_at, status, settled, attention,"
              " receipts, attempts, recorded_at, story, cashier, duplicate_hash)"
              " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,?,?,?,?)"
              " ON CONFLICT DO NOTHING"),
      insert_id_externo_(d, "INSERT INTO id_externos VALUES (?,?)"),
      updates_{sqlite::Statement(d, update_sql({})),
               sqlite::Statement(d, update_sql({with_details})),
               sqlite::Statement(d, update_sql({with_standing})),
               sqlite::Statement(d, update_sql({with_details, with_standing})),
               sqlite::Statement(d, update_sql({with_standing, with_settled})),
               sqlite::Statement(d, update_sql({with_details, with_standing, with_settled})),
               sqlite::Statement(d, update_sql({with_standing, with_day})),
               sqlite::Statement(d, update_sql({with_details, with_standing, with_day})),
               sqlite::Statement(d, update_sql({with_standing, with_settled, with_day})),
               sqlite::Statement(d, update_sql({with_details, with_standing, with_settled, with_day}))},
      update_esim_(d, "UPDATE sales SET esim=?2 WHERE id=?1"),
      insert_note_(d, "INSERT INTO notes (sale, note) VALUES (?,?)"),
      count_receipt_(d,
                     "UPDATE sales SET receipts=receipts+1, story=CASE WHEN length(story)<?3 THEN"
                     " story||char(10)||?2 ELSE story END WHERE id=?1 RETURNING receipts - 1"),
      note_receipt_(d, "UPDATE sales SET story=story||char(10)||?2 WHERE id=?1 AND length(story)<?3"),
      by_id_(d, select(" WHERE id = ?")),
      by_number_(d, select(" WHERE n = ?")),
      unsettled_(d, "SELECT n FROM sales WHERE settled = 0 ORDER BY n"),
      open_(d,
            "SELECT n FROM sales INDEXED BY sales_open WHERE settled = 0 AND n > ?1"
            " AND status NOT IN ('EFETIVADA', 'CANCELADA', 'NEGADA') AND (?2 IS NULL OR estabelecimento = ?2)"
            " ORDER BY n LIMIT ?3"),
      history_(d, "SELECT story, attempts FROM sales WHERE id = ?"),
      notes_(d, "SELECT note FROM notes WHERE sale = ? ORDER BY n"),
      history_length_(d, "SELECT length(story), story FROM sales WHERE id = ?") {}

Result<bool> SalesTable::insert(const Sale& sale, const std::optional<std::string>& duplicate_hash, Moment at) {
    const auto id = sale.id.text();
    std::optional<std::string> callback_hash;
    if (!sale.callback_secret.empty()) callback_hash = sha256_hex(sale.callback_secret.reveal());
    const auto digest = encrypt(encrypted::digest, id, sale.digest, 0);
    const auto request = encrypt(encrypted::request, id, sale.request.reveal(), 1);
    const auto redemption = encrypt(encrypted::redemption, id, sale.redemption, 2);
    const auto named = sale.cashier.empty() ? std::nullopt : std::optional<std::string_view>(sale.cashier);
    const auto cashier = encrypt(encrypted::cashier, id, named, 3);
    const auto step = first_step(sale, at);
    if (auto r = insert_.run(id, sale.terminal, sale.key, digest, to_string(sale.family), to_string(sale.mode),
                             sale.estabelecimento, sale.produto, sale.fornecedor, sale.valor.value, sale.segment,
                             request, callback_hash, redemption, milliseconds(sale.created_at), step.recorded_at,
                             to_string(sale.status), sale.settled, to_string(sale.attention), step.attempts,
                             step.recorded_at, step.history, cashier, duplicate_hash);
        r.has_error())
        return {boost::system::in_place_error, r.error()};
    if (database_.changes() == 0) return false;
    recorded_ = sale.id;
    if (auto r = insert_id_externo_.run(sale.current().id_externo.text(), id); r.has_error())
        return {boost::system::in_place_error, r.error()};
    return true;
}

Result<void> SalesTable::update(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry,
                                std::optional<Day> late_day, Moment at) {
    const auto id = sale.id.text();
    recorded_ = sale.id;
    const auto step = next_step(sale, change, fresh, entry, at);
    if (fresh != nullptr)
        if (auto r = insert_id_externo_.run(fresh->id_externo.text(), id); r.has_error()) return r;
    if (entry.event == encrypted::noted_event)
        if (auto r = insert_note(sale, entry.detail); r.has_error()) return r;
    if (change.esim)
        if (auto r = update_esim(sale, change.esim); r.has_error()) return r;
    const bool ends = change.day.has_value();
    const bool standing = step.changes_standing;
    auto& statement =
        updates_.at(update_number(change.details.has_value(), standing, change.settled != sale.settled, ends));
    const auto update = [&](const auto&... more) {
        return statement.run(id, milliseconds(change.at), step.reason, encrypt(encrypted::words, id, step.words, 0),
                             step.attempts, step.recorded_at, step.history, step.is_worth_a_line, more...);
    };
    if (!change.details && !standing) return update();
    const auto encrypted_details = encrypt(encrypted::details, id, step.facts, 1);
    const auto encrypted_goods = encrypt(encrypted::goods, id, step.goods, 2);
    if (!standing) return update(encrypted_details, encrypted_goods);
    const auto update_standing = [&](const auto&... more) {
        return update(encrypted_details, encrypted_goods, to_string(change.status), change.settled,
                      to_string(change.attention), step.gives_way, more...);
    };
    if (!ends) return update_standing();
    return update_standing(to_text(*change.day), late_day ? std::optional(to_text(*late_day)) : std::nullopt);
}

Result<void> SalesTable::insert_note(const Sale& sale, std::string_view note) {
    return insert_note_.run(sale.id.text(), encrypt(encrypted::note, sale.id.text(), note, 0));
}

Result<void> SalesTable::update_esim(const Sale& sale, const std::optional<EsimDetails>& esim) {
    const auto text = rows::esim_text(esim);
    return update_esim_.run(sale.id.text(), encrypt(encrypted::esim, sale.id.text(), text, 0));
}

std::optional<RecordedSale> SalesTable::take_recorded() {
    const auto id = std::exchange(recorded_, std::nullopt);
    if (!id) return std::nullopt;
    history_length_.bind_all(id->text());
    const auto row = history_length_.step();
    std::optional<RecordedSale> recorded;
    if (row.has_value() && *row && history_length_.is_text(1))
        recorded = RecordedSale{.id = *id, .history = history_length_.integer(0)};
    history_length_.reset();
    return recorded;
}

Result<std::int64_t> SalesTable::count_receipt(SaleId id, const std::string& line) {
    count_receipt_.bind_all(id.text(), line, long_history);
    const auto counted = count_receipt_.step();
    if (counted.has_error()) return counted.error();
    if (!*counted) return errc::not_found;
    const auto before = std::max(count_receipt_.integer(0), std::int64_t{0});
    count_receipt_.reset();
    return before;
}

Result<void> SalesTable::note_receipt(SaleId id, const std::string& line) {
    if (auto noted = note_receipt_.run(id.text(), line, longest_history); noted.has_error()) return noted;
    return database_.changes() == 1 ? Result<void>() : errc::not_found;
}

Result<std::optional<Sale>> SalesTable::find(SaleId id, Moment at) {
    by_id_.bind_all(id.text());
    return read(by_id_, at);
}

Result<std::optional<Sale>> SalesTable::read_number(std::int64_t number, Moment at) {
    by_number_.bind_all(number);
    return read(by_number_, at);
}

// The sale of the row that the statement gives; none where it gives none.
Result<std::optional<Sale>> SalesTable::read(sqlite::Statement& found, Moment at) {
    const auto row = found.step();
    if (row.has_error()) return row.error();
    if (!*row) return std::optional<Sale>();
    rows::FieldReader fields(cipher_);
    const auto number = found.integer(rows::number_column);
    auto sale = rows::read_sale(found, fields, at);
    found.reset();
    if (sale.has_error()) {
        unreadable_.add(number);
        return sale.error();
    }
    unreadable_.remove(number);
    if (fields.unreadable() > 0) unreadable_.add_values(*sale, number, fields.unreadable());
    return std::optional(std::move(*sale));
}

Result<SalePage> SalesTable::list(const SaleFilter& filter, Moment at) {
    rows::FieldReader fields(cipher_);
    auto found = read_page(database_, filter, fields);
    if (found.has_error()) return found.error();
    SalePage page{.sales = {}, .next = found->next, .unreadable = {}};
    for (auto& [number, id] : found->sales) {
        auto sale = read_number(number, at);
        if (sale.has_error() && sale.error() == errc::sale_unreadable)
            page.unreadable.push_back(rows::shown(std::move(id)));
        else if (sale.has_error())
            return sale.error();
        else if (*sale)
            page.sales.push_back(std::move(**sale));
    }
    return page;
}

Result<AdoptedSales> SalesTable::unfinished(Moment at) {
    std::vector<std::int64_t> numbers;
    unsettled_.bind_all();
    while (true) {
        const auto row = unsettled_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        numbers.push_back(unsettled_.integer(0));
    }
    unsettled_.reset();
    AdoptedSales unfinished;
    for (const auto number : numbers) {
        auto sale = read_number(number, at);
        if (sale.has_error() && sale.error() == errc::sale_unreadable)
            ++unfinished.unreadable;
        else if (sale.has_error())
            return sale.error();
        else if (*sale)
            unfinished.sales.push_back(std::move(**sale));
    }
    return unfinished;
}

Result<OpenPage> SalesTable::open(const std::optional<std::string>& estabelecimento, const std::string& after,
                                  Moment at) {
    std::int64_t last = 0;
    const auto [end, failure] = std::from_chars(after.data(), after.data() + after.size(), last);
    if (!after.empty() && (failure != std::errc{} || end != after.data() + after.size())) return errc::malformed;
    std::vector<std::int64_t> numbers;
    open_.bind_all(last, estabelecimento, open_at_once);
    while (true) {
        const auto row = open_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        numbers.push_back(open_.integer(0));
    }
    open_.reset();
    OpenPage page;
    if (numbers.size() == open_at_once) page.next = std::to_string(numbers.back());
    for (const auto number : numbers) {
        auto sale = read_number(number, at);
        if (sale.has_error() && sale.error() == errc::sale_unreadable)
            ++page.unreadable;
        else if (sale.has_error())
            return sale.error();
        else if (*sale)
            page.sales.push_back(std::move(**sale));
    }
    return page;
}

Result<boost::json::array> SalesTable::history(SaleId id, Moment at) {
    history_.bind_all(id.text());
    const auto found = history_.step();
    if (found.has_error()) return found.error();
    if (!*found) return boost::json::array();
    const auto attempts = rows::read_attempts(history_.text(1), at.wall, at);
    auto history = rows::read_history(history_.text(0), attempts);
    history_.reset();
    // Where an entry is missing it is not known which note belongs to which decision.
    if (!history.complete) return std::move(history.entries);
    if (auto noted = add_notes(id, history.entries); noted.has_error()) return noted.error();
    return std::move(history.entries);
}

// Gives every decision by hand the note that came with it.
Result<void> SalesTable::add_notes(SaleId id, boost::json::array& entries) {
    rows::FieldReader fields(cipher_);
    notes_.bind_all(id.text());
    for (auto& entry : entries) {
        auto& object = entry.get_object();
        if (object["event"].get_string() != encrypted::noted_event) continue;
        const auto row = notes_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        if (!notes_.is_null(0)) object["detail"] = rows::shown(fields.text(notes_, 0, encrypted::note, id.text()));
    }
    notes_.reset();
    unreadable_.add_values(fields.unreadable());
    return {};
}

}  // namespace gateway
