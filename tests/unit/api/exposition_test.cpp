#include "api/exposition.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

using namespace std::chrono_literals;

TEST(Exposition, AMetricIsItsHelpItsTypeAndItsSamples) {
    Exposition out;
    out.metric("sales_total", "counter", "Sales.");
    out.sample(3, {{"family", "tv"}, {"status", "EFETIVADA"}});
    out.sample(0.5);
    EXPECT_EQ(out.take(),
              "# HELP sales_total Sales.\n# TYPE sales_total counter\n"
              "sales_total{family=\"tv\",status=\"EFETIVADA\"} 3\nsales_total 0.5\n");
}

TEST(Exposition, ALabelIsQuotedWhateverIsInIt) {
    Exposition out;
    out.metric("m", "gauge", "M.");
    out.sample(1, {{"estabelecimento", R"(a"b\c)"}});
    EXPECT_TRUE(out.take().ends_with(R"(m{estabelecimento="a\"b\\c"} 1)"
                                     "\n"));
}

TEST(Exposition, ACloseHasItsAge) {
    Exposition out;
    expose_closes(out, {{"12345678", WallTime(10s)}}, WallTime(12s));
    EXPECT_TRUE(out.take().ends_with("gateway_close_age_seconds{estabelecimento=\"12345678\"} 2\n"));
}

TEST(Exposition, StatementsHaveAnAgeOnceOneWasRead) {
    Exposition none;
    expose_statements(none, 2, std::nullopt, WallTime(12s));
    const auto text = none.take();
    EXPECT_TRUE(text.ends_with("gateway_statements_refused_total 2\n")) << text;
    Exposition one;
    expose_statements(one, 0, WallTime(10s), WallTime(12s));
    EXPECT_TRUE(one.take().ends_with("gateway_statement_age_seconds 2\n"));
}

TEST(Exposition, AHistogramHasCumulativeBucketsUpToInfinity) {
    Histogram histogram;
    histogram.add(1ms);
    histogram.add(30ms);
    histogram.add(100s);
    Exposition out;
    out.metric("time_seconds", "histogram", "Time.");
    out.samples(histogram, {{"step", "solicitar"}});
    const auto text = out.take();
    for (const auto* line :
         {"time_seconds_bucket{step=\"solicitar\",le=\"0.001\"} 1\n",
          "time_seconds_bucket{step=\"solicitar\",le=\"0.025\"} 1\n",
          "time_seconds_bucket{step=\"solicitar\",le=\"0.05\"} 2\n",
          "time_seconds_bucket{step=\"solicitar\",le=\"25\"} 2\n",
          "time_seconds_bucket{step=\"solicitar\",le=\"60\"} 2\n",
          "time_seconds_bucket{step=\"solicitar\",le=\"+Inf\"} 3\n", "time_seconds_sum{step=\"solicitar\"} 100.031\n",
          "time_seconds_count{step=\"solicitar\"} 3\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(Exposition, WithoutLabelsABucketHasItsBoundOnly) {
    Exposition out;
    out.metric("t", "histogram", "T.");
    out.samples(Histogram{});
    const auto text = out.take();
    EXPECT_NE(text.find("t_bucket{le=\"0.001\"} 0\n"), std::string::npos) << text;
    EXPECT_NE(text.find("t_count 0\n"), std::string::npos) << text;
}

TEST(Exposition, ALargeCountKeepsItsDigits) {
    Exposition out;
    out.metric("n", "counter", "N.");
    out.sample(123456789);
    EXPECT_NE(out.take().find("n 123456789\n"), std::string::npos);
}

}  // namespace
}  // namespace gateway
