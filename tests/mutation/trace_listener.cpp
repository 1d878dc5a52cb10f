// Writes into the trace of mutants where each test begins, so that it says what each test reaches. The copy of a room's
// unit tests has this besides.
#include "mutant.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

class TraceListener : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo& test) override {
        mutation::seen.fill(false);
        const auto name = std::string(test.test_suite_name()) + "." + test.name();
        mutation::write_trace(("= " + name + " " + test.file()).c_str());
    }
};

[[maybe_unused]] const bool is_listening = [] {
    if (mutation::chosen == mutation::traced) testing::UnitTest::GetInstance()->listeners().Append(new TraceListener);
    return true;
}();

}  // namespace
