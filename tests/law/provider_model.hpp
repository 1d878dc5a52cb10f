// The provider, written from its interface document ("States and transitions") and not from the gateway's types of
// it. Where the document is silent, what this provider does is a row of data.
#pragma once

#include "law/compiled_law.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <vector>

namespace gateway::law {

// Says what the provider's books have of one attempt.
enum class Book : std::uint8_t { none, autorizada, efetivada, cancelada, negada };

// These are the open points of the document that change what an answer means.
struct Provider {
    // The answer to a cancel of a sale that the provider does not know, or has refused.
    enum class OfUnknown { no_such_sale, cancelada, negada, conflict };
    OfUnknown cancel_of_unknown = OfUnknown::no_such_sale;
    bool remembers_cancel = false;  // a request that arrives after its own cancel is refused
    bool cancels = true;            // if not, every cancel is answered 4xx without a status, and does nothing
    // The answer to a cancel, or to a confirm, of a sale that is over names its status. If not, it is a 4xx.
    bool cancel_names_end = true;
    bool confirm_names_end = true;
    bool calls_back = true;    // eSIM
    bool contradicts = false;  // eSIM: a later callback may name another final status
};

struct Reaction {
    Book book;
    Said said;
    bool usual = true;  // a provider without faults may react so
};

// Returns every way in which the provider may process a message that has arrived.
std::vector<Reaction> reactions(const Provider& provider, Family family, Step step, Book book);
// Returns every answer that may come although the message was not processed, or never sent.
std::vector<Said> unprocessed(Step step, bool trusts_cancel_4xx);

bool is_over(Book book);
Status status_in(Book book);  // not of none
// Tells whether the provider, asked again and again as the gateway does it, never says how the attempt ends.
bool never_says(const Provider& provider, const Terms& terms, const AttemptClass& attempt, Book book);
std::string_view to_string(Book book);

}  // namespace gateway::law
