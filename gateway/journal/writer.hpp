// Hands jobs to an engine on a thread of its own. All jobs that wait when a commit begins go into that commit ("group
// commit"), so that one flush of the disk serves them all, and the event loop never waits for the disk.
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
    threaded,  // on a thread of its own, as in production
    inline_,   // on the caller's thread, when the executor gets to it: for the simulation, which has only one thread
};

class Writer {
  public:
    using Access = Engine::Access;

    // Completions run on `executor`. The engine must outlive the writer.
    Writer(boost::asio::any_io_executor executor, Engine& engine, Durability durability);
    // Lets the queued jobs finish, but without waiting for other programs any more. Nothing touches the engine
    // afterwards.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Runs `work` on the engine's thread, in the next commit, and returns once that commit is durable. `work` may be
    // run more than once, and must live until the caller has awaited this.
    boost::asio::awaitable<Result<void>> commit(Access access, const Engine::Work& work);

  private:
    // Its handler owns the coroutines that wait for the job, and so also everything that the job refers to. It is never
    // assigned: in Boost 1.81, a handler of this type that is assigned calls itself until the stack is used up.
    struct Waiting {
        Engine::Task task;
        boost::asio::any_completion_handler<void(Result<void>)> done;
    };
    static_assert(std::is_nothrow_move_constructible_v<Waiting>);
    using Queue = std::deque<Waiting>;

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

}  // namespace gateway
