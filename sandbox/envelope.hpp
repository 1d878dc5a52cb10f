// What every sales request must carry besides its body: a good bearer token, Accept and, of a POST, Content-Type.
#pragma once

#include "sandbox/message.hpp"
#include "sandbox/routes.hpp"
#include "sandbox/tokens.hpp"

#include <optional>

namespace gateway::sandbox {

// The refusal, or nothing where all is well.
std::optional<Reply> check_envelope(const Call& call, const Route& route, const Tokens& tokens, const Options& options,
                                    WallTime now);

}  // namespace gateway::sandbox
