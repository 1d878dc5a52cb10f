#include "base/process.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

namespace gateway {
namespace {

// Each check runs in a process of its own, because the setting cannot be undone.
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
    (void)std::raise(SIGHUP);  // nothing handles the signal, so it would end the process
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

TEST(Process, CountsWhatItHasOpen) {
    const auto before = process_use();
    const std::ifstream one("/dev/null");
    const std::ifstream another("/dev/null");
    const auto use = process_use();
    ASSERT_TRUE(before.open_descriptors && use.open_descriptors && use.most_descriptors);
    EXPECT_EQ(*use.open_descriptors, *before.open_descriptors + 2);
    EXPECT_LE(*use.open_descriptors, *use.most_descriptors);
}

// Makes what the event loop waits for, as Asio does, and says whether it can be woken.
bool is_told_to_be_woken_with(bool event, bool timer) {
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    const int descriptors[] = {eventfd(0, EFD_CLOEXEC), timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    if (event) (void)epoll_ctl(epoll, EPOLL_CTL_ADD, descriptors[0], &wanted);
    if (timer) (void)epoll_ctl(epoll, EPOLL_CTL_ADD, descriptors[1], &wanted);
    const bool told = epoll_can_be_woken();
    for (const int one : {epoll, descriptors[0], descriptors[1]})
        close(one);
    return told;
}

TEST(Process, KnowsWhetherItsLoopCanBeWoken) {
    EXPECT_TRUE(is_told_to_be_woken_with(true, true));
    EXPECT_FALSE(is_told_to_be_woken_with(false, true));
    EXPECT_FALSE(is_told_to_be_woken_with(true, false));
    EXPECT_TRUE(is_told_to_be_woken_with(false, false)) << "not every system lists what an epoll watches";
    EXPECT_TRUE(epoll_can_be_woken()) << "without an epoll nothing is told";
}

TEST(Process, KnowsItsMemoryInBytes) {
    const auto before = process_use();
    constexpr std::size_t much = 64U << 20U;
    const std::vector<char> touched(much, 'x');
    const auto use = process_use();
    ASSERT_TRUE(before.resident_bytes && use.resident_bytes && use.virtual_bytes);
    EXPECT_GE(*use.resident_bytes, *before.resident_bytes + much / 2);
    EXPECT_LT(*use.resident_bytes, *before.resident_bytes + 4 * much);
    EXPECT_GT(*use.virtual_bytes, *use.resident_bytes);
}

bool counts_in_private() {
    keep_memory_private();
    const auto use = process_use();
    return use.open_descriptors && use.resident_bytes && use.cpu_s;
}

TEST(Process, CountsThatAlsoWhereItsMemoryIsPrivate) {
    EXPECT_IN_A_PROCESS(counts_in_private());
}

TEST(Process, ProcessorTimeGrowsWithTheWork) {
    const auto before = process_use();
    volatile unsigned work = 0;
    while (*process_use().cpu_s <= *before.cpu_s)
        work = work + 1;
    EXPECT_GT(*process_use().cpu_s, 0);
}

TEST(Process, SaysOfTheClockWhatTheSystemSays) {
    timex state{};
    const int said = adjtimex(&state);
    if (said < 0) GTEST_SKIP() << "the kernel may not be asked here";
    EXPECT_EQ(clock_is_synchronized(), said != TIME_ERROR && (state.status & STA_UNSYNC) == 0);
}

TEST(Process, ATimeServiceThatHasNotLookedForLongKeepsNoClockRight) {
    const test::TemporaryFolder folder;
    const auto file = folder.path("synchronized");
    EXPECT_EQ(was_synchronized_lately(file), std::nullopt);
    std::ofstream(file).close();
    EXPECT_EQ(was_synchronized_lately(file), true);
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - std::chrono::hours(2));
    EXPECT_EQ(was_synchronized_lately(file), false);
}

TEST(Process, LooksForItsPartsBesideItselfFirst) {
    const auto folders = folders_of_parts();
    ASSERT_EQ(folders.size(), 2u);
    EXPECT_EQ(folders[0], std::filesystem::read_symlink("/proc/self/exe").parent_path());
    EXPECT_EQ(folders[1], "/usr/lib/sales-gateway");
}

TEST(Process, GoesOnWhereItCannotBecomeAnotherProgram) {
    EXPECT_EQ(become("no-such-program", {}), "no-such-program is not here; install the package sales-gateway anew");
}

TEST(Process, OutlivesTheReaderOfItsLog) {
    EXPECT_IN_A_PROCESS(survives_a_closed_pipe());
}

}  // namespace
}  // namespace gateway
