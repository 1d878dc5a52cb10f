#include "simulation/sharing_journal.hpp"

#include "journal/postgres/error.hpp"
#include "journal/postgres/running_job.hpp"
#include "simulation/world.hpp"

namespace gateway::simulation {
namespace {

// The server's answer is waited for this long.
constexpr Duration patience{4'000};
// A transaction that the server has ended in favour of another one is tried this many times.
constexpr int most_tries = 5;

postgres::Identity identity_of(const std::string& name) {
    return {.name = name, .provider = "p", .key_name = "", .rules = "r"};
}

}  // namespace

SharingJournal::SharingJournal(World& world, std::size_t number, Clock& clock)
    : ChainJournal(std::make_unique<FieldCipher>(), clock, identity_of(world.setup().names.at(number)), std::string(),
                   fmt::format("file-{}", number), world.gateway_chance()),
      world_(world),
      number_(number) {}

auto SharingJournal::probe() -> Awaited<void> {
    return perform<void>(Lane::of_sales, Access::write, [](Tx& tx) -> Job<void> {
        tx.run("SELECT 1", {});
        co_return;
    });
}

auto SharingJournal::commit(Lane, Access access, const Engine::Work& work, std::string) -> Awaited<void> {
    auto error = co_await try_once(access, work);
    for (int tries = 1; postgres::is_worth_repeating(error) && tries < most_tries; ++tries)
        error = co_await try_once(access, work);
    if (hooks().commit) error = hooks().commit(error);
    if (error) co_return error;
    co_return Result<void>();
}

boost::asio::awaitable<boost::system::error_code> SharingJournal::try_once(Access access, const Engine::Work& work) {
    auto& database = world_.shared_database();
    SharedDatabase::Message message{.connection = database.connect(), .run = run(), .begins = true};
    std::deque<postgres::RunningJob> running;
    running.emplace_back(work);
    auto& job = running.front();
    std::string_view first;
    while (true) {
        const postgres::Round round(running);
        if (round.commands().empty()) break;
        if (message.begins) first = round.commands().front().statement.name;
        message.round = database.asked(round.commands());
        const auto locks = round.locks();
        auto asking = ask(message);
        auto answer = co_await std::move(asking);
        if (!answer)
            world_.ask_server(number_, [&database, connection = message.connection](bool, Duration, Duration) {
                database.close(connection);
            });
        if (!answer) co_return errc::journal_unavailable;
        if (answer->error) co_return answer->error;
        job.answer(std::span(answer->rows).subspan(locks));
        message.begins = false;
    }
    if (message.begins) co_return job.failure();
    message.round.clear();
    message.commits = true;
    message.waits = hooks().waits ? hooks().waits(access, first) : access != Access::glance;
    auto asking = ask(std::move(message));
    const auto done = co_await std::move(asking);
    if (done && !done->error) co_return job.failure();
    co_return Engine::writes(access) ? errc::commit_unknown : errc::journal_unavailable;
}

boost::asio::awaitable<std::optional<SharedDatabase::Answer>> SharingJournal::ask(SharedDatabase::Message message) {
    struct Waiting {
        std::unique_ptr<Timer> timer;
        std::optional<SharedDatabase::Answer> answer;
    };
    const auto waiting = std::make_shared<Waiting>(Waiting{clock_.make_timer(), {}});
    auto arrived = [&world = world_, message = std::move(message), keep = std::weak_ptr(waiting)](
                       bool answers, Duration back, Duration late) mutable {
        const auto tell = [&world, answers, back, keep](SharedDatabase::Answer answer) {
            if (!answers) return;
            world.in(back, [keep, answer = std::move(answer)]() mutable {
                const auto asked = keep.lock();
                if (!asked || asked->answer) return;
                asked->answer = std::move(answer);
                asked->timer->notify();
            });
        };
        world.shared_database().take(std::move(message), late, tell);
    };
    world_.ask_server(number_, std::move(arrived));
    const auto deadline = clock_.now() + patience;
    while (!waiting->answer && clock_.now() < deadline)
        co_await waiting->timer->wait_until(deadline);
    co_return std::move(waiting->answer);
}

}  // namespace gateway::simulation
