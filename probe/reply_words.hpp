// An answer is said in one word here, so that two of them can be compared and written down: "200-status", "404",
// "422-cancelada". Pure.
#pragma once

#include "base/reply.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway::probe {

inline bool is_answered(const Reply& reply) {
    return reply.kind == Reply::Kind::answered;
}
inline bool is_success(const Reply& reply) {
    return is_answered(reply) && reply.status >= 200 && reply.status <= 299;
}
// Returns whether it is an answer at all, and not one that says only that the caller was not recognised (401) or asks
// too much (429).
inline bool is_about_the_sale(const Reply& reply) {
    return is_answered(reply) && reply.status != 401 && reply.status != 429;
}
// Returns whether it says something of the address and the sale: a server that is in trouble does not.
inline bool tells(const Reply& reply) {
    return is_about_the_sale(reply) && reply.status < 500;
}

// Returns the word of the first status that the answer names, wherever that stands, as the provider spells it; empty
// where it names none.
std::string status_word(const Reply& reply);
// Says where that status stands: "transacao", "venda", "top"; empty where it names none.
std::string_view status_place(const Reply& reply);
// Returns a text that stands beside that status, such as the idTransacao of the transaction; empty where there is none.
std::string transaction_text(const Reply& reply, std::string_view name);

// Says the HTTP status, and what status of a sale the answer names: "-status" where that is `own`, "-cancelada" and so
// on where it is another word of the interface's, "-stranger" where the interface has no such word, and, of a success
// that names none, "-bare". What is no answer is "none".
std::string said(const Reply& reply, std::optional<Status> own = std::nullopt);

// Names the shape of an error's body: "erro", "erro-object", "oauth", "message", "html", "empty", "other".
std::string_view error_shape(const Reply& reply);

// Says it in Portuguese, for the report: "HTTP 404 sem status".
std::string in_portuguese(const Reply& reply);

}  // namespace gateway::probe
