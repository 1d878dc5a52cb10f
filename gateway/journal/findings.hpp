// Keeps the statements of the provider that were read, one row each; of a day's statements the last one counts. Keeps
// also the findings, one row each, which say what does not agree with a statement. A disagreement of a day has the same
// row for ever, whichever statements of the day show it. A row that this program cannot have written is left out and
// counted.
#pragma once

#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace gateway::statements {

// Finds the newest statement that has these bytes and was read in this way.
Job<std::optional<KeptStatement>> find(Tx& tx, std::string_view digest, std::string_view reading);
// Lists the statements that the filter selects, the last one first.
Job<std::vector<KeptStatement>> list(Tx& tx, const StatementFilter& filter);

// Returns the statement with its new id, and with the id of the statement that it replaces.
Job<KeptStatement> insert(Tx& tx, const KeptStatement& statement);

}  // namespace gateway::statements

namespace gateway::findings {

// Does what Journal::keep_statement() says.
Job<FindingChanges> keep(Tx& tx, const KeptStatement& statement, const std::vector<Finding>& findings);
Job<std::vector<Finding>> list(Tx& tx, const FindingFilter& filter);
// Returns nothing where there is no such finding, or where it cannot be read.
Job<std::optional<Finding>> find(Tx& tx, std::int64_t number);
// Closes the finding unless it is closed already, and returns it as it stands afterwards. Fails with errc::not_found
// where there is no finding with this number that can be read.
Job<Finding> close(Tx& tx, std::int64_t number, Finding::Closed closed);
// Notes what came of the action that the finding asks for. `settled_at`, where it is set, closes the finding. Returns
// and fails as close() does.
Job<Finding> done(Tx& tx, std::int64_t number, std::string_view effect, std::optional<WallTime> settled_at);
Job<std::map<FindingKind, std::int64_t>> count_open(Tx& tx);

}  // namespace gateway::findings
