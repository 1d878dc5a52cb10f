// The provider's statements that were read, one row each, of which the last one of a day counts; and what does not
// agree with them: one row each. The same disagreement of a day is one row for ever, whichever statements of the day
// say it. A row that this program cannot have written is left out and counted.
#pragma once

#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace gateway::statements {

// The newest of these bytes, read in this way.
Job<std::optional<KeptStatement>> find(Tx& tx, std::string_view digest, std::string_view reading);
// The last one first.
Job<std::vector<KeptStatement>> list(Tx& tx, const StatementFilter& filter);

// Returns the statement with its id, and with the id of the one that it replaces.
Job<KeptStatement> insert(Tx& tx, const KeptStatement& statement);

}  // namespace gateway::statements

namespace gateway::findings {

// Keeps the statement, and what it makes of the findings: see Journal::keep_statement().
Job<FindingChanges> keep(Tx& tx, const KeptStatement& statement, const std::vector<Finding>& findings);
Job<std::vector<Finding>> list(Tx& tx, const FindingFilter& filter);
// Nothing where there is none that can be read.
Job<std::optional<Finding>> find(Tx& tx, std::int64_t number);
// Closes it unless it is closed, and gives the finding as it is then. errc::not_found where there is none that can be
// read.
Job<Finding> close(Tx& tx, std::int64_t number, Finding::Closed closed);
// What came of what it asks for; closes it where it was settled by that. Gives the same.
Job<Finding> done(Tx& tx, std::int64_t number, std::string_view effect, std::optional<WallTime> settled_at);
Job<std::map<FindingKind, std::int64_t>> count_open(Tx& tx);

}  // namespace gateway::findings
