#include "flow/token_store.hpp"

#include "unit/flow/rig.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

ProviderOptions application() {
    ProviderOptions options;
    options.auth_url.text = "https://auth.example";
    options.app_key = "key";
    options.app_secret = Secret("secret");
    options.scopes = {"Venda_Egift", "Venda_Voucher"};
    return options;
}
const ProviderOptions the_application = application();

struct TokenStoreTest : testing::Test {
    FlowRig rig;
    const Token token{.access = Secret("access"),
                      .refresh = Secret("refresh"),
                      .obtained_at = rig.clock->wall(),
                      .expires_at = rig.clock->wall() + Duration(300'000),
                      .app_secret = the_application.app_secret};

    std::optional<Token> loaded_by(const ProviderOptions& owner) {
        TokenStore store(owner, *rig.journal, *rig.clock, rig.log);
        return rig.clock->run(store.load()).value();
    }
    void save(const std::optional<Token>& saved) {
        TokenStore store(the_application, *rig.journal, *rig.clock, rig.log);
        rig.clock->run(saving(store, saved));
    }
    static boost::asio::awaitable<bool> saving(TokenStore& store, std::optional<Token> saved) {
        co_await store.save(std::move(saved));
        co_return true;
    }
};

TEST_F(TokenStoreTest, GivesBackWhatWasSaved) {
    EXPECT_FALSE(loaded_by(the_application));
    save(token);
    const auto loaded = loaded_by(the_application);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->access, token.access);
    EXPECT_EQ(loaded->refresh, token.refresh);
    EXPECT_EQ(loaded->obtained_at, token.obtained_at);
    EXPECT_EQ(loaded->expires_at, token.expires_at);
    save(std::nullopt);
    EXPECT_FALSE(loaded_by(the_application));
    EXPECT_EQ(rig.log.count("token.not_kept"), 0u);
}

TEST_F(TokenStoreTest, KeepsATokenForTheOwnerThatAReloadBrought) {
    auto rescoped = the_application;
    rescoped.scopes = {"Venda_Egift"};
    TokenStore store(the_application, *rig.journal, *rig.clock, rig.log);
    store.reload(rescoped);
    rig.clock->run(saving(store, token));
    EXPECT_TRUE(loaded_by(rescoped));
    EXPECT_FALSE(loaded_by(the_application));
}

TEST_F(TokenStoreTest, GivesATokenToNobodyButItsOwner) {
    save(token);
    auto elsewhere = the_application;
    elsewhere.auth_url.text = "https://other.example";
    auto renamed = the_application;
    renamed.app_key = "other";
    auto rekeyed = the_application;
    rekeyed.app_secret = Secret("other");
    auto rescoped = the_application;
    rescoped.scopes = {"Venda_Egift"};
    auto joined = the_application;  // one text for two scopes is not the same as two scopes
    joined.scopes = {"Venda_EgiftVenda_Voucher"};
    for (const auto& other : {elsewhere, renamed, rekeyed, rescoped, joined})
        EXPECT_FALSE(loaded_by(other));
    EXPECT_EQ(rig.log.count("info token.not_used"), 5u);
    EXPECT_TRUE(loaded_by(the_application));
    EXPECT_EQ(rig.log.count("token.not_used"), 5u);
}

TEST_F(TokenStoreTest, AJournalThatCannotBeReadGivesNoAnswer) {
    struct Unreadable final : ForwardingJournal {
        using ForwardingJournal::ForwardingJournal;
        Awaited<std::optional<KeptToken>> load_token() override { co_return errc::journal_unavailable; }
    };
    Unreadable journal(*rig.journal);
    TokenStore store(the_application, journal, *rig.clock, rig.log);
    EXPECT_EQ(rig.clock->run(store.load()).error(), errc::journal_unavailable);
}

TEST_F(TokenStoreTest, KeepsATokenForTheSecretThatGotIt) {
    auto rekeyed = the_application;
    rekeyed.app_secret = Secret("other");
    TokenStore store(the_application, *rig.journal, *rig.clock, rig.log);
    store.reload(rekeyed);
    rig.clock->run(saving(store, token));
    EXPECT_FALSE(loaded_by(rekeyed)) << "it belongs to the secret of before";
    EXPECT_TRUE(loaded_by(the_application));
    auto by_the_new_one = token;
    by_the_new_one.app_secret = rekeyed.app_secret;
    rig.clock->run(saving(store, by_the_new_one));
    EXPECT_TRUE(loaded_by(rekeyed));
    EXPECT_FALSE(loaded_by(the_application));
}

TEST_F(TokenStoreTest, SaysWhyItCouldNotBeKept) {
    TokenStore store(the_application, *rig.doubtful, *rig.clock, rig.log);
    const std::string words = "the token may not be kept for the next start: ";  // as it may be, where that is unknown
    rig.doubtful->refuses_tokens = errc::commit_unknown;
    rig.clock->run(saving(store, token));
    EXPECT_EQ(rig.log.sentences.back(), words + make_error_code(errc::commit_unknown).message());
    rig.doubtful->trouble = "the database waits for db_2";
    rig.clock->run(saving(store, token));
    EXPECT_EQ(rig.log.sentences.back(), words + "the database waits for db_2");
    EXPECT_TRUE(rig.log.has("warn token.not_kept"));
}

// Tests a store of one of several gateways.

struct SharedTokenTest : TokenStoreTest {
    SharedTokenTest() { rig.doubtful->is_shared = true; }

    TokenStore store{the_application, *rig.doubtful, *rig.clock, rig.log};

    // Returns what the journal says about a token that another gateway of the same application has kept.
    TokenTurn fresh() {
        save(token);
        return {.fresh = *rig.clock->run(rig.journal->load_token()).value()};
    }
    std::optional<Token> of_another(const Secret& held) { return rig.clock->run(asking(store, held)); }
    static boost::asio::awaitable<std::optional<Token>> asking(TokenStore& asked, Secret held) {
        co_return co_await asked.of_another(std::move(held));
    }
    static boost::asio::awaitable<bool> ending(TokenStore& ended) {
        co_await ended.end_turn();
        co_return true;
    }
};

TEST_F(SharedTokenTest, ItsOwnTurnGivesNone) {
    const auto begun = rig.clock->now();
    EXPECT_FALSE(of_another(Secret("old")));
    EXPECT_EQ(rig.clock->now(), begun) << "nothing is waited for";
}

TEST_F(SharedTokenTest, WhatAnotherGatewayGotIsWaitedFor) {
    rig.doubtful->turns = {TokenTurn{}, TokenTurn{}, fresh()};
    const auto begun = rig.clock->now();
    const auto got = of_another(Secret("old"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->access, token.access);
    EXPECT_EQ(rig.clock->now(), begun + Duration(500)) << "it looks every quarter of a second";
}

TEST_F(SharedTokenTest, ATokenOfAnotherApplicationIsNoneAndTheTurnIsClaimed) {
    auto others = fresh();
    others.fresh->owner = "another application's";
    rig.doubtful->turns = {others};
    EXPECT_FALSE(of_another(Secret("old")));
    EXPECT_TRUE(rig.doubtful->turns.empty());
}

TEST_F(SharedTokenTest, WithoutTheJournalEachAsksForItself) {
    rig.doubtful->turns = {errc::journal_unavailable, fresh()};
    const auto begun = rig.clock->now();
    EXPECT_FALSE(of_another(Secret("old")));
    EXPECT_EQ(rig.clock->now(), begun);
    EXPECT_EQ(rig.doubtful->turns.size(), 1u) << "the journal is not asked again";
}

TEST_F(SharedTokenTest, OnlyAnotherTokenOfTheSameApplicationIsTaken) {
    auto others = fresh();
    others.fresh->owner = "another application's";
    auto emptied = token;
    emptied.access = Secret("");
    save(emptied);
    const TokenTurn rejected{.fresh = *rig.clock->run(rig.journal->load_token()).value()};
    const auto good = fresh();
    rig.doubtful->turns = {others, rejected, good};
    const auto got = of_another(Secret("old"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->access, token.access);
    EXPECT_TRUE(rig.doubtful->turns.empty());
    rig.doubtful->turns = {good};
    EXPECT_FALSE(of_another(token.access)) << "that is the one that is to be replaced";
}

TEST_F(SharedTokenTest, ATurnEndsInTheJournal) {
    rig.clock->run(ending(store));
    EXPECT_EQ(rig.doubtful->turns_ended, 1);
}

TEST_F(SharedTokenTest, OneThatNeverGetsATokenIsNotWaitedForForEver) {
    rig.doubtful->turns.resize(1'000, TokenTurn{});
    const auto begun = rig.clock->now();
    EXPECT_FALSE(of_another(Secret("old")));
    EXPECT_EQ(rig.doubtful->turns.size(), 880u);
    EXPECT_EQ(rig.clock->now(), begun + Duration(30'000));
}

TEST_F(SharedTokenTest, WhereNobodyElseSharesTheJournalThereIsNoTurn) {
    rig.doubtful->is_shared = false;
    rig.doubtful->turns = {fresh()};
    EXPECT_FALSE(of_another(Secret("old")));
    rig.clock->run(ending(store));
    EXPECT_EQ(rig.doubtful->turns_ended, 0);
}

}  // namespace
}  // namespace gateway::test
