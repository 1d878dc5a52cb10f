#include "base/process.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>

namespace gateway {

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

void let_writes_fail() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

namespace {

void mask(int how, int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    (void)pthread_sigmask(how, &set, nullptr);
}

}  // namespace

void hold_back(int signal) {
    mask(SIG_BLOCK, signal);
}

void let_in(int signal) {
    mask(SIG_UNBLOCK, signal);
}

void keep_memory_private() {
    // The limit keeps back a core that goes into a file; one that the system pipes to a program only the other.
    const rlimit none{};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0);
}

void let_others_finish() noexcept {
    const sched_param none{};
    (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
}

}  // namespace gateway
