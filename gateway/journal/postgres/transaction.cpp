#include "journal/postgres/transaction.hpp"

#include "journal/chain/acknowledged_commits.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/error.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace gateway::postgres {
namespace {

// These leave nothing to the defaults of the server or the user.
constexpr Statement begin_writing{"begin", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"};
constexpr Statement begin_reading{"begin_reading", "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"};
// This write touches no row: a commit with it waits for the standby, but nobody waits for this write.
constexpr Statement prove{"prove", "SELECT pg_logical_emit_message(true, 'sales-gateway', '')"};
constexpr Statement make_durable{"commit", "COMMIT"};
constexpr Statement taking_back{"rollback", "ROLLBACK"};

}  // namespace

boost::system::error_code outcome_of(const Exchanged& exchanged, std::size_t commands, Proof proof) {
    const bool all = exchanged.rows.size() == commands;
    const bool commit_refused = exchanged.refused && exchanged.rows.size() + 1 == commands;
    // A server that refused a statement before the commit has skipped the commit, whatever became of the connection.
    const bool refused = exchanged.refused && !(commit_refused && leaves_commit_open(exchanged.refused));
    if (refused) return exchanged.refused;
    const auto lost = sql_error(state::connection_failure);
    if (!exchanged.begun) return lost;
    // Where the transaction had failed, the server answers a commit with a rollback.
    if (all && exchanged.last != "COMMIT") return sql_error(state::transaction_failed);
    if (proof == Proof::not_needed) return all ? boost::system::error_code() : lost;
    if (all && !exchanged.warned) return {};
    return errc::commit_unknown;
}

bool ServerTransaction::begin(const Engine::Work& work) {
    jobs_.emplace_back(work);
    const bool is_free = held_.add(jobs_.back());
    if (!is_free) jobs_.pop_back();
    return is_free;
}

// Gives each job the rows that it asked for. Returns false where two jobs now need each other's locks.
bool ServerTransaction::answer(std::span<Rows> rows) {
    HeldLocks held;
    bool may_go_on = true;
    for (auto& job : jobs_) {
        const auto count = job.asking().size();
        if (count > 0 || !job.taking().empty()) job.answer(rows.first(count));
        rows = rows.subspan(count);
        may_go_on = held.add(job) && may_go_on;
    }
    return may_go_on;
}

boost::asio::awaitable<boost::system::error_code> ServerTransaction::run() {
    while (true) {
        const Round round(jobs_);
        if (round.commands().empty()) co_return boost::system::error_code();
        std::vector<Rows> answered;
        const auto failed = co_await send(round, answered);
        if (failed) co_return failed;
        if (!answer(std::span(answered).subspan(round.locks()))) co_return sql_error(state::has_to_be_alone);
    }
}

boost::asio::awaitable<boost::system::error_code> ServerTransaction::run(const Engine::Work& work) {
    jobs_.emplace_back(work);
    const auto failed = co_await run();
    const auto own = failed ? failed : jobs_.back().failure();
    jobs_.clear();
    co_return own;
}

// The first round begins the transaction.
boost::asio::awaitable<boost::system::error_code> ServerTransaction::send(const Round& round,
                                                                          std::vector<Rows>& answered) {
    const auto with_zero = std::ranges::find_if(round.commands(), [](const Command& command) {
        return command.parameters != nullptr && command.parameters->has_zero();
    });
    if (with_zero != round.commands().end()) {
        refused_ = {with_zero->statement, *with_zero->parameters};
        co_return sql_error(state::not_in_this_text);
    }
    std::vector<Command> commands;
    const bool is_first = !std::exchange(begun_, true);
    const bool counts = is_first && proof_ == Proof::given && count_ != nullptr;
    if (is_first) commands.push_back({proof_ == Proof::given ? begin_writing : begin_reading});
    if (counts) count_->add_commands(commands);
    const auto head = static_cast<std::ptrdiff_t>(commands.size());
    commands.insert(commands.end(), round.commands().begin(), round.commands().end());
    auto exchanged = co_await connection_.exchange(commands, patience_);
    begun_ = exchanged.begun || !is_first;
    if (exchanged.rows.size() < commands.size()) {
        if (counts && exchanged.rows.size() == 1 && exchanged.refused == sql_error(state::check_violation))
            co_return sql_error(state::moved_away);
        const auto error = exchanged.refused ? exchanged.refused : sql_error(state::connection_failure);
        const auto& failing = commands[exchanged.rows.size()];
        if (is_of_a_value(error) && failing.parameters != nullptr) refused_ = {failing.statement, *failing.parameters};
        co_return error;
    }
    if (counts)
        if (const auto lost = count_->compare(std::span(exchanged.rows).subspan(1))) co_return lost;
    exchanged.rows.erase(exchanged.rows.begin(), exchanged.rows.begin() + head);
    answered = std::move(exchanged.rows);
    co_return boost::system::error_code();
}

// Where commits are counted, the count is the proof.
boost::asio::awaitable<boost::system::error_code> ServerTransaction::commit() {
    if (!begun_) co_return boost::system::error_code();
    std::vector<Command> commands;
    if (proof_ == Proof::given && count_ == nullptr) commands.push_back({prove});
    commands.push_back({make_durable});
    const auto exchanged = co_await connection_.exchange(commands, patience_);
    const auto outcome = outcome_of(exchanged, commands.size(), proof_);
    if (!outcome && proof_ == Proof::given && count_ != nullptr) count_->done();
    co_return outcome;
}

boost::asio::awaitable<void> ServerTransaction::take_back(boost::system::error_code failure) {
    if (connection_.is_over() || !begun_) co_return;
    const std::array<Command, 1> commands{Command{taking_back}};
    (void)co_await connection_.exchange(commands, patience_);
    if (needs_a_new_connection(failure) && !connection_.is_over()) connection_.close(failure.message());
}

}  // namespace gateway::postgres
