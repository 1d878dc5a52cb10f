#include "journal/copy/talk.hpp"

#include "journal/postgres/server_checks.hpp"

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
    postgres::SessionOptions options{.connection = access_.connection};
    postgres::Session session(access_.io.get_executor(), access_.clock, access_.client, std::move(options));
    const auto ready = wait_for(postgres::bring_up_to_date(session, postgres::migrations(), std::move(with)));
    if (ready.has_error()) return fmt::format("{} cannot be used: {}", access_.url, ready.error());
    return {};
}

std::string Talk::trouble(const postgres::Exchanged& exchanged) {
    const auto refusal = connection_->take_refusal();
    if (exchanged.lost)
        return fmt::format("{}: the connection to the server is lost: {}", access_.url, connection_->last_words());
    return fmt::format("{}: {}{}{}", access_.url, exchanged.refused.message(), refusal.empty() ? "" : ": ", refusal);
}

Explained<postgres::Rows> Talk::ask(Statement statement, postgres::Parameters parameters) {
    const std::array<Command, 1> commands{Command{statement, &parameters}};
    auto exchanged = wait_for(connection_->exchange(commands, patience));
    if (exchanged.rows.size() != commands.size()) return trouble(exchanged);
    return std::move(exchanged.rows.front());
}

Explained<std::vector<postgres::Rows>> Talk::write(std::span<const Command> commands) {
    const auto all = postgres::whole_transaction(commands, postgres::Proof::given, nullptr);
    auto exchanged = wait_for(connection_->exchange(all, patience));
    const auto outcome = postgres::outcome_of(exchanged, all.size(), postgres::Proof::given);
    if (!outcome) return std::move(exchanged.rows);
    if (exchanged.refused) {
        auto words = trouble(exchanged);
        roll_back();
        return words;
    }
    if (exchanged.lost) return trouble(exchanged);
    return fmt::format("{}: {}", access_.url, outcome.message());
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
    const auto exchanged = wait_for(connection_->exchange(commands, patience));
    const auto outcome = postgres::outcome_of(exchanged, commands.size(), postgres::Proof::given);
    if (!outcome) return {};
    if (exchanged.refused || exchanged.lost) return trouble(exchanged);
    return fmt::format("{}: {}", access_.url, outcome.message());
}

}  // namespace gateway::moving
