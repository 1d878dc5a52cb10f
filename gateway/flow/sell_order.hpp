// What a terminal asks to be sold, and whether that is what a sale was asked to be.
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
    Order order;                         // estabelecimento filled in
    bool names_estabelecimento = false;  // the terminal sent one
    std::string cashier;                 // may be empty
    bool repeat = false;                 // sold even where it may be a duplicate
    std::string redemption;              // what the offer says about using what is bought; may be empty
    std::string terminal;
    std::string key;
    std::string digest;  // SHA-256 of the canonical body, without what does not count for a repeat
    std::string request_id;
    bool hammers = false;  // the terminal is refused again and again, and has no more lines of its own
    Instant patience;      // until when the terminal waits
};

// Order::fields of the order that the sale came of; nothing where they were erased, or cannot be read.
std::optional<boost::json::object> request_fields(const Sale& sale);

// The names of the fields in which the order differs from what the sale was asked to be, in the order of the alphabet;
// empty where both are understood alike. What was erased from the sale is not compared, and neither is an
// establishment that the order left out: it means the sale's own.
std::vector<std::string> differing_fields(const Sale& sale, const SellOrder& asked);

// Whether the order is the sale's own: sent with an equal body, or understood alike ("Idempotency"). Of a sale whose
// fields were erased only the body can tell.
bool is_repeat(const Sale& sale, const SellOrder& asked);

}  // namespace gateway
