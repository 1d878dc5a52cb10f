#include "journal/chain/commit_count.hpp"

#include "journal/postgres/error.hpp"

#include <algorithm>

namespace gateway::postgres {
namespace {

constexpr Statement count_commit{"count_commit", "SELECT count_commit($1, $2::smallint, $3::bigint, $4::bigint)"};

}  // namespace

Command CommitCount::command() {
    parameters_ = Parameters();
    parameters_.add(gateway_).add(connection_).add(epoch_).add(acknowledged_);
    return {count_commit, &parameters_};
}

void CommitCount::done(std::int64_t number) {
    acknowledged_ = std::max(acknowledged_, number);
}

void CommitCount::refused(const boost::system::error_code& error) {
    if (is_state(error, state::commits_are_lost)) state_ = State::lost;
    if (is_state(error, state::epoch_is_over)) state_ = State::over;
}

void CommitCount::begin(std::int64_t epoch, std::int64_t acknowledged) {
    epoch_ = epoch;
    acknowledged_ = acknowledged;
    state_ = State::whole;
}

}  // namespace gateway::postgres
