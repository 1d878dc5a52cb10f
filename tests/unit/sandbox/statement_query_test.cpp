// Tests a statement as it is asked for: rows of the books, faults laid over them, and the form in which they are
// written.
#include "sandbox/statement_query.hpp"

#include "sandbox/control.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

// On 2 May A is CANCELADA, then B and C are EFETIVADA, and D, of another establishment, is open. E was the day before.
class Statements : public testing::Test {
  protected:
    Statements() {
        caller.now -= 24h;
        sell("E");
        caller.now += 24h;
        caller.token = caller.new_token();
        caller.ask(Family::tv, "A");
        caller.cancel("A");
        caller.now += 1min;
        sell("B");
        caller.now += 1min;
        sell("C");
        auto order = caller.order(Family::tv, "D");
        order["estabelecimento"] = "2";
        caller.now += 1min;
        caller.post("/venda/tv/solicitar", order);
        caller.cancel("never asked for");
    }
    void sell(const std::string& id) {
        caller.token = caller.new_token();
        caller.ask(Family::tv, id);
        caller.confirm(id);
    }
    Answer ask(const std::string& query, const std::string& path = "statement") {
        const auto target = "/sandbox/" + path + (query.empty() ? "" : "?" + query);
        return *control(caller.model, {"GET", target, {}, ""}, caller.now);
    }
    // Returns what the first line counts, and each row's idExterno, valor and status; or what is wrong.
    std::string told(const std::string& query) {
        const auto answer = ask(query);
        if (answer.status != 200) return reason_of(answer);
        std::string all;
        for (std::size_t at = 0; at < answer.body.size(); at = answer.body.find('\n', at) + 1) {
            std::vector<std::string> fields;
            for (auto from = at; answer.body[from] != '\n'; from = answer.body.find(';', from) + 1)
                fields.push_back(answer.body.substr(from, answer.body.find(';', from) - from));
            const bool first = fields.at(0) == "0";
            all += first ? fields.at(6) : " " + fields.at(1) + ":" + fields.at(5) + ":" + fields.at(6).substr(0, 1);
        }
        return all;
    }

    Caller caller{Options{.estabelecimentos = {"12345678", "2"}}};
};

TEST_F(Statements, AreOfTheRowsThatAreAskedFor) {
    EXPECT_EQ(told(""), "2 A:5000:C B:5000:E C:5000:E D:5000:A");
    EXPECT_EQ(told("day=01052024"), "1 E:5000:E");
    EXPECT_EQ(told("day=2024-04-30"), "0");
    EXPECT_EQ(told("only=sold"), "2 B:5000:E C:5000:E");
    EXPECT_EQ(told("estabelecimento=2"), "0 D:5000:A");
    EXPECT_EQ(told("estabelecimento=2&estabelecimento=12345678"), told(""));
    caller.now += 24h;
    caller.token = caller.new_token();
    caller.ask(Family::esim, "F", 36);
    caller.pass(1min);
    caller.confirm("B");  // no effect, and no other moment
    EXPECT_EQ(told(""), "0 F:5036:N");
    EXPECT_EQ(told("day=2024-05-02"), "2 A:5000:C B:5000:E C:5000:E D:5000:A");
}

TEST_F(Statements, HaveTheFaultsThatAreAskedFor) {
    EXPECT_EQ(told("missing=1&missing=C"), "1 B:5000:E D:5000:A");
    EXPECT_EQ(told("missing=all"), "0");
    EXPECT_EQ(told("missing=1&doubled=2&doubled=B"), "3 B:5000:E B:5000:E C:5000:E D:5000:A");
    EXPECT_EQ(told("amount=1:7&status=C:XYZ"), "1 A:7:C B:5000:E C:5000:X D:5000:A");
    EXPECT_EQ(told("day_later=B"), "1 A:5000:C C:5000:E D:5000:A");
    EXPECT_EQ(told("day_later=B&day=2024-05-03"), "1 B:5000:E");
    EXPECT_EQ(told("day_earlier=A&day_later=E"), "3 E:5000:E B:5000:E C:5000:E D:5000:A");
    EXPECT_EQ(told("day_earlier=A&day=2024-05-01"), "1 E:5000:E A:5000:C");
    EXPECT_EQ(told("swapped=1&estabelecimento=12345678"), "2 5000:A:C B:5000:E C:5000:E");
    EXPECT_EQ(told("three_decimals=2&money=comma&only=sold"), "2 B:50,00:E C:50,005:E");
    EXPECT_EQ(told("unknown=X:49&unknown=Y&status=Y:A"), "3 A:5000:C B:5000:E C:5000:E D:5000:A X:49:E Y:1000:A");
    EXPECT_EQ(told("count=9&missing=all"), "9");
    const auto file = ask("total=100&network=0001&header_day=2024-01-01&written=03052024&only=sold&missing=all").body;
    EXPECT_EQ(file, "0;0001;Rede de Demonstração;;03052024;01012024;0;100;4;96;\n");
    EXPECT_TRUE(ask("html=yes").body.starts_with("<!doctype html>"));
    const auto whole = ask("").body;
    const auto cut = ask("cut=2").body;
    EXPECT_TRUE(whole.starts_with(cut) && cut.find("\n1;B;") != std::string::npos && !cut.ends_with("\n")) << cut;
}

TEST_F(Statements, AreWrittenAsIsAskedFor) {
    const auto& sale = caller.entry("B");
    EXPECT_EQ(ask("only=sold&missing=C&money=comma&eol=crlf&written=03052024").body,
              "0;4711;Rede de Demonstração;;03052024;02052024;1;50,00;2,00;48,00;\r\n1;B;" + sale.idTransacao + ";" +
                  sale.nsu + ";12345678;50,00;EFETIVADA;2024-05-02T10:01:00.000-03:00;\r\n");
    EXPECT_NE(ask("money=point").body.find(";2;100.00;4.00;96.00;\n"), std::string::npos);
    EXPECT_NE(ask("encoding=latin1&unknown=%C3%B1%E2%82%AC").body.find("Demonstra\xE7\xE3o"), std::string::npos);
    EXPECT_NE(ask("encoding=latin1&unknown=%C3%B1%E2%82%AC").body.find("\n1;\xF1?;"), std::string::npos);
    EXPECT_NE(ask("unknown=a;b%0Ac").body.find("\n1;a?b?c;"), std::string::npos) << "no field and no line of its own";
    const std::map<std::string, std::string> types{{"", "text/plain; charset=utf-8"},
                                                   {"encoding=latin1", "text/plain; charset=iso-8859-1"},
                                                   {"html=yes", "text/html"}};
    for (const auto& [query, type] : types)
        EXPECT_EQ(find_header(ask(query).headers, "Content-Type"), type);
}

TEST_F(Statements, AreAListToo) {
    const auto list = ask("only=sold&missing=C", "list");
    EXPECT_EQ(find_header(list.headers, "Content-Type"), "application/json");
    const auto& sale = caller.entry("B");
    const json::object row{{"idExterno", "B"},
                           {"idTransacao", sale.idTransacao},
                           {"nsu", sale.nsu},
                           {"estabelecimento", "12345678"},
                           {"valor", 5000},
                           {"status", "EFETIVADA"},
                           {"dataHora", "2024-05-02T10:01:00.000-03:00"}};
    EXPECT_EQ(json::parse(list.body), json::value(json::array{row}));
    EXPECT_EQ(json::parse(ask("money=comma", "list").body).at(0).at("valor").as_string(), "50,00");
    EXPECT_EQ(ask("missing=all", "list").body, "[\n]\n");
    EXPECT_TRUE(ask("", "list").body.starts_with(ask("cut=2", "list").body));
    for (const auto* name : {"encoding", "eol", "written", "count", "total", "network", "header_day"})
        EXPECT_TRUE(reason_of(ask(name + std::string("=1"), "list")).starts_with("unknown parameter ")) << name;
}

TEST_F(Statements, SayInWordsWhatIsWrong) {
    const std::map<std::string, std::string> wrong{
        {"missing=5", "there is no row 5: the day has 4"},
        {"missing=0", "there is no row 0: the day has 4"},
        {"missing=1234567890", "there is no row of the idExterno 1234567890"},
        {"unknown=E", "there is a row already of the idExterno E"},
        {"day=2024-02-30", "day must be a day, such as 2026-11-20 or 20112026"},
        {"only=open", "only must be sold"},
        {"money=reais", "money must be cents or comma or point"},
        {"encoding=cp1252", "encoding must be utf-8 or latin1"},
        {"eol=cr", "eol must be lf or crlf"},
        {"missing=", "missing must name a row"},
        {"amount=2:12345678901", "amount must be a row, a colon and an amount in cents, such as 2:4999"},
        {"amount=:2", "amount must be a row, a colon and an amount in cents, such as 2:4999"},
        {"status=2", "status must be a row, a colon and a status, such as 2:CANCELADA"},
        {"unknown=", "unknown must be an idExterno"},
        {"count=many", "count must be a whole number"},
        {"total=1,00", "total must be an amount in cents"},
        {"html=no", "html must be yes"},
        {"estabelecimento=3", "estabelecimento is not known: 3"},
        {"three_decimals=1", "three_decimals needs money=comma or money=point"},
        {"day=2024-05-02&day=2024-05-03", "day is given twice"}};
    for (const auto& [query, words] : wrong)
        EXPECT_EQ(told(query), words) << query;
    auto names = told("x=") + ", ";
    names.erase(0, names.find("there are ") + 10);
    for (auto end = names.find(", "); end != std::string::npos; end = names.find(", ")) {
        EXPECT_NE(statement_help().find("\n  " + names.substr(0, end) + "="), std::string::npos) << names;
        names.erase(0, end + 2);
    }
}

}  // namespace
}  // namespace gateway::sandbox
