// Writes lines from a thread of its own, as many as there are at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace gateway {

// Waits where the descriptor takes nothing at the moment. One that takes nothing more, for whatever reason, gets
// nothing more, and no error is told.
void write_all(int descriptor, std::string_view text);

class LineWriter {
  public:
    // Called on the thread, with what was appended since the last time; never with nothing. One that takes its time
    // when the writer ends may outlive it: see the destructor.
    using Write = std::function<void(std::string_view text)>;

    explicit LineWriter(Write write);
    // To a file descriptor, which must stay open as long as the object lives.
    explicit LineWriter(int descriptor);
    // Writes what was appended before. Where it is not taken for seconds (standard output may be a pipe that is full)
    // it is given up, and the thread left behind: a program that was told to end ends.
    ~LineWriter();
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    // Calls `append`, which adds one or more whole lines to the text that is written next. From any thread; waits only
    // where the reader has not kept up for megabytes: better slow than a line of a sale lost.
    template <class Append>
    void add(Append append) {
        auto& shared = *shared_;
        std::unique_lock lock(shared.mutex);
        shared.taken.wait(lock, [&shared] { return shared.text.size() < most_waiting; });
        append(shared.text);
        if (!std::exchange(shared.idle, false)) return;  // the thread looks by itself when it is done
        lock.unlock();
        shared.wake.notify_one();
    }

  private:
    // Of text: seconds of the busiest store.
    static constexpr std::size_t most_waiting = std::size_t{4} << 20;

    // What the threads that add and the one that writes share.
    struct Shared {
        Write write;
        std::mutex mutex;
        std::condition_variable wake;      // there is text, or the end
        std::condition_variable taken;     // there is room
        std::condition_variable stop_now;  // the end has come in a pause
        std::condition_variable finished;  // the thread is done
        std::string text;
        bool idle = false;
        bool stopping = false;
        bool done = false;
    };
    static void work(Shared& shared);

    const std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace gateway
