// A place is where a journal is, or is to be: a file of SQLite or a database on PostgreSQL. This interface has what
// differs between the two; moving.cpp does the rest by jobs, which run on either. Every call waits for its end.
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

// Says why the journal is not moved, as a sentence for the operator. Callers outside of this folder get an Explained
// instead.
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

    // Returns the name of the place for a person, and for the mark of the other place.
    const std::string& name() const noexcept { return name_; }
    // Returns the mark that is written in this place.
    virtual std::optional<MovingMark> mark() = 0;

    // Runs a job in the transaction that leave() or settle() has left open, or in one of its own.
    virtual void perform(Engine::Access access, const Engine::Work& work) = 0;
    // Commits the transaction that is open.
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

    // The following three are for the journal that is to be moved.

    // Makes sure that no gateway owns the journal's sales, and notes the mark, `leaving`, durably. From then on
    // nobody writes into the journal as long as this object lives.
    virtual void leave(const MovingMark& mark) = 0;
    // Notes the mark, whose state is now `moved`, durably. Fails where the copying with this mark is over.
    virtual void mark_moved(const MovingMark& mark) {
        note(mark);
        commit();
    }
    // Returns how many bytes the journal takes.
    virtual std::uint64_t bytes() = 0;

    // The following are for the place that the journal is moved to.

    // Tells whether this place has the tables of a journal.
    virtual bool has_tables() = 0;
    // Begins a copy with the mark `arriving` of a journal that takes `bytes`, or goes on with the copy that has this
    // mark. With `anew`, the tables are cleared of the content of a new journal and of an earlier copying. The tables
    // are made together with the mark, so that at no moment a gateway would take them for an empty journal. Fails where
    // a gateway runs on this place.
    void arrive(const MovingMark& mark, bool anew, std::uint64_t bytes) {
        expected_bytes_ = bytes;
        arrive(mark, anew);
    }
    // Returns the first column whose value the engine cannot hold; nullptr where it can hold the whole row.
    virtual const Column* unfit(const Table&, const Rows::One&) { return nullptr; }
    // Runs in the job that has just appended these rows, and writes what else the engine needs for them.
    virtual void append_besides(Transaction&, const Table&, const Rows&) {}
    // Does what is left to do after all rows have arrived, before a gateway can use the journal. From then on nobody
    // else writes into it until complete() is called, or this object is gone.
    virtual void settle() = 0;
    // Removes the mark durably. It is called only after settle().
    virtual void complete() {
        perform(Engine::Access::write, moving_mark::remove);
        commit();
    }

    // Checks that the journal is sound in itself.
    virtual void check() = 0;

  protected:
    virtual void arrive(const MovingMark& mark, bool anew) = 0;
    // Returns how many bytes the arriving journal takes; 0: it is not known.
    std::uint64_t expected_bytes() const noexcept { return expected_bytes_; }
    [[noreturn]] void refuse_to_use(const std::string& why) const { refuse("{} cannot be used: {}", name_, why); }
    // Clears the tables of the content of a new journal, or of an earlier copying, and notes the mark.
    static Job<void> begin_copy(Transaction& tx, const MovingMark& mark) {
        for (const auto& table : all_tables())
            tx.run(clear_sql(table));
        co_await moving_mark::set(tx, mark);
    }

  private:
    const std::string name_;
    std::uint64_t expected_bytes_ = 0;
};

// Opens a file, which need not exist, and locks it as a gateway does, as long as the place lives. `boot` is
// Clock::boot(); empty: it is not known.
Explained<std::unique_ptr<Place>> open_file(const std::string& path, std::string_view boot = {});

// This is what a place on PostgreSQL needs from the program. Every reference must outlive the place. Nobody else may
// run `io`.
struct PostgresAccess {
    boost::asio::io_context& io;
    Clock& clock;
    const postgres::Client& client;
    postgres::ConnectionOptions connection;
    std::string url;
};
// Opens a database, which must exist; it need not have a journal.
Explained<std::unique_ptr<Place>> open_database(PostgresAccess access);

}  // namespace gateway::moving
