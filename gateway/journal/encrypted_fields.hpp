// Which fields of the journal are encrypted, and by what name each is bound to its address. Every value that was
// encrypted was bound to that name, so that a name never changes.
#pragma once

#include "journal/field_cipher.hpp"

#include <array>
#include <string_view>

namespace gateway::encrypted {

inline constexpr std::string_view digest = "sales.digest/";
inline constexpr std::string_view request = "sales.request/";
inline constexpr std::string_view words = "sales.words/";
inline constexpr std::string_view details = "sales.facts/";
inline constexpr std::string_view goods = "sales.goods/";
inline constexpr std::string_view esim = "sales.esim/";
inline constexpr std::string_view redemption = "sales.redemption/";
inline constexpr std::string_view cashier = "sales.cashier/";
inline constexpr std::string_view callback_body = "callbacks.body/";
inline constexpr std::string_view note = "notes.note/";
inline constexpr std::string_view word = "words.event/";
inline constexpr std::string_view finding_note = "findings.note/";  // its row is the finding's number

// The token and the key of duplicates.hpp belong to no sale.
inline constexpr FieldAddress token_access{"token.access/", ""};
inline constexpr FieldAddress token_refresh{"token.refresh/", ""};
inline constexpr FieldAddress duplicate_key{"duplicate_key.key/", ""};

// The event whose detail is a person's note, and kept apart from the history.
inline constexpr std::string_view noted_event = "resolved";

// Those of a row of `sales`, in the order in which the rotation reads and writes them.
inline constexpr std::array of_sale{digest, request, words, details, goods, esim, redemption, cashier};

}  // namespace gateway::encrypted
