#include "base/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>

namespace gateway {
namespace {

// Each in a process of its own: what is asked for cannot be taken back.
#define EXPECT_IN_A_PROCESS(condition) EXPECT_EXIT(std::_Exit((condition) ? 0 : 1), testing::ExitedWithCode(0), "")

bool has_no_core() {
    keep_memory_private();
    rlimit limit{1, 1};
    return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0 && prctl(PR_GET_DUMPABLE) == 0;
}

bool has_all_descriptors() {
    raise_descriptor_limit();
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == limit.rlim_max;
}

bool survives_a_closed_pipe() {
    let_writes_fail();
    return std::raise(SIGPIPE) == 0 && std::raise(SIGXFSZ) == 0;
}

volatile std::sig_atomic_t heard = 0;

bool hears_what_was_held_back() {
    hold_back(SIGHUP);
    (void)std::raise(SIGHUP);  // nobody handles it: it would end the process
    std::signal(SIGHUP, [](int) { heard = 1; });
    const bool early = heard != 0;
    let_in(SIGHUP);
    return !early && heard != 0;
}

TEST(Process, HearsASignalThatWasHeldBack) {
    EXPECT_IN_A_PROCESS(hears_what_was_held_back());
}

TEST(Process, LeavesNoCore) {
    EXPECT_IN_A_PROCESS(has_no_core());
}

TEST(Process, TakesAllDescriptorsThatItMayHave) {
    EXPECT_IN_A_PROCESS(has_all_descriptors());
}

TEST(Process, OutlivesTheReaderOfItsLog) {
    EXPECT_IN_A_PROCESS(survives_a_closed_pipe());
}

}  // namespace
}  // namespace gateway
