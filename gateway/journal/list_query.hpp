// Which sales a list shows, and the SQL that walks an index to find them. A walk is short whatever the number of
// finished sales: the one connection to the journal has sales to write.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/sqlite.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// All that is set must hold. Newest first.
struct SaleFilter {
    std::optional<std::string> estabelecimento;
    std::optional<std::string> terminal;
    // Of one of these families, or of this terminal whatever its family.
    struct Among {
        std::vector<Family> families;
        std::string or_terminal;
    };
    std::optional<Among> among;
    std::optional<std::string> key;
    std::optional<std::string> id_externo;  // of any attempt
    std::optional<Status> status;
    std::optional<bool> attention;  // whether a person has to look
    std::optional<WallTime> from;   // created at or after
    std::optional<WallTime> to;     // created before
    std::optional<SaleId> after;    // the last sale of the page before
    std::size_t limit = 50;
};

// How many sales one list looks at, those included that it does not show: about a millisecond of work. An index that
// leaves no other ones, for whatever a list may ask, would cost every sale a write for it.
constexpr std::size_t walked_at_once = 1'000;

// Gives the sales to look at in the list's order, one more than one walk may: the id of each, and whether the list
// shows it. Every parameter is a text.
struct ListQuery {
    std::string sql;
    std::vector<std::string> parameters;
};
ListQuery list_query(const SaleFilter& filter);

// What a list shows, and where the next one goes on if there may be one.
struct Walked {
    std::vector<std::string> ids;
    std::optional<SaleId> next;
};
Result<Walked> walk(sqlite::Connection& connection, const SaleFilter& filter);

}  // namespace gateway
