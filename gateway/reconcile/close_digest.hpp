// What tells whether the sales of a close, and all closes of its establishment before it, are still what they were: the
// SHA-256 of some lines, each ended by a line feed. The first is the digest of the close before, empty for the first;
// then follows "id;valor;status" of each sale, in the order of their ids.
#pragma once

#include "base/digest.hpp"
#include "sale/sale.hpp"

#include <string>
#include <string_view>

namespace gateway {

class CloseDigest {
  public:
    // `previous` is the digest of the close before; empty: there is none.
    explicit CloseDigest(std::string_view previous);

    // In the order of their ids, each once.
    void add(const SaleId& id, Cents valor, Status status);
    // 64 lower-case hex digits. Nothing is added any more.
    std::string finish() { return digest_.hex(); }

  private:
    Sha256 digest_;
    std::string line_;
};

}  // namespace gateway
