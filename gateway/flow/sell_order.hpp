// Holds what a terminal asks to be sold, and compares it with what an earlier sale was asked to be.
#pragma once

#include "base/clock.hpp"
#include "families/family.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway {

struct SellOrder {
    Order order;                         // with its estabelecimento filled in
    bool names_estabelecimento = false;  // the terminal sent one
    std::string cashier;                 // may be empty
    bool repeat = false;                 // sell even where it may be a duplicate
    std::string redemption;              // the offer's words about how the product is used; may be empty
    std::string terminal;
    std::string key;
    std::string digest;  // SHA-256 of the canonical body, without the fields that do not count for a repeat
    std::string request_id;
    bool hammers = false;  // the terminal is refused again and again, and has no more lines of its own
    Instant patience;      // the moment until which the terminal waits
};

// Returns Order::fields of the order from which the sale came; nothing where they were erased, or cannot be read.
std::optional<boost::json::object> request_fields(const Sale& sale);

// Returns in alphabetical order the names of the fields in which the order differs from the sale's; empty where both
// mean the same. Fields that were erased from the sale are not compared. Neither is an establishment that the order
// leaves out, because it then means the sale's.
std::vector<std::string> differing_fields(const Sale& sale, const SellOrder& asked);

// Tells whether the order is that of the sale: sent with an equal body, or equal in meaning ("Idempotency"). Where the
// sale's fields were erased, only the body can tell.
bool is_repeat(const Sale& sale, const SellOrder& asked);

}  // namespace gateway
