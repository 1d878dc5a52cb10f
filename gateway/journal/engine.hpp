// The journal asks a database to run jobs, each of which runs statements, in one commit. SQLite is such an engine; the
// journal's tables are written once, above this, and know no engine.
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

// This is a statement of sql/statements/, with parameters ?1, ?2, …: the build makes one of each text there.
struct Statement {
    // A statement that was composed for the call that runs it has this number, and is not kept.
    static constexpr auto composed = std::numeric_limits<std::size_t>::max();

    std::string_view name;
    std::string_view sql;
    std::size_t number;           // in the order of all statements, so that an engine keeps it prepared
    std::string_view postgres{};  // the text for PostgreSQL, where that has another one
};

// A parameter is bound to this. Its bytes must live until ask() or run() has returned.
class Value {
  public:
    enum class Kind { null, integer, text, blob };

    // NOLINTBEGIN(google-explicit-constructor): a statement takes what it binds as it is
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
    // Tells whether it is for a column that may be encrypted: an engine may keep texts and blobs there as one type.
    bool may_be_encrypted() const noexcept { return may_be_encrypted_; }

  private:
    Kind kind_ = Kind::null;
    bool may_be_encrypted_ = false;
    std::int64_t integer_ = 0;
    std::string_view bytes_;
};

// Holds all the rows that a statement gave, and how many rows it changed.
class Rows {
    struct Cell;

  public:
    enum class Kind { null, integer, text, blob, other };

    // This is one of the rows, for as long as they live.
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
    // Counts the rows that the statement changed, if it is an INSERT, UPDATE or DELETE.
    std::int64_t changed() const noexcept { return changed_; }

    // The engine adds the cells of each row in turn. Beside its bytes, which are a number's digits, a cell keeps the
    // number that it is or begins with: a row that was damaged is read by what it should have been.
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
        std::size_t begin;  // of its bytes
        std::size_t size;
    };
    std::size_t columns_ = 0;
    std::vector<Cell> cells_;
    std::string bytes_;
    std::int64_t changed_ = 0;
};

// Ends a job. Where the database failed, the error is of its category and ends the transaction with all jobs in it;
// else it is one of ours (errc) and concerns this job alone, which has written nothing.
class JobFailed final : public std::exception {
  public:
    explicit JobFailed(boost::system::error_code why) noexcept : why_(why) {}
    const boost::system::error_code& why() const noexcept { return why_; }
    const char* what() const noexcept override { return "a job on the journal failed"; }

  private:
    boost::system::error_code why_;
};

// A job runs in this transaction. Every failure of the database is a JobFailed.
class Transaction {
  public:
    // Holds the answer to a statement where the engine waits for it. The engine and who awaits the answer share it.
    struct Answer {
        std::optional<Rows> rows{};
        std::coroutine_handle<> waiting{};  // the job, once it waits for the rows
    };

    // Gives the rows of a statement, once they are awaited.
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

    // Runs the statement, whose rows the job needs.
    template <class... Values>
    Asked ask(const Statement& statement, const Values&... values) {
        const std::array<Value, sizeof...(Values)> bound{Value(values)...};
        return execute(statement, bound);
    }
    // Does the same with a text that was composed for this call.
    Asked ask(std::string_view composed, std::span<const Value> values = std::span<const Value>()) {
        return execute({"composed", composed, Statement::composed}, values);
    }
    // Runs the statement, whose rows nobody needs.
    template <class... Values>
    void run(const Statement& statement, const Values&... values) {
        const std::array<Value, sizeof...(Values)> bound{Value(values)...};
        (void)execute(statement, bound);
    }
    // Does the same with a text that was composed for this call.
    void run(std::string_view composed, std::span<const Value> values = std::span<const Value>()) {
        (void)execute({"composed", composed, Statement::composed}, values);
    }

    // Holds the words until the transaction ends. Every other one that calls this with the same words waits until then:
    // the job asks afterwards for what depends on that. An engine that runs one after the other does nothing.
    virtual void hold(std::string_view words) { (void)words; }
    // Holds the words likewise, but transactions that call this one go on beside each other.
    virtual void hold_with_others(std::string_view words) { (void)words; }

  protected:
    Transaction() = default;
    Transaction(const Transaction&) = default;
    Transaction& operator=(const Transaction&) = default;
    ~Transaction() = default;

  private:
    virtual Asked execute(const Statement& statement, std::span<const Value> values) = 0;
};

// This is a database that runs jobs. One thread at a time uses it, except where something else is said.
class Engine {
  public:
    // Says what a job does. `read`: it reads only. `glance`: it reads what nobody is told, and what decides no more
    // than whether to look again. `write`: it writes too. `alone`: it writes much or has to be by itself, and shares a
    // commit with no other job where several gateways wait for each other's rows.
    enum class Access { read, glance, write, alone };
    static constexpr bool writes(Access access) noexcept { return access == Access::write || access == Access::alone; }
    using Work = std::function<Job<void>(Transaction&)>;
    struct Task {
        Access access = Access::read;
        const Work* work = nullptr;
        Result<void> outcome{};  // an error: nothing of it has happened
    };

    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    // Runs all of them, in their order, as one commit, and writes down what became of each. What a job wrote is durable
    // once its outcome is no error; a commit that fails fails every job in it.
    virtual void perform(std::span<Task* const> tasks) = 0;
    // Does what is left to do once the callers of the last tasks were told.
    virtual void rest() = 0;
    // From now on the engine waits for no other program. Any thread may call this.
    virtual void wait_no_more() noexcept = 0;
};

}  // namespace gateway
