#include "journal/sqlite/sqlite_journal.hpp"

#include "journal/callbacks.hpp"
#include "journal/closes.hpp"
#include "journal/dating.hpp"
#include "journal/days.hpp"
#include "journal/erasure.hpp"
#include "journal/findings.hpp"
#include "journal/key_rotation.hpp"
#include "journal/keys.hpp"
#include "journal/marked_sales.hpp"
#include "journal/recorded_step.hpp"
#include "journal/sales.hpp"
#include "journal/sqlite/engine.hpp"
#include "journal/sqlite/write_ahead_log.hpp"
#include "journal/statements.hpp"
#include "journal/token.hpp"
#include "journal/tx.hpp"
#include "journal/unreadable_sales.hpp"

namespace gateway {
namespace {

using Access = Writer::Access;

Moment moment(const Clock& clock) {
    return {.now = clock.now(), .wall = clock.wall(), .boot = clock.boot()};
}

}  // namespace

SqliteJournal::SqliteJournal(boost::asio::any_io_executor executor, OpenedFile file,
                             std::unique_ptr<FieldCipher> cipher, Random* random, Durability durability, Clock& clock)
    : clock_(clock),
      is_file_(file.is_file),
      path_(file.database.file()),
      lock_(std::move(file.lock)),
      cipher_(std::move(cipher)),
      random_(random),
      engine_(
          std::make_unique<sqlite::Engine>(std::move(file.database), clock, std::move(file.sidecars), file.log_bytes)) {
    if (file.exposed)
        engine_->protect_last_commit(file.exposed, [this] { (void)lock_.note_run(RunState::begun, clock_.boot()); });
    if (is_file_) {
        engine_->after_commits([this] { note_recorded(); });
        const auto needed = needed_for_an_hour(engine_->database());
        engine_->need(needed.has_value() ? *needed : least_needed_bytes);
    }
    writer_ = std::make_unique<Writer>(std::move(executor), *engine_, durability);
}

// The writer's thread ends before what it uses, and then the file is closed. A log that is still there is noted to be
// durable. Where there is none any more, nothing is noted: a log that the next start finds was made by another program.
SqliteJournal::~SqliteJournal() {
    writer_.reset();
    const std::string vfs = engine_->database().vfs();
    const bool durable = engine_->end();
    engine_.reset();
    // A run that cannot be noted is taken for one that did not end in order.
    if (durable && is_log_there(path_, vfs.c_str())) (void)lock_.note_run(RunState::ended, clock_.boot());
}

// So that the next start knows an older copy in the journal's place. Without the note, that is all that is lost.
void SqliteJournal::note_recorded() {
    const auto id = std::exchange(recorded_, std::nullopt);
    if (!id) return;
    Tx tx(engine_->transaction(), *cipher_, unreadable_sales_, moment(clock_));
    const auto length = sqlite::run_to_end(sales::history_length(tx, *id));
    if (length.has_value() && *length) (void)lock_.note_recorded_sale({.id = *id, .history = **length});
}

template <class T, class Work>
auto SqliteJournal::perform(Access access, Work work) -> Awaited<T> {
    std::function<Job<T>(Transaction&)> job = [this, work = std::move(work),
                                               at = moment(clock_)](Transaction& transaction) -> Job<T> {
        Tx tx(transaction, *cipher_, unreadable_sales_, at);
        co_return co_await work(tx);
    };
    return writer_->run<T>(access, std::move(job));
}

// Every operation hands a job to the writer. A job may refer to the arguments, which live until the caller has awaited
// the operation; what may change meanwhile is taken along as it is now.

auto SqliteJournal::begin(const Sale& sale) -> Awaited<KeyState> {
    return perform<KeyState>(Access::write, [this, &sale](Tx& tx) -> Job<KeyState> {
        auto state = co_await sales::begin(tx, sale, random_);
        if (!state.sale && !state.cancelled && !state.duplicate_of) recorded_ = sale.id;
        co_return state;
    });
}

auto SqliteJournal::record(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry)
    -> Awaited<void> {
    return perform<void>(Access::write, [this, &sale, &change, fresh, &entry](Tx& tx) {
        recorded_ = sale.id;
        return sales::record(tx, sale, change, fresh, entry);
    });
}

// Nothing ends unknown here, so that there is nothing to resolve.
auto SqliteJournal::reread(SaleId id) -> Awaited<Sale> {
    return perform<Sale>(Access::read, [id](Tx& tx) { return sales::reread(tx, id); });
}

auto SqliteJournal::find(SaleId id) -> Awaited<std::optional<Sale>> {
    return perform<std::optional<Sale>>(Access::read, [id](Tx& tx) { return sales::find(tx, id); });
}

auto SqliteJournal::list(const SaleFilter& filter) -> Awaited<SalePage> {
    return perform<SalePage>(Access::read, [&](Tx& tx) { return sales::list(tx, filter); });
}

auto SqliteJournal::adopt() -> Awaited<AdoptedSales> {
    return perform<AdoptedSales>(Access::read, sales::unfinished);
}

auto SqliteJournal::marked() -> Awaited<std::vector<MarkedSale>> {
    return perform<std::vector<MarkedSale>>(Access::read, marked_sales::all);
}

auto SqliteJournal::history(SaleId id) -> Awaited<boost::json::array> {
    return perform<boost::json::array>(Access::read, [id](Tx& tx) { return sales::history(tx, id); });
}

auto SqliteJournal::count_receipt(const Sale& sale) -> Awaited<std::int64_t> {
    // The line is written here: the sale may go on while the journal's thread works.
    return perform<std::int64_t>(Access::write, [id = sale.id, line = receipt_line(sale, clock_.wall())](Tx& tx) {
        return sales::count_receipt(tx, id, line);
    });
}

auto SqliteJournal::note_receipt(const Sale& sale, const std::string& by) -> Awaited<void> {
    return perform<void>(Access::write, [id = sale.id, line = receipt_line(sale, clock_.wall(), by)](Tx& tx) {
        return sales::note_receipt(tx, id, line);
    });
}

auto SqliteJournal::sales_of_days(const DayFilter& filter, const std::string& after) -> Awaited<DayPage> {
    return perform<DayPage>(Access::read, [&](Tx& tx) { return days::of_days(tx, filter, after); });
}

auto SqliteJournal::sales_of_close(const CloseKey& key, const std::string& after) -> Awaited<DayPage> {
    return perform<DayPage>(Access::read, [&](Tx& tx) { return days::of_close(tx, key, after); });
}

auto SqliteJournal::open_sales(const std::optional<std::string>& estabelecimento, const std::string& after)
    -> Awaited<OpenPage> {
    return perform<OpenPage>(Access::read, [&](Tx& tx) { return sales::open(tx, estabelecimento, after); });
}

auto SqliteJournal::begin_close(const CloseKey& key, WallTime at, const std::string& by) -> Awaited<Close> {
    return perform<Close>(Access::write, [&key, at, &by](Tx& tx) { return closes::begin(tx, key, at, by); });
}

auto SqliteJournal::finish_close(const Close& close) -> Awaited<void> {
    return perform<void>(Access::write, [&](Tx& tx) { return closes::finish(tx, close); });
}

auto SqliteJournal::closes(const CloseFilter& filter) -> Awaited<std::vector<Close>> {
    return perform<std::vector<Close>>(Access::read, [&](Tx& tx) { return closes::list(tx, filter); });
}

auto SqliteJournal::forgotten_days(const std::string& estabelecimento, Day from, Day to) -> Awaited<std::vector<Day>> {
    return perform<std::vector<Day>>(Access::read, [&estabelecimento, from, to](Tx& tx) {
        return closes::forgotten_days(tx, estabelecimento, from, to);
    });
}

auto SqliteJournal::date_old_sales(const Rules& rules) -> Awaited<Dated> {
    return perform<Dated>(Access::write, [&](Tx& tx) { return dating::date_some(tx, rules); });
}

auto SqliteJournal::known_statement(const std::string& digest, const std::string& reading)
    -> Awaited<std::optional<KeptStatement>> {
    return perform<std::optional<KeptStatement>>(Access::read,
                                                 [&](Tx& tx) { return statements::find(tx, digest, reading); });
}

auto SqliteJournal::last_statement(const std::string& source) -> Awaited<std::optional<KeptStatement>> {
    return perform<std::optional<KeptStatement>>(Access::read, [&](Tx& tx) { return statements::last(tx, source); });
}

auto SqliteJournal::statements(std::optional<std::int64_t> before, std::size_t limit)
    -> Awaited<std::vector<KeptStatement>> {
    return perform<std::vector<KeptStatement>>(Access::read,
                                               [=](Tx& tx) { return statements::list(tx, before, limit); });
}

auto SqliteJournal::keep_statement(const KeptStatement& statement, const std::vector<Finding>& findings)
    -> Awaited<FindingChanges> {
    return perform<FindingChanges>(Access::write, [&](Tx& tx) { return findings::keep(tx, statement, findings); });
}

auto SqliteJournal::findings(const FindingFilter& filter) -> Awaited<std::vector<Finding>> {
    return perform<std::vector<Finding>>(Access::read, [&](Tx& tx) { return findings::list(tx, filter); });
}

auto SqliteJournal::close_finding(std::int64_t number, const std::string& note, const std::string& by, WallTime at)
    -> Awaited<Finding> {
    return perform<Finding>(Access::write, [&, number, at](Tx& tx) {
        return findings::close(tx, number, {.at = at, .as = FindingEnd::resolved, .by = by, .note = note});
    });
}

auto SqliteJournal::finding_done(std::int64_t number, const std::string& effect, bool settled, WallTime at)
    -> Awaited<Finding> {
    const auto settled_at = settled ? std::optional(at) : std::nullopt;
    return perform<Finding>(Access::write, [number, &effect, settled_at](Tx& tx) {
        return findings::done(tx, number, effect, settled_at);
    });
}

auto SqliteJournal::open_findings() -> Awaited<std::map<FindingKind, std::int64_t>> {
    return perform<std::map<FindingKind, std::int64_t>>(Access::read, findings::count_open);
}

auto SqliteJournal::owners(const std::vector<std::string>& id_externos) -> Awaited<std::vector<std::optional<SaleId>>> {
    return perform<std::vector<std::optional<SaleId>>>(Access::read,
                                                       [&](Tx& tx) { return keys::owners(tx, id_externos); });
}

auto SqliteJournal::id_prefixes() -> Awaited<std::vector<std::string>> {
    return perform<std::vector<std::string>>(Access::read, keys::prefixes);
}

auto SqliteJournal::cancel_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    return perform<KeyState>(Access::write, [&](Tx& tx) { return keys::cancel(tx, terminal, key); });
}

auto SqliteJournal::find_key(const std::string& terminal, const std::string& key) -> Awaited<KeyState> {
    return perform<KeyState>(Access::read, [&](Tx& tx) { return keys::find(tx, terminal, key); });
}

auto SqliteJournal::find_callback(const std::string& secret) -> Awaited<std::optional<SaleId>> {
    return perform<std::optional<SaleId>>(Access::read, [&](Tx& tx) { return callbacks::find_sale(tx, secret); });
}

auto SqliteJournal::keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) -> Awaited<void> {
    return perform<void>(Access::write,
                         [&, sale, kind, valid](Tx& tx) { return callbacks::insert(tx, sale, kind, valid, body); });
}

auto SqliteJournal::callbacks(SaleId id) -> Awaited<boost::json::array> {
    return perform<boost::json::array>(Access::read, [id](Tx& tx) { return callbacks::list(tx, id); });
}

auto SqliteJournal::load_token() -> Awaited<std::optional<KeptToken>> {
    return perform<std::optional<KeptToken>>(Access::read, token::load);
}

auto SqliteJournal::save_token(const std::optional<KeptToken>& token) -> Awaited<void> {
    return perform<void>(Access::write, [&](Tx& tx) { return token::save(tx, token); });
}

auto SqliteJournal::erase_personal(WallTime cutoff) -> Awaited<Erased> {
    auto erase = [&](Tx& tx) { return erasure::erase_some(tx, cutoff, erasure_came_back_to_); };
    auto round = co_await perform<erasure::Round>(Access::write, std::move(erase));
    if (round.has_error()) co_return round.error();
    erasure_came_back_to_ = std::move(round->came_back_to);
    co_return round->erased;
}

auto SqliteJournal::rotate_keys() -> Awaited<KeyRotationState> {
    return perform<KeyRotationState>(Access::write, [](Tx& tx) { return key_rotation::rotate_some(tx); });
}

auto SqliteJournal::forget_old_pages() -> Awaited<void> {
    return perform<void>(Access::read, [this](Tx&) -> Job<void> {
        auto& database = engine_->database();
        if (database.in_transaction()) throw JobFailed(errc::journal_unavailable);  // other jobs are being served
        engine_->wait_no_longer();  // for another program that reads, and may do so for minutes
        const auto busy = database.number("PRAGMA wal_checkpoint(TRUNCATE)");
        if (busy.has_error()) throw JobFailed(busy.error());
        if (*busy != 0) throw JobFailed(errc::journal_unavailable);
        co_return;
    });
}

auto SqliteJournal::probe() -> Awaited<void> {
    return perform<void>(Access::write, [](Tx& tx) -> Job<void> {
        tx.run(sql::write_something);
        tx.run(sql::take_it_back);
        co_return;
    });
}

// The engine looks at the files before every batch.
auto SqliteJournal::check_files() -> Awaited<void> {
    if (!is_file_) co_return Result<void>();
    auto nothing = [](Tx&) -> Job<void> { co_return; };
    co_return co_await perform<void>(Access::read, nothing);
}

auto SqliteJournal::learn_pace() -> Awaited<void> {
    if (!is_file_) co_return Result<void>();
    auto learn = [this](Tx&) -> Job<void> {
        const auto needed = needed_for_an_hour(engine_->database());
        if (needed.has_error()) throw JobFailed(needed.error());
        engine_->need(*needed);
        co_return;
    };
    co_return co_await perform<void>(Access::read, std::move(learn));
}

std::optional<DiskRoom> SqliteJournal::disk() const {
    return is_file_ ? room_beside(path_, engine_->needed_bytes()) : std::nullopt;
}

std::optional<std::string_view> SqliteJournal::moved_file() const noexcept {
    const char* const ending = engine_->moved_ending();
    return ending != nullptr ? std::optional<std::string_view>(ending) : std::nullopt;
}

}  // namespace gateway
