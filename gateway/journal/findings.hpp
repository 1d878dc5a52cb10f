// The provider's statements that were read have one row each, of which the last one of a day counts; what does not
// agree with them has one row each. The same disagreement of a day is one row for ever, whichever statements of the day
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

// Finds the newest statement of these bytes, read in this way.
Job<std::optional<KeptStatement>> find(Tx& tx, std::string_view digest, std::string_view reading);
// Gives the last one first.
Job<std::vector<KeptStatement>> list(Tx& tx, const StatementFilter& filter);

// Returns the statement with its id, and with the id of the one that it replaces.
Job<KeptStatement> insert(Tx& tx, const KeptStatement& statement);

}  // namespace gateway::statements

namespace gateway::findings {

// Keeps the statement, and what it makes of the findings: see Journal::keep_statement().
Job<FindingChanges> keep(Tx& tx, const KeptStatement& statement, const std::vector<Finding>& findings);
Job<std::vector<Finding>> list(Tx& tx, const FindingFilter& filter);
// Returns nothing where there is none that can be read.
Job<std::optional<Finding>> find(Tx& tx, std::int64_t number);
// Closes the finding unless it is closed, and returns it as it is then. Fails with errc::not_found where there is none
// that can be read.
Job<Finding> close(Tx& tx, std::int64_t number, Finding::Closed closed);
// Notes what came of what the finding asks for; closes it where that settled it. Returns the same as close().
Job<Finding> done(Tx& tx, std::int64_t number, std::string_view effect, std::optional<WallTime> settled_at);
Job<std::map<FindingKind, std::int64_t>> count_open(Tx& tx);

}  // namespace gateway::findings
