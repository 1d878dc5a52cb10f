// Lists the fields of the journal that are encrypted and those that are personal. Every encrypted value is bound to its
// address, of which the field's name here is a part; therefore a name never changes. Erasure, the rotation of the key
// and copying go by this list.
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

// A session of the console is bound to its digest. Its row is gone after a day at most, so no key is rotated for it.
inline constexpr std::string_view console_session = "console_sessions.session/";

// The token and the key of duplicates.hpp belong to no sale, so their addresses name no row.
inline constexpr FieldAddress token_access{"token.access/", ""};
inline constexpr FieldAddress token_refresh{"token.refresh/", ""};
inline constexpr FieldAddress duplicate_key{"duplicate_key.key/", ""};

// The detail of an event with this name is a person's note, and is kept apart from the history.
inline constexpr std::string_view noted_event = "resolved";

struct Field {
    std::string_view column;
    std::string_view name;     // part of the address of its values; empty: the field is not encrypted
    bool is_personal = false;  // true: it is erased after the retention period
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
    // This hash counts as personal: where a value has few possibilities, its hash can be found out by trying all of
    // them.
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
    std::string_view number;  // the column that tells its rows apart
    std::string_view row;     // an expression that gives FieldAddress::row for each row
    std::string_view sale;    // the column that names the sale of a row; empty: its rows belong to no sale
    bool rows_go = false;     // true: erasure deletes the whole row
};
inline constexpr std::array tables{
    Table{"sales", of_sale, "n", "id", "id"},
    Table{"callbacks", of_callback, "n", "sale", "sale"},
    Table{"notes", of_note, "n", "sale", "sale"},
    Table{"findings", of_finding, "number", "CAST(number AS TEXT)", "sale"},
    Table{"token", of_token, "one", "''", ""},
    Table{"duplicate_key", of_duplicate_key, "one", "''", ""},
};
// Several gateways that share a journal have one more table, in which they forward commands to each other.
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
