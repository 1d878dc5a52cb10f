// Tells the operator of one sale: what happened to it, entry by entry; since when and why it needs a person; how often
// what is being done was tried in vain; and what is being done now.
#pragma once

#include "api/openapi/written.hpp"
#include "flow/live_sale.hpp"
#include "journal/journal.hpp"
#include "sale/machine.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Says what this gateway does for a sale.
struct Driving {
    bool is_driven = false;          // a loop here works on it; otherwise it is not said what is to be done
    bool waits_for_journal = false;  // as Seller::waits_for_journal() says
};

// Says whether the events are told as rounds, too.
enum class Passages { none, folded };

// Returns the history as JSON. `history` and `callbacks` are what the journal has of this sale.
std::string sale_history(const Rules& rules, const LiveSale& live, Driving driving, const Context& now,
                         const History& history, const std::vector<KeptCallback>& callbacks,
                         Passages passages = Passages::none);

// Returns the newer of the two errors: where the history has grown long, memory may know a newer one.
std::optional<LastError> newest_error(const std::optional<LastError>& told, const std::optional<LastError>& known);
// Every call writes the last error so: LastError in the documents.
openapi::Part<LastError> in_part(const std::optional<LastError>& error);
boost::json::object error_json(const LastError& error);

}  // namespace gateway
