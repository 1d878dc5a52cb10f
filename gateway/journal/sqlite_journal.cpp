#include "journal/sqlite_journal.hpp"

#include "base/digest.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/list_query.hpp"
#include "journal/marked_sales.hpp"
#include "journal/rows.hpp"
#include "journal/statements.hpp"

#include <boost/json/object.hpp>

namespace gateway {

using Access = Writer::Access;
using rows::milliseconds;

SqliteJournal::SqliteJournal(boost::asio::any_io_executor executor, const JournalOptions& options, Clock& clock,
                             sqlite::Database database, std::unique_ptr<FieldCipher> cipher, FileLock lock,
                             std::vector<Writer::SidecarFile> beside)
    : clock_(clock),
      is_file_(options.vfs == nullptr),
      lock_(std::move(lock)),
      cipher_(std::move(cipher)),
      writer_(
          std::make_unique<Writer>(std::move(executor), std::move(database), options.durability, std::move(beside))) {
    statements_ = std::make_unique<Statements>(writer_->database(), *cipher_);
    key_rotation_ = std::make_unique<KeyRotation>(writer_->database(), *cipher_);
}

SqliteJournal::~SqliteJournal() {
    writer_.reset();
}

Result<KeyState> SqliteJournal::fate_of(std::string_view terminal, std::string_view key) {
    auto& s = *statements_;
    s.sale_by_key.bind_all(terminal, key);
    const auto known = s.sale_by_key.step();
    if (known.has_error()) return known.error();
    KeyState fate;
    if (*known) {
        const auto id = readable_id(s.sale_by_key);
        s.sale_by_key.reset();
        if (id.has_error()) return id.error();
        fate.sale = *id;
    }
    if (fate.sale) return fate;
    const auto cancelled = s.is_cancelled(terminal, key);
    if (cancelled.has_error()) return cancelled.error();
    fate.cancelled = *cancelled;
    return fate;
}

namespace {

// The entry as it is written about an attempt.
HistoryEntry about(HistoryEntry entry, WallTime at, std::size_t attempt, AttemptState state) {
    // A person's note may name people: it is kept apart, encrypted.
    if (entry.event == encrypted::noted_event) entry.detail = {};
    entry.at = at;
    entry.attempt = attempt;
    entry.state = to_string(state);
    return entry;
}

constexpr HistoryEntry begun{.event = "begun"};

// Whether nothing of the sale is another afterwards.
bool is_repeated(const Sale& sale, const Change& change) {
    return change.next.state == sale.attempts.at(change.attempt).state && change.status == sale.status &&
           change.settled == sale.settled && change.attention == sale.attention && !change.again;
}

// Whether the journal may have another status, settled or attention of the sale. A mark that the disk did not take when
// a value could not be opened is one of those.
bool changes_standing(const Sale& sale, const Change& change) {
    return change.status != sale.status || change.settled != sale.settled || change.attention != Attention::none ||
           sale.attention != Attention::none;
}

}  // namespace

auto SqliteJournal::begin(const Sale& sale) -> Awaited<KeyState> {
    const auto wall = clock_.wall();
    const auto now = clock_.now();
    auto work = [&]() -> Result<KeyState> {
        auto& s = *statements_;
        const auto cancelled = s.is_cancelled(sale.terminal, sale.key);
        if (cancelled.has_error()) return cancelled.error();
        if (*cancelled) return KeyState{.cancelled = true};
        const auto id = sale.id.text();
        std::optional<std::string> callback_hash;
        if (!sale.callback_secret.empty()) callback_hash = sha256_hex(sale.callback_secret.reveal());
        const auto digest = s.seal(encrypted::digest, id, sale.digest, 0);
        const auto request = s.seal(encrypted::request, id, sale.request.reveal(), 1);
        const auto redemption = s.seal(encrypted::redemption, id, sale.redemption, 2);
        rows::AttemptsText attempts(now, wall);
        attempts.add(sale.current());
        std::string history;
        rows::append_entry(history, about(begun, wall, 0, sale.current().state));
        const auto at = milliseconds(wall);
        if (auto r = s.insert_sale.run(id, sale.terminal, sale.key, digest, to_string(sale.family),
                                       to_string(sale.mode), sale.estabelecimento, sale.produto, sale.fornecedor,
                                       sale.valor.value, sale.segment, request, callback_hash, redemption,
                                       milliseconds(sale.created_at), at, to_string(sale.status), sale.settled,
                                       to_string(sale.attention), attempts.finish(), at, history);
            r.has_error())
            return r.error();
        if (s.database.changes() == 0) {  // a sale has the key
            auto fate = fate_of(sale.terminal, sale.key);
            if (fate.has_error()) return fate;
            if (!fate->sale) return errc::sale_unreadable;  // has it under another name
            if (fate->sale == sale.id) return KeyState{};   // this one, recorded before
            return fate;
        }
        if (auto r = s.insert_id_externo.run(sale.current().id_externo.text(), id); r.has_error()) return r.error();
        if (auto r = s.written(id); r.has_error()) return r.error();
        return KeyState{};
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto SqliteJournal::record(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry)
    -> Awaited<void> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&]() -> Result<void> {
        auto& s = *statements_;
        const auto id = sale.id.text();
        if (auto r = s.written(id); r.has_error()) return r;
        rows::AttemptsText attempts(now, wall);
        for (std::size_t i = 0; i < sale.attempts.size(); ++i)
            attempts.add(i == change.attempt ? change.next : sale.attempts[i]);
        std::string history;
        rows::append_entry(history, about(entry, change.at, change.attempt, change.next.state));
        if (fresh != nullptr) {
            attempts.add(*fresh);
            rows::append_entry(history, about(begun, change.at, sale.attempts.size(), fresh->state));
            if (auto r = s.insert_id_externo.run(fresh->id_externo.text(), id); r.has_error()) return r;
        }
        if (entry.event == encrypted::noted_event)
            if (auto r = s.insert_note.run(id, s.seal(encrypted::note, id, entry.detail, 0)); r.has_error()) return r;
        if (change.esim) {
            const auto esim = rows::esim_text(change.esim);
            if (auto r = s.update_esim.run(id, s.seal(encrypted::esim, id, esim, 0)); r.has_error()) return r;
        }
        const auto words = rows::words_text(change.reason);
        const auto details = change.details ? rows::facts_text(*change.details) : std::nullopt;
        const auto goods = change.details ? rows::goods_text(*change.details) : std::nullopt;
        const bool standing = changes_standing(sale, change);
        auto& statement = s.update(change.details.has_value(), standing);
        const auto update = [&](const auto&... more) {
            return statement.run(id, milliseconds(change.at), rows::reason_text(change.reason),
                                 s.seal(encrypted::words, id, words, 0), attempts.finish(),
                                 milliseconds(attempts.recorded_at()), history, !is_repeated(sale, change), more...);
        };
        if (!change.details && !standing) return update();
        const auto sealed_facts = s.seal(encrypted::details, id, details, 1);
        const auto sealed_goods = s.seal(encrypted::goods, id, goods, 2);
        if (!standing) return update(sealed_facts, sealed_goods);
        return update(sealed_facts, sealed_goods, to_string(change.status), change.settled,
                      to_string(change.attention));
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto SqliteJournal::cancel_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    const auto at = milliseconds(clock_.wall());
    auto work = [&]() -> Result<KeyState> {
        auto fate = fate_of(terminal, key);
        if (fate.has_error() || fate->sale || fate->cancelled) return fate;
        if (auto r = statements_->cancel(terminal, key, at); r.has_error()) return r.error();
        fate->cancelled = true;
        return fate;
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

Result<std::optional<Sale>> SqliteJournal::load(sqlite::Statement& found, Instant now, WallTime wall) {
    const auto row = found.step();
    if (row.has_error()) return row.error();
    if (!*row) return std::optional<Sale>();
    rows::Opening opening(*cipher_);
    const auto number = found.integer(rows::number_column);
    auto sale = rows::read_sale(found, opening, now, wall);
    found.reset();
    if (sale.has_error()) {
        mark_unreadable(number);
        return sale.error();
    }
    if (!unreadable_sales_.empty()) unreadable_sales_.erase(number);
    if (opening.unreadable() > 0) mark_unreadable(*sale, number, opening.unreadable());
    return std::optional(std::move(*sale));
}

// The sale is marked for a person, and counted once for as long as it stays so. Marked as well as it can be: a disk
// that takes no mark now gets it at the next reading.
void SqliteJournal::mark_unreadable(std::int64_t number) {
    if (unreadable_sales_.insert(number).second) ++unreadable_;
    std::string line;
    rows::append_entry(line, {.event = "unreadable", .at = clock_.wall()});
    constexpr bool again = true;  // a mark that is gone comes back: nobody can have dealt with it
    (void)statements_->mark_unreadable.run(number, line, again);
}

// A value that does not open was damaged or altered: the sale goes on without it, and a person is asked to look, once.
// Marked as well as it can be: a disk that takes no mark now gets it with the sale's next step or at its next reading.
void SqliteJournal::mark_unreadable(Sale& sale, std::int64_t number, std::size_t values) {
    unreadable_ += values;
    std::string line;
    rows::append_entry(line,
                       about({.event = "unreadable"}, clock_.wall(), sale.attempts.size() - 1, sale.current().state));
    constexpr bool again = false;
    const auto marked = statements_->mark_unreadable.run(number, line, again);
    const bool new_to_us = marked.has_error() || statements_->database.changes() > 0;
    if (new_to_us && sale.attention == Attention::none) sale.attention = Attention::unreadable;
}

// The id of a sale, by columns (id, n).
Result<SaleId> SqliteJournal::readable_id(const sqlite::Statement& row) {
    const auto id = SaleId::parse(row.text(0));
    if (id) return *id;
    mark_unreadable(row.integer(1));
    return errc::sale_unreadable;
}

auto SqliteJournal::find(SaleId id) -> Awaited<std::optional<Sale>> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&] {
        statements_->sale.bind_all(id.text());
        return load(statements_->sale, now, wall);
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

// Nothing ends unknown here, so that there is nothing to resolve.
auto SqliteJournal::reread(SaleId id) -> Awaited<Sale> {
    auto found = co_await find(id);
    if (found.has_error()) co_return found.error();
    if (!*found) co_return errc::not_found;
    co_return std::move(**found);
}

auto SqliteJournal::find_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    auto work = [&] { return fate_of(terminal, key); };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::find_callback(const std::string& secret) -> Awaited<std::optional<SaleId>> {
    auto work = [&]() -> Result<std::optional<SaleId>> {
        auto& s = statements_->sale_by_callback;
        const auto hash = sha256_hex(secret);
        s.bind_all(hash);
        const auto found = s.step();
        if (found.has_error()) return found.error();
        if (!*found) return std::optional<SaleId>();
        const auto id = readable_id(s);
        s.reset();
        if (id.has_error()) return id.error();
        return std::optional(*id);
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::list(const SaleFilter& filter) -> Awaited<SalePage> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&]() -> Result<SalePage> {
        auto found = read_page(statements_->database, filter);
        if (found.has_error()) return found.error();
        SalePage page{.sales = {}, .next = found->next, .unreadable = {}};
        for (auto& [number, id] : found->sales) {
            statements_->sale_by_number.bind_all(number);
            auto sale = load(statements_->sale_by_number, now, wall);
            if (sale.has_error() && sale.error() == errc::sale_unreadable)
                page.unreadable.push_back(rows::shown(std::move(id)));
            else if (sale.has_error())
                return sale.error();
            else if (*sale)
                page.sales.push_back(std::move(**sale));
        }
        return page;
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::marked() -> Awaited<std::vector<MarkedSale>> {
    auto work = [&] { return marked_sales(statements_->database); };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::history(SaleId id) -> Awaited<boost::json::array> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&]() -> Result<boost::json::array> {
        auto& s = *statements_;
        s.story.bind_all(id.text());
        const auto found = s.story.step();
        if (found.has_error()) return found.error();
        if (!*found) return boost::json::array();
        auto history = rows::read_history(s.story.text(0), rows::read_attempts(s.story.text(1), wall, now, wall));
        s.story.reset();
        // Which note belongs to which decision is not known where a line is missing.
        if (!history.complete) return std::move(history.lines);
        if (auto noted = add_notes(id, history.lines); noted.has_error()) return noted.error();
        return std::move(history.lines);
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

// Gives every decision by hand in a history the note that came with it.
Result<void> SqliteJournal::add_notes(SaleId id, boost::json::array& lines) {
    auto& notes = statements_->notes;
    rows::Opening opening(*cipher_);
    notes.bind_all(id.text());
    for (auto& line : lines) {
        auto& object = line.get_object();
        if (object.at("event").get_string() != encrypted::noted_event) continue;
        const auto row = notes.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        if (!notes.is_null(0)) object["detail"] = rows::shown(opening.text(notes, 0, encrypted::note, id.text()));
    }
    notes.reset();
    unreadable_ += opening.unreadable();
    return {};
}

auto SqliteJournal::callbacks(SaleId id) -> Awaited<boost::json::array> {
    auto work = [&]() -> Result<boost::json::array> {
        auto& s = statements_->callbacks;
        boost::json::array lines;
        rows::Opening opening(*cipher_);
        s.bind_all(id.text());
        while (true) {
            const auto row = s.step();
            if (row.has_error()) return row.error();
            if (!*row) break;
            if (auto line = rows::read_callback(s, id.text(), opening)) lines.push_back(std::move(*line));
        }
        s.reset();
        unreadable_ += opening.unreadable();
        return lines;
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::unfinished() -> Awaited<UnfinishedSales> {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    auto work = [&]() -> Result<UnfinishedSales> {
        auto& ids = statements_->unsettled;
        UnfinishedSales unfinished;
        std::vector<std::int64_t> numbers;
        ids.bind_all();
        while (true) {
            const auto row = ids.step();
            if (row.has_error()) return row.error();
            if (!*row) break;
            numbers.push_back(ids.integer(0));
        }
        ids.reset();
        for (const auto number : numbers) {
            statements_->sale_by_number.bind_all(number);
            auto sale = load(statements_->sale_by_number, now, wall);
            if (sale.has_error() && sale.error() == errc::sale_unreadable)
                ++unfinished.unreadable;
            else if (sale.has_error())
                return sale.error();
            else if (*sale)
                unfinished.sales.push_back(std::move(**sale));
        }
        return unfinished;
    };
    co_return co_await writer_->run(Access::read, std::move(work));
}

auto SqliteJournal::count_receipt(const Sale& sale) -> Awaited<std::int64_t> {
    // Written here: the sale may go on while the journal's thread works.
    const auto id = sale.id;
    std::string line;
    rows::append_entry(line,
                       about({.event = "receipt"}, clock_.wall(), sale.attempts.size() - 1, sale.current().state));
    auto work = [&]() -> Result<std::int64_t> {
        auto& s = statements_->count_receipt;
        s.bind_all(id.text(), line, long_history);
        const auto counted = s.step();
        if (counted.has_error()) return counted.error();
        if (!*counted) return errc::not_found;
        const auto before = std::max(s.integer(0), std::int64_t{0});
        s.reset();
        return before;
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

auto SqliteJournal::keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) -> Awaited<void> {
    const auto at = milliseconds(clock_.wall());
    auto work = [&]() -> Result<void> {
        auto& s = *statements_;
        if (auto r = s.written(sale.text()); r.has_error()) return r;
        return s.insert_callback.run(at, sale.text(), kind, valid,
                                     s.seal(encrypted::callback_body, sale.text(), body.reveal(), 0));
    };
    co_return co_await writer_->run(Access::write, std::move(work));
}

JournalStats SqliteJournal::stats() const {
    return writer_->stats();
}

bool SqliteJournal::healthy() const noexcept {
    return writer_->healthy();
}

std::optional<std::string_view> SqliteJournal::moved_file() const noexcept {
    const char* const ending = writer_->moved_ending();
    return ending != nullptr ? std::optional<std::string_view>(ending) : std::nullopt;
}

bool SqliteJournal::damaged() const noexcept {
    return writer_->damaged();
}

}  // namespace gateway
