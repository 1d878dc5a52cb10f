#include "api/findings.hpp"

#include "unit/api/rig.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

TEST(Findings, PeopleAreToldInOneSentenceOfEachLanguage) {
    std::set<std::string> sentences;
    for (const auto kind : all_finding_kinds)
        for (const auto language : {Language::english, Language::portuguese}) {
            const auto sentence = Words::in(language).word("finding_means", to_string(kind));
            EXPECT_TRUE(sentences.insert(sentence).second) << to_string(kind);
            EXPECT_GT(sentence.size(), 30U) << to_string(kind);
            EXPECT_TRUE(sentence.find('.') == sentence.size() - 1 || sentence.find("statement.") != sentence.npos)
                << sentence;
            EXPECT_EQ(sentence.find("  "), sentence.npos) << sentence;
            EXPECT_NE(sentence.find(':'), sentence.npos) << "what was found: what to do: " << sentence;
        }
}

class FindingsApiTest : public ApiTest {
  protected:
    boost::json::value told(Finding finding) {
        http::Request request;
        request.headers.insert("Accept-Language", "pt-BR");
        const std::vector<Finding> found(1, std::move(finding));
        const auto told = api.flow.clock->run(said(found, request, *api.flow.journal));
        std::string text;
        JsonWriter writer(text);
        openapi::put(writer, in_parts(told), on_admin);
        return boost::json::parse(text).at(0);
    }
    std::string difference(FindingKind kind, std::optional<Saying> ours, std::optional<Saying> theirs) {
        Finding finding{.kind = kind};
        finding.ours = ours;
        finding.theirs = theirs;
        return boost::json::serialize(told(std::move(finding)).at("difference"));
    }
};

TEST_F(FindingsApiTest, AFindingIsToldWithWhatItsSaleSays) {
    const auto sale = api.sold("k1").json();
    api.flow.clock->settle();
    const auto finding = told({.kind = FindingKind::missing_there, .sale = SaleId::parse(sale.at("id").as_string())});
    for (const auto* name : {"family", "produto", "terminal", "createdAt"})
        EXPECT_EQ(finding.at(name), sale.at(name)) << name;
    EXPECT_TRUE(finding.at("cashier").is_null());
    const auto without = told({.kind = FindingKind::unknown_here});
    for (const auto* name : {"family", "produto", "terminal", "cashier", "createdAt"})
        EXPECT_TRUE(without.at(name).is_null()) << name;
}

TEST_F(FindingsApiTest, WhatWasFoundIsToldInTheLanguageThatIsAskedFor) {
    EXPECT_EQ(
        told({.kind = FindingKind::unknown_here, .detail = "the amount and the time are those of A / B, missing there"})
            .at("found"),
        "o valor e a hora são os de A / B, que falta lá");
    EXPECT_TRUE(told({.kind = FindingKind::unknown_here}).at("found").is_null());
}

TEST_F(FindingsApiTest, TheDifferenceIsWhatTheProviderCountsTooMuch) {
    const Saying sold{.valor = Cents{4900}, .status = Status::EFETIVADA};
    const Saying more{.valor = Cents{5000}, .status = Status::EFETIVADA};
    const Saying cancelled{.valor = Cents{4900}, .status = Status::CANCELADA};
    EXPECT_EQ(difference(FindingKind::sold_there, cancelled, sold), "4900");
    EXPECT_EQ(difference(FindingKind::unknown_here, std::nullopt, sold), "4900");
    EXPECT_EQ(difference(FindingKind::sold_twice, sold, sold), "4900");
    EXPECT_EQ(difference(FindingKind::amount_differs, sold, more), "100");
    EXPECT_EQ(difference(FindingKind::store_differs, sold, sold), "0");
    EXPECT_EQ(difference(FindingKind::reversed_there, sold, cancelled), "-4900");
    EXPECT_EQ(difference(FindingKind::missing_there, sold, std::nullopt), "-4900");
    EXPECT_EQ(difference(FindingKind::other_day, sold, std::nullopt), "null");
    EXPECT_EQ(difference(FindingKind::count_differs, std::nullopt, std::nullopt), "null");
}

TEST_F(FindingsApiTest, AFindingIsToldInTheLanguageThatIsAskedFor) {
    const auto finding = told({.number = 7, .kind = FindingKind::sold_there});
    EXPECT_EQ(finding.at("claim"), true);
    EXPECT_TRUE(std::string_view(finding.at("detail").as_string()).starts_with("A venda não foi efetivada aqui"));
    EXPECT_EQ(finding.at("id"), 7);
    EXPECT_EQ(finding.at("severity"), "alarm");
    for (const auto* name : {"line", "sale", "idExterno", "ours", "closed"})
        EXPECT_TRUE(finding.at(name).is_null()) << name;
}

}  // namespace
}  // namespace gateway::test
