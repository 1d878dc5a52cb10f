#include "journal/sqlite/transaction.hpp"

namespace gateway::sqlite {
namespace {

using Kind = Rows::Kind;

Kind kind_of(int type) {
    switch (type) {
        case SQLITE_NULL: return Kind::null;
        case SQLITE_INTEGER: return Kind::integer;
        case SQLITE_TEXT: return Kind::text;
        case SQLITE_BLOB: return Kind::blob;
        default: return Kind::other;  // default: an int of SQLite's, of which a floating number is the last
    }
}

void add_row(Rows& rows, sqlite3_stmt* statement, int columns) {
    for (int column = 0; column < columns; ++column) {
        const auto kind = kind_of(sqlite3_column_type(statement, column));
        if (kind == Kind::null) {
            rows.add(kind, 0, {});
            continue;
        }
        // In this order: asked for its bytes first, SQLite would forget what a number was.
        const auto integer = sqlite3_column_int64(statement, column);
        const auto* const bytes = kind == Kind::blob
                                      ? static_cast<const char*>(sqlite3_column_blob(statement, column))
                                      : reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        rows.add(kind, integer, bytes != nullptr ? std::string_view(bytes, size) : std::string_view());
    }
}

void bind(sqlite3_stmt* statement, std::span<const gateway::Value> values) {
    int index = 0;
    for (const auto& value : values) {
        ++index;
        const auto bytes = value.bytes();
        const auto size = static_cast<int>(bytes.size());
        // SQLite takes a null pointer for NULL, and a default string_view is one.
        const char* const begin = bytes.data() != nullptr ? bytes.data() : "";
        const auto bound = [&] {
            switch (value.kind()) {
                case gateway::Value::Kind::null: return sqlite3_bind_null(statement, index);
                case gateway::Value::Kind::integer: return sqlite3_bind_int64(statement, index, value.integer());
                case gateway::Value::Kind::text: return sqlite3_bind_text(statement, index, begin, size, SQLITE_STATIC);
                case gateway::Value::Kind::blob: break;
            }
            return sqlite3_bind_blob(statement, index, begin, size, SQLITE_STATIC);
        };
        CHECK(bound() == SQLITE_OK);
    }
}

[[noreturn]] void fail(int code) {
    throw JobFailed({code, category()});
}

// strpos(TEXT, PART), as PostgreSQL has it: where the part begins in the text, from 1; 0: nowhere.
void find_part(sqlite3_context* context, int, sqlite3_value** values) {
    const auto text_of = [](sqlite3_value* value) {
        const auto* const bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
        const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
        return bytes != nullptr ? std::string_view(bytes, size) : std::string_view();
    };
    const auto at = text_of(values[0]).find(text_of(values[1]));
    sqlite3_result_int64(context, at == std::string_view::npos ? 0 : static_cast<sqlite3_int64>(at) + 1);
}

}  // namespace

Transaction::Transaction(Database& database) : database_(database) {
    sqlite3_create_function(database.raw(), "strpos", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, find_part,
                            nullptr, nullptr);
}

Transaction::Prepared Transaction::prepare(std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(database_.raw(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (code != SQLITE_OK) fail(code);
    return Prepared(raw);
}

sqlite3_stmt* Transaction::prepared(const gateway::Statement& statement) {
    if (statement.number == gateway::Statement::composed) {
        if (composed_ && composed_sql_ == statement.sql) return composed_.get();
        composed_ = prepare(statement.sql);
        composed_sql_ = statement.sql;
        return composed_.get();
    }
    if (prepared_.size() <= statement.number) prepared_.resize(statement.number + 1);
    auto& prepared = prepared_[statement.number];
    if (!prepared) prepared = prepare(statement.sql);
    return prepared.get();
}

Transaction::Asked Transaction::execute(const gateway::Statement& statement, std::span<const gateway::Value> values) {
    auto* const prepared = this->prepared(statement);
    bind(prepared, values);
    Rows rows;
    const int columns = sqlite3_column_count(prepared);
    rows.expect(static_cast<std::size_t>(columns));
    int code = sqlite3_step(prepared);
    for (; code == SQLITE_ROW; code = sqlite3_step(prepared))
        add_row(rows, prepared, columns);
    const bool writes = sqlite3_stmt_readonly(prepared) == 0;
    if (code == SQLITE_DONE && writes) rows.set_changed(database_.changes());
    sqlite3_reset(prepared);
    if (code != SQLITE_DONE) fail(code);
    return Asked(std::move(rows));
}

}  // namespace gateway::sqlite
