#include "api/openapi.hpp"

#include "api/attention.hpp"
#include "api/findings.hpp"
#include "api/host.hpp"
#include "api/latency.hpp"
#include "api/openapi/calls.hpp"
#include "api/statements.hpp"
#include "api/terminal_list.hpp"
#include "unit/api/books_rig.hpp"

namespace gateway::test {
namespace {

class OpenapiTest : public BooksApiTest {
  protected:
    OpenapiTest() {
        add_routes(api.admin_routes, on_admin,
                   Parts(statements, findings, attention, latency, terminals, host, openapi));
        add_routes(api.routes, on_terminals, Parts(openapi));
    }

    Reconciler reconciler{{}, *api.flow.seller, *api.books, *api.flow.doubtful, *api.flow.clock, api.flow.log};
    ProviderList list{*api.flow.provider, reconciler, *api.flow.doubtful, *api.flow.clock};
    SaleInquiry inquiry{*api.flow.provider, api.flow.rules,  reconciler,
                        *api.flow.doubtful, *api.flow.clock, api.flow.log};
    StatementsApi statements{reconciler, list, inquiry, *api.flow.doubtful, *api.flow.clock};
    FindingsApi findings{reconciler, *api.flow.doubtful};
    AttentionApi attention{*api.flow.doubtful, *api.flow.seller, Duration(0)};
    LatencyApi latency{*api.flow.metrics, *api.flow.doubtful, *api.flow.clock};
    SeenCalls seen;
    TerminalListApi terminals{api.terminals, seen, *api.flow.doubtful, *api.flow.clock};
    http::CertificateWatch watch{[] { return http::ShownCertificates(); }, *api.flow.clock, api.flow.log};
    ConfigInForce in_force{{}, *api.flow.clock};
    HostApi host{{}, watch, in_force, *api.flow.journal, *api.flow.tokens, *api.flow.clock};
    OpenapiApi openapi{{routes()}, openapi::all_schemas()};
};

// Returns every path of the document, with a value in the place of each parameter.
std::vector<std::pair<http::verb, std::string>> operations(const std::string& document) {
    std::vector<std::pair<http::verb, std::string>> found;
    const auto value = boost::json::parse(document);
    for (const auto& path : value.at("paths").as_object()) {
        for (const auto& operation : path.value().as_object()) {
            std::string target(path.key());
            while (target.find('{') != std::string::npos)
                target.replace(target.find('{'), target.find('}') - target.find('{') + 1, "x");
            found.emplace_back(operation.key() == "post" ? http::verb::post : http::verb::get, target);
        }
    }
    return found;
}

TEST_F(OpenapiTest, EveryOperationOfADocumentHasARoute) {
    const auto check = [&](const http::Router& router, const std::string& document) {
        const auto all = operations(document);
        EXPECT_GE(all.size(), 8u);
        for (const auto& [method, target] : all) {
            const auto told = api.ask(router, ApiRig::request(method, target));
            EXPECT_NE(told.status(), 405u) << target;
            EXPECT_TRUE(told.status() != 404 || told.code() == "not_configured" ||
                        told.text("detail").starts_with("There is no such "))
                << target;
        }
    };
    check(api.routes, openapi.document(on_terminals));
    check(api.admin_routes, openapi.document(on_admin));
}

TEST_F(OpenapiTest, TheDocumentIsServedAsItStands) {
    const auto told = api.get("/openapi.json");
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.response.content_type, "application/json");
    EXPECT_EQ(told.response.document, openapi.document(on_terminals));
    EXPECT_EQ(told.response.document.data(), openapi.document(on_terminals).data()) << "it is made once";
    EXPECT_EQ(boost::json::parse(told.response.document).at("openapi").as_string(), "3.1.0");
    EXPECT_EQ(api.operators(http::verb::get, "/openapi.json").response.document, openapi.document(on_admin));
}

}  // namespace
}  // namespace gateway::test
