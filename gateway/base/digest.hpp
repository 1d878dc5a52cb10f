// Computes SHA-256 as 64 lower-case hex digits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gateway {

std::string sha256_hex(std::string_view data);

// Does the same for data that comes in pieces.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::string_view data);
    // Returns the digest. Nothing may be added after that.
    std::string hex();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Compares in a time that does not depend on where the two differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace gateway
