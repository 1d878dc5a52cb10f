// This writes the provider's statement of a day: every attempt in its books that belongs to that day, as a file or as a
// list. It depends on the books and on nothing else, so that a simulation can ask for it too.
//
// An attempt belongs to the day on which it became EFETIVADA, CANCELADA or NEGADA; one that is still open belongs to
// the day on which it was accepted. Both are days of the provider's clocks (dates.hpp). The interface document has no
// such file: only the first line of this provider's file is publicly known, and the sandbox designed the lines about
// attempts itself. Both kinds of lines end with an empty field.
//
//   0;<network>;<its name>;;<written, DDMMYYYY>;<day, DDMMYYYY>;<count>;<total>;<commission>;<to be paid>;
//   1;<idExterno>;<idTransacao>;<nsu>;<estabelecimento>;<valor>;<status>;<dataHora>;
//
// Count and total are those of the EFETIVADA lines; dataHora is the moment that decides the attempt's day. Faults
// change the rows before they are written, so that all faults can be combined. The first line's count and total follow
// the changed rows, unless they are given.
#pragma once

#include "sandbox/books.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/personality.hpp"

#include <boost/system/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

// Holds one attempt, and what faults make of it.
struct StatementRow {
    std::string idExterno{};
    std::string idTransacao{};
    std::string nsu{};
    std::string estabelecimento{};
    Cents valor = 0;
    std::string status{};
    WallTime at{};  // dataHora
    bool missing = false;
    bool doubled = false;
    bool swapped = false;         // idExterno and valor have changed places
    bool three_decimals = false;  // valor has a tenth of a cent
    bool cut = false;             // the file ends in the middle of this row
};

struct Statement {
    Day day{};
    Day written{};
    std::string network = "4711";
    std::optional<std::size_t> count{};  // the count that the first line says, whatever the rows are
    std::optional<Cents> total{};        // the total, likewise
    std::vector<StatementRow> rows{};
};

struct RowFault {
    enum class Kind { missing, doubled, amount, status, day_later, day_earlier, swapped, three_decimals, cut };
    Kind kind{};
    // Names an idExterno; or a row of the day by its number, counted from 1 before any fault; or "all" of these rows.
    std::string row{};
    Cents valor = 0;       // the value for the fault `amount`
    std::string status{};  // the value for the fault `status`, which need not be one of the interface's
};

// This is the row of an attempt that nobody made: EFETIVADA, at noon.
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
    std::optional<Day> day{};  // the day that the first line names
    bool html = false;         // a web page comes instead
};

struct StatementForm {
    Encoding encoding = Encoding::utf_8;
    Money money = Money::cents;
    LineEnd line_end = LineEnd::lf;
    char separator = ';';
};

// Returns every attempt in the books, whatever its day, in the order of its moment: for these establishments or, where
// none is named, for all. With `only_sold` only EFETIVADA ones are returned.
std::vector<StatementRow> statement_rows(const Books& books, const std::vector<std::string>& estabelecimentos,
                                         bool only_sold);

// Makes the statement of a day, out of rows of any days in the order of their moments; or says in words what is wrong
// with a fault that names a row which is not there. A fault by number leaves the rows of other days alone. A fault by
// idExterno applies to all rows, so that a row which day_later takes out of one statement is in the next one with the
// same faults.
boost::system::result<Statement, std::string> make_statement(std::vector<StatementRow> rows, Day day, Day written,
                                                             const StatementFaults& faults);

std::string to_file(const Statement& statement, const StatementForm& form);
// Writes a JSON array with one object on a line for each row: idExterno, idTransacao, nsu, estabelecimento, valor (a
// number where it is whole cents, else a text), status and dataHora.
std::string to_list(const Statement& statement, Money money);

}  // namespace gateway::sandbox
