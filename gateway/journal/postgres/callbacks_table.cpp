#include "journal/postgres/callbacks_table.hpp"

#include "base/digest.hpp"
#include "journal/encrypted_fields.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement sale_of_callback{"sale_of_callback", "SELECT id, n FROM sales WHERE callback_hash = $1"};
constexpr Statement keep_callback{"keep_callback", "SELECT keep_callback($1, $2, $3, $4, $5)"};
// A sale has two. More than that do not come from the provider.
constexpr Statement callbacks_of_sale{
    "callbacks", "SELECT received_at, kind, valid, body FROM callbacks WHERE sale = $1 ORDER BY n LIMIT 50"};

}  // namespace

Awaited<std::optional<SaleId>> CallbacksTable::find_sale(const std::string& secret) {
    Parameters parameters;
    parameters.add(sha256_hex(secret));
    const auto found = co_await storage_.writer.read(sale_of_callback, std::move(parameters));
    if (found.has_error()) co_return found.error();
    if (found->empty()) co_return std::optional<SaleId>();
    const auto row = (*found)[0];
    const auto id = co_await reader_.read_id(row);
    if (id.has_error()) co_return id.error();
    co_return std::optional(*id);
}

Awaited<void> CallbacksTable::insert(SaleId sale, std::string_view kind, bool valid, const Secret& body) {
    Parameters parameters;
    parameters.add(rows::milliseconds(storage_.clock.wall())).add(sale.text()).add(kind).add(int{valid});
    storage_.seal(parameters, {encrypted::callback_body, sale.text()}, body.reveal());
    const auto kept = co_await storage_.writer.write(keep_callback, std::move(parameters));
    if (kept.has_error()) co_return kept.error();
    co_return Result<void>();
}

Awaited<boost::json::array> CallbacksTable::list(SaleId sale) {
    Parameters parameters;
    parameters.add(sale.text());
    const auto found = co_await storage_.reader.read(callbacks_of_sale, std::move(parameters));
    if (found.has_error()) co_return found.error();
    boost::json::array callbacks;
    rows::FieldReader fields(storage_.cipher);
    for (std::size_t i = 0; i < found->size(); ++i)
        if (auto callback = rows::read_callback((*found)[i], sale.text(), fields))
            callbacks.push_back(std::move(*callback));
    reader_.add_values(fields.unreadable());
    co_return callbacks;
}

}  // namespace gateway::postgres
