// The last argument of co_spawn for a coroutine that nobody waits for: what it throws is a bug, and must reach the wall
// in main instead of ending the coroutine in silence.
#pragma once

#include <exception>

namespace gateway {

inline void rethrow(const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
}

}  // namespace gateway
