// Where requests go: scheme, host and port of {base_url} or {auth_url}.
#pragma once

#include <cstdint>
#include <string>

namespace gateway::http {

struct Origin {
    bool tls = true;
    std::string host;  // a name, or an address without brackets
    std::uint16_t port = 443;

    // As it stands in a Host header: the scheme's own port left out, an IPv6 address in brackets.
    std::string authority() const {
        const bool v6 = host.find(':') != std::string::npos;
        auto text = v6 ? "[" + host + "]" : host;
        if (port != (tls ? 443 : 80)) text += ":" + std::to_string(port);
        return text;
    }
};

}  // namespace gateway::http
