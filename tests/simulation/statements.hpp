// Makes statements as they reach the gateway: files from the books of the provider's model, without an error or with
// one defect. Derives from the two books and the table of the design what must be found in each. The gateway's own
// comparison plays no part in it.
#pragma once

#include "base/calendar.hpp"
#include "reconcile/statement_format.hpp"
#include "sandbox/statement.hpp"
#include "simulation/books_view.hpp"
#include "simulation/plan.hpp"

#include <set>
#include <string>
#include <vector>

namespace gateway::simulation {

class World;

// This is what is wrong with a file. The first defects are about one of its rows, and the file is accepted; the others
// have it refused.
enum class Defect {
    none,
    missing,
    amount,
    status,
    day_later,
    day_earlier,
    foreign,  // a row of an attempt that nobody made
    doubled,
    swapped,  // the columns are swapped: the amount is where the id should be
    three_decimals,
    cut,
    count,
    total,
    network,
    other_day,  // the file is about another day than the one that it was fetched for
    page,       // a page of the web
};
inline constexpr std::size_t defect_count = static_cast<std::size_t>(Defect::page) + 1;
std::string_view to_string(Defect defect) noexcept;
bool is_of_a_row(Defect defect) noexcept;

// This is a defect and its place, so that it can be applied to the statements of several days.
struct Injected {
    Defect defect = Defect::none;
    std::string id_externo{};  // of the row
    std::int64_t valor = 0;    // the row's new amount, or the amount of a foreign row
    std::string status{};      // the row's new status
    std::string estabelecimento{};
};

struct DealtStatement {
    Day day{};
    Day asked{};  // the day that it is said to be of
    std::string bytes;
    std::vector<sandbox::StatementRow> rows{};
    std::string refusal{};  // the code; empty: it is accepted
};

// This is one finding that must be opened.
struct Expected {
    std::string kind;
    std::string id_externo;
    std::string asks;
    bool told = false;  // the gateway tells the law about it by itself
    friend auto operator<=>(const Expected&, const Expected&) = default;
};

StatementFormat format_of(const Setup& setup);
// Returns the days about which the provider's books have something.
std::set<Day> days_of(const World& world);
// Makes a statement that is written `days_after` the movement day.
DealtStatement deal_statement(const World& world, Day day, int days_after, const Injected& injected = {});
// Returns a defect that the day's statement can have without misleading any gateway: with `settle`, no row lies about
// an attempt that waits for the provider.
Injected inject(World& world, Chance& chance, const BooksView& books, Day day);
std::set<Expected> expected_findings(const World& world, const BooksView& books, const DealtStatement& dealt);

}  // namespace gateway::simulation
