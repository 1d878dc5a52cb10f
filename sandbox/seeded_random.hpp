// This makes random numbers from a seed (splitmix64): the same seed gives the same identifiers, PINs and tokens in
// every run.
#pragma once

#include "base/random.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gateway::sandbox {

class SeededRandom final : public Random {
  public:
    explicit SeededRandom(std::uint64_t seed) noexcept : state_(seed) {}

    void fill(std::span<std::byte> bytes) override {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (i % sizeof word == 0) word = step();
            bytes[i] = static_cast<std::byte>(word & 0xff);
            word >>= 8;
        }
    }

  private:
    std::uint64_t step() noexcept {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
        return mixed ^ (mixed >> 31);
    }

    std::uint64_t state_;
};

}  // namespace gateway::sandbox
