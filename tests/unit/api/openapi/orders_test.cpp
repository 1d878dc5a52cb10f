#include "api/openapi/calls.hpp"
#include "unit/api/rig.hpp"

#include <set>

namespace gateway::openapi {
namespace {

using OrdersTest = gateway::test::ApiTest;

TEST_F(OrdersTest, EveryExampleOfASellIsAnOrderThatTheCallTakes) {
    std::set<std::string> families;
    const auto description = sell();
    for (const auto& example : description.body->contents.front().examples) {
        const auto told = api.sold(example.name, std::string(example.members));
        EXPECT_NE(told.code(), "invalid_request") << example.name << ": " << told.response.body;
        families.emplace(boost::json::parse(example.members).at("family").as_string());
    }
    EXPECT_EQ(families.size(), all_families.size());
}

}  // namespace
}  // namespace gateway::openapi
