// Has statements of the provider over a journal with sales in every state, in virtual time.
#pragma once

#include "books/reconciler.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/flow/rig.hpp"
#include "unit/support/forwarding_journal.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway::test {

inline const std::string home = "12345678";

// This is a line as the sandbox writes it: 1;idExterno;idTransacao;nsu;estabelecimento;valor;status;dataHora;
struct Line {
    std::string id_externo;
    std::int64_t valor = 2500;
    std::string status = "EFETIVADA";
    std::string id_transacao = "";
    std::string nsu = "";
    std::string estabelecimento = home;

    std::string text() const {
        return fmt::format("1;{};{};{};{};{};{};2024-05-02T10:11:12-03:00;\n", id_externo, id_transacao, nsu,
                           estabelecimento, valor, status);
    }
};

// Makes a statement of the lines, with a header that is right for them.
inline std::string statement_of(const std::vector<Line>& lines, std::string_view day = "02052024",
                                std::string_view written = "03052024") {
    std::int64_t count = 0;
    std::int64_t total = 0;
    std::string rows;
    for (const auto& line : lines) {
        rows += line.text();
        if (line.status != "EFETIVADA") continue;
        ++count;
        total += line.valor;
    }
    return fmt::format("0;4711;REDE;;{};{};{};{};0;0;\n", written, day, count, total) + rows;
}

// This is the journal as the seller has it, which notes what a statement made the law record.
class ToldJournal final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;

    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override {
        if (entry.event != "statement") co_return co_await real_->record(sale, change, fresh, entry);
        told.push_back(fmt::format("{} {} {} {}", sale.id.text(), sale.attempts.at(change.attempt).id_externo.text(),
                                   entry.verdict, entry.detail));
        if (const auto doing = std::exchange(meanwhile, nullptr)) co_await doing();
        if (fails) co_return errc::journal_unavailable;
        co_return co_await real_->record(sale, change, fresh, entry);
    }

    bool fails = false;
    std::function<boost::asio::awaitable<void>()> meanwhile;  // once
    std::vector<std::string> told;
};

class StatementRig : public testing::Test, public SellingParts {
  protected:
    StatementRig() {
        format.detail_column = 1;
        format.detail_text = "1";
        format.columns = {.id_externo = 2,
                          .id_transacao = 3,
                          .nsu = 4,
                          .valor = 6,
                          .status = 7,
                          .data_hora = 8,
                          .estabelecimento = 5};
        format.covers = StatementCovers::this_gateway;
        clock->jump(std::chrono::sys_days(std::chrono::year(2024) / 5 / 3) + std::chrono::hours(12) - clock->wall());
        open();
    }
    ~StatementRig() override { tear_down(); }

    // Everything is destroyed wherever it stands, and built again on the same journal.
    void open() {
        const auto wall = clock->wall();
        tear_down();
        io = std::make_unique<boost::asio::io_context>();
        clock = std::make_unique<VirtualClock>(*io);
        clock->jump(std::chrono::duration_cast<Duration>(wall - clock->wall()));
        const JournalOptions options{.path = folder.path("journal.db"),
                                     .random = &random,
                                     .durability = Durability::inline_,
                                     .log_bytes = short_log_bytes};
        journal = *open_sqlite_journal(io->get_executor(), options, *clock);
        build();
    }
    // Builds the reconciler with the options as they are now.
    void build() {
        auto& used = in_front ? *in_front : *journal;
        reconciler.reset();
        law = std::make_unique<ToldJournal>(used);
        build_parts(*io, *law, *clock, random, log, rules, {}, provider_options);
        network->otherwise = [this](const http::ClientRequest& request) { return answer(request); };
        books = std::make_unique<DayBooks>(
            DayBooksOptions(), [] { return std::vector{home}; }, used, *clock, log);
        reconciler = std::make_unique<Reconciler>(ReconcilerOptions{.format = format, .settle = settle}, *seller,
                                                  *books, used, *clock, log);
    }
    // Returns what the provider answers to a confirm or a cancel.
    virtual Reply answer(const http::ClientRequest& request) {
        if (!takes_steps) return answered(503, "");
        const bool cancels = request.target.ends_with("/cancelar");
        return answered(200, fmt::format(R"({{"transacao":{{"status":"{}"}}}})", cancels ? "CANCELADA" : "EFETIVADA"));
    }
    std::vector<std::string>& told() { return law->told; }

    static Day day(std::string_view text = "2024-05-02") { return parse_day(text).value(); }
    // Makes a sale in this state. Final sales belong to the day.
    Sale sale(AttemptState state, std::string_view on = "2024-05-02", Family family = Family::tv) {
        clock->jump(std::chrono::milliseconds(1));
        Sale made{.id = SaleId::make(clock->wall(), random)};
        made.terminal = "caixa-01";
        made.key = made.id.str();
        made.digest = "d";
        made.family = family;
        made.estabelecimento = home;
        made.produto = "TV Mensal";
        made.valor = Cents{2500};
        made.created_at = std::chrono::sys_days(day(on)) + std::chrono::hours(12);
        made.attempts.push_back({.id_externo = IdExterno::make(clock->wall(), random), .created_at = made.created_at});
        EXPECT_TRUE(clock->run(journal->begin(made)).has_value());
        if (state != AttemptState::requesting) become(made, state, on);
        return made;
    }
    void become(Sale& made, AttemptState state, std::string_view on = "2024-05-02", const Attempt* fresh = nullptr) {
        Change change{.at = clock->wall(), .attempt = made.attempts.size() - 1, .next = made.current()};
        change.next.state = state;
        change.next.id_transacao = "T-" + made.key;
        if (state == AttemptState::sold || state == AttemptState::disputing || state == AttemptState::confirming)
            change.next.confirm_time = clock->wall();
        if (state == AttemptState::cancelling || state == AttemptState::disputing)
            change.next.cancel_time = clock->wall();
        change.status = state == AttemptState::sold         ? Status::EFETIVADA
                        : state == AttemptState::refused    ? Status::NEGADA
                        : state == AttemptState::cancelled  ? Status::CANCELADA
                        : state == AttemptState::cancelling ? Status::CANCELADA
                        : state == AttemptState::requesting ? Status::PENDENTE
                                                            : Status::AUTORIZADA;
        if (fresh != nullptr) change.status = Status::PENDENTE;
        change.settled = fresh == nullptr && is_settled(state);
        if (is_final(change.status)) change.day = day(on);
        if (!nsu.empty()) change.esim = EsimDetails{.uuid = nsu};
        ASSERT_TRUE(clock->run(journal->record(made, change, fresh, {.event = "test"})).has_value());
        made.attempts.back() = change.next;
        made.status = change.status;
        made.settled = change.settled;
        if (fresh != nullptr) made.attempts.push_back(*fresh);
    }
    static std::string id(const Sale& made) { return made.current().id_externo.str(); }

    Reconciler::Told read(std::string bytes, std::optional<Day> asked = std::nullopt, std::string source = "file") {
        StatementText text{.bytes = std::move(bytes), .source = std::move(source), .day = asked, .by = "maria"};
        return clock->run(reconciler->read(std::move(text)));
    }
    StatementReport report(const std::vector<Line>& lines, std::string_view header_day = "02052024") {
        auto told_report = read(statement_of(lines, header_day));
        EXPECT_TRUE(told_report.has_value()) << told_report.error().code << ": " << told_report.error().detail;
        return told_report.has_value() ? std::move(*told_report) : StatementReport{};
    }
    // Returns every finding of the report as, for example, "sold_there asks person".
    static std::vector<std::string> kinds(const StatementReport& of) {
        std::vector<std::string> all;
        for (const auto& finding : of.findings)
            all.push_back(fmt::format("{} asks {}{}", to_string(finding.kind), to_string(finding.asks),
                                      finding.pending ? ", pending" : ""));
        return all;
    }
    std::vector<std::string> found(const std::vector<Line>& lines) { return kinds(report(lines)); }
    std::string refused(std::string bytes, std::optional<Day> asked = std::nullopt) {
        const auto told_report = read(std::move(bytes), asked);
        return told_report.has_value() ? "taken" : told_report.error().code + ": " + told_report.error().detail;
    }
    std::vector<Finding> findings(const FindingFilter& filter = {}) {
        return clock->run(journal->findings(filter)).value();
    }

    std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
    std::unique_ptr<VirtualClock> clock = std::make_unique<VirtualClock>(*io);
    TemporaryFolder folder;
    SeededRandom random;
    MemoryLog log;
    std::unique_ptr<Journal> journal;
    Journal* in_front = nullptr;  // wraps the real journal
    StatementFormat format;
    bool settle = false;
    Rules rules{.can_cancel = {true, true, true, false, true}, .can_ask = true};
    ProviderOptions provider_options{.status_path = "/sale/{idExterno}", .list_path = "/list/{day}"};
    bool takes_steps = false;  // else it fails
    std::string nsu;           // that callbacks tell; empty: none comes
    std::unique_ptr<ToldJournal> law;
    std::unique_ptr<DayBooks> books;
    std::unique_ptr<Reconciler> reconciler;

  private:
    void tear_down() {
        journal.reset();  // its completions need the context
        io.reset();       // and what is still under way dies with it
        reconciler.reset();
        tear_down_parts();
    }
};

}  // namespace gateway::test
