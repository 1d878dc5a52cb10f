// Has assertions that stay on in production. A failed one is a bug: the program says where it is and stops. It is
// started again and goes on from the journal, which is safer than going on in a state that nobody has thought of.
#pragma once

#include <exception>

namespace gateway {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

// This is the last argument of co_spawn for a coroutine that nothing waits for. If that throws, it is a bug, which must
// reach the handler in main and not end the coroutine in silence.
inline void rethrow(const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
}

}  // namespace gateway

#define CHECK(condition) \
    (static_cast<bool>(condition) ? static_cast<void>(0) : ::gateway::check_failed(#condition, __FILE__, __LINE__))
