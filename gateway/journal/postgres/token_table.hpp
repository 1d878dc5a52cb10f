// The access token, one for all gateways that share the journal, and the key by which they know possible duplicates.
#pragma once

#include "base/random.hpp"
#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <optional>
#include <string>

namespace gateway::postgres {

class TokenTable {
  public:
    // Both must outlive it.
    TokenTable(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    // None where it cannot be read: another one is asked for then.
    Awaited<std::optional<KeptToken>> load();
    // None removes the token that is there. As Journal::save_token().
    Awaited<void> save(const std::optional<KeptToken>& token);
    // As Journal::claim_token(), for this run.
    Awaited<TokenTurn> claim(const std::string& run);
    // As Journal::end_token_turn(), for this run.
    Awaited<void> end_turn(const std::string& run);

  private:
    Storage& storage_;
    SaleReader& reader_;
    std::int64_t seen_ = 0;  // the number of the token that this gateway has seen last
};

class DuplicateKey {
  public:
    // Every reference must outlive it.
    DuplicateKey(Storage& storage, SaleReader& reader, Random& random)
        : storage_(storage), reader_(reader), random_(random) {}

    // Made where there is none yet. Read once: it is the same for ever, and for all gateways.
    Awaited<std::string> get();

  private:
    Awaited<std::optional<std::string>> load();

    Storage& storage_;
    SaleReader& reader_;
    Random& random_;
    std::string known_;
};

}  // namespace gateway::postgres
