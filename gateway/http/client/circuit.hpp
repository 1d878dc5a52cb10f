// When to stop trying to connect. After several failures in a row no sale tries for a short time, so that each is told
// "not now" at once instead of waiting for the next failure; then one tries for all.
// Pure: the clock is handed in. Counts only failures before anything was sent.
#pragma once

#include "base/clock.hpp"
#include "base/random.hpp"

#include <optional>
#include <string_view>

namespace gateway::http {

class Circuit {
  public:
    enum class State {
        closed,     // every caller may try
        open,       // none may
        half_open,  // one may, for all
    };
    // Leave to try. Its holder says what came of it, exactly once.
    struct Pass {
        bool probe = false;  // the one that tries for all
    };

    explicit Circuit(Random& random) : random_(random) {}

    std::optional<Pass> admit(Instant now);
    void succeeded(Pass pass);
    void failed(Pass pass, Instant now);
    // The try ended before it could tell: its caller's time was up, or this machine had no socket left.
    void withdrawn(Pass pass);

    State state(Instant now) const;

  private:
    void open(Instant now);

    Random& random_;
    int failures_ = 0;  // in a row
    int openings_ = 0;  // in a row; 0: closed
    bool probing_ = false;
    Instant until_{};  // it opens again
};

std::string_view to_string(Circuit::State state) noexcept;

}  // namespace gateway::http
