#include "api/callbacks.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

class CallbacksTest : public ApiTest {
  protected:
    void SetUp() override {
        id = api.sold("k-1", ApiRig::esim_body).text("id");
        secret = secret_sent();
    }
    // Returns the secret as the provider learned it, because the sale does not show it.
    std::string secret_sent() const {
        constexpr std::string_view before = "/callbacks/esim/";
        const std::string text = api.flow.network->seen.at(0).request.body.reveal();
        const auto begin = text.find(before) + before.size();
        return text.substr(begin, text.find_first_of("/\"", begin) - begin);
    }
    Told call(const std::string& with, std::string body, const char* kind = "sale") {
        return api.ask(api.callback_routes,
                       ApiRig::request(http::verb::post, "/callbacks/esim/" + with + "/" + kind, std::move(body)));
    }
    static std::string body(const std::string& status, const std::string& more = "") {
        return R"({"uuid":"u-1","msisdn":"5511987654321","url":"https://x.example/qr","situacaoTransacao":")" + status +
               "\"" + more + "}";
    }
    std::string status() { return api.get("/v1/sales/" + id).text("status"); }

    std::string id;
    std::string secret;
};

TEST_F(CallbacksTest, TheSecretIsLongAndTheCallbackDecides) {
    EXPECT_GE(secret.size(), 22u) << "128 bits, however they are written";
    EXPECT_EQ(call(secret, body("EFETIVADA")).status(), 200u);
    EXPECT_EQ(status(), "EFETIVADA");
    EXPECT_EQ(api.get("/v1/sales/" + id).json().at("esim").at("uuid"), "u-1");
    EXPECT_TRUE(api.flow.log.has("callback.received sale=" + id +
                                 " idExterno=" + api.get("/v1/sales/" + id).text("idExterno") + " terminal=caixa-01 "))
        << "those who ask the provider need the one, those who ask the till the other";
}

TEST_F(CallbacksTest, ARepeatIs200AndChangesNothing) {
    call(secret, body("EFETIVADA"));
    const auto before = api.get("/v1/sales/" + id).response.body;
    EXPECT_EQ(call(secret, body("EFETIVADA")).status(), 200u);
    EXPECT_EQ(api.get("/v1/sales/" + id).response.body, before);
}

TEST_F(CallbacksTest, AnUnknownSecretIs404) {
    for (const auto& wrong : {std::string("x"), secret + "0", secret.substr(1)})
        EXPECT_EQ(call(wrong, body("EFETIVADA")).status(), 404u);
    EXPECT_EQ(status(), "AUTORIZADA");
}

TEST_F(CallbacksTest, ABodyThatIsNotValidIs400AndKept) {
    for (const auto* wrong : {"{}", "rubbish", ""})
        EXPECT_EQ(call(secret, wrong).code(), "bad_request") << wrong;
    EXPECT_EQ(status(), "AUTORIZADA");
    EXPECT_TRUE(api.flow.log.has("warn callback.received")) << "the operator hears of it";
    EXPECT_EQ(call(secret, body("EFETIVADA")).status(), 200u) << "the right one may still come";
}

TEST_F(CallbacksTest, AContradictionIsForAPerson) {
    call(secret, body("EFETIVADA"));
    EXPECT_EQ(call(secret, body("CANCELADA")).status(), 200u);
    EXPECT_EQ(status(), "EFETIVADA") << "a final status never changes";
    EXPECT_EQ(api.get("/v1/sales/" + id).json().at("attention"), true);
}

TEST_F(CallbacksTest, TheRechargesCallbackAddsToTheSale) {
    call(secret, body("EFETIVADA"));
    EXPECT_EQ(
        call(secret, body("EFETIVADA", R"(,"situacaoRecarga":"EFETIVADA","nsuRecarga":"9")"), "recharge").status(),
        200u);
    EXPECT_EQ(api.get("/v1/sales/" + id).json().at("esim").at("nsuRecarga"), "9");
}

TEST_F(CallbacksTest, NothingElseIsServedThere) {
    for (const auto* target :
         {"/v1/sales", "/healthz", "/openapi.json", "/callbacks/esim/x", "/callbacks/esim/x/other"})
        EXPECT_EQ(api.ask(api.callback_routes, ApiRig::request(http::verb::get, target)).status(), 404u) << target;
}

TEST_F(CallbacksTest, NoSecretIsLogged) {
    call(secret, body("EFETIVADA"));
    for (const auto& line : api.flow.log.lines) {
        EXPECT_EQ(line.find(secret), std::string::npos) << line;
        EXPECT_EQ(line.find("5511987654321"), std::string::npos) << line;
    }
}

}  // namespace
}  // namespace gateway::test
