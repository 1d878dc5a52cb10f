// Whether the day's books are kept as they should be: every final sale has the movement day on which it became final,
// for good; every one is in one close, or in none yet; closes have numbers without a gap or a twin, never change, and
// come to what is in them. Held against what the world saw: it stands beside the journal and notes on which days, by
// the clock on the store's wall, the status of a sale was first recorded as final.
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

    // The gateway is about to record that the sale is final.
    void becomes_final(const std::string& sale);
    // A process has started: what the flushed journal says now is what all that follow have to go on with.
    void process_started();
    // A caller was told that this is the close of a day, when the flushed journal said this.
    void told(const Close& close, const BooksView& books);
    // At a moment when the journal is as durable as it says; nothing is under way where `at_rest`.
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
    std::map<std::string, std::set<std::string>> days_;                 // by sale: when it became final
    std::map<std::string, std::pair<std::string, std::string>> given_;  // by sale: day and late day
    std::map<std::pair<std::string, int>, BooksView::Close> closes_;    // by establishment and number
};

}  // namespace gateway::simulation
