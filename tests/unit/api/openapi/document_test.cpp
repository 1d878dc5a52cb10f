#include "api/openapi/document.hpp"

#include "api/codes.hpp"
#include "api/openapi/calls.hpp"
#include "api/routes.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <map>

namespace gateway::openapi {
namespace {

namespace json = boost::json;

json::object of(ListenerSet listener) {
    return document(listener, {routes()}, all_schemas());
}

// Returns the members that the schema of this name allows, and whether each of them is required.
std::map<std::string, bool> members_of(const json::object& document, const char* name) {
    const auto& schema = document.at("components").at("schemas").at(name).as_object();
    std::map<std::string, bool> members;
    for (const auto& property : schema.at("properties").as_object())
        members[property.key()] = false;
    for (const auto& required : schema.at("required").as_array())
        members.at(std::string(required.as_string())) = true;
    return members;
}

class DocumentTest : public testing::Test {
  protected:
    const json::object terminals = of(on_terminals);
    const json::object admin = of(on_admin);
};

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
