#include "journal/sqlite/sqlite_journal.hpp"

#include "journal/duplicates.hpp"
#include "journal/recorded_step.hpp"
#include "journal/sales.hpp"
#include "journal/sqlite/engine.hpp"
#include "journal/sqlite/write_ahead_log.hpp"
#include "journal/token.hpp"

namespace gateway {

SqliteJournal::SqliteJournal(boost::asio::any_io_executor executor, OpenedFile file,
                             std::unique_ptr<FieldCipher> cipher, Random* random, Durability durability, Clock& clock)
    : TableJournal(std::move(cipher), clock, encrypted::tables),
      is_file_(file.is_file),
      path_(file.database.file()),
      lock_(std::move(file.lock)),
      random_(random),
      engine_(
          std::make_unique<sqlite::Engine>(std::move(file.database), clock, std::move(file.sidecars), file.log_bytes)) {
    if (file.exposed)
        engine_->protect_last_commit(file.exposed, [this] { (void)lock_.note_run(RunState::begun, clock_.boot()); });
    if (lock_.is_held())
        engine_->after_commits([this](bool done) {
            const auto recorded = std::exchange(recorded_, std::nullopt);
            if (!done) return;
            note_log();
            if (recorded) note_recorded(*recorded);
        });
    if (is_file_) {
        const auto needed = needed_for_an_hour(engine_->database());
        engine_->need(needed.has_value() ? *needed : least_needed_bytes);
    }
    writer_ = std::make_unique<Writer>(std::move(executor), *engine_, durability);
}

// The writer's thread ends before the objects that it uses; then the file is closed. If the log is still there, it is
// noted as durable. If it is gone, nothing is noted, because a log that the next start finds was made by another
// program.
SqliteJournal::~SqliteJournal() {
    writer_.reset();
    const std::string vfs = engine_->database().vfs();
    const bool durable = engine_->end();
    engine_.reset();
    // A run whose end cannot be noted counts as one that did not end in order.
    if (durable && is_log_there(path_, vfs.c_str())) (void)lock_.note_run(RunState::ended, clock_.boot());
}

// Notes on which file the log stands, once for each log, so that the next start notices a copy that was written over
// that file with the log left beside it.
void SqliteJournal::note_log() {
    const auto base = base_of_log(engine_->database(), noted_log_);
    if (base && lock_.note_log(*base).has_value()) noted_log_ = base->log;
}

// Notes the sale that was recorded last, so that the next start recognises an older copy in the journal's place. Where
// the note cannot be written, nothing but that is lost.
void SqliteJournal::note_recorded(SaleId id) {
    Tx tx(engine_->transaction(), *cipher_, unreadable_sales_, moment());
    const auto length = sqlite::run_to_end(sales::history_length(tx, id));
    if (length.has_value() && *length) (void)lock_.note_recorded_sale({.id = id, .history = **length});
}

auto SqliteJournal::begin(const Sale& sale) -> Awaited<KeyState> {
    return perform<KeyState>(Lane::of_sales, Access::write, [this, &sale](Tx& tx) -> Job<KeyState> {
        std::optional<std::string> hash;
        if (sale.duplicate_check) {
            const auto key = co_await duplicates::key(tx, random_);
            hash = duplicate_hash(sale, key);
        }
        const sales::Owner alone;
        const auto begun = co_await sales::begin(tx, alone, sale, hash);
        if (begun.is_begun) recorded_ = sale.id;
        co_return begun.state;
    });
}

auto SqliteJournal::record(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry)
    -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::write, [this, &sale, &change, fresh, &entry](Tx& tx) -> Job<void> {
        // A long history does not grow by a repetition, so an older copy would have it, too.
        std::optional<std::int64_t> length;
        if (is_repeated(sale, change)) length = co_await sales::history_length(tx, sale.id);
        const sales::Owner alone;
        co_await sales::record(tx, alone, sale, change, fresh, entry);
        if (!length || *length < long_history) recorded_ = sale.id;
    });
}

// No operation ends unknown here, so there is nothing to resolve.
auto SqliteJournal::reread(SaleId id) -> Awaited<Sale> {
    return perform<Sale>(Lane::of_sales, Access::read, [id](Tx& tx) { return sales::reread(tx, id); });
}

auto SqliteJournal::adopt() -> Awaited<AdoptedSales> {
    return perform<AdoptedSales>(Lane::of_sales, Access::read, sales::unfinished);
}

auto SqliteJournal::load_token() -> Awaited<std::optional<KeptToken>> {
    return perform<std::optional<KeptToken>>(Lane::of_sales, Access::read, token::load);
}

auto SqliteJournal::save_token(const std::optional<KeptToken>& token) -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::write, [&](Tx& tx) { return token::save(tx, token); });
}

auto SqliteJournal::forget_old_pages() -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::read, [this](Tx&) -> Job<void> {
        auto& database = engine_->database();
        // Other jobs may be being served.
        if (database.in_transaction() || !engine_->is_log_flushed()) throw JobFailed(errc::journal_unavailable);
        engine_->wait_no_longer();  // a program that reads may do so for minutes
        const auto busy = database.number("PRAGMA wal_checkpoint(TRUNCATE)");
        if (busy.has_error()) throw JobFailed(busy.error());
        if (*busy != 0) throw JobFailed(errc::journal_unavailable);
        co_return;
    });
}

auto SqliteJournal::probe() -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::write, [](Tx& tx) -> Job<void> {
        tx.run(sql::write_something);
        tx.run(sql::take_it_back);
        co_return;
    });
}

// The engine checks the files before every batch, so an empty job is enough.
auto SqliteJournal::check_files() -> Awaited<void> {
    if (!is_file_) co_return Result<void>();
    auto nothing = [](Tx&) -> Job<void> { co_return; };
    co_return co_await perform<void>(Lane::of_sales, Access::read, nothing);
}

auto SqliteJournal::learn_pace() -> Awaited<void> {
    if (!is_file_) co_return Result<void>();
    auto learn = [this](Tx&) -> Job<void> {
        const auto needed = needed_for_an_hour(engine_->database());
        if (needed.has_error()) throw JobFailed(needed.error());
        engine_->need(*needed);
        co_return;
    };
    co_return co_await perform<void>(Lane::of_sales, Access::read, std::move(learn));
}

std::optional<DiskRoom> SqliteJournal::disk() const {
    return is_file_ ? room_beside(path_, engine_->needed_bytes()) : std::nullopt;
}

}  // namespace gateway
