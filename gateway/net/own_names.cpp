#include "net/own_names.hpp"

#include <arpa/inet.h>
#include <boost/asio/ip/host_name.hpp>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace gateway {

std::vector<std::string> own_names() {
    std::vector<std::string> names;
    boost::system::error_code failed;
    const auto host = boost::asio::ip::host_name(failed);
    if (!host.empty() && host != "localhost") names.push_back(host);
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return names;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
    for (const auto* one = all.get(); one != nullptr; one = one->ifa_next) {
        const bool is_up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
        if (!is_up || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        sockaddr_in address{};
        std::memcpy(&address, one->ifa_addr, sizeof address);
        std::array<char, INET_ADDRSTRLEN> text{};
        const std::string name(::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()));
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
}

}  // namespace gateway
