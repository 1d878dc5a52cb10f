// Tests what every journal promises, in the sale's terms, with the same tests for every implementation of the
// interface. An implementation with a storage of its own describes that as a JournalStorage and instantiates the suite
// with it; see table_journal_conformance_test.cpp. One file of a program includes this header.
#pragma once

#include "unit/journal/journal_user.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace gateway::test {

// This is the place where a journal is kept, for as long as the object lives.
class JournalStorage {
  public:
    JournalStorage() = default;
    JournalStorage(const JournalStorage&) = delete;
    JournalStorage& operator=(const JournalStorage&) = delete;
    virtual ~JournalStorage() = default;

    // Opens the journal. Only one is open at a time.
    virtual std::unique_ptr<Journal> open(boost::asio::any_io_executor executor, Clock& clock,
                                          std::vector<Secret> keys) = 0;
    // Changes the journal's tables as another program does.
    virtual void sql(const std::string& statement) = 0;
    // Alters the sale's record so that it cannot be read; the next function restores it.
    void damage(SaleId sale) { replace(sale, "\"state\":", "\"stale\":"); }
    void repair(SaleId sale) { replace(sale, "\"stale\":", "\"state\":"); }
    // Puts the text into the column, and alters nothing else.
    void put(SaleId sale, std::string_view column, std::string_view text) {
        sql(fmt::format("UPDATE sales SET {} = '{}' WHERE id = '{}'", column, text, sale.text()));
    }
    // Alters the close's record so that it cannot be read; the next function does so with a finding's.
    void damage(const CloseKey& close) {
        sql(fmt::format("UPDATE closes SET open = '{{' WHERE estabelecimento = '{}' AND day = '{}'",
                        close.estabelecimento, to_text(close.day)));
    }
    void damage_finding(std::int64_t number) {
        sql(fmt::format("UPDATE findings SET kind = '?' WHERE number = {}", number));
    }
    // Lets the n-th write or flush from now on fail, and none after it (0: none). until_failure() says how many are
    // left until then.
    virtual void fail_in(int writes) = 0;
    virtual int until_failure() const = 0;

  private:
    void replace(SaleId sale, std::string_view from, std::string_view to) {
        sql(fmt::format("UPDATE sales SET attempts = replace(attempts, '{}', '{}') WHERE id = '{}'", from, to,
                        sale.text()));
    }
};

struct StorageKind {
    const char* name;
    std::unique_ptr<JournalStorage> (*make)();
};

class JournalConformance : public testing::TestWithParam<StorageKind>, protected JournalUser {
  protected:
    JournalConformance() { open(); }
    ~JournalConformance() override { journal.reset(); }

    void open(std::vector<Secret> keys = {}) {
        journal.reset();
        journal = storage->open(io.get_executor(), clock, std::move(keys));
        ASSERT_TRUE(journal);
    }
    // Begins a new journal in a storage of its own.
    void begin_anew() {
        journal.reset();
        storage.reset();
        storage = GetParam().make();
        open();
    }
    // Makes a sale for which duplicates are looked for.
    Sale watched(std::string key, bool wanted = false) {
        auto made = sale(std::move(key));
        made.duplicate_check = {
            .likeness = Secret("123.456.789-09"), .window = std::chrono::minutes(5), .wanted = wanted};
        return made;
    }
    std::optional<SaleId> duplicate_of(const Sale& made) {
        const auto state = ask(journal->begin(made));
        EXPECT_TRUE(!state.sale && !state.cancelled);
        return state.duplicate_of;
    }

    std::unique_ptr<JournalStorage> storage = GetParam().make();
};

using namespace std::chrono_literals;
using namespace testing;

TEST_P(JournalConformance, GivesBackASaleAsItWasRecorded) {
    for (const bool encrypted : {false, true}) {
        if (encrypted) begin_anew();
        if (encrypted) open({first_key});
        const auto open_one = full("k1", Family::esim, false);
        const auto settled = full("k2");
        auto refused = begun("k3");
        auto change = change_to(refused, AttemptState::refused);
        change.reason = Reason{.code = ReasonCode::refused, .detail = "no", .provider_status = 422};
        record(refused, change);
        for (const bool again : {false, true}) {
            if (again) open(encrypted ? std::vector{first_key} : std::vector<Secret>());
            for (const auto& made : {open_one, settled, refused})
                EXPECT_EQ(kept_of(found(made.id)), kept_of(made));
        }
    }
}

TEST_P(JournalConformance, DeadlinesGoOnAcrossARestartAndNoClockThatIsSetStretchesOne) {
    auto made = begun();
    auto change = change_to(made, AttemptState::held);
    change.next.deadline = clock.now() + 5min;
    change.next.attention_at = clock.now() + 10min;
    record(made, change);
    clock.shift_wall(-48h);
    EXPECT_EQ(found(made.id).current().deadline, clock.now() + 5min);
    clock.shift_wall(48h + 2min);
    EXPECT_EQ(found(made.id).current().deadline, clock.now() + 3min);
    clock.shift_wall(1000h);
    EXPECT_EQ(found(made.id).current().deadline, clock.now());
    clock.shift_wall(-1000h - 2min);
    clock.jump(2min);
    open();
    const auto adopted = ask(journal->adopt()).sales;
    ASSERT_EQ(adopted.size(), 1u);
    EXPECT_EQ(adopted[0].current().deadline, clock.now() + 3min);
    EXPECT_EQ(adopted[0].current().attention_at, clock.now() + 8min);
}

TEST_P(JournalConformance, WhatIsUnfinishedIsAdoptedOldestFirst) {
    const auto first = begun("k1");
    sold("k2");
    const auto second = begun("k3");
    open();
    const auto adopted = ask(journal->adopt());
    EXPECT_THAT(adopted.sales, ElementsAre(Field(&Sale::id, first.id), Field(&Sale::id, second.id)));
    EXPECT_EQ(adopted.unreadable, 0u);
}

TEST_P(JournalConformance, ListsNewestFirstByEveryFilterAndInPages) {
    for (const bool encrypted : {false, true}) {
        SCOPED_TRACE(encrypted);
        if (encrypted) begin_anew();
        if (encrypted) open({first_key});
        std::vector<Sale> made{sale("k1"), sale("k2"), sale("k3"), sale("k4"), sale("k5")};
        made[0].cashier = "Rita";
        made[1].cashier = "Zé";
        made[1].valor = Cents{990};
        made[1].family = Family::egift;
        made[3].terminal = "quiosque";
        made[4].family = Family::esim;
        for (const auto& one : made)
            begun(one);
        become(made[1], AttemptState::cancelled);
        become(made[2], AttemptState::sold);
        const auto id_externo = made[0].current().id_externo.str();
        const SaleFilter::Among among{.families = {Family::esim}, .or_terminal = "quiosque"};
        const std::vector<std::pair<SaleFilter, std::vector<std::string>>> lists{
            {{}, {"k5", "k4", "k3", "k2", "k1"}},
            {{.status = Status::CANCELADA}, {"k2"}},
            {{.status = Status::EFETIVADA}, {"k3"}},
            {{.status = Status::NEGADA}, {}},
            {{.status = Status::PENDENTE}, {"k5", "k4", "k1"}},
            {{.estabelecimento = "other"}, {}},
            {{.estabelecimento = "12345678", .status = Status::EFETIVADA}, {"k3"}},
            {{.key = "k2"}, {"k2"}},
            {{.terminal = "caixa-02", .key = "k2"}, {}},
            {{.id_externo = id_externo}, {"k1"}},
            {{.from = made[1].created_at, .to = made[3].created_at}, {"k3", "k2"}},
            {{.limit = 2}, {"k5", "k4"}},
            {{.after = made[2].id, .limit = 1}, {"k2"}},
            {{.after = made[2].id, .limit = 2}, {"k2", "k1"}},
            {{.attention = true}, {}},
            {{.key = "k2", .attention = true}, {}},
            {{.attention = false}, {"k5", "k4", "k3", "k2", "k1"}},
            {{.key = "k2", .attention = false}, {"k2"}},
            {{.family = Family::egift}, {"k2"}},
            {{.family = Family::health}, {}},
            {{.cashier = "Zé"}, {"k2"}},
            {{.cashier = "rita"}, {}},
            {{.cashier = "Rita", .limit = 1}, {"k1"}},
            {{.valor = Cents{2500}}, {"k5", "k4", "k3", "k1"}},
            {{.valor = Cents{250}}, {}},
            {{.family = Family::tv, .cashier = "Rita", .valor = Cents{2500}}, {"k1"}},
            {{.terminal = "caixa-02", .cashier = "Rita"}, {}},
            {{.among = among}, {"k5", "k4"}},
        };
        for (std::size_t i = 0; i < lists.size(); ++i)
            EXPECT_EQ(keys(lists[i].first), lists[i].second) << "list " << i;
        std::size_t pages = 0;
        std::size_t listed = 0;
        for (SaleFilter filter{.limit = 2}; pages == 0 || filter.after; ++pages) {
            const auto page = ask(journal->list(filter));
            listed += page.sales.size();
            filter.after = page.next;
        }
        EXPECT_EQ(listed, made.size());
        EXPECT_LE(pages, 4u);
    }
}

TEST_P(JournalConformance, AnIdTransacaoIsThatOfAnyAttemptAndNoPartOfOne) {
    auto made = begun("k1");
    begun("k2");
    const auto named = [&](const std::string& id_transacao, const Attempt* fresh = nullptr) {
        auto change = change_to(made, AttemptState::confirming);
        change.next.id_transacao = id_transacao;
        record(made, change, {.event = "test"}, fresh);
    };
    for (const auto* id_transacao :
         {"T1", "123", R"(a"b\c/d)", "T\u0301 é 😀", "<script>", "\x7f", "\t", "%_*", "x','y"}) {
        named(id_transacao);
        EXPECT_THAT(keys({.id_transacao = id_transacao}), ElementsAre("k1")) << id_transacao;
    }
    const auto second = attempt();
    named("T123", &second);
    for (const auto* part : {"T12", "123", "T1234", "T%", "", R"(T123","state":")"})
        EXPECT_THAT(keys({.id_transacao = part}), IsEmpty()) << part;
    named("T456");
    EXPECT_THAT(keys({.id_transacao = "T123"}), ElementsAre("k1"));
    EXPECT_THAT(keys({.id_transacao = "T456"}), ElementsAre("k1"));
}

TEST_P(JournalConformance, KeepsTheToken) {
    EXPECT_FALSE(ask(journal->load_token()));
    const KeptToken token{
        .access = Secret("a"), .refresh = Secret("r"), .obtained_at = clock.wall(), .expires_at = clock.wall() + 5min};
    ask(journal->save_token(token));
    open();
    EXPECT_EQ(ask(journal->load_token())->access, Secret("a"));
    ask(journal->save_token(std::nullopt));
    EXPECT_FALSE(ask(journal->load_token()));
}

TEST_P(JournalConformance, WhoSawAReceiptIsInALongHistoryTooAndNeverLeftOut) {
    const auto made = begun();
    std::size_t shown = 0;
    while (shown < 2'000 && !error_of(journal->note_receipt(made, std::string(64, 'a'))))
        ++shown;
    EXPECT_TRUE(shown > 300 && shown < 2'000) << shown << "; a history has its end";
    EXPECT_EQ(history(made).size(), 1 + shown);
}

TEST_P(JournalConformance, AReceiptThatAPersonWasShownIsInTheHistoryAndIsNoPrint) {
    const auto made = begun();
    for (const int printed : {0, 1}) {
        ask(journal->note_receipt(made, "Ana"));
        EXPECT_EQ(ask(journal->count_receipt(made)), printed);
    }
    open();
    const auto told = history(made);
    ASSERT_EQ(told.size(), 5u);
    EXPECT_EQ(told[1].event, "receipt_shown");
    EXPECT_EQ(told[1].by, "Ana");
    EXPECT_EQ(told[1].id_externo, made.current().id_externo.text());
    EXPECT_EQ(told[2].event, "receipt");
    EXPECT_EQ(told[2].by, "");
    EXPECT_EQ(error_of(journal->count_receipt(sale("none"))), errc::not_found);
    EXPECT_EQ(error_of(journal->note_receipt(sale("none"), "Ana")), errc::not_found);
}

TEST_P(JournalConformance, AHistoryDoesNotGrowWithWhatIsOnlyRepeated) {
    auto made = begun();
    constexpr int often = 1000;
    for (int i = 0; i < often; ++i)
        become(made, AttemptState::cancelling);
    const auto long_one = history(made).size();
    EXPECT_GT(long_one, 20u);
    EXPECT_LT(long_one, std::size_t{often} / 2);
    // A change is recorded all the same, and so is how often a receipt was printed, if not each time.
    become(made, AttemptState::cancelled);
    const auto told = history(made);
    EXPECT_EQ(told.size(), long_one + 1);
    EXPECT_EQ(told.back().state, "cancelled");
    for (int i = 0; i < often; ++i)
        EXPECT_EQ(ask(journal->count_receipt(made)), i);
    EXPECT_EQ(history(made).size(), long_one + 1);
}

TEST_P(JournalConformance, ALongHistoryStillTellsNowAndThenHowOftenItWasTried) {
    auto made = begun();
    become(made, AttemptState::cancelling);
    for (int i = 1; i <= 2000; ++i) {
        auto change = change_to(made, AttemptState::cancelling);
        change.next.tries = i;
        record(made, change, {.event = "cancelar"});
    }
    const auto told = ask(journal->history(made.id));
    EXPECT_EQ(told.events.back().tries, 1024);
    EXPECT_LT(told.events.size(), 100u);
    EXPECT_EQ(history_facts(told, Attention::none, made.attempts).tries, 1024);
}

TEST_P(JournalConformance, AHistorySaysInOrderWhichMarkWasMadeAndWhichTakenAway) {
    auto made = begun();
    for (const auto mark : {Attention::unsettled, Attention::unsettled, Attention::none}) {
        auto change = change_to(made, AttemptState::cancelling);
        change.attention = mark;
        record(made, change, {.event = "test", .by = "maria"});
    }
    const auto told = history(made);
    ASSERT_EQ(told.size(), 4u);
    EXPECT_EQ(told[0].event, "begun");
    EXPECT_EQ(told[1].mark, "unsettled");
    EXPECT_EQ(told[1].by, "maria");
    EXPECT_EQ(told[2].mark, "") << "it had it already";
    EXPECT_EQ(told[3].mark, "none");
}

TEST_P(JournalConformance, ABeginThatIsRepeatedIsRecordedOnce) {
    const auto one = begun(begun("k1"));
    open();
    EXPECT_THAT(ask(journal->begin(one)).sale, AnyOf(std::nullopt, one.id));
    EXPECT_THAT(keys({}), ElementsAre("k1"));
    EXPECT_EQ(history(one).size(), 1u);
}

TEST_P(JournalConformance, RereadsASaleAsItStands) {
    auto one = begun("k1");
    become(one, AttemptState::confirming);
    EXPECT_EQ(kept_of(ask(journal->reread(one.id))), kept_of(one));
    EXPECT_EQ(error_of(journal->reread(sale().id)), errc::not_found);
    EXPECT_FALSE(ask(journal->find(sale().id)));
}

TEST_P(JournalConformance, ASaleThatNeedsAPersonIsOnTheirList) {
    auto one = begun("k1");
    begun("k2");
    one.attention = Attention::unsettled;
    become(one, AttemptState::cancelling);
    EXPECT_THAT(keys({.attention = true}), ElementsAre("k1"));
    const auto marked = ask(journal->marked());
    ASSERT_EQ(marked.size(), 1u);
    EXPECT_EQ(kept_of(marked[0]), kept_of(marked_sale(one)));
}

TEST_P(JournalConformance, AnEntryOfAHistorySaysWhatItWasGiven) {
    auto one = begun();
    record(
        one, change_to(one, AttemptState::confirming),
        {.event = "solicitar", .verdict = "authorised", .http_status = 200, .duration = 12ms, .detail = "two\nlines"});
    const auto entry = history(one).at(1);
    EXPECT_EQ(entry.event, "solicitar");
    EXPECT_EQ(entry.verdict, "authorised");
    EXPECT_EQ(entry.http_status, 200u);
    EXPECT_EQ(entry.duration, 12ms);
    EXPECT_EQ(entry.state, "confirming");
    EXPECT_EQ(entry.detail, "two\nlines");
    EXPECT_EQ(entry.id_externo, one.current().id_externo.text());
    EXPECT_TRUE(history(sale()).empty());
}

TEST_P(JournalConformance, CallbacksAreKeptAsTheyCame) {
    for (const auto& keys : {std::vector<Secret>{}, std::vector{first_key}}) {
        begin_anew();
        open(keys);
        auto one = sale();
        one.callback_secret = Secret("a-secret-nobody-guesses");
        begun(one);
        EXPECT_EQ(ask(journal->find_callback("a-secret-nobody-guesses")), one.id);
        EXPECT_EQ(ask(journal->find_callback("another")), std::nullopt);
        ask(journal->keep_callback(one.id, "sale", true, Secret("{}")));
        ask(journal->keep_callback(one.id, "recharge", false, Secret("a\xff{")));
        open(keys);
        const auto kept = ask(journal->callbacks(one.id));
        ASSERT_EQ(kept.size(), 2u);
        EXPECT_EQ(kept[0].kind, "sale");
        EXPECT_TRUE(kept[0].valid);
        EXPECT_EQ(kept[0].body->reveal(), "{}");
        EXPECT_EQ(kept[1].kind, "recharge");
        EXPECT_FALSE(kept[1].valid);
        EXPECT_EQ(kept[1].body->reveal(), "a?{");
    }
}

TEST_P(JournalConformance, EverythingIsReadWithTheKeysAndStaysReadableWhenTheyRotate) {
    open({first_key});
    EXPECT_TRUE(journal->stats().encrypts);
    auto one = watched("k1");
    one.cashier = "Rita";
    EXPECT_EQ(duplicate_of(one), std::nullopt);
    auto change = change_to(one, AttemptState::sold);
    change.day = day("2026-11-20");
    record(one, change);
    ask(journal->save_token(KeptToken{.access = Secret("a"), .refresh = Secret("r")}));
    const KeptStatement statement{.day = *change.day, .source = "file"};
    const auto finding = ask(journal->keep_statement(statement, {{.id_externo = "A"}})).opened.at(0).number;
    ask(journal->close_finding(finding, "claimed", "rita", clock.wall()));
    open({second_key, first_key});
    rotate();
    ask(journal->forget_old_pages());
    open({second_key});
    EXPECT_EQ(kept_of(found(one.id)), kept_of(one));
    EXPECT_EQ(duplicate_of(watched("k2")), one.id);
    EXPECT_EQ(ask(journal->load_token())->access, Secret("a"));
    const auto days = ask(journal->sales_of_days({.from = *change.day, .to = *change.day}, ""));
    EXPECT_THAT(days.sales, ElementsAre(Field(&DaySale::cashier, "Rita")));
    EXPECT_EQ(ask(journal->findings({.number = finding})).at(0).closed->note, "claimed");
    EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::nothing_to_do);
    EXPECT_EQ(journal->stats().unreadable, 0u);
}

TEST_P(JournalConformance, CountsWhatItWrites) {
    const auto before = journal->stats();
    begun("k1");
    ask(journal->probe());
    const auto after = journal->stats();
    EXPECT_EQ(after.steps, before.steps + 2);
    EXPECT_EQ(after.failures, before.failures);
    EXPECT_TRUE(journal->healthy());
    EXPECT_FALSE(journal->stats().damaged);
    ask(journal->check_files());
    EXPECT_EQ(journal->stats().moved_file, std::nullopt);
}

TEST_P(JournalConformance, ADamagedSaleConcernsNoOtherAndIsReadAgainOnceRepaired) {
    auto broken = begun("k1");
    become(broken, AttemptState::confirming);
    const auto whole = begun("k2");
    storage->damage(broken.id);
    for (const bool again : {false, true}) {
        if (again) open();
        EXPECT_EQ(error_of(journal->find(broken.id)), errc::sale_unreadable);
        EXPECT_TRUE(again || error_of(journal->reread(broken.id)) == errc::sale_unreadable);
        EXPECT_EQ(found(whole.id).key, "k2");
        const auto page = ask(journal->list({}));
        EXPECT_THAT(page.sales, ElementsAre(Field(&Sale::id, whole.id)));
        EXPECT_THAT(page.unreadable, ElementsAre(broken.id.str()));
        EXPECT_THAT(ask(journal->list({.key = "k2"})).unreadable, IsEmpty());
        if (auto* const chain = journal->chain()) ask(chain->give_back());
        const auto adopted = ask(journal->adopt());
        EXPECT_THAT(adopted.sales, ElementsAre(Field(&Sale::id, whole.id)));
        EXPECT_EQ(adopted.unreadable, 1u);
        EXPECT_EQ(journal->stats().unreadable, 1u) << "it is counted once";
    }
    const auto marked = ask(journal->marked());
    ASSERT_EQ(marked.size(), 1u);
    auto as_marked = broken;
    as_marked.attention = Attention::unreadable;
    EXPECT_EQ(kept_of(marked[0]), kept_of(marked_sale(as_marked))) << "and nothing else of it was touched";
    EXPECT_EQ(ask(journal->find_key("caixa-01", "k1")).sale, broken.id);
    EXPECT_EQ(ask(journal->begin(sale("k1"))).sale, broken.id) << "its key stays taken";
    EXPECT_EQ(history(broken).size(), 3u) << "it is told once";
    EXPECT_EQ(history(broken).back().event, "unreadable");
    ask(journal->count_receipt(broken));
    ask(journal->erase_personal(clock.wall() + 1h));
    storage->repair(broken.id);
    EXPECT_EQ(found(broken.id).current().state, AttemptState::confirming);
    if (auto* const chain = journal->chain()) ask(chain->give_back());
    EXPECT_EQ(ask(journal->adopt()).sales.size(), 2u);
}

}  // namespace gateway::test
