// Assertions that stay on in production. A broken one means a bug: the program says where and stops; it is started
// again and carries on from the journal, which is safer than carrying on from a state that was never thought of.
#pragma once

#include <exception>

namespace gateway {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

// The last argument of co_spawn for a coroutine that nothing waits for: what it throws is a bug, and must reach the
// wall in main instead of ending the coroutine in silence.
inline void rethrow(const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
}

}  // namespace gateway

#define CHECK(condition) \
    (static_cast<bool>(condition) ? static_cast<void>(0) : ::gateway::check_failed(#condition, __FILE__, __LINE__))
