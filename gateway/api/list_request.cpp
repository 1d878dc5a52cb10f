#include "api/list_request.hpp"

#include "api/query.hpp"

namespace gateway {
namespace {

constexpr std::size_t longest_page = 200;

}  // namespace

ResultOrResponse<SaleFilter> read_list_request(const http::Request& request) {
    Query query(request, {"key", "idExterno", "status", "attention", "from", "to", "limit", "cursor"});
    SaleFilter filter;
    filter.key = std::optional<std::string>(query.value("key"));
    filter.id_externo = std::optional<std::string>(query.value("idExterno"));
    filter.status =
        query.parsed("status", parse_status, "must be PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA or NEGADA");
    filter.attention = query.flag("attention");
    filter.from = query.time("from");
    filter.to = query.time("to");
    filter.limit = query.count("limit", longest_page).value_or(filter.limit);
    filter.after = query.parsed("cursor", SaleId::parse, "must be the \"next\" of the page before");
    if (query.failed()) return query.refusal();
    return filter;
}

}  // namespace gateway
