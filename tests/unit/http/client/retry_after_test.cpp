#include "http/client/retry_after.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace http;
using namespace std::chrono_literals;

const WallTime some_day(784'111'777'500ms);  // this is Sun, 06 Nov 1994 08:49:37.5 GMT

TEST(RetryAfter, IsANumberOfSeconds) {
    EXPECT_EQ(parse_retry_after("0", "", some_day), 0s);
    EXPECT_EQ(parse_retry_after("120", "", some_day), 120s);
}

TEST(RetryAfter, IsADateInAnyOfThreeForms) {
    for (const char* date :
         {"Sun, 06 Nov 1994 08:51:37 GMT", "Sunday, 06-Nov-94 08:51:37 GMT", "Sun Nov  6 08:51:37 1994"})
        EXPECT_EQ(parse_retry_after(date, "", some_day), 120s) << date;
}

TEST(RetryAfter, MeasuresADateAgainstTheServersOwnClock) {
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:51:37 GMT", "Sun, 06 Nov 1994 08:51:30 GMT", some_day), 7s);
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:51:37 GMT", "rubbish", some_day), 120s);
}

TEST(RetryAfter, ADateThatIsOverMeansNow) {
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", "", some_day), 0s);
}

TEST(RetryAfter, IsNeverLongerThanADay) {
    for (const char* text : {"86401", "99999999999999999999999", "Sun, 06 Nov 2094 08:49:37 GMT"})
        EXPECT_EQ(parse_retry_after(text, "", some_day), 24h) << text;
}

TEST(RetryAfter, NonsenseIsNothing) {
    for (const char* text : {"", " ", "-1", "-99999999999999999999", "1.5", "7 s", "soon", "Sun, 06 Nov 1994", "31 Feb",
                             "Sun, 06 Nov 1994 08:49:37 GMT and a lot of words that follow it"})
        EXPECT_FALSE(parse_retry_after(text, "", some_day)) << text;
}

TEST(HttpDate, IsReadToTheSecond) {
    using namespace std::chrono;
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), sys_seconds(784'111'777s));
    EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), sys_seconds(0s));
    EXPECT_EQ(parse_http_date("Thu, 29 Feb 2024 23:59:59 GMT"), sys_seconds(sys_days(2024y / 2 / 29) + days(1) - 1s));
    EXPECT_EQ(parse_http_date("Fri, 25 Dec 2026 00:00:00 GMT"), sys_seconds(sys_days(2026y / 12 / 25)));
}

TEST(HttpDate, WhatIsNoDateIsNothing) {
    for (const char* text :
         {"Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
          "Sun, 06 anF 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08-49-37 GMT"})
        EXPECT_FALSE(parse_http_date(text)) << text;
}

}  // namespace
}  // namespace gateway::test
