// Tests what the probe's tests cannot see of the open points. They meet each alternative of all others
// (probe/points_test).
#include "sandbox/open_points.hpp"

#include "sandbox/control.hpp"
#include "unit/sandbox/caller.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

// Calls `look` for each alternative of the point, and expects what stands beside it.
template <class Look>
void expect_alternatives(std::string_view name, const std::vector<std::string>& expected, Look look) {
    const auto& point = *find_point(name);
    ASSERT_EQ(point.alternatives.size(), expected.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        Options options;
        options.status_path = "/status/{idExterno}";
        options.callback_delay = 1000h;  // or it would tell of an eSIM sale
        options.callback_late = 2000h;
        ASSERT_TRUE(point.set(options, point.alternatives[i].value));
        EXPECT_EQ(look(options), expected[i]) << name << "=" << point.alternatives[i].value;
    }
}

TEST(OpenPoints, AnOpenSaleEndsWhenItsFamilysPointSaysSo) {
    for (const auto family : families)
        expect_alternatives("open-sales-end-" + std::string(to_string(family)), {"never", "48h", "24h"},
                            [&](const Options& options) -> std::string {
                                for (const auto after : {0h, 23h, 24h, 47h, 48h}) {
                                    Caller caller(options);
                                    caller.ask(family, "A");
                                    caller.pass(after);
                                    if (caller.status("A") == Status::cancelada)
                                        return fmt::format("{}h", after.count());
                                }
                                return "never";
                            });
}

TEST(OpenPoints, ASaleIsForgottenByRequestsAndKeptByTheBooks) {
    expect_alternatives("forgets", {"never", "3600s", "60s"}, [](const Options& options) -> std::string {
        for (const auto after : {59s, 60s, 3599s, 3600s, 360'000s}) {
            Caller caller(options);
            caller.ask(Family::tv, "A");
            caller.confirm("A");
            caller.pass(after);
            caller.token = caller.new_token();
            const bool known = caller.confirm("A").status == 200;
            EXPECT_EQ(caller.cancel("A").status == 200, known);
            EXPECT_EQ(caller.get("/status/A").status == 200, known);
            EXPECT_EQ(caller.status("A"), Status::efetivada);
            EXPECT_EQ(caller.departures(), 0U);
            if (!known) return fmt::format("{}s", after.count());
        }
        return "never";
    });
}

TEST(OpenPoints, TheStatementIsAsThePersonalityHasIt) {
    const auto has = [](std::string_view part) {
        return [part](const Options& options) -> std::string {
            Caller caller(options);
            caller.ask(Family::tv, "A");
            const auto file = control(caller.model, {"GET", "/sandbox/statement", {}, ""}, caller.now)->body;
            return file.find(part) == std::string::npos ? "no" : "yes";
        };
    };
    expect_alternatives("statement-separator", {"no", "no", "yes"}, has("0|4711|"));
    expect_alternatives("statement-separator", {"no", "yes", "no"}, has("0\t4711\t"));
    expect_alternatives("statement-encoding", {"no", "yes"}, has("Demonstra\xE7\xE3o"));
    expect_alternatives("statement-money", {"no", "yes", "no"}, has(";50,00;"));
    expect_alternatives("statement-money", {"no", "no", "yes"}, has(";50.00;"));
    expect_alternatives("statement-eol", {"no", "yes"}, has("\r\n"));
    expect_alternatives("statement-rows", {"yes", "no"}, has(";AUTORIZADA;"));
}

}  // namespace
}  // namespace gateway::sandbox
