// Says what the provider says of a day: every attempt in its books that is of that day, as a file or as a list. It is a
// function of the books and of nothing else, so that a simulation can ask for it too.
//
// An attempt is of the day on which it became EFETIVADA, CANCELADA or NEGADA; one that is still open is of the day on
// which it was accepted. Both are days of the provider's clocks (dates.hpp). The interface document has no such file:
// publicly known of this provider's is the first line alone, and the lines about attempts are of the sandbox's own
// design. An empty field is part of either.
//
//   0;<network>;<its name>;;<written, DDMMYYYY>;<day, DDMMYYYY>;<count>;<total>;<commission>;<to be paid>;
//   1;<idExterno>;<idTransacao>;<nsu>;<estabelecimento>;<valor>;<status>;<dataHora>;
//
// Count and total are of the lines that say EFETIVADA; dataHora is the moment that makes an attempt one of the day.
// Faults are laid over the rows of the books before they are written, so that all of them go together. The first line's
// count and total follow the rows as they then stand, unless they are given.
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
    bool swapped = false;         // idExterno and valor stand in each other's place
    bool three_decimals = false;  // valor has a tenth of a cent
    bool cut = false;             // everything ends in the middle of this one
};

struct Statement {
    Day day{};
    Day written{};
    std::string network = "4711";
    std::optional<std::size_t> count{};  // to be said whatever the rows are
    std::optional<Cents> total{};        // likewise
    std::vector<StatementRow> rows{};
};

struct RowFault {
    enum class Kind { missing, doubled, amount, status, day_later, day_earlier, swapped, three_decimals, cut };
    Kind kind{};
    // Names an idExterno; or the number of a row, from 1, among those of the day before any fault; or "all" of these.
    std::string row{};
    Cents valor = 0;       // of amount
    std::string status{};  // of status; need not be one of the interface's
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
    std::optional<Day> day{};  // that the first line names
    bool html = false;         // a web page comes instead
};

struct StatementForm {
    Encoding encoding = Encoding::utf_8;
    Money money = Money::cents;
    LineEnd line_end = LineEnd::lf;
    char separator = ';';
};

// Gives every attempt in the books, whatever its day, in the order of its moment: of these establishments or, where
// none is named, of all; and of EFETIVADA ones only where `only_sold`.
std::vector<StatementRow> statement_rows(const Books& books, const std::vector<std::string>& estabelecimentos,
                                         bool only_sold);

// Makes the statement of a day, out of rows of any days in the order of their moments; or in words what is wrong with a
// fault that names a row which is not there. A fault by number leaves the rows of other days alone; one by idExterno is
// in force on all, so that a row which day_later takes out of one statement is in the next with the same faults.
boost::system::result<Statement, std::string> make_statement(std::vector<StatementRow> rows, Day day, Day written,
                                                             const StatementFaults& faults);

std::string to_file(const Statement& statement, const StatementForm& form);
// Writes a JSON array with an object for each row, a line each: idExterno, idTransacao, nsu, estabelecimento, valor (a
// number where it is cents, else a text), status and dataHora.
std::string to_list(const Statement& statement, Money money);

}  // namespace gateway::sandbox
