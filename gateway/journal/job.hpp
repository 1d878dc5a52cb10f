// A job works on the journal's tables within one transaction. It is a coroutine that belongs to the thread of one
// engine. Where it needs rows that the engine does not have yet, it suspends, so that an engine on another machine can
// ask for the rows of many jobs at once. An engine that has the rows at hand never suspends a job.
//
// A failure is an exception. It ends the job, and the engine decides what that means for the transaction.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace gateway {

template <class T>
class Job;

namespace detail {

struct JobPromise {
    std::coroutine_handle<> continuation;  // the job that waits for this one; null: the engine waits for it
    std::exception_ptr failure;

    struct Final {
        bool await_ready() noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
            const auto next = ended.promise().continuation;
            return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
    };
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }
};

template <class T>
struct JobPromiseOf : JobPromise {
    std::optional<T> result;
    Job<T> get_return_object() noexcept;
    template <class U>
    void return_value(U&& value) {
        result.emplace(std::forward<U>(value));
    }
    T take() { return std::move(*result); }
};

template <>
struct JobPromiseOf<void> : JobPromise {
    Job<void> get_return_object() noexcept;
    void return_void() noexcept {}
    void take() noexcept {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Job {
  public:
    // NOLINTNEXTLINE(readability-identifier-naming): the compiler looks for this name
    using promise_type = detail::JobPromiseOf<T>;
    using Handle = std::coroutine_handle<promise_type>;

    explicit Job(Handle handle) noexcept : handle_(handle) {}
    Job(Job&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    Job& operator=(Job&&) = delete;
    ~Job() {
        if (handle_) handle_.destroy();
    }

    // The engine begins the job, asks whether it has ended, and then takes its result, once; take() throws what the job
    // threw.
    void begin() { handle_.resume(); }
    bool has_ended() const noexcept { return handle_.done(); }
    T take() {
        if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
        return handle_.promise().take();
    }

    // These three functions let another job await this one. The other job does not suspend where this one ends without
    // suspending, so a long loop of such jobs uses no more stack than one of them.
    bool await_ready() {
        handle_.resume();
        return handle_.done();
    }
    void await_suspend(std::coroutine_handle<> waiting) noexcept { handle_.promise().continuation = waiting; }
    T await_resume() { return take(); }

  private:
    Handle handle_;
};

namespace detail {

template <class T>
Job<T> JobPromiseOf<T>::get_return_object() noexcept {
    return Job<T>(std::coroutine_handle<JobPromiseOf>::from_promise(*this));
}

inline Job<void> JobPromiseOf<void>::get_return_object() noexcept {
    return Job<void>(std::coroutine_handle<JobPromiseOf>::from_promise(*this));
}

}  // namespace detail

}  // namespace gateway
