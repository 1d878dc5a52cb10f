#include "api/attention_report.hpp"

#include "base/wall_time.hpp"
#include "sale/advice.hpp"
#include "unit/support/seeded_random.hpp"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace gateway::test {
namespace {

using namespace testing;

MarkedSale sale(Attention attention) {
    SeededRandom random;
    constexpr WallTime at{std::chrono::milliseconds(1'714'655'471'480)};
    return {.id = SaleId::make(at, random).str(),
            .created_at = at,
            .terminal = "caixa-01",
            .estabelecimento = "12345678",
            .family = Family::egift,
            .produto = "Moedas do Jogo",
            .valor = Cents{2000},
            .status = Status::EFETIVADA,
            .attention = attention,
            .id_externo = IdExterno::make(at, random).str(),
            .id_transacao = "T1"};
}

std::string report(const std::vector<MarkedSale>& sales) {
    return attention_report(sales, {.words = Words::in(Language::english), .now = {}, .columns = 100});
}

// Returns the words of the text, with one space between any two.
std::string words_of(const std::string& text) {
    std::istringstream stream(text);
    std::string words;
    for (std::string word; stream >> word;)
        words += word + ' ';
    return words;
}

TEST(AttentionReport, DoesNotSayOfWhatNoGatewayHasReadThatNothingIsTheMatter) {
    for (const auto& sales : {std::vector<MarkedSale>(), std::vector{sale(Attention::unsettled)}})
        EXPECT_THAT(words_of(report(sales)),
                    EndsWith("A sale that is damaged in the journal is marked when a gateway reads it, and a gateway "
                             "reads every sale after its start. "));
    EXPECT_THAT(report({}), StartsWith("No sale is marked for a person.\n"));
}

TEST(AttentionReport, SaysOfEveryMarkWhatTheListenersSay) {
    for (const auto attention : all_attentions) {
        const auto words = words_of(report({sale(attention)}));
        const auto said = advice(attention);
        EXPECT_THAT(words, HasSubstr(" " + std::string(to_string(attention)) + " "));
        EXPECT_THAT(words, HasSubstr(" known " + std::string(said.known)));
        EXPECT_THAT(words, HasSubstr(" not known " + std::string(said.not_known)));
        EXPECT_THAT(words, HasSubstr(" to do " + std::string(said.to_do)));
    }
}

TEST(AttentionReport, NamesTheSaleAsLogAndProviderDo) {
    const auto one = sale(Attention::undeliverable);
    const auto words = words_of(report({one, one}));
    for (const auto& fact :
         {one.id, one.id_externo, std::string("idTransacao T1"),
          std::string("egift Moedas do Jogo, R$ 20,00, EFETIVADA, of caixa-01"),
          to_local_text(*one.created_at) + " (12345678)", std::string("Sales that need a person: 2 "),
          std::string("sales-gateway resolve ID --sold")})
        EXPECT_THAT(words, HasSubstr(fact));
}

TEST(AttentionReport, SaysSinceWhenHowOftenAndWhatWentWrongLast) {
    constexpr WallTime at{std::chrono::milliseconds(1'714'655'999'000)};
    auto one = sale(Attention::unsettled);
    EXPECT_THAT(words_of(report({one})),
                AllOf(HasSubstr("since not known"), Not(HasSubstr(" tries ")), Not(HasSubstr("last error"))));
    one.history = {.marked_since = at,
                   .last_error = LastError{.at = at, .step = "cancelar", .text = "no answer in time"},
                   .tries = 7};
    const auto words = words_of(report({one}));
    for (const auto& fact : {"since " + to_local_text(at), std::string("tries 7 "),
                             "last error cancelar at " + to_local_text(at) + ": no answer in time",
                             "Times are the store's, UTC" + local_offset(at)})
        EXPECT_THAT(words, HasSubstr(fact));
    const auto object = attention_json(one);
    EXPECT_EQ(std::string(object.at("since").as_string()), to_rfc3339(at));
    EXPECT_EQ(object.at("tries"), 7);
    EXPECT_EQ(object.at("lastError").at("text"), "no answer in time");
    EXPECT_FALSE(object.contains("moreTries"));

    one.history.more_tries = one.history.last_error->may_be_older = true;
    EXPECT_THAT(words_of(report({one})), AllOf(HasSubstr("tries at least 7 "),
                                               HasSubstr("no answer in time; a long history leaves repeats out")));
    EXPECT_EQ(attention_json(one).at("moreTries"), true);
    EXPECT_EQ(attention_json(one).at("lastError").at("mayBeOlder"), true);
    const auto unknown = attention_json(sale(Attention::unsettled));
    EXPECT_FALSE(unknown.contains("since") || unknown.contains("lastError"));
}

TEST(AttentionReport, SaysWhatTheCallbacksSaidWhereThatCanBeTold) {
    constexpr WallTime at{std::chrono::milliseconds(1'714'655'999'000)};
    const auto of = [&](KeptCallback callback) {
        callback.at = at;
        callback.kind = "recharge";
        auto one = sale(Attention::recharge_failed);
        one.callbacks = {callback};
        EXPECT_EQ(boost::json::serialize(attention_json(one)).find("5511"), std::string::npos);
        return std::pair(words_of(report({one})), attention_json(one).at("callbacks").at(0).as_object());
    };
    const std::string line = " callback " + to_local_text(at) + " (recharge): ";
    const auto [plain, plain_json] =
        of({.valid = true,
            .body = Secret(R"({"uuid":"u","msisdn":"5511999990000","url":"https://x.example/5511",)"
                           R"("situacaoTransacao":"EFETIVADA","situacaoRecarga":"Falha"})")});
    EXPECT_THAT(plain, AllOf(HasSubstr(line + "EFETIVADA, recharge FALHA"), Not(HasSubstr("5511"))));
    EXPECT_EQ(plain_json.at("situacaoTransacao"), "EFETIVADA");
    EXPECT_EQ(plain_json.at("situacaoRecarga"), "FALHA");
    const auto [free, free_json] =
        of({.valid = true,
            .body = Secret(R"({"uuid":"u","msisdn":"5511999990000","url":"x","situacaoTransacao":"EFETIVADA",)"
                           R"("situacaoRecarga":"ligue para 5511999990000"})")});
    EXPECT_FALSE(free_json.contains("situacaoRecarga")) << "nothing but the provider's own words";
    const auto [by_history, by_history_json] = of({.valid = true, .said = Status::CANCELADA});
    EXPECT_THAT(by_history, HasSubstr(line + "CANCELADA"));
    EXPECT_EQ(by_history_json.at("situacaoTransacao"), "CANCELADA");
    const auto [encrypted, encrypted_json] = of({.valid = true});
    EXPECT_THAT(encrypted, HasSubstr(line + "what it said is encrypted"));
    EXPECT_FALSE(encrypted_json.contains("situacaoTransacao"));
    const auto [invalid, invalid_json] = of({});
    EXPECT_THAT(invalid, HasSubstr(line + "it could not be used"));
    EXPECT_EQ(invalid_json.at("valid"), false);
}

TEST(AttentionReport, FitsAPersonsScreen) {
    std::vector<MarkedSale> sales;
    for (const auto attention : all_attentions)
        sales.push_back(sale(attention));
    std::istringstream lines(report(sales));
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 110u) << line;
        EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
}

TEST(AttentionReport, GivesAScreenNothingToObey) {
    auto one = sale(Attention::unsettled);
    one.produto = "\x1b[2J\r\n";
    one.id_transacao = "\x07";
    EXPECT_THAT(report({one}), AllOf(HasSubstr("?[2J??"), Not(HasSubstr("\x1b")), Not(HasSubstr("\x07"))));
    EXPECT_EQ(boost::json::serialize(attention_json(one)).find('\x1b'), std::string::npos);
}

TEST(AttentionReport, ShowsWhatIsLeftOfADamagedSale) {
    const MarkedSale damaged{.id = "nonsense", .terminal = "caixa-01", .attention = Attention::unreadable};
    EXPECT_THAT(words_of(report({damaged})),
                AllOf(HasSubstr("nonsense unreadable"), HasSubstr("of caixa-01"), HasSubstr("(cannot be read)")));
    const auto object = attention_json(damaged);
    for (const char* name : {"createdAt", "family", "valor", "status", "idExterno", "idTransacao"})
        EXPECT_TRUE(object.at(name).is_null()) << name;
}

TEST(AttentionReport, IsAnObjectForPrograms) {
    const auto one = sale(Attention::recharge_failed);
    const auto object = attention_json(one);
    const auto text = [&](const char* name) { return std::string(object.at(name).as_string()); };
    EXPECT_EQ(text("id"), one.id);
    EXPECT_EQ(object.at("valor"), 2000);
    EXPECT_EQ(text("attention"), "recharge_failed");
    EXPECT_EQ(text("known"), advice(Attention::recharge_failed).known);
    EXPECT_EQ(text("notKnown"), advice(Attention::recharge_failed).not_known);
    EXPECT_EQ(text("toDo"), advice(Attention::recharge_failed).to_do);
    EXPECT_EQ(text("idTransacao"), "T1");
    auto unknown = one;
    unknown.id_transacao.clear();
    EXPECT_TRUE(attention_json(unknown).at("idTransacao").is_null());
}

}  // namespace
}  // namespace gateway::test
