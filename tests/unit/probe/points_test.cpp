// The probe recognises every personality of the sandbox: each alternative of each point alone, and mixtures. What a
// mixture makes impossible to find out is not answered, and nothing is ever answered wrongly.
#include "probe/points.hpp"

#include "sandbox/open_points.hpp"
#include "unit/probe/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gateway::test {
namespace {

using namespace testing;

// Lists what the sandbox has, but this probe does not look for in process or at all, and why.
const std::map<std::string, std::string, std::less<>> not_here{
    {"forgets", "takes longer than a person stands beside it; at a revisit it is no answer"},
    {"keep-alive-requests", "there are no connections here: test_probe.py"},
    {"keep-alive-idle", "there are no connections here: test_probe.py"},
    {"statement-separator", "statement_look_test"},
    {"statement-encoding", "statement_look_test"},
    {"statement-money", "statement_look_test"},
    {"statement-eol", "statement_look_test"},
    {"statement-rows", "statement_look_test"},
    {"open-sales-end-tv", "probe_test, with a revisit"},
    {"open-sales-end-egift", "probe_test, with a revisit"},
    {"open-sales-end-transit", "probe_test, with a revisit"},
    {"open-sales-end-health", "probe_test, with a revisit"},
    {"open-sales-end-esim", "an eSIM does not stay open"},
};

// Returns whether the probe's answer means the sandbox's value.
bool means(std::string_view point, const std::string& value, const std::string& said) {
    if (point == "callback-tries" && said == "over-3") return value == "10" || value == "100";
    if (point == "callback-retry" && said == "60s") return value == "1m";
    if (point == "scopes") {
        const auto names = [](std::string text) {
            std::set<std::string> all;
            for (std::size_t end = 0; end != std::string::npos; text.erase(0, end + 1)) {
                end = text.find('+');
                all.insert(text.substr(0, end));
                if (end == std::string::npos) break;
            }
            return all;
        };
        return names(value) == names(said);
    }
    return value == said;
}

struct Met {
    std::vector<std::string> wrong;     // answered, and not as it is
    std::set<std::string> answered;     // rightly
    std::vector<std::string> unlisted;  // open at the provider, but not in the list of what may be open
    std::string trace;
};

Met meet(const sandbox::Personality& personality) {
    sandbox::Options options;
    static_cast<sandbox::Personality&>(options) = personality;
    ProbeRig rig(options);
    rig.arguments.level = probe::Level::sell;
    rig.arguments.may_stay_open = true;
    rig.arguments.health_paths = {"/venda/saude/{health}/cancelar", "/venda/{health}/cancelar",
                                  "/venda/voucher/cancelar"};
    rig.arguments.status_paths = {"/venda/transacao/{idExterno}", "/venda/transacao/id/{idTransacao}"};
    rig.arguments.callback_fields = {"urlNotificacao", "urlVenda"};
    Met met;
    if (rig.run() != probe::Ending::done) met.trace += "it could not run: " + rig.bench().why_stopped() + "\n";
    for (const auto& line : rig.said)
        met.trace += line + "\n";
    for (const auto& point : sandbox::points()) {
        const auto value = point.get(personality);
        for (const auto& reading : rig.book().readings(point.name)) {
            if (!reading.answered) continue;
            if (means(point.name, value, reading.value))
                met.answered.insert(point.name);
            else
                met.wrong.push_back(point.name + " is " + value + ", and not " + reading.value);
        }
    }
    std::set<std::string> listed;
    for (const auto& entry : rig.ledger().open_sales())
        listed.insert(entry.id);
    for (const auto& id : rig.open_at_provider())
        if (!listed.contains(id)) met.unlisted.push_back(id);
    return met;
}

// Tells whether the point may stay unanswered, because an alternative leaves nothing to tell it by.
bool may_stay_unanswered(const std::string& point, std::string_view value) {
    return point == "rate-limit-answer" || (point == "callback-repeat" && value == "doubling");
}

TEST(Points, EveryPointOfTheSandboxIsLookedForOrSaidNotToBe) {
    for (const auto& point : sandbox::points())
        EXPECT_TRUE(probe::find_point(point.name) != nullptr || not_here.contains(point.name)) << point.name;
}

TEST(Points, EveryAlternativeAloneIsNamed) {
    for (const auto& point : sandbox::points()) {
        if (not_here.contains(point.name)) continue;
        for (const auto& alternative : point.alternatives) {
            if (&alternative == &point.alternatives.front() && point.name != "cancel-unknown") continue;
            sandbox::Personality personality;
            if (point.name == "rate-limit-answer") personality.rate_limit = 5;
            if (point.name == "health-cancel-does") personality.health_cancel_path = "/venda/{health}/cancelar";
            if (point.name.starts_with("status-") && point.name != "status-path")
                personality.status_path = "/venda/transacao/{idExterno}";
            ASSERT_TRUE(point.set(personality, alternative.value));
            const auto met = meet(personality);
            const auto name = point.name + "=" + std::string(alternative.value);
            EXPECT_THAT(met.wrong, IsEmpty()) << name << '\n' << met.trace;
            EXPECT_THAT(met.unlisted, IsEmpty()) << name << '\n' << met.trace;
            EXPECT_TRUE(met.answered.contains(point.name) || may_stay_unanswered(point.name, alternative.value))
                << name << '\n'
                << met.trace;
        }
    }
}

TEST(Points, NothingOfFiftyMixturesIsNamedWrongly) {
    std::set<std::string> answered;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const auto met = meet(sandbox::random_personality(seed));
        EXPECT_THAT(met.wrong, IsEmpty()) << "seed " << seed << '\n' << met.trace;
        EXPECT_THAT(met.unlisted, IsEmpty()) << "seed " << seed << '\n' << met.trace;
        answered.insert(met.answered.begin(), met.answered.end());
    }
    for (const auto& point : sandbox::points())
        EXPECT_TRUE(not_here.contains(point.name) || answered.contains(point.name)) << point.name;
}

TEST(Points, SayWhichLinesAConfigurationDoesNotHave) {
    Config config;
    auto& format = config.statement.format;
    format.detail_column = 1;
    format.detail_text = "1";
    format.columns.valor = 4;
    EXPECT_THAT(probe::lines_not_in(config,
                                    "statement.detail.column = 1 ; statement.detail.text = \"1\" ; "
                                    "statement.columns.valor = 5"),
                ElementsAre("statement.columns.valor = 5"));
    EXPECT_THAT(probe::lines_not_in(config, "statement.detail.text = \"1"), SizeIs(1)) << "which is no line";
}

}  // namespace
}  // namespace gateway::test
