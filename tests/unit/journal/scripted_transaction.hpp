// This is a transaction whose statements are answered as a test says. So a job meets what only another gateway, or
// another program, makes of the tables while the job runs.
#pragma once

#include "journal/sqlite/transaction.hpp"
#include "journal/tx.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gateway::test {

class ScriptedTransaction final : public Transaction {
  public:
    using Cell = std::variant<std::nullopt_t, std::int64_t, std::string>;
    using Cells = std::vector<Cell>;

    // Lets the statement of this name return these rows, the next time that it has no other answer before. A statement
    // without an answer returns no row and changes nothing.
    void answer(const std::string& name, const std::vector<Cells>& rows) {
        Rows all;
        if (!rows.empty()) all.expect(rows.front().size());
        for (const auto& row : rows)
            for (const auto& cell : row)
                add(all, cell);
        answers_[name].push_back(std::move(all));
    }
    // Lets the statement of this name say that it has changed so many rows.
    void changes(const std::string& name, std::int64_t rows) {
        Rows none;
        none.set_changed(rows);
        answers_[name].push_back(std::move(none));
    }

    // Lets the statement of this name fail from now on, as one does that the disk does not take.
    void refuse(const std::string& name) { refused_.insert(name); }

    // Has what the job did, in order: names of statements, a statement that it composed as its text, and the locks that
    // it took, each after "hold ".
    std::vector<std::string> did;
    // Has the values that each statement was given the last time; NULL is "NULL".
    std::map<std::string, std::vector<std::string>> values;

  private:
    static void add(Rows& rows, const Cell& cell) {
        if (const auto* text = std::get_if<std::string>(&cell))
            rows.add(Rows::Kind::text, 0, *text);
        else if (const auto* integer = std::get_if<std::int64_t>(&cell))
            rows.add(Rows::Kind::integer, *integer, std::to_string(*integer));
        else
            rows.add(Rows::Kind::null, 0, "");
    }
    static std::string written(const Value& value) {
        if (value.kind() == Value::Kind::null) return "NULL";
        return value.kind() == Value::Kind::integer ? std::to_string(value.integer()) : std::string(value.bytes());
    }
    Asked execute(const Statement& statement, std::span<const Value> bound) override {
        const bool is_composed = statement.number == Statement::composed;
        const std::string name(is_composed ? statement.sql : statement.name);
        if (refused_.contains(name)) throw JobFailed(errc::journal_unavailable);
        did.push_back(name);
        auto& given = values[name];
        given.clear();
        for (const auto& value : bound)
            given.push_back(written(value));
        auto& waiting = answers_[is_composed ? std::string(statement.name) : name];
        if (waiting.empty()) return Asked(Rows());
        auto next = std::move(waiting.front());
        waiting.pop_front();
        return Asked(std::move(next));
    }
    void hold(std::string_view words) override { did.push_back("hold " + std::string(words)); }
    void hold_with_others(std::string_view words) override { did.push_back("hold with others " + std::string(words)); }

    std::map<std::string, std::deque<Rows>> answers_;
    std::set<std::string> refused_;
};

// Has everything that a job needs, with scripted answers in place of a database.
struct ScriptedRig {
    // Runs the job that `work` makes from a Tx, and returns its result or failure.
    auto run(auto work) {
        Tx tx(script, cipher, unreadable, {.now = clock.now(), .wall = clock.wall(), .boot = clock.boot()});
        return sqlite::run_to_end(work(tx));
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    ScriptedTransaction script;
    FieldCipher cipher;
    UnreadableSales::Counts unreadable_counts;
    UnreadableSales unreadable{clock, unreadable_counts};
};

}  // namespace gateway::test
