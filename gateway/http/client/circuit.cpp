#include "http/client/circuit.hpp"

#include <algorithm>

namespace gateway::http {
namespace {

using namespace std::chrono_literals;

// One failure is a hiccup, and a few sales that begin together fail together. Five failures in a row are an outage.
constexpr int failures_max = 5;
// While the circuit is open, no sale tries for at least `shortest`, and a random time more. Together they are at most
// twice `shortest` at first. That bound doubles with every probe that fails, up to `longest`. The times are short, so
// that a till sells again within seconds of the provider's return. The random part keeps many gateways from coming back
// in step.
constexpr Duration shortest = 1s;
constexpr Duration longest = 15s;

}  // namespace

std::optional<Circuit::Pass> Circuit::admit(Instant now) {
    if (openings_ == 0) return Pass{false};
    if (probing_ || now < until_) return std::nullopt;
    probing_ = true;
    return Pass{true};
}

void Circuit::succeeded(Pass) {
    failures_ = 0;
    openings_ = 0;
    probing_ = false;
}

void Circuit::failed(Pass pass, Instant now) {
    if (pass.probe) {
        if (!std::exchange(probing_, false)) return;  // another try has succeeded meanwhile
        open(now);
    } else if (openings_ == 0 && ++failures_ >= failures_max) {
        open(now);
    }
}

void Circuit::withdrawn(Pass pass) {
    if (pass.probe) probing_ = false;
}

void Circuit::open(Instant now) {
    ++openings_;
    auto bound = shortest;
    for (int i = 0; i < openings_ && bound < longest; ++i)
        bound *= 2;
    until_ = now + shortest + random_.up_to(std::min(bound, longest) - shortest);
}

Circuit::State Circuit::state(Instant now) const {
    if (openings_ == 0) return State::closed;
    return probing_ || now >= until_ ? State::half_open : State::open;
}

std::string_view to_string(Circuit::State state) noexcept {
    switch (state) {
        case Circuit::State::closed: return "closed";
        case Circuit::State::open: return "open";
        case Circuit::State::half_open: return "half_open";
    }
    return "closed";
}

}  // namespace gateway::http
