#include "commands/admin_client.hpp"

#include "base/ascii.hpp"
#include "commands/members.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <exception>
#include <limits>

namespace gateway {
namespace {

namespace json = boost::json;

// A page of sales whose goods are JSON, some levels below it.
constexpr std::size_t deepest_answer = 64;

std::optional<std::uint16_t> port_in(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && port != 0 ? std::optional(port) : std::nullopt;
}

bool is_host(std::string_view text, bool in_brackets) {
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || (in_brackets && (c == ':' || c == '%'));
    });
}

std::optional<json::object> object_of(const std::string& body) {
    json::parse_options options;
    options.max_depth = deepest_answer;
    boost::system::error_code error;
    auto value = json::parse(body, error, {}, options);
    auto* object = error ? nullptr : value.if_object();
    return object != nullptr ? std::optional(std::move(*object)) : std::nullopt;
}

}  // namespace

void add_to_query(std::string& query, std::string_view name, std::string_view value) {
    query += fmt::format("{}{}=", query.empty() ? '?' : '&', name);
    for (const char c : value) {
        if (is_unreserved(c))
            query += c;
        else
            append_percent_encoded(query, c);
    }
}

std::optional<http::Origin> parse_admin_origin(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    auto host = text.substr(0, colon);
    const auto port = port_in(text.substr(colon + 1));
    const bool in_brackets = host.starts_with('[') && host.ends_with(']');
    if (in_brackets) host = host.substr(1, host.size() - 2);
    if (!port || !is_host(host, in_brackets)) return std::nullopt;
    return http::Origin{.tls = false, .host = std::string(host), .port = *port};
}

std::string AdminAnswer::problem() const {
    const auto detail = text_in(body, "detail");
    return detail.empty() ? fmt::format("the gateway answered with HTTP status {}", status) : std::string(detail);
}

AdminClient::AdminClient(boost::asio::io_context& context, const Clock& clock, http::Client& client,
                         std::string address)
    : context_(context), clock_(clock), client_(client), address_(std::move(address)) {}

AdminClient::Told AdminClient::get(std::string target, std::chrono::seconds patience) {
    return call({.target = std::move(target), .label = "admin"}, patience, "");
}

AdminClient::Told AdminClient::post(std::string target, const json::object& body, std::chrono::seconds patience,
                                    std::string_view tells) {
    return call({.post = true,
                 .target = std::move(target),
                 .label = "admin",
                 .content_type = "application/json",
                 .body = Secret(json::serialize(body))},
                patience, tells);
}

AdminClient::Told AdminClient::post_file(std::string target, std::string bytes, const std::function<void()>& waiting) {
    return call({.post = true,
                 .target = std::move(target),
                 .label = "admin",
                 .content_type = "application/octet-stream",
                 .body = Secret(std::move(bytes))},
                statement_patience, "the same once more tells", waiting);
}

AdminClient::Told AdminClient::call(http::ClientRequest request, std::chrono::seconds patience, std::string_view tells,
                                    const std::function<void()>& waiting) {
    std::optional<Reply> reply;
    std::exception_ptr fault;
    boost::asio::co_spawn(context_, http::exchange(client_, std::move(request), clock_.now() + patience),
                          [&](const std::exception_ptr& thrown, Reply came) {
                              fault = thrown;
                              reply = std::move(came);
                          });
    context_.restart();
    // Not until nothing is left to do: the connection is kept, and watched, for another call.
    while (!reply) {
        if (!waiting)
            context_.run_one();
        else if (context_.run_one_for(std::chrono::seconds(1)) == 0)
            waiting();
    }
    if (fault) std::rethrow_exception(fault);
    if (reply->kind != Reply::Kind::answered) return why_not(*reply, patience, tells);
    auto body = object_of(reply->body);
    if (!body) return fmt::format("what answers at {} is no gateway's admin listener", address_);
    if (reply->status == 401) return fmt::format("{} asks for a key: it is not the admin listener", address_);
    return AdminAnswer{reply->status, std::move(*body)};
}

std::string AdminClient::why_not(const Reply& reply, std::chrono::seconds patience, std::string_view tells) const {
    if (reply.kind == Reply::Kind::nothing_sent) {
        auto sentence =
            fmt::format("no gateway answers at {}: is it running? (systemctl status sales-gateway)", address_);
        if (const auto trouble = client_.trouble(); !trouble.empty()) sentence += "\n  " + trouble;
        return sentence;
    }
    auto sentence = reply.failure == errc::timed_out
                        ? fmt::format("the gateway at {} has not answered in {} s", address_, patience.count())
                        : fmt::format("the answer from {} was lost: {}", address_, reply.failure.message());
    if (!tells.empty()) sentence += fmt::format("; whether it was done is not known: {}", tells);
    return sentence;
}

}  // namespace gateway
