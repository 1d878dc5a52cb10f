#include "api/openapi/document.hpp"

#include "api/codes.hpp"
#include "api/openapi/calls.hpp"
#include "api/routes.hpp"
#include "unit/api/rig.hpp"

namespace gateway::openapi {
namespace {

namespace json = boost::json;
using gateway::test::ApiRig;

json::object of(ListenerSet listener) {
    return document(listener, {routes()}, all_schemas());
}

// The members that the schema of this name allows, and whether each must be there.
std::map<std::string, bool> members_of(const json::object& document, const char* name) {
    const auto& schema = document.at("components").at("schemas").at(name).as_object();
    std::map<std::string, bool> members;
    for (const auto& property : schema.at("properties").as_object())
        members[property.key()] = false;
    for (const auto& required : schema.at("required").as_array())
        members.at(std::string(required.as_string())) = true;
    return members;
}

class DocumentTest : public gateway::test::ApiTest {
  protected:
    // Every member is described, and what is always there is.
    static void expect_described(const json::object& written, const std::map<std::string, bool>& members) {
        for (const auto& member : written)
            EXPECT_TRUE(members.contains(member.key())) << member.key();
        for (const auto& [name, is_required] : members)
            EXPECT_TRUE(!is_required || written.contains(name)) << name;
    }

    const json::object terminals = of(on_terminals);
    const json::object admin = of(on_admin);
};

TEST_F(DocumentTest, WhatIsWrittenOfASaleIsWhatIsDescribed) {
    const auto sold = api.sold("k-1").json();
    expect_described(sold, members_of(terminals, "SaleFields"));
    const auto shown = api.operators(http::verb::get, "/v1/sales/" + std::string(sold.at("id").as_string())).json();
    auto with_attempts = members_of(admin, "SaleFields");
    with_attempts["attempts"] = true;
    expect_described(shown, with_attempts);
    expect_described(shown.at("attempts").at(0).as_object(), members_of(admin, "Attempt"));
    const auto list = api.get("/v1/sales").json();
    expect_described(list, members_of(terminals, "SaleList"));
}

TEST_F(DocumentTest, WhatIsWrittenOfTheGatewayIsWhatIsDescribed) {
    expect_described(api.get("/v1/status").json(), members_of(terminals, "GatewayStatus"));
    expect_described(api.operators(http::verb::get, "/v1/status").json(), members_of(admin, "OperatorStatus"));
    const auto refused = api.operators(http::verb::get, "/readyz");
    expect_described(refused.json(), members_of(admin, refused.status() == 200 ? "Readiness" : "Problem"));
    api.health->set_recovered();
    api.sold("k-1");  // with a token, which a gateway that is ready has
    expect_described(api.operators(http::verb::get, "/readyz").json(), members_of(admin, "Readiness"));
}

TEST_F(DocumentTest, WhatIsWrittenOfAHistoryIsWhatIsDescribed) {
    const auto id = api.sold("k-1").text("id");
    const auto history = api.operators(http::verb::get, "/v1/sales/" + id + "/events").json();
    expect_described(history, members_of(admin, "Story"));
    for (const auto& event : history.at("events").as_array())
        expect_described(event.as_object(), members_of(admin, "Event"));
}

TEST_F(DocumentTest, EveryCodeIsInADocumentWithItsMeaning) {
    const auto text = [](const json::object& document) {
        return json::serialize(document.at("components").at("schemas").at("Problem"));
    };
    const auto both = text(terminals) + text(admin);
    for (const auto& code : all_codes())
        EXPECT_NE(both.find("\\n- `" + std::string(code.code) + "`: "), std::string::npos) << code.code;
}

TEST_F(DocumentTest, APathHasTheServersAnswersAndItsOwn) {
    const auto& answers = terminals.at("paths").at("/v1/sales").at("get").at("responses").as_object();
    EXPECT_EQ(answers.at("401"), (json::object{{"$ref", "#/components/responses/Unauthorized"}}));
    EXPECT_TRUE(answers.at("200").as_object().contains("content"));
    EXPECT_FALSE(terminals.at("paths").at("/openapi.json").at("get").at("responses").as_object().contains("401"));
    EXPECT_TRUE(terminals.at("paths").as_object().contains("/v1/provider/{path}"));
}

TEST_F(DocumentTest, ADocumentHasWhatItsOwnListenerHas) {
    EXPECT_FALSE(terminals.at("paths").as_object().contains("/healthz"));
    EXPECT_FALSE(admin.at("paths").as_object().contains("/v1/sell"));
    EXPECT_FALSE(admin.at("components").at("schemas").as_object().contains("Sell"));
    EXPECT_FALSE(members_of(terminals, "SaleFields").contains("mark"));
    EXPECT_TRUE(members_of(admin, "SaleFields").contains("mark"));
}

}  // namespace
}  // namespace gateway::openapi
