// Which sales a list shows, and the SQL that finds them by an index whatever the number of finished sales.
#pragma once

#include "base/clock.hpp"
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

// Finds the ids of the sales; every parameter is a text.
struct ListQuery {
    std::string sql;
    std::vector<std::string> parameters;
};
ListQuery list_query(const SaleFilter& filter);

}  // namespace gateway
