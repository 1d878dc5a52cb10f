#include "journal/key_rotation.hpp"

#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

// None of these may be in any file of the journal.
const std::vector<std::string> personal{"123.456.789-09",  "PIN-998877",     "COMPLEMENTO-1", "55119998877",
                                        "https://ativa.x", "o cliente Jose", "Sr. Antonio",   "access-token",
                                        "refresh-token",   "callback-body",  "resgate-em",    "Rita do caixa"};

class KeyRotationTest : public SqliteRig {
  protected:
    std::vector<Sale> write(int sales) {
        std::vector<Sale> all;
        for (int i = 0; i < sales; ++i)
            all.push_back(full("k" + std::to_string(++written_)));
        ask(journal->save_token(KeptToken{.access = Secret("access-token"), .refresh = Secret("refresh-token")}));
        return all;
    }
    void expect_all_readable(const std::vector<Sale>& sales) {
        for (const auto& sale : sales) {
            EXPECT_EQ(kept_of(found(sale.id)), kept_of(sale));
            EXPECT_EQ(history(sale).back().detail, "Sr. Antonio");
            EXPECT_EQ(ask(journal->callbacks(sale.id))[0].body->reveal(), "callback-body");
        }
        const auto token = ask(journal->load_token());
        EXPECT_EQ(token->access.reveal(), "access-token");
        EXPECT_EQ(token->refresh.reveal(), "refresh-token");
        EXPECT_EQ(journal->stats().unreadable, 0U);
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

  private:
    int written_ = 0;
};

TEST_F(KeyRotationTest, WithAKeyNoFileHoldsAPersonalValueAndTheJournalGivesAllOfThemBack) {
    open({first_key});
    const auto sales = write(1);
    for (const bool again : {false, true}) {
        if (again) open({first_key});
        EXPECT_THAT(found_in_files(), IsEmpty());
        expect_all_readable(sales);
        EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::nothing_to_do);
    }
}

TEST_F(KeyRotationTest, AJournalWithoutAKeyIsEncryptedOnceItHasOne) {
    open();
    const auto sales = write(1);
    EXPECT_EQ(found_in_files(), personal);
    EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::nothing_to_do);
    open({first_key});
    expect_all_readable(sales);
    EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::finished);
    ask(journal->forget_old_pages());
    EXPECT_THAT(found_in_files(), IsEmpty());
    expect_all_readable(sales);
}

// Pages that are moved out of a log that is not on the disk may be torn by a power cut, and the log does not have them.
TEST_F(KeyRotationTest, OldPagesAreForgottenOnlyWhenTheLogIsOnTheDisk) {
    open();
    CountingVfs::counted.flush_fails = true;
    EXPECT_TRUE(clock.run(journal->probe()).has_error());
    CountingVfs::counted.flush_fails = false;
    EXPECT_EQ(clock.run(journal->forget_old_pages()).error(), errc::journal_unavailable);
    ask(journal->probe());
    ask(journal->forget_old_pages());
}

TEST_F(KeyRotationTest, ChangesTheKeyOfManySalesInStepsAndThenTheOldKeyIsNotNeeded) {
    open({first_key});
    auto sales = write(250);
    open({second_key, first_key});
    sales.push_back(write(1).front());
    EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::in_progress);
    // After a stop in the middle it goes on where it was.
    open({second_key, first_key});
    EXPECT_EQ(rotate(), 2);
    EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::nothing_to_do);
    open({second_key});
    expect_all_readable(sales);
}

TEST_F(KeyRotationTest, AChangeThatIsTakenBackIsFinishedInTheOtherDirection) {
    open({first_key});
    const auto sales = write(150);
    open({second_key, first_key});
    EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::in_progress);
    open({first_key, second_key});
    EXPECT_EQ(rotate(), 2);
    open({first_key});
    expect_all_readable(sales);
}

TEST_F(KeyRotationTest, AKeyThatIsStillNeededIsAskedForByNameAndNothingIsChanged) {
    open({first_key});
    const auto sales = write(1);
    journal.reset();
    // A restored copy has this mode, and so has a journal of an older version: a start that succeeds changes the file
    // at once.
    sql("PRAGMA journal_mode = DELETE");
    const auto before = contents_of(path);
    const FieldCipher cipher({first_key}, random);
    EXPECT_THAT(why_not({}), AllOf(HasSubstr("no journal.key_file is configured"), HasSubstr(cipher.current())));
    EXPECT_THAT(why_not({second_key}), AllOf(HasSubstr("does not hold"), HasSubstr(cipher.current())));
    EXPECT_EQ(contents_of(path), before);
    open({first_key});
    EXPECT_NE(contents_of(path), before);
    expect_all_readable(sales);
    open({second_key, first_key});
    EXPECT_THAT(why_not({second_key}), HasSubstr("does not hold"));
}

TEST_F(KeyRotationTest, AValueThatWasAlteredAsksForAPersonOnceAndTakesNothingElseWithIt) {
    open({first_key});
    const auto sales = write(2);
    const auto id = sales[0].id;
    sql(fmt::format("UPDATE sales SET goods = (SELECT goods FROM sales WHERE id = '{}') WHERE id = '{}'",
                    sales[1].id.str(), id.str()));
    auto sale = found(id);
    EXPECT_TRUE(sale.details.instrucao.empty());
    EXPECT_EQ(sale.request, sales[0].request);
    EXPECT_EQ(sale.attention, Attention::unreadable);
    EXPECT_THAT(keys({.attention = true}), ElementsAre(sale.key));
    EXPECT_EQ(history(sale).back().event, "unreadable");
    EXPECT_EQ(history(sale).back().id_externo, sale.current().id_externo.text());
    EXPECT_EQ(kept_of(found(sales[1].id)), kept_of(sales[1]));
    EXPECT_EQ(journal->stats().unreadable, 1U) << "it is one value, however often it is read";

    // After a person has cleared the mark, nobody is asked again.
    auto cleared = change_to(sale, AttemptState::sold);
    cleared.attention = Attention::none;
    record(sale, cleared, {.event = "resolved"});
    EXPECT_EQ(found(id).attention, Attention::none);
}

TEST_F(KeyRotationTest, AnAlteredValueIsLeftAsItIsAndStopsNoChangeOfTheKey) {
    open({first_key});
    const auto id = write(2).front().id;
    sql("UPDATE sales SET request = x'0102030405'; UPDATE callbacks SET body = x'01'; UPDATE notes SET note = x'02';"
        " UPDATE token SET refresh = x'03'; UPDATE duplicate_key SET key = x'04'");
    open({second_key, first_key});
    EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::finished);
    EXPECT_EQ(journal->stats().unreadable, 8U) << "three of each sale, and two that belong to none";
    open({second_key});
    EXPECT_EQ(found(id).details.instrucao.reveal(), "PIN-998877");
    EXPECT_TRUE(found(id).request.empty());
    EXPECT_FALSE(ask(journal->load_token()));
}

}  // namespace
}  // namespace gateway::test
