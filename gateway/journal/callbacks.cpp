#include "journal/callbacks.hpp"

#include "base/digest.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/erasure.hpp"
#include "journal/rows.hpp"

namespace gateway::callbacks {

Job<std::optional<SaleId>> find_sale(Tx& tx, std::string_view secret) {
    const auto found = co_await tx.ask(sql::sale_of_callback, sha256_hex(secret));
    if (found.empty()) co_return std::nullopt;
    co_return co_await tx.readable_id(found.front());
}

Job<void> insert(Tx& tx, SaleId sale, std::string_view kind, bool valid, const Secret& body) {
    tx.run(sql::hold_sale, sale.text());
    erasure::written(tx, sale.text());
    const FieldAddress address{encrypted::callback_body, sale.text()};
    std::string buffer;
    tx.run(sql::insert_callback, rows::milliseconds(tx.at.wall), sale.text(), kind, valid,
           tx.cipher.encrypt(address, body.reveal(), buffer));
    co_return;
}

Job<std::vector<KeptCallback>> list(Tx& tx, SaleId sale) {
    const auto found = co_await tx.ask(sql::callbacks_of_sale, sale.text());
    std::vector<KeptCallback> callbacks;
    rows::FieldReader fields(tx.cipher);
    for (const auto& row : found)
        if (auto callback = rows::read_callback(row, sale.text(), fields)) callbacks.push_back(std::move(*callback));
    tx.unreadable.add_values(fields.unreadable());
    co_return callbacks;
}

}  // namespace gateway::callbacks
