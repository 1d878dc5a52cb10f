#include "journal/copy.hpp"

#include "base/wall_time.hpp"
#include "journal/attempts_text.hpp"
#include "journal/file_lock.hpp"
#include "journal/rows.hpp"
#include "journal/schema.hpp"
#include "journal/sqlite.hpp"
#include "sale/sale.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace gateway {
namespace {

namespace fs = std::filesystem;
using Done = boost::system::result<void, std::string>;

// The files that SQLite keeps beside a database.
constexpr std::array beside{"-wal", "-shm", "-journal"};

std::string system_message() {
    return std::generic_category().message(errno);
}

// Where the last step of a restore takes the new journal from. There exactly while the places are being changed.
std::string ready_file(const std::string& journal) {
    return journal + ".restored";
}

// A file that is gone with the object, unless it has been given its final name.
class Draft {
  public:
    explicit Draft(std::string path) : path_(std::move(path)) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        if (kept_) return;
        (void)::unlink(path_.c_str());
        for (const auto* ending : beside)
            (void)::unlink((path_ + ending).c_str());
    }

    // Makes the file, for its owner alone. That another file has the name is an error.
    Done make() {
        const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor < 0) {
            kept_ = true;  // not ours to remove
            return fmt::format("{} cannot be made: {}", path_, system_message());
        }
        ::close(descriptor);
        return {};
    }
    // Never over a file that is there.
    Done rename_to(const std::string& name) {
        int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE);
        // A file system that cannot promise it is asked in two steps.
        if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
            errno = EEXIST;
            if (!fs::exists(name)) failed = ::rename(path_.c_str(), name.c_str());
        }
        if (failed != 0) return fmt::format("{} cannot be made: {}", name, system_message());
        kept_ = true;
        return {};
    }
    // In the place of whatever has the name now.
    Done replace(const std::string& name) {
        if (::rename(path_.c_str(), name.c_str()) != 0)
            return fmt::format("{} cannot be made: {}", name, system_message());
        kept_ = true;
        return {};
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    bool kept_ = false;
};

// What was renamed in the folder of this file is so after a power cut too.
Done flush_folder_of(const std::string& file) {
    const auto parent = fs::path(file).parent_path();
    const auto folder = parent.empty() ? std::string(".") : parent.string();
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
    const auto why = system_message();
    if (descriptor >= 0) ::close(descriptor);
    if (!flushed) return fmt::format("the folder {} cannot be flushed to the disk: {}", folder, why);
    return {};
}

// Every page of `from` as of one moment, in one file.
Done copy_pages(sqlite::Database& from, sqlite::Database& to) {
    sqlite3_backup* const copying = sqlite3_backup_init(to.raw(), "main", from.raw(), "main");
    if (copying == nullptr) return to.message();
    // All at once: a copy in steps begins anew whenever a gateway commits.
    const int stepped = sqlite3_backup_step(copying, -1);
    const int finished = sqlite3_backup_finish(copying);
    if (stepped != SQLITE_DONE) return std::string(sqlite3_errstr(stepped));
    if (finished != SQLITE_OK) return std::string(sqlite3_errstr(finished));
    // The pages say that there is a write-ahead log beside them; a copy is one file.
    if (to.run("PRAGMA journal_mode = DELETE").has_error()) return to.message();
    return {};
}

Done verify(sqlite::Database& copy) {
    auto check = sqlite::Statement::prepare(copy, "PRAGMA integrity_check(1)");
    if (check.has_error()) return copy.message();
    const auto row = check->step();
    if (row.has_error() || !*row) return copy.message();
    if (check->text(0) != "ok") return std::string(check->text(0));
    return {};
}

boost::system::result<CopyContents, std::string> contents_of(sqlite::Database& copy) {
    const auto sales = copy.number("SELECT count(*) FROM sales");
    const auto open = copy.number("SELECT count(*) FROM sales WHERE settled = 0");
    const auto newest =
        copy.number("SELECT coalesce(max(updated_at), -1) FROM sales WHERE typeof(updated_at) = 'integer'");
    if (sales.has_error() || open.has_error() || newest.has_error()) return copy.message();
    CopyContents contents{.sales = *sales, .open = *open};
    contents.newest = rows::readable_time(*newest);
    return contents;
}

// Nothing where the file is a journal that this program can use.
Done trouble_with(sqlite::Database& database) {
    const auto version = schema_version(database);
    if (version.has_error()) return version.error();
    if (*version == 0) return std::string("it is empty");
    return {};
}

// A copy of `source`, a journal, in the draft: flushed and read back.
boost::system::result<CopyContents, std::string> copy_journal(const std::string& source, Draft& draft) {
    auto from = sqlite::Database::open_to_read(source);
    if (from.has_error()) return fmt::format("{} cannot be read: {}", source, from.error().message());
    if (auto ours = trouble_with(*from); ours.has_error())
        return fmt::format("{} is no journal that can be copied: {}", source, ours.error());
    if (auto made = draft.make(); made.has_error()) return made.error();
    auto to = sqlite::Database::open(draft.path(), nullptr);
    if (to.has_error()) return fmt::format("{} cannot be written: {}", draft.path(), to.error().message());
    if (auto copied = copy_pages(*from, *to); copied.has_error())
        return fmt::format("{} cannot be copied to {}: {}", source, draft.path(), copied.error());
    if (auto verified = verify(*to); verified.has_error())
        return fmt::format("{} is damaged; nothing was copied, and nothing was changed: {}", source, verified.error());
    return contents_of(*to);
}

// An open sale of a copy, as the columns that a restore changes.
struct Doubtful {
    std::int64_t number = 0;
    Status status = Status::PENDENTE;
    bool by_callback = false;  // eSIM: it has neither confirm nor cancel
    std::vector<Attempt> attempts;
};

struct OpenSales {
    std::vector<Doubtful> readable;
    std::vector<std::int64_t> unreadable;  // by number
};

// The restored journal's clock begins here: only differences between times on it count.
constexpr Instant beginning{};

Result<OpenSales> open_sales(sqlite::Database& journal, WallTime now) {
    auto rows = sqlite::Statement::prepare(
        journal, "SELECT n, status, family, attempts, recorded_at FROM sales WHERE settled = 0");
    if (rows.has_error()) return rows.error();
    OpenSales sales;
    while (true) {
        const auto row = rows->step();
        if (row.has_error()) return row.error();
        if (!*row) return sales;
        const auto number = rows->integer(0);
        const auto status = parse_status(rows->text(1));
        const auto family = parse_family(rows->text(2));
        const auto recorded_at = rows::readable_time(*rows, 4);
        auto attempts = rows::read_attempts(rows->text(3), recorded_at.value_or(now), {.now = beginning, .wall = now});
        if (status && family && recorded_at && attempts.has_value())
            sales.readable.push_back({.number = number,
                                      .status = *status,
                                      .by_callback = family == Family::esim,
                                      .attempts = std::move(*attempts)});
        else
            sales.unreadable.push_back(number);
    }
}

bool may_have_gone_on(AttemptState state) {
    return state == AttemptState::requesting || state == AttemptState::held || state == AttemptState::confirming ||
           state == AttemptState::retracting;
}

// Only the provider's word counts. See restore() in the header, and sale/machine.hpp: without a confirm_time an attempt
// in dispute is never confirmed.
void dispute(Doubtful& sale, WallTime now) {
    if (sale.by_callback) return;
    for (auto& attempt : sale.attempts) {
        const bool disputed = attempt.state == AttemptState::disputing;
        if (!disputed && !may_have_gone_on(attempt.state)) continue;
        attempt.confirm_time.reset();
        if (disputed) continue;
        attempt.state = AttemptState::disputing;
        attempt.cancel_time = attempt.cancel_time.value_or(now);
        attempt.deadline = never;
        attempt.attention_at = never;
    }
}

bool in_dispute(const Doubtful& sale) {
    return std::ranges::any_of(sale.attempts,
                               [](const auto& attempt) { return attempt.state == AttemptState::disputing; });
}

// What a restore writes of one open sale. Where it is not final, a person is asked to look at it.
Result<void> write_doubts(sqlite::Database& journal, Doubtful sale, WallTime now) {
    dispute(sale, now);
    const auto at = rows::milliseconds(now);
    rows::AttemptsText attempts({.now = beginning, .wall = now});
    for (const auto& attempt : sale.attempts)
        attempts.add(attempt);
    auto update = sqlite::Statement::prepare(journal, "UPDATE sales SET attempts = ?2, recorded_at = ?3 WHERE n = ?1");
    if (update.has_error()) return update.error();
    if (auto r = update->run(sale.number, attempts.finish(), at); r.has_error()) return r.error();
    if (is_final(sale.status)) return {};

    const Reason lost{.code = ReasonCode::response_lost,
                      .detail = "the journal was restored from a copy that does not know what became of the sale"};
    std::string line;
    rows::append_entry(line, {.event = "restored",
                              .detail = "the journal was restored from a copy: what happened between the line above "
                                        "and this one is lost",
                              .at = now,
                              .attempt = sale.attempts.size() - 1,
                              .state = to_string(sale.attempts.back().state)});
    auto mark = sqlite::Statement::prepare(journal,
                                           "UPDATE sales SET status = ?2, attention = ?3, updated_at = ?4,"
                                           " reason = coalesce(reason, ?5), story = story || char(10) || ?6"
                                           " WHERE n = ?1");
    if (mark.has_error()) return mark.error();
    const auto status = in_dispute(sale) ? Status::AUTORIZADA : sale.status;
    return mark->run(sale.number, to_string(status), to_string(Attention::restored), at, rows::reason_text(lost), line);
}

// A sale whose row cannot be read stays as it is. The gateway does not go on with it.
Result<void> mark_unreadable(sqlite::Database& journal, std::int64_t number, WallTime now) {
    auto mark = sqlite::Statement::prepare(journal, rows::mark_unreadable_sql());
    if (mark.has_error()) return mark.error();
    std::string line;
    rows::append_entry(line, {.event = "unreadable", .at = now});
    constexpr bool again = true;
    return mark->run(number, line, again);
}

// How many sales a person is asked to look at.
boost::system::result<std::int64_t, std::string> forget_what_may_have_changed(sqlite::Database& journal, WallTime now) {
    std::int64_t marked = 0;
    const auto all = [&]() -> Result<void> {
        if (auto r = journal.run("BEGIN IMMEDIATE; DELETE FROM token"); r.has_error()) return r;
        auto sales = open_sales(journal, now);
        if (sales.has_error()) return sales.error();
        for (auto& sale : sales->readable) {
            if (!is_final(sale.status)) ++marked;
            if (auto r = write_doubts(journal, std::move(sale), now); r.has_error()) return r;
        }
        for (const auto number : sales->unreadable)
            if (auto r = mark_unreadable(journal, number, now); r.has_error()) return r;
        marked += static_cast<std::int64_t>(sales->unreadable.size());
        return journal.run("COMMIT");
    };
    if (const auto done = all(); done.has_error()) return "the copy cannot be prepared: " + journal.message();
    return marked;
}

// Root restores for the gateway, which must be able to write what it finds: the owner of the folder is the gateway.
Done hand_over(const std::string& file, const std::string& journal) {
    if (::geteuid() != 0) return {};
    const auto parent = fs::path(journal).parent_path();
    struct stat folder {};
    if (::stat(parent.empty() ? "." : parent.c_str(), &folder) != 0 ||
        ::chown(file.c_str(), folder.st_uid, folder.st_gid) != 0)
        return fmt::format("{} cannot be given to the owner of its folder: {}", file, system_message());
    return {};
}

// Gives the journal that is in the place, whole or not, another name; nothing where there is none.
boost::system::result<std::string, std::string> set_aside(const std::string& journal, WallTime now) {
    using boost::system::in_place_error;
    using boost::system::in_place_value;
    std::string name;
    const auto stamp = to_rfc3339(now);
    for (const char c : stamp)
        if (c != ':' && c != '-') name += c;
    name = journal + ".replaced-" + name;
    bool any = false;
    for (const std::string ending : {"", "-wal", "-shm", "-journal"}) {
        if (::rename((journal + ending).c_str(), (name + ending).c_str()) == 0) {
            any = true;
        } else if (errno != ENOENT) {
            return {in_place_error, fmt::format("{} cannot be set aside: {}", journal + ending, system_message())};
        }
    }
    return {in_place_value, any ? name : std::string()};
}

}  // namespace

bool restore_is_unfinished(const std::string& journal) {
    std::error_code ignored;
    return fs::exists(ready_file(journal), ignored);
}

boost::system::result<CopyContents, std::string> back_up(const std::string& journal, const std::string& file) {
    std::error_code hidden;
    const bool there = fs::exists(journal, hidden);
    if (hidden) return fmt::format("{} cannot be read: {}", journal, hidden.message());
    if (!there) return fmt::format("there is no journal {}", journal);
    std::error_code ignored;
    if (fs::exists(file, ignored)) return fmt::format("{} is there already; nothing is ever overwritten", file);
    Draft draft(fmt::format("{}.partial-{}", file, ::getpid()));
    auto contents = copy_journal(journal, draft);
    if (contents.has_error()) return contents;
    if (auto named = draft.rename_to(file); named.has_error()) return named.error();
    if (auto flushed = flush_folder_of(file); flushed.has_error()) return flushed.error();
    return contents;
}

boost::system::result<Restored, std::string> restore(const std::string& file, const std::string& journal_name,
                                                     WallTime now) {
    // Where a link leads, for the link stays: so the gateway finds it, and finds the lock.
    const auto full = sqlite::full_path(journal_name, nullptr);
    if (full.has_error()) return fmt::format("{} cannot be found: {}", journal_name, full.error().message());
    const auto& journal = *full;
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return fmt::format("there is no copy {}", file);
    if (fs::equivalent(file, journal, ignored)) return fmt::format("{} is the journal itself", file);
    const auto lock_file = journal + ".lock";
    auto lock = FileLock::take(lock_file);
    if (lock.has_error() && lock.error() == errc::journal_in_use)
        return fmt::format("a sales-gateway is running on {}; stop it first", journal);
    if (lock.has_error()) return fmt::format("{} cannot be locked: {}", lock_file, lock.error().message());
    if (auto handed = hand_over(lock_file, journal); handed.has_error()) return handed.error();

    Restored restored;
    Draft draft(fmt::format("{}.restoring-{}", journal, ::getpid()));
    {
        auto contents = copy_journal(file, draft);
        if (contents.has_error()) return contents.error();
        restored.contents = *contents;
        auto fresh = sqlite::Database::open(draft.path(), nullptr);
        if (fresh.has_error()) return fmt::format("{} cannot be opened: {}", draft.path(), fresh.error().message());
        if (auto ready = bring_up_to_date(*fresh); ready.has_error()) return ready.error();
        const auto unsure = forget_what_may_have_changed(*fresh, now);
        if (unsure.has_error()) return unsure.error();
        restored.unsure = *unsure;
    }
    if (auto handed = hand_over(draft.path(), journal); handed.has_error()) return handed.error();
    // From here on a crash leaves the ready file, and with it no gateway starts. One that an earlier crash left is the
    // same copy or another one; this one is wanted now.
    if (auto ready = draft.replace(ready_file(journal)); ready.has_error()) return ready.error();
    if (auto flushed = flush_folder_of(journal); flushed.has_error()) return flushed.error();
    const auto unfinished = [&](const std::string& why) {
        return fmt::format("{}; the restore is not finished, and no gateway starts on it: call it again", why);
    };
    auto aside = set_aside(journal, now);
    if (aside.has_error()) return unfinished(aside.error());
    restored.set_aside = *aside;
    if (::rename(ready_file(journal).c_str(), journal.c_str()) != 0)
        return unfinished(fmt::format("{} cannot be put in its place: {}", journal, system_message()));
    if (auto flushed = flush_folder_of(journal); flushed.has_error()) return unfinished(flushed.error());
    return restored;
}

}  // namespace gateway
