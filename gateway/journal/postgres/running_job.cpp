#include "journal/postgres/running_job.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace gateway::postgres {
namespace {

// Returns the PostgreSQL text of a statement that is kept prepared. Each text is made once.
const char* kept_text(const gateway::Statement& statement) {
    static std::mutex mutex;
    static std::deque<std::string> texts;  // by Statement::number
    const std::lock_guard lock(mutex);
    while (texts.size() <= statement.number)
        texts.emplace_back();
    auto& text = texts[statement.number];
    if (text.empty()) text = as_postgres_takes_it(statement.postgres.empty() ? statement.sql : statement.postgres);
    return text.c_str();
}

constexpr Statement lock_alone{"lock_alone", "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"};
constexpr Statement lock_with_others{"lock_with_others",
                                     "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))"};

}  // namespace

std::string as_postgres_takes_it(std::string_view sql) {
    std::string text(sql);
    std::ranges::replace(text, '?', '$');
    constexpr std::string_view hint = " INDEXED BY ";
    for (auto begin = text.find(hint); begin != text.npos; begin = text.find(hint))
        text.erase(begin, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin + hint.size()) - begin);
    for (const std::string_view sign : {"/*+ ", " */"})
        for (auto begin = text.find(sign); begin != text.npos; begin = text.find(sign))
            text.erase(begin, sign.size());
    return text;
}

RunningJob::RunningJob(const Engine::Work& work) : job_(work(*this)) {
    job_.begin();
    look();
}

RunningJob::Asked RunningJob::execute(const gateway::Statement& statement, std::span<const Value> values) {
    Parameters parameters(values);
    auto answer = std::make_shared<Answer>();
    if (statement.number == gateway::Statement::composed) {
        auto composed = std::make_unique<const std::string>(as_postgres_takes_it(statement.sql));
        const Statement unnamed{"", composed->c_str()};
        asking_.push_back({unnamed, std::move(parameters), answer, std::move(composed)});
    } else {
        const Statement kept{statement.name.data(), kept_text(statement)};
        asking_.push_back({kept, std::move(parameters), answer, nullptr});
    }
    return Asked(std::move(answer));
}

void RunningJob::hold(std::string_view words) {
    take({std::string(words), Lock::Kind::alone});
}

void RunningJob::hold_with_others(std::string_view words) {
    take({std::string(words), Lock::Kind::with_others});
}

void RunningJob::take(Lock lock) {
    if (std::ranges::find(held_, lock) != held_.end()) return;
    held_.push_back(lock);
    taking_.push_back(std::move(lock));
}

void RunningJob::answer(std::span<Rows> rows) {
    CHECK(rows.size() == asking_.size());
    taking_.clear();
    const auto answered = std::exchange(asking_, {});
    std::coroutine_handle<> waiting;
    for (std::size_t i = 0; i < answered.size(); ++i) {
        answered[i].answer->rows = std::move(rows[i]);
        if (answered[i].answer->waiting) waiting = answered[i].answer->waiting;
    }
    if (waiting) waiting.resume();
    look();
}

void RunningJob::look() {
    if (!job_.has_ended()) return;
    try {
        job_.take();
    } catch (const JobFailed& failed) {
        failure_ = failed.why();
        asking_.clear();
        taking_.clear();
    }
}

bool HeldLocks::add(const RunningJob& job) {
    using Kind = RunningJob::Lock::Kind;
    const auto is_free = [&](const RunningJob::Lock& lock) {
        const auto known = held_.find(lock.words);
        return known == held_.end() || (known->second == Kind::with_others && lock.kind == Kind::with_others);
    };
    if (!std::ranges::all_of(job.held(), is_free)) return false;
    for (const auto& lock : job.held())
        held_.emplace(lock.words, lock.kind);
    return true;
}

Round::Round(const std::deque<RunningJob>& running) {
    std::set<RunningJob::Lock> locks;
    for (const auto& job : running)
        locks.insert(job.taking().begin(), job.taking().end());
    words_.reserve(locks.size());
    for (const auto& [words, kind] : locks) {
        words_.push_back({words});
        commands_.push_back({kind == RunningJob::Lock::Kind::alone ? lock_alone : lock_with_others, &words_.back()});
    }
    for (const auto& job : running)
        for (const auto& asked : job.asking())
            commands_.push_back({asked.statement, &asked.parameters});
}

}  // namespace gateway::postgres
