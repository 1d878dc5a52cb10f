// Opens the journal on SQLite. Everything that may be wrong with its file, the files beside it and its keys is found
// out here, and said in words.
#pragma once

#include "base/log.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "journal/disk_room.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/writer.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// The files beside a journal have its name and one of these endings: SQLite's own two, and the lock file, which keeps a
// second gateway away.
inline constexpr std::array log_endings{"-wal", "-shm"};
inline constexpr auto lock_ending = ".lock";

struct JournalOptions {
    std::string path;
    // Customers' data, goods and tokens are encrypted with these keys of 32 bytes each. The first one encrypts, all of
    // them decrypt. Without keys nothing is encrypted. `random` is needed with keys, and for sales that have a
    // duplicate_check; it must outlive the journal, and its fill() is called on the journal's thread.
    std::vector<Secret> keys{};
    Random* random = nullptr;
    const char* vfs = nullptr;  // nullptr: SQLite's default
    // With a `vfs` this file is locked, because none can be beside such a journal; empty: nothing is locked or noted.
    std::string lock_file{};
    Durability durability = Durability::threaded;
    // The write-ahead log always takes this many bytes on the disk. Some 130 sales fit into it, and are moved into the
    // journal together. A commit that does not fit makes the log longer.
    std::int64_t log_bytes = 8'388'608;
    Log* log = nullptr;  // is told, while the journal is opened, of a copy and of a disk that is slow or does not flush
    std::string id_prefix{};  // of every idExterno from now on, which the journal remembers; empty: they have none
};

// Opens the journal, or makes a new one, and brings an older one up to date. One that is taken for a copy (see
// recognition.hpp) is prepared like a restored one. The error says what is wrong with a file that is not ours, damaged,
// newer than this program, in use, or encrypted with a key that is not here; such a file is not changed. The clock must
// outlive the journal.
boost::system::result<std::unique_ptr<Journal>, std::string> open_sqlite_journal(boost::asio::any_io_executor executor,
                                                                                 const JournalOptions& options,
                                                                                 Clock& clock);

// Holds what can be told about a journal's file before a gateway opens it, and while one runs on it.
struct FileLook {
    std::string fault;             // why no gateway starts on it, in words; empty: no reason is known
    std::optional<DiskRoom> room;  // for an hour of sales; nothing where the system does not say
};
// Checks what open_sqlite_journal() checks of the file; whether all keys are here is checked only where `cipher` is not
// null. The file is only read, and the call does not wait for a lock of another program. `boot` is as in check_log().
FileLook look_before_opening(const std::string& path, const FieldCipher* cipher, std::string_view boot = {});

}  // namespace gateway
