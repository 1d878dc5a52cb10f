#include "journal/copy/progress_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace gateway::moving {
namespace {

constexpr Duration between_two_looks{200};

// Returns for example "1,234,567".
std::string grouped(std::int64_t number) {
    auto digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string in_time(Duration length) {
    const auto seconds = length.count() / 1'000;
    return seconds < 120 ? fmt::format("{} s", seconds) : fmt::format("{} min {} s", seconds / 60, seconds % 60);
}

}  // namespace

void ProgressLines::begin(const std::string& step, const std::string& of, std::int64_t rows, std::int64_t done) {
    what_ = fmt::format("{} {}", step, of);
    rows_ = rows;
    before_ = done;
    done_ = done;
    began_ = clock_.now();
    shown_ = began_;
    if (on_terminal_) show();
}

void ProgressLines::advance(std::int64_t rows) {
    done_ += rows;
    if (!on_terminal_ || clock_.now() - shown_ < between_two_looks) return;
    shown_ = clock_.now();
    show();
}

void ProgressLines::end() {
    if (on_terminal_) {
        show();
        // The line of a step without rows is removed.
        out_ << (rows_ > 0 ? "\n" : "\r\033[K") << std::flush;
    } else if (rows_ > 0) {
        out_ << how_far() << std::endl;
    }
}

void ProgressLines::say(const std::string& sentence) {
    out_ << sentence << std::endl;
}

std::string ProgressLines::how_far() const {
    if (rows_ == 0) return what_;
    const auto took = std::max<std::int64_t>(std::chrono::duration_cast<Duration>(clock_.now() - began_).count(), 1);
    const auto a_second = (done_ - before_) * 1'000 / took;
    auto line = fmt::format("{}: {} of {} rows ({} %), {} rows/s", what_, grouped(done_), grouped(rows_),
                            std::min<std::int64_t>(done_ * 100 / rows_, 100), grouped(a_second));
    if (done_ < rows_ && a_second > 0)
        line += fmt::format(", {} left", in_time(std::chrono::seconds((rows_ - done_) / a_second)));
    return line;
}

// Overwrites the line that was shown before.
void ProgressLines::show() {
    out_ << '\r' << how_far() << "\033[K" << std::flush;
}

}  // namespace gateway::moving
