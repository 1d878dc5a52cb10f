// Plays a store that keeps its books: it closes days and reads the provider's statements, from time to time while
// everything goes wrong, and in the evening, when all is at rest. Then every file must lead to exactly what the two
// books say. A defect that was injected into one must show, and must leave nothing once it is corrected.
#pragma once

#include "books/day_books.hpp"
#include "books/reconciler.hpp"
#include "simulation/books_view.hpp"
#include "simulation/chance.hpp"
#include "simulation/plan.hpp"
#include "simulation/statements.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace gateway::simulation {

class World;

class Evening {
  public:
    explicit Evening(World& world);
    ~Evening();

    // Closes a day while anything may go wrong. The result is checked later.
    void close(const Bookkeeping::Closing& closing);
    void read_early_statement();  // may have wrong amounts, but no lies

    // Runs the evening, from rest to rest.
    void run();

  private:
    void look();
    void read_statements();
    void close_today();
    void nothing_early_was_wrong();
    void read_all_true(int days_after);
    void read_with_defect(int days_after);
    void only_the_injected_differs(const DealtStatement& dealt, const Injected& injected);
    bool read(const DealtStatement& dealt);
    void read_again(const DealtStatement& dealt);
    std::optional<Reconciler::Told> told_of(const DealtStatement& dealt);
    void is_refused(const BooksView& before, const DealtStatement& dealt, const StatementRefusal& refusal);
    void is_taken(const BooksView& before, const DealtStatement& dealt, const StatementReport& report);
    void what_was_found_before_goes_on(const BooksView& before, const std::string& day,
                                       const std::set<Expected>& expected);
    void note_lies(const std::set<Expected>& expected);
    void all_is_done();
    void fail(const std::string& what);

    World& world_;
    Chance chance_;
    bool amounts_changed_ = false;
    std::unique_ptr<SqlReader> reader_;
    BooksView books_;                                 // the books as they are
    BooksView calm_;                                  // the books when nothing was under way last
    std::map<std::string, std::set<Expected>> said_;  // by day: what its last statement had to show
};

}  // namespace gateway::simulation
