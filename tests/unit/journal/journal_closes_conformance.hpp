// Tests what every journal promises about days and closes: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>

namespace gateway::test {

class BooksConformance : public JournalConformance {
  protected:
    Sale begun_for(std::string key, std::string estabelecimento = "12345678") {
        auto made = sale(std::move(key));
        made.estabelecimento = std::move(estabelecimento);
        return begun(std::move(made));
    }
    void end(Sale& made, std::string_view on, AttemptState state = AttemptState::sold) {
        auto change = change_to(made, state);
        change.day = day(on);
        change.next.id_transacao = "T-" + made.key;
        record(made, change);
    }
    Sale sold(std::string key, std::string_view on, std::string estabelecimento = "12345678") {
        auto made = begun_for(std::move(key), std::move(estabelecimento));
        end(made, on);
        return made;
    }
    Close closed(std::string_view on, std::string estabelecimento = "12345678", const std::string& by = "maria") {
        const CloseKey key{.estabelecimento = std::move(estabelecimento), .day = day(on)};
        return ask(journal->begin_close(key, clock.wall(), by));
    }
    // Returns the ids; those of late sales have a mark.
    static std::vector<std::string> told(const std::vector<DaySale>& sales) {
        std::vector<std::string> ids;
        for (const auto& one : sales)
            ids.push_back(one.id.str() + (one.late ? " late" : ""));
        return ids;
    }
    // Returns all sales of all pages.
    template <class Page>
    auto pages(Page page_after) {
        decltype(ask(page_after("")).sales) all;
        std::string after;
        do {
            auto page = ask(page_after(after));
            largest_page = std::max(largest_page, page.sales.size());
            unreadable_in_pages += page.unreadable;
            all.insert(all.end(), page.sales.begin(), page.sales.end());
            after = page.next;
        } while (!after.empty());
        return all;
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
        for (const auto& one :
             pages([&](const std::string& after) { return journal->open_sales(estabelecimento, after); }))
            all.push_back(one.key);
        return all;
    }
    std::vector<std::string> names(const CloseFilter& filter) {
        std::vector<std::string> all;
        for (const auto& close : ask(journal->closes(filter)))
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
};

TEST_P(BooksConformance, ADayWithSalesThatNobodyClosedIsForgottenOnceOneBeforeItIsClosed) {
    for (const auto* on : {"2026-11-10", "2026-11-12", "2026-11-14", "2026-11-15", "2026-11-16"})
        sold(std::string("of ") + on, on);
    sold("another's", "2026-11-13", "87654321");
    const auto forgotten = [&](std::string_view from, std::string_view to) {
        std::vector<std::string> days;
        for (const auto one : ask(journal->forgotten_days("12345678", day(from), day(to))))
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
    begun(made);
    const DayFilter filter{.from = day("2026-11-20"), .to = day("2026-11-20")};
    become(made, AttemptState::confirming);
    EXPECT_THAT(of_days(filter), IsEmpty());
    EXPECT_EQ(found(made.id).day, std::nullopt);
    end(made, "2026-11-20", AttemptState::cancelled);
    const DaySale as_counted{.id = made.id,
                             .terminal = "caixa-01",
                             .cashier = "Rita",
                             .estabelecimento = "12345678",
                             .produto = "TV Mensal",
                             .family = Family::transit,
                             .valor = Cents{2500},
                             .status = Status::CANCELADA,
                             .day = day("2026-11-20"),
                             .id_externo = made.current().id_externo.str(),
                             .id_transacao = "T-k1"};
    for (const bool again : {false, true}) {
        if (again) open();
        EXPECT_EQ(found(made.id).day, day("2026-11-20"));
        const auto all = of_days(filter);
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(kept_of(all[0]), kept_of(as_counted));
    }
    ask(journal->claim(made.id));
    become(made, AttemptState::cancelled);
    EXPECT_EQ(found(made.id).day, day("2026-11-20")) << "what is recorded later leaves it";
}

TEST_P(BooksConformance, DaysAreToldByEveryFilter) {
    const auto a = sold("k1", "2026-11-19");
    const auto b = sold("k2", "2026-11-20", "2");
    const auto c = sold("k3", "2026-11-20", "1");
    auto esim = sale("k4");
    esim.family = Family::esim;
    esim.terminal = "quiosque";
    begun(esim);
    end(esim, "2026-11-21");
    const auto from = day("2026-11-19");
    const auto middle = day("2026-11-20");
    const auto to = day("2026-11-21");
    const SaleFilter::Among of_family{.families = {Family::esim}, .or_terminal = "none"};
    const SaleFilter::Among of_terminal{.families = {Family::health}, .or_terminal = "quiosque"};
    const std::vector<std::pair<DayFilter, std::vector<SaleId>>> lists{
        {{.from = from, .to = to}, {a.id, c.id, b.id, esim.id}},
        {{.from = from, .to = to, .estabelecimento = "12345678"}, {a.id, esim.id}},
        {{.from = from, .to = to, .estabelecimento = "3"}, {}},
        {{.from = from, .to = to, .among = of_family}, {esim.id}},
        {{.from = from, .to = to, .among = of_terminal}, {esim.id}},
        {{.from = middle, .to = middle}, {c.id, b.id}},
        {{.from = to, .to = middle}, {}},
    };
    for (std::size_t i = 0; i < lists.size(); ++i) {
        std::vector<SaleId> ids;
        for (const auto& one : of_days(lists[i].first))
            ids.push_back(one.id);
        EXPECT_EQ(ids, lists[i].second) << "list " << i;
    }
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
        EXPECT_TRUE(error_of(journal->sales_of_days(filter, after))) << after;
    for (const std::string after : {"x", "1x", " 1"})
        EXPECT_TRUE(error_of(journal->open_sales(std::nullopt, after))) << after;
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
    auto open_day = day("2026-12-05");
    for (int days = 0; days < 100; ++days, open_day = next_day(open_day))
        closed(to_text(open_day));
    const auto after_many = sold("k3", "2026-11-30");
    EXPECT_THAT(told(of_close(to_text(open_day))), ElementsAre(after_many.id.str() + " late"))
        << "more days than are asked for at once";
}

TEST_P(BooksConformance, ADayHasOneCloseHoweverOftenItIsClosed) {
    const CloseKey key{.estabelecimento = "12345678", .day = day("2026-11-20")};
    std::vector<Close> made;
    const std::string maria = "maria";
    const auto at = clock.wall();
    const auto closing = [&]() -> boost::asio::awaitable<void> {
        auto close = co_await journal->begin_close(key, at, maria);
        made.push_back(std::move(close).value());
    };
    boost::asio::co_spawn(io, closing(), boost::asio::detached);
    made.push_back(ask(journal->begin_close(key, at, "rita")));
    clock.jump(1h);
    open();
    made.push_back(closed("2026-11-20", "12345678", "zé"));
    ASSERT_EQ(made.size(), 3u);
    for (const auto& one : made) {
        EXPECT_TRUE(one.estabelecimento == key.estabelecimento && one.day == key.day && one.made_at == at);
        EXPECT_TRUE(one.number == 1 && one.series == 1 && one.made_by == maria && one.open == "[]") << one.made_by;
        EXPECT_FALSE(one.totals || one.digest);
    }
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
    ask(journal->finish_close(with_totals(closed("2026-11-20", "1"))));
    const auto first = day("2026-11-20");
    const auto second = day("2026-11-21");
    const std::string a = "1 1/1 2026-11-20", b = "2 1/1 2026-11-20", c = "1 2/1 2026-11-21", d = "2 2/1 2026-11-21";
    const std::vector<std::pair<CloseFilter, std::vector<std::string>>> lists{
        {{}, {d, c, b, a}},
        {{.limit = 1}, {d}},
        {{.to = first}, {b, a}},
        {{.from = second, .to = next_day(second)}, {d, c}},
        {{.number = 1}, {b, a}},
        {{.estabelecimento = "1", .from = second}, {c}},
        {{.estabelecimento = "1", .number = 1}, {a}},
        {{.estabelecimento = "1", .number = 1, .series = 2}, {}},
        {{.estabelecimento = "1", .unfinished = true}, {c}},
        {{.unfinished = true}, {d, c, b}},
    };
    for (std::size_t i = 0; i < lists.size(); ++i)
        EXPECT_EQ(names(lists[i].first), lists[i].second) << "list " << i;
}

// The process ends between the two steps of a close.
TEST_P(BooksConformance, ACloseThatWasBegunIsFinishedAfterARestartAndThenStays) {
    const auto sale_in_it = sold("k1", "2026-11-20");
    const auto begun_one = closed("2026-11-20");
    EXPECT_FALSE(begun_one.totals || begun_one.digest);
    open();
    sold("k2", "2026-11-20");
    const auto unfinished = ask(journal->closes({.unfinished = true}));
    ASSERT_EQ(unfinished.size(), 1u);
    EXPECT_EQ(unfinished[0].open, "[]");
    EXPECT_THAT(told(of_close("2026-11-20")), ElementsAre(sale_in_it.id.str()));
    ask(journal->finish_close(with_totals(unfinished[0])));
    ask(journal->finish_close(with_totals(unfinished[0], "{}")));  // now it is finished
    open();
    EXPECT_THAT(names({.unfinished = true}), IsEmpty());
    EXPECT_EQ(closed("2026-11-20").totals, R"({"sold":1})") << "the first word stays";
    EXPECT_EQ(closed("2026-11-20").digest, std::string(64, 'a'));
    auto never_begun = with_totals(begun_one);
    never_begun.number = 2;
    EXPECT_EQ(error_of(journal->finish_close(never_begun)), errc::not_found);
}

TEST_P(BooksConformance, OpenSalesAreThoseThatAreNotFinal) {
    auto made = begun_for("k1");
    begun_for("k2", "2");
    begun_for("k3");
    sold("k4", "2026-11-20");
    auto cancelling = begun_for("k5");
    become(cancelling, AttemptState::cancelling);
    become(made, AttemptState::confirming);
    EXPECT_THAT(open_keys(std::nullopt), ElementsAre("k1", "k2", "k3"));
    EXPECT_THAT(open_keys("12345678"), ElementsAre("k1", "k3"));
    EXPECT_THAT(open_keys("none"), IsEmpty());
    for (int i = 0; i < 450; ++i)
        begun_for("more-" + std::to_string(i), "3");
    EXPECT_EQ(open_keys("3").size(), 450u);
    EXPECT_EQ(open_keys(std::nullopt).size(), 453u);
    storage->damage(made.id);
    const auto page = ask(journal->open_sales("12345678", ""));
    EXPECT_THAT(page.sales, ElementsAre(Field(&Sale::key, "k3")));
    EXPECT_EQ(page.unreadable, 1u);
}

TEST_P(BooksConformance, ASaleWhoseStatusAloneWasAlteredIsCountedOnceWhateverItIsNow) {
    const auto pending = begun_for("k1");
    const auto made = sold("k2", "2026-11-20");
    auto lingering = begun_for("k3");
    end(lingering, "2026-11-20", AttemptState::cancelling);
    const DayFilter filter{.from = day("2026-11-20"), .to = day("2026-11-20")};
    const auto counted = [&] {
        unreadable_in_pages = 0;
        (void)of_days(filter);
        (void)open_keys(std::nullopt);
        return unreadable_in_pages;
    };
    EXPECT_EQ(counted(), 0u);
    int days = 0;
    for (const auto* word : {"EFETIVADA", "CANCELADA", "NEGADA", "EFETIVADO", ""}) {
        storage->put(pending.id, "status", word);
        EXPECT_EQ(counted(), 1u) << word;
        const auto close = closed(fmt::format("2026-12-{}", 10 + days++));
        EXPECT_THAT(close.open, HasSubstr(pending.id.str())) << word;
        EXPECT_EQ(marked_ids().size(), 1u) << word;
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
    const auto made = JournalUser::sold("k1");
    storage->put(made.id, "day", "no day");
    for (int times = 0; times < 3; ++times) {
        EXPECT_EQ(found(made.id).day, std::nullopt);
        EXPECT_EQ(found(made.id).attention, Attention::unreadable);
        EXPECT_EQ(journal->stats().unreadable, 1u);
        EXPECT_EQ(journal->stats().unreadable_sales, 0u) << "the sale goes on without it";
    }
    storage->put(begun("k2").id, "day", "no day");
    EXPECT_EQ(keys({}).size(), 2u);
    EXPECT_EQ(journal->stats().unreadable, 2u);
    storage->damage(made.id);
    EXPECT_EQ(error_of(journal->find(made.id)), errc::sale_unreadable);
    EXPECT_EQ(journal->stats().unreadable_sales, 1u);
    storage->repair(made.id);
    EXPECT_EQ(found(made.id).key, "k1");
    EXPECT_EQ(journal->stats().unreadable_sales, 0u);
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
            EXPECT_EQ(error_of(journal->begin_close(damaged, clock.wall(), "maria")), errc::close_unreadable);
        }
        EXPECT_EQ(journal->stats().unreadable, 1u);
    }
    const auto late = sold("k1", "2026-11-21");
    EXPECT_THAT(told(of_close("2026-11-22")), ElementsAre(late.id.str() + " late"));
    EXPECT_EQ(closed("2026-11-23").number, 3) << "no number is given twice";
}

TEST_P(BooksConformance, AnErasureLeavesTheBooksAndTakesTheCashier) {
    auto made = sale();
    made.cashier = "Rita";
    begun(made);
    end(made, "2026-11-20");
    ask(journal->finish_close(with_totals(closed("2026-11-20"))));
    ASSERT_EQ(ask(journal->erase_personal(clock.wall() + 1h)).sales, 1u);
    const auto all = of_close("2026-11-20");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].cashier, "");
    EXPECT_EQ(all[0].valor, Cents{2500});
    EXPECT_EQ(all[0].status, Status::EFETIVADA);
    EXPECT_EQ(closed("2026-11-20").totals, R"({"sold":1})");
}

TEST_P(BooksConformance, ANewJournalHasNoOldSalesToDate) {
    sold("k1", "2026-11-20");
    const auto dated = ask(journal->date_old_sales(Rules{}));
    EXPECT_EQ(dated.sales, 0u);
    EXPECT_FALSE(dated.more);
}

}  // namespace gateway::test
