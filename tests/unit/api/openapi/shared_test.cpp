#include "api/openapi/shared.hpp"

#include "api/codes.hpp"
#include "api/openapi/calls.hpp"
#include "reconcile/finding.hpp"
#include "sale/sale.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

namespace gateway::openapi {
namespace {

TEST(Shared, ASchemaHasItsNameForItself) {
    std::set<std::string_view> seen;
    for (const auto schemas : all_schemas())
        for (const auto& schema : schemas)
            EXPECT_TRUE(seen.insert(schema.name).second) << schema.name;
}

std::vector<std::string_view> words_of(std::string_view schema_name) {
    std::vector<std::string_view> words;
    for (const auto schemas : all_schemas())
        for (const auto& schema : schemas)
            if (schema.name == schema_name)
                for (const auto& word : schema.type.words)
                    words.push_back(word.word);
    return words;
}

TEST(Shared, ASchemaHasTheWordsOfItsEnumeration) {
    std::vector<std::string_view> kinds;
    for (const auto kind : all_finding_kinds)
        kinds.push_back(to_string(kind));
    EXPECT_EQ(words_of("FindingKind"), kinds);
    std::vector<std::string_view> marks;
    for (const auto attention : all_attentions)
        if (attention != Attention::none) marks.push_back(to_string(attention));
    EXPECT_EQ(words_of("Mark"), marks);
}

TEST(Shared, WhatIsWrongInAnExampleIsSaidOfItsField) {
    const auto refusal = invalid("limit", "must be a number");
    EXPECT_EQ(refusal.detail, "limit must be a number");
    EXPECT_EQ(refusal.members, R"({"errors":[{"pointer":"/limit","detail":"must be a number"}]})");
}

TEST(Shared, EverybodysCallsNeedNoKey) {
    const auto statuses = [](ListenerSet listener, bool for_everybody) {
        std::set<unsigned> all;
        for (const auto& answer : answers_of_all(listener, for_everybody))
            EXPECT_TRUE(all.insert(answer.status).second) << answer.status;
        return all;
    };
    EXPECT_TRUE(statuses(on_terminals, false).contains(401));
    EXPECT_FALSE(statuses(on_terminals, true).contains(401));
    EXPECT_FALSE(statuses(on_admin, false).contains(401));
    EXPECT_TRUE(statuses(on_admin, false).contains(421));
}

TEST(Shared, WhatIsRepeatedHasItsHeaderAndIsNoSharedAnswer) {
    EXPECT_EQ(replayable(sale_refused()).headers, sale_refused().headers | replayed);
    EXPECT_TRUE(replayable(sale_refused()).component.empty());
}

}  // namespace
}  // namespace gateway::openapi
