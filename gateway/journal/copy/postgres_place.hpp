// A journal on PostgreSQL as a place. What it has besides the tables of every journal belongs to its gateways: a
// journal that is moved away must need nothing of that any more, and one that arrives is carried by nobody.
#pragma once

#include "journal/copy/talk.hpp"

#include <map>
#include <memory>
#include <string>

namespace gateway::moving {

class PostgresPlace final : public Place {
  public:
    // The database, which must be there; a journal need not be in it.
    static Explained<std::unique_ptr<Place>> open(PostgresAccess access);

    const std::string& name() const noexcept override { return talk_.url(); }
    // Nothing is locked before settle(): who copies to it is not known.
    bool is_locked() const noexcept override { return false; }
    Explained<std::optional<MovingMark>> mark() override;
    Done leave(const MovingMark& mark) override;
    Done mark_moved(const MovingMark& mark) override;
    std::uint64_t bytes() override;
    Explained<bool> is_in_use() override;
    void expect(std::uint64_t bytes) noexcept override { talk_.expect(bytes); }
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
    explicit PostgresPlace(PostgresAccess access) : talk_(std::move(access)) {}

    // A statement whose text is put together here; its name and text live as long as the connection.
    postgres::Statement statement(const std::string& name, std::string sql);
    Explained<std::int64_t> number(postgres::Statement statement);
    // Waits until it is known that no gateway lives, and returns the runs that have not ended; an error names one that
    // lives.
    Explained<std::map<std::string, std::int64_t>> dead_runs();
    Done end_runs(const std::map<std::string, std::int64_t>& dead);
    // What a gateway has to do first.
    Done nothing_is_left();

    Talk talk_;
    bool is_there_ = false;
    bool arrives_ = false;  // a journal was to begin here: it may have, where it is not there
    std::map<std::string, std::string> statements_;
    // What is being read.
    const Table* table_ = nullptr;
    std::optional<Record> after_;
    bool at_end_ = false;
};

}  // namespace gateway::moving
