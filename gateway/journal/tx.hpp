// A job of the journal works with a Tx: the transaction that it runs in, and what the tables need besides rows.
#pragma once

#include "journal/attempts_text.hpp"
#include "journal/engine.hpp"
#include "journal/field_cipher.hpp"
#include "journal/unreadable_sales.hpp"

namespace gateway {

// These are the statements of sql/statements/, each under the name that it has there.
namespace sql {
#include "statements.inc"
}

class Tx {
  public:
    // Every reference must outlive this object. `at` is the moment at which the caller asked the journal.
    Tx(Transaction& database, FieldCipher& its_cipher, UnreadableSales& its_unreadable, const Moment& moment) noexcept
        : cipher(its_cipher), unreadable(its_unreadable), at(moment), database_(database) {}

    // These functions do what those of Transaction say.
    template <class... Values>
    Transaction::Asked ask(const Statement& statement, const Values&... values) {
        return database_.ask(statement, values...);
    }
    Transaction::Asked ask(std::string_view composed, std::span<const Value> values = std::span<const Value>()) {
        return database_.ask(composed, values);
    }
    template <class... Values>
    void run(const Statement& statement, const Values&... values) {
        database_.run(statement, values...);
    }
    void run(std::string_view composed, std::span<const Value> values = std::span<const Value>()) {
        database_.run(composed, values);
    }
    void hold(std::string_view words) { database_.hold(words); }
    void hold_with_others(std::string_view words) { database_.hold_with_others(words); }

    // Notes that the row with this number cannot be read, and marks its sale.
    Job<void> mark_unreadable(std::int64_t number) { return unreadable.add(database_, number); }
    // Notes that these values of the sale cannot be read, and marks the sale, which goes on without them.
    Job<void> mark_unreadable(Sale& sale, std::int64_t number, const std::vector<std::string>& values) {
        return unreadable.add_values(database_, sale, number, values);
    }
    // Returns the id in a row that begins with the columns id and n. Where the id cannot be read, the sale is marked,
    // and the job fails with errc::sale_unreadable.
    Job<SaleId> readable_id(Rows::One row) {
        const auto id = SaleId::parse(row.text(0));
        if (id) co_return *id;
        co_await mark_unreadable(row.integer(1));
        throw JobFailed(errc::sale_unreadable);
    }

    // Returns the transaction, for callers that need nothing else.
    Transaction& transaction() noexcept { return database_; }

    FieldCipher& cipher;
    UnreadableSales& unreadable;
    const Moment at;

  private:
    Transaction& database_;
};

}  // namespace gateway
