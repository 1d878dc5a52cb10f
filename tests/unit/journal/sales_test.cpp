// Tests what the jobs on sales do where another gateway, or another program, has changed the tables in between.
// journal_conformance.hpp tests the rest of them.
#include "journal/sales.hpp"

#include "unit/journal/scripted_transaction.hpp"
#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

class SalesTest : public Test, protected JournalUser {
  protected:
    using Names = std::vector<std::string>;
    using Lines = std::vector<ScriptedTransaction::Cells>;

    // Says in words what begin() comes to, and notes the statements in `did`.
    std::string begun(const sales::Owner& by, const std::function<void(ScriptedTransaction&)>& answers,
                      const std::optional<std::string>& hash = std::nullopt) {
        ScriptedRig rig;
        answers(rig.script);
        const auto begun = rig.run([&](Tx& tx) { return sales::begin(tx, by, made, hash); });
        did = rig.script.did;
        values = rig.script.values;
        if (begun.has_error()) return begun.error().message();
        std::string words = begun->is_begun ? "begun in term " + std::to_string(begun->term) : "not begun";
        if (begun->state.sale) words += *begun->state.sale == made.id ? ", the same sale" : ", another sale";
        if (begun->state.cancelled) words += ", cancelled";
        if (begun->state.duplicate_of) words += ", a duplicate";
        return words;
    }
    static std::string in_words(errc why) { return boost::system::error_code(why).message(); }
    // Records the change, and returns the error.
    boost::system::error_code recorded(const sales::Owner& by, const Change& change,
                                       const HistoryEntry& entry = {.event = "test"}, std::int64_t changed = 1,
                                       const Attempt* fresh = nullptr) {
        ScriptedRig rig;
        for (const auto* name :
             {"record_step", "record_standing", "record_settled", "record_day", "record_day_and_settled"})
            rig.script.changes(name, changed);
        const auto done = rig.run([&](Tx& tx) { return sales::record(tx, by, made, change, fresh, entry); });
        did = rig.script.did;
        values = rig.script.values;
        return done.has_error() ? done.error() : boost::system::error_code();
    }
    // Makes a change that changes nothing.
    Change same() const {
        return {.at = made.created_at,
                .attempt = 0,
                .next = made.current(),
                .status = made.status,
                .settled = made.settled,
                .attention = made.attention};
    }

    Sale made = sale();
    Sale other = sale("k2");
    std::string id = made.id.str();
    const sales::Owner alone{.run = {}};
    const sales::Owner run{.run = "r1", .term = 7, .step = 3};
    Names did;
    std::map<std::string, Names> values;
};

TEST_F(SalesTest, AKeyHasOneFateWhateverAnotherGatewayMakesOfItMeanwhile) {
    const auto expect = [&](const char* what, bool shares, const std::function<void(ScriptedTransaction&)>& answers,
                            const std::string& outcome, const char* statements) {
        SCOPED_TRACE(what);
        EXPECT_EQ(begun(shares ? run : alone, answers), outcome);
        std::string all;
        for (const auto& one : did)
            all += (all.empty() ? "" : " ") + one;
        EXPECT_EQ(all, statements);
    };
    const auto other_id = other.id.str();
    const auto taken_by = [](std::string by, std::int64_t erased = 0) {
        return [by = std::move(by), erased](ScriptedTransaction& script) { script.answer("take_key", {{by, erased}}); };
    };
    const auto and_then = [](auto first, auto second) {
        return [=](ScriptedTransaction& script) {
            first(script);
            second(script);
        };
    };
    const auto answers = [](const char* name, Lines rows) {
        return [=](ScriptedTransaction& script) { script.answer(name, rows); };
    };
    const auto inserted = [](ScriptedTransaction& script) { script.changes("insert_sale", 1); };
    const auto unreadable = in_words(errc::sale_unreadable);
    expect("its run is over", true, and_then(answers("run_is_over", {{std::int64_t{1}}}), taken_by(id)),
           in_words(errc::not_owned), "run_is_over");
    expect("it is new", true, and_then(taken_by(id), inserted), "begun in term 1",
           "run_is_over take_key insert_sale insert_attempt");
    expect("it is new, and the erasure may be past it", true, and_then(taken_by(id, 1), inserted), "begun in term 1",
           "run_is_over take_key insert_sale insert_attempt erase_written_sale_later");
    expect("it is new, on a journal of its own", false, and_then(taken_by(id), inserted), "begun in term 1",
           "take_key insert_sale insert_attempt");
    expect("its key is cancelled", true, answers("take_key", {{std::nullopt, std::int64_t{1}}}), "not begun, cancelled",
           "run_is_over take_key");
    expect("another sale has its key", true,
           and_then(taken_by(other_id), answers("key_of_sale", {{other_id, std::int64_t{4}}})),
           "not begun, another sale", "run_is_over take_key key_of_sale");
    expect("another sale had its key, which is cancelled", true,
           and_then(taken_by(other_id), answers("cancelled_key", {{std::int64_t{1}}})), "not begun, cancelled",
           "run_is_over take_key key_of_sale cancelled_key");
    expect("another sale had its key, of which nothing is there", true, taken_by(other_id), unreadable,
           "run_is_over take_key key_of_sale cancelled_key");
    expect("it was begun before, and nothing has happened since", true,
           and_then(taken_by(id), answers("begin_again", {{std::int64_t{5}}})), "begun in term 5",
           "run_is_over take_key insert_sale begin_again");
    expect("it was begun before, and it went on", true,
           and_then(taken_by(id), answers("has_sale", {{std::int64_t{1}}})), "not begun, the same sale",
           "run_is_over take_key insert_sale begin_again has_sale");
    expect("its id or its callback's secret is another sale's", true, taken_by(id), unreadable,
           "run_is_over take_key insert_sale begin_again has_sale free_key");
    expect("it was begun before, on a journal of its own", false,
           and_then(taken_by(id), answers("key_of_sale", {{id, std::int64_t{4}}})), "begun in term 1",
           "take_key insert_sale key_of_sale");
    expect("another has its key after all, on a journal of its own", false,
           and_then(taken_by(id), answers("key_of_sale", {{other_id, std::int64_t{4}}})), "not begun, another sale",
           "take_key insert_sale key_of_sale");
    expect("its id is another sale's, on a journal of its own", false, taken_by(id), unreadable,
           "take_key insert_sale key_of_sale cancelled_key");
}

TEST_F(SalesTest, EqualSalesAreBegunOneAfterTheOtherAndAKeyThatIsTakenComesBeforeADuplicate) {
    made.duplicate_check = {.likeness = Secret("1"), .window = std::chrono::minutes(5), .wanted = false};
    const auto begin = [&](const std::function<void(ScriptedTransaction&)>& answers) {
        return begun(
            alone,
            [&](ScriptedTransaction& script) {
                answers(script);
                script.answer("take_key", {{id, std::int64_t{0}}});
                script.changes("insert_sale", 1);
            },
            "the hash");
    };
    const ScriptedTransaction::Cells found{other.id.str(), std::int64_t{4}};
    EXPECT_EQ(begin([](auto&) {}), "begun in term 1");
    EXPECT_THAT(did,
                ElementsAre("hold duplicate the hash", "duplicates_of", "take_key", "insert_sale", "insert_attempt"));
    EXPECT_EQ(begin([&](auto& script) { script.answer("duplicates_of", {found}); }), "not begun, a duplicate");
    EXPECT_THAT(did, ElementsAre("hold duplicate the hash", "duplicates_of", "key_of_sale", "cancelled_key"));
    EXPECT_EQ(begin([&](auto& script) {
                  script.answer("duplicates_of", {found});
                  script.answer("cancelled_key", {{std::int64_t{1}}});
              }),
              "begun in term 1")
        << "what take_key says counts";
    made.duplicate_check->wanted = true;
    EXPECT_EQ(begin([&](auto& script) { script.answer("duplicates_of", {found}); }), "begun in term 1");
    EXPECT_THAT(did, ElementsAre("hold duplicate the hash", "take_key", "insert_sale", "insert_attempt"));
}

TEST_F(SalesTest, APossibleDuplicateWhoseIdCannotBeReadIsMarkedAndPassed) {
    made.duplicate_check = {.likeness = Secret("1"), .window = std::chrono::minutes(5), .wanted = false};
    const auto outcome = begun(
        alone,
        [&](ScriptedTransaction& script) {
            script.answer("duplicates_of", {{"?", std::int64_t{8}}, {other.id.str(), std::int64_t{4}}});
        },
        "the hash");
    EXPECT_EQ(outcome, "not begun, a duplicate");
    EXPECT_THAT(did, ElementsAre("hold duplicate the hash", "duplicates_of", "mark_unreadable", "key_of_sale",
                                 "cancelled_key"));
    EXPECT_EQ(values["mark_unreadable"].at(0), "8");
}

TEST_F(SalesTest, AStepWritesNoMoreThanItChanges) {
    struct Case {
        const char* what;
        void (*change)(Sale& before, Change& change);
        const char* statement;
    };
    constexpr Case cases[] = {
        {"nothing", [](Sale&, Change&) {}, "record_step"},
        {"the status", [](Sale&, Change& to) { to.status = Status::AUTORIZADA; }, "record_standing"},
        {"a mark", [](Sale&, Change& to) { to.attention = Attention::unsettled; }, "record_standing"},
        {"another mark", [](Sale&, Change& to) { to.attention = Attention::restored; }, "record_standing"},
        {"a mark is taken away", [](Sale& of, Change&) { of.attention = Attention::unsettled; }, "record_standing"},
        {"another is taken away", [](Sale& of, Change&) { of.attention = Attention::restored; }, "record_standing"},
        {"it is settled", [](Sale&, Change& to) { to.settled = true; }, "record_settled"},
        {"it is open again", [](Sale& of, Change&) { of.settled = true; }, "record_settled"},
        {"it stays settled", [](Sale& of, Change& to) { of.settled = to.settled = true; }, "record_step"},
        {"the day", [](Sale&, Change& to) { to.day = std::chrono::year(2026) / 11 / 20; }, "record_day"},
        {"the day, and it is settled",
         [](Sale&, Change& to) {
             to.day = std::chrono::year(2026) / 11 / 20;
             to.settled = true;
         },
         "record_day_and_settled"},
    };
    const auto before = made;
    for (const auto& one : cases) {
        SCOPED_TRACE(one.what);
        made = before;
        auto change = same();
        one.change(made, change);
        EXPECT_FALSE(recorded(alone, change));
        EXPECT_THAT(did, Contains(one.statement));
        EXPECT_THAT(did, Not(Contains("set_esim")));
        EXPECT_EQ(std::ranges::count(did, std::string("erase_written_sale_later")), made.settled ? 1 : 0);
    }
}

TEST_F(SalesTest, OnlyItsOwnerInThisTermAndAtThisStepRecordsAStep) {
    const Attempt fresh = attempt();
    const HistoryEntry entry{.event = "test", .forwarded_command = 12};
    EXPECT_EQ(recorded(run, same(), entry, 0, &fresh), errc::not_owned);
    EXPECT_THAT(did, ElementsAre("record_step")) << "and nothing else";
    EXPECT_THAT(Names(values["record_step"].begin(), values["record_step"].begin() + 4),
                ElementsAre(id, "r1", "7", "3"));
    EXPECT_FALSE(recorded(run, same(), entry, 1, &fresh));
    EXPECT_THAT(did, ElementsAre("record_step", "insert_attempt", "remove_command"));
    EXPECT_THAT(values["insert_attempt"], ElementsAre(fresh.id_externo.str(), id));
    EXPECT_THAT(values["remove_command"], ElementsAre("12"));
    EXPECT_FALSE(recorded(run, same()));
    EXPECT_THAT(did, ElementsAre("record_step"));
    EXPECT_FALSE(recorded(alone, same(), entry, 0)) << "who is alone owns every sale";
    EXPECT_THAT(did, ElementsAre("record_step"));
}

TEST_F(SalesTest, ASaleThatIsGoneWhenItsPageIsReadIsLeftOut) {
    ScriptedRig rig;
    rig.script.answer("composed", {{std::int64_t{4}, id, std::int64_t{1}, std::nullopt}});
    const SaleFilter all{};
    const auto page = rig.run([&](Tx& tx) { return sales::list(tx, all); });
    EXPECT_THAT(rig.script.did, ElementsAre(StartsWith("SELECT"), "sale_by_number"));
    EXPECT_TRUE(page->sales.empty() && page->unreadable.empty());
}

TEST_F(SalesTest, APageOfAListEndsBeforeTheFirstRowThatItDoesNotShow) {
    ScriptedRig rig;
    const auto third = sale("k3");
    const auto row = [](const Sale& of, std::int64_t number, std::int64_t shown) {
        return ScriptedTransaction::Cells{number, of.id.str(), shown, std::nullopt};
    };
    rig.script.answer("composed", {row(third, 3, 1), row(other, 2, 1), row(made, 1, 0)});
    const SaleFilter one{.limit = 1};
    const auto page = rig.run([&](Tx& tx) { return sales::list(tx, one); });
    EXPECT_EQ(page->next, third.id);
}

TEST_F(SalesTest, TheNotesOfDecisionsAreThoseOfACompleteHistoryAlone) {
    const auto told = [&](const std::string& story, const Lines& notes) {
        ScriptedRig rig;
        rig.script.answer("history_of_sale", {{story, std::string("[")}});
        rig.script.answer("notes_of_sale", notes);
        std::string words;
        const auto read = rig.run([&](Tx& tx) { return sales::history(tx, made.id); });
        for (const auto& entry : read->events)
            words += "<" + entry.detail + ">";
        return words;
    };
    const std::string decided = R"({"at":1000,"attempt":1,"event":"resolved","state":"sold","detail":"old"})";
    const std::string other_event = R"({"at":1000,"attempt":1,"event":"elapsed","state":"sold","detail":"kept"})";
    const auto all = decided + "\n" + other_event + "\n" + decided;
    EXPECT_EQ(told(all, {{"a"}, {"b"}}), "<a><kept><b>");
    EXPECT_EQ(told(all, {{"a"}}), "<a><kept><old>") << "a note that is not there takes nothing away";
    EXPECT_EQ(told(all, {{std::nullopt}, {"b"}}), "<old><kept><b>") << "its note was erased";
    EXPECT_EQ(told(decided + "\n{\n" + decided, {{"a"}, {"b"}}), "<old><old>") << "nobody knows whose they are";
}

TEST_F(SalesTest, AHistoryThatIsNoTextHasNoLength) {
    const auto length = [&](const Lines& rows) {
        ScriptedRig rig;
        rig.script.answer("history_length", rows);
        return rig.run([&](Tx& tx) { return sales::history_length(tx, made.id); }).value();
    };
    EXPECT_EQ(length({}), std::nullopt);
    EXPECT_EQ(length({{std::int64_t{7}, "{"}}), 7);
    EXPECT_EQ(length({{std::int64_t{7}, std::int64_t{5}}}), std::nullopt);
    EXPECT_EQ(length({{std::nullopt, std::nullopt}}), std::nullopt);
}

class SalesTableTest : public SqliteRig {
  protected:
    SalesTableTest() { open(); }

    OpenPage open_sales(const std::string& after = {}) { return ask(journal->open_sales(std::nullopt, after)); }
};

// No index serves the terminal together with the establishment, so that many rows are looked at for one page.
TEST_F(SalesTableTest, TheNextPageBeginsWhereTheLastOneEnded) {
    std::vector<std::string> expected;
    for (int i = 0; i < 7; ++i) {
        expected.insert(expected.begin(), begun("k" + std::to_string(i)).key);
        auto another = sale("another");
        another.terminal = "caixa-0" + std::to_string(i + 2);
        begun(std::move(another));
    }
    SaleFilter filter{.estabelecimento = "12345678", .terminal = "caixa-01", .limit = 2};
    std::vector<std::string> listed;
    do {
        const auto page = ask(journal->list(filter));
        EXPECT_LE(page.sales.size(), 2u);
        for (const auto& one : page.sales)
            listed.push_back(one.key);
        filter.after = page.next;
    } while (filter.after);
    EXPECT_EQ(listed, expected);
}

TEST_F(SalesTableTest, OpenSalesComeInPagesOfTwoHundred) {
    for (int i = 0; i < 201; ++i)
        begun("k" + std::to_string(i));
    const auto first = open_sales();
    EXPECT_EQ(first.sales.size(), 200u);
    const auto second = open_sales(first.next);
    ASSERT_EQ(second.sales.size(), 1u);
    EXPECT_EQ(second.sales[0].key, "k200");
    EXPECT_EQ(second.next, "");
    for (const auto* after : {"x", "1x", "x1", " 1", "99999999999999999999"})
        EXPECT_EQ(error_of(journal->open_sales(std::nullopt, after)), errc::malformed) << after;
}

TEST_F(SalesTableTest, AnOpenSaleThatCannotBeReadIsCountedUnlessItHasADay) {
    begun("k1");
    sql("UPDATE sales SET attempts = '['");
    EXPECT_EQ(open_sales().unreadable, 1u);
    sql("UPDATE sales SET day = '2026-11-20'");
    EXPECT_EQ(open_sales().unreadable, 0u) << "it is counted there";
}

TEST_F(SalesTableTest, WhatASaleDoesNotHaveIsNotKept) {
    begun("k1");
    EXPECT_EQ(text("SELECT count(*) FROM sales WHERE cashier IS NULL AND callback_hash IS NULL AND esim IS NULL"), "1");
}

TEST_F(SalesTableTest, ANoteThatCannotBeReadIsCounted) {
    open({first_key});
    const auto made = full("k1");
    EXPECT_EQ(history(made).back().detail, "Sr. Antonio");
    sql("UPDATE notes SET note = x'01'");
    EXPECT_EQ(history(made).back().detail, "");
    EXPECT_EQ(journal->stats().unreadable, 1u);
}

}  // namespace
}  // namespace gateway::test
