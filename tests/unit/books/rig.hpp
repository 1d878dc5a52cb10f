// This is a journal with sales in it in virtual time, and the books over it. Days are São Paulo's, where it is the
// afternoon of 2024-05-02.
#pragma once

#include "books/day_books.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/support/doubtful_journal.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace gateway::test {

class BooksRig {
  public:
    BooksRig() { build(); }
    ~BooksRig() { tear_down(); }

    // Destroys everything, wherever it stands, and builds it again on the same journal.
    void crash() {
        const auto wall = clock->wall();
        tear_down();
        build();
        clock->shift_wall(wall - clock->wall());
    }

    static Day day(std::string_view text) { return parse_day(text).value(); }
    Sale begun(std::string terminal = "caixa-01", std::string estabelecimento = "12345678", Cents valor = Cents{2500},
               ConfirmMode mode = ConfirmMode::automatic) {
        clock->jump(std::chrono::milliseconds(1));
        Sale made{.id = SaleId::make(clock->wall(), random)};
        made.terminal = std::move(terminal);
        made.key = made.id.str();
        made.digest = "d";
        made.mode = mode;
        made.estabelecimento = std::move(estabelecimento);
        made.produto = "TV Mensal";
        made.valor = valor;
        made.cashier = "Rita";
        made.request = Secret("{}");
        made.created_at = clock->wall();
        made.updated_at = clock->wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock->wall(), random), .created_at = clock->wall()});
        EXPECT_TRUE(clock->run(journal->begin(made)).has_value());
        return made;
    }
    void become(Sale& made, Status status, AttemptState state, std::optional<Day> on = {}) {
        Change change{.at = clock->wall(), .attempt = 0, .next = made.current()};
        change.next.state = state;
        if (state == AttemptState::confirming) change.next.confirm_time = clock->wall();
        change.status = status;
        change.settled = is_final(status);
        change.day = on;
        EXPECT_TRUE(clock->run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.status = status;
        made.attempts.back() = change.next;
    }
    void end(Sale& made, std::string_view on, Status status = Status::EFETIVADA) {
        const auto state = status == Status::EFETIVADA   ? AttemptState::sold
                           : status == Status::CANCELADA ? AttemptState::cancelled
                                                         : AttemptState::refused;
        become(made, status, state, day(on));
    }
    Sale sold(std::string_view on, Cents valor = Cents{2500}, std::string estabelecimento = "12345678") {
        auto made = begun("caixa-01", std::move(estabelecimento), valor);
        end(made, on);
        return made;
    }

    Result<DayBooks::Closing> try_to_close(std::string_view on, std::string estabelecimento = "12345678",
                                           const std::string& by = "maria") {
        const CloseKey key{.estabelecimento = std::move(estabelecimento), .day = day(on)};
        return clock->run(books->close(key, by));
    }
    Close close(std::string_view on, std::string estabelecimento = "12345678") {
        return try_to_close(on, std::move(estabelecimento)).value().close;
    }
    DayTotals totals(const DayFilter& filter, std::vector<TotalsBy> by = {}) {
        return clock->run(books->totals(filter, std::move(by))).value();
    }
    // Returns the closed days, such as "12345678 2024-05-01", the newest first.
    std::vector<std::string> closed() {
        std::vector<std::string> all;
        const auto closes = clock->run(journal->closes({})).value();
        for (const auto& close : closes)
            all.push_back(close.estabelecimento + " " + to_text(close.day));
        return all;
    }

    DayBooksOptions options{.zone = TimeZone::find("America/Sao_Paulo").value()};  // used from the next crash on
    std::vector<std::string> establishments{"12345678"};
    TemporaryFolder folder;
    SeededRandom random;
    MemoryLog log;
    std::unique_ptr<boost::asio::io_context> io;
    std::unique_ptr<VirtualClock> clock;
    std::unique_ptr<Journal> journal;
    std::unique_ptr<DoubtfulJournal> doubtful;  // wraps the journal for the books
    std::unique_ptr<DayBooks> books;

  private:
    void build() {
        io = std::make_unique<boost::asio::io_context>();
        clock = std::make_unique<VirtualClock>(*io);
        const JournalOptions made{.path = folder.path("journal.db"),
                                  .random = &random,
                                  .durability = Durability::inline_,
                                  .log_bytes = short_log_bytes};
        journal = *open_sqlite_journal(io->get_executor(), made, *clock);
        doubtful = std::make_unique<DoubtfulJournal>(*journal);
        books = std::make_unique<DayBooks>(
            options, [this] { return establishments; }, *doubtful, *clock, log);
    }
    void tear_down() {
        journal.reset();  // the journal's completions need the context
        io.reset();       // and what is still under way dies with it
        books.reset();
    }
};

}  // namespace gateway::test
