#include "http/client/request_text.hpp"

#include "http/syntax.hpp"

#include <algorithm>

namespace gateway::http {
namespace {

using namespace std::string_view_literals;

bool is_target(std::string_view text) {
    return text.starts_with('/') && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

void append_header(std::string& text, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text.append(name).append(": "sv).append(value).append("\r\n"sv);
}

}  // namespace

Result<Secret> request_text(const ClientRequest& request, std::string_view authority) {
    const auto& authorization = request.authorization.reveal();
    const auto& body = request.body.reveal();
    for (const std::string_view value :
         {std::string_view(request.accept), std::string_view(request.accept_language), request.content_type,
          std::string_view(request.request_id), std::string_view(authorization)})
        if (!is_field_value(value)) return errc::malformed;
    if (!is_target(request.target)) return errc::malformed;

    constexpr std::size_t names = 256;  // about as much as the names of all headers take
    std::string text;
    text.reserve(names + request.target.size() + authority.size() + authorization.size() + body.size());
    text.append(request.post ? "POST " : "GET ").append(request.target).append(" HTTP/1.1\r\n");
    append_header(text, "Host", authority);
    append_header(text, "Accept", request.accept);
    append_header(text, "Accept-Language", request.accept_language);
    // Without this the provider might compress its answer, and we cannot decompress.
    append_header(text, "Accept-Encoding", "identity");
    append_header(text, "Authorization", authorization);
    append_header(text, "X-Request-Id", request.request_id);
    if (request.post) {
        append_header(text, "Content-Type", request.content_type);
        append_header(text, "Content-Length", std::to_string(body.size()));
    }
    text.append("\r\n");
    if (request.post) text.append(body);
    return Secret(std::move(text));
}

}  // namespace gateway::http
