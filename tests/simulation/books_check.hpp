// Checks that the day's books are kept as they should be. Every final sale has for good the movement day on which it
// became final, and is in exactly one close, or in none yet. Closes have numbers without gaps and duplicates, never
// change, and have the totals of their sales. The books are compared with what the world saw: beside the journal it
// notes on which days, by the store's wall clock, the status of a sale was first recorded as final.
#pragma once

#include "journal/journal.hpp"
#include "simulation/books_view.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace gateway::simulation {

class World;

class BooksCheck {
  public:
    explicit BooksCheck(World& world) : world_(world) {}

    // Notes that the gateway is about to record the sale as final.
    void becomes_final(const std::string& sale);
    // Notes that a process has started, which has to go on with what the flushed journal says now.
    void process_started();
    // Notes that the journal is now an older copy. What became of its days is lost, and is not checked any more.
    void put_back() { is_put_back_ = true; }
    // Notes that a caller was told of this close of a day, when the flushed journal had these books.
    void told(const Close& close, const BooksView& books);
    // Checks the books, at a moment when the journal is as durable as it says. With `at_rest`, nothing is under way.
    void look(const BooksView& books, bool at_rest);

  private:
    void each_sale_has_its_day(const BooksView& books);
    bool may_be_its_day(const BooksView::Sale& sale) const;
    void late_means_closed(const BooksView& books, const BooksView::Sale& sale);
    void numbers_have_no_gap(const BooksView& books);
    void closes_never_change(const BooksView& books);
    void closes_come_to_what_is_in_them(const BooksView& books);
    void sums_up(const BooksView& books, const BooksView::Close& close, const std::string& previous);
    void findings_belong_to_statements(const BooksView& books);
    void fail(const std::string& what);

    World& world_;
    bool is_put_back_ = false;
    std::map<std::string, std::set<std::string>> days_;                 // by sale: the days on which it became final
    std::map<std::string, std::pair<std::string, std::string>> given_;  // by sale: its day and late day
    std::map<std::pair<std::string, int>, BooksView::Close> closes_;    // by establishment and number
};

}  // namespace gateway::simulation
