// This is a Random for tests: the same seed gives the same numbers on every machine.
#pragma once

#include "base/random.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace gateway::test {

class SeededRandom final : public Random {
  public:
    explicit SeededRandom(std::uint64_t seed = 1) : engine_(seed) {}

    void fill(std::span<std::byte> bytes) override {
        for (auto& byte : bytes)
            byte = static_cast<std::byte>(engine_() & 0xff);
    }

  private:
    std::mt19937_64 engine_;  // the standard fixes its numbers, but not those of the distributions
};

}  // namespace gateway::test
