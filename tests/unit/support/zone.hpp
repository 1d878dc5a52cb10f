// Sets the time zone of this process, for tests of what is shown in it.
#pragma once

#include <cstdlib>
#include <ctime>
#include <string>

namespace gateway::test {

// The zone is set as long as the object lives.
class Zone {
  public:
    explicit Zone(const char* name) {
        if (const auto* before = std::getenv("TZ")) before_ = before;
        set(name);
    }
    ~Zone() {
        if (before_.empty()) {
            ::unsetenv("TZ");
            ::tzset();
        } else {
            set(before_.c_str());
        }
    }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

  private:
    static void set(const char* name) {
        ::setenv("TZ", name, 1);
        ::tzset();
    }
    std::string before_;
};

}  // namespace gateway::test
