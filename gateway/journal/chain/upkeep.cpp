#include "journal/chain/upkeep.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement take_upkeep_row{"take_upkeep",
                                    "UPDATE upkeep SET run = $1 WHERE (run = $1 OR is_over(run)) AND NOT is_over($1)"};

}  // namespace

Awaited<bool> take_upkeep(Transaction& transaction, const std::string& run) {
    Parameters parameters;
    parameters.add(run);
    const auto taken = co_await transaction.run(take_upkeep_row, std::move(parameters));
    if (taken.has_error()) co_return failure<bool>(taken.error());
    co_return taken->affected() == 1;
}

}  // namespace gateway::postgres
