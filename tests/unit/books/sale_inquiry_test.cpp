#include "books/sale_inquiry.hpp"

#include "unit/books/statement_rig.hpp"

#include <map>
#include <set>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using State = AttemptState;

class SaleInquiryTest : public StatementRig {
  protected:
    static constexpr auto store_tax_id = "12.345.678/0001-95";

    static Reply with(std::string body, unsigned http_status = 200) { return answered(http_status, std::move(body)); }
    static Reply stands(const std::string& id_externo, std::string_view word, std::int64_t valor = 2500,
                        std::string_view tax_id = store_tax_id) {
        return with(
            fmt::format(R"({{"venda":{{"idExterno":"{}","estabelecimento":{{"cnpjCpf":"{}","nome":"Loja"}},)"
                        R"("transacao":{{"valor":{},"status":"{}","dataHora":"2024-05-02T10:11:12-03:00"}}}}}})",
                        id_externo, tax_id, valor, word));
    }
    void will_say(const Sale& made, std::string_view word, std::int64_t valor = 2500) {
        replies[id(made)] = stands(id(made), word, valor);
    }
    SaleInquiry& inquiry() {
        if (!inquiry_)
            inquiry_ = std::make_unique<SaleInquiry>(*provider, rules, *reconciler, journal_in_use(), *clock, log);
        return *inquiry_;
    }
    // Answers the question how a sale stands, too.
    Reply answer(const http::ClientRequest& request) override {
        constexpr std::string_view path = "/sale/";
        if (!request.target.starts_with(path)) return StatementRig::answer(request);
        asked.push_back(request.target.substr(path.size()));
        if (meanwhile) std::exchange(meanwhile, nullptr)();
        clock->jump(takes);
        const auto special = replies.find(asked.back());
        return special == replies.end() ? reply : special->second;
    }
    Journal& journal_in_use() { return in_front ? *in_front : *journal; }
    SaleInquiry::Told ask(std::string_view of = "2024-05-02") { return clock->run(inquiry().ask(day(of), "maria")); }
    InquiryReport report_of(std::string_view of = "2024-05-02") {
        auto told_report = ask(of);
        EXPECT_TRUE(told_report.has_value()) << told_report.error().code << ": " << told_report.error().detail;
        return told_report.has_value() ? std::move(*told_report) : InquiryReport{};
    }
    std::vector<std::string> found() { return kinds(report_of().statement); }
    // Returns the kinds of all open findings, such as "sold_there".
    std::vector<std::string> open_kinds() {
        std::vector<std::string> all;
        for (const auto& finding : findings({.open = true}))
            all.emplace_back(to_string(finding.kind));
        std::ranges::sort(all);
        return all;
    }
    // Makes a sale that waits for the provider's answer, and about which a person was told.
    Sale waiting(State state = State::disputing, Attention attention = Attention::unsettled,
                 Family family = Family::tv) {
        auto made = sale(state, "2024-05-02", family);
        Change change{.at = clock->wall(), .attempt = 0, .next = made.current()};
        change.status = made.status;
        change.settled = false;
        change.attention = attention;
        change.details = TransactionDetails{.cnpj_cpf = store_tax_id};
        EXPECT_TRUE(clock->run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.attention = attention;
        return made;
    }

    Reply reply = with("", 404);
    std::map<std::string, Reply> replies;  // replace the usual replies, by idExterno
    Duration takes{0};                     // until the provider answers
    std::function<void()> meanwhile;       // once, while the provider is asked
    std::vector<std::string> asked;
    std::unique_ptr<SaleInquiry> inquiry_;
};

TEST_F(SaleInquiryTest, OnlyWhatDoesNotAgreeIsAskedForAndWhatTheProviderClearsUpIsClosed) {
    const auto one = sale(State::sold);
    const auto other = sale(State::sold);
    const auto agreed = sale(State::sold);
    ASSERT_EQ(report({{.id_externo = id(agreed)}}).statement.findings, 2);
    will_say(one, "EFETIVADA");
    const auto made = report_of();
    EXPECT_THAT(asked, UnorderedElementsAre(id(one), id(other)));
    EXPECT_EQ(made.asked, 2u);
    EXPECT_EQ(made.answered, 1u);
    EXPECT_EQ(made.statement.statement.rows, 1);
    EXPECT_EQ(made.statement.statement.matched, 1);
    EXPECT_EQ(made.statement.statement.source, "status");
    EXPECT_THAT(made.statement.findings, IsEmpty());
    const auto left = findings({.open = true});
    ASSERT_EQ(left.size(), 1u) << "a 404 says nothing: what the statement said stays";
    EXPECT_EQ(left[0].id_externo, id(other));
    EXPECT_EQ(left[0].statement, made.statement.statement.id) << "and is said still";
    EXPECT_EQ(findings({.open = false}).at(0).closed->as, FindingEnd::corrected);
    EXPECT_TRUE(log.has("info inquiry.done"));
}

TEST_F(SaleInquiryTest, AnAnswerIsJudgedByTheTableOfTheStatement) {
    const auto sold = sale(State::sold);
    const auto cancelled = sale(State::cancelled);
    const auto amount = sale(State::sold);
    ASSERT_TRUE(read(statement_of({{.id_externo = id(cancelled)}})));
    ASSERT_FALSE(clock->run(reconciler->act()));
    told().clear();
    takes_steps = true;
    will_say(sold, "AUTORIZADA");
    will_say(cancelled, "AUTORIZADA");
    will_say(amount, "EFETIVADA", 2501);
    EXPECT_THAT(found(), UnorderedElementsAre("unconfirmed_there asks repeat_confirm, pending",
                                              "open_there asks repeat_cancel, pending", "amount_differs asks person"));
    EXPECT_THAT(open_kinds(), ElementsAre("amount_differs", "open_there", "unconfirmed_there"))
        << "in the place of what the statement said";
    ASSERT_FALSE(clock->run(reconciler->act()));
    EXPECT_THAT(told(), UnorderedElementsAre(sold.id.str() + " " + id(sold) +
                                                 " AUTORIZADA the provider's answer for the books of 2024-05-02",
                                             cancelled.id.str() + " " + id(cancelled) +
                                                 " AUTORIZADA the provider's answer for the books of 2024-05-02"));
    will_say(cancelled, "CANCELADA");
    EXPECT_THAT(found(),
                UnorderedElementsAre("unconfirmed_there asks repeat_confirm, pending", "amount_differs asks person"));
}

TEST_F(SaleInquiryTest, AnOpenSaleThatComesNoFurtherIsSettledOnlyWhereAStatementMay) {
    const auto open = waiting();
    will_say(open, "EFETIVADA");
    EXPECT_THAT(found(), ElementsAre("settles_sold asks settle"));
    EXPECT_FALSE(clock->run(reconciler->act()));
    EXPECT_THAT(told(), IsEmpty());
    settle = true;
    build();
    inquiry_.reset();
    EXPECT_THAT(found(), ElementsAre("settles_sold asks settle, pending"));
    EXPECT_FALSE(clock->run(reconciler->act()));
    EXPECT_EQ(told().size(), 1u);
    EXPECT_THAT(open_kinds(), IsEmpty());
}

TEST_F(SaleInquiryTest, AnAnswerOfAnotherEstablishmentOrOfNoneSettlesNothing) {
    settle = true;
    build();
    const auto open = waiting();
    replies[id(open)] = stands(id(open), "EFETIVADA", 2500, "98.765.432/0001-10");
    EXPECT_THAT(found(), ElementsAre("settles_sold asks person"));
    replies[id(open)] = stands(id(open), "EFETIVADA", 2500, "");
    EXPECT_THAT(found(), ElementsAre("settles_sold asks person"));
    will_say(open, "CANCELADA", 2499);
    EXPECT_THAT(found(), ElementsAre("settles_not_sold asks person")) << "of another amount";
    will_say(open, "NEGADA");
    EXPECT_THAT(found(), ElementsAre("settles_not_sold asks person")) << "it means something of an eSIM only";
}

TEST_F(SaleInquiryTest, WhatTheGatewayStillDrivesIsNotAskedFor) {
    sale(State::disputing);
    sale(State::confirming);
    waiting(State::confirming);
    const auto driven = sale(State::disputing);
    ASSERT_THAT(kinds(report({{.id_externo = id(driven), .status = "AUTORIZADA"}})),
                Contains("still_open asks nothing"));
    const auto made = report_of();
    EXPECT_THAT(asked, IsEmpty());
    EXPECT_EQ(made.asked, 0u);
    EXPECT_EQ(made.statement.statement.id, 0) << "nothing is kept";
    EXPECT_FALSE(log.has("inquiry.done"));
}

TEST_F(SaleInquiryTest, WhatIsFinalAndWaitsForAPersonForItsContradictionIsAskedFor) {
    const auto cancelled = waiting(State::cancelled, Attention::contradiction);
    ASSERT_TRUE(read(statement_of({{.id_externo = id(cancelled)}})));
    ASSERT_FALSE(clock->run(reconciler->act()));
    will_say(cancelled, "CANCELADA");
    EXPECT_EQ(report_of().asked, 1u);
    EXPECT_THAT(open_kinds(), IsEmpty());
}

TEST_F(SaleInquiryTest, OfASharedJournalOnlyTheGatewayThatOwnsASaleAsksForIt) {
    struct Elsewhere : ForwardingJournal {
        using ForwardingJournal::ForwardingJournal;
        bool owns(SaleId) const override { return false; }
    } elsewhere(*journal);
    in_front = &elsewhere;
    build();
    waiting();
    const auto final = sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    EXPECT_EQ(report_of().asked, 1u);
    EXPECT_THAT(asked, ElementsAre(id(final))) << "what is final is anybody's";
}

TEST_F(SaleInquiryTest, OfAnotherDayNothingIsAskedFor) {
    waiting();
    sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    EXPECT_EQ(report_of("2024-05-01").asked, 0u);
}

TEST_F(SaleInquiryTest, WhereThereIsNoAddressForASaleItIsNotAskedFor) {
    waiting();
    provider_options.status_path.clear();
    rules.can_ask = false;
    build();
    EXPECT_EQ(report_of().asked, 0u);
}

TEST_F(SaleInquiryTest, AnswersThatSayNothingChangeNothing) {
    const auto one = sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    const auto body = stands(id(one), "EFETIVADA").body;
    auto of_another = body;
    of_another.replace(of_another.find(id(one)), id(one).size(), "01J0ABCDEF0123456789ABCDEF");
    for (const auto& each :
         {with(body, 404), with(body, 302), with("<html>"), with("{}"), with(of_another), stands(id(one), "?"),
          with(R"({"venda":{"idExterno":")" + id(one) + R"(","transacao":{"status":"EFETIVADA"}}})")}) {
        reply = each;
        const auto made = report_of();
        EXPECT_EQ(made.asked, 1u) << each.body;
        EXPECT_EQ(made.answered, 0u) << each.body;
        EXPECT_EQ(made.statement.statement.id, 0) << each.body;
    }
    EXPECT_THAT(open_kinds(), ElementsAre("missing_there"));
}

TEST_F(SaleInquiryTest, ASaleThatHasGoneOnWhileItWasAskedForIsLeftAlone) {
    auto open = waiting();
    will_say(open, "CANCELADA");
    meanwhile = [&] {
        Change change{.at = clock->wall(), .attempt = 0, .next = open.current()};
        change.status = open.status;
        change.settled = false;  // the mark is gone, too
        boost::asio::co_spawn(
            io->get_executor(),
            [this, &open, change]() -> boost::asio::awaitable<void> {
                const HistoryEntry entry{.event = "test"};
                const auto done = co_await journal->record(open, change, nullptr, entry);
                EXPECT_TRUE(done.has_value());
            },
            boost::asio::detached);
    };
    const auto made = report_of();
    EXPECT_EQ(made.asked, 1u);
    EXPECT_EQ(made.statement.statement.id, 0);
    EXPECT_THAT(open_kinds(), IsEmpty());
}

TEST_F(SaleInquiryTest, AProviderThatIsAwayEndsItAndNothingIsKept) {
    for (int i = 0; i < 10; ++i)
        sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    reply = Reply::unsent(errc::unreachable);
    auto told_report = ask();
    ASSERT_TRUE(told_report.has_error());
    EXPECT_EQ(told_report.error().code, "provider_unreachable");
    EXPECT_EQ(asked.size(), 1u) << "where nothing can be sent, once is enough";
    for (const auto& silent : {Reply::lost(errc::timed_out), with("", 500), with("", 401)}) {
        asked.clear();
        reply = silent;
        told_report = ask();
        ASSERT_TRUE(told_report.has_error());
        EXPECT_EQ(told_report.error().code, "provider_unreachable");
        const std::set<std::string> sales(asked.begin(), asked.end());  // a 401 is asked again with another token
        EXPECT_EQ(sales.size(), SaleInquiry::most_unanswered);
    }
    asked.clear();
    reply = with("", 429);
    EXPECT_TRUE(ask().has_error());
    EXPECT_EQ(asked.size(), 1u) << "it wants to be left alone";
    EXPECT_EQ(log.count("warn statement.refused"), 5u);
    EXPECT_EQ(reconciler->refused(), 0u) << "no answer is no fault of a statement";
    EXPECT_EQ(findings({.open = true}).size(), 10u);
}

TEST_F(SaleInquiryTest, WhatWasAnsweredBeforeItEndedIsKept) {
    for (int i = 0; i < 10; ++i)
        sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    reply = with("", 500);
    const auto newest = findings({.open = true}).front().id_externo;
    replies[newest] = stands(newest, "EFETIVADA");
    const auto made = report_of();
    EXPECT_EQ(made.asked, 1 + SaleInquiry::most_unanswered);
    EXPECT_EQ(made.answered, 1u);
    EXPECT_EQ(made.left, 10 - made.asked);
    EXPECT_EQ(made.ended, "the provider answered with HTTP status 500");
    EXPECT_EQ(findings({.open = true}).size(), 9u);
    EXPECT_TRUE(log.has("warn inquiry.done"));
}

TEST_F(SaleInquiryTest, SoManyAreAskedForOneAfterTheOtherAndTheRestIsSaid) {
    constexpr std::size_t more = 5;
    for (std::size_t i = 0; i < SaleInquiry::most_asked + more; ++i)
        sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    const auto began = clock->now();
    const auto made = report_of();
    EXPECT_EQ(asked.size(), SaleInquiry::most_asked);
    EXPECT_EQ(made.left, more);
    EXPECT_GE(clock->now() - began, SaleInquiry::pause * static_cast<int>(SaleInquiry::most_asked - 1));
    EXPECT_EQ(log.count("info inquiry.asks"), SaleInquiry::most_asked / SaleInquiry::progress_every);
}

TEST_F(SaleInquiryTest, AfterAStatementThatLeavesFindingsItAsksByItselfOnce) {
    const auto one = sale(State::sold);
    sale(State::sold);
    will_say(one, "EFETIVADA");
    inquiry().start(io->get_executor());
    clock->settle();
    EXPECT_THAT(asked, IsEmpty()) << "there is no statement";
    ASSERT_TRUE(read(statement_of({})));
    reply = Reply::unsent(errc::unreachable);
    replies.clear();
    clock->advance(SaleInquiry::look_every + 1s);
    EXPECT_EQ(asked.size(), 1u);
    reply = with("", 404);
    clock->advance(SaleInquiry::look_every + 1s);
    EXPECT_EQ(asked.size(), 3u) << "it makes up for what the outage kept from being asked for";
    clock->advance(SaleInquiry::look_every * 3);
    EXPECT_EQ(asked.size(), 3u) << "what said nothing is not asked for again and again";
    ASSERT_TRUE(read(statement_of({}, "02052024", "04052024")));
    will_say(one, "EFETIVADA");
    clock->advance(SaleInquiry::look_every * 3);
    EXPECT_EQ(asked.size(), 5u) << "another statement of the day";
    EXPECT_THAT(open_kinds(), ElementsAre("missing_there"));
}

TEST_F(SaleInquiryTest, ADayThatIsNotAnsweredKeepsNoOtherDayWaitingAndIsAskedForEverMoreSeldom) {
    sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    reply = Reply::unsent(errc::unreachable);
    inquiry().start(io->get_executor());
    clock->settle();
    EXPECT_THAT(asked, IsEmpty()) << "a gateway that starts again and again does not ask again and again";
    clock->advance(SaleInquiry::look_every * 100 + 1s);
    const auto often = asked.size();
    EXPECT_GT(often, 5u);
    EXPECT_LT(often, 12u);
    clock->advance(SaleInquiry::ask_again_most * 10);
    EXPECT_GE(asked.size(), often + 9) << "but always again";
}

TEST_F(SaleInquiryTest, OneThatTakesTooLongEndsAndSaysSo) {
    for (int i = 0; i < 5; ++i)
        sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    provider_options.request_timeout = SaleInquiry::most_time;
    build();
    takes = SaleInquiry::most_time / 2;
    reply = with("", 404);
    const auto made = report_of();
    EXPECT_EQ(made.asked, 2u);
    EXPECT_EQ(made.left, 3u);
    EXPECT_THAT(made.ended, HasSubstr("too long"));
}

TEST_F(SaleInquiryTest, AnAnswerIsNoStatementThatSomebodyWaitsFor) {
    sale(State::sold);
    ASSERT_TRUE(read(statement_of({})));
    const auto at = reconciler->last_read();
    will_say(waiting(), "EFETIVADA");
    clock->jump(1h);
    EXPECT_EQ(report_of().answered, 1u);
    EXPECT_EQ(reconciler->last_read(), at);
    open();
    reconciler->start(io->get_executor());
    clock->settle();
    EXPECT_EQ(reconciler->last_read(), at);
}

}  // namespace
}  // namespace gateway::test
