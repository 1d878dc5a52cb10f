#include "journal/postgres/key_rotation.hpp"

#include "journal/chain/upkeep.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

#include <array>
#include <string>
#include <vector>

namespace gateway::postgres {
namespace {

// How many sales are looked at in one transaction; the statement says the same.
constexpr std::size_t sales_in_a_step = 100;
// Sorts after every sale's id.
constexpr std::string_view all_of_them = "~";

// It is an id. Anything else would end the rotation before its time: it begins anew.
constexpr Statement rotated_until{
    "rotated_until",
    "SELECT CASE WHEN done_until = '~' OR EXISTS (SELECT 1 FROM sales WHERE id = done_until) THEN done_until ELSE ''"
    " END FROM sealing_keys WHERE current = 1"};
constexpr Statement next_to_rotate{
    "next_to_rotate",
    "SELECT n, id, digest, request, words, facts, goods, esim, redemption, cashier FROM sales WHERE id > $1"
    " ORDER BY id LIMIT 100 FOR UPDATE"};
constexpr Statement seal_sale{
    "seal_sale",
    "UPDATE sales SET digest = $3, request = $4, words = $5, facts = $6, goods = $7, esim = $8, redemption = $9,"
    " cashier = $10 WHERE n = $1::bigint AND id = $2"};
constexpr Statement callbacks_to_seal{"callbacks_to_seal",
                                      "SELECT n, sale, body FROM callbacks WHERE sale = ANY($1::text[]) FOR UPDATE"};
constexpr Statement seal_callback{"seal_callback", "UPDATE callbacks SET body = $3 WHERE n = $1::bigint AND sale = $2"};
constexpr Statement notes_to_seal{"notes_to_seal",
                                  "SELECT n, sale, note FROM notes WHERE sale = ANY($1::text[]) FOR UPDATE"};
constexpr Statement seal_note{"seal_note", "UPDATE notes SET note = $3 WHERE n = $1::bigint AND sale = $2"};
constexpr Statement words_to_seal{"words_to_seal", "SELECT number, sale, event FROM words FOR UPDATE"};
constexpr Statement seal_word{"seal_word", "UPDATE words SET event = $3 WHERE number = $1::bigint AND sale = $2"};
constexpr Statement token_to_seal{"token_to_seal",
                                  "SELECT one, '', access, refresh FROM token WHERE access IS NOT NULL FOR UPDATE"};
constexpr Statement seal_token{"seal_token",
                               "UPDATE token SET access = $3, refresh = $4 WHERE one = $1::smallint AND $2 = ''"};
constexpr Statement key_to_seal{"key_to_seal", "SELECT one, '', key FROM duplicate_key FOR UPDATE"};
constexpr Statement seal_key{"seal_key", "UPDATE duplicate_key SET key = $3 WHERE one = $1::smallint AND $2 = ''"};
constexpr Statement findings_to_seal{
    "findings_to_seal", "SELECT number, number::text, note FROM findings WHERE note IS NOT NULL FOR UPDATE"};
constexpr Statement seal_finding{"seal_finding",
                                 "UPDATE findings SET note = $3 WHERE number = $1::bigint AND number::text = $2"};
constexpr Statement set_rotated{"set_rotated", "UPDATE sealing_keys SET done_until = $1 WHERE current = 1"};
// A damaged value that was left behind does not keep an older key in use: no key decrypts it.
constexpr Statement finish_rotation{"finish_rotation", "DELETE FROM sealing_keys WHERE current = 0"};

constexpr int first_sealed_column = 2;

// A table with columns that are sealed.
struct Sealed {
    Statement read;
    Statement write;
    std::vector<std::string_view> columns;
};

std::vector<std::string_view> fields_of_sale() {
    std::vector<std::string_view> names;
    for (const auto& field : encrypted::of_sale)
        if (!field.name.empty()) names.push_back(field.name);
    return names;
}

// Of the same sales.
std::vector<Sealed> all_beside_sales() {
    return {{callbacks_to_seal, seal_callback, {encrypted::callback_body}},
            {notes_to_seal, seal_note, {encrypted::note}}};
}

// Of no sale, or of none in particular.
std::vector<Sealed> all_the_rest() {
    return {{words_to_seal, seal_word, {encrypted::word}},
            {token_to_seal, seal_token, {encrypted::token_access.column, encrypted::token_refresh.column}},
            {key_to_seal, seal_key, {encrypted::duplicate_key.column}},
            {findings_to_seal, seal_finding, {encrypted::finding_note}}};
}

}  // namespace

struct KeyRotation::Progress {
    KeyRotationState state = KeyRotationState::in_progress;
    std::vector<std::string> unreadable{};  // values that cannot be decrypted, and were left as they are
};

Awaited<KeyRotationState> KeyRotation::some(const std::string& run) {
    if (!storage_.cipher.encrypts()) co_return KeyRotationState::nothing_to_do;
    const std::function<Awaited<Progress>(Transaction&)> work_on = [&](Transaction& transaction) {
        return work(transaction, run);
    };
    const auto progress = co_await storage_.reader.transaction(work_on);
    if (progress.has_error()) co_return progress.error();
    reader_.add_values(progress->unreadable);
    co_return progress->state;
}

Awaited<KeyRotation::Progress> KeyRotation::work(Transaction& transaction, const std::string& run) {
    const auto mine = co_await take_upkeep(transaction, run);
    if (mine.has_error()) co_return mine.error();
    const auto until = co_await transaction.run(rotated_until, Parameters());
    if (until.has_error()) co_return until.error();
    if (!*mine || until->empty() || (*until)[0].text(0) == all_of_them)
        co_return Progress{.state = KeyRotationState::nothing_to_do};
    co_return co_await sales(transaction, std::string((*until)[0].text(0)));
}

Awaited<KeyRotation::Progress> KeyRotation::sales(Transaction& transaction, const std::string& after) {
    Progress progress;
    Parameters from;
    from.add(after);
    const auto found = co_await transaction.run(next_to_rotate, std::move(from));
    if (found.has_error()) co_return found.error();
    const auto fields = fields_of_sale();
    auto sealed = co_await seal(transaction, *found, seal_sale, fields, progress);
    if (sealed.has_error()) co_return sealed.error();
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < found->size(); ++i)
        ids.emplace_back((*found)[i].text(1));
    const auto beside = all_beside_sales();
    for (const auto& [read, write, columns] : beside) {
        Parameters which;
        which.add(ids);
        const auto rows_of_sales = co_await transaction.run(read, std::move(which));
        if (rows_of_sales.has_error()) co_return rows_of_sales.error();
        sealed = co_await seal(transaction, *rows_of_sales, write, columns, progress);
        if (sealed.has_error()) co_return sealed.error();
    }
    const bool more = ids.size() == sales_in_a_step;
    if (!more) {
        const auto done = co_await rest(transaction, progress);
        if (done.has_error()) co_return done.error();
        progress.state = KeyRotationState::finished;
    }
    Parameters until;
    until.add(more ? std::string_view(ids.back()) : all_of_them);
    const auto noted = co_await transaction.run(set_rotated, std::move(until));
    if (noted.has_error()) co_return noted.error();
    co_return progress;
}

Awaited<void> KeyRotation::rest(Transaction& transaction, Progress& progress) {
    const auto all = all_the_rest();
    for (const auto& [read, write, columns] : all) {
        const auto found = co_await transaction.run(read, Parameters());
        if (found.has_error()) co_return found.error();
        const auto sealed = co_await seal(transaction, *found, write, columns, progress);
        if (sealed.has_error()) co_return sealed.error();
    }
    const auto finished = co_await transaction.run(finish_rotation, Parameters());
    if (finished.has_error()) co_return finished.error();
    co_return Result<void>();
}

Awaited<void> KeyRotation::seal(Transaction& transaction, const Rows& found, Statement write,
                                std::span<const std::string_view> columns, Progress& progress) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto row = found[i];
        Parameters fresh;
        fresh.add(row.integer(0)).add(row.text(1));
        bool changed = false;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const auto column = first_sealed_column + static_cast<int>(c);
            const FieldAddress address{columns[c], row.text(1)};
            const bool outdated = storage_.cipher.is_outdated(row, column);
            std::string plain;
            if (outdated && storage_.cipher.decrypt(address, row, column, plain)) {
                storage_.seal(fresh, address, plain);
                changed = true;
                continue;
            }
            // Whoever reads it finds out.
            if (outdated) progress.unreadable.push_back(rows::value_name(columns[c], row.text(1)));
            using Kind = ColumnValue::Kind;
            const auto kind = row.is_null(column) ? Kind::null : row.is_blob(column) ? Kind::blob : Kind::text;
            fresh.add_sealed({.kind = kind, .bytes = row.text(column)});
        }
        if (!changed) continue;
        const auto written = co_await transaction.run(write, std::move(fresh));
        if (written.has_error()) co_return written.error();
    }
    co_return Result<void>();
}

}  // namespace gateway::postgres
