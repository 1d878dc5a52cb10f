// What every journal promises of days and closes: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

namespace gateway::test {

class BooksConformance : public JournalConformance {
  protected:
    static Day day(std::string_view text) { return parse_day(text).value(); }

    Sale begun_for(std::string key, std::string estabelecimento = "12345678") {
        auto made = sale(std::move(key));
        made.estabelecimento = std::move(estabelecimento);
        EXPECT_TRUE(is_recorded(clock.run(journal->begin(made))));
        return made;
    }
    void end(Sale& made, std::string_view on, Status status = Status::EFETIVADA) {
        const auto state = status == Status::EFETIVADA ? AttemptState::sold : AttemptState::cancelled;
        auto change = change_of(made, status, true, state, clock.wall());
        change.day = day(on);
        change.next.id_transacao = "T-" + made.key;
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.status = status;
        made.settled = true;
        made.day = change.day;
        made.attempts.back() = change.next;
    }
    Sale sold(std::string key, std::string_view on, std::string estabelecimento = "12345678") {
        auto made = begun_for(std::move(key), std::move(estabelecimento));
        end(made, on);
        return made;
    }
    Close closed(std::string_view on, std::string estabelecimento = "12345678", const std::string& by = "maria") {
        const CloseKey key{.estabelecimento = std::move(estabelecimento), .day = day(on)};
        return clock.run(journal->begin_close(key, clock.wall(), by)).value();
    }
    // The ids, those of late sales with a mark.
    static std::vector<std::string> told(const std::vector<DaySale>& sales) {
        std::vector<std::string> ids;
        for (const auto& one : sales)
            ids.push_back(one.id.str() + (one.late ? " late" : ""));
        return ids;
    }
    std::vector<DaySale> of_days(const DayFilter& filter) {
        return pages([&](const std::string& after) { return journal->sales_of_days(filter, after); });
    }
    std::vector<DaySale> of_close(std::string_view on, std::string estabelecimento = "12345678") {
        const CloseKey key{.estabelecimento = std::move(estabelecimento), .day = day(on)};
        return pages([&](const std::string& after) { return journal->sales_of_close(key, after); });
    }
    std::vector<std::string> open_keys(const std::optional<std::string>& estabelecimento) {
        std::vector<std::string> all;
        std::string after;
        do {
            const auto page = clock.run(journal->open_sales(estabelecimento, after)).value();
            for (const auto& one : page.sales)
                all.push_back(one.key);
            after = page.next;
        } while (!after.empty());
        return all;
    }
    std::vector<Close> closes(const CloseFilter& filter) { return clock.run(journal->closes(filter)).value(); }
    std::vector<std::string> names(const CloseFilter& filter) {
        std::vector<std::string> all;
        for (const auto& close : closes(filter))
            all.push_back(close.estabelecimento + " " + std::to_string(close.number) + "/" +
                          std::to_string(close.series) + " " + to_text(close.day));
        return all;
    }
    static Close with_totals(Close close, std::string totals = R"({"sold":1})") {
        close.totals = std::move(totals);
        close.digest = std::string(64, 'a');
        return close;
    }

    std::size_t largest_page = 0;
    std::size_t unreadable_in_pages = 0;

  private:
    template <class Ask>
    std::vector<DaySale> pages(Ask ask) {
        std::vector<DaySale> all;
        std::string after;
        do {
            auto page = clock.run(ask(after)).value();
            largest_page = std::max(largest_page, page.sales.size());
            unreadable_in_pages += page.unreadable;
            for (auto& one : page.sales)
                all.push_back(std::move(one));
            after = page.next;
        } while (!after.empty());
        return all;
    }
};

TEST_P(BooksConformance, ADayWithSalesThatNobodyClosedIsForgottenOnceOneBeforeItIsClosed) {
    for (const auto* on : {"2026-11-10", "2026-11-12", "2026-11-14", "2026-11-15", "2026-11-16"})
        sold(std::string("of ") + on, on);
    sold("another's", "2026-11-13", "87654321");
    const auto forgotten = [&](std::string_view from, std::string_view to) {
        std::vector<std::string> days;
        for (const auto one : clock.run(journal->forgotten_days("12345678", day(from), day(to))).value())
            days.push_back(to_text(one));
        return days;
    };
    EXPECT_THAT(forgotten("2026-11-01", "2026-11-30"), IsEmpty()) << "the books are not kept yet";
    closed("2026-11-11");
    closed("2026-11-15");
    EXPECT_THAT(forgotten("2026-11-01", "2026-11-30"), ElementsAre("2026-11-12", "2026-11-14", "2026-11-16"));
    EXPECT_THAT(forgotten("2026-11-14", "2026-11-16"), ElementsAre("2026-11-14"));
    closed("2026-11-14");
    EXPECT_THAT(forgotten("2026-11-01", "2026-11-16"), ElementsAre("2026-11-12"));
    closed("2026-11-12");
    sold("too late", "2026-11-11");
    EXPECT_THAT(forgotten("2026-11-01", "2026-11-20"), ElementsAre("2026-11-13", "2026-11-16"))
        << "a day with none but late sales";
}

TEST_P(BooksConformance, ASaleIsOfItsMovementDayOnceItIsFinal) {
    auto made = sale();
    made.cashier = "Rita";
    made.family = Family::transit;
    ASSERT_TRUE(is_recorded(clock.run(journal->begin(made))));
    const DayFilter filter{.from = day("2026-11-20"), .to = day("2026-11-20")};
    become(made, Status::AUTORIZADA, false, AttemptState::confirming);
    EXPECT_THAT(of_days(filter), IsEmpty());
    EXPECT_EQ(found(made.id).day, std::nullopt);
    end(made, "2026-11-20", Status::CANCELADA);
    for (const bool again : {false, true}) {
        if (again) open();
        EXPECT_EQ(found(made.id).day, day("2026-11-20"));
        const auto all = of_days(filter);
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all[0].id, made.id);
        EXPECT_EQ(all[0].terminal, "caixa-01");
        EXPECT_EQ(all[0].cashier, "Rita");
        EXPECT_EQ(all[0].estabelecimento, "12345678");
        EXPECT_EQ(all[0].produto, "TV Mensal");
        EXPECT_EQ(all[0].family, Family::transit);
        EXPECT_EQ(all[0].valor, Cents{2500});
        EXPECT_EQ(all[0].status, Status::CANCELADA);
        EXPECT_EQ(all[0].day, day("2026-11-20"));
        EXPECT_FALSE(all[0].late);
        EXPECT_EQ(all[0].id_externo, made.current().id_externo.str());
        EXPECT_EQ(all[0].id_transacao, "T-k1");
    }
    ASSERT_TRUE(clock.run(journal->claim(made.id)).has_value());
    become(made, Status::CANCELADA, true, AttemptState::cancelled);
    EXPECT_EQ(found(made.id).day, day("2026-11-20")) << "what is recorded later leaves it";
}

TEST_P(BooksConformance, DaysAreToldByEveryFilter) {
    const auto a = sold("k1", "2026-11-19");
    const auto b = sold("k2", "2026-11-20", "2");
    const auto c = sold("k3", "2026-11-20", "1");
    auto esim = sale("k4");
    esim.family = Family::esim;
    esim.terminal = "quiosque";
    ASSERT_TRUE(is_recorded(clock.run(journal->begin(esim))));
    end(esim, "2026-11-21");
    const auto whole = [&](DayFilter filter) {
        filter.from = day("2026-11-19");
        filter.to = day("2026-11-21");
        return told(of_days(filter));
    };
    EXPECT_THAT(whole({}), ElementsAre(a.id.str(), c.id.str(), b.id.str(), esim.id.str()));
    EXPECT_THAT(whole({.estabelecimento = "12345678"}), ElementsAre(a.id.str(), esim.id.str()));
    EXPECT_THAT(whole({.estabelecimento = "3"}), IsEmpty());
    EXPECT_THAT(whole({.among = SaleFilter::Among{.families = {Family::esim}, .or_terminal = "none"}}),
                ElementsAre(esim.id.str()));
    EXPECT_THAT(whole({.among = SaleFilter::Among{.families = {Family::health}, .or_terminal = "quiosque"}}),
                ElementsAre(esim.id.str()));
    EXPECT_THAT(told(of_days({.from = day("2026-11-20"), .to = day("2026-11-20")})),
                ElementsAre(c.id.str(), b.id.str()));
    EXPECT_THAT(of_days({.from = day("2026-11-21"), .to = day("2026-11-20")}), IsEmpty());
}

TEST_P(BooksConformance, PagesOfDaysAndOfAClosePassOverNoSaleAndGiveNoneTwice) {
    std::vector<std::string> of_first;
    std::vector<std::string> all;
    constexpr int many = 550;
    constexpr int few = 10;
    for (const std::string on : {"2026-11-20", "2026-11-22"})
        for (const std::string estabelecimento : {"1", "2"})
            for (int i = 0; i < (on == "2026-11-20" && estabelecimento == "1" ? many : few); ++i) {
                const auto id = sold(on + estabelecimento + std::to_string(i), on, estabelecimento).id.str();
                all.push_back(id);
                if (estabelecimento == "1") of_first.push_back(id);
            }
    DayFilter filter{.from = day("2026-11-01"), .to = day("2026-11-30")};
    EXPECT_EQ(told(of_days(filter)), all);
    filter.estabelecimento = "1";
    EXPECT_EQ(told(of_days(filter)), of_first);
    closed("2026-11-20", "1");
    EXPECT_EQ(told(of_close("2026-11-20", "1")), std::vector(all.begin(), all.begin() + many));
    EXPECT_LT(largest_page, std::size_t{many}) << "it took more than one page";
}

TEST_P(BooksConformance, AHundredYearsWithoutASaleEnd) {
    const auto only = sold("k1", "2099-12-31");
    for (const auto& estabelecimento : {std::optional<std::string>(), std::optional<std::string>("12345678")})
        EXPECT_THAT(
            told(of_days({.from = day("2000-01-01"), .to = day("2099-12-31"), .estabelecimento = estabelecimento})),
            ElementsAre(only.id.str()));
}

TEST_P(BooksConformance, WhatIsNoPlaceOfAPageIsRefused) {
    const DayFilter filter{.from = day("2026-11-20"), .to = day("2026-11-21")};
    for (const std::string after : {"x", "2026-11-20", "2026-11-20x", "2026-11-2099:a", "2026-11-20-1:a"})
        EXPECT_TRUE(clock.run(journal->sales_of_days(filter, after)).has_error()) << after;
    const std::optional<std::string> all;
    for (const std::string after : {"x", "1x", " 1"})
        EXPECT_TRUE(clock.run(journal->open_sales(all, after)).has_error()) << after;
}

TEST_P(BooksConformance, WhatIsFinalBeforeACloseIsInItAndWhatComesAfterIsInTheNext) {
    const auto before = sold("k1", "2026-11-20");
    auto during = begun_for("k2");
    auto elsewhere = begun_for("k3", "87654321");
    const auto close = closed("2026-11-20");
    const auto open_then = boost::json::parse(close.open).as_array();
    ASSERT_EQ(open_then.size(), 1u);
    EXPECT_EQ(boost::json::serialize(open_then[0]), R"({"id":")" + during.id.str() + R"(","idExterno":")" +
                                                        during.current().id_externo.str() +
                                                        R"(","family":"tv","valor":2500,"status":"PENDENTE"})");
    end(during, "2026-11-20");
    end(elsewhere, "2026-11-20");
    const auto after = sold("k4", "2026-11-20");
    const auto next = sold("k5", "2026-11-21");
    EXPECT_THAT(told(of_close("2026-11-20")), ElementsAre(before.id.str()));
    EXPECT_THAT(told(of_close("2026-11-20", "87654321")), ElementsAre(elsewhere.id.str()));
    EXPECT_THAT(told(of_close("2026-11-21")),
                ElementsAre(during.id.str() + " late", after.id.str() + " late", next.id.str()));
    EXPECT_EQ(of_close("2026-11-21")[0].day, day("2026-11-20")) << "its movement day is what it is";
    EXPECT_EQ(found(during.id).day, day("2026-11-20"));
    EXPECT_THAT(told(of_days({.from = day("2026-11-20"), .to = day("2026-11-20"), .estabelecimento = "12345678"})),
                ElementsAre(before.id.str(), during.id.str() + " late", after.id.str() + " late"));
}

TEST_P(BooksConformance, ALateSaleIsInTheFirstLaterCloseThatIsYetToCome) {
    for (const auto* on : {"2026-11-30", "2026-12-01", "2026-12-02", "2026-12-04"})
        closed(on);
    closed("2026-12-03", "another");
    const auto late = sold("k1", "2026-11-30");
    EXPECT_THAT(told(of_close("2026-12-03")), ElementsAre(late.id.str() + " late"));
    closed("2026-12-03");
    const auto later = sold("k2", "2026-11-30");
    EXPECT_THAT(told(of_close("2026-12-03")), ElementsAre(late.id.str() + " late")) << "a close gets nothing more";
    EXPECT_THAT(told(of_close("2026-12-05")), ElementsAre(later.id.str() + " late"));
    EXPECT_THAT(of_close("2026-11-30"), IsEmpty());
}

TEST_P(BooksConformance, ADayHasOneCloseHoweverOftenItIsClosed) {
    std::vector<Close> made;
    const CloseKey key{.estabelecimento = "12345678", .day = day("2026-11-20")};
    const std::string maria = "maria";
    const std::string rita = "rita";
    const auto closing = [&]() -> boost::asio::awaitable<void> {
        auto close = co_await journal->begin_close(key, clock.wall(), maria);
        made.push_back(std::move(close).value());
    };
    boost::asio::co_spawn(io, closing(), boost::asio::detached);
    made.push_back(clock.run(journal->begin_close(key, clock.wall(), rita)).value());
    ASSERT_EQ(made.size(), 2u);
    for (const auto& one : made)
        EXPECT_TRUE(one.number == 1 && one.series == 1 && one.made_by == "maria" && !one.totals) << one.made_by;
    clock.jump(1h);
    open();
    const auto later = closed("2026-11-20", "12345678", "zé");
    EXPECT_EQ(later.made_by, "maria");
    EXPECT_EQ(later.made_at, made[0].made_at);
    EXPECT_THAT(names({}), ElementsAre("12345678 1/1 2026-11-20"));
}

TEST_P(BooksConformance, NumbersOfEachEstablishmentHaveNoGap) {
    closed("2026-11-20", "1");
    closed("2026-11-20", "2");
    closed("2026-11-20", "1");
    closed("2026-11-22", "1", "");
    open();
    closed("2026-11-21", "1");
    closed("2026-11-21", "2");
    EXPECT_THAT(names({.estabelecimento = "1"}),
                ElementsAre("1 2/1 2026-11-22", "1 3/1 2026-11-21", "1 1/1 2026-11-20"));
    EXPECT_THAT(names({.estabelecimento = "2"}), ElementsAre("2 2/1 2026-11-21", "2 1/1 2026-11-20"));
}

TEST_P(BooksConformance, ClosesAreToldByEveryFilterNewestFirst) {
    for (const auto* on : {"2026-11-20", "2026-11-21"})
        for (const auto* estabelecimento : {"1", "2"})
            closed(on, estabelecimento);
    ASSERT_TRUE(clock.run(journal->finish_close(with_totals(closed("2026-11-20", "1")))));
    EXPECT_THAT(names({}), ElementsAre("2 2/1 2026-11-21", "1 2/1 2026-11-21", "2 1/1 2026-11-20", "1 1/1 2026-11-20"));
    EXPECT_THAT(names({.limit = 1}), ElementsAre("2 2/1 2026-11-21"));
    EXPECT_THAT(names({.to = day("2026-11-20")}), ElementsAre("2 1/1 2026-11-20", "1 1/1 2026-11-20"));
    EXPECT_THAT(names({.estabelecimento = "1", .from = day("2026-11-21")}), ElementsAre("1 2/1 2026-11-21"));
    EXPECT_THAT(names({.estabelecimento = "1", .number = 1}), ElementsAre("1 1/1 2026-11-20"));
    EXPECT_THAT(names({.estabelecimento = "1", .number = 1, .series = 2}), IsEmpty());
    EXPECT_THAT(names({.estabelecimento = "1", .unfinished = true}), ElementsAre("1 2/1 2026-11-21"));
}

// The end of the process between the two steps of a close.
TEST_P(BooksConformance, ACloseThatWasBegunIsFinishedAfterARestartAndThenStays) {
    const auto sale_in_it = sold("k1", "2026-11-20");
    const auto begun_one = closed("2026-11-20");
    EXPECT_FALSE(begun_one.totals || begun_one.digest);
    open();
    sold("k2", "2026-11-20");
    const auto unfinished = closes({.unfinished = true});
    ASSERT_EQ(unfinished.size(), 1u);
    EXPECT_EQ(unfinished[0].open, "[]");
    EXPECT_THAT(told(of_close("2026-11-20")), ElementsAre(sale_in_it.id.str()));
    ASSERT_TRUE(clock.run(journal->finish_close(with_totals(unfinished[0]))));
    ASSERT_TRUE(clock.run(journal->finish_close(with_totals(unfinished[0], "{}")))) << "it is finished";
    open();
    EXPECT_THAT(closes({.unfinished = true}), IsEmpty());
    EXPECT_EQ(closed("2026-11-20").totals, R"({"sold":1})") << "the first word stays";
    EXPECT_EQ(closed("2026-11-20").digest, std::string(64, 'a'));
}

TEST_P(BooksConformance, WhatWasNeverBegunIsNotFinished) {
    auto close = with_totals(closed("2026-11-20"));
    close.number = 2;
    const auto finished = clock.run(journal->finish_close(close));
    ASSERT_TRUE(finished.has_error());
    EXPECT_EQ(finished.error(), errc::not_found);
}

TEST_P(BooksConformance, OpenSalesAreThoseThatAreNotFinal) {
    auto made = begun_for("k1");
    begun_for("k2", "2");
    begun_for("k3");
    sold("k4", "2026-11-20");
    auto cancelling = begun_for("k5");
    become(cancelling, Status::CANCELADA, false, AttemptState::cancelling);
    become(made, Status::AUTORIZADA, false, AttemptState::confirming);
    EXPECT_THAT(open_keys(std::nullopt), ElementsAre("k1", "k2", "k3"));
    EXPECT_THAT(open_keys("12345678"), ElementsAre("k1", "k3"));
    EXPECT_THAT(open_keys("none"), IsEmpty());
    for (int i = 0; i < 450; ++i)
        begun_for("more-" + std::to_string(i), "3");
    EXPECT_EQ(open_keys("3").size(), 450u);
    EXPECT_EQ(open_keys(std::nullopt).size(), 453u);
    storage->damage(made.id);
    const std::optional<std::string> of = "12345678";
    const auto page = clock.run(journal->open_sales(of, "")).value();
    EXPECT_THAT(page.sales, ElementsAre(Field(&Sale::key, "k3")));
    EXPECT_EQ(page.unreadable, 1u);
}

TEST_P(BooksConformance, ASaleWhoseStatusAloneWasAlteredIsCountedOnceWhateverItIsNow) {
    const auto pending = begun_for("k1");
    const auto made = sold("k2", "2026-11-20");
    auto lingering = begun_for("k3");
    auto change = change_of(lingering, Status::CANCELADA, false, AttemptState::cancelling, clock.wall());
    change.day = day("2026-11-20");
    ASSERT_TRUE(clock.run(journal->record(lingering, change, nullptr, {.event = "test"})).has_value());
    const DayFilter filter{.from = day("2026-11-20"), .to = day("2026-11-20")};
    const auto counted = [&] {
        unreadable_in_pages = 0;
        (void)of_days(filter);
        const auto open = clock.run(journal->open_sales(std::nullopt, "")).value();
        return unreadable_in_pages + open.unreadable;
    };
    EXPECT_EQ(counted(), 0u);
    int days = 0;
    for (const auto* word : {"EFETIVADA", "CANCELADA", "NEGADA", "EFETIVADO", ""}) {
        storage->put(pending.id, "status", word);
        EXPECT_EQ(counted(), 1u) << word;
        const auto close = closed(fmt::format("2026-12-{}", 10 + days++));
        EXPECT_THAT(close.open, HasSubstr(pending.id.str())) << word;
        EXPECT_EQ(clock.run(journal->marked()).value().size(), 1u) << word;
    }
    storage->put(pending.id, "status", "PENDENTE");
    EXPECT_EQ(counted(), 0u);
    for (const auto* word : {"PENDENTE", "CANCELADA", "NEGADA", "EFETIVADO", ""}) {
        storage->put(made.id, "status", word);
        EXPECT_EQ(counted(), 1u) << word;
    }
    storage->put(made.id, "status", "EFETIVADA");
    for (const auto* word : {"EFETIVADA", "EFETIVADO", ""}) {
        storage->put(lingering.id, "status", word);
        EXPECT_EQ(counted(), 1u) << word;
    }
}

TEST_P(BooksConformance, AValueThatCannotBeReadIsCountedOnceHoweverOftenItIsRead) {
    auto made = begun("k1");
    become(made, Status::EFETIVADA, true, AttemptState::sold);
    storage->put(made.id, "day", "no day");
    for (int times = 0; times < 3; ++times) {
        EXPECT_EQ(found(made.id).day, std::nullopt);
        EXPECT_EQ(journal->unreadable(), 1u);
        EXPECT_EQ(journal->unreadable_sales(), 0u) << "the sale goes on without it";
    }
    storage->put(begun("k2").id, "day", "no day");
    EXPECT_EQ(clock.run(journal->list({})).value().sales.size(), 2u);
    EXPECT_EQ(journal->unreadable(), 2u);
    storage->damage(made.id);
    EXPECT_TRUE(is_unreadable(clock.run(journal->find(made.id))));
    EXPECT_EQ(journal->unreadable_sales(), 1u);
    storage->repair(made.id);
    EXPECT_EQ(found(made.id).key, "k1");
    EXPECT_EQ(journal->unreadable_sales(), 0u);
}

TEST_P(BooksConformance, ADamagedCloseIsCountedOnceAndItsDayStaysClosed) {
    closed("2026-11-20");
    closed("2026-11-21");
    const CloseKey damaged{.estabelecimento = "12345678", .day = day("2026-11-21")};
    for (const bool again : {false, true}) {
        if (again) open();
        storage->damage(damaged);
        for (int i = 0; i < 2; ++i) {
            EXPECT_THAT(names({}), ElementsAre("12345678 1/1 2026-11-20"));
            const auto refused = clock.run(journal->begin_close(damaged, clock.wall(), "maria"));
            ASSERT_TRUE(refused.has_error());
            EXPECT_EQ(refused.error(), errc::close_unreadable);
        }
        EXPECT_EQ(journal->unreadable(), 1u);
    }
    const auto late = sold("k1", "2026-11-21");
    EXPECT_THAT(told(of_close("2026-11-22")), ElementsAre(late.id.str() + " late"));
    EXPECT_EQ(closed("2026-11-23").number, 3) << "no number is given twice";
}

TEST_P(BooksConformance, AnErasureLeavesTheBooksAndTakesTheCashier) {
    auto made = sale();
    made.cashier = "Rita";
    ASSERT_TRUE(is_recorded(clock.run(journal->begin(made))));
    end(made, "2026-11-20");
    ASSERT_TRUE(clock.run(journal->finish_close(with_totals(closed("2026-11-20")))));
    ASSERT_EQ(clock.run(journal->erase_personal(clock.wall() + 1h)).value().sales, 1u);
    const auto all = of_close("2026-11-20");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].cashier, "");
    EXPECT_EQ(all[0].valor, Cents{2500});
    EXPECT_EQ(all[0].status, Status::EFETIVADA);
    EXPECT_EQ(closed("2026-11-20").totals, R"({"sold":1})");
}

TEST_P(BooksConformance, TheBooksAreReadWithTheKeys) {
    open({first_key});
    auto made = sale();
    made.cashier = "Rita";
    ASSERT_TRUE(is_recorded(clock.run(journal->begin(made))));
    end(made, "2026-11-20");
    open({second_key, first_key});
    while (clock.run(journal->rotate_keys()).value() == KeyRotationState::in_progress) {
    }
    open({second_key});
    EXPECT_THAT(of_days({.from = day("2026-11-20"), .to = day("2026-11-20")}),
                ElementsAre(Field(&DaySale::cashier, "Rita")));
    EXPECT_EQ(journal->unreadable(), 0u);
}

TEST_P(BooksConformance, ANewJournalHasNoOldSalesToDate) {
    sold("k1", "2026-11-20");
    const auto dated = clock.run(journal->date_old_sales(Rules{})).value();
    EXPECT_EQ(dated.sales, 0u);
    EXPECT_FALSE(dated.more);
}

}  // namespace gateway::test
