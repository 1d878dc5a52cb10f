#include "net/own_names.hpp"

#include "net/networks.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <gtest/gtest.h>

#include <algorithm>

namespace gateway::test {

TEST(OwnNames, AreThoseByWhichOthersReachThisMachine) {
    const auto names = own_names();
    for (const auto& name : names) {
        const auto address = parse_plain_address(name);
        if (address)
            EXPECT_TRUE(address->is_v4() && !address->is_loopback()) << name;
        else
            EXPECT_EQ(name, boost::asio::ip::host_name());
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    }
    EXPECT_EQ(std::ranges::count(names, "localhost"), 0);
}

}  // namespace gateway::test
