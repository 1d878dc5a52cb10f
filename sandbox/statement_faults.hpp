// What can be wrong with a statement: laid over the rows of the books before they are written, so that all of it goes
// together. The first line's count and total follow the rows as they then stand, unless they are given.
#pragma once

#include "sandbox/statement.hpp"

#include <boost/system/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway::sandbox {

struct RowFault {
    enum class Kind { missing, doubled, amount, status, day_later, day_earlier, swapped, three_decimals, cut };
    Kind kind{};
    // An idExterno; or the number of a row, from 1, among those of the day before any fault; or "all" of these.
    std::string row{};
    Cents valor = 0;       // of amount
    std::string status{};  // of status; need not be one of the interface's
};

// A row of an attempt that nobody made: EFETIVADA, at noon.
struct UnknownRow {
    std::string idExterno{};
    std::string estabelecimento{};
    Cents valor = 1000;
};

struct StatementFaults {
    std::vector<UnknownRow> unknown{};
    std::vector<RowFault> rows{};
    std::optional<std::size_t> count{};
    std::optional<Cents> total{};
    std::optional<std::string> network{};
    std::optional<Day> day{};  // that the first line names
    bool html = false;         // a web page comes instead
};

// The statement of a day, out of rows of any days in the order of their moments. In words what is wrong with a fault
// that names a row which is not there. A fault by number leaves the rows of other days alone; one by idExterno is in
// force on all, so that a row which day_later takes out of one statement is in the next with the same faults.
boost::system::result<Statement, std::string> make_statement(std::vector<StatementRow> rows, Day day, Day written,
                                                             const StatementFaults& faults);

}  // namespace gateway::sandbox
