// Knows by which names and addresses others on the network may reach this machine.
#pragma once

#include <string>
#include <vector>

namespace gateway {

// Returns the name of this machine, unless it is localhost, and its IPv4 addresses. Its IPv6 addresses are left out,
// because most machines change them every day.
std::vector<std::string> own_names();

}  // namespace gateway
