// Tests the days on which a probe goes wrong. Whatever ends it, what was authorised is cancelled by the next run, and
// until then the list of what may be open is right.
#include "probe/probe.hpp"

#include "probe/report.hpp"
#include "unit/probe/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using probe::Ending;

// A day is made to go wrong at every n-th request, so that over the days all steps of all trials are met.
constexpr std::size_t stride = 5;

// Ends a run as a kill does: nothing more is done.
struct Killed {};

class ProbeTest : public Test {
  protected:
    static std::unique_ptr<ProbeRig> rig_of(probe::Level level = probe::Level::authorise) {
        auto rig = std::make_unique<ProbeRig>();
        rig->arguments.level = level;
        return rig;
    }
    static std::vector<std::string> listed(ProbeRig& rig) {
        std::vector<std::string> ids;
        for (const auto& entry : rig.ledger().open_sales())
            ids.push_back(entry.id);
        return ids;
    }
    static bool lists_what_is_open(ProbeRig& rig) {
        const auto ids = listed(rig);
        const std::set<std::string> known(ids.begin(), ids.end());
        return std::ranges::all_of(rig.open_at_provider(), [&](const auto& id) { return known.contains(id); });
    }
    // Returns how many requests a whole run takes.
    static std::size_t whole() {
        auto rig = rig_of();
        rig->run();
        return rig->provider->count;
    }
    static void ends_well(ProbeRig& rig, std::size_t when) {
        rig.provider->before = nullptr;
        rig.provider->after = nullptr;
        EXPECT_EQ(rig.run(), Ending::done) << when;
        EXPECT_THAT(rig.open_at_provider(), IsEmpty()) << when;
        // Where two requests had the same idExterno and one answer was lost, there may have been two sales, of which a
        // cancel ends one. Nobody can say that the other does not exist.
        for (const auto& entry : rig.ledger().open_sales())
            EXPECT_GT(entry.requests, 1) << entry.id << ", " << when;
    }
};

TEST_F(ProbeTest, EverythingThatItAuthorisesIsCancelled) {
    const auto rig = rig_of();
    EXPECT_EQ(rig->run(), Ending::done);
    EXPECT_THAT(rig->open_at_provider(), IsEmpty());
    EXPECT_THAT(listed(*rig), IsEmpty());
    EXPECT_GT(rig->ledger().asked(), 20U);
    for (const auto& entry : rig->model->books().all())
        EXPECT_NE(entry.status, sandbox::Status::efetivada) << "no money moves";
}

TEST_F(ProbeTest, LookAsksForNoSale) {
    const auto rig = rig_of(probe::Level::look);
    EXPECT_EQ(rig->run(), Ending::done);
    EXPECT_TRUE(rig->model->books().all().empty());
    EXPECT_EQ(rig->ledger().asked(), 0U);
}

TEST_F(ProbeTest, AnEndedRunIsGoneOnWithAndWhatIsAnsweredIsNotAskedAgain) {
    const auto rig = rig_of();
    rig->run();
    const auto asked = rig->ledger().asked();
    EXPECT_EQ(rig->run(), Ending::done);
    EXPECT_EQ(rig->ledger().asked(), asked) << "nothing is authorised once more";
    rig->arguments.level = probe::Level::sell;
    EXPECT_EQ(rig->run(), Ending::done);
    EXPECT_EQ(rig->book().value("confirm-again", Family::tv), "200-status");
    EXPECT_EQ(rig->ledger().asked(), asked + 4) << "one sale of each family but health";
}

TEST_F(ProbeTest, TheNetworkMayBreakAtAnyStep) {
    const auto requests = whole();
    for (std::size_t when = 1; when < requests; when += stride) {
        const auto rig = rig_of();
        const auto broken = [&](const http::ClientRequest&) {
            return rig->provider->count < when ? std::nullopt : std::optional(Reply::lost(errc::connection_lost));
        };
        // The request arrives, or it does not.
        (when % 2 == 0 ? rig->provider->before : rig->provider->after) = broken;
        EXPECT_EQ(rig->run(), Ending::could_not_run) << when;
        EXPECT_TRUE(lists_what_is_open(*rig)) << when;
        ends_well(*rig, when);
    }
}

TEST_F(ProbeTest, ItMayBeStoppedAtAnyStep) {
    // Every request is tried here. There are few steps between the two requests of an idExterno, and a stop there once
    // lost a sale.
    const auto requests = whole();
    for (std::size_t when = 2; when < requests; ++when) {
        const auto rig = rig_of();
        rig->provider->after = [&](const http::ClientRequest&) -> std::optional<Reply> {
            if (rig->provider->count == when) rig->bench().stop("interrompido");
            return std::nullopt;
        };
        EXPECT_EQ(rig->run(), Ending::could_not_run) << when;
        EXPECT_THAT(rig->open_at_provider(), IsEmpty()) << "what was open is cancelled before it ends: " << when;
        EXPECT_THAT(listed(*rig), IsEmpty()) << when;
        ends_well(*rig, when);
    }
}

TEST_F(ProbeTest, ItMayBeKilledAtAnyStep) {
    const auto requests = whole();
    for (std::size_t when = 3; when < requests; when += stride) {
        const auto rig = rig_of();
        const auto kill = [&](const http::ClientRequest&) -> std::optional<Reply> {
            if (rig->provider->count == when) throw Killed{};
            return std::nullopt;
        };
        (when % 2 == 0 ? rig->provider->before : rig->provider->after) = kill;
        EXPECT_THROW(rig->run(), Killed) << when;
        EXPECT_TRUE(lists_what_is_open(*rig)) << when;
        ends_well(*rig, when);
    }
}

TEST_F(ProbeTest, TheTokenMayEndAtAnyStep) {
    const auto requests = whole();
    for (std::size_t when = 4; when < requests; when += stride) {
        const auto rig = rig_of();
        rig->provider->before = [&](const http::ClientRequest&) -> std::optional<Reply> {
            if (rig->provider->count == when) rig->model->expire_tokens();
            return std::nullopt;
        };
        EXPECT_EQ(rig->run(), Ending::done) << when;
        EXPECT_THAT(listed(*rig), IsEmpty()) << when;
        EXPECT_THAT(rig->open_at_provider(), IsEmpty()) << when;
    }
}

TEST_F(ProbeTest, AProviderThatAnswers500ToEverythingIsNoProbe) {
    const auto rig = rig_of();
    rig->provider->after = [](const http::ClientRequest&) { return std::optional(answered(500, "{}")); };
    EXPECT_EQ(rig->run(), Ending::could_not_run);
    EXPECT_TRUE(lists_what_is_open(*rig));
    for (const auto& point : {"cancel-unknown", "request-after-cancel", "id-length"})
        EXPECT_FALSE(rig->book().answered(point, std::nullopt)) << point;
    ends_well(*rig, 0);
}

TEST_F(ProbeTest, ASaleThatWasLeftOpenIsAskedForAfter49Hours) {
    struct Day {
        Duration ends;
        std::string value;
    };
    for (const auto& [ends, value] : {Day{48h, "within-49h"}, Day{Duration(0), "never"}})
        for (const bool by_status : {true, false}) {
            sandbox::Options options;
            options.open_sales_end.fill(ends);
            if (by_status)
                options.status_path = "/venda/transacao/{idExterno}";
            else
                options.cancel_again = {409, sandbox::Said::Word::own};
            ProbeRig rig(options);
            rig.arguments.level = probe::Level::authorise;
            rig.arguments.leave_open = true;
            rig.arguments.status_paths = {"/venda/transacao/{idExterno}"};
            EXPECT_EQ(rig.run(), Ending::done);
            EXPECT_EQ(listed(rig).size(), 3U) << "tv, egift and transit";
            EXPECT_EQ(rig.run(true), Ending::too_early);
            rig.clock.advance(50h);
            rig.arguments.leave_open = false;
            EXPECT_EQ(rig.run(true), Ending::done);
            EXPECT_EQ(rig.book().value("open-sales-end-tv"), value) << by_status;
            EXPECT_EQ(rig.book().value("open-sales-end-transit"), value) << by_status;
            EXPECT_THAT(listed(rig), IsEmpty());
            EXPECT_THAT(rig.open_at_provider(), IsEmpty());
        }
}

TEST_F(ProbeTest, ItsOwnCancelIsNeverTakenForTheProvidersAfterAKill) {
    struct Killed {};
    sandbox::Options options;
    options.cancel_again = {409, sandbox::Said::Word::own};
    ProbeRig rig(options);
    rig.arguments.level = probe::Level::authorise;
    rig.arguments.families = {Family::tv};
    rig.arguments.leave_open = true;
    EXPECT_EQ(rig.run(), Ending::done);
    rig.clock.advance(50h);
    rig.provider->after = [](const http::ClientRequest& request) -> std::optional<Reply> {
        if (request.target.ends_with("/cancelar")) throw Killed{};
        return std::nullopt;
    };
    EXPECT_THROW(rig.run(true), Killed);
    rig.provider->after = nullptr;
    rig.arguments.leave_open = false;
    rig.run(true);
    EXPECT_FALSE(rig.book().answered("open-sales-end-tv", std::nullopt)) << rig.book().value("open-sales-end-tv");
    EXPECT_EQ(rig.run(), Ending::done);
    EXPECT_THAT(listed(rig), IsEmpty());
    EXPECT_THAT(rig.open_at_provider(), IsEmpty());
}

long esims_of(const ProbeRig& rig) {
    const auto all = rig.model->books().all();
    return std::ranges::count_if(all, [](const auto& entry) { return entry.family == sandbox::Family::esim; });
}

TEST_F(ProbeTest, AnEsimIsSoldOnceWithAFieldWhateverEndedTheListening) {
    struct Day {
        std::string_view what;
        std::function<std::optional<Reply>(ProbeRig&)> on_esim;  // called when the provider has sold it
        std::size_t asked_with_another;                          // sales, where a further field is named afterwards
    };
    const std::vector<Day> days{
        {"nothing", [](ProbeRig&) { return std::nullopt; }, 0},
        {"Ctrl-C",
         [](ProbeRig& rig) {
             rig.bench().stop("interrompido");
             return std::nullopt;
         },
         1},
        {"a lost answer", [](ProbeRig&) { return std::optional(Reply::lost(errc::connection_lost)); }, 1},
        {"a kill", [](ProbeRig&) -> std::optional<Reply> { throw Killed(); }, 1}};
    for (const auto& day : days) {
        SCOPED_TRACE(day.what);
        auto rig = rig_of(probe::Level::sell);
        rig->arguments.families = {Family::esim};
        rig->provider->after = [&](const http::ClientRequest&) {
            return esims_of(*rig) == 1 ? day.on_esim(*rig) : std::nullopt;
        };
        try {
            rig->run();
        } catch (const Killed&) {
        }
        rig->provider->after = nullptr;
        EXPECT_EQ(esims_of(*rig), 1);
        rig->run();
        EXPECT_EQ(esims_of(*rig), 1) << "gone on with";
        const auto asked = rig->ledger().asked();
        rig->arguments.callback_fields = {"urlVenda"};
        rig->run();
        EXPECT_EQ(rig->ledger().asked() - asked, day.asked_with_another);
        EXPECT_EQ(esims_of(*rig), 1) << "no other field is taken by this provider";
        std::filesystem::remove(rig->folder_path() + "/notebook.jsonl");
        rig->run();
        EXPECT_EQ(esims_of(*rig), 1) << "the ledger knows of it";
    }
}

TEST_F(ProbeTest, NoSecretAndNoPersonalValueIsInItsFiles) {
    const auto rig = rig_of(probe::Level::sell);
    rig->arguments.may_stay_open = true;
    rig->config.products.push_back(
        {.family = Family::tv, .produto = "TV Mensal", .fornecedor = "Operadora Norte", .price_list = false});
    EXPECT_EQ(rig->run(), Ending::done);
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(rig->folder_path())) {
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        all += text.str();
    }
    all += probe::report_markdown({.version = "1",
                                   .level = probe::Level::sell,
                                   .at = rig->clock.wall(),
                                   .open = rig->ledger().open_sales(),
                                   .points = probe::point_reports(rig->book(), rig->config, probe::Level::sell)},
                                  rig->book(), rig->config);
    std::vector<std::string> secrets{"segredo-do-aplicativo", "reconhecivel", "Reconhecivel", "529.982.247-25",
                                     "11987654321",           "1000000002",   "01310-100"};
    for (const auto& sale : rig->model->books().all())
        if (!sale.goods.empty()) secrets.push_back(sale.goods);
    EXPECT_GT(secrets.size(), 10U);
    for (const auto& secret : secrets)
        EXPECT_EQ(all.find(secret), std::string::npos) << secret;
}

}  // namespace
}  // namespace gateway::test
