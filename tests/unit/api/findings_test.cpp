#include "api/findings.hpp"

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

TEST(Findings, AFindingIsToldInTheLanguageThatIsAskedFor) {
    http::Request request;
    request.headers.insert("Accept-Language", "pt-BR");
    const std::vector<Finding> found{{.number = 7, .kind = FindingKind::sold_there}};
    const auto told = said(found, request);
    std::string text;
    JsonWriter writer(text);
    openapi::put(writer, in_parts(told), on_admin);
    const auto finding = boost::json::parse(text).at(0);
    EXPECT_TRUE(std::string_view(finding.at("detail").as_string()).starts_with("A venda não foi efetivada aqui"));
    EXPECT_EQ(finding.at("id"), 7);
    EXPECT_EQ(finding.at("severity"), "alarm");
    for (const auto* name : {"line", "sale", "idExterno", "ours", "closed"})
        EXPECT_TRUE(finding.at(name).is_null()) << name;
}

}  // namespace
}  // namespace gateway::test
