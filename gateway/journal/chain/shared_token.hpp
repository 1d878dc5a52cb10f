// Several gateways share the access token and the turn to ask for a new one. The token's number moves with each new
// one: a gateway keeps a token, or claims the turn, only while the number is the one that it has seen.
#pragma once

#include "journal/chain.hpp"
#include "journal/job_runner.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway::postgres {

class SharedToken {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    // `jobs` must outlive this object.
    explicit SharedToken(JobRunner& jobs) : jobs_(jobs) {}

    // These do what Journal says. `run` is the one of this gateway.
    Awaited<std::optional<KeptToken>> load();
    Awaited<void> save(const std::optional<KeptToken>& token);
    Awaited<TokenTurn> claim(const std::string& run);
    Awaited<void> end_turn(const std::string& run);

  private:
    struct Numbered;

    static Job<Numbered> read(Tx& tx);

    JobRunner& jobs_;
    std::int64_t seen_ = 0;  // the number of the token that was read, or kept, last
};

}  // namespace gateway::postgres
