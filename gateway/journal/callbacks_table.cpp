#include "journal/callbacks_table.hpp"

#include "base/digest.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

namespace gateway {

CallbacksTable::CallbacksTable(sqlite::Database& d, FieldCipher& cipher, UnreadableSales& unreadable)
    : cipher_(cipher),
      unreadable_(unreadable),
      sale_(d, "SELECT id, n FROM sales WHERE callback_hash = ?"),
      insert_(d, "INSERT INTO callbacks (received_at, sale, kind, valid, body) VALUES (?,?,?,?,?)"),
      // A sale has two. More than that do not come from the provider.
      list_(d, "SELECT received_at, kind, valid, body FROM callbacks WHERE sale = ? ORDER BY n LIMIT 50") {}

Result<std::optional<SaleId>> CallbacksTable::find_sale(std::string_view secret) {
    const auto hash = sha256_hex(secret);
    sale_.bind_all(hash);
    const auto found = sale_.step();
    if (found.has_error()) return found.error();
    if (!*found) return std::optional<SaleId>();
    const auto id = unreadable_.readable_id(sale_);
    sale_.reset();
    if (id.has_error()) return id.error();
    return std::optional(*id);
}

Result<void> CallbacksTable::insert(SaleId sale, std::string_view kind, bool valid, const Secret& body, WallTime at) {
    const FieldAddress address{encrypted::callback_body, sale.text()};
    return insert_.run(rows::milliseconds(at), sale.text(), kind, valid,
                       cipher_.encrypt(address, body.reveal(), buffer_));
}

Result<boost::json::array> CallbacksTable::list(SaleId sale) {
    boost::json::array callbacks;
    rows::FieldReader fields(cipher_);
    list_.bind_all(sale.text());
    while (true) {
        const auto row = list_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        if (auto callback = rows::read_callback(list_, sale.text(), fields)) callbacks.push_back(std::move(*callback));
    }
    list_.reset();
    unreadable_.add_values(fields.unreadable());
    return callbacks;
}

}  // namespace gateway
