// Writes a request as it is sent (HTTP/1.1), in one piece, so that one write sends it.
#pragma once

#include "base/error.hpp"
#include "http/client/client.hpp"

#include <string>
#include <string_view>

namespace gateway::http {

// Fails with errc::malformed if a part would break the message, such as a line break in a header's value or a space in
// the target. What a terminal sends through the proxy ends up here, so that this is a failure and not a bug.
Result<Secret> request_text(const ClientRequest& request, std::string_view authority);

}  // namespace gateway::http
