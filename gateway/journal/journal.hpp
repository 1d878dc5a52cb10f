// The journal: what the gateway knows, durably, before it acts. Every sale as it stands, every attempt, what happened
// to each, callbacks, cancelled keys, the token. Speaks in sales; the SQL is in journal.cpp and rows.cpp, the tables in
// sql/.
//
// Whatever is awaited here has happened durably when the result is a value, and has not happened when it is an error.
// Decides nothing: what a row is to become is the law's.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "journal/file_lock.hpp"
#include "journal/list_query.hpp"
#include "journal/marked_sales.hpp"
#include "journal/resealing.hpp"
#include "journal/vault.hpp"
#include "journal/writer.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/json/array.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

struct JournalOptions {
    std::string path;
    // What customers' data, goods and tokens are sealed with, 32 bytes each: the first one seals, all of them open.
    // None: nothing is sealed. With keys `random` is needed; it must outlive the journal, and its fill() is called on
    // the journal's thread.
    std::vector<Secret> keys{};
    Random* random = nullptr;
    const char* vfs = nullptr;  // SQLite's default
    Durability durability = Durability::threaded;
};

// A line of a sale's story.
struct JournalEvent {
    std::string_view event;  // "solicitar", "elapsed", "callback", …
    std::string_view verdict{};
    unsigned http_status = 0;
    std::optional<Duration> duration{};
    std::string_view detail{};
};

struct KeptToken {
    Secret access;
    Secret refresh;
    WallTime obtained_at{};
    WallTime expires_at{};
    std::string owner;  // for whom it was given, as the application says it; empty: by a version that did not ask
};

class Journal {
  public:
    template <class T>
    using Awaited = boost::asio::awaitable<Result<T>>;

    // Opens the journal or makes a new one, and brings an older one up to date. The message says what is the matter
    // with a file that is not ours, damaged, newer than this program, in use, or sealed with a key that is not here;
    // such a file is left alone.
    static boost::system::result<std::unique_ptr<Journal>, std::string> open(boost::asio::any_io_executor executor,
                                                                             const JournalOptions& options,
                                                                             Clock& clock);
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal();

    // What a key led to.
    struct KeyState {
        std::optional<SaleId> sale;  // a sale has it
        bool cancelled = false;      // it was cancelled before a sell with it came
    };
    // Records a new sale and its first attempt, unless its key has a fate already: then that is given back and nothing
    // is recorded. KeyState{} means recorded.
    Awaited<KeyState> begin(const Sale& sale);
    // Records what became of a sale, with a new attempt where the change has one.
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh, const JournalEvent& event);
    // Remembers a key whose sell shall sell nothing, unless a sale has it.
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key);

    Awaited<std::optional<Sale>> find(SaleId id);
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key);
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret);
    // Some of the sales that a filter selects.
    struct SalePage {
        std::vector<Sale> sales;     // as many as its limit; fewer, or none, where many others lay between them
        std::optional<SaleId> next;  // `after` of the page that follows, if there may be one
    };
    Awaited<SalePage> list(const SaleFilter& filter);
    // All that need a person, oldest first.
    Awaited<std::vector<MarkedSale>> marked();
    // The story of a sale: {at, idExterno, event, …}, oldest first.
    Awaited<boost::json::array> story(SaleId id);
    // All sales that are not settled, oldest first.
    Awaited<std::vector<Sale>> unfinished();

    // Writes into the sale's story that its receipt was printed; how often it had been before.
    Awaited<std::int64_t> count_receipt(const Sale& sale);

    // The callbacks of a sale as they came, the unusable ones too: {at, kind, valid, body}, oldest first. Holds
    // customers' data.
    Awaited<boost::json::array> callbacks(SaleId id);
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body);

    Awaited<std::optional<KeptToken>> load_token();
    Awaited<void> save_token(const std::optional<KeptToken>& token);

    struct Erased {
        std::size_t sales = 0;
        bool more = false;  // there are more to look at
    };
    // Erases the personal fields of settled sales created before `cutoff`, some of them. What was written once the
    // erasure had passed its sale is erased too, when it was met before `cutoff` by an earlier call.
    Awaited<Erased> erase_personal(WallTime cutoff);
    // Seals some of what was sealed with an older key, or written without one, with the current key.
    Awaited<Resealed> reseal();
    // Writes the write-ahead log into the journal and empties it, so that nothing that was sealed anew stays in it as
    // it was. An error where that cannot be done now: try again.
    Awaited<void> forget_log();
    // Writes something harmless: whether the journal can be written now.
    Awaited<void> probe();
    // Looks whether its files are still in their places, and writes nothing: see moved().
    Awaited<void> look_for_file();

    Writer::Stats stats() const;
    // Whether it could be written when that was tried last.
    bool healthy() const noexcept;
    // Whether one of its files was found removed, renamed or replaced. It cannot be written until the file is back.
    bool moved() const noexcept;
    // Which: what its name has after the journal's, "" for the journal itself, otherwise "-wal", "-shm" or ".lock".
    // Without one of these three nothing is lost while this object lives, and its end puts all of it into the journal.
    std::optional<std::string_view> moved_file() const noexcept;
    // Whether a page of it was found damaged since it was opened. Some sales may be recorded all the same.
    bool damaged() const noexcept;
    // Whether what is written is sealed.
    bool seals() const noexcept { return vault_->seals(); }
    // How often a value was met that does not open: it was damaged or altered. Its sale has attention.
    std::uint64_t unreadable() const noexcept { return unreadable_; }

  private:
    struct Statements;
    Journal(boost::asio::any_io_executor executor, const JournalOptions& options, Clock& clock,
            sqlite::Connection connection, std::unique_ptr<Vault> vault, FileLock lock,
            std::vector<Writer::Beside> beside);

    Result<std::optional<Sale>> load(std::string_view id, Instant now, WallTime wall);
    Result<std::vector<Sale>> load_all(sqlite::Statement& ids, Instant now, WallTime wall);
    Result<KeyState> fate_of(std::string_view terminal, std::string_view key);
    Result<Erased> erase_next(std::string_view before);
    Result<Erased> erase_postponed(std::int64_t met_before, std::int64_t now);
    Result<void> add_notes(SaleId id, boost::json::array& lines);
    void note_unreadable(Sale& sale, std::size_t values);

    Clock& clock_;
    const bool is_file_;  // of the operating system, which others may move
    FileLock lock_;
    std::unique_ptr<Vault> vault_;  // the writer's, once it runs; so are the next two
    std::unique_ptr<Resealing> resealing_;
    std::unique_ptr<Statements> statements_;
    std::atomic<std::uint64_t> unreadable_{0};
    std::unique_ptr<Writer> writer_;
};

}  // namespace gateway
