// Opens the journal on SQLite. What may be wrong with its file, with those beside it and with its keys is found out
// here, and said in words.
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

// The files beside a journal have its name and one of these endings: SQLite's own, and the one that keeps a second
// gateway away.
inline constexpr std::array log_endings{"-wal", "-shm"};
inline constexpr auto lock_ending = ".lock";

struct JournalOptions {
    std::string path;
    // Customers' data, goods and tokens are encrypted with these, 32 bytes each: the first one encrypts, all of them
    // decrypt. Without keys nothing is encrypted. With keys, and for sales that have a duplicate_check, `random` is
    // needed; it must outlive the journal, and its fill() is called on the journal's thread.
    std::vector<Secret> keys{};
    Random* random = nullptr;
    const char* vfs = nullptr;  // SQLite's default
    // This is the lock file where `vfs` is given, which has none beside the journal; empty: nothing is locked or noted.
    std::string lock_file{};
    Durability durability = Durability::threaded;
    // The write-ahead log always takes so many bytes on the disk: some 130 sales fit into it, and are moved into the
    // journal together. A commit for which it is too short makes it longer.
    std::int64_t log_bytes = 8'388'608;
    Log* log = nullptr;       // told of a copy, and of a disk that is slow or does not flush; used while it is opened
    std::string id_prefix{};  // of every idExterno from now on, which is remembered; empty: none
};

// Opens the journal or makes a new one, and brings an older one up to date. One that is taken for a copy (see
// recognition.hpp) is prepared as a restored one is. The message says what is the matter with a file that is not ours,
// damaged, newer than this program, in use, or encrypted with a key that is not here; such a file is left alone. The
// clock must outlive the journal.
boost::system::result<std::unique_ptr<Journal>, std::string> open_sqlite_journal(boost::asio::any_io_executor executor,
                                                                                 const JournalOptions& options,
                                                                                 Clock& clock);

// Holds what can be told of a journal's file before a gateway opens it, and while one runs on it.
struct FileLook {
    std::string fault;             // why no gateway starts on it, in words; empty: nothing is known that is in the way
    std::optional<DiskRoom> room;  // for an hour of sales; nothing where the system does not say
};
// Asks of the file what open_sqlite_journal() asks of it; whether all keys are here only where `cipher` is not null.
// The file is only read, and no lock of another program is waited for.
FileLook look_before_opening(const std::string& path, const FieldCipher* cipher);

}  // namespace gateway
