// What the provider says of a day: every attempt in its books that is of that day, as a file or as a list. A function
// of the books and of nothing else, so that a simulation can ask for it too.
//
// An attempt is of the day on which it became EFETIVADA, CANCELADA or NEGADA; one that is still open, of the day on
// which it was accepted. Both are days of the provider's clocks (dates.hpp). The interface document has no such file:
// publicly known of this provider's is the first line alone, and the lines about attempts are of the sandbox's own
// design. An empty field is part of either.
//
//   0;<network>;<its name>;;<written, DDMMYYYY>;<day, DDMMYYYY>;<count>;<total>;<commission>;<to be paid>;
//   1;<idExterno>;<idTransacao>;<nsu>;<estabelecimento>;<valor>;<status>;<dataHora>;
//
// Count and total are of the lines that say EFETIVADA; dataHora is the moment that makes an attempt one of the day.
#pragma once

#include "sandbox/books.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/personality.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

// One attempt, or what a fault makes of it: see statement_faults.hpp.
struct StatementRow {
    std::string idExterno{};
    std::string idTransacao{};
    std::string nsu{};
    std::string estabelecimento{};
    Cents valor = 0;
    std::string status{};
    WallTime at{};                // dataHora
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

// Every attempt in the books, whatever its day, in the order of its moment: of these establishments or, where none is
// named, of all; and of EFETIVADA ones only where `only_sold`.
std::vector<StatementRow> statement_rows(const Books& books, const std::vector<std::string>& estabelecimentos,
                                         bool only_sold);

struct StatementForm {
    Encoding encoding = Encoding::utf_8;
    Money money = Money::cents;
    LineEnd line_end = LineEnd::lf;
    char separator = ';';
};

std::string to_file(const Statement& statement, const StatementForm& form);
// A JSON array with an object for each row, a line each: idExterno, idTransacao, nsu, estabelecimento, valor (a number
// where it is cents, else a text), status and dataHora.
std::string to_list(const Statement& statement, Money money);

}  // namespace gateway::sandbox
