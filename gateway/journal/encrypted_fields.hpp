// Says which fields of the journal are encrypted, by what name each is bound to its address, and which are personal.
// Every encrypted value is bound to that name, so that a name never changes. Erasure, the rotation of the key and
// copying go by this list.
#pragma once

#include "journal/field_cipher.hpp"

#include <algorithm>
#include <array>
#include <span>
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
inline constexpr std::string_view forwarded_command = "forwarded_commands.event/";
inline constexpr std::string_view finding_note = "findings.note/";  // its row is the finding's number

// The token and the key of duplicates.hpp belong to no sale.
inline constexpr FieldAddress token_access{"token.access/", ""};
inline constexpr FieldAddress token_refresh{"token.refresh/", ""};
inline constexpr FieldAddress duplicate_key{"duplicate_key.key/", ""};

// The detail of this event is a person's note, and is kept apart from the history.
inline constexpr std::string_view noted_event = "resolved";

struct Field {
    std::string_view column;
    std::string_view name;     // what its values are bound to; empty: it is not encrypted
    bool is_personal = false;  // it is erased after the retention
};
inline constexpr bool personal = true;

inline constexpr std::array of_sale{
    Field{"digest", digest},
    Field{"request", request, personal},
    Field{"words", words, personal},
    Field{"facts", details},
    Field{"goods", goods, personal},
    Field{"esim", esim, personal},
    Field{"redemption", redemption},
    Field{"cashier", cashier, personal},
    // A hash of a value with few possibilities is found out by trying all of them.
    Field{"duplicate_hash", "", personal},
};
inline constexpr std::array of_callback{Field{"body", callback_body, personal}};
inline constexpr std::array of_note{Field{"note", note, personal}};
inline constexpr std::array of_finding{Field{"note", finding_note, personal}};
inline constexpr std::array of_forwarded_command{Field{"event", forwarded_command, personal}};
inline constexpr std::array of_token{Field{"access", token_access.column}, Field{"refresh", token_refresh.column}};
inline constexpr std::array of_duplicate_key{Field{"key", duplicate_key.column}};

constexpr bool is_encrypted(std::span<const Field> fields, std::string_view column) {
    return std::ranges::any_of(fields,
                               [&](const Field& field) { return field.column == column && !field.name.empty(); });
}

struct Table {
    std::string_view name;
    std::span<const Field> fields;
    std::string_view number;  // the column by which its rows are told apart
    std::string_view row;     // an expression: FieldAddress::row of its rows
    std::string_view sale;    // the column with the sale that a row is of; empty: its rows are of none
    bool rows_go = false;     // what is personal is erased with its row
};
inline constexpr std::array tables{
    Table{"sales", of_sale, "n", "id", "id"},
    Table{"callbacks", of_callback, "n", "sale", "sale"},
    Table{"notes", of_note, "n", "sale", "sale"},
    Table{"findings", of_finding, "number", "CAST(number AS TEXT)", "sale"},
    Table{"token", of_token, "one", "''", ""},
    Table{"duplicate_key", of_duplicate_key, "one", "''", ""},
};
// A further table has the commands that several gateways forward to each other.
inline constexpr std::array tables_of_several{
    tables[0],
    tables[1],
    tables[2],
    tables[3],
    tables[4],
    tables[5],
    Table{"forwarded_commands", of_forwarded_command, "number", "sale", "sale", true},
};
static_assert(tables_of_several.size() == tables.size() + 1);

}  // namespace gateway::encrypted
