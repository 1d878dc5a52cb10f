// A place is where a journal is, or is to be: a file of SQLite's or a database on PostgreSQL. Here stands what differs
// between the two; moving.cpp does the rest by jobs, on either. Every call waits for its end.
#pragma once

#include "base/clock.hpp"
#include "journal/copy/tables.hpp"
#include "journal/engine.hpp"
#include "journal/moving_mark.hpp"
#include "journal/postgres/client.hpp"
#include "journal/postgres/connection_options.hpp"
#include "journal/sqlite/file_user.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/system/result.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gateway::moving {

// Says why the journal is not moved, as a sentence for the operator. Outside of this room it is an Explained.
class Refusal final : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> words, Values&&... values) {
    throw Refusal(fmt::format(words, std::forward<Values>(values)...));
}

template <class Work>
Explained<std::invoke_result_t<Work>> explained(const Work& work) {
    try {
        return work();
    } catch (const Refusal& refusal) {
        return std::string(refusal.what());
    }
}

class Place {
  public:
    explicit Place(std::string name) : name_(std::move(name)) {}
    virtual ~Place() = default;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Names the place to a person, and in the mark of the other place.
    const std::string& name() const noexcept { return name_; }
    // Returns the mark as it is written there.
    virtual std::optional<MovingMark> mark() = 0;

    // Runs a job: in the transaction that leave() or settle() has left open, or in one of its own.
    virtual void perform(Engine::Access access, const Engine::Work& work) = 0;
    // Makes durable what was done in the transaction that is open, and ends it.
    virtual void commit() = 0;
    // Runs one statement, and returns its rows.
    Rows ask(std::string_view sql, std::span<const Value> values = {}) {
        Rows rows;
        perform(Engine::Access::glance, [&](Transaction& tx) -> Job<void> { rows = co_await tx.ask(sql, values); });
        return rows;
    }
    // Runs one statement, and returns the first number of its first row.
    std::int64_t number(std::string_view sql) { return ask(sql).front().integer(0); }
    void note(const MovingMark& mark) {
        perform(Engine::Access::write, [&](Transaction& tx) { return moving_mark::set(tx, mark); });
    }

    // These are for the journal that is to be moved.

    // Makes sure that no gateway owns the journal's sales, and notes the mark, `leaving`, for good. From then on
    // nobody writes into the journal as long as this object lives.
    virtual void leave(const MovingMark& mark) = 0;
    // Notes the mark, which is `moved` by now, for good. Fails where the copying with the mark is over.
    virtual void mark_moved(const MovingMark& mark) {
        note(mark);
        commit();
    }
    // Tells how much room the journal takes.
    virtual std::uint64_t bytes() = 0;

    // These are for the place that the journal is moved to.

    // Tells whether the tables of a journal are here.
    virtual bool has_tables() = 0;
    // Begins a copy with the mark `arriving`, of a journal that takes so much room, or goes on with the copy that has
    // the mark. With `anew`, what a new journal has in its tables, or what an earlier copying left, is cleared. The
    // tables come with the mark in them: there is no moment at which a gateway would take them for an empty journal.
    // Fails where a gateway runs on the place.
    void arrive(const MovingMark& mark, bool anew, std::uint64_t bytes) {
        expected_bytes_ = bytes;
        arrive(mark, anew);
    }
    // Returns the first column whose value the engine cannot hold; nullptr where it can hold the row.
    virtual const Column* unfit(const Table&, const Rows::One&) { return nullptr; }
    // Asks in a job for what the engine needs besides these rows, which the job has just appended.
    virtual void append_besides(Transaction&, const Table&, const Rows&) {}
    // When all rows have arrived, does what is left to do before a gateway can use the journal. From then on nobody
    // else writes into it until it is complete, or this object is gone.
    virtual void settle() = 0;
    // Takes the mark away, for good. It is called only after settle().
    virtual void complete() {
        perform(Engine::Access::write, moving_mark::remove);
        commit();
    }

    // Makes sure that the journal is sound in itself.
    virtual void check() = 0;

  protected:
    virtual void arrive(const MovingMark& mark, bool anew) = 0;
    // Returns how much room the arriving journal takes; 0: it is not known.
    std::uint64_t expected_bytes() const noexcept { return expected_bytes_; }
    [[noreturn]] void refuse_to_use(const std::string& why) const { refuse("{} cannot be used: {}", name_, why); }
    // Clears what a new journal has in its tables, or what an earlier copying has left there, and notes the mark.
    static Job<void> begin_copy(Transaction& tx, const MovingMark& mark) {
        for (const auto& table : all_tables())
            tx.run(clear_sql(table));
        co_await moving_mark::set(tx, mark);
    }

  private:
    const std::string name_;
    std::uint64_t expected_bytes_ = 0;
};

// Opens a file, which need not be there, and keeps it locked as a gateway on it does, as long as the place lives.
Explained<std::unique_ptr<Place>> open_file(const std::string& path);

// A place on PostgreSQL needs this of the program. Every reference must outlive the place; nobody else runs `io`.
struct PostgresAccess {
    boost::asio::io_context& io;
    Clock& clock;
    const postgres::Client& client;
    postgres::ConnectionOptions connection;
    std::string url;
};
// Opens a database, which must be there; a journal need not be in it.
Explained<std::unique_ptr<Place>> open_database(PostgresAccess access);

}  // namespace gateway::moving
