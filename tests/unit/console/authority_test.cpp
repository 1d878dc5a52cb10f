#include "console/authority.hpp"

#include "console/pages.hpp"
#include "unit/console/rig.hpp"

namespace gateway::test {
namespace {

class AuthorityTest : public testing::Test {
  protected:
    AuthorityTest() {
        add_calls(router, console_calls(), on_console, Parts(api));
        router.set_filter([](http::Request&, const http::Handler&) -> boost::asio::awaitable<http::Response> {
            co_return http::Response{.status = http::status::unauthorized};
        });
    }
    Shown get() {
        http::Request asked{.method = http::verb::get};
        EXPECT_TRUE(http::set_target(asked, "/console/authority.crt"));
        return {clock.run(router.dispatch(asked))};
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    std::string der = "DER";
    AuthorityApi api{[this] { return der; }};
    http::Router router;
};

TEST_F(AuthorityTest, IsGivenToEverybodyAsWhatATelephoneInstalls) {
    const auto told = get();
    EXPECT_EQ(told.status(), 200U);
    EXPECT_EQ(told.response.content_type, "application/x-x509-ca-cert");
    EXPECT_EQ(told.response.body, "DER");
    EXPECT_EQ(told.header("X-Content-Type-Options"), "nosniff");
}

TEST_F(AuthorityTest, WhereThereIsNoneTheAnswerIsEmpty) {
    der.clear();
    EXPECT_EQ(get().status(), 204U);
}

}  // namespace
}  // namespace gateway::test
