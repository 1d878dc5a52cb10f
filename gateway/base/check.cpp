#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace gateway {

void check_failed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "CHECK failed: %s at %s:%d\n", condition, file, line);
    std::fflush(stderr);
    std::abort();
}

}  // namespace gateway
