// What every journal promises, in the sale's terms: the same tests for every implementation of the interface. One that
// has a storage of its own describes it as a JournalStorage and instantiates the suite with it; see
// journal_conformance_test.cpp. Included by one file of a program.
#pragma once

#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace gateway::test {

// Where a journal is kept, for as long as the object lives.
class JournalStorage {
  public:
    JournalStorage() = default;
    JournalStorage(const JournalStorage&) = delete;
    JournalStorage& operator=(const JournalStorage&) = delete;
    virtual ~JournalStorage() = default;

    // Opens the journal; one at a time is open.
    virtual std::unique_ptr<Journal> open(boost::asio::any_io_executor executor, Clock& clock,
                                          std::vector<Secret> keys) = 0;
    // Alters the sale's record so that it cannot be read, or puts back what it was.
    virtual void damage(SaleId sale) = 0;
    virtual void repair(SaleId sale) = 0;
    virtual void put(SaleId sale, std::string_view column, std::string_view text) = 0;  // and alters nothing else
    // Alters the close's record so that it cannot be read.
    virtual void damage(const CloseKey& close) = 0;
    // The same of a finding's.
    virtual void damage_finding(std::int64_t number) = 0;
    // The n-th write or flush from now fails, and none after it; 0: none does. How many are still to come until then.
    virtual void fail_in(int writes) = 0;
    virtual int until_failure() const = 0;
};

struct StorageKind {
    const char* name;
    std::unique_ptr<JournalStorage> (*make)();
};

class JournalConformance : public testing::TestWithParam<StorageKind> {
  protected:
    JournalConformance() { open(); }
    ~JournalConformance() override { journal.reset(); }

    void open(std::vector<Secret> keys = {}) {
        journal.reset();
        journal = storage->open(io.get_executor(), clock, std::move(keys));
        ASSERT_TRUE(journal);
    }
    // A new journal in a storage of its own.
    void begin_anew() {
        journal.reset();
        storage.reset();
        storage = GetParam().make();
        open();
    }
    Sale sale(std::string key = "k1") {
        clock.jump(std::chrono::milliseconds(1));
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.digest = "d";
        made.estabelecimento = "12345678";
        made.produto = "TV Mensal";
        made.valor = Cents{2500};
        made.request = Secret(R"({"cpf":"123.456.789-09"})");
        made.created_at = clock.wall();
        made.updated_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        return made;
    }
    Sale begun(std::string key = "k1") {
        auto made = sale(std::move(key));
        EXPECT_TRUE(is_recorded(clock.run(journal->begin(made))));
        return made;
    }
    static bool is_recorded(const Result<KeyState>& state) {
        return state.has_value() && !state->sale && !state->cancelled && !state->duplicate_of;
    }
    // One for which duplicates are looked for.
    Sale watched(std::string key, bool wanted = false) {
        auto made = sale(std::move(key));
        made.duplicate_check = {
            .likeness = Secret("123.456.789-09"), .window = std::chrono::minutes(5), .wanted = wanted};
        return made;
    }
    std::optional<SaleId> duplicate_of(const Sale& made) {
        const auto state = clock.run(journal->begin(made));
        EXPECT_TRUE(state.has_value() && !state->sale && !state->cancelled);
        return state->duplicate_of;
    }
    static Change change_of(const Sale& made, Status status, bool settled, AttemptState state, WallTime at) {
        Change change{.at = at, .attempt = made.attempts.size() - 1, .next = made.current()};
        change.next.state = state;
        if (state == AttemptState::confirming) change.next.confirm_time = at;
        if (state == AttemptState::cancelling) change.next.cancel_time = at;
        change.status = status;
        change.settled = settled;
        change.attention = made.attention;
        change.reason = made.reason;
        return change;
    }
    void become(Sale& made, Status status, bool settled, AttemptState state) {
        const auto change = change_of(made, status, settled, state, clock.wall());
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.status = status;
        made.settled = settled;
        made.attempts.back() = change.next;
    }
    Sale found(SaleId id) { return clock.run(journal->find(id)).value().value(); }
    std::vector<std::string> keys(const SaleFilter& filter) {
        std::vector<std::string> all;
        for (const auto& one : clock.run(journal->list(filter)).value().sales)
            all.push_back(one.key);
        return all;
    }
    template <class T>
    static bool is_unreadable(const Result<T>& result) {
        return result.has_error() && result.error() == errc::sale_unreadable;
    }

    std::unique_ptr<JournalStorage> storage = GetParam().make();
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

using namespace std::chrono_literals;
using namespace testing;

inline const Secret first_key(std::string(32, 'a'));
inline const Secret second_key(std::string(32, 'b'));

TEST_P(JournalConformance, GivesBackASaleAsItWasRecorded) {
    auto made = sale();
    made.cashier = "Zé da Padaria";
    ASSERT_TRUE(is_recorded(clock.run(journal->begin(made))));
    Change change{
        .at = clock.wall(), .attempt = 0, .next = made.current(), .status = Status::AUTORIZADA, .settled = false};
    change.next.state = AttemptState::confirming;
    change.next.id_transacao = "T1";
    change.next.confirm_time = clock.wall();
    change.next.deadline = clock.now() + 2min;
    change.attention = Attention::unsettled;
    change.reason = Reason{.code = ReasonCode::refused, .detail = "no", .provider_status = 422};
    change.reason->provider_body = Secret(R"({"erro":"x"})");
    change.reason->retry_after = 7s;
    change.details =
        TransactionDetails{.estabelecimento_nome = "Loja", .cnpj_cpf = "1", .fornecedor = "F", .data_hora = "D"};
    change.details->instrucao = Secret("PIN 1");
    change.details->complemento = Secret("c");
    change.esim =
        EsimDetails{.uuid = "u", .promocao_ativada = "SIM", .situacao_recarga = "SUCESSO", .nsu_recarga = "n"};
    change.esim->msisdn = Secret("55");
    change.esim->url = Secret("https://r");
    ASSERT_TRUE(
        clock.run(journal->record(made, change, nullptr, {.event = "solicitar", .http_status = 200})).has_value());

    const auto kept = found(made.id);
    EXPECT_EQ(kept.terminal, "caixa-01");
    EXPECT_EQ(kept.valor, Cents{2500});
    EXPECT_EQ(kept.request, made.request);
    EXPECT_EQ(kept.cashier, "Zé da Padaria");
    EXPECT_EQ(kept.status, Status::AUTORIZADA);
    EXPECT_EQ(kept.attention, Attention::unsettled);
    EXPECT_EQ(kept.reason->provider_body, change.reason->provider_body);
    EXPECT_EQ(kept.reason->retry_after, 7s);
    EXPECT_EQ(kept.details.instrucao.reveal(), "PIN 1");
    EXPECT_EQ(kept.esim, change.esim);
    EXPECT_EQ(kept.current().id_externo, made.current().id_externo);
    EXPECT_EQ(kept.current().confirm_time, change.next.confirm_time);
    EXPECT_EQ(kept.current().deadline, change.next.deadline);
    EXPECT_EQ(kept.current().attention_at, never);
}

TEST_P(JournalConformance, AClockThatIsSetNeverStretchesADeadlineNorSkipsBelowNothing) {
    auto made = begun();
    Change change{.at = clock.wall(), .attempt = 0, .next = made.current(), .status = Status::AUTORIZADA};
    change.next.state = AttemptState::held;
    change.next.deadline = clock.now() + 5min;
    ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "solicitar"})).has_value());
    clock.shift_wall(-48h);
    EXPECT_EQ(found(made.id).current().deadline, clock.now() + 5min);
    clock.shift_wall(48h + 2min);
    EXPECT_EQ(found(made.id).current().deadline, clock.now() + 3min);
    clock.shift_wall(1000h);
    EXPECT_EQ(found(made.id).current().deadline, clock.now());
}

TEST_P(JournalConformance, AKeyHasOneFate) {
    const auto first = begun("k1");
    const auto second = clock.run(journal->begin(sale("k1")));
    EXPECT_EQ(second->sale, first.id);
    EXPECT_EQ(clock.run(journal->cancel_key("caixa-01", "k1"))->sale, first.id);
    EXPECT_TRUE(clock.run(journal->cancel_key("caixa-01", "k2"))->cancelled);
    EXPECT_TRUE(clock.run(journal->begin(sale("k2")))->cancelled);
    EXPECT_FALSE(clock.run(journal->find_key("caixa-02", "k1"))->sale.has_value());
    open();
    EXPECT_EQ(clock.run(journal->find_key("caixa-01", "k1"))->sale, first.id);
    EXPECT_TRUE(clock.run(journal->find_key("caixa-01", "k2"))->cancelled);
}

TEST_P(JournalConformance, APossibleDuplicateIsNotBegunUnlessItIsWanted) {
    const auto first = watched("k1");
    EXPECT_EQ(duplicate_of(first), std::nullopt);
    for (const bool again : {false, true}) {
        if (again) open();
        EXPECT_EQ(duplicate_of(watched("k2")), first.id);
        const auto key = clock.run(journal->find_key("caixa-01", "k2"));
        EXPECT_FALSE(key->sale || key->cancelled) << "nothing was begun, and the key is free";
    }
    const auto wanted = watched("k2", true);
    EXPECT_EQ(duplicate_of(wanted), std::nullopt);
    EXPECT_EQ(found(wanted.id).key, "k2");
    EXPECT_EQ(duplicate_of(watched("k3")), wanted.id) << "of several it is the latest";
    EXPECT_TRUE(is_recorded(clock.run(journal->begin(sale("k4"))))) << "for this one none is looked for";
}

TEST_P(JournalConformance, OnlyTheSameSaleIsAPossibleDuplicate) {
    EXPECT_EQ(duplicate_of(watched("k")), std::nullopt);
    const std::vector<void (*)(Sale&)> others{
        [](Sale& other) { other.estabelecimento = "87654321"; },
        [](Sale& other) { other.family = Family::transit; },
        [](Sale& other) { other.produto = "TV Anual"; },
        [](Sale& other) { other.fornecedor = "TV Anual"; },
        [](Sale& other) { other.segment = "TV Anual"; },
        [](Sale& other) { other.valor = Cents{2501}; },
        [](Sale& other) { other.duplicate_check->likeness = Secret("987.654.321-00"); },
    };
    for (std::size_t i = 0; i < others.size(); ++i) {
        auto other = watched("k" + std::to_string(i));
        others[i](other);
        EXPECT_EQ(duplicate_of(other), std::nullopt) << i;
    }
    auto same = watched("same");
    same.terminal = "caixa-02";
    same.cashier = "Rita";
    same.mode = ConfirmMode::manual;
    EXPECT_NE(duplicate_of(same), std::nullopt);
}

TEST_P(JournalConformance, WhatIsNotSoldAndWhatIsOldHasNoDuplicate) {
    for (const auto status : {Status::CANCELADA, Status::NEGADA}) {
        auto failed = watched("k1-" + std::string(to_string(status)));
        EXPECT_EQ(duplicate_of(failed), std::nullopt);
        become(failed, status, true, status == Status::NEGADA ? AttemptState::refused : AttemptState::cancelled);
    }
    auto sold = watched("k2");
    EXPECT_EQ(duplicate_of(sold), std::nullopt);
    become(sold, Status::EFETIVADA, true, AttemptState::sold);
    clock.jump(5min - 1ms);
    EXPECT_EQ(duplicate_of(watched("k3")), sold.id) << "five minutes later";
    EXPECT_EQ(duplicate_of(watched("k3")), std::nullopt);
}

TEST_P(JournalConformance, AClockThatWasSetBackMakesNoDuplicatesForLongerThanTheWindow) {
    const auto first = watched("k1");
    EXPECT_EQ(duplicate_of(first), std::nullopt);
    clock.shift_wall(-4min);
    EXPECT_EQ(duplicate_of(watched("k2")), first.id);
    clock.shift_wall(-2min);
    EXPECT_EQ(duplicate_of(watched("k2")), std::nullopt);
}

TEST_P(JournalConformance, AKeyThatIsTakenIsAnsweredBeforeDuplicatesAreLookedFor) {
    const auto first = watched("k1");
    EXPECT_EQ(duplicate_of(first), std::nullopt);
    EXPECT_EQ(clock.run(journal->begin(watched("k1")))->sale, first.id);
    EXPECT_TRUE(clock.run(journal->cancel_key("caixa-01", "k2"))->cancelled);
    EXPECT_TRUE(clock.run(journal->begin(watched("k2")))->cancelled);
    EXPECT_EQ(duplicate_of(watched("k3", true)), std::nullopt);
    EXPECT_EQ(duplicate_of(first), std::nullopt) << "it is recorded, and a begin that is repeated says so";
}

TEST_P(JournalConformance, ASecondAttemptIsRecordedWithTheChangeThatLedToIt) {
    auto made = begun();
    Change change{.at = clock.wall(), .attempt = 0, .next = made.current(), .status = Status::PENDENTE, .again = true};
    change.next.state = AttemptState::unsent;
    const Attempt fresh{.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()};
    ASSERT_TRUE(clock.run(journal->record(made, change, &fresh, {.event = "solicitar"})).has_value());
    const auto kept = found(made.id);
    ASSERT_EQ(kept.attempts.size(), 2u);
    EXPECT_EQ(kept.attempts[0].state, AttemptState::unsent);
    EXPECT_EQ(kept.attempts[1].id_externo, fresh.id_externo);
}

TEST_P(JournalConformance, KnowsWhatIsUnfinishedAndNothingElse) {
    auto done = begun("k1");
    become(done, Status::EFETIVADA, true, AttemptState::sold);
    const auto open_one = begun("k2");
    open();
    const auto unfinished = clock.run(journal->adopt()).value().sales;
    ASSERT_EQ(unfinished.size(), 1u);
    EXPECT_EQ(unfinished[0].id, open_one.id);
}

TEST_P(JournalConformance, ListsNewestFirstByEveryFilterAndInPages) {
    std::vector<Sale> made;
    for (const auto* key : {"k1", "k2", "k3", "k4"})
        made.push_back(begun(key));
    become(made[1], Status::CANCELADA, true, AttemptState::cancelled);
    become(made[2], Status::EFETIVADA, true, AttemptState::sold);
    EXPECT_THAT(keys({}), ElementsAre("k4", "k3", "k2", "k1"));
    EXPECT_THAT(keys({.status = Status::CANCELADA}), ElementsAre("k2"));
    EXPECT_THAT(keys({.status = Status::EFETIVADA}), ElementsAre("k3"));
    EXPECT_THAT(keys({.status = Status::PENDENTE}), ElementsAre("k4", "k1"));
    EXPECT_THAT(keys({.estabelecimento = "other"}), IsEmpty());
    EXPECT_THAT(keys({.estabelecimento = "12345678", .status = Status::EFETIVADA}), ElementsAre("k3"));
    EXPECT_THAT(keys({.key = "k2"}), ElementsAre("k2"));
    EXPECT_THAT(keys({.terminal = "caixa-02", .key = "k2"}), IsEmpty());
    EXPECT_THAT(keys({.id_externo = made[0].current().id_externo.str()}), ElementsAre("k1"));
    EXPECT_THAT(keys({.from = made[1].created_at, .to = made[3].created_at}), ElementsAre("k3", "k2"));
    EXPECT_THAT(keys({.limit = 2}), ElementsAre("k4", "k3"));
    EXPECT_THAT(keys({.after = made[2].id, .limit = 2}), ElementsAre("k2", "k1"));
    EXPECT_THAT(keys({.attention = true}), IsEmpty());
    EXPECT_THAT(keys({.key = "k2", .attention = true}), IsEmpty());
    EXPECT_THAT(keys({.attention = false}), ElementsAre("k4", "k3", "k2", "k1"));
    EXPECT_THAT(keys({.key = "k2", .attention = false}), ElementsAre("k2"));
}

TEST_P(JournalConformance, ListsByWhatAPersonKnowsOfASale) {
    auto tv = sale("k1");
    tv.cashier = "Rita";
    auto gift = sale("k2");
    gift.family = Family::egift;
    gift.valor = Cents{990};
    gift.cashier = "Zé";
    auto plain = sale("k3");
    for (const auto* made : {&tv, &gift, &plain})
        ASSERT_TRUE(is_recorded(clock.run(journal->begin(*made))));
    EXPECT_THAT(keys({.family = Family::egift}), ElementsAre("k2"));
    EXPECT_THAT(keys({.family = Family::esim}), IsEmpty());
    EXPECT_THAT(keys({.cashier = "Zé"}), ElementsAre("k2"));
    EXPECT_THAT(keys({.cashier = "rita"}), IsEmpty());
    EXPECT_THAT(keys({.valor = Cents{2500}}), ElementsAre("k3", "k1"));
    EXPECT_THAT(keys({.valor = Cents{250}}), IsEmpty());
    EXPECT_THAT(keys({.family = Family::tv, .cashier = "Rita", .valor = Cents{2500}}), ElementsAre("k1"));
    EXPECT_THAT(keys({.terminal = "caixa-02", .cashier = "Rita"}), IsEmpty());
}

TEST_P(JournalConformance, ACashierIsFoundInAnEncryptedJournalToo) {
    open({Secret(std::string(FieldCipher::key_size, 'a'))});
    for (const auto& [key, cashier] : {std::pair("k1", "Rita"), std::pair("k2", "Zé")}) {
        auto made = sale(key);
        made.cashier = cashier;
        ASSERT_TRUE(is_recorded(clock.run(journal->begin(made))));
    }
    EXPECT_THAT(keys({.cashier = "Rita", .limit = 1}), ElementsAre("k1"));
}

TEST_P(JournalConformance, AnIdTransacaoIsThatOfAnyAttemptAndNoPartOfOne) {
    auto made = begun("k1");
    begun("k2");
    const auto named = [&](const std::string& id_transacao) {
        auto change = change_of(made, Status::AUTORIZADA, false, AttemptState::confirming, clock.wall());
        change.next.id_transacao = id_transacao;
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.attempts.back() = change.next;
    };
    for (const auto* id_transacao :
         {"T1", "123", R"(a"b\c/d)", "T\u0301 é 😀", "<script>", "\x7f", "\t", "%_*", "x','y"}) {
        named(id_transacao);
        EXPECT_THAT(keys({.id_transacao = id_transacao}), ElementsAre("k1")) << id_transacao;
    }
    named("T123");
    for (const auto* part : {"T12", "123", "T1234", "T%", "", R"(T123","state":")"})
        EXPECT_THAT(keys({.id_transacao = part}), IsEmpty()) << part;
    auto second = made.current();
    second.id_externo = IdExterno::make(clock.wall(), random);
    second.id_transacao = "T456";
    const auto change = change_of(made, Status::PENDENTE, false, AttemptState::cancelling, clock.wall());
    ASSERT_TRUE(clock.run(journal->record(made, change, &second, {.event = "test"})).has_value());
    EXPECT_THAT(keys({.id_transacao = "T123"}), ElementsAre("k1"));
    EXPECT_THAT(keys({.id_transacao = "T456"}), ElementsAre("k1"));
}

TEST_P(JournalConformance, KeepsTheToken) {
    EXPECT_FALSE(clock.run(journal->load_token()).value().has_value());
    const std::optional<KeptToken> token = KeptToken{
        .access = Secret("a"), .refresh = Secret("r"), .obtained_at = clock.wall(), .expires_at = clock.wall() + 5min};
    ASSERT_TRUE(clock.run(journal->save_token(token)).has_value());
    open();
    EXPECT_EQ(clock.run(journal->load_token()).value()->access, Secret("a"));
    const std::optional<KeptToken> none;
    ASSERT_TRUE(clock.run(journal->save_token(none)).has_value());
    EXPECT_FALSE(clock.run(journal->load_token()).value().has_value());
}

TEST_P(JournalConformance, TellsAHistoryInOrder) {
    auto made = begun();
    become(made, Status::AUTORIZADA, false, AttemptState::confirming);
    become(made, Status::EFETIVADA, true, AttemptState::sold);
    const auto history = clock.run(journal->history(made.id)).value();
    ASSERT_EQ(history.size(), 3u);
    EXPECT_EQ(history[0].at("event"), "begun");
    EXPECT_EQ(history[2].at("state"), "sold");
}

TEST_P(JournalConformance, WhoSawAReceiptIsInALongHistoryTooAndNeverLeftOut) {
    const auto made = begun();
    std::size_t shown = 0;
    while (shown < 2'000 && clock.run(journal->note_receipt(made, std::string(64, 'a'))).has_value())
        ++shown;
    EXPECT_TRUE(shown > 300 && shown < 2'000) << shown << "; a history has its end";
    EXPECT_EQ(clock.run(journal->history(made.id)).value().size(), 1 + shown);
}

TEST_P(JournalConformance, CountsPrintedReceipts) {
    const auto made = begun();
    EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), 0);
    EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), 1);
}

TEST_P(JournalConformance, AReceiptThatAPersonWasShownIsInTheHistoryAndIsNoPrint) {
    const auto made = begun();
    ASSERT_TRUE(clock.run(journal->note_receipt(made, "Ana")).has_value());
    EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), 0);
    ASSERT_TRUE(clock.run(journal->note_receipt(made, "Ana")).has_value());
    EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), 1);
    open();
    const auto history = clock.run(journal->history(made.id)).value();
    ASSERT_EQ(history.size(), 5u);
    EXPECT_EQ(history[1].at("event"), "receipt_shown");
    EXPECT_EQ(history[1].at("by"), "Ana");
    EXPECT_EQ(history[1].at("idExterno").as_string(), made.current().id_externo.text());
    EXPECT_EQ(history[2].at("event"), "receipt");
    EXPECT_FALSE(history[2].as_object().contains("by"));
}

TEST_P(JournalConformance, AHistoryDoesNotGrowWithWhatIsOnlyRepeated) {
    auto made = begun();
    constexpr int often = 1000;
    for (int i = 0; i < often; ++i)
        become(made, Status::PENDENTE, false, AttemptState::cancelling);
    const auto long_one = clock.run(journal->history(made.id)).value().size();
    EXPECT_GT(long_one, 20u);
    EXPECT_LT(long_one, std::size_t{often} / 2);
    // What changes something is told all the same, and so is how often a receipt was printed, if not each time.
    become(made, Status::CANCELADA, true, AttemptState::cancelled);
    const auto history = clock.run(journal->history(made.id)).value();
    EXPECT_EQ(history.size(), long_one + 1);
    EXPECT_EQ(history.back().at("state"), "cancelled");
    for (int i = 0; i < often; ++i)
        EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), i);
    EXPECT_EQ(clock.run(journal->history(made.id)).value().size(), long_one + 1);
}

TEST_P(JournalConformance, ALongHistoryStillTellsNowAndThenHowOftenItWasTried) {
    auto made = begun();
    become(made, Status::CANCELADA, false, AttemptState::cancelling);
    constexpr int often = 2000;
    for (int i = 1; i <= often; ++i) {
        auto change = change_of(made, Status::CANCELADA, false, AttemptState::cancelling, clock.wall());
        change.next.tries = i;
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "cancelar"})).has_value());
        made.attempts.back() = change.next;
    }
    const auto history = clock.run(journal->history(made.id)).value();
    EXPECT_EQ(history.back().at("tries"), 1024);
    EXPECT_LT(history.size(), 100u);
    EXPECT_EQ(history_facts(history, Attention::none, made.attempts).tries, 1024);
}

TEST_P(JournalConformance, AHistorySaysWhichMarkWasMadeAndWhichTakenAway) {
    auto made = begun();
    for (const auto mark : {Attention::unsettled, Attention::unsettled, Attention::none}) {
        auto change = change_of(made, Status::CANCELADA, false, AttemptState::cancelling, clock.wall());
        change.attention = mark;
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test", .by = "maria"})).has_value());
        made.attention = mark;
    }
    const auto history = clock.run(journal->history(made.id)).value();
    ASSERT_EQ(history.size(), 4u);
    EXPECT_EQ(history[1].at("mark"), "unsettled");
    EXPECT_EQ(history[1].at("by"), "maria");
    EXPECT_FALSE(history[2].as_object().contains("mark")) << "it had it already";
    EXPECT_EQ(history[3].at("mark"), "none");
}

TEST_P(JournalConformance, ABeginThatIsRepeatedIsRecordedOnce) {
    const auto one = begun("k1");
    EXPECT_TRUE(is_recorded(clock.run(journal->begin(one))));
    open();
    EXPECT_THAT(clock.run(journal->begin(one))->sale, AnyOf(std::nullopt, one.id));
    EXPECT_THAT(keys({}), ElementsAre("k1"));
    EXPECT_EQ(clock.run(journal->history(one.id)).value().size(), 1u);
}

TEST_P(JournalConformance, ACancelOfAKeyThatIsRepeatedSaysTheSame) {
    EXPECT_TRUE(clock.run(journal->cancel_key("caixa-01", "k1"))->cancelled);
    EXPECT_TRUE(clock.run(journal->cancel_key("caixa-01", "k1"))->cancelled);
    EXPECT_FALSE(clock.run(journal->find_key("caixa-01", "k2"))->cancelled);
}

TEST_P(JournalConformance, RereadsASaleAsItStands) {
    auto one = begun("k1");
    become(one, Status::AUTORIZADA, false, AttemptState::confirming);
    const auto again = clock.run(journal->reread(one.id));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->status, Status::AUTORIZADA);
    EXPECT_EQ(again->current().state, AttemptState::confirming);
    const auto nothing = clock.run(journal->reread(sale().id));
    EXPECT_TRUE(nothing.has_error() && nothing.error() == errc::not_found);
    EXPECT_FALSE(clock.run(journal->find(sale().id)).value());
}

TEST_P(JournalConformance, DeadlinesGoOnAcrossARestart) {
    auto one = begun();
    auto change = change_of(one, Status::AUTORIZADA, false, AttemptState::held, clock.wall());
    change.next.deadline = clock.now() + 5min;
    change.next.attention_at = clock.now() + 10min;
    ASSERT_TRUE(clock.run(journal->record(one, change, nullptr, {.event = "solicitar"})).has_value());
    clock.jump(2min);
    open();
    const auto unfinished = clock.run(journal->adopt()).value();
    ASSERT_EQ(unfinished.sales.size(), 1u);
    EXPECT_EQ(unfinished.sales[0].current().deadline, clock.now() + 3min);
    EXPECT_EQ(unfinished.sales[0].current().attention_at, clock.now() + 8min);
}

TEST_P(JournalConformance, WhatIsAdoptedComesOldestFirst) {
    const auto first = begun("k1");
    const auto second = begun("k2");
    open();
    const auto unfinished = clock.run(journal->adopt()).value();
    EXPECT_THAT(unfinished.sales, ElementsAre(Field(&Sale::id, first.id), Field(&Sale::id, second.id)));
    EXPECT_EQ(unfinished.unreadable, 0u);
}

TEST_P(JournalConformance, PagesAListToItsEnd) {
    for (const auto* key : {"k1", "k2", "k3", "k4", "k5"})
        begun(key);
    std::vector<std::string> all;
    SaleFilter filter{.limit = 2};
    for (int pages = 0; pages < 4; ++pages) {
        const auto page = clock.run(journal->list(filter)).value();
        for (const auto& one : page.sales)
            all.push_back(one.key);
        if (!page.next) break;
        filter.after = page.next;
    }
    EXPECT_THAT(all, ElementsAre("k5", "k4", "k3", "k2", "k1"));
}

TEST_P(JournalConformance, ListsSomeFamiliesAndOneTerminalWhateverItsFamily) {
    auto esim = sale("k1");
    esim.family = Family::esim;
    auto mine = sale("k2");
    mine.terminal = "quiosque";
    for (const auto& one : {esim, mine, sale("k3")})
        EXPECT_TRUE(is_recorded(clock.run(journal->begin(one))));
    const SaleFilter::Among among{.families = {Family::esim}, .or_terminal = "quiosque"};
    EXPECT_THAT(keys({.among = among}), ElementsAre("k2", "k1"));
}

TEST_P(JournalConformance, ASaleThatNeedsAPersonIsOnTheirList) {
    auto one = begun("k1");
    begun("k2");
    one.attention = Attention::unsettled;
    become(one, Status::CANCELADA, false, AttemptState::cancelling);
    EXPECT_THAT(keys({.attention = true}), ElementsAre("k1"));
    const auto marked = clock.run(journal->marked()).value();
    ASSERT_EQ(marked.size(), 1u);
    EXPECT_EQ(marked[0].id, one.id.str());
    EXPECT_EQ(marked[0].created_at, one.created_at);
    EXPECT_EQ(marked[0].terminal, "caixa-01");
    EXPECT_EQ(marked[0].valor, Cents{2500});
    EXPECT_EQ(marked[0].status, Status::CANCELADA);
    EXPECT_EQ(marked[0].attention, Attention::unsettled);
    EXPECT_EQ(marked[0].id_externo, one.current().id_externo.str());
}

TEST_P(JournalConformance, AnEntryOfAHistorySaysWhatItWasGiven) {
    auto one = begun();
    const auto change = change_of(one, Status::AUTORIZADA, false, AttemptState::confirming, clock.wall());
    ASSERT_TRUE(clock.run(journal->record(one, change, nullptr,
                                          {.event = "solicitar",
                                           .verdict = "authorised",
                                           .http_status = 200,
                                           .duration = 12ms,
                                           .detail = "two\nlines"})));
    const auto entry = clock.run(journal->history(one.id)).value().at(1).as_object();
    EXPECT_EQ(entry.at("event"), "solicitar");
    EXPECT_EQ(entry.at("known"), "authorised");
    EXPECT_EQ(entry.at("httpStatus"), 200);
    EXPECT_EQ(entry.at("durationMs"), 12);
    EXPECT_EQ(entry.at("state"), "confirming");
    EXPECT_EQ(entry.at("detail"), "two\nlines");
    EXPECT_EQ(entry.at("idExterno").as_string(), one.current().id_externo.text());
    EXPECT_TRUE(clock.run(journal->history(sale().id)).value().empty());
}

TEST_P(JournalConformance, AReceiptOfNoSaleIsNotCounted) {
    const auto counted = clock.run(journal->count_receipt(sale()));
    EXPECT_TRUE(counted.has_error() && counted.error() == errc::not_found);
    const auto noted = clock.run(journal->note_receipt(sale(), "Ana"));
    EXPECT_TRUE(noted.has_error() && noted.error() == errc::not_found);
}

TEST_P(JournalConformance, CallbacksAreKeptAsTheyCame) {
    auto one = sale();
    one.callback_secret = Secret("a-secret-nobody-guesses");
    ASSERT_TRUE(is_recorded(clock.run(journal->begin(one))));
    EXPECT_EQ(clock.run(journal->find_callback("a-secret-nobody-guesses")).value(), one.id);
    EXPECT_EQ(clock.run(journal->find_callback("another")).value(), std::nullopt);
    ASSERT_TRUE(clock.run(journal->keep_callback(one.id, "sale", true, Secret("{}"))));
    ASSERT_TRUE(clock.run(journal->keep_callback(one.id, "recharge", false, Secret("a\xff{"))));
    open();
    const auto kept = clock.run(journal->callbacks(one.id)).value();
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(kept[0].at("kind"), "sale");
    EXPECT_EQ(kept[0].at("valid"), true);
    EXPECT_EQ(kept[0].at("body"), "{}");
    EXPECT_EQ(kept[1].at("valid"), false);
    EXPECT_EQ(kept[1].at("body"), "a?{");
}

TEST_P(JournalConformance, EverythingIsReadWithTheKeysAndStaysReadableWhenTheyRotate) {
    open({first_key});
    EXPECT_TRUE(journal->encrypts());
    auto one = watched("k1");
    one.cashier = "Rita";
    EXPECT_EQ(duplicate_of(one), std::nullopt);
    const std::optional<KeptToken> token = KeptToken{.access = Secret("a"), .refresh = Secret("r")};
    ASSERT_TRUE(clock.run(journal->save_token(token)));
    open({second_key, first_key});
    auto rotated = KeyRotationState::in_progress;
    while (rotated == KeyRotationState::in_progress)
        rotated = clock.run(journal->rotate_keys()).value();
    EXPECT_EQ(rotated, KeyRotationState::finished);
    EXPECT_TRUE(clock.run(journal->forget_old_pages()));
    open({second_key});
    EXPECT_EQ(found(one.id).request, one.request);
    EXPECT_EQ(found(one.id).cashier, "Rita");
    EXPECT_EQ(duplicate_of(watched("k2")), one.id);
    EXPECT_EQ(clock.run(journal->load_token()).value()->access, Secret("a"));
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::nothing_to_do);
    EXPECT_EQ(journal->unreadable(), 0u);
}

TEST_P(JournalConformance, CountsWhatItWrites) {
    const auto before = journal->stats();
    begun("k1");
    EXPECT_TRUE(clock.run(journal->probe()));
    const auto after = journal->stats();
    EXPECT_EQ(after.steps, before.steps + 2);
    EXPECT_EQ(after.failures, before.failures);
    EXPECT_TRUE(journal->healthy());
    EXPECT_FALSE(journal->damaged());
    EXPECT_TRUE(clock.run(journal->check_files()));
    EXPECT_EQ(journal->moved_file(), std::nullopt);
}

TEST_P(JournalConformance, ADamagedSaleConcernsNoOtherAndIsReadAgainOnceRepaired) {
    const auto broken = begun("k1");
    const auto whole = begun("k2");
    storage->damage(broken.id);
    for (const bool again : {false, true}) {
        if (again) open();
        EXPECT_TRUE(is_unreadable(clock.run(journal->find(broken.id))));
        EXPECT_TRUE(again || is_unreadable(clock.run(journal->reread(broken.id))));
        EXPECT_EQ(found(whole.id).key, "k2");
        const auto page = clock.run(journal->list({})).value();
        EXPECT_THAT(page.sales, ElementsAre(Field(&Sale::id, whole.id)));
        EXPECT_THAT(page.unreadable, ElementsAre(broken.id.str()));
        EXPECT_THAT(clock.run(journal->list({.key = "k2"})).value().unreadable, IsEmpty());
        EXPECT_TRUE(clock.run(journal->give_back()).has_value());
        const auto unfinished = clock.run(journal->adopt()).value();
        EXPECT_THAT(unfinished.sales, ElementsAre(Field(&Sale::id, whole.id)));
        EXPECT_EQ(unfinished.unreadable, 1u);
        EXPECT_EQ(journal->unreadable(), 1u) << "it is counted once";
    }
    const auto marked = clock.run(journal->marked()).value();
    ASSERT_EQ(marked.size(), 1u);
    EXPECT_EQ(marked[0].id, broken.id.str());
    EXPECT_EQ(marked[0].attention, Attention::unreadable);
    EXPECT_EQ(clock.run(journal->find_key("caixa-01", "k1"))->sale, broken.id);
    auto other = sale("k1");
    EXPECT_EQ(clock.run(journal->begin(other))->sale, broken.id) << "its key stays taken";
    EXPECT_TRUE(clock.run(journal->history(broken.id)).has_value());
    EXPECT_TRUE(clock.run(journal->count_receipt(broken)).has_value());
    EXPECT_TRUE(clock.run(journal->erase_personal(clock.wall() + 1h)).has_value());
    storage->repair(broken.id);
    EXPECT_EQ(found(broken.id).key, "k1");
    EXPECT_TRUE(clock.run(journal->give_back()).has_value());
    EXPECT_EQ(clock.run(journal->adopt()).value().sales.size(), 2u);
}

}  // namespace gateway::test
