#include "journal/chain/commit_count.hpp"

#include "journal/postgres/error.hpp"

#include <algorithm>

namespace gateway::postgres {
namespace {

// It stands first, because what marks the journal as restored locks this table before it changes anything; and the
// epoch is read by a statement of its own, which sees what was committed while the first one waited.
constexpr Statement count_commit{
    "count_commit",
    "UPDATE commits SET made = made + 1 WHERE gateway = $1 AND connection = $2::smallint RETURNING made"};
constexpr Statement read_epoch{"read_epoch",
                               "SELECT number, CASE WHEN lost_by = '' THEN 0 ELSE 1 END AS lost FROM epoch"};

}  // namespace

void CommitCount::add_commands(std::vector<Command>& commands) {
    parameters_ = {gateway_, connection_};
    commands.push_back({count_commit, &parameters_});
    commands.push_back({read_epoch});
}

boost::system::error_code CommitCount::compare(std::span<const Rows> counted) {
    const auto& made = counted[0];
    const auto& epoch = counted[1];
    number_ = made.empty() ? 0 : made[0].integer(0);
    const auto now = epoch.empty() ? 0 : epoch[0].integer(0);
    const bool is_said = !epoch.empty() && epoch[0].integer(1) != 0;
    if (!is_said && now > epoch_) {
        state_ = State::over;
        return sql_error(state::epoch_is_over);
    }
    if (is_said || now < epoch_ || number_ <= acknowledged_) {
        state_ = State::lost;
        return sql_error(state::commits_are_lost);
    }
    return {};
}

void CommitCount::done() {
    acknowledged_ = std::max(acknowledged_, number_);
}

void CommitCount::begin(std::int64_t epoch, std::int64_t acknowledged) {
    epoch_ = epoch;
    acknowledged_ = acknowledged;
    state_ = State::whole;
}

}  // namespace gateway::postgres
