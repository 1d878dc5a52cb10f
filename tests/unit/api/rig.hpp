// Runs the routes of the listeners over the sale core in virtual time, without sockets: a request goes in, and the
// answer comes out.
#pragma once

#include "api/admin.hpp"
#include "api/callbacks.hpp"
#include "api/health.hpp"
#include "api/metrics_page.hpp"
#include "api/operator_status.hpp"
#include "api/options.hpp"
#include "api/proxy.hpp"
#include "api/routes.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/status.hpp"
#include "base/digest.hpp"
#include "http/server/target.hpp"
#include "unit/flow/rig.hpp"

#include <gtest/gtest.h>

namespace gateway::test {

inline Terminal terminal(std::string id, std::string estabelecimento = "12345678",
                         std::vector<Family> families = {all_families.begin(), all_families.end()}) {
    return {.id = id,
            .key_sha256 = {sha256_hex("key-of-" + id)},
            .estabelecimento = std::move(estabelecimento),
            .families = std::move(families)};
}

// An answer, and what a test asks of it.
struct Told {
    http::Response response;

    unsigned status() const { return static_cast<unsigned>(response.status); }
    boost::json::object json() const { return boost::json::parse(response.body).as_object(); }
    std::string text(const char* name) const {
        const auto body = json();
        return body.contains(name) ? std::string(body.at(name).as_string()) : std::string();
    }
    std::string code() const { return text("code"); }
    std::string header(std::string_view name) const {
        for (const auto& [key, value] : response.headers)
            if (key == name) return value;
        return {};
    }
    // Returns what a problem says about a field; empty: nothing.
    std::string detail_of(std::string_view pointer) const {
        const auto problem = json();
        if (const auto* errors = problem.if_contains("errors"))
            for (const auto& error : errors->as_array())
                if (error.at("pointer").as_string() == pointer) return std::string(error.at("detail").as_string());
        return {};
    }
    // Returns the pointers of a problem's field errors.
    std::vector<std::string> pointers() const {
        std::vector<std::string> found;
        const auto problem = json();
        for (const auto& error : problem.at("errors").as_array())
            found.emplace_back(error.at("pointer").as_string());
        return found;
    }
};

class ApiRig {
  public:
    ApiRig() { build(); }

    // Builds the api anew, for another `sell_options` or `proxy_options`.
    void build() {
        routes = {};
        admin_routes = {};
        console_routes = {};
        callback_routes = {};
        sell = std::make_unique<SellApi>(sell_options, flow.rules, *flow.seller, cache, terminals, *flow.clock);
        sales = std::make_unique<SalesApi>(settle_wait, *flow.seller, *flow.journal, terminals, *flow.clock, flow.log);
        options = std::make_unique<OptionsApi>(std::vector<Product>(), cache, terminals, *flow.clock);
        proxy = std::make_unique<ProxyApi>(proxy_options, *flow.provider, terminals, *flow.clock);
        host = std::make_unique<HostCheck>(*flow.journal, *flow.metrics, *flow.clock, flow.log);
        callbacks = std::make_unique<CallbacksApi>(*flow.seller, *flow.journal, *flow.clock, flow.log);
        health = std::make_unique<Health>(
            *flow.seller, *flow.journal, *flow.provider, *flow.tokens, *host, [this] { return certificates; },
            [this] { return of_configuration; });
        status = std::make_unique<StatusApi>(*health, terminals, "0.0.0");
        admin = std::make_unique<AdminApi>(*health);
        metrics_page = std::make_unique<MetricsPage>(*flow.seller, *flow.journal, *flow.tokens, *health,
                                                     *flow.attention, *flow.metrics, others, *flow.clock);
        books = std::make_unique<DayBooks>(
            DayBooksOptions{}, [this] { return terminals.establishments(); }, *flow.doubtful, *flow.clock, flow.log);
        operator_status = std::make_unique<OperatorStatusApi>(
            *health, *flow.seller, *flow.journal, *flow.tokens, *flow.attention, terminals, *books,
            [this] { return hammering; }, "0.0.0", *flow.clock);
        add_routes(routes, on_terminals, Parts(*sell, *sales, *options, *proxy, *status));
        add_routes(callback_routes, on_callbacks, Parts(*callbacks));
        add_routes(admin_routes, on_admin, Parts(*admin, *metrics_page, *operator_status, *sales));
        add_routes(console_routes, on_console, Parts(*sales));
    }

    static http::Request request(http::verb method, std::string_view target, std::string body = {}) {
        http::Request made;
        made.method = method;
        EXPECT_TRUE(http::set_target(made, target));
        made.request_id = "r-1";
        made.principal = "caixa-01";
        if (!body.empty()) made.headers.insert("Content-Type", "application/json");
        made.body = std::move(body);
        return made;
    }
    Told ask(http::Request asked) { return ask(routes, std::move(asked)); }
    Told ask(const http::Router& router, http::Request asked) { return {flow.clock->run(router.dispatch(asked))}; }
    Told get(std::string_view target) { return ask(request(http::verb::get, target)); }
    Told post(std::string_view target, std::string body = {}) {
        return ask(request(http::verb::post, target, std::move(body)));
    }
    // The admin listener asks nobody for a name. The console lets in a person who has signed in.
    Told operators(http::verb method, std::string_view target, std::string body = {}) {
        auto asked = request(method, target, std::move(body));
        asked.principal.clear();
        return ask(admin_routes, std::move(asked));
    }
    Told console(http::verb method, std::string_view target, std::string body = {}) {
        auto asked = request(method, target, std::move(body));
        asked.principal = "Ana";
        return ask(console_routes, std::move(asked));
    }

    static http::Request sell_request(std::string_view key, std::string body = tv_body) {
        auto asked = request(http::verb::post, "/v1/sell", std::move(body));
        asked.headers.insert("Idempotency-Key", key);
        return asked;
    }
    Told sold(std::string_view key, std::string body = tv_body) { return ask(sell_request(key, std::move(body))); }
    Told held(std::string_view key) { return sold(key, held_body); }
    Told cancel_key(std::string_view key) {
        auto asked = request(http::verb::post, "/v1/cancel");
        asked.headers.insert("Idempotency-Key", key);
        return ask(std::move(asked));
    }

    static constexpr auto tv_body = R"({"family":"tv","produto":"TV Mensal","valor":2500,"cpf":"52998224725"})";
    static constexpr auto held_body =
        R"({"family":"tv","produto":"TV Mensal","valor":2500,"cpf":"52998224725","confirm":"manual"})";
    static constexpr auto esim_body =
        R"({"family":"esim","produto":"Chip","servicoId":"301","valorRecarga":1500,"valor":2990,
            "consumidor":{"cpf":"52998224725","nome":"Z","email":"z@correio.example","nascimento":"21041985",
                          "telefone":11987654321},
            "endereco":{"tipoEnderecoId":1,"cep":"01310100","uf":"SP","cidade":"S","bairro":"B","tipoLogradouroId":2,
                        "logradouro":"L","numeroLogradouro":1}})";

    FlowRig flow;
    SellApiOptions sell_options;
    Duration settle_wait = SellApiOptions().sell_wait;
    ProxyApiOptions proxy_options;
    MetricsPage::Others others = [](Exposition&) {};
    Terminals terminals{{terminal("caixa-01"), terminal("caixa-02"), terminal("loja-b", "87654321"),
                         terminal("so-tv", "12345678", {Family::tv})}};
    OptionsCache cache{flow.io->get_executor(), OptionsCacheOptions{}, *flow.provider, *flow.clock, flow.log};
    std::unique_ptr<SellApi> sell;
    std::unique_ptr<SalesApi> sales;
    std::unique_ptr<OptionsApi> options;
    std::unique_ptr<ProxyApi> proxy;
    std::unique_ptr<CallbacksApi> callbacks;
    std::vector<http::Hammering> hammering;              // callers that are refused again and again
    std::vector<http::CertificateTrouble> certificates;  // what is wrong with those that callers are shown
    std::vector<HostCheck::Concern> of_configuration;    // what of its file is not in force
    std::unique_ptr<HostCheck> host;
    std::unique_ptr<Health> health;
    std::unique_ptr<StatusApi> status;
    std::unique_ptr<AdminApi> admin;
    std::unique_ptr<MetricsPage> metrics_page;
    std::unique_ptr<DayBooks> books;
    std::unique_ptr<OperatorStatusApi> operator_status;
    http::Router routes, admin_routes, console_routes, callback_routes;
};

class ApiTest : public testing::Test {
  protected:
    ApiRig api;
};

}  // namespace gateway::test
