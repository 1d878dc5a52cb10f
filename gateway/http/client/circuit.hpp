// Says when to stop trying to connect. After several failures in a row no sale tries for a short time, so that each is
// told "not now" at once instead of waiting for the next failure. Then one tries for all. It is pure: the caller passes
// the time. Only failures before anything was sent count.
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
        open,       // no caller may try
        half_open,  // one caller may try, for all of them
    };
    // Allows its holder to try, who says exactly once what came of it.
    struct Pass {
        bool probe = false;  // true for the one that tries for all
    };

    explicit Circuit(Random& random) : random_(random) {}

    std::optional<Pass> admit(Instant now);
    void succeeded(Pass pass);
    void failed(Pass pass, Instant now);
    // The try ended before it could tell anything: its caller's time was up, or this machine had no socket left.
    void withdrawn(Pass pass);

    State state(Instant now) const;

  private:
    void open(Instant now);

    Random& random_;
    int failures_ = 0;  // failures in a row
    int openings_ = 0;  // openings in a row; 0 means closed
    bool probing_ = false;
    Instant until_{};  // the moment when it may be tried again
};

std::string_view to_string(Circuit::State state) noexcept;

}  // namespace gateway::http
