#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct ResolveCommand : CommandRig {
    int resolve(const Resolution& resolution) { return resolve_sale(desk(), resolution, {}); }
    int resolve_asked(const Resolution& resolution, bool answer_to_it) {
        return resolve_sale(desk(), resolution, [&, answer_to_it](const std::string& question) {
            asked = question;
            return answer_to_it;
        });
    }
    std::string sent() const { return std::string(client.seen.back().request.body.reveal()); }

    std::string asked;
};

constexpr auto undecided = R"({"id":"01S","outcome":"pending","status":"AUTORIZADA","attention":true,"valor":2990})";
constexpr auto sold = R"({"id":"01S","outcome":"sold","status":"EFETIVADA","attention":false})";

TEST_F(ResolveCommand, SaysWhatWasDecidedAndByWhom) {
    answer(undecided);
    answer(sold);
    EXPECT_EQ(resolve({.id = "01E", .sold = true, .note = "visto no portal", .by = "maria"}), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/sales/01E", "/v1/sales/01S/resolve"));
    EXPECT_EQ(sent(), R"({"status":"EFETIVADA","note":"visto no portal","by":"maria"})");
    EXPECT_EQ(out.str(), "01S is sold: EFETIVADA; it needs nobody any more.\n");
}

TEST_F(ResolveCommand, NotSoldAndNotedAreTheOtherTwo) {
    answer(undecided);
    answer(R"({"id":"01S","outcome":"not_sold","status":"CANCELADA","attention":true,"mark":"unsettled"})");
    EXPECT_EQ(resolve({.id = "01S", .not_sold = true, .note = "n"}), exit_ok);
    EXPECT_EQ(sent(), R"({"status":"CANCELADA","note":"n"})");
    EXPECT_EQ(out.str(), "01S is not sold: CANCELADA; it still needs a person: unsettled.\n");
    answer(undecided);
    answer(sold);
    EXPECT_EQ(resolve({.id = "01S", .noted = true, .note = "n", .msisdn = "5511", .url = "LPA:1$x"}), exit_ok);
    EXPECT_EQ(sent(), R"({"note":"n","esim":{"msisdn":"5511","url":"LPA:1$x"}})");
}

TEST_F(ResolveCommand, APersonSeesTheSaleAndIsAskedFirst) {
    answer(undecided);
    EXPECT_EQ(resolve_asked({.id = "01S", .sold = true, .note = "n"}, false), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("R$ 29,90"));
    EXPECT_THAT(err.str(), HasSubstr("Nothing was done."));
    EXPECT_EQ(asked,
              "The note is shown to the terminal, and so to the cashier.\n"
              "Resolve it as sold? [y/N] ");
    EXPECT_EQ(client.seen.size(), 1U) << "nothing was sent";
    answer(undecided);
    answer(sold);
    EXPECT_EQ(resolve_asked({.id = "01S", .noted = true, .note = "n"}, true), exit_ok);
    EXPECT_THAT(asked, HasSubstr("Write the note and clear the mark? [y/N] "));
}

TEST_F(ResolveCommand, AnEsimThatIsSoldWithoutItsNumberIsWarnedOf) {
    const auto warned = [&](Resolution resolution) {
        resolution.id = "01S";
        resolution.note = "n";
        answer(R"({"id":"01S","family":"esim"})");
        answer(sold);
        EXPECT_EQ(resolve(resolution), exit_ok);
        return std::exchange(err, std::ostringstream()).str();
    };
    EXPECT_THAT(warned({.sold = true}), HasSubstr("--msisdn and --url"));
    EXPECT_EQ(warned({.sold = true, .msisdn = "11987654321"}), "");
    EXPECT_EQ(warned({.not_sold = true}), "");
}

TEST_F(ResolveCommand, ARefusalIsExplained) {
    const auto refused = [&](const Resolution& resolution, std::string problem, unsigned status) {
        answer(undecided);
        answer(std::move(problem), status);
        EXPECT_EQ(resolve(resolution), exit_failure);
        return std::exchange(err, std::ostringstream()).str();
    };
    const Resolution as_sold{.id = "01S", .sold = true, .note = "n"};
    EXPECT_EQ(refused(as_sold, R"({"code":"sale_final","detail":"The sale is EFETIVADA, which never changes."})", 409),
              "error: The sale is EFETIVADA, which never changes.\n"
              "  A final status never changes. --noted with what was done clears the mark of a sale that has one.\n");
    EXPECT_EQ(refused(as_sold, R"({"code":"no_attention","detail":"It is under way."})", 409),
              "error: It is under way.\n"
              "  Nothing of it waits for a person: sales-gateway show tells how it stands.\n");
    EXPECT_EQ(refused({.id = "01S", .noted = true, .note = "n"}, R"({"detail":"status is missing"})", 422),
              "error: status is missing\n"
              "  A sale that is pending is resolved with --sold or --not-sold.\n");
    EXPECT_THAT(refused(as_sold, undecided, 202), HasSubstr("the journal has not taken it yet"));
}

TEST_F(ResolveCommand, ASaleThatIsNotThereIsNotResolved) {
    answer("{}", 404);
    EXPECT_EQ(resolve({.id = "01S", .sold = true, .note = "n"}), exit_failure);
    EXPECT_EQ(client.seen.size(), 1U);
}

TEST_F(ResolveCommand, AnAnswerThatIsLostLeavesItOpen) {
    answer(undecided);
    client.then(lost());
    EXPECT_EQ(resolve({.id = "01S", .sold = true, .note = "n"}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("whether it was done is not known"));
}

}  // namespace
}  // namespace gateway::test
