// A journal on SQLite as a place: locked, as a gateway that runs on it locks it, for as long as the object lives.
#pragma once

#include "journal/copy/place.hpp"
#include "journal/disk_room.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/placing.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gateway::moving {

class SqlitePlace final : public Place {
  public:
    // The file, which need not be there.
    static Explained<std::unique_ptr<Place>> open(const std::string& path);
    SqlitePlace(const SqlitePlace&) = delete;
    SqlitePlace& operator=(const SqlitePlace&) = delete;
    ~SqlitePlace() override;

    const std::string& name() const noexcept override { return path_; }
    bool is_locked() const noexcept override { return true; }
    Explained<std::optional<MovingMark>> mark() override;
    Done leave(const MovingMark& mark) override;
    Done mark_moved(const MovingMark& mark) override;
    std::uint64_t bytes() override;
    Explained<bool> is_in_use() override;
    void expect(std::uint64_t bytes) noexcept override { expected_bytes_ = bytes; }
    Done arrive(const MovingMark& mark, bool anew) override;
    Done write(const Table& table, std::span<const Record> records) override;
    Done settle() override;
    Done complete() override;
    Done check() override;
    Explained<std::int64_t> count(const Table& table) override;
    Explained<std::optional<Record>> last(const Table& table) override;
    Done begin_reading(const Table& table, const std::optional<Record>& after) override;
    Done read(std::vector<Record>& records) override;

  private:
    SqlitePlace(std::string path, FileUser user, FileLock lock)
        : path_(std::move(path)), user_(std::move(user)), lock_(std::move(lock)) {}

    Done open_file();
    Done make_file();
    Done run(const char* sql);
    Result<void> note(const MovingMark& mark);
    Done insert(const Table& table, std::span<const Record> records);
    // Says what is the matter where the last call failed with this error.
    std::string trouble(const boost::system::error_code& failed) const;
    std::string cannot_be_used(const std::string& why) const;
    std::optional<DiskRoom> room() const;
    std::string no_room() const;

    const std::string path_;
    const FileUser user_;  // as whom everything is done: SQLite opens files whenever it needs them
    FileLock lock_;
    bool is_there_ = false;
    std::uint64_t expected_bytes_ = 0;  // 0: not known
    sqlite::Database database_;
    // What is being read.
    const Table* table_ = nullptr;
    sqlite::Statement rows_;
    bool at_end_ = false;
};

}  // namespace gateway::moving
