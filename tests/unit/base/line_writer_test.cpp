#include "base/line_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace gateway::test {
namespace {

class LineWriterTest : public ::testing::Test {
  protected:
    LineWriterTest() { EXPECT_EQ(pipe(ends_.data()), 0); }
    ~LineWriterTest() override {
        close(ends_[0]);
        close_input();
    }

    int output() const { return ends_[0]; }
    int input() const { return ends_[1]; }
    void close_input() {
        if (ends_[1] >= 0) close(ends_[1]);
        ends_[1] = -1;
    }
    // Returns everything until the other end is closed.
    std::string read_all() const {
        std::string all;
        std::array<char, 4096> room{};
        for (;;) {
            const auto count = read(ends_[0], room.data(), room.size());
            if (count <= 0) return all;
            all.append(room.data(), static_cast<std::size_t>(count));
        }
    }

  private:
    std::array<int, 2> ends_{-1, -1};
};

void add(LineWriter& writer, const std::string& line) {
    writer.add([&line](std::string& text) { text.append(line).append("\n"); });
}

TEST_F(LineWriterTest, GivesTheLinesToTheOneWhoWritesThem) {
    std::string written;
    int calls = 0;
    {
        LineWriter writer([&](std::string_view text) {
            EXPECT_FALSE(text.empty());
            written += text;
            ++calls;
        });
        for (int i = 0; i < 100; ++i)
            add(writer, "line");
    }
    EXPECT_EQ(written.size(), 500u);
    EXPECT_GE(calls, 1);
}

TEST_F(LineWriterTest, WritesLinesInTheirOrderAndAllOfThemBeforeItEnds) {
    std::string expected;
    {
        LineWriter writer(input());
        for (int i = 0; i < 1000; ++i) {
            add(writer, std::to_string(i));
            expected += std::to_string(i) + "\n";
        }
    }
    close_input();
    EXPECT_EQ(read_all(), expected);
}

TEST_F(LineWriterTest, ALineComesThroughWithoutAnother) {
    LineWriter writer(input());
    for (const char* line : {"first\n", "second\n"}) {
        writer.add([line](std::string& text) { text += line; });
        std::string got(std::string_view(line).size(), ' ');
        ASSERT_EQ(read(output(), got.data(), got.size()), static_cast<ssize_t>(got.size()));
        EXPECT_EQ(got, line);
    }
}

TEST_F(LineWriterTest, AReaderThatIsSlowLosesNothing) {
    // This is more than the pipe and the writer hold together, on a descriptor that does not block.
    ASSERT_EQ(fcntl(input(), F_SETFL, O_NONBLOCK), 0);
    constexpr int lines = 12'000;
    const std::string line(1000, 'x');
    std::string got;
    std::thread reader([&] { got = read_all(); });
    {
        LineWriter writer(input());
        for (int i = 0; i < lines; ++i)
            add(writer, line);
    }
    close_input();
    reader.join();
    EXPECT_EQ(got.size(), lines * (line.size() + 1));
}

TEST_F(LineWriterTest, LinesOfSeveralThreadsAreNeverMixed) {
    constexpr int each = 2000;
    std::string got;
    std::thread reader([&] { got = read_all(); });
    {
        LineWriter writer(input());
        std::vector<std::thread> threads;
        for (const char message : {'a', 'b', 'c'})
            threads.emplace_back([&writer, message] {
                for (int i = 0; i < each; ++i)
                    add(writer, std::string(50, message));
            });
        for (auto& thread : threads)
            thread.join();
    }
    close_input();
    reader.join();
    std::istringstream lines(got);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        EXPECT_EQ(line, std::string(50, line.front()));
    EXPECT_EQ(count, 3 * each);
}

TEST(LineWriter, ADescriptorThatTakesNothingHoldsNobodyUp) {
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    {
        LineWriter writer(full);
        for (int i = 0; i < 100; ++i)
            add(writer, "lost");
    }
    close(full);
}

TEST_F(LineWriterTest, EndsThoughNobodyReads) {
    const int room = fcntl(input(), F_SETPIPE_SZ, 4096);
    ASSERT_GT(room, 0);
    {
        LineWriter writer(input());
        add(writer, std::string(static_cast<std::size_t>(room) * 3, 'x'));
    }
    // The thread that was left behind goes on when somebody reads after all.
    std::size_t came = 0;
    std::array<char, 4096> some{};
    while (came < static_cast<std::size_t>(room) * 3 + 1)
        came += static_cast<std::size_t>(std::max<ssize_t>(read(output(), some.data(), some.size()), 0));
}

}  // namespace
}  // namespace gateway::test
