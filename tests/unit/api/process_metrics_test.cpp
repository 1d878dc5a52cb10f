#include "api/process_metrics.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace gateway {
namespace {

TEST(ProcessMetrics, TheBuildIsItsVersions) {
    Exposition out;
    expose_build(out, {{"version", "1.2.3"}, {"sqlite", "3.40.1"}});
    EXPECT_NE(out.take().find("\ngateway_build_info{version=\"1.2.3\",sqlite=\"3.40.1\"} 1\n"), std::string::npos);
}

TEST(ProcessMetrics, WhatTheSystemSaysIsShownAndTheRestLeftOut) {
    Exposition out;
    expose_process(out, {.cpu_s = 1.25, .open_descriptors = 17}, WallTime(Duration(1'700'000'000'500)));
    const auto text = out.take();
    for (const auto* line :
         {"process_cpu_seconds_total 1.25\n", "process_open_fds 17\n", "process_start_time_seconds 1700000000.5\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    EXPECT_EQ(text.find("memory"), std::string::npos) << text;
    EXPECT_EQ(text.find("process_max_fds"), std::string::npos) << text;
}

TEST(ProcessMetrics, TheJournalIsItsFileAndWhatIsNotMergedYet) {
    const test::TemporaryFolder folder;
    const auto path = folder.path("journal.db");
    const auto size = [&] {
        Exposition out;
        expose_journal_file(out, path);
        return out.take();
    };
    std::ofstream(path) << std::string(5000, 'x');
    EXPECT_NE(size().find("\ngateway_journal_bytes 5000\n"), std::string::npos);
    std::ofstream(path + "-wal") << std::string(300, 'x');
    EXPECT_NE(size().find("\ngateway_journal_bytes 5300\n"), std::string::npos);
}

TEST(ProcessMetrics, AJournalThatIsNotThereHasNoSize) {
    Exposition out;
    expose_journal_file(out, "/nowhere/journal.db");
    EXPECT_EQ(out.take(), "");
}

}  // namespace
}  // namespace gateway
