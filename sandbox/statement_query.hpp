// Reads the parameters of GET /sandbox/statement and GET /sandbox/list; each parameter is one row of a table.
//
// The faults of a statement are parameters of its address, and not rules that are put beforehand like those of a sale:
// whoever wants the fault fetches the file, or writes the address from which a gateway fetches the list. The same
// address then gives the same answer for the same books, and nothing is left over for the next test. A file that is
// issued again is a second request, with other faults or none.
#pragma once

#include "sandbox/personality.hpp"
#include "sandbox/statement.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::sandbox {

using Parameters = std::vector<std::pair<std::string, std::string>>;

enum class StatementKind { file, list };

struct StatementQuery {
    StatementKind kind{};
    Day day{};
    Day written{};
    std::vector<std::string> estabelecimentos{};  // none: all
    Personality personality{};                    // a parameter may change the provider's own way
    StatementFaults faults{};
};

// Says in words what is wrong with the parameters. Without a parameter for the day, it is today.
boost::system::result<StatementQuery, std::string> read_statement_query(const Parameters& parameters,
                                                                        StatementKind kind, const Options& options,
                                                                        WallTime now);

// Says in words what is wrong with a fault that names a row which is not there.
boost::system::result<Statement, std::string> make_statement(const Books& books, const StatementQuery& query);
// Writes what is to be sent.
std::string statement_text(const Statement& statement, const StatementQuery& query);
std::string_view content_type(const StatementQuery& query);

// Writes the table of the parameters, for a person.
std::string statement_help();

}  // namespace gateway::sandbox
