#include "journal/copy/talk.hpp"

#include "base/in_words.hpp"
#include "journal/postgres/error.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/postgres/standbys.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace gateway::moving {
namespace {

using postgres::Command;
using postgres::Statement;

// Counting and sorting a million rows on a slow machine takes a minute; where the server is gone, the keepalives of the
// connection say so much earlier.
constexpr Duration patience = std::chrono::minutes(30);
// A slow machine makes all tables of a journal in some seconds.
constexpr Duration patience_of_tables{20'000};
// So much time passes between two looks whether the server waits for a standby. The second look that finds it so ends
// the waiting.
constexpr Duration between_looks{5'000};
constexpr std::chrono::milliseconds a_moment{100};

// While the other side works.
constexpr std::array begin_long{Statement{"moving_begin", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"},
                                Statement{"moving_patience",
                                          "SELECT set_config('idle_in_transaction_session_timeout', '1800000', true),"
                                          " set_config('lock_timeout', '15000', true)"}};
constexpr Statement commit_long{"moving_commit", "COMMIT"};

}  // namespace

Talk::Talk(PostgresAccess access) : access_(std::move(access)), wait_(access_.io.get_executor(), access_.clock) {}

Done Talk::open() {
    auto opened =
        wait_for(postgres::Connection::open(access_.io.get_executor(), wait_, access_.client, access_.connection, {}));
    if (opened.has_error()) return fmt::format("{} cannot be reached: {}", access_.url, opened.error());
    connection_ = std::move(*opened);
    const auto looking = [this]() -> boost::asio::awaitable<std::string> {
        postgres::Transaction looks(*connection_, postgres::Proof::not_needed, patience);
        const auto facts = co_await postgres::read_facts(looks);
        if (facts.has_error()) co_return facts.error().message();
        (void)co_await looks.commit();
        co_return postgres::refusal_of(*facts);
    };
    auto look = looking();
    if (const auto refusal = wait_for(std::move(look)); !refusal.empty())
        return fmt::format("{} cannot be used: {}", access_.url, refusal);
    return {};
}

Done Talk::migrate(std::function<postgres::Awaited<void>(postgres::Transaction&)> with) {
    postgres::SessionOptions options{.connection = access_.connection, .deadline = patience_of_tables};
    postgres::Session session(access_.io.get_executor(), access_.clock, access_.client, std::move(options));
    const auto ready = wait_for(postgres::bring_up_to_date(session, postgres::migrations(), std::move(with)));
    if (!ready.has_error()) return {};
    const auto standby = standby_waited_for();
    return fmt::format("{} cannot be used: {}", access_.url, standby.empty() ? ready.error() : standby);
}

std::string Talk::standby_waited_for() {
    auto words = wait_for(postgres::what_is_waited_for(access_.io.get_executor(), access_.clock, access_.client,
                                                       {.connection = access_.connection}));
    return words.empty() ? words : words + "; bring one back";
}

postgres::Exchanged Talk::exchange(std::span<const Command> commands) {
    std::optional<postgres::Exchanged> result;
    start(connection_->exchange(commands, patience), result);
    auto next_look = clock().now() + between_looks;
    while (!result) {
        access_.io.run_one_for(a_moment);
        if (result || clock().now() < next_look) continue;
        const bool waited = !standby_.empty();  // at the look before
        standby_ = standby_waited_for();
        if (waited && !standby_.empty() && !result) {
            connection_->close(standby_);
            wait_.wake();
        }
        next_look = clock().now() + between_looks;
    }
    if (!connection_->is_over()) standby_.clear();
    return std::move(*result);
}

std::string Talk::trouble(const postgres::Exchanged& exchanged) {
    const auto refusal = connection_->take_refusal();
    if (exchanged.lost && !standby_.empty()) return fmt::format("{}: {}", access_.url, standby_);
    if (exchanged.lost)
        return fmt::format("{}: the connection to the server is lost: {}", access_.url, connection_->last_words());
    const bool is_full = postgres::is_state(exchanged.refused, postgres::state::disk_full);
    return fmt::format("{}: {}{}{}{}", access_.url, exchanged.refused.message(), refusal.empty() ? "" : ": ", refusal,
                       is_full && expected_bytes_ > 0
                           ? fmt::format("; the journal that is copied takes {}", bytes_in_words(expected_bytes_))
                           : "");
}

// The server has ended the wait of a commit that it has done.
std::string Talk::without_standby() {
    auto standby = standby_waited_for();
    if (standby.empty())
        standby = "the server was told not to wait for its standby any more, which may lack what was written last";
    return fmt::format("{}: {}", access_.url, standby);
}

Explained<postgres::Rows> Talk::ask(Statement statement, postgres::Parameters parameters) {
    const std::array<Command, 1> commands{Command{statement, &parameters}};
    auto exchanged = exchange(commands);
    if (exchanged.rows.size() != commands.size()) return trouble(exchanged);
    return std::move(exchanged.rows.front());
}

Explained<std::vector<postgres::Rows>> Talk::write(std::span<const Command> commands) {
    const auto all = postgres::whole_transaction(commands, postgres::Proof::given, nullptr);
    auto exchanged = exchange(all);
    const auto outcome = postgres::outcome_of(exchanged, all.size(), postgres::Proof::given);
    if (!outcome) return std::move(exchanged.rows);
    if (exchanged.refused) {
        auto words = trouble(exchanged);
        roll_back();
        return words;
    }
    return exchanged.lost ? trouble(exchanged) : without_standby();
}

// What a refused statement leaves open.
void Talk::roll_back() {
    const auto rolling = [this]() -> boost::asio::awaitable<bool> {
        co_await postgres::roll_back(*connection_, patience);
        co_return true;
    };
    auto work = rolling();
    (void)wait_for(std::move(work));
}

Done Talk::begin() {
    for (const auto& statement : begin_long)
        if (const auto begun = ask(statement); begun.has_error()) return begun.error();
    return {};
}

Done Talk::commit() {
    const std::array<Command, 1> commands{Command{commit_long}};
    const auto exchanged = exchange(commands);
    const auto outcome = postgres::outcome_of(exchanged, commands.size(), postgres::Proof::given);
    if (!outcome) return {};
    return exchanged.refused || exchanged.lost ? trouble(exchanged) : without_standby();
}

}  // namespace gateway::moving
