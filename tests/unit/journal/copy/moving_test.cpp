#include "journal/copy/moving.hpp"

#include "base/wall_time.hpp"
#include "unit/journal/copy/rig.hpp"

namespace gateway::moving::test {
namespace {

using namespace testing;

class MoveJournal : public MovingTest {
  protected:
    // Interrupts each call after a growing number of batches or tables. Returns how many calls it took until the
    // journal was moved.
    int move_in_pieces(const std::string& from, const std::string& to, int length) {
        for (int calls = 1; calls < 200; ++calls) {
            int left = length;
            const auto moved = move(from, to, [&] { return --left < 0; });
            EXPECT_TRUE(moved.has_value()) << moved.error();
            if (moved.has_error() || *moved == Moved::now) return calls;
            // This holds as soon as something has arrived: no gateway may take it for a journal.
            length = length + length / 3 + 1;
        }
        return 0;
    }

    // Ends the call when something has arrived, but not all.
    void move_in_part(const std::string& from, const std::string& to) {
        int batches = 3;
        ASSERT_EQ(*move(from, to, [&] { return --batches < 0; }), Moved::stopped);
    }

    OwnDatabase database;
    const std::string url = database.url();
};

TEST_F(MoveJournal, EveryValueArrivesAsItWasAndComesBack) {
    make_odd_journal("a.db", 2'345);
    const auto before = everything("a.db");
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_EQ(database.sql("SELECT count(*), max(valor), count(DISTINCT key) FROM sales"),
              "2347|9223372036854775807|2347");
    EXPECT_EQ(database.sql("SELECT key, sale, cancelled_at FROM keys WHERE sale IS NULL OR sale < 'T' ORDER BY key"),
              "|S7|\nB||6\nb||5\nk'1|S1|\né||7");
    EXPECT_EQ(database.sql("SELECT encode(digest, 'hex'), encode(request, 'hex'), encode(words, 'escape') FROM sales"
                           " WHERE id = 'S1'"),
              "730100ff00|7300|twords \\360\\237\\230\\200");
    EXPECT_EQ(database.sql("SELECT count(*) FROM sales WHERE owner <> '' OR term <> 1 OR step <> 0"), "0");
    ASSERT_EQ(why_not(url, "b.db"), "");
    EXPECT_EQ(everything("b.db"), before);
    EXPECT_EQ(everything("a.db"), before) << "the source is left as it was";
}

TEST_F(MoveJournal, AnEmptyJournalIsMovedToo) {
    make_journal("a.db");
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_EQ(start_postgres(url), "");
    EXPECT_EQ(run(journal->load_token()).value(), std::nullopt);
    ASSERT_TRUE(run(journal->save_token(KeptToken{.access = Secret("a"), .refresh = Secret("r")})).has_value());
    EXPECT_TRUE(run(journal->load_token()).value().has_value());
    stop_postgres();
    ASSERT_EQ(why_not(url, "b.db"), "");
    EXPECT_EQ(start_sqlite("b.db"), "");
    EXPECT_TRUE(run(journal->load_token()).value().has_value());
}

TEST_F(MoveJournal, NobodyIsSignedInAtTheConsoleOfTheCopy) {
    make_journal("a.db");
    sqlite("a.db", "INSERT INTO console_sessions VALUES ('d', '', '{}')");
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_EQ(database.sql("SELECT count(*) FROM console_sessions"), "0");
}

TEST_F(MoveJournal, NoGatewayStartsOnWhatWasMovedAwayAndOneDoesOnTheCopy) {
    make_odd_journal("a.db", 0);
    sqlite("a.db", "DELETE FROM sealing_keys");
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_THAT(start_sqlite("a.db"), AllOf(HasSubstr("it was moved to " + url), HasSubstr("let journal.url")));
    EXPECT_EQ(start_postgres(url), "");
    stop_postgres();
    ASSERT_EQ(why_not(url, "b.db"), "");
    EXPECT_THAT(start_postgres(url),
                AllOf(HasSubstr("it was moved to " + folder.path("b.db")), HasSubstr("let journal.path")));
    EXPECT_EQ(start_sqlite("b.db"), "");
}

// Every commit of a gateway changes a row of this table or adds one before anything else.
TEST_F(MoveJournal, NoCommitIsCountedInADatabaseThatWasMovedAway) {
    make_odd_journal("a.db", 0);
    ASSERT_EQ(why_not("a.db", url), "");
    database.sql("INSERT INTO commits VALUES ('box-1', 0, 7)");
    ASSERT_EQ(why_not(url, "b.db"), "");
    for (const std::string write :
         {"UPDATE commits SET made = made + 1", "INSERT INTO commits VALUES ('box-2', 0, 0) ON CONFLICT DO NOTHING"})
        EXPECT_EQ(database.sql("DO $$ BEGIN " + write +
                               "; ASSERT false; EXCEPTION WHEN check_violation THEN NULL; END $$; SELECT 'refused'"),
                  "refused")
            << write;
}

TEST_F(MoveJournal, ItGoesOnAfterAnInterruptionAtAnyPlace) {
    make_odd_journal("a.db", 4'321);
    const auto before = everything("a.db");
    EXPECT_GT(move_in_pieces("a.db", url, 1), 5);
    EXPECT_GT(move_in_pieces(url, "b.db", 1), 5);
    EXPECT_EQ(everything("b.db"), before);
    EXPECT_THAT(progress.begun, Contains("copying sales from 1000 of 4323"));
    EXPECT_THAT(progress.said, HasSubstr("going on with the copy"));
    EXPECT_THAT(progress.said, Not(HasSubstr("copied anew")));
}

TEST_F(MoveJournal, NoGatewayStartsOnACopyThatIsNotWhole) {
    make_odd_journal("a.db", 1'500);
    move_in_part("a.db", url);
    const auto of = [](const std::string& from, const std::string& to) {
        return "sales-gateway copy-journal --from " + from + " --to " + to + " (with --password-file FILE where";
    };
    const auto in_quotes = "'" + url + "'";  // it contains a ?, which has a meaning to a shell
    EXPECT_THAT(start_postgres(url),
                AllOf(StartsWith("the journal " + url + " cannot be used: "), HasSubstr("that is not whole yet"),
                      HasSubstr(" began it at " + to_local_text(clock.wall()).substr(0, 10) + " "),
                      HasSubstr(" (" + local_offset(clock.wall()) + "). "),
                      HasSubstr("Unless that is at work still, call " + of(folder.path("a.db"), in_quotes)),
                      HasSubstr("has been used since, it copies all of it anew")));
    ASSERT_EQ(why_not("a.db", url), "");
    move_in_part(url, "b.db");
    EXPECT_THAT(start_sqlite("b.db"), AllOf(HasSubstr("that is not whole yet"), Not(HasSubstr("at work still")),
                                            HasSubstr("Call " + of(in_quotes, folder.path("b.db")))));
    EXPECT_THAT(why_not("b.db", "c.db"), HasSubstr("that is not whole yet"));
}

TEST_F(MoveJournal, AGatewayThatSellsInBetweenHasAllOfItCopiedAnew) {
    make_odd_journal("a.db", 2'000);
    sqlite("a.db", "DELETE FROM sealing_keys");
    move_in_part("a.db", url);
    ASSERT_EQ(start_sqlite("a.db"), "");
    journal.reset();
    sqlite("a.db", "UPDATE sales SET status = 'CANCELADA' WHERE n = 1");
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_THAT(progress.said, HasSubstr("copied anew"));
    EXPECT_EQ(database.sql("SELECT status FROM sales WHERE n = 1"), "CANCELADA");

    move_in_part(url, "b.db");
    ASSERT_EQ(start_postgres(url), "");
    stop_postgres();
    database.sql("UPDATE sales SET status = 'NEGADA' WHERE n = 1");
    progress.said.clear();
    ASSERT_EQ(why_not(url, "b.db"), "");
    EXPECT_THAT(progress.said, HasSubstr("copied anew"));
    EXPECT_EQ(sqlite_text("b.db", "SELECT status FROM sales WHERE n = 1"), "NEGADA\n");
}

// The comparison finds a change that no gateway has made.
TEST_F(MoveJournal, AnyDifferenceIsNamedAndNothingIsMarked) {
    make_odd_journal("a.db", 10);
    sqlite("a.db", "DELETE FROM sealing_keys");
    struct Fault {
        const char* sql;
        const char* words;
    };
    for (const auto& [sql, words] :
         {Fault{"UPDATE sales SET words = decode('00', 'hex') WHERE n = 1", "table sales, row n 1, column words"},
          Fault{"UPDATE sales SET day = NULL WHERE n = 15", "table sales, row n 15, column day"},
          Fault{"DELETE FROM id_externos WHERE id_externo = 'É'",
                "table id_externos, row id_externo É has not arrived"},
          Fault{"INSERT INTO notes VALUES (11, 'S1', NULL)", "table notes, row n 11 is only in the copy"},
          Fault{"DELETE FROM closes WHERE number = 1",
                "row estabelecimento 000123, number 2, series 2 stands where row estabelecimento 000123, number 1"},
          Fault{"UPDATE keys SET sale = NULL, cancelled_at = 1 WHERE key = 'k10'", "table cancelled_keys, row"},
          Fault{"UPDATE keys SET sale = 'S7' WHERE key = 'k10'", "is damaged: 1 sales have no key"}}) {
        const OwnDatabase other;
        progress.on_begin = [&, sql = sql](const std::string& what) {
            if (what == "copying " + all_tables().back().name) other.sql(sql);
        };
        EXPECT_THAT(why_not("a.db", other.url()), HasSubstr(words)) << sql;
        EXPECT_THAT(start_postgres(other.url()), HasSubstr("that is not whole yet"));
        EXPECT_EQ(start_sqlite("a.db"), "") << "the source sells on";
        journal.reset();
    }
}

TEST_F(MoveJournal, NothingIsWrittenOver) {
    make_odd_journal("a.db", 0);
    make_odd_journal("b.db", 0);
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_THAT(why_not("b.db", url), HasSubstr("there is a journal at " + url + " already"));
    EXPECT_THAT(why_not(url, "b.db"), HasSubstr("there is a journal at " + folder.path("b.db") + " already"));
    EXPECT_THAT(why_not(url, "a.db"), HasSubstr("that was moved to " + url));
    const OwnDatabase other;
    move_in_part(url, other.url());
    EXPECT_THAT(why_not("b.db", other.url()), HasSubstr("is an unfinished copy of " + url + ", and not of"));
    EXPECT_THAT(why_not("b.db", url), HasSubstr("is itself being copied"));
    EXPECT_THAT(why_not(url, url), HasSubstr("is both where from and where to"));
    EXPECT_THAT(why_not("nowhere.db", "c.db"), HasSubstr("there is no journal"));
    EXPECT_THAT(why_not(OwnDatabase().url(), "c.db"), HasSubstr("there is no journal at"));
}

TEST_F(MoveJournal, ANewJournalThatNobodyUsedMayBeInThePlace) {
    make_odd_journal("a.db", 0);
    ASSERT_EQ(start_postgres(url), "");
    stop_postgres();
    make_journal("b.db");
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_EQ(why_not(url, "b.db"), "");
    EXPECT_EQ(everything("a.db"), everything("b.db"));
}

TEST_F(MoveJournal, ItIsEndedWhereItStoppedBetweenTheLastTwoSteps) {
    make_odd_journal("a.db", 0);
    ASSERT_EQ(why_not("a.db", url), "");
    const auto copy = sqlite_text("a.db", "SELECT copy FROM moving");
    database.sql("INSERT INTO moving VALUES (1, 'arriving', '" + copy.substr(0, copy.size() - 1) + "', '" +
                 folder.path("a.db") + "', 5)");
    EXPECT_THAT(start_postgres(url), HasSubstr("not whole yet"));
    EXPECT_EQ(why_not("a.db", url), "");
    EXPECT_EQ(database.sql("SELECT count(*) FROM moving"), "0");
    EXPECT_EQ(why_not("a.db", url), "earlier");
    EXPECT_THAT(why_not("a.db", "b.db"), HasSubstr("was moved to " + url));

    ASSERT_EQ(why_not(url, "b.db"), "");
    const auto back = database.sql("SELECT copy FROM moving");
    sqlite("b.db", "INSERT INTO moving VALUES (1, 'arriving', '" + back + "', '" + url + "', 5)");
    EXPECT_THAT(start_sqlite("b.db"), HasSubstr("not whole yet"));
    EXPECT_EQ(why_not(url, "b.db"), "");
    EXPECT_EQ(sqlite_text("b.db", "SELECT state FROM moving"), "");
    EXPECT_EQ(why_not(url, "b.db"), "earlier");
}

TEST_F(MoveJournal, WhatIsEncryptedIsReadWithTheKeyOnTheOtherSide) {
    const std::vector<Secret> keys{Secret(std::string(32, 'a'))};
    ASSERT_EQ(start_sqlite("a.db", keys), "");
    Sale sale{.id = SaleId::make(clock.wall(), random)};
    sale.terminal = "caixa-01";
    sale.key = "k";
    sale.digest = "d";
    sale.estabelecimento = "12345678";
    sale.request = Secret(R"({"cpf":"123.456.789-09"})");
    sale.created_at = clock.wall();
    sale.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
    ASSERT_TRUE(run(journal->begin(sale)).has_value());
    const auto cancelled = run(journal->cancel_key("caixa-01", "other"));
    ASSERT_TRUE(cancelled.has_value() && cancelled->cancelled);
    journal.reset();
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_EQ(database.sql("SELECT count(*) FROM sales WHERE get_byte(request, 0) = ascii('s')"), "1");

    const auto look = [&] {
        const auto found = run(journal->find(sale.id));
        ASSERT_TRUE(found.has_value() && found->has_value());
        EXPECT_EQ((*found)->request.reveal(), R"({"cpf":"123.456.789-09"})");
        EXPECT_EQ(run(journal->find_key("caixa-01", "k"))->sale, sale.id);
        EXPECT_TRUE(run(journal->find_key("caixa-01", "other"))->cancelled);
        EXPECT_EQ(journal->stats().unreadable, 0U);
    };
    EXPECT_THAT(start_postgres(url), HasSubstr("key"));
    ASSERT_EQ(start_postgres(url, keys), "");
    look();
    stop_postgres();
    ASSERT_EQ(why_not(url, "b.db"), "");
    EXPECT_THAT(start_sqlite("b.db"), HasSubstr("key"));
    ASSERT_EQ(start_sqlite("b.db", keys), "");
    look();
}

TEST_F(MoveJournal, BetweenTwoOfOneEngineItWorksAlike) {
    make_odd_journal("a.db", 1'100);
    const auto before = everything("a.db");
    const OwnDatabase other;
    ASSERT_EQ(why_not("a.db", "b.db"), "");
    ASSERT_EQ(why_not("b.db", url), "");
    ASSERT_EQ(why_not(url, other.url()), "");
    ASSERT_EQ(why_not(other.url(), "c.db"), "");
    EXPECT_EQ(everything("c.db"), before);
}

TEST_F(MoveJournal, TwoNamesOfOneDatabaseAreOnePlace) {
    make_journal("a.db");
    ASSERT_EQ(why_not("a.db", url), "");
    EXPECT_THAT(why_not(url, url + (url.find('?') == url.npos ? "?" : "&") + "keepalives=1"),
                HasSubstr("are one journal"));
}

}  // namespace
}  // namespace gateway::moving::test
