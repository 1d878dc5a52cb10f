// What a terminal asks to be sold.
#pragma once

#include "base/clock.hpp"
#include "families/family.hpp"

#include <string>

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
    Instant patience;  // until when the terminal waits
};

}  // namespace gateway
