// Implements the place of a journal in a file of SQLite.
#include "journal/copy/place.hpp"
#include "journal/disk_room.hpp"
#include "journal/sqlite/backup.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/file_user.hpp"
#include "journal/sqlite/recognition.hpp"
#include "journal/sqlite/schema.hpp"
#include "journal/sqlite/transaction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace gateway::moving {
namespace {

namespace fs = std::filesystem;

std::uint64_t size_of(const std::string& file) {
    std::error_code none;
    const auto size = fs::file_size(file, none);
    return none ? 0 : size;
}

// A batch outlasts a process that is killed. A power cut removes at most the last batches, which are then copied again.
// A call whose work has to outlast a power cut, too, changes the setting itself. The cache has room for the inner pages
// of the indexes, which are written in many places.
constexpr const char* settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
    "PRAGMA foreign_keys = OFF;";

// With these settings the mark of a copy outlasts a power cut, and nothing that is cleared stays readable.
constexpr const char* settings_of_mark = "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;";

// This keeps everybody else from writing until the transaction ends.
constexpr const char* begin_alone = "BEGIN IMMEDIATE";

class SqlitePlace final : public Place {
  public:
    SqlitePlace(const std::string& path, FileUser user, FileLock lock, std::string_view boot)
        : Place(path), user_(std::move(user)), lock_(std::move(lock)) {
        if (restore_is_unfinished(path))
            refuse("restoring a copy to {} was interrupted; call sales-gateway restore once more", path);
        if (size_of(path) > 0) {
            const auto fits = check_log(path, nullptr, lock_, boot);
            if (fits.has_error()) Place::refuse_to_use(fits.error());
            open();
            if (const auto ours = schema_version(database_); ours.has_error()) Place::refuse_to_use(ours.error());
        } else if (size_of(path + "-wal") > 0) {
            refuse("{0} is not there, and {0}-wal, which belongs to a journal, is: put them together", path);
        }
    }
    SqlitePlace(const SqlitePlace&) = delete;
    SqlitePlace& operator=(const SqlitePlace&) = delete;
    // Where this connection is the last one on the journal, SQLite removes the files beside it.
    ~SqlitePlace() override {
        const ActingAs acting(user_);
        transaction_.reset();
        database_ = {};
    }

    std::optional<MovingMark> mark() override {
        const ActingAs acting(user_);
        if (!transaction_) return std::nullopt;
        auto mark = find_mark(database_);
        if (mark.has_error()) refuse("{}: {}", name(), mark.error());
        return std::move(*mark);
    }

    void perform(Engine::Access access, const Engine::Work& work) override {
        const ActingAs acting(user_);
        const bool by_itself = access == Engine::Access::write && !database_.in_transaction();
        auto done = by_itself ? database_.run(begin_alone) : Result<void>();
        if (!done.has_error()) done = sqlite::run_to_end(work(*transaction_));
        if (!done.has_error() && by_itself) done = database_.run("COMMIT");
        if (!done.has_error()) return;
        const auto words = trouble(done.error());
        if (by_itself && database_.in_transaction()) (void)database_.run("ROLLBACK");
        throw Refusal(words);
    }
    void commit() override { run("COMMIT"); }

    void leave(const MovingMark& mark) override {
        const ActingAs acting(user_);
        if (!transaction_) refuse("there is no journal {}", name());
        if (is_empty()) refuse("{} is empty", name());
        // This is checked first, because anything written now would overwrite the evidence that the disk has lost
        // commits.
        const auto copied = look_for_copy(database_, name(), lock_);
        if (copied.has_error()) Place::refuse_to_use(copied.error());
        if (!copied->why_a_copy.empty())
            refuse(
                "{} is taken for a copy that does not know what happened since ({}). If nothing newer is left, start "
                "the gateway on it once, which marks what is not known for a person, stop it, and move it then",
                name(), copied->why_a_copy);
        if (const auto ready = bring_up_to_date(database_); ready.has_error()) refuse_to_use(ready.error());
        run("PRAGMA synchronous = FULL");
        note(mark);
        run(begin_alone);
    }
    // The write-ahead log counts, because it is written into the file sooner or later.
    std::uint64_t bytes() override {
        const ActingAs acting(user_);
        return size_of(name()) + size_of(name() + "-wal");
    }

    bool has_tables() override {
        const ActingAs acting(user_);
        if (!transaction_ || is_empty()) return false;
        if (const auto ready = bring_up_to_date(database_); ready.has_error()) refuse_to_use(ready.error());
        return true;
    }
    void arrive(const MovingMark& mark, bool anew) override {
        const ActingAs acting(user_);
        if (!transaction_) make_file();
        run(settings_of_mark);
        const std::function<Result<void>()> begin_anew = [&]() -> Result<void> {
            if (auto forgotten = database_.run("DELETE FROM journal_file"); forgotten.has_error()) return forgotten;
            return sqlite::run_to_end(begin_copy(*transaction_, mark));
        };
        const auto ready = anew ? bring_up_to_date(database_, migrations(), begin_anew) : bring_up_to_date(database_);
        if (ready.has_error()) refuse_to_use(ready.error());
        if (anew && lock_.forget_recorded_sale().has_error()) refuse("{}.lock cannot be written", name());
        run(settings);
    }
    // Moves the whole journal into one file, and makes that durable.
    void settle() override {
        run("PRAGMA synchronous = FULL");
        if (number("PRAGMA wal_checkpoint(TRUNCATE)") != 0)
            refuse("another program reads {}: let it finish, or close it", name());
        run(begin_alone);
    }
    void complete() override {
        Place::complete();
        (void)lock_.note_journal();  // a start of the gateway notes it, too
    }

    void check() override {
        const auto found = ask("PRAGMA integrity_check(1)");
        const auto what = found.empty() ? "its check ends without a word" : found.front().text(0);
        if (what != "ok") refuse("{} is damaged: {}", name(), what);
    }

  private:
    void open() {
        auto database = sqlite::Database::open(name(), nullptr);
        if (database.has_error()) refuse("{} cannot be opened: {}", name(), database.error().message());
        database_ = std::move(*database);
        transaction_.emplace(database_);
    }
    // Makes the file durably, so that only its owner may read it.
    void make_file() {
        if (const auto made = FileLock::make_private(name()); made.has_error())
            refuse("{} cannot be made: {}", name(), made.error().message());
        if (const auto flushed = flush_folder_of(name()); flushed.has_error()) throw Refusal(flushed.error());
        open();
    }
    bool is_empty() {
        const auto version = schema_version(database_);
        return version.has_error() || *version == 0;
    }
    void run(const char* sql) {
        const ActingAs acting(user_);
        if (const auto done = database_.run(sql); done.has_error()) throw Refusal(trouble(done.error()));
    }

    std::optional<DiskRoom> room() const {
        auto room = room_beside(name(), std::max(expected_bytes(), least_needed_bytes));
        if (room && expected_bytes() > 0) room->needed_for = "the journal that is copied";
        return room;
    }
    // Says what went wrong in the last call, which failed with this error.
    std::string trouble(const boost::system::error_code& failed) const {
        if (database_.found_no_room(failed)) {
            const auto found = room();
            return fmt::format("{}: {}", name(), found ? why_no_room(*found) : "the disk is full");
        }
        // The end of a statement may have removed SQLite's own message.
        const bool is_known = sqlite3_errcode(database_.raw()) != SQLITE_OK;
        return fmt::format("{}: {}", name(), is_known ? database_.message() : failed.message());
    }
    // The message is the same as that of a gateway that does not start.
    [[noreturn]] void refuse_to_use(const std::string& why) const {
        const auto found = room();
        Place::refuse_to_use(why + (found && found->is_full() ? "; " + in_words(*found) : std::string()));
    }

    const FileUser user_;  // the user as whom everything is done, because SQLite opens files whenever it needs them
    FileLock lock_;
    sqlite::Database database_;
    std::optional<sqlite::Transaction> transaction_;  // nothing: there is no file
};

}  // namespace

Explained<std::unique_ptr<Place>> open_file(const std::string& path, std::string_view boot) {
    return explained([&]() -> std::unique_ptr<Place> {
        const auto user = user_for(path);
        if (user.has_error()) throw Refusal(user.error());
        const ActingAs acting(*user);
        const auto full = sqlite::full_path(path, nullptr);
        if (full.has_error()) refuse("{} cannot be found: {}", path, full.error().message());
        std::error_code unknown;
        const auto folder = fs::path(*full).parent_path();
        if (!fs::is_directory(folder, unknown)) refuse("there is no folder {}", folder.string());
        auto lock = FileLock::take(*full + ".lock");
        if (lock.has_error() && lock.error() == errc::journal_in_use)
            refuse("a sales-gateway or another copy-journal is working on {}: stop it first", *full);
        if (lock.has_error()) refuse("{}.lock cannot be locked: {}", *full, lock.error().message());
        return std::make_unique<SqlitePlace>(*full, *user, std::move(*lock), boot);
    });
}

}  // namespace gateway::moving
