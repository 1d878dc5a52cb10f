// These terminals sell over so many connections: each one sale after the other, or all together at a given pace.
#pragma once

#include "bench/rig/books.hpp"
#include "bench/rig/stream.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rig {

enum class Shape {
    sell,       // one call for a sale: to the gateway, or to whatever takes the same call
    two_calls,  // solicitar and confirmar, as a proxy that only forwards needs them
};

struct TerminalsOptions {
    std::vector<int> ports;  // the ports of what is measured; the terminals take them in turn
    Shape shape = Shape::sell;
    int connections = 0;
    double per_second = 0;  // 0: each sells again as soon as it has its answer
    bool once = false;      // each sells once
    int wait_s = 0;         // the header Prefer: wait=; 0: it is left out
    std::string key;        // a terminal's key
    std::string name;       // it is part of the Idempotency-Keys, and must differ between runs on one journal
    bool spread = false;    // keys come in no order, like random ones
};

// These are the figures of one stretch of time.
struct Measured {
    std::uint64_t sales = 0;
    std::map<int, std::uint64_t> others;  // answers that were not 200, by status; 0: the connection was lost
    std::vector<std::uint32_t> times_us;  // the times of sales, from the first byte sent to the last one received
};

class Terminals {
  public:
    // The references must outlive the object.
    Terminals(Poller& poller, Books& books, TerminalsOptions options);
    ~Terminals();
    Terminals(const Terminals&) = delete;
    Terminals& operator=(const Terminals&) = delete;

    void begin();
    // No terminal begins a new sale from now on.
    void stop() { selling_ = false; }
    std::size_t busy() const { return busy_; }
    // Returns the sales since the call before.
    std::uint64_t sold() const { return measured_.sales; }
    // Returns the paced sales that found every connection busy: the pace was not kept.
    std::uint64_t skipped() const { return skipped_; }

    // Returns what was measured since the call before.
    Measured take() { return std::exchange(measured_, {}); }

  private:
    class Terminal;

    void tick();
    void replace(const Terminal* gone);
    std::string first_call();
    std::string next_key();
    std::string second_call(std::string_view id_transacao) const;

    Poller& poller_;
    Books& books_;
    const TerminalsOptions options_;
    std::vector<std::unique_ptr<Terminal>> terminals_;
    std::vector<Terminal*> idle_;  // only in a paced group
    std::uint64_t next_number_ = 1;
    Instant next_tick_;
    std::size_t busy_ = 0;
    std::uint64_t skipped_ = 0;
    bool selling_ = false;
    Measured measured_;
};

}  // namespace rig
