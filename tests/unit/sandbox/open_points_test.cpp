// Tests every alternative of every open point from outside: what a client of the provider would see of it.
#include "sandbox/open_points.hpp"

#include "sandbox/control.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace gateway::sandbox {
namespace {

// Returns for example "409 CANCELADA": the HTTP status, and the status that the answer names, wherever it has one.
std::string said(const Answer& answer) {
    boost::system::error_code no_json;
    const auto parsed = json::parse(answer.body, no_json);
    const auto* top = no_json ? nullptr : parsed.if_object();
    const auto inner = [&](std::string_view name) {
        const auto* value = top == nullptr ? nullptr : top->if_contains(name);
        if (value != nullptr && value->is_object()) top = &value->as_object();
    };
    inner("venda");
    inner("transacao");
    const auto* status = top == nullptr ? nullptr : top->if_contains("status");
    const auto code = std::to_string(answer.status);
    return status == nullptr ? code : code + " " + std::string(status->as_string());
}

std::string member(const Answer& answer, std::string_view name) {
    const auto body = parse_object(answer.body);
    const auto* value = body.if_contains(name);
    return value == nullptr ? "none" : json::serialize(*value);
}

std::string cancel_unknown(Caller& caller) {
    return said(caller.cancel("never"));
}

std::string cancel_on_efetivada(Caller& caller) {
    caller.ask(Family::tv, "A");
    caller.confirm("A");
    return said(caller.cancel("A")) + ", and it is " + std::string(to_string(caller.status("A")));
}

std::string confirm_on_cancelada(Caller& caller) {
    caller.ask(Family::tv, "A");
    caller.cancel("A");
    return said(caller.confirm("A")) + ", and it is " + std::string(to_string(caller.status("A")));
}

std::string confirm_again(Caller& caller) {
    caller.ask(Family::tv, "A");
    caller.confirm("A");
    return said(caller.confirm("A")) + ", and it is " + std::string(to_string(caller.status("A")));
}

std::string cancel_again(Caller& caller) {
    caller.ask(Family::tv, "A");
    caller.cancel("A");
    return said(caller.cancel("A")) + ", and it is " + std::string(to_string(caller.status("A")));
}

std::string instrucao_again(Caller& caller) {
    caller.ask(Family::egift, "A");
    const auto of = [](const Answer& answer) {
        const auto transacao = parse_object(answer.body).at("transacao").as_object();
        const auto* value = transacao.if_contains("instrucao");
        return value == nullptr ? "missing" : value->is_null() ? "null" : std::string(value->as_string());
    };
    const auto first = of(caller.confirm("A"));
    const auto second = of(caller.confirm("A"));
    EXPECT_NE(first, "missing");
    return first == second ? "the same" : second;
}

// Tries to cancel an authorised health sale, along every path that anybody might think of.
std::string health_cancel(Caller& caller) {
    std::string found;
    for (const auto* path : {"/venda/consulta/cancelar", "/venda/voucher/cancelar", "/venda/saude/consulta/cancelar"}) {
        const std::string id = "A" + std::to_string(found.size()) + path;
        caller.ask(Family::health, id);
        const json::object body{{"estabelecimento", "12345678"}, {"idExterno", id}, {"dataHoraCliente", health_time}};
        const auto answer = caller.post(path, body);
        if (answer.status == 200) found += std::string(path) + " " + said(answer) + ";";
        EXPECT_EQ(answer.status == 200, caller.status(id) != Status::autorizada);
    }
    return found;
}

std::string request_after_cancel(Caller& caller) {
    caller.cancel("A");
    const auto answer = said(caller.ask(Family::tv, "A"));
    return answer + ", and it is " + std::string(to_string(caller.status("A")));
}

std::string twice(Caller& caller, int cents) {
    const auto id_of = [](const Answer& answer) {
        return sale_part(answer).at("transacao").as_object().at("idTransacao").as_string();
    };
    const auto first = caller.ask(Family::tv, "A");
    const auto second = caller.ask(Family::tv, "A", cents);
    if (second.status != 200) return said(second);
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
    return said(second) + (id_of(first) == id_of(second) ? ", the same" : ", another");
}

// Returns the longest idExterno of digits that is accepted, up to 60 characters.
std::string longest(Caller& caller) {
    std::size_t most = 0;
    for (std::size_t length = 1; length <= 60; ++length)
        if (caller.ask(Family::tv, std::string(length, '7')).status == 200) most = length;
    return std::to_string(most);
}

std::string letters(Caller& caller) {
    std::string taken;
    for (const auto* id : {"12", "A1", "a1", "a-1"})
        if (caller.ask(Family::tv, id).status == 200) taken += std::string(id) + " ";
    return taken;
}

json::object bent_order(const Caller& caller, std::string_view field, const json::value& value) {
    auto body = caller.order(Family::egift, "A");
    body[field] = value;
    return body;
}

std::string error_body(Caller& caller) {
    const auto answer = caller.post("/venda/tv/solicitar", {{"estabelecimento", "12345678"}});
    const std::string type(find_header(answer.headers, "Content-Type").value_or("no type"));
    if (type != "application/json") return type + (answer.body.empty() ? ", empty" : "");
    std::string names;
    const auto body = parse_object(answer.body);
    for (const auto& pair : body) {
        names += std::string(pair.key());
        if (const auto* inner = pair.value().if_object())
            for (const auto& one : *inner)
                names += "." + std::string(one.key());
        names += " ";
    }
    return names;
}

std::string missing_field(Caller& caller) {
    auto body = caller.order(Family::egift, "A");
    body.erase("tipoNegocio");
    return said(caller.post("/venda/egift/solicitar", body));
}

std::string with(Caller& caller, std::string_view field, const json::value& value) {
    const auto answer = said(caller.post("/venda/egift/solicitar", bent_order(caller, field, value)));
    EXPECT_EQ(caller.status("A"), Status::none);
    return answer;
}

constexpr std::string_view grant = "grant_type=client_credentials&scope=Venda_TvPrePaga+Venda_Egift+Venda_Voucher";

std::string expires_in(Caller& caller) {
    const auto number = parse_object(caller.token_request(std::string(grant)).body).at("expires_in").as_int64();
    if (number == 300) return "seconds from now";
    const auto end = (caller.now + 5min).time_since_epoch().count();
    return number == end ? "ms" : number == end / 1000 ? "s" : "?";
}

std::string refreshed(Caller& caller) {
    const auto first = caller.token_request(std::string(grant));
    if (!parse_object(first.body).contains("refresh_token")) return "none";
    const auto again = [&] {
        return caller.token_request("grant_type=refresh_token&refresh_token=" +
                                        std::string(parse_object(first.body).at("refresh_token").as_string()),
                                    std::nullopt);
    };
    const auto second = again();
    EXPECT_EQ(second.status, 200);
    const bool rotates = member(first, "refresh_token") != member(second, "refresh_token");
    return std::string(rotates ? "another, " : "the same, ") + (again().status == 200 ? "and lives" : "and is gone");
}

std::string old_access(Caller& caller) {
    const auto first = parse_object(caller.token_request(std::string(grant)).body);
    caller.token_request("grant_type=refresh_token&refresh_token=" +
                         std::string(first.at("refresh_token").as_string()));
    caller.token = first.at("access_token").as_string();
    return std::to_string(caller.get("/venda/tv/consulta-dinamica/12345678/TV%20Livre").status);
}

std::string separator(Caller& caller) {
    std::string good;
    const std::map<std::string, const char*> headers{{":", "Basic YXBwLWtleTphcHAtc2VjcmV0"},
                                                     {";", "Basic YXBwLWtleTthcHAtc2VjcmV0"},
                                                     {"|", "Basic YXBwLWtleXxhcHAtc2VjcmV0"},
                                                     {"/", "Basic YXBwLWtleS9hcHAtc2VjcmV0"},
                                                     {"nothing", "Basic YXBwLWtleWFwcC1zZWNyZXQ="}};
    for (const auto& [name, header] : headers)
        if (caller.token_request(std::string(grant), header).status == 200) good += name;
    return good;
}

std::string token_errors(Caller& caller) {
    const auto status = [&](const std::string& body, std::optional<std::string> header) {
        const auto answer = caller.token_request(body, std::move(header));
        EXPECT_TRUE(parse_object(answer.body).contains("error_description"));
        return std::to_string(answer.status) + " ";
    };
    return status(std::string(grant), std::nullopt) + status(std::string(grant), "Basic eDp5") +
           status("grant_type=client_credentials&scope=None", Caller::basic) +
           status("grant_type=refresh_token&refresh_token=x", std::nullopt);
}

std::string scopes(Caller& caller) {
    return member(caller.token_request(std::string(grant)), "scope");
}

std::string scope_error(Caller& caller) {
    return scopes(caller) + " " +
           std::to_string(caller.token_request("grant_type=client_credentials&scope=Venda_Voucher").status);
}

std::string status_paths(Caller& caller) {
    caller.ask(Family::tv, "A");
    const auto id = caller.entry("A").idTransacao;
    return said(caller.get("/venda/transacao/A")) + ", " + said(caller.get("/venda/transacao/id/" + id));
}

std::string status_shape(Caller& caller) {
    caller.ask(Family::tv, "A");
    const auto body = parse_object(caller.get("/status/A").body);
    std::string path;
    const auto* place = &body;
    for (const auto* name : {"venda", "transacao"})
        if (const auto* value = place->if_contains(name)) {
            place = &value->as_object();
            path += std::string(name) + ".";
        }
    return path + std::string(place->at("status").as_string());
}

std::string status_unknown(Caller& caller) {
    return said(caller.get("/status/never"));
}

std::string open_end(Caller& caller, Family family) {
    auto options = caller.model.options();
    options.callback_delay = 1000h;  // or it would tell of an eSIM sale
    for (const auto after : {0h, 23h, 24h, 47h, 48h}) {
        Caller other(options);
        other.ask(family, "A");
        other.pass(after);
        if (other.status("A") == Status::cancelada) return std::to_string(after.count()) + "h";
    }
    return "never";
}

std::string uuid(Caller& caller) {
    caller.ask(Family::esim, "A");
    const auto sent = caller.pass(1s);
    const auto value = parse_object(sent.at(0).body).at("uuid").as_string();
    const auto& sale = caller.entry("A");
    return value == sale.idTransacao ? "idTransacao" : value == sale.idExterno ? "idExterno" : "another";
}

std::string address_field(Caller& caller) {
    std::string taken;
    for (const auto* field : {"the service", "urlNotificacao", "urlVenda"}) {
        auto body = caller.order(Family::esim, field);
        body.erase("the service");
        body[field] = "http://127.0.0.1:1/sale";
        if (caller.post("/venda/esim/solicitar", body).status == 200) taken += field;
    }
    return taken;
}

std::string recharge_goes(Caller& caller) {
    caller.ask(Family::esim, "A");
    std::string addresses;
    for (const auto& delivery : caller.pass(1min))
        addresses += delivery.url.substr(delivery.url.rfind('/'));
    return addresses;
}

// Returns how many seconds lie between the tries of the first callback, as long as nobody answers.
std::string tries(Caller& caller, std::size_t most) {
    caller.ask(Family::esim, "A", 40);
    std::string gaps;
    std::optional<WallTime> last;
    std::size_t count = 0;
    while (count < most && caller.model.next_due()) {
        caller.now = *caller.model.next_due();
        for (const auto& delivery : caller.model.advance(caller.now)) {
            if (last) gaps += std::to_string((caller.now - *last) / 1s) + " ";
            last = caller.now;
            ++count;
            caller.model.callback_answered(delivery.id, 503, caller.now);
        }
    }
    return most > 10 ? std::to_string(count) : gaps;
}

std::string ended_by(Caller& caller) {
    std::string ends;
    for (const auto status : {200, 204, 302, 503}) {
        Caller other(caller.model.options());
        other.ask(Family::esim, "A", 40);
        other.pass(1s, status);
        if (other.model.callbacks().all().empty()) ends += std::to_string(status) + " ";
    }
    return ends;
}

std::string limit(Caller& caller) {
    caller.now += 1s;
    int taken = 0;
    while (taken < 50 && caller.get("/venda/tv/consulta-dinamica/12345678/TV%20Livre").status == 200)
        ++taken;
    if (taken == 50) return "50 and more";
    EXPECT_EQ(caller.token_request(std::string(grant)).status, 429);
    caller.now += 1s;
    EXPECT_EQ(caller.token_request(std::string(grant)).status, 200) << "in the next second";
    return std::to_string(taken);
}

std::string limit_answer(Caller& caller) {
    while (true) {
        const auto answer = caller.get("/venda/tv/consulta-dinamica/12345678/TV%20Livre");
        if (answer.status != 200)
            return std::to_string(answer.status) + " " +
                   std::string(find_header(answer.headers, "Retry-After").value_or("without"));
    }
}

std::string statement(Caller& caller) {
    caller.ask(Family::tv, "A");
    caller.ask(Family::tv, "B");
    caller.confirm("B");
    const auto answer = control(caller.model, {"GET", "/sandbox/statement", {}, ""}, caller.now);
    return answer ? answer->body : "";
}

std::string statement_line(Caller& caller) {
    const auto text = statement(caller);
    const auto line = text.substr(text.find('\n') + 1);
    return line.substr(1, 1);
}

std::string statement_encoding(Caller& caller) {
    return statement(caller).find("\xC3\xA7") != std::string::npos ? "two bytes" : "one byte";
}

std::string statement_money(Caller& caller) {
    for (const auto* text : {";5000;", ";50,00;", ";50.00;"})
        if (statement(caller).find(text) != std::string::npos) return text;
    return "";
}

std::string statement_end(Caller& caller) {
    return statement(caller).find("\r\n") != std::string::npos ? "both" : "line feed";
}

std::string statement_rows(Caller& caller) {
    return statement(caller).find(";AUTORIZADA;") != std::string::npos ? "all" : "sold";
}

std::string egift_token(Caller& caller) {
    caller.ask(Family::egift, "A");
    const Headers headers{{"Accept", "application/json"}, {"Content-Type", "application/json"}};
    const auto body = json::serialize(caller.confirm_body("A"));
    return std::to_string(caller.model.handle({"POST", "/venda/egift/confirmar", headers, body}, caller.now).status);
}

std::string sale_http(Caller& caller) {
    EXPECT_EQ(caller.ask(Family::tv, "N", 8).status, 200) << "NEGADA";
    return said(caller.ask(Family::tv, "A"));
}

std::string cancel_effect(Caller& caller) {
    caller.ask(Family::tv, "A");
    const auto answer = said(caller.cancel("A"));
    EXPECT_EQ(said(caller.confirm("A")).substr(0, 3), "200");
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
    return answer + ", then " + std::string(to_string(caller.status("A")));
}

std::string forgets(Caller& caller) {
    for (const auto after : {59s, 60s, 3599s, 3600s, 360'000s}) {
        Caller other(caller.model.options());
        other.ask(Family::tv, "A");
        other.confirm("A");
        other.pass(after);
        other.token = other.new_token();
        const bool known = other.confirm("A").status == 200;
        EXPECT_EQ(other.cancel("A").status == 200, known);
        EXPECT_EQ(other.get("/status/A").status == 200, known);
        EXPECT_EQ(other.status("A"), Status::efetivada) << "the books keep it";
        EXPECT_EQ(other.model.metrics().departures(), 0U);
        if (!known) return std::to_string(after / 1s) + "s";
    }
    return "never";
}

struct Look {
    std::string point;
    std::function<std::string(Caller&)> look;
    std::map<std::string, std::string> expected;  // by alternative
    std::string also{};                           // of the personality, so that there is something to look at
};

const std::map<std::string, std::string> final_answers(const std::string& status) {
    const auto all = [&](const std::string& answer) { return answer + ", and it is " + status; };
    return {{"200-status", all("200 " + status)},
            {"200-bare", all("200")},
            {"409-status", all("409 " + status)},
            {"422-status", all("422 " + status)},
            {"409", all("409")},
            {"400", all("400")},
            {"404", all("404")},
            {"422", all("422")}};
}

const std::map<std::string, std::string> usual_errors{
    {"400", "400"}, {"422", "422"}, {"500", "500"}, {"200-negada", "200 NEGADA"}};

std::map<std::string, std::string> more_errors(std::vector<std::string> codes) {
    auto all = usual_errors;
    for (const auto& code : codes)
        all[code] = code;
    return all;
}

std::vector<Look> looks_at_sales() {
    const std::map<std::string, std::string> again{
        {"409", "409"}, {"422", "422"}, {"same", "200 AUTORIZADA, the same"}, {"second", "200 AUTORIZADA, another"}};
    return {
        {"cancel-unknown",
         &cancel_unknown,
         {{"404", "404"},
          {"400", "400"},
          {"409", "409"},
          {"422", "422"},
          {"500", "500"},
          {"200-bare", "200"},
          {"200-cancelada", "200 CANCELADA"},
          {"404-cancelada", "404 CANCELADA"},
          {"422-cancelada", "422 CANCELADA"},
          {"200-negada", "200 NEGADA"}}},
        {"cancel-on-efetivada", &cancel_on_efetivada, final_answers("EFETIVADA")},
        {"confirm-on-cancelada", &confirm_on_cancelada, final_answers("CANCELADA")},
        {"confirm-again", &confirm_again, final_answers("EFETIVADA")},
        {"cancel-again", &cancel_again, final_answers("CANCELADA")},
        {"egift-instrucao-again", &instrucao_again, {{"again", "the same"}, {"missing", "missing"}, {"null", "null"}}},
        {"health-cancel-path",
         &health_cancel,
         {{"none", ""},
          {"/venda/{health}/cancelar", "/venda/consulta/cancelar 200 CANCELADA;"},
          {"/venda/voucher/cancelar", "/venda/voucher/cancelar 200 CANCELADA;"},
          {"/venda/saude/{health}/cancelar", "/venda/saude/consulta/cancelar 200 CANCELADA;"}}},
        {"health-cancel-does",
         &health_cancel,
         {{"cancels", "/venda/consulta/cancelar 200 CANCELADA;"}, {"sells", "/venda/consulta/cancelar 200 EFETIVADA;"}},
         "health-cancel-path=/venda/{health}/cancelar"},
        {"request-after-cancel",
         &request_after_cancel,
         {{"sells", "200 AUTORIZADA, and it is AUTORIZADA"},
          {"409", "409, and it is "},
          {"422", "422, and it is "},
          {"200-cancelada", "200 CANCELADA, and it is CANCELADA"},
          {"200-negada", "200 NEGADA, and it is NEGADA"}}},
        {"id-again-same-body", [](Caller& caller) { return twice(caller, 0); }, again},
        {"id-again-other-body", [](Caller& caller) { return twice(caller, 50); }, again},
        {"id-length", &longest, {{"unlimited", "60"}, {"40", "40"}, {"36", "36"}, {"30", "30"}, {"26", "26"}}},
        {"id-letters",
         &letters,
         {{"any", "12 A1 a1 a-1 "}, {"alphanumeric", "12 A1 a1 "}, {"upper-digits", "12 A1 "}, {"digits", "12 "}}},
        {"sale-http", &sale_http, {{"200", "200 AUTORIZADA"}, {"201", "201 AUTORIZADA"}}},
        {"cancel-effect",
         &cancel_effect,
         {{"cancels", "200 CANCELADA, then CANCELADA"},
          {"stays-autorizada", "200 AUTORIZADA, then EFETIVADA"},
          {"404", "404, then EFETIVADA"},
          {"405", "405, then EFETIVADA"}}},
        {"forgets", &forgets, {{"never", "never"}, {"1h", "3600s"}, {"1m", "60s"}}, "status-path=/status/{idExterno}"},
        {"egift-confirm-token", &egift_token, {{"required", "401"}, {"optional", "200"}}},
    };
}

std::vector<Look> looks_at_errors() {
    return {
        {"error-body",
         &error_body,
         {{"erro", "erro mensagem "},
          {"erro-object", "erro.codigo.mensagem "},
          {"oauth", "error error_description "},
          {"message", "message "},
          {"html", "text/html"},
          {"empty", "no type, empty"}}},
        {"error-missing-field", &missing_field, usual_errors},
        {"error-bad-amount", [](Caller& caller) { return with(caller, "valor", "10,50"); }, usual_errors},
        {"error-unknown-product", [](Caller& caller) { return with(caller, "chaveProduto", "EG"); },
         more_errors({"404"})},
        {"error-beyond-bound", [](Caller& caller) { return with(caller, "valor", "99999999"); }, usual_errors},
        {"error-wrong-establishment", [](Caller& caller) { return with(caller, "estabelecimento", "1"); },
         more_errors({"401", "403", "404"})},
    };
}

std::vector<Look> looks_at_tokens() {
    const std::string all = R"("Venda_TvPrePaga,Venda_Egift,Venda_Voucher")";
    return {
        {"expires-in", &expires_in, {{"ms", "ms"}, {"s", "s"}, {"duration", "seconds from now"}}},
        {"refresh-token",
         &refreshed,
         {{"rotates", "another, and is gone"},
          {"rotates-old-lives", "another, and lives"},
          {"stays", "the same, and lives"},
          {"none", "none"}}},
        {"refresh-old-access", &old_access, {{"good", "200"}, {"revoked", "401"}}},
        {"basic-separator",
         &separator,
         {{"colon", ":"}, {"semicolon", ";"}, {"pipe", "|"}, {"slash", "/"}, {"nothing", "nothing"}}},
        {"token-errors",
         &token_errors,
         {{"rfc", "400 401 400 400 "}, {"400", "400 400 400 400 "}, {"401", "401 401 401 401 "}}},
        {"scopes",
         &scope_error,
         {{"all", all + " 200"},
          {"Venda_TvPrePaga", R"("Venda_TvPrePaga" 400)"},
          {"Venda_TvPrePaga+Venda_Egift", R"("Venda_TvPrePaga,Venda_Egift" 400)"}}},
        {"scope-separator", &scopes, {{"comma", all}, {"space", R"("Venda_TvPrePaga Venda_Egift Venda_Voucher")"}}},
    };
}

std::vector<Look> looks_at_time() {
    std::vector<Look> all{
        {"status-path",
         &status_paths,
         {{"none", "404, 404"},
          {"/venda/transacao/{idExterno}", "200 AUTORIZADA, 404"},
          {"/venda/transacao/id/{idTransacao}", "404, 200 AUTORIZADA"}}},
        {"status-shape",
         &status_shape,
         {{"transacao", "transacao.AUTORIZADA"}, {"venda", "venda.transacao.AUTORIZADA"}, {"top", "AUTORIZADA"}},
         "status-path=/status/{idExterno}"},
        {"status-unknown",
         &status_unknown,
         {{"404", "404"},
          {"400", "400"},
          {"200-bare", "200"},
          {"200-stranger", "200 DESCONHECIDA"},
          {"200-negada", "200 NEGADA"},
          {"200-cancelada", "200 CANCELADA"}},
         "status-path=/status/{idExterno}"},
        {"esim-uuid", &uuid, {{"own-number", "another"}, {"id-transacao", "idTransacao"}, {"id-externo", "idExterno"}}},
        {"callback-field",
         &address_field,
         {{"the service", "the service"}, {"urlNotificacao", "urlNotificacao"}, {"urlVenda", "urlVenda"}}},
        {"recharge-callback",
         &recharge_goes,
         {{"own-address", "/sale/recharge"}, {"same-address", "/sale/sale"}, {"none", "/sale"}}},
        {"callback-tries",
         [](Caller& caller) { return tries(caller, 1000); },
         {{"100", "100"}, {"10", "10"}, {"3", "3"}, {"1", "1"}}},
        {"callback-retry",
         [](Caller& caller) { return tries(caller, 2); },
         {{"1s", "1 "}, {"10s", "10 "}, {"1m", "60 "}}},
        {"callback-repeat",
         [](Caller& caller) { return tries(caller, 9); },
         {{"doubling", "1 2 4 8 16 32 60 60 "}, {"fixed", "1 1 1 1 1 1 1 1 "}}},
        {"callback-until", &ended_by, {{"200", "200 "}, {"2xx", "200 204 "}}},
        {"rate-limit", &limit, {{"none", "50 and more"}, {"20", "20"}, {"5", "5"}, {"2", "2"}}},
        {"rate-limit-answer", &limit_answer, {{"429-retry-after", "429 2"}, {"429", "429 without"}}, "rate-limit=2"},
        {"statement-separator", &statement_line, {{"semicolon", ";"}, {"tab", "\t"}, {"pipe", "|"}}},
        {"statement-encoding", &statement_encoding, {{"utf-8", "two bytes"}, {"latin1", "one byte"}}},
        {"statement-money", &statement_money, {{"cents", ";5000;"}, {"comma", ";50,00;"}, {"point", ";50.00;"}}},
        {"statement-eol", &statement_end, {{"lf", "line feed"}, {"crlf", "both"}}},
        {"statement-rows", &statement_rows, {{"all", "all"}, {"sold", "sold"}}},
    };
    for (const auto family : families)
        all.push_back({"open-sales-end-" + std::string(to_string(family)),
                       [family](Caller& caller) { return open_end(caller, family); },
                       {{"never", "never"}, {"48h", "48h"}, {"24h", "24h"}}});
    return all;
}

std::vector<Look> looks() {
    std::vector<Look> all;
    for (const auto& some : {looks_at_sales(), looks_at_errors(), looks_at_tokens(), looks_at_time()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

// Tells whether only a connection shows the point: see service_test.cpp.
bool is_about_connections(const Point& point) {
    return point.question == "keep-alive";
}

// An answer that lacks what is looked for fails one alternative, and does not stop the others.
std::string looked_at(const Look& look, Caller& caller) {
    try {
        return look.look(caller);
    } catch (const std::exception& failure) {
        return std::string("failed: ") + failure.what();
    }
}

TEST(OpenPoints, EveryAlternativeIsSeenByAClient) {
    const auto all = looks();
    for (const auto& point : points()) {
        const auto found = std::ranges::find(all, point.name, &Look::point);
        if (is_about_connections(point)) continue;
        ASSERT_NE(found, all.end()) << "nobody looks at " << point.name;
        for (const auto& alternative : point.alternatives) {
            const std::string value(alternative.value);
            Options options;
            ASSERT_TRUE(read_personality(found->also, options));
            ASSERT_TRUE(point.set(options, value));
            Caller caller(options);
            ASSERT_TRUE(found->expected.contains(value)) << point.name << " " << value;
            SCOPED_TRACE(point.name + "=" + value);
            EXPECT_EQ(looked_at(*found, caller), found->expected.at(value));
        }
        EXPECT_EQ(found->expected.size(), point.alternatives.size()) << point.name;
    }
}

}  // namespace
}  // namespace gateway::sandbox
