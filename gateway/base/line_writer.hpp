// Writes lines from a thread of its own, as many at a time as there are.
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

// Waits if the descriptor takes nothing at the moment. If it takes nothing more, for whatever reason, the rest is
// dropped without an error.
void write_all(int descriptor, std::string_view text);

class LineWriter {
  public:
    // The thread calls this with what was appended since the last time, which is never nothing. A call that takes long
    // may outlive the writer: see the destructor.
    using Write = std::function<void(std::string_view text)>;

    explicit LineWriter(Write write);
    // Writes to a file descriptor, which must stay open as long as the object lives.
    explicit LineWriter(int descriptor);
    // Writes what was appended before. If that is not taken within seconds (standard output may be a pipe that is
    // full), it is given up and the thread is left behind: a program that was told to end ends.
    ~LineWriter();
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    // Calls `append`, which adds one or more whole lines to the text that is written next. It may be called from any
    // thread. It waits only if the reader is megabytes behind, because to be slow is better than to lose a sale's line.
    template <class Append>
    void add(Append append) {
        auto& shared = *shared_;
        std::unique_lock lock(shared.mutex);
        shared.taken.wait(lock, [&shared] { return shared.text.size() < most_waiting; });
        append(shared.text);
        if (!std::exchange(shared.idle, false)) return;  // the thread looks for more by itself when it is done
        lock.unlock();
        shared.wake.notify_one();
    }

  private:
    // At most so many bytes of text wait: the busiest store writes them in seconds.
    static constexpr std::size_t most_waiting = std::size_t{4} << 20;

    // The threads that add and the thread that writes share this.
    struct Shared {
        Write write;
        std::mutex mutex;
        std::condition_variable wake;      // notified when there is text, or at the end
        std::condition_variable taken;     // notified when there is room
        std::condition_variable stop_now;  // notified when the end comes in a pause
        std::condition_variable finished;  // notified when the thread is done
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
