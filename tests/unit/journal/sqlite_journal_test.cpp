#include "journal/sqlite_journal.hpp"

#include "journal/list_query.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class JournalTest : public Test {
  protected:
    JournalTest() { open(); }
    ~JournalTest() override { journal.reset(); }

    void open() {
        journal.reset();
        auto opened = SqliteJournal::open(io.get_executor(), {.path = path, .durability = Durability::inline_}, clock);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    std::string why_not(const std::string& file) {
        auto opened = SqliteJournal::open(io.get_executor(), {.path = file, .durability = Durability::inline_}, clock);
        return opened.has_value() ? "" : opened.error();
    }
    Sale sale(std::string key = "k1") {
        clock.jump(1ms);
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.digest = "d";
        made.estabelecimento = "12345678";
        made.produto = "TV Mensal";
        made.valor = Cents{2500};
        made.request = Secret(R"({"cpf":"123.456.789-09"})");
        made.created_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        return made;
    }
    Sale begun(std::string key = "k1") {
        auto made = sale(std::move(key));
        EXPECT_TRUE(clock.run(journal->begin(made)).has_value());
        return made;
    }
    void become(Sale& made, Status status, bool settled, AttemptState state) {
        Change change{.at = clock.wall(), .attempt = made.attempts.size() - 1, .next = made.current()};
        change.next.state = state;
        change.status = status;
        change.settled = settled;
        change.attention = made.attention;
        change.reason = made.reason;
        ASSERT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.status = status;
        made.settled = settled;
        made.attempts.back() = change.next;
    }
    static unsigned mode(const std::string& file) {
        struct stat status {};
        EXPECT_EQ(::stat(file.c_str(), &status), 0);
        return status.st_mode & 0777u;
    }
    Sale found(SaleId id) { return clock.run(journal->find(id)).value().value(); }
    std::vector<std::string> keys(const SaleFilter& filter) {
        std::vector<std::string> all;
        for (const auto& one : clock.run(journal->list(filter)).value().sales)
            all.push_back(one.key);
        return all;
    }

    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<SqliteJournal> journal;
};

TEST_F(JournalTest, NothingIsWrittenWhileAFileBesideItHasLostItsName) {
    for (const std::string ending : {"-wal", "-shm", ".lock"}) {
        const auto place = path + ending;
        const auto elsewhere = folder.path("elsewhere");
        EXPECT_EQ(journal->moved_file(), std::nullopt);
        std::filesystem::rename(place, elsewhere);
        EXPECT_TRUE(clock.run(journal->probe()).has_error()) << ending;
        EXPECT_EQ(journal->moved_file(), ending);
        EXPECT_FALSE(journal->healthy());
        EXPECT_TRUE(clock.run(journal->begin(sale("while " + ending))).has_error());
        std::filesystem::rename(elsewhere, place);
        EXPECT_TRUE(clock.run(journal->probe()).has_value()) << ending;
        EXPECT_FALSE(journal->moved_file());
        EXPECT_TRUE(journal->healthy());
        begun("after " + ending);
    }
}

TEST_F(JournalTest, AFileBesideItThatIsAnotherOneIsNotItsOwn) {
    begun("k1");
    std::filesystem::rename(path + "-wal", folder.path("elsewhere"));
    std::filesystem::copy_file(folder.path("elsewhere"), path + "-wal");
    EXPECT_TRUE(clock.run(journal->check_files()).has_value());
    EXPECT_EQ(journal->moved_file(), "-wal");
}

TEST_F(JournalTest, OfAllFilesThatAreGoneTheJournalIsTheOneToSpeakOf) {
    for (const std::string ending : {"", "-wal", "-shm", ".lock"})
        std::filesystem::remove(path + ending);
    EXPECT_TRUE(clock.run(journal->check_files()).has_value());
    EXPECT_EQ(journal->moved_file(), "");
}

TEST_F(JournalTest, WhatItHoldsWithoutTheFilesBesideItIsInItOnceItIsClosed) {
    const auto made = begun("k1");
    for (const std::string ending : {"-wal", "-shm", ".lock"})
        std::filesystem::remove(path + ending);
    EXPECT_TRUE(clock.run(journal->probe()).has_error());
    open();
    EXPECT_EQ(clock.run(journal->find_key("caixa-01", "k1"))->sale, made.id);
    begun("k2");
}

TEST_F(JournalTest, NoneIsMadeInThePlaceOfOneThatSold) {
    begun("k1");
    const auto log = folder.path("log");
    std::filesystem::copy_file(path + "-wal", log);
    journal.reset();
    const auto elsewhere = folder.path("elsewhere.db");
    std::filesystem::rename(path, elsewhere);
    std::filesystem::rename(log, path + "-wal");
    const auto size_of_log = std::filesystem::file_size(path + "-wal");
    EXPECT_THAT(why_not(path), AllOf(HasSubstr("it is missing"), HasSubstr("Put it back"),
                                     HasSubstr("sales-gateway restore"), HasSubstr("remove " + path + ".lock")));
    EXPECT_FALSE(std::filesystem::exists(path));
    folder.write("journal.db", "");
    EXPECT_THAT(why_not(path), HasSubstr("it is empty"));
    EXPECT_EQ(std::filesystem::file_size(path + "-wal"), size_of_log) << "SQLite would have removed it";
    std::filesystem::rename(elsewhere, path);
    open();
    EXPECT_TRUE(clock.run(journal->find_key("caixa-01", "k1"))->sale);
}

TEST_F(JournalTest, OneOfAVersionThatNotedNothingIsNotedAtItsNextStart) {
    journal.reset();
    std::filesystem::resize_file(path + ".lock", 0);
    open();
    journal.reset();
    std::filesystem::remove(path);
    EXPECT_THAT(why_not(path), HasSubstr("it is missing"));
}

TEST_F(JournalTest, OneThatWasNeverFinishedOrIsWantedEmptyIsMade) {
    const auto unfinished = folder.write("unfinished.db", "");
    folder.write("unfinished.db.lock", "");
    EXPECT_EQ(why_not(unfinished), "");
    journal.reset();
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".lock");
    open();
}

TEST_F(JournalTest, AProbeReachesTheDiskAndChangesNothing) {
    begun();  // makes the log
    const auto size = [&] { return std::filesystem::file_size(path + "-wal"); };
    for (int i = 0; i < 3; ++i) {
        const auto before = size();
        ASSERT_TRUE(clock.run(journal->probe()).has_value());
        EXPECT_GT(size(), before);
    }
    EXPECT_EQ(clock.run(journal->erase_personal(clock.wall()))->sales, 0U)
        << "how far the erasure has come is as it was";
}

TEST_F(JournalTest, GivesBackASaleAsItWasRecorded) {
    auto made = begun();
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

TEST_F(JournalTest, AClockThatIsSetNeverStretchesADeadlineNorSkipsBelowNothing) {
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

TEST_F(JournalTest, AKeyHasOneFate) {
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

TEST_F(JournalTest, ASecondAttemptIsRecordedWithTheChangeThatLedToIt) {
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

TEST_F(JournalTest, KnowsWhatIsUnfinishedAndNothingElse) {
    auto done = begun("k1");
    become(done, Status::EFETIVADA, true, AttemptState::sold);
    const auto open_one = begun("k2");
    open();
    const auto unfinished = clock.run(journal->unfinished()).value().sales;
    ASSERT_EQ(unfinished.size(), 1u);
    EXPECT_EQ(unfinished[0].id, open_one.id);
}

TEST_F(JournalTest, ListsNewestFirstByEveryFilterAndInPages) {
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

TEST_F(JournalTest, ACallbackFindsItsSaleByItsSecretAndTheFileDoesNotHoldTheSecret) {
    auto made = sale();
    made.callback_secret = Secret("a-secret-nobody-guesses");
    ASSERT_TRUE(clock.run(journal->begin(made)).has_value());
    EXPECT_EQ(clock.run(journal->find_callback("a-secret-nobody-guesses")).value(), made.id);
    EXPECT_EQ(clock.run(journal->find_callback("another")).value(), std::nullopt);
    journal.reset();
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(bytes.find("a-secret-nobody-guesses"), std::string::npos);
}

TEST_F(JournalTest, KeepsTheToken) {
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

TEST_F(JournalTest, TellsAStoryInOrder) {
    auto made = begun();
    become(made, Status::AUTORIZADA, false, AttemptState::confirming);
    become(made, Status::EFETIVADA, true, AttemptState::sold);
    const auto story = clock.run(journal->history(made.id)).value();
    ASSERT_EQ(story.size(), 3u);
    EXPECT_EQ(story[0].at("event"), "begun");
    EXPECT_EQ(story[2].at("state"), "sold");
}

TEST_F(JournalTest, CountsPrintedReceipts) {
    const auto made = begun();
    EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), 0);
    EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), 1);
}

TEST_F(JournalTest, AStoryDoesNotGrowWithWhatIsOnlyRepeated) {
    auto made = begun();
    constexpr int often = 1000;
    for (int i = 0; i < often; ++i)
        become(made, Status::PENDENTE, false, AttemptState::cancelling);
    const auto long_one = clock.run(journal->history(made.id)).value().size();
    EXPECT_GT(long_one, 20u);
    EXPECT_LT(long_one, std::size_t{often} / 2);
    // What changes something is told all the same, and so is how often a receipt was printed, if not each time.
    become(made, Status::CANCELADA, true, AttemptState::cancelled);
    const auto story = clock.run(journal->history(made.id)).value();
    EXPECT_EQ(story.size(), long_one + 1);
    EXPECT_EQ(story.back().at("state"), "cancelled");
    for (int i = 0; i < often; ++i)
        EXPECT_EQ(clock.run(journal->count_receipt(made)).value(), i);
    EXPECT_EQ(clock.run(journal->history(made.id)).value().size(), long_one + 1);
}

TEST_F(JournalTest, ErasesPersonalFieldsOfOldSettledSalesAndOfOthersOnceTheyAreSettled) {
    auto settled = begun("k1");
    become(settled, Status::EFETIVADA, true, AttemptState::sold);
    auto open_one = begun("k2");
    clock.jump(24h);
    auto young = begun("k3");
    become(young, Status::EFETIVADA, true, AttemptState::sold);
    const auto cutoff = clock.wall() - 1h;
    EXPECT_EQ(clock.run(journal->erase_personal(cutoff)).value().sales, 1u);
    EXPECT_TRUE(found(settled.id).request.empty());
    EXPECT_EQ(found(settled.id).valor, Cents{2500});
    EXPECT_FALSE(found(open_one.id).request.empty());
    EXPECT_FALSE(found(young.id).request.empty());
    become(open_one, Status::CANCELADA, true, AttemptState::cancelled);
    EXPECT_EQ(clock.run(journal->erase_personal(cutoff)).value().sales, 1u);
    EXPECT_TRUE(found(open_one.id).request.empty());
    EXPECT_EQ(clock.run(journal->erase_personal(cutoff)).value().sales, 0u);
}

class LateJournalTest : public JournalTest {
  protected:
    static constexpr Duration retention = 90 * 24h;

    // The erasure has passed a sale.
    LateJournalTest() {
        passed = std::make_unique<Sale>(begun("k1"));
        become(*passed, Status::EFETIVADA, true, AttemptState::sold);
        clock.jump(retention + 1h);
        EXPECT_EQ(erase().sales, 1u);
    }
    Erased erase() { return clock.run(journal->erase_personal(clock.wall() - retention)).value(); }
    // Erases nothing now nor at the end of the retention; how many afterwards.
    std::size_t erased_after_the_retention() {
        EXPECT_EQ(erase().sales, 0u);
        clock.jump(retention - 1h);
        EXPECT_EQ(erase().sales, 0u);
        clock.jump(2h);
        const auto erased = erase().sales;
        EXPECT_EQ(erase().sales, 0u);
        return erased;
    }
    Sale sold_with_the_clock_behind(std::string key) {
        clock.shift_wall(-1000 * 24h);
        auto made = begun(std::move(key));
        become(made, Status::EFETIVADA, true, AttemptState::sold);
        clock.shift_wall(1000 * 24h);
        return made;
    }

    std::unique_ptr<Sale> passed;
};

TEST_F(LateJournalTest, ErasesASaleThatWasMadeWithAClockThatWasBehind) {
    const auto late = sold_with_the_clock_behind("k2");
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_F(LateJournalTest, KnowsAfterARestartHowFarTheErasureHasCome) {
    open();
    const auto late = sold_with_the_clock_behind("k2");
    open();
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_F(LateJournalTest, ErasesWhatIsWrittenLate) {
    Change change{.at = clock.wall(), .attempt = 0, .next = passed->current(), .status = passed->status};
    change.settled = true;
    change.reason = Reason{.code = ReasonCode::by_operator, .detail = "Maria said so"};
    change.details = TransactionDetails{};
    change.details->instrucao = Secret("PIN 1");
    change.esim = EsimDetails{.uuid = "u"};
    change.esim->msisdn = Secret("55");
    ASSERT_TRUE(clock.run(journal->record(*passed, change, nullptr, {.event = "resolved", .detail = "Maria said so"})));
    const auto note = [&] {
        const auto story = clock.run(journal->history(passed->id)).value();
        return story.back().as_object().contains("detail");
    };
    EXPECT_TRUE(note());
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_FALSE(note());
    const auto kept = found(passed->id);
    EXPECT_TRUE(kept.details.instrucao.empty() && !kept.esim && kept.reason->detail.empty());
}

TEST_F(LateJournalTest, ErasesACallbackThatComesLate) {
    ASSERT_TRUE(clock.run(journal->keep_callback(passed->id, "sale", true, Secret("{}"))).has_value());
    const auto body = [&] { return clock.run(journal->callbacks(passed->id)).value()[0].as_object().contains("body"); };
    EXPECT_TRUE(body());
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_FALSE(body());
}

TEST_F(LateJournalTest, WhatIsWrittenLateOfAnOpenSaleWaitsUntilItIsSettled) {
    clock.shift_wall(-1000 * 24h);
    auto late = begun("k2");
    clock.shift_wall(1000 * 24h);
    EXPECT_EQ(erased_after_the_retention(), 0u);
    become(late, Status::CANCELADA, true, AttemptState::cancelled);
    EXPECT_EQ(erase().sales, 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_F(LateJournalTest, WhatWasMetByAClockThatWasAheadIsMetAgain) {
    const auto late = sold_with_the_clock_behind("k2");
    clock.shift_wall(10 * 365 * 24h);
    EXPECT_EQ(clock.run(journal->erase_personal(WallTime())).value().sales, 0u);
    clock.shift_wall(-10 * 365 * 24h);
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_F(LateJournalTest, ComesBackToAFewAtATimeAndToAllOfThem) {
    constexpr std::size_t many = 450;
    for (std::size_t i = 0; i < many; ++i)
        sold_with_the_clock_behind("late-" + std::to_string(i));
    const auto round = [&] {
        std::size_t erased = 0;
        std::size_t passes = 1;
        for (auto pass = erase();; pass = erase(), ++passes) {
            EXPECT_LE(pass.sales, 200u);
            erased += pass.sales;
            if (!pass.more) break;
        }
        EXPECT_EQ(passes, 3u);
        return erased;
    };
    EXPECT_EQ(round(), 0u);
    clock.jump(retention + 1h);
    EXPECT_EQ(round(), many);
    EXPECT_FALSE(erase().more);
}

TEST_F(JournalTest, IsItsOwnersAlone) {
    for (const auto* ending : {"", "-wal", "-shm"})
        EXPECT_EQ(mode(path + ending), 0600u) << ending;
}

TEST_F(JournalTest, BecomesItsOwnersAloneWhereOthersCouldReadIt) {
    begun();
    const auto left = folder.path("left.db");  // as a process that was killed leaves it
    for (const auto* ending : {"", "-wal", "-shm"}) {
        std::filesystem::copy_file(path + ending, left + ending);
        ASSERT_EQ(::chmod((left + ending).c_str(), 0666), 0);
    }
    path = left;
    open();
    for (const auto* ending : {"", "-wal", "-shm"})
        EXPECT_EQ(mode(path + ending), 0600u) << ending;
    EXPECT_TRUE(clock.run(journal->find_key("caixa-01", "k1")).value().sale);
}

TEST_F(JournalTest, ASecondProcessIsRefused) {
    EXPECT_THAT(why_not(path), HasSubstr("another sales-gateway is running on it"));
}

TEST_F(JournalTest, IsTheSameBehindEveryLinkThatLeadsToIt) {
    const auto folder_link = folder.path("folder");
    const auto file_link = folder.path("link.db");
    std::filesystem::create_directory_symlink(folder.path(""), folder_link);
    std::filesystem::create_symlink(path, file_link);
    for (const auto& name : {folder_link + "/journal.db", file_link})
        EXPECT_THAT(why_not(name), HasSubstr("another sales-gateway is running on it")) << name;
    begun();
    for (const auto& name : {folder_link + "/journal.db", file_link}) {
        path = name;
        open();
        EXPECT_TRUE(clock.run(journal->find_key("caixa-01", "k1")).value().sale) << name;
    }
}

TEST_F(JournalTest, IsMadeWhereALinkLeads) {
    path = folder.path("link.db");
    std::filesystem::create_symlink(folder.path("other.db"), path);
    open();
    EXPECT_TRUE(std::filesystem::exists(folder.path("other.db")));
    EXPECT_EQ(mode(folder.path("other.db-wal")), 0600u);
}

TEST_F(JournalTest, AnotherProgramsDatabaseADamagedFileAndANewerOneAreRefusedAndLeftAlone) {
    const auto foreign = folder.path("foreign.db");
    ASSERT_TRUE(sqlite::Database::open(foreign, nullptr)->run("CREATE TABLE x (y)").has_value());
    EXPECT_THAT(why_not(foreign), HasSubstr("another program's database"));
    const auto damaged = folder.write("damaged.db", std::string(8192, 'x'));
    EXPECT_THAT(why_not(damaged), HasSubstr("damaged"));
    journal.reset();
    ASSERT_TRUE(sqlite::Database::open(path, nullptr)->run("PRAGMA user_version = 999").has_value());
    EXPECT_THAT(why_not(path), HasSubstr("newer version"));
    std::ifstream file(damaged);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(bytes, std::string(8192, 'x'));
}

TEST_F(JournalTest, EveryQueryOfAListUsesAnIndex) {
    using Choices = std::vector<void (*)(SaleFilter&)>;
    const auto nothing = [](SaleFilter&) {};
    // Every choice of one list with every choice of the others.
    const std::vector<Choices> all = {
        {nothing, [](SaleFilter& f) { f.estabelecimento = "e"; },
         [](SaleFilter& f) {
             f.estabelecimento = "e";
             f.among = SaleFilter::Among{.families = {Family::esim}, .or_terminal = "t"};
         }},
        {nothing, [](SaleFilter& f) { f.key = "k"; },
         [](SaleFilter& f) {
             f.key = "k";
             f.terminal = "t";
         }},
        {nothing, [](SaleFilter& f) { f.id_externo = "i"; }},
        {nothing, [](SaleFilter& f) { f.status = Status::PENDENTE; }, [](SaleFilter& f) { f.status = Status::NEGADA; },
         [](SaleFilter& f) { f.status = Status::EFETIVADA; }},
        {nothing, [](SaleFilter& f) { f.attention = true; }, [](SaleFilter& f) { f.attention = false; }},
        {nothing, [](SaleFilter& f) { f.from = WallTime(1h); }, [](SaleFilter& f) { f.to = WallTime(2h); },
         [](SaleFilter& f) {
             f.from = WallTime(1h);
             f.to = WallTime(2h);
         }},
        {nothing, [](SaleFilter& f) { f.after = SaleId(Ulid::first_at(WallTime(90min))); }},
    };
    std::vector<SaleFilter> filters(1);
    for (const auto& choices : all) {
        std::vector<SaleFilter> more;
        for (const auto& filter : filters)
            for (const auto choose : choices)
                choose(more.emplace_back(filter));
        filters = std::move(more);
    }
    auto database = std::move(*sqlite::Database::open(path, nullptr));
    for (const auto& filter : filters) {
        const auto query = list_query(filter);
        // What a list of these is about is few, whatever was sold: it may be looked at as a whole, and sorted.
        const bool few = query.sql.find("INDEXED BY sales_open ") != std::string::npos ||
                         query.sql.find("INDEXED BY sales_by_key ") != std::string::npos;
        sqlite::Statement plan(database, "EXPLAIN QUERY PLAN " + query.sql);
        plan.bind_texts(query.parameters);
        int steps = 0;
        while (plan.step().value()) {
            ++steps;
            EXPECT_TRUE(!plan.text(3).starts_with("SCAN") || plan.text(3).find("USING") != std::string_view::npos)
                << query.sql << ": " << plan.text(3);
            EXPECT_TRUE(few || plan.text(3).find("TEMP B-TREE") == std::string_view::npos)
                << query.sql << ": " << plan.text(3);
        }
        EXPECT_GT(steps, 0) << query.sql;
    }
}

// A journal in which `sold` sales of tv lie above one of eSIM, and as many below it.
class LongJournalTest : public JournalTest {
  protected:
    static constexpr std::size_t sold = 2 * rows_per_page;

    LongJournalTest() {
        const auto below = begun("below").id;
        auto one = sale("esim");
        one.family = Family::esim;
        EXPECT_TRUE(clock.run(journal->begin(one)).has_value());
        esim = one.id;
        const auto above = begun("above").id;
        auto database = std::move(*sqlite::Database::open(path, nullptr));
        for (const auto& id : {below, above})
            EXPECT_TRUE(database.run(copies(database, id).c_str()).has_value()) << database.message();
    }
    // Copies of a sale that follow it: its id counts in the last digits.
    std::string copies(sqlite::Database& database, const SaleId& id) {
        std::string columns;
        std::string values;
        sqlite::Statement names(database, "SELECT name FROM pragma_table_info('sales') WHERE name <> 'n'");
        while (names.step().value()) {
            const std::string name(names.text(0));
            columns += (columns.empty() ? "" : ", ") + name;
            values += values.empty() ? "" : ", ";
            if (name == "id")
                values += "substr(id, 1, 10) || printf('%016d', 9000000 + i)";
            else if (name == "key")
                values += "key || i";
            else
                values += name;
        }
        return "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < " + std::to_string(sold) +
               ") INSERT INTO sales (" + columns + ") SELECT " + values + " FROM sales, c WHERE id = '" + id.str() +
               "'";
    }

    std::optional<SaleId> esim;
};

TEST_F(LongJournalTest, AListLooksAtSoManySalesAndSaysWhereItGoesOn) {
    SaleFilter filter{.estabelecimento = "12345678",
                      .among = SaleFilter::Among{.families = {Family::esim}, .or_terminal = "quiosque"},
                      .limit = 10};
    auto page = clock.run(journal->list(filter)).value();
    EXPECT_THAT(page.sales, IsEmpty());
    ASSERT_TRUE(page.next) << "nothing was found yet, and that is not the end";
    std::vector<SaleId> found;
    std::size_t pages = 1;
    while (page.next) {
        EXPECT_TRUE(!filter.after || *page.next < *filter.after);
        filter.after = page.next;
        page = clock.run(journal->list(filter)).value();
        ++pages;
        for (const auto& one : page.sales)
            found.push_back(one.id);
    }
    EXPECT_THAT(found, ElementsAre(*esim));
    EXPECT_EQ(pages, 2 * sold / rows_per_page + 1);
}

TEST_F(LongJournalTest, WhereSalesBelongToTheListEveryPageIsFullWhateverWasSold) {
    SaleFilter filter{.estabelecimento = "12345678", .limit = 200};
    std::size_t found = 0;
    std::optional<SaleId> last;
    do {
        const auto page = clock.run(journal->list(filter)).value();
        EXPECT_TRUE(page.sales.size() == filter.limit || !page.next);
        for (const auto& one : page.sales) {
            EXPECT_TRUE(!last || one.id < *last);
            last = one.id;
        }
        found += page.sales.size();
        filter.after = page.next;
    } while (filter.after);
    EXPECT_EQ(found, 2 * sold + 3);
}

TEST_F(LongJournalTest, AKeyAnIdExternoAndWhatIsUnderWayAreFoundAtOnce) {
    const auto sale = found(*esim);
    EXPECT_THAT(keys({.key = "esim"}), ElementsAre("esim"));
    EXPECT_THAT(keys({.estabelecimento = "12345678", .id_externo = sale.current().id_externo.str()}),
                ElementsAre("esim"));
    auto database = std::move(*sqlite::Database::open(path, nullptr));
    ASSERT_TRUE(database.run("UPDATE sales SET settled = 1, status = 'EFETIVADA' WHERE family = 'tv'").has_value());
    EXPECT_THAT(keys({.estabelecimento = "12345678", .status = Status::PENDENTE}), ElementsAre("esim"));
}

}  // namespace
}  // namespace gateway::test
