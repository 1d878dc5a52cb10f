#include "journal/chain/acknowledged_commits.hpp"

#include "base/wall_time.hpp"
#include "journal/postgres/error.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::postgres {
namespace {

// This statement comes first, because the marking of the journal as restored locks its table before it changes
// anything. The epoch is read by a separate statement, which sees what was committed while the first one waited.
constexpr Statement count_commit{
    "count_commit",
    "UPDATE commits SET made = made + 1 WHERE gateway = $1 AND connection = $2::smallint RETURNING made"};
constexpr Statement read_epoch{"read_epoch",
                               "SELECT number, CASE WHEN lost_by = '' THEN 0 ELSE 1 END AS lost FROM epoch"};

using Compared = boost::system::result<void, std::string>;

std::string words_of_loss(const std::string& gateway, std::optional<WallTime> at, const std::string& server) {
    return fmt::format(
        "the database has lost commits that it had acknowledged, as the gateway {} noticed at {}: it was restored from "
        "a copy, a standby was promoted that did not have them, or it is an old primary that was started again. No "
        "gateway owns a sale on it until \"sales-gateway mark-restored\" has left its open sales to a person. "
        "First be sure that the server at {} is the right one; docs/chain-operate.md says what to do before",
        gateway, at ? to_local_text(*at) : "a time that cannot be read", server);
}

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

// Holds what the database says.
struct AcknowledgedCommits::Known {
    std::string journal;
    std::int64_t epoch = 0;
    std::string lost_by;  // empty: no loss is known
    std::optional<WallTime> lost_at{};
    std::string server;
    std::array<std::int64_t, counted_connections> commits{};
};

AcknowledgedCommits::AcknowledgedCommits(const std::string& gateway, TallyFile& file, Log* log)
    : log_(log), file_(file), counts_{CommitCount(gateway, 0), CommitCount(gateway, 1)} {
    remembered_.gateway = gateway;
}

bool AcknowledgedCommits::is_whole() const noexcept {
    return std::ranges::all_of(counts_, [](const auto& count) { return count.state() == CommitCount::State::whole; });
}

// The file's content counts only at the start: afterwards memory is more recent.
Compared AcknowledgedCommits::remember() {
    if (is_open_) return {};
    auto kept = file_.open();
    if (kept.has_error()) return kept.error();
    if (auto why = *kept ? why_not_of(**kept, remembered_.gateway) : std::string(); !why.empty()) return why;
    if (*kept) remembered_ = std::move(**kept);
    is_open_ = true;
    return {};
}

boost::asio::awaitable<Compared> AcknowledgedCommits::compare(Session& uncounted, WallTime now) {
    if (auto read = remember(); read.has_error()) co_return read;
    auto known = co_await ask(uncounted);
    if (known.has_error()) co_return known.error().message();
    if (!remembered_.journal.empty() && known->journal != remembered_.journal)
        co_return std::string(
            "journal.url leads to another journal than the one that this gateway knows by its journal.tally_file. "
            "Where that is meant, move the file away");
    while (known->lost_by.empty() && is_behind(*known)) {
        const auto said = co_await say_lost(uncounted, known->epoch, now);
        if (said.has_error()) co_return said;
        known = co_await ask(uncounted);
        if (known.has_error()) co_return known.error().message();
    }
    if (!known->lost_by.empty()) {
        const auto words = words_of_loss(known->lost_by, known->lost_at, known->server);
        say(words);
        co_return words;
    }
    const bool is_first = remembered_.journal.empty();
    if (!is_first && known->epoch != remembered_.epoch && log_ != nullptr)
        log_->warn("journal.marked_restored", "the journal was marked as restored: the gateway goes on with it");
    if (is_first && !file_.path().empty() && std::ranges::any_of(known->commits, [](auto made) { return made > 0; }))
        say_failed(
            fmt::format("journal.tally_file {} was not there, and this gateway has used the journal before: "
                        "whether the database has lost commits since cannot be told",
                        file_.path()));
    said_.clear();
    remembered_.journal = known->journal;
    remembered_.epoch = known->epoch;
    for (std::size_t i = 0; i < counts_.size(); ++i)
        counts_[i].begin(known->epoch, known->commits[i]);
    co_return Compared();
}

boost::asio::awaitable<Result<AcknowledgedCommits::Known>> AcknowledgedCommits::ask(Session& uncounted) const {
    const auto work = [this](Transaction& tx) -> Job<Known> {
        Known known;
        // A gateway that has never counted gets its rows here; any other one finds them, or a loss.
        for (std::size_t i = 0; i < counted_connections; ++i)
            tx.run(sql::begin_counting, remembered_.gateway, i);
        const auto epoch = co_await tx.ask(sql::epoch);
        const auto commits = co_await tx.ask(sql::commits_of, remembered_.gateway);
        if (epoch.empty()) throw JobFailed(errc::malformed);
        const auto row = epoch.front();
        known.journal = row.text(0);
        known.epoch = row.integer(1);
        known.lost_by = row.text(2);
        known.server = row.text(4);
        if (!row.is_null(3)) known.lost_at = rows::readable_time(row, 3);
        for (const auto of_one : commits)
            if (const auto at = static_cast<std::size_t>(of_one.integer(0)); at < known.commits.size())
                known.commits[at] = of_one.integer(1);
        co_return known;
    };
    return uncounted.perform<Known>(Engine::Access::write, work);
}

// Changes nothing where another gateway has said it first, or an operator has marked the journal meanwhile.
boost::asio::awaitable<Compared> AcknowledgedCommits::say_lost(Session& uncounted, std::int64_t epoch,
                                                               WallTime now) const {
    const Engine::Work work = [&](Transaction& tx) -> Job<void> {
        tx.run(sql::note_loss, remembered_.gateway, rows::milliseconds(now), epoch);
        co_return;
    };
    const auto noted = co_await uncounted.commit(Engine::Access::write, work);
    if (noted.has_error()) co_return noted.error().message();
    co_return Compared();
}

bool AcknowledgedCommits::is_behind(const Known& known) const {
    if (known.epoch != remembered_.epoch) return known.epoch < remembered_.epoch;
    for (std::size_t i = 0; i < counts_.size(); ++i)
        if (known.commits[i] < std::max(remembered_.commits[i], counts_[i].acknowledged())) return true;
    return false;
}

void AcknowledgedCommits::keep() {
    if (!is_whole() || remembered_.journal.empty()) return;
    for (std::size_t i = 0; i < counts_.size(); ++i)
        remembered_.commits[i] = counts_[i].acknowledged();
    const auto written = file_.write(remembered_);
    say_failed(written.has_error() ? written.error() +
                                         ": after the next start it may not be noticed that the database "
                                         "lost commits"
                                   : std::string());
}

// Says what is wrong with the file, once for as long as that lasts. An empty text says that nothing is wrong any more.
void AcknowledgedCommits::say_failed(const std::string& words) {
    if (words == write_said_) return;
    if (!words.empty() && log_ != nullptr) log_->warn("journal.tally_failed", "{detail}", {{"detail", words}});
    write_said_ = words;
}

// Says it once, however often it is called.
void AcknowledgedCommits::say(const std::string& words) {
    if (words == said_) return;
    said_ = words;
    if (log_ != nullptr) log_->error("journal.lost", "{detail}", {{"detail", words}});
}

}  // namespace gateway::postgres
