#include "base/ascii.hpp"
#include "probe/points.hpp"
#include "sandbox/open_points.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

using probe::answer_in_portuguese;

TEST(PointsWords, EveryAlternativeOfTheSandboxHasWordsForPeople) {
    for (const auto& point : sandbox::points()) {
        // The probe has its own words for durations, and a statement of one day tells nothing about another.
        const std::set<std::string> by_other_words{"keep-alive-idle", "callback-retry", "statement-rows"};
        if (probe::find_point(point.name) == nullptr || by_other_words.contains(point.name)) continue;
        if (point.name.starts_with("open-sales-end")) continue;
        for (const auto& alternative : point.alternatives) {
            // The provider's names and paths are written as they are, and so is a number whose title says what it
            // counts.
            const bool counts = point.name == "keep-alive-requests" || point.name == "callback-tries";
            const bool is_name = alternative.value.starts_with('/') || alternative.value == "Venda_TvPrePaga" ||
                                 point.name == "callback-field" || (counts && is_digits(alternative.value));
            const auto words = answer_in_portuguese(point.name, alternative.value);
            EXPECT_EQ(words == alternative.value, is_name) << point.name << ": " << words;
        }
    }
}

TEST(PointsWords, SayTheStatusAndTheNumberThatAnAnswerHas) {
    EXPECT_EQ(answer_in_portuguese("cancel-unknown", "404"), "HTTP 404 sem status");
    EXPECT_EQ(answer_in_portuguese("cancel-unknown", "422-cancelada"), "HTTP 422 com CANCELADA");
    EXPECT_EQ(answer_in_portuguese("cancel-again", "200-status"), "HTTP 200 com CANCELADA");
    EXPECT_EQ(answer_in_portuguese("confirm-again", "409-status"), "HTTP 409 com EFETIVADA");
    EXPECT_EQ(answer_in_portuguese("rate-limit", "5"), "5 por segundo");
    EXPECT_EQ(answer_in_portuguese("callback-tries", "over-3"), "mais de 3");
    EXPECT_EQ(answer_in_portuguese("callback-retry", "60s"), "60 s");
    EXPECT_EQ(answer_in_portuguese("scopes", "Venda_TvPrePaga+Venda_Egift"), "Venda_TvPrePaga, Venda_Egift");
    EXPECT_EQ(answer_in_portuguese("token-errors", "403+422"),
              "403 se as credenciais estão erradas, 422 se o escopo está errado");
    EXPECT_EQ(answer_in_portuguese("open-sales-end-tv", "never"), "depois de 49 horas ainda está AUTORIZADA");
}

}  // namespace
}  // namespace gateway::test
