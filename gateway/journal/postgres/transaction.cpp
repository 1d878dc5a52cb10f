#include "journal/postgres/transaction.hpp"

#include "journal/chain/commit_count.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gateway::postgres {
namespace {

// Whatever the server or the user has as a default.
constexpr Statement begin_writing{"begin", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"};
constexpr Statement begin_reading{"begin_reading", "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"};
// A write that touches no row: a commit with it waits for the standby, and nothing waits for it.
constexpr Statement prove{"prove", "SELECT pg_logical_emit_message(true, 'sales-gateway', '')"};
constexpr Statement make_durable{"commit", "COMMIT"};
constexpr Statement taking_back{"rollback", "ROLLBACK"};

void add_beginning(std::vector<Command>& commands, Proof proof, CommitCount* count) {
    commands.push_back({proof == Proof::given ? begin_writing : begin_reading});
    if (proof == Proof::given && count != nullptr) commands.push_back(count->command());
}

// What counts a commit proves it too.
void add_ending(std::vector<Command>& commands, Proof proof, const CommitCount* count) {
    if (proof == Proof::given && count == nullptr) commands.push_back({prove});
    commands.push_back({make_durable});
}

}  // namespace

std::size_t head_of_transaction(Proof proof, const CommitCount* count) noexcept {
    return proof == Proof::given && count != nullptr ? 2 : 1;
}

std::vector<Command> whole_transaction(std::span<const Command> inner, Proof proof, CommitCount* count) {
    std::vector<Command> commands;
    commands.reserve(inner.size() + 3);
    add_beginning(commands, proof, count);
    commands.insert(commands.end(), inner.begin(), inner.end());
    add_ending(commands, proof, count);
    return commands;
}

boost::system::error_code outcome_of(const Exchanged& exchanged, std::size_t commands, Proof proof) {
    const bool all = exchanged.rows.size() == commands;
    const bool commit_refused = exchanged.refused && exchanged.rows.size() + 1 == commands;
    // A server that refused a statement before the commit has skipped the commit, whatever became of the connection.
    const bool refused = exchanged.refused && !(commit_refused && leaves_commit_open(exchanged.refused));
    if (refused) return exchanged.refused;
    const auto lost = sql_error(state::connection_failure);
    if (!exchanged.begun) return lost;
    // The server takes a commit for a rollback where the transaction had failed.
    if (all && exchanged.rows.back().command() != "COMMIT") return sql_error(state::transaction_failed);
    if (proof == Proof::not_needed) return all ? boost::system::error_code() : lost;
    if (all && !exchanged.warned) return {};
    return errc::commit_unknown;
}

boost::asio::awaitable<Result<std::vector<Rows>>> Transaction::run(std::span<const Command> inner) {
    if (failure_) co_return sql_error(state::transaction_failed);
    const auto with_zero = std::ranges::find_if(
        inner, [](const Command& command) { return command.parameters != nullptr && command.parameters->has_zero(); });
    if (with_zero != inner.end()) {
        failure_ = sql_error(state::not_in_this_text);
        failed_ = {with_zero->statement, *with_zero->parameters};
        co_return failure_;
    }
    std::vector<Command> commands;
    const bool is_first = !std::exchange(begun_, true);
    if (is_first) add_beginning(commands, proof_, count_);
    const auto head = commands.size();
    commands.insert(commands.end(), inner.begin(), inner.end());
    auto exchanged = co_await connection_.exchange(commands, patience_);
    begun_ = begun_ && (exchanged.begun || !is_first);
    const bool counts = head == 2;
    if (exchanged.rows.size() == commands.size()) {
        if (counts) number_ = exchanged.rows[1][0].integer(0);
        exchanged.rows.erase(exchanged.rows.begin(), exchanged.rows.begin() + static_cast<std::ptrdiff_t>(head));
        co_return std::move(exchanged.rows);
    }
    failure_ = exchanged.refused ? exchanged.refused : sql_error(state::connection_failure);
    const auto& failing = commands[exchanged.rows.size()];
    if (is_of_a_value(failure_) && failing.parameters != nullptr) failed_ = {failing.statement, *failing.parameters};
    if (counts) count_->refused(failure_);
    co_return failure_;
}

boost::asio::awaitable<Result<Rows>> Transaction::run(Statement statement, Parameters parameters) {
    const std::array<Command, 1> one{Command{statement, &parameters}};
    auto done = co_await run(one);
    if (done.has_error()) co_return done.error();
    co_return std::move(done->front());
}

boost::asio::awaitable<boost::system::error_code> Transaction::commit() {
    if (!begun_) co_return boost::system::error_code();
    std::vector<Command> commands;
    add_ending(commands, proof_, count_);
    const auto exchanged = co_await connection_.exchange(commands, patience_);
    const auto outcome = outcome_of(exchanged, commands.size(), proof_);
    if (!outcome && number_ > 0) count_->done(number_);
    co_return outcome;
}

boost::asio::awaitable<void> roll_back(Connection& connection, Duration patience) {
    const std::array<Command, 1> commands{Command{taking_back}};
    (void)co_await connection.exchange(commands, patience);
}

}  // namespace gateway::postgres
