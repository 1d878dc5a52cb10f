// The journal asks a database to run jobs, each of which runs statements, in one commit. SQLite is such an engine. The
// journal's tables are written once, on top of this interface, and do not know which engine they use.
#pragma once

#include "base/error.hpp"
#include "journal/job.hpp"
#include "journal/row.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway {

// A statement of sql/statements/ has parameters ?1, ?2, …. The build makes one Statement of each text there.
struct Statement {
    // A statement that was composed for a single call has this number; no engine keeps it prepared.
    static constexpr auto composed = std::numeric_limits<std::size_t>::max();

    std::string_view name;
    std::string_view sql;
    std::size_t number;           // its place among all statements; an engine keeps it prepared under this number
    std::string_view postgres{};  // the text for PostgreSQL, where it differs from `sql`
};

// Holds the value of a statement's parameter. The bytes it refers to must live until ask() or run() has returned.
class Value {
  public:
    enum class Kind { null, integer, text, blob };

    // NOLINTBEGIN(google-explicit-constructor): the arguments of a statement are passed as they are
    Value(std::nullopt_t) noexcept {}
    template <std::integral T>
    Value(T number) noexcept : kind_(Kind::integer), integer_(static_cast<std::int64_t>(number)) {}
    Value(std::string_view text) noexcept : kind_(Kind::text), bytes_(text) {}
    Value(const std::string& text) noexcept : Value(std::string_view(text)) {}
    Value(const char* text) noexcept : Value(std::string_view(text)) {}
    Value(const ColumnValue& encrypted) noexcept
        : kind_(encrypted.kind == ColumnValue::Kind::null   ? Kind::null
                : encrypted.kind == ColumnValue::Kind::text ? Kind::text
                                                            : Kind::blob),
          may_be_encrypted_(true),
          bytes_(encrypted.bytes) {}
    template <class T>
    Value(const std::optional<T>& value) noexcept : Value(value ? Value(*value) : Value(std::nullopt)) {}
    // NOLINTEND(google-explicit-constructor)

    Kind kind() const noexcept { return kind_; }
    std::int64_t integer() const noexcept { return integer_; }
    std::string_view bytes() const noexcept { return bytes_; }
    // Tells whether the parameter is for a column that may be encrypted. An engine may keep texts and blobs of such a
    // column as one type.
    bool may_be_encrypted() const noexcept { return may_be_encrypted_; }

  private:
    Kind kind_ = Kind::null;
    bool may_be_encrypted_ = false;
    std::int64_t integer_ = 0;
    std::string_view bytes_;
};

// Holds all rows that a statement returned, and the number of rows that it changed.
class Rows {
    struct Cell;

  public:
    enum class Kind { null, integer, text, blob, other };

    // Gives access to one of the rows. It is valid as long as the Rows object lives.
    class One final : public Row {
      public:
        One(const Rows& rows, std::size_t first) noexcept : rows_(&rows), first_(first) {}

        bool is_null(int column) const override { return at(column).kind == Kind::null; }
        bool is_text(int column) const override { return at(column).kind == Kind::text; }
        bool is_integer(int column) const override { return at(column).kind == Kind::integer; }
        bool is_blob(int column) const override { return at(column).kind == Kind::blob; }
        std::string_view text(int column) const override { return bytes(column); }
        std::string_view blob(int column) const override { return bytes(column); }
        std::int64_t integer(int column) const override { return at(column).integer; }
        Kind kind(int column) const { return at(column).kind; }

      private:
        std::string_view bytes(int column) const {
            const auto& cell = at(column);
            return std::string_view(rows_->bytes_).substr(cell.begin, cell.size);
        }
        const Cell& at(int column) const { return rows_->cells_.at(first_ + static_cast<std::size_t>(column)); }

        const Rows* rows_;
        std::size_t first_;
    };

    class Iterator {
      public:
        Iterator(const Rows& rows, std::size_t row) noexcept : rows_(&rows), row_(row) {}
        One operator*() const { return (*rows_)[row_]; }
        Iterator& operator++() noexcept {
            ++row_;
            return *this;
        }
        bool operator==(const Iterator& other) const noexcept { return row_ == other.row_; }

      private:
        const Rows* rows_;
        std::size_t row_;
    };

    bool empty() const noexcept { return cells_.empty(); }
    std::size_t size() const noexcept { return columns_ == 0 ? 0 : cells_.size() / columns_; }
    One operator[](std::size_t row) const { return {*this, row * columns_}; }
    One front() const { return (*this)[0]; }
    Iterator begin() const noexcept { return {*this, 0}; }
    Iterator end() const noexcept { return {*this, size()}; }
    // Returns the number of rows that the statement inserted, updated or deleted.
    std::int64_t changed() const noexcept { return changed_; }

    // The engine adds the cells of each row in turn. A cell keeps its bytes (for a number, its digits) and also the
    // number that it is or begins with, so that a damaged row is read with the types that it should have had.
    void expect(std::size_t columns) noexcept { columns_ = columns; }
    void add(Kind kind, std::int64_t integer, std::string_view bytes) {
        if (cells_.empty()) cells_.reserve(columns_);
        cells_.push_back({kind, integer, bytes_.size(), bytes.size()});
        bytes_.append(bytes);
    }
    void set_changed(std::int64_t rows) noexcept { changed_ = rows; }

  private:
    struct Cell {
        Kind kind;
        std::int64_t integer;
        std::size_t begin;  // where its bytes begin in bytes_
        std::size_t size;
    };
    std::size_t columns_ = 0;
    std::vector<Cell> cells_;
    std::string bytes_;
    std::int64_t changed_ = 0;
};

// Ends a job. An error of the database's category means that the database failed: it ends the transaction, with all
// jobs in it. An error of ours (errc) concerns this job alone, which has written nothing.
class JobFailed final : public std::exception {
  public:
    explicit JobFailed(boost::system::error_code why) noexcept : why_(why) {}
    const boost::system::error_code& why() const noexcept { return why_; }
    const char* what() const noexcept override { return "a job on the journal failed"; }

  private:
    boost::system::error_code why_;
};

// This is the transaction that a job runs in. Every failure of the database is thrown as JobFailed.
class Transaction {
  public:
    // Holds the answer to a statement for which the engine has to wait. The engine shares it with the job that awaits
    // the answer.
    struct Answer {
        std::optional<Rows> rows{};
        std::coroutine_handle<> waiting{};  // the job, once it waits for the rows
    };

    // Gives the rows of a statement to the job that awaits them.
    class [[nodiscard]] Asked {
      public:
        explicit Asked(Rows rows) noexcept : rows_(std::move(rows)) {}
        explicit Asked(std::shared_ptr<Answer> answer) noexcept : answer_(std::move(answer)) {}
        bool await_ready() const noexcept { return !answer_ || answer_->rows; }
        void await_suspend(std::coroutine_handle<> job) const noexcept { answer_->waiting = job; }
        Rows await_resume() noexcept { return answer_ ? std::move(*answer_->rows) : std::move(rows_); }

      private:
        Rows rows_;
        std::shared_ptr<Answer> answer_;
    };

    // Runs a statement whose rows the job needs.
    template <class... Values>
    Asked ask(const Statement& statement, const Values&... values) {
        const std::array<Value, sizeof...(Values)> bound{Value(values)...};
        return execute(statement, bound);
    }
    // Does the same with a text that was composed for this call.
    Asked ask(std::string_view composed, std::span<const Value> values = std::span<const Value>()) {
        return execute({"composed", composed, Statement::composed}, values);
    }
    // Runs a statement whose rows nobody needs.
    template <class... Values>
    void run(const Statement& statement, const Values&... values) {
        const std::array<Value, sizeof...(Values)> bound{Value(values)...};
        (void)execute(statement, bound);
    }
    // Does the same with a text that was composed for this call.
    void run(std::string_view composed, std::span<const Value> values = std::span<const Value>()) {
        (void)execute({"composed", composed, Statement::composed}, values);
    }

    // Takes the lock with this name until the transaction ends. Every other transaction that calls this with the same
    // name waits until then, so the job must read what the lock protects after this call. An engine that runs its
    // transactions one after the other does nothing here.
    virtual void hold(std::string_view words) { (void)words; }
    // Takes the same lock in shared mode: transactions that call this one do not wait for each other.
    virtual void hold_with_others(std::string_view words) { (void)words; }

  protected:
    Transaction() = default;
    Transaction(const Transaction&) = default;
    Transaction& operator=(const Transaction&) = default;
    ~Transaction() = default;

  private:
    virtual Asked execute(const Statement& statement, std::span<const Value> values) = 0;
};

// This is a database that runs jobs. Only one thread at a time may use it, except where a function says otherwise.
class Engine {
  public:
    // Says what a job does. `read`: it only reads. `glance`: it reads what is told to nobody and decides at most
    // whether to look again. `write`: it writes too. `alone`: it writes much, or has to run by itself; where several
    // gateways wait for each other's rows, it shares a commit with no other job.
    enum class Access { read, glance, write, alone };
    static constexpr bool writes(Access access) noexcept { return access == Access::write || access == Access::alone; }
    using Work = std::function<Job<void>(Transaction&)>;
    struct Task {
        Access access = Access::read;
        const Work* work = nullptr;
        Result<void> outcome{};  // an error: nothing that the job wrote is kept
    };

    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    // Runs all tasks, in their order, as one commit, and sets the outcome of each. What a job wrote is durable once its
    // outcome is no error. A commit that fails makes every job in it fail.
    virtual void perform(std::span<Task* const> tasks) = 0;
    // Does the work that can wait until the callers of the last tasks have been told their outcomes.
    virtual void rest() = 0;
    // Makes the engine wait for no other program from now on. Any thread may call this.
    virtual void wait_no_more() noexcept = 0;
};

}  // namespace gateway
