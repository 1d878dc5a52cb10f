// A request as it goes over the wire (HTTP/1.1), in one piece: one write sends it.
#pragma once

#include "base/error.hpp"
#include "http/client/client.hpp"

#include <string>
#include <string_view>

namespace gateway::http {

// errc::malformed where a part would break the message: a line break in a header's value, a space in the target. What a
// terminal sends through the proxy ends up here, so that is refused and no bug.
Result<Secret> request_text(const ClientRequest& request, std::string_view authority);

}  // namespace gateway::http
