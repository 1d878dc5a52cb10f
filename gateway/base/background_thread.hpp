// For threads that work behind the event loop's back.
#pragma once

#include <pthread.h>
#include <sched.h>

namespace gateway {

// Called by such a thread once, when it begins. From then on it does not interrupt another thread when it is woken: on
// a box with one processor the event loop first does what it has to do, and what it hands over meanwhile is done
// together. Where the system refuses that, everything works all the same.
inline void let_others_finish() noexcept {
    const sched_param none{};
    (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
}

}  // namespace gateway
