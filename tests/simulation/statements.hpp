// Statements as they reach the gateway: files made of the provider model's books, with nothing wrong with them or one
// defect; and what must come of each, told from the two books by the table of the design alone. The gateway's own
// comparison has no part in it.
#pragma once

#include "base/calendar.hpp"
#include "reconcile/statement_format.hpp"
#include "sandbox/statement_faults.hpp"
#include "simulation/books_view.hpp"
#include "simulation/plan.hpp"

#include <set>
#include <string>
#include <vector>

namespace gateway::simulation {

class World;

// What is wrong with a file. The first are about one row of it, and the file is taken; the others have it refused.
enum class Defect {
    none,
    missing,
    amount,
    status,
    day_later,
    day_earlier,
    foreign,  // a row of an attempt that nobody made
    doubled,
    swapped,  // columns: the amount stands where the id should
    three_decimals,
    cut,
    count,
    total,
    network,
    other_day,  // than the one that it was fetched for
    page,       // of the web
};
inline constexpr std::size_t defect_count = static_cast<std::size_t>(Defect::page) + 1;
std::string_view to_string(Defect defect) noexcept;
bool is_of_a_row(Defect defect) noexcept;

// A defect and what it is done to, so that it can be done to the statements of several days.
struct Injected {
    Defect defect = Defect::none;
    std::string id_externo{};  // of the row
    std::int64_t valor = 0;    // that it gets, and a foreign row has
    std::string status{};      // that it gets
    std::string estabelecimento{};
};

struct DealtStatement {
    Day day{};
    Day asked{};  // that it is said to be of
    std::string bytes;
    std::vector<sandbox::StatementRow> rows{};
    std::string refusal{};  // the code; empty: it is taken
};

// One finding that must be opened.
struct Expected {
    std::string kind;
    std::string id_externo;
    std::string asks;
    bool told = false;  // the law is told of it by itself
    friend auto operator<=>(const Expected&, const Expected&) = default;
};

StatementFormat format_of(const Setup& setup);
// The days that the provider's books have something of.
std::set<Day> days_of(const World& world);
// `days_after` the movement day it was written.
DealtStatement deal_statement(const World& world, Day day, int days_after, const Injected& injected = {});
// Something that can be wrong with the statement of the day and that no gateway must be misled by: with `settle` no
// row tells a lie of an attempt that waits for the provider's word.
Injected inject(World& world, Chance& chance, const BooksView& books, Day day);
std::set<Expected> expected_findings(const World& world, const BooksView& books, const DealtStatement& dealt);

}  // namespace gateway::simulation
