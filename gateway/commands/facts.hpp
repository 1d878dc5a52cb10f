// What a sale is and how it stands, for people: what `show` begins with, and what `resolve` shows before it asks.
#pragma once

#include "commands/commands.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// The sale of that id or idExterno with its attempts; nothing where it could not be had, and that is said.
std::optional<boost::json::object> sale_named(const Desk& desk, const std::string& id);

// Nothing of the customer, and nothing of what was bought but its name. `provider_said`: its words in a refusal,
// without what is personal, as the gateway's story of the sale has them; may be empty.
std::string sale_facts(const Screen& screen, const boost::json::object& sale, std::string_view provider_said = {});

// "sold: EFETIVADA", "held: AUTORIZADA, the terminal decides".
std::string standing_of(const boost::json::object& sale);

}  // namespace gateway
