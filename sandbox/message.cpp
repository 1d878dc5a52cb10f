#include "sandbox/message.hpp"

#include <boost/beast/core/string.hpp>

namespace gateway::sandbox {

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
    for (const auto& [key, value] : headers)
        if (boost::beast::iequals(key, name)) return value;
    return std::nullopt;
}

Reply refusal(int status, std::string_view erro, std::string_view mensagem) {
    Reply reply;
    reply.status = status;
    reply.body = {{"erro", erro}, {"mensagem", mensagem}};
    reply.refused = mensagem;
    return reply;
}

Reply departure(int status, std::string_view erro, std::string_view mensagem) {
    auto reply = refusal(status, erro, mensagem);
    reply.departure = true;
    return reply;
}

}  // namespace gateway::sandbox
