// Computes the digest of a close. It tells whether the sales of the close, and all closes of its establishment before
// it, are unchanged. It is the SHA-256 of lines that each end with a line feed. The first line is the digest of the
// close before, or is empty for the first close. Then each sale has a line "id;valor;status", in the order of the ids.
#pragma once

#include "base/digest.hpp"
#include "sale/sale.hpp"

#include <string>
#include <string_view>

namespace gateway {

class CloseDigest {
  public:
    // `previous` is the digest of the close before, or empty if there is none.
    explicit CloseDigest(std::string_view previous);

    // Takes the sales in the order of their ids, each once.
    void add(const SaleId& id, Cents valor, Status status);
    // Returns 64 lower-case hex digits. No sale may be added after that.
    std::string finish() { return digest_.hex(); }

  private:
    Sha256 digest_;
    std::string line_;
};

}  // namespace gateway
