// Tests the calls about totals and closes over the routes of both listeners.
#pragma once

#include "api/closes.hpp"
#include "api/totals.hpp"
#include "unit/api/rig.hpp"

namespace gateway::test {

class BooksApiTest : public ApiTest {
  protected:
    BooksApiTest() {
        add_routes(api.routes, on_terminals, Parts(totals));
        add_routes(api.admin_routes, on_admin, Parts(totals, closes));
    }
    // Makes a sale of the named establishment and terminal that is final and settled.
    void sold(std::string terminal = "caixa-01") {
        auto asked = ApiRig::sell_request("k" + std::to_string(++keys));
        asked.principal = std::move(terminal);
        EXPECT_EQ(api.ask(std::move(asked)).status(), 200u);
        api.flow.clock->settle();
    }
    // Does the same some days ago.
    void sold_before(int days, std::string terminal = "caixa-01") {
        api.flow.clock->shift_wall(std::chrono::hours(-24 * days));
        sold(std::move(terminal));
        api.flow.clock->shift_wall(std::chrono::hours(24 * days));
    }
    Told ask_as(std::string terminal, std::string_view target) {
        auto asked = ApiRig::request(http::verb::get, target);
        asked.principal = std::move(terminal);
        return api.ask(std::move(asked));
    }
    Told get(std::string_view target, std::string_view language = {}) {
        auto asked = ApiRig::request(http::verb::get, target);
        if (!language.empty()) asked.headers.insert("Accept-Language", language);
        return api.ask(api.admin_routes, std::move(asked));
    }
    Told close(std::string body = R"({"day":"2024-05-02","by":"maria"})") {
        return api.operators(http::verb::post, "/v1/closes", std::move(body));
    }
    static std::int64_t sold_in(const Told& told) { return told.json().at("total").at("sold").at("count").as_int64(); }

    int keys = 0;
    DayBooks& books = *api.books;
    TotalsApi totals{books, api.terminals};
    ClosesApi closes{books, *api.flow.doubtful};
};

}  // namespace gateway::test
