#include "simulation/recount.hpp"

#include "simulation/sql_reader.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway::simulation {
namespace {

// A history has a JSON object in each line.
constexpr const char* lines_of_histories =
    "CREATE TEMP VIEW lines AS SELECT sales.id AS sale, line.key AS n, line.value ->> 'attempt' AS attempt,"
    " line.value ->> 'event' AS event, line.value ->> 'state' AS state, line.value ->> 'mark' AS mark"
    " FROM sales, json_each('[' || replace(story, char(10), ',') || ']') AS line";

constexpr std::array all{
    Recount{
        false, "an attempt is in another state than its history says",
        "SELECT sales.id FROM sales, json_each(attempts) AS a WHERE a.value ->> 'state' IS NOT (SELECT state FROM lines"
        " WHERE sale = sales.id AND attempt = a.key + 1 AND state IS NOT NULL ORDER BY n DESC LIMIT 1)",
        "UPDATE sales SET attempts = json_set(attempts, '$[0].state', 'none')"},
    Recount{false, "a sale has another number of attempts than its history has begun",
            "SELECT sales.id FROM sales WHERE json_array_length(attempts) <>"
            " (SELECT count(*) FROM lines WHERE sale = sales.id AND event = 'begun')",
            "UPDATE sales SET story = story || char(10) || '{\"attempt\":1,\"event\":\"begun\"}'"},
    Recount{false, "a sale has another mark than its history says",
            "SELECT sales.id FROM sales WHERE attention <> coalesce((SELECT mark FROM lines"
            " WHERE sale = sales.id AND mark IS NOT NULL ORDER BY n DESC LIMIT 1), 'none')",
            "UPDATE sales SET attention = CASE attention WHEN 'none' THEN 'unsettled' ELSE 'none' END"},
    // A history that has grown long leaves out lines that tell of no change.
    Recount{false, "a sale has another number of receipts than its history says",
            "SELECT sales.id FROM sales WHERE length(story) < 4096 AND receipts <>"
            " (SELECT count(*) FROM lines WHERE sale = sales.id AND event = 'receipt')",
            "UPDATE sales SET receipts = receipts + 1"},
    Recount{false, "an attempt's idExterno is not kept, or kept for another sale",
            "SELECT sales.id FROM sales, json_each(attempts) AS a WHERE NOT EXISTS"
            " (SELECT 1 FROM id_externos WHERE id_externo = a.value ->> 'idExterno' AND sale = sales.id)",
            "DELETE FROM id_externos"},
    Recount{false, "an idExterno is kept that no attempt has",
            "SELECT id_externo FROM id_externos WHERE NOT EXISTS (SELECT 1 FROM sales, json_each(attempts) AS a"
            " WHERE sales.id = id_externos.sale AND a.value ->> 'idExterno' = id_externo)",
            "INSERT INTO id_externos SELECT id_externo || '~', sale FROM id_externos LIMIT 1"},
    Recount{false, "a callback or a note is of no sale",
            "SELECT sale FROM callbacks WHERE sale NOT IN (SELECT id FROM sales)"
            " UNION SELECT sale FROM notes WHERE sale NOT IN (SELECT id FROM sales)",
            "INSERT INTO notes (sale, note) VALUES ('none', 'it is of no sale')"},
    Recount{false, "a cancelled key has a sale", "SELECT sales.id FROM sales JOIN cancelled_keys USING (terminal, key)",
            "INSERT INTO cancelled_keys SELECT terminal, key, 0 FROM sales LIMIT 1"},
    Recount{true, "a sale has no key, or another sale has it",
            "SELECT sales.id FROM sales WHERE NOT EXISTS (SELECT 1 FROM keys WHERE keys.terminal = sales.terminal"
            " AND keys.key = sales.key AND keys.sale = sales.id)",
            "DELETE FROM keys"},
    Recount{true, "a key is taken by a sale that is not there",
            "SELECT key FROM keys WHERE sale IS NOT NULL AND sale NOT IN (SELECT id FROM sales)",
            "INSERT INTO keys (terminal, key, sale) VALUES ('none', 'none', 'none')"},
    Recount{true, "a forwarded command is left", "SELECT sale FROM forwarded_commands",
            "INSERT INTO forwarded_commands (number, sale, event, request_id, forwarded_at)"
            " VALUES (1, 'none', '{}', '', 0)"},
};

}  // namespace

std::span<const Recount> recounts() {
    return all;
}

std::string recount(SqlReader& reader, bool shared, const Recount* broken) {
    std::string wrong;
    if (broken != nullptr) reader.each(broken->breaks, [](auto) {});
    reader.each(lines_of_histories, [](auto) {});
    for (const auto& one : all) {
        if (one.of_shared_journal_only && !shared) continue;
        reader.each(one.query, [&](auto column) {
            if (wrong.empty()) wrong = fmt::format("{}: {}", one.what, column(0));
        });
    }
    return reader.trouble().empty() ? wrong : "the journal cannot be counted again: " + reader.trouble();
}

}  // namespace gateway::simulation
