// Writes lines from a thread of its own, as many as there are at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace gateway {

// Waits where the descriptor takes nothing at the moment. One that takes nothing more, for whatever reason, gets
// nothing more, and nobody is told.
void write_all(int descriptor, std::string_view text);

class LineWriter {
  public:
    // Called on the thread, with what was appended since the last time; never with nothing.
    using Write = std::function<void(std::string_view text)>;

    explicit LineWriter(Write write);
    // To a file descriptor, which must stay open as long as the object lives.
    explicit LineWriter(int descriptor);
    // Writes what was appended before.
    ~LineWriter();
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    // Calls `append`, which adds one or more whole lines to the text that is written next. From any thread; waits only
    // where the reader has not kept up for megabytes: better slow than a line of a sale lost.
    template <class Append>
    void add(Append append) {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [this] { return waiting_text_.size() < most_waiting; });
        append(waiting_text_);
        if (!std::exchange(idle_, false)) return;  // the thread looks by itself when it is done
        lock.unlock();
        wake_.notify_one();
    }

  private:
    // Of text: seconds of the busiest store.
    static constexpr std::size_t most_waiting = std::size_t{4} << 20;

    void work();

    const Write write_;
    std::mutex mutex_;
    std::condition_variable wake_;      // there is text, or the end
    std::condition_variable taken_;     // there is room
    std::condition_variable stop_now_;  // the end has come in a pause
    std::string waiting_text_;
    bool idle_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace gateway
