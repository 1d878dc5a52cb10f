// A place where a journal is, or is to be: a file of SQLite's or a database on PostgreSQL, as moving.hpp uses it. Every
// call waits for its end, and an error is a sentence for the operator.
#pragma once

#include "journal/copy/tables.hpp"
#include "journal/moving_mark.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gateway::moving {

// A value, or in words why there is none.
template <class T>
using Explained = boost::system::result<T, std::string>;
using Done = Explained<void>;

// So many rows are read, and written in one transaction, at once.
constexpr std::size_t rows_at_once = 1'000;

class Place {
  public:
    virtual ~Place() = default;
    Place() = default;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // For a person, and to be told from another place.
    virtual const std::string& name() const noexcept = 0;
    // Returns whether this object keeps others from copying to it or from it, and from running a gateway on it.
    virtual bool is_locked() const noexcept = 0;
    // As it is written there.
    virtual Explained<std::optional<MovingMark>> mark() = 0;

    // Of the journal that is to be moved.

    // Makes sure that no gateway carries its sales, and notes the mark, `leaving`, for good. From then on nobody writes
    // into it as long as this object lives.
    virtual Done leave(const MovingMark& mark) = 0;
    // Makes the mark `moved`, for good. An error where the copying with the mark is over.
    virtual Done mark_moved(const MovingMark& mark) = 0;
    // Tells how much room it takes; 0 means that this cannot be told.
    virtual std::uint64_t bytes() = 0;

    // Of the place that it is moved to.

    // Whether a journal that was used is here.
    virtual Explained<bool> is_in_use() = 0;
    // Notes how much room the journal takes that is to come: it is named where no room is left.
    virtual void expect(std::uint64_t bytes) noexcept = 0;
    // Begins a copy, with the mark `arriving`, or goes on with the one that has it. `anew`: what a new journal has in
    // its tables, or what an earlier copying left, is gone then. That a gateway runs on it is an error.
    virtual Done arrive(const MovingMark& mark, bool anew) = 0;
    // Appends rows of one table: all of them for good, or none. They follow those that are there, in order.
    virtual Done write(const Table& table, std::span<const Record> records) = 0;
    // Does what is left to do before a gateway can use it, when all rows have arrived. From then on nobody else writes
    // into it until it is complete, or this object is gone.
    virtual Done settle() = 0;
    // Takes the mark away, for good. Only after settle().
    virtual Done complete() = 0;

    // Of both.

    // Whether it is sound in itself.
    virtual Done check() = 0;
    virtual Explained<std::int64_t> count(const Table& table) = 0;
    // The keys of the table's last row; nothing where it has none.
    virtual Explained<std::optional<Record>> last(const Table& table) = 0;
    // Begins to read the table in order, behind the row with these keys, where there are some.
    virtual Done begin_reading(const Table& table, const std::optional<Record>& after) = 0;
    // The next rows, `rows_at_once` or fewer; none at the end, and only there. They replace what is in `records`.
    virtual Done read(std::vector<Record>& records) = 0;
};

}  // namespace gateway::moving
