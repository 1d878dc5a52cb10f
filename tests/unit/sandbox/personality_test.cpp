#include "sandbox/personality.hpp"

#include "sandbox/open_points.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace gateway::sandbox {
namespace {

std::map<std::string, std::string> values_of(const Personality& personality) {
    std::map<std::string, std::string> all;
    for (const auto& point : points())
        all.emplace(point.name, point.get(personality));
    return all;
}

std::string problem_of(std::string_view text) {
    Personality personality;
    const auto read = read_personality(text, personality);
    EXPECT_EQ(values_of(personality), values_of({})) << "a text with a mistake changes no point: " << text;
    return read ? "" : read.error();
}

Personality personality_of(std::string_view text) {
    Personality personality;
    const auto read = read_personality(text, personality);
    EXPECT_TRUE(read) << read.error();
    return personality;
}

TEST(Personality, EveryAlternativeIsReadAndGivenBackAndChangesNoOtherPoint) {
    for (const auto& point : points()) {
        std::set<std::string_view> seen;
        for (const auto& alternative : point.alternatives) {
            EXPECT_TRUE(seen.insert(alternative.value).second) << point.name << " has two " << alternative.value;
            auto expected = values_of({});
            expected[point.name] = alternative.value;
            const auto text = point.name + "=" + std::string(alternative.value);
            EXPECT_EQ(values_of(personality_of(text)), expected) << text;
            EXPECT_FALSE(alternative.meaning.empty()) << text;
        }
        EXPECT_GT(seen.size(), 1U) << point.name;
    }
}

TEST(Personality, AFileHasLinesAndCommentsAndTheLastWordCounts) {
    const auto made = personality_of(
        "# of the analyst's answers\n cancel-unknown = 422 ,expires-in=s # seen\n\n"
        "callback-field=the service\ncancel-unknown=200-cancelada\n");
    EXPECT_EQ(made.cancel_unknown, (Said{200, Said::Word::cancelada}));
    EXPECT_EQ(made.expires_in, ExpiresIn::timestamp_s);
    EXPECT_EQ(made.callback_field, "the service");
    const auto ended = personality_of("open-sales-end=48h,open-sales-end-health=never").open_sales_end;
    for (const auto family : families)
        EXPECT_EQ(ended.at(static_cast<std::size_t>(family)), family == Family::health ? 0h : 48h);
}

TEST(Personality, WhatIsNotUnderstoodIsSaidInWords) {
    EXPECT_EQ(problem_of("expires-in=s,no-such=1"), "there is no \"no-such\"");
    EXPECT_EQ(problem_of("expires-in=s,expires-in"), "\"expires-in\" is no NAME=VALUE");
    EXPECT_EQ(problem_of("expires-in=seconds"), "expires-in must be ms, s, duration");
    EXPECT_EQ(problem_of("id-length=0"), "id-length must be unlimited, 40, 36, 30, 26 or a number");
    EXPECT_EQ(problem_of("random=x"), "random must be a number, the seed");
    for (const auto* wrong : {"health-cancel-path=venda", "callback-retry=0s", "callback-tries=", "scopes=a++b",
                              "open-sales-end=now", "forgets=-1s", "rate-limit=1000001", "id-length=3x"})
        EXPECT_NE(problem_of(wrong), "") << wrong;
}

TEST(Personality, SomePointsTakeMoreThanTheirAlternatives) {
    const std::map<std::string, std::string> given{{"health-cancel-path", "/cancela/{health}"},
                                                   {"id-length", "27"},
                                                   {"callback-retry", "1500ms"},
                                                   {"open-sales-end-tv", "90s"},
                                                   {"callback-field", "url"},
                                                   {"scopes", "A+B+C"},
                                                   {"status-path", "/v/{idExterno}/s"},
                                                   {"rate-limit", "7"},
                                                   {"keep-alive-idle", "2m"}};
    for (const auto& [name, value] : given) {
        const auto made = personality_of(name + "=" + value);
        EXPECT_EQ(find_point(name)->get(made), value);
        EXPECT_EQ(personality_document(made).at(name).at("meaning").as_string(), find_point(name)->also);
    }
}

TEST(Personality, ASeedAlwaysGivesTheSamePersonality) {
    EXPECT_EQ(values_of(random_personality(7)), values_of(random_personality(7)));
    EXPECT_EQ(values_of(personality_of("expires-in=s,random=7")), values_of(random_personality(7)));
    EXPECT_EQ(personality_of("random=7,expires-in=s").expires_in, ExpiresIn::timestamp_s);
    test::SeededRandom random;
    EXPECT_EQ(values_of(random_personality(random, 0)), values_of({}));
}

TEST(Personality, SeedsTogetherGiveEveryAlternativeOfEveryPoint) {
    std::map<std::string, std::set<std::string>> seen;
    for (std::uint64_t seed = 0; seed < 500; ++seed)
        for (const auto& [name, value] : values_of(random_personality(seed)))
            seen[name].insert(value);
    for (const auto& point : points())
        EXPECT_EQ(seen[point.name].size(), point.alternatives.size()) << point.name;
}

TEST(Personality, ItsDocumentCanBeReadBack) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const auto made = random_personality(seed);
        std::string text;
        for (const auto& pair : personality_document(made))
            text += std::string(pair.key()) + "=" + std::string(pair.value().at("value").as_string()) + "\n";
        EXPECT_EQ(values_of(personality_of(text)), values_of(made));
    }
}

TEST(Personality, ADurationIsANumberAndAUnit) {
    EXPECT_EQ(parse_duration("250ms"), Duration(250));
    EXPECT_EQ(parse_duration("3s"), Duration(3s));
    EXPECT_EQ(parse_duration("5m"), Duration(5min));
    EXPECT_EQ(parse_duration("2h"), Duration(2h));
    EXPECT_EQ(parse_duration("0"), Duration(0));
    for (const auto* text : {"", "s", "-1s", "1.5s", "3 s", "3d", "3sx", "99999999999999999999s", "2000000000h"})
        EXPECT_FALSE(parse_duration(text)) << text;
}

}  // namespace
}  // namespace gateway::sandbox
