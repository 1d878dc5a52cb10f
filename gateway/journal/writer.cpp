#include "journal/writer.hpp"

#include "base/process.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <vector>

namespace gateway {
namespace {

// A commit takes at most this many jobs, so that a failed or slow commit never concerns everybody.
constexpr std::size_t most_jobs_in_a_commit = 1024;

}  // namespace

Writer::Writer(boost::asio::any_io_executor executor, Engine& engine, Durability durability)
    : executor_(std::move(executor)), engine_(engine), durability_(durability) {
    if (durability_ == Durability::threaded) thread_ = std::thread([this] { work(); });
}

Writer::~Writer() {
    *alive_ = false;
    engine_.wait_no_more();
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

boost::asio::awaitable<Result<void>> Writer::commit(Access access, const Engine::Work& work) {
    const auto begin = [this, access, &work](auto handler) {
        submit({.task = {.access = access, .work = &work}, .done = std::move(handler)});
    };
    return boost::asio::async_initiate<decltype(boost::asio::use_awaitable), void(Result<void>)>(
        begin, boost::asio::use_awaitable);
}

void Writer::submit(Waiting waiting) {
    if (durability_ == Durability::inline_) {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(waiting));
            if (queue_.size() > 1) return;  // the posted call takes all that came meanwhile
        }
        boost::asio::post(executor_, [this, alive = alive_] {
            if (!*alive) return;
            Queue batch;
            {
                const std::lock_guard lock(mutex_);
                batch.swap(queue_);
            }
            perform(batch);
            give_back(std::move(batch));
            if (*alive) engine_.rest();
        });
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(waiting));
    }
    wake_.notify_one();
}

void Writer::work() {
    let_others_finish();  // otherwise the next commit would begin with its first job, and have few jobs
    while (true) {
        Queue batch;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            for (; !queue_.empty() && batch.size() < most_jobs_in_a_commit; queue_.pop_front())
                batch.push_back(std::move(queue_.front()));
        }
        perform(batch);
        give_back(std::move(batch));
        engine_.rest();
    }
}

void Writer::perform(Queue& batch) {
    std::vector<Engine::Task*> tasks;
    tasks.reserve(batch.size());
    for (auto& waiting : batch)
        tasks.push_back(&waiting.task);
    engine_.perform(tasks);
}

void Writer::give_back(Queue batch) {
    auto complete = [batch = std::make_shared<Queue>(std::move(batch))] {
        for (auto& waiting : *batch)
            std::move(waiting.done)(waiting.task.outcome);
    };
    if (durability_ == Durability::inline_) return complete();
    boost::asio::post(executor_, std::move(complete));
}

}  // namespace gateway
