// This is the provider's side of a benchmark: it answers every call of a tv sale as a healthy provider does, remembers
// only what it has sold, and hangs or misbehaves where it is told to.
#pragma once

#include "bench/rig/books.hpp"
#include "bench/rig/stream.hpp"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rig {

struct StubOptions {
    int port = 0;  // 0: any
    std::chrono::milliseconds delay{0};
    // From the first call of a sale on, nothing is answered before release() is called.
    bool hanging = false;
    // So many calls in a thousand are answered by 500, late by late_by, or not at all, each for a third of them.
    int misbehaving = 0;
    std::chrono::milliseconds late_by{1500};
    // These are PEM files; with both there is TLS.
    std::string certificate;
    std::string key;
};

struct StubCounts {
    std::uint64_t calls = 0;
    std::uint64_t connections = 0;
    std::uint64_t handshakes_full = 0;
    std::uint64_t handshakes_resumed = 0;
    std::uint64_t misbehaved = 0;
};

class StubProvider final : public Poller::Watcher {
  public:
    // The references must outlive the object.
    StubProvider(Poller& poller, Books& books, StubOptions options);
    ~StubProvider() override;
    StubProvider(const StubProvider&) = delete;
    StubProvider& operator=(const StubProvider&) = delete;

    int port() const;
    void release();
    std::size_t held() const { return held_.size(); }
    const StubCounts& counts() const { return counts_; }

    void ready(std::uint32_t events) override;

  private:
    class Caller;
    struct FreeContext {
        void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    };

    void answer(const std::shared_ptr<Caller>& caller, std::string_view request);
    void answer_at(Instant when, const std::shared_ptr<Caller>& caller, std::string text);
    std::string answer_to(std::string_view request);

    Poller& poller_;
    Books& books_;
    const StubOptions options_;
    bool hanging_;
    int listener_;
    std::unique_ptr<SSL_CTX, FreeContext> tls_;
    std::map<Caller*, std::shared_ptr<Caller>> callers_;
    std::vector<std::pair<std::weak_ptr<Caller>, std::string>> held_;
    std::uint64_t next_transaction_ = 1;
    std::minstd_rand chance_{1};
    StubCounts counts_;
};

}  // namespace rig
