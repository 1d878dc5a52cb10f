#include "api/routes.hpp"

#include "api/openapi/calls.hpp"
#include "unit/api/rig.hpp"

#include <map>
#include <set>

namespace gateway::test {
namespace {

using RoutesTest = ApiTest;

TEST_F(RoutesTest, PartsThatAreNotThereLeaveTheirCallsOut) {
    http::Router router;
    add_routes(router, on_admin, Parts(*api.admin));
    EXPECT_EQ(api.ask(router, ApiRig::request(http::verb::get, "/healthz")).status(), 200u);
    EXPECT_EQ(api.ask(router, ApiRig::request(http::verb::get, "/v1/status")).status(), 404u);
}

TEST_F(RoutesTest, ACallIsOnItsListenersAlone) {
    http::Router console;
    add_routes(console, on_console, Parts(*api.admin, *api.operator_status));
    EXPECT_EQ(api.ask(console, ApiRig::request(http::verb::get, "/healthz")).status(), 404u);
    EXPECT_EQ(api.ask(console, ApiRig::request(http::verb::get, "/v1/status")).status(), 200u);
}

TEST(Routes, AListenerHasACallOnce) {
    std::map<unsigned, std::set<std::pair<http::verb, std::string_view>>> seen;
    for (const auto listener : {on_terminals, on_callbacks, on_admin, on_console}) {
        for (const auto& call : routes()) {
            if ((call.on & listener) == 0) continue;
            EXPECT_TRUE(seen[listener].emplace(call.method, call.path).second) << call.path;
        }
    }
    EXPECT_EQ(seen[on_callbacks].size(), 2u);
}

TEST(Routes, EveryCallOfTerminalsAndOperatorsIsDescribed) {
    for (const auto& call : routes())
        EXPECT_EQ(call.describe != nullptr, (call.on & (on_terminals | on_admin)) != 0) << call.path;
}

TEST(Routes, OnlyAStatementMayBeLargerThanItsListenerAllows) {
    for (const auto& call : routes())
        EXPECT_EQ(call.body_limit > 0, call.method == http::verb::post && call.path == "/v1/statements") << call.path;
}

}  // namespace
}  // namespace gateway::test
