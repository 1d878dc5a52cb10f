// Assertions that stay on in production. A broken one means a bug: the program says where and stops; it is started
// again and carries on from the journal, which is safer than carrying on from a state nobody thought of.
#pragma once

namespace gateway {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace gateway

#define CHECK(condition) \
    (static_cast<bool>(condition) ? static_cast<void>(0) : ::gateway::check_failed(#condition, __FILE__, __LINE__))
