// What the tables of the journal on PostgreSQL have in common: the connections that they use, values that may be
// encrypted as parameters, and sales as rows. A sale whose row, or parts of it, cannot be read is marked for a person
// in its row, once, and counted; every other sale goes on.
#pragma once

#include "base/clock.hpp"
#include "journal/attempts_text.hpp"
#include "journal/field_cipher.hpp"
#include "journal/postgres/session.hpp"
#include "journal/rows.hpp"
#include "journal/unreadable_sales.hpp"
#include "sale/sale.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::postgres {

template <class T>
using Awaited = boost::asio::awaitable<Result<T>>;

// What went wrong, as the result of what an error could be taken for: a number, a truth.
template <class T>
Result<T> failure(const boost::system::error_code& error) {
    return {boost::system::in_place_error, error};
}

// The text of a statement, put together of literals when the program is compiled.
template <std::size_t Size>
struct Sql {
    char text[Size]{};
};
template <std::size_t... Sizes>
consteval auto sql(const char (&... parts)[Sizes]) {
    Sql<(Sizes + ...) - sizeof...(Sizes) + 1> whole;
    char* end = whole.text;
    ((end = std::copy_n(parts, Sizes - 1, end)), ...);
    return whole;
}

// The columns that rows::read_sale() takes, and two more.
inline constexpr char sale_columns[] =
    "id, terminal, key, digest, family, mode, estabelecimento, produto, fornecedor, valor, segment, request,"
    " redemption, created_at, updated_at, status, settled, attention, reason, words, facts, goods, esim, attempts,"
    " recorded_at, n, cashier, day, term, step";
inline constexpr int term_column = 28;
inline constexpr int step_column = 29;

// What every table works with. The writer makes the steps of sales durable, and reads what decides them; the reader
// has what may take longer. Every reference must outlive the tables.
struct Storage {
    Session& writer;
    Session& reader;
    FieldCipher& cipher;
    Clock& clock;
    UnreadableSales& unreadable;

    Moment now() const { return {.now = clock.now(), .wall = clock.wall(), .boot = clock.boot()}; }
    // Adds the value as it is to be written: encrypted, or in clear where there is no key.
    void seal(Parameters& parameters, const FieldAddress& address, std::optional<std::string_view> plain) const {
        std::string buffer;
        parameters.add_sealed(cipher.encrypt(address, plain, buffer));
    }
};

class SaleReader {
  public:
    explicit SaleReader(Storage& storage) : storage_(storage) {}

    // The sale of a row of sale_columns, which must live until this is done. Not to be called within a transaction: the
    // mark is written by the writer.
    Awaited<Sale> read(const Row& row);
    // The row with this number cannot be read. It is counted once for as long as it stays so.
    boost::asio::awaitable<void> add(std::int64_t number);
    // Values that no sale is marked for.
    void add_values(const std::vector<std::string>& names) { storage_.unreadable.add_values(names); }

  private:
    // Whether the mark is new, or was not written.
    boost::asio::awaitable<bool> mark(std::int64_t number, std::string line, bool again);

    Storage& storage_;
};

}  // namespace gateway::postgres
