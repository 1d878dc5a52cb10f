// If the rig cannot go on, it ends and says why: a benchmark that goes on after a fault measures something else.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rig {

[[noreturn]] inline void fail(const char* what, const char* why) {
    std::fprintf(stderr, "bench_rig: %s: %s\n", what, why);
    std::exit(1);
}

// Takes the result of a system call that has to succeed.
inline int must(const char* what, int result) {
    if (result < 0) fail(what, std::strerror(errno));
    return result;
}

}  // namespace rig
