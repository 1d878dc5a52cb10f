#include "journal/key_rotation.hpp"

#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

const Secret first(std::string(FieldCipher::key_size, 'a'));
const Secret second(std::string(FieldCipher::key_size, 'b'));

// Every one of them must be in no file of the journal.
const std::vector<std::string> personal{"123.456.789-09",  "PIN-998877",     "COMPLEMENTO-1", "55119998877",
                                        "https://ativa.x", "o cliente Jose", "Sr. Antonio",   "access-token",
                                        "refresh-token",   "callback-body",  "resgate-em",    "Rita do caixa"};

class KeyRotationTest : public Test {
  protected:
    ~KeyRotationTest() override { journal.reset(); }

    std::string open_with(const std::vector<Secret>& keys) {
        journal.reset();
        JournalOptions options{.path = path,
                               .keys = keys,
                               .random = &random,
                               .durability = Durability::inline_,
                               .log_bytes = short_log_bytes};
        auto opened = open_sqlite_journal(io.get_executor(), options, clock);
        if (opened.has_error()) return opened.error();
        journal = std::move(*opened);
        return "";
    }
    // A sale that has something in every column that is sealed.
    SaleId write_a_sale() {
        clock.jump(1ms);
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = made.id.str();
        made.digest = "digest";
        made.request = Secret(R"({"cpf":"123.456.789-09"})");
        made.redemption = "resgate-em";
        made.cashier = "Rita do caixa";
        made.duplicate_check = {.likeness = Secret("123.456.789-09"), .window = 5min, .wanted = true};
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random)});
        EXPECT_TRUE(clock.run(journal->begin(made)).has_value());
        Change change{.attempt = 0, .next = made.current(), .status = Status::NEGADA, .settled = true};
        change.next.state = AttemptState::refused;
        change.reason = Reason{.code = ReasonCode::by_operator, .detail = "Sr. Antonio"};
        change.reason->provider_body = Secret("o cliente Jose");
        change.details = TransactionDetails{.cnpj_cpf = "1"};
        change.details->instrucao = Secret("PIN-998877");
        change.details->complemento = Secret("COMPLEMENTO-1");
        change.esim = EsimDetails{.uuid = "u"};
        change.esim->msisdn = Secret("55119998877");
        change.esim->url = Secret("https://ativa.x");
        const HistoryEntry event{.event = "resolved", .detail = "Sr. Antonio"};
        EXPECT_TRUE(clock.run(journal->record(made, change, nullptr, event)).has_value());
        EXPECT_TRUE(clock.run(journal->keep_callback(made.id, "sale", false, Secret("callback-body"))).has_value());
        return made.id;
    }
    void write_a_token() {
        const std::optional<KeptToken> token =
            KeptToken{.access = Secret("access-token"), .refresh = Secret("refresh-token")};
        EXPECT_TRUE(clock.run(journal->save_token(token)).has_value());
    }
    void expect_all_readable(SaleId id) {
        const auto sale = clock.run(journal->find(id)).value().value();
        EXPECT_EQ(sale.digest, "digest");
        EXPECT_EQ(sale.request.reveal(), R"({"cpf":"123.456.789-09"})");
        EXPECT_EQ(sale.redemption, "resgate-em");
        EXPECT_EQ(sale.cashier, "Rita do caixa");
        EXPECT_EQ(sale.reason->detail, "Sr. Antonio");
        EXPECT_EQ(sale.reason->provider_body.reveal(), "o cliente Jose");
        EXPECT_EQ(sale.details.cnpj_cpf, "1");
        EXPECT_EQ(sale.details.instrucao.reveal(), "PIN-998877");
        EXPECT_EQ(sale.details.complemento.reveal(), "COMPLEMENTO-1");
        EXPECT_EQ(sale.esim->url.reveal(), "https://ativa.x");
        EXPECT_EQ(sale.attention, Attention::none);
        EXPECT_EQ(clock.run(journal->history(id)).value()[1].at("detail"), "Sr. Antonio");
        EXPECT_EQ(clock.run(journal->callbacks(id)).value()[0].at("body"), "callback-body");
        const auto token = clock.run(journal->load_token()).value();
        EXPECT_EQ(token->access.reveal(), "access-token");
        EXPECT_EQ(token->refresh.reveal(), "refresh-token");
        EXPECT_EQ(journal->unreadable(), 0U);
    }
    // How many steps it took.
    int reseal() {
        for (int steps = 1;; ++steps)
            if (clock.run(journal->rotate_keys()).value() != KeyRotationState::in_progress) return steps;
    }
    std::vector<std::string> found_in_files() {
        std::string bytes;
        for (const auto* end : {"", "-wal"})
            bytes += contents_of(path + end);
        std::vector<std::string> found;
        for (const auto& value : personal)
            if (bytes.find(value) != std::string::npos) found.push_back(value);
        return found;
    }
    void damage(const std::string& sql) {
        auto database = *sqlite::Database::open(path, nullptr);
        ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message();
    }

    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

TEST_F(KeyRotationTest, WithAKeyNoFileHoldsAPersonalValueAndTheJournalGivesAllOfThemBack) {
    ASSERT_EQ(open_with({first}), "");
    const auto id = write_a_sale();
    write_a_token();
    EXPECT_THAT(found_in_files(), IsEmpty());
    ASSERT_EQ(open_with({first}), "");
    EXPECT_THAT(found_in_files(), IsEmpty());
    expect_all_readable(id);
}

TEST_F(KeyRotationTest, ANewJournalHasNothingToSealAnew) {
    ASSERT_EQ(open_with({first}), "");
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::nothing_to_do);
    ASSERT_EQ(open_with({first}), "");
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::nothing_to_do);
}

TEST_F(KeyRotationTest, AJournalWithoutAKeyIsSealedOnceItHasOne) {
    ASSERT_EQ(open_with({}), "");
    const auto id = write_a_sale();
    write_a_token();
    EXPECT_EQ(found_in_files(), personal);
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::nothing_to_do);
    ASSERT_EQ(open_with({first}), "");
    expect_all_readable(id);
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::finished);
    EXPECT_TRUE(clock.run(journal->forget_old_pages()).has_value());
    EXPECT_THAT(found_in_files(), IsEmpty());
    expect_all_readable(id);
}

TEST_F(KeyRotationTest, ChangesTheKeyOfManySalesInStepsAndThenTheOldKeyIsNotNeeded) {
    ASSERT_EQ(open_with({first}), "");
    std::vector<SaleId> ids;
    for (int i = 0; i < 250; ++i)
        ids.push_back(write_a_sale());
    write_a_token();
    ASSERT_EQ(open_with({second, first}), "");
    ids.push_back(write_a_sale());
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::in_progress);
    // A stop in the middle: it goes on where it was.
    ASSERT_EQ(open_with({second, first}), "");
    EXPECT_EQ(reseal(), 2);
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::nothing_to_do);
    ASSERT_EQ(open_with({second}), "");
    for (const auto id : ids)
        expect_all_readable(id);
}

TEST_F(KeyRotationTest, AKeyThatIsStillNeededIsAskedForByName) {
    ASSERT_EQ(open_with({first}), "");
    const auto id = write_a_sale();
    write_a_token();
    const FieldCipher cipher({first}, random);
    EXPECT_THAT(open_with({}), AllOf(HasSubstr("no journal.key_file is configured"), HasSubstr(cipher.current())));
    EXPECT_THAT(open_with({second}), AllOf(HasSubstr("does not hold"), HasSubstr(cipher.current())));
    // Refused, and nothing was changed: the right key still does.
    ASSERT_EQ(open_with({first}), "");
    expect_all_readable(id);
    ASSERT_EQ(open_with({second, first}), "");
    EXPECT_THAT(open_with({second}), HasSubstr("does not hold"));
}

TEST_F(KeyRotationTest, WhatIsRefusedForItsKeysIsLeftAsItIs) {
    ASSERT_EQ(open_with({first}), "");
    write_a_sale();
    journal.reset();
    {
        // As a restored copy is, or a journal of an older version: a start that succeeds changes the file at once.
        auto file = *sqlite::Database::open(path, nullptr);
        ASSERT_TRUE(file.run("PRAGMA journal_mode = DELETE").has_value());
    }
    const auto before = contents_of(path);
    EXPECT_NE(open_with({second}), "");
    EXPECT_NE(open_with({}), "");
    EXPECT_EQ(contents_of(path), before);
    EXPECT_EQ(open_with({first}), "");
    EXPECT_NE(contents_of(path), before);
}

TEST_F(KeyRotationTest, AChangeThatIsTakenBackIsFinishedInTheOtherDirection) {
    ASSERT_EQ(open_with({first}), "");
    std::vector<SaleId> ids;
    for (int i = 0; i < 150; ++i)
        ids.push_back(write_a_sale());
    write_a_token();
    ASSERT_EQ(open_with({second, first}), "");
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::in_progress);
    ASSERT_EQ(open_with({first, second}), "");
    EXPECT_EQ(reseal(), 2);
    ASSERT_EQ(open_with({first}), "");
    for (const auto id : ids)
        expect_all_readable(id);
}

TEST_F(KeyRotationTest, AValueThatWasAlteredAsksForAPersonOnceAndTakesNothingElseWithIt) {
    ASSERT_EQ(open_with({first}), "");
    const auto id = write_a_sale();
    const auto other = write_a_sale();
    write_a_token();
    damage("UPDATE sales SET goods = (SELECT goods FROM sales WHERE id = '" + other.str() + "') WHERE id = '" +
           id.str() + "'");
    auto sale = clock.run(journal->find(id)).value().value();
    EXPECT_TRUE(sale.details.instrucao.empty());
    EXPECT_EQ(sale.request.reveal(), R"({"cpf":"123.456.789-09"})");
    EXPECT_EQ(sale.attention, Attention::unreadable);
    EXPECT_EQ(journal->unreadable(), 1U);
    const SaleFilter needy{.attention = true};
    EXPECT_EQ(clock.run(journal->list(needy)).value().sales.size(), 1U);
    EXPECT_EQ(clock.run(journal->history(id)).value()[2].at("event"), "unreadable");
    EXPECT_EQ(clock.run(journal->find(other)).value()->details.instrucao.reveal(), "PIN-998877");
    EXPECT_EQ(journal->unreadable(), 1U) << "it is one value, however often it is read";

    // A person clears the mark, and is not asked again.
    Change change{.attempt = 0, .next = sale.current(), .status = sale.status, .settled = true};
    ASSERT_TRUE(clock.run(journal->record(sale, change, nullptr, {.event = "resolved"})).has_value());
    sale = clock.run(journal->find(id)).value().value();
    EXPECT_EQ(sale.attention, Attention::none);
}

TEST_F(KeyRotationTest, AnAlteredValueIsLeftAsItIsAndStopsNoChangeOfTheKey) {
    ASSERT_EQ(open_with({first}), "");
    const auto id = write_a_sale();
    write_a_token();
    damage(
        "UPDATE sales SET request = x'0102030405'; UPDATE callbacks SET body = x'01';"
        " UPDATE notes SET note = x'02'; UPDATE token SET refresh = x'03';"
        " UPDATE duplicate_key SET key = x'04'");
    ASSERT_EQ(open_with({second, first}), "");
    EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::finished);
    EXPECT_EQ(journal->unreadable(), 5U);
    ASSERT_EQ(open_with({second}), "");
    const auto sale = clock.run(journal->find(id)).value().value();
    EXPECT_EQ(sale.details.instrucao.reveal(), "PIN-998877");
    EXPECT_TRUE(sale.request.empty());
    EXPECT_FALSE(clock.run(journal->load_token()).value().has_value());
}

TEST_F(KeyRotationTest, WhatIsOldEnoughIsErasedWhetherSealedOrNot) {
    for (const auto& keys : {std::vector<Secret>{}, std::vector<Secret>{first}}) {
        ASSERT_EQ(open_with(keys), "");
        const auto id = write_a_sale();
        clock.jump(24h);
        EXPECT_EQ(clock.run(journal->erase_personal(clock.wall())).value().sales, 1U);
        const auto sale = clock.run(journal->find(id)).value().value();
        EXPECT_TRUE(sale.request.empty() && sale.details.instrucao.empty() && !sale.esim && sale.cashier.empty());
        EXPECT_EQ(sale.reason->code, ReasonCode::by_operator);
        EXPECT_TRUE(sale.reason->provider_body.empty() && sale.reason->detail.empty());
        EXPECT_EQ(clock.run(journal->history(id)).value()[1].as_object().if_contains("detail"), nullptr);
        EXPECT_EQ(clock.run(journal->callbacks(id)).value()[0].as_object().if_contains("body"), nullptr);
        EXPECT_EQ(journal->unreadable(), 0U);
    }
}

TEST_F(KeyRotationTest, ACallbackThatIsNoTextIsShownAsFarAsItIs) {
    ASSERT_EQ(open_with({first}), "");
    const auto id = write_a_sale();
    ASSERT_TRUE(clock.run(journal->keep_callback(id, "recharge", false, Secret("a\xff{"))).has_value());
    const auto kept = clock.run(journal->callbacks(id)).value();
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[1].at("body"), "a?{");
    EXPECT_EQ(kept[1].at("kind"), "recharge");
    EXPECT_EQ(kept[1].at("valid"), false);
}

}  // namespace
}  // namespace gateway::test
