// Hands jobs to an engine, on a thread of its own: all jobs that wait when a commit begins go into that commit ("group
// commit"), so that one flush of the disk serves them all and the event loop never waits for the disk.
#pragma once

#include "journal/engine.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

namespace gateway {

enum class Durability {
    threaded,  // a thread of its own: production
    inline_,   // on the caller's thread, when the executor comes to it: the simulation, which must be one thread
};

class Writer {
  public:
    using Access = Engine::Access;

    // Completions are given back on `executor`; the engine must outlive the writer.
    Writer(boost::asio::any_io_executor executor, Engine& engine, Durability durability);
    // Lets the jobs that are queued finish, only that they wait for nobody any more. Afterwards nothing touches the
    // engine.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Runs `work` on the engine's thread and gives its result once it is durable. `work` may refer to what lives until
    // the caller has awaited this. It may be run more than once.
    template <class T>
    boost::asio::awaitable<Result<T>> run(Access access, std::function<Job<T>(Transaction&)> work);

  private:
    // It owns the coroutines that wait for it, by its handler, and so what its work refers to. One is never assigned:
    // in Boost 1.81 a handler of this type that is assigned calls itself until the stack is used up.
    struct Waiting {
        Engine::Task task;
        boost::asio::any_completion_handler<void(Result<void>)> done;
    };
    static_assert(std::is_nothrow_move_constructible_v<Waiting>);
    using Queue = std::deque<Waiting>;

    // The one place where Asio is met, so that an operation of the journal costs the compiler little.
    boost::asio::awaitable<Result<void>> commit(Access access, const Engine::Work& work);
    void submit(Waiting waiting);
    void work();
    void perform(Queue& batch);
    void give_back(Queue batch);

    boost::asio::any_io_executor executor_;
    Engine& engine_;
    const Durability durability_;
    std::mutex mutex_;
    std::condition_variable wake_;
    Queue queue_;
    bool stopping_ = false;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    std::thread thread_;
};

template <class T>
boost::asio::awaitable<Result<T>> Writer::run(Access access, std::function<Job<T>(Transaction&)> work) {
    if constexpr (std::is_void_v<T>) {
        co_return co_await commit(access, work);
    } else {
        std::optional<T> result;
        const Engine::Work keep_result = [&result, &work](Transaction& transaction) -> Job<void> {
            auto made = co_await work(transaction);
            result.emplace(std::move(made));
        };
        const auto committed = co_await commit(access, keep_result);
        if (committed.has_error()) co_return Result<T>(boost::system::in_place_error, committed.error());
        co_return Result<T>(boost::system::in_place_value, std::move(*result));
    }
}

}  // namespace gateway
