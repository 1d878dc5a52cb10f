#include "journal/key_rotation.hpp"

#include "journal/rows.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace gateway {
namespace {

std::string no_key_file(const std::string& name) {
    return fmt::format(
        "customers' data in it is encrypted with the key {}, and no journal.key_file is configured: set it to the file "
        "that holds this key",
        name);
}

std::string missing_key(const std::string& name, const FieldCipher& cipher) {
    return fmt::format(
        "customers' data in it is encrypted with the key {}, which journal.key_file does not hold (its first key is "
        "{}): "
        "put that key on a line of its own below the first one, or bring the right file back from where its copy is "
        "kept. Nothing else opens these values",
        name, cipher.current());
}

// Tells whether a key can have this name.
bool is_key_name(std::string_view name) {
    constexpr std::size_t digits = 16;
    return name.size() == digits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

boost::system::result<void, std::string> has_key(std::string_view name, const FieldCipher& cipher) {
    if (!is_key_name(name)) return {};
    if (!cipher.encrypts()) return no_key_file(std::string(name));
    if (!cipher.has(name)) return missing_key(std::string(name), cipher);
    return {};
}

namespace key_rotation {
namespace {

// One transaction looks at this many sales, so that it never delays a commit for long.
constexpr std::size_t sales_in_a_step = 100;
// This sorts after every sale's id.
constexpr std::string_view all_of_them = "~";

// Every row begins with its number and FieldAddress::row; the encrypted fields follow.
constexpr int first_field = 2;

std::vector<encrypted::Field> fields_of(const encrypted::Table& table) {
    std::vector<encrypted::Field> fields;
    for (const auto& field : table.fields)
        if (!field.name.empty()) fields.push_back(field);
    return fields;
}

// The query locks the rows: a step that is recorded meanwhile waits for some milliseconds.
std::string select_text(const encrypted::Table& table, std::string_view condition) {
    std::string columns;
    for (const auto& field : fields_of(table))
        columns += fmt::format(", {}", field.column);
    return fmt::format("SELECT {}, {}{} FROM {} WHERE {} /*+ FOR UPDATE */", table.number, table.row, columns,
                       table.name, condition);
}

std::string update_text(const encrypted::Table& table) {
    std::string columns;
    int parameter = 1;
    for (const auto& field : fields_of(table))
        columns += fmt::format("{}{} = ?{}", columns.empty() ? "" : ", ", field.column, ++parameter);
    return fmt::format("UPDATE {} SET {} WHERE {} = ?1", table.name, columns, table.number);
}

Value as_it_is(const Row& row, int column) {
    using Kind = ColumnValue::Kind;
    if (row.is_blob(column)) return ColumnValue{.kind = Kind::blob, .bytes = row.blob(column)};
    if (row.is_null(column)) return std::nullopt;
    return ColumnValue{.kind = Kind::text, .bytes = row.text(column)};
}

void rotate(Tx& tx, const encrypted::Table& table, const Rows& found) {
    const auto text = update_text(table);
    const auto fields = fields_of(table);
    std::vector<std::string> plain(fields.size());
    std::vector<std::string> fresh(fields.size());
    for (const auto& row : found) {
        std::vector<Value> values{row.integer(0)};
        bool changed = false;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto column = first_field + static_cast<int>(i);
            const FieldAddress address{fields[i].name, row.text(1)};
            const bool outdated = tx.cipher.is_outdated(row, column);
            if (outdated && tx.cipher.decrypt(address, row, column, plain[i])) {
                values.emplace_back(tx.cipher.encrypt(address, plain[i], fresh[i]));
                changed = true;
            } else {
                values.push_back(as_it_is(row, column));
                // It is found out at the next reading of the value that it cannot be decrypted.
                if (outdated) tx.unreadable.add_other(rows::value_name(fields[i].name, row.text(1)));
            }
        }
        if (changed) tx.run(text, values);
    }
}

// Rotates the rows of the sales whose ids are greater than `after` and at most `last`.
Job<void> rotate_of_sales(Tx& tx, const encrypted::Table& table, const std::string& after, const std::string& last) {
    const auto text = select_text(table, fmt::format("{0} > ?1 AND {0} <= ?2", table.row));
    const std::array range{Value(after), Value(last)};
    const auto found = co_await tx.ask(text, range);
    rotate(tx, table, found);
}

// Rotates all rows at once: such a table has only one row, or rows that people wrote one by one.
Job<void> rotate_all(Tx& tx, const encrypted::Table& table) {
    std::string any;
    for (const auto& field : fields_of(table))
        any += fmt::format("{}{} IS NOT NULL", any.empty() ? "" : " OR ", field.column);
    const auto text = select_text(table, any);
    const std::span<const Value> no_values;
    const auto found = co_await tx.ask(text, no_values);
    rotate(tx, table, found);
}

}  // namespace

Job<std::string> missing_key(Transaction& tx, const FieldCipher& cipher) {
    const auto known = co_await tx.ask(sql::known_keys);
    for (const auto& key : known)
        if (auto here = has_key(key.text(0), cipher); here.has_error()) co_return here.error();
    co_return std::string();
}

Job<void> use_key(Transaction& tx, const FieldCipher& cipher) {
    if (!cipher.encrypts()) co_return;
    const auto current = co_await tx.ask(sql::current_key, cipher.current());
    if (!current.empty()) co_return;
    tx.run(sql::retire_keys);
    tx.run(sql::begin_rotation, cipher.current());
}

Job<KeyRotationState> rotate_some(Tx& tx, std::span<const encrypted::Table> tables) {
    const auto until = co_await tx.ask(sql::rotated_until);
    if (!tx.cipher.encrypts() || until.empty() || until.front().text(0) == all_of_them)
        co_return KeyRotationState::nothing_to_do;
    const std::string after(until.front().text(0));
    const auto next = co_await tx.ask(sql::next_to_rotate, after, sales_in_a_step);
    const bool more = next.size() == sales_in_a_step;
    const std::string last(more ? next[next.size() - 1].text(0) : all_of_them);
    for (const auto& table : tables) {
        if (table.row == table.sale)
            co_await rotate_of_sales(tx, table, after, last);
        else if (!more)
            co_await rotate_all(tx, table);
    }
    tx.run(sql::set_rotated_until, last);
    if (more) co_return KeyRotationState::in_progress;
    tx.run(sql::finish_rotation);
    co_return KeyRotationState::finished;
}

}  // namespace key_rotation
}  // namespace gateway
