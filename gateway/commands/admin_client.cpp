#include "commands/admin_client.hpp"

#include "base/ascii.hpp"
#include "base/json_members.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <exception>
#include <limits>

namespace gateway {
namespace {

namespace json = boost::json;

// This is enough for a page of sales whose goods are JSON, some levels below it.
constexpr std::size_t deepest_answer = 64;

bool is_host(std::string_view text, bool in_brackets) {
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || (in_brackets && (c == ':' || c == '%'));
    });
}

// Returns the parameter "exit" of a Content-Type; 0 where there is none.
int exit_in(std::string_view content_type) {
    constexpr std::string_view mark = "; exit=";
    const auto at = content_type.find(mark);
    int exit = 0;
    if (at != content_type.npos)
        std::from_chars(content_type.data() + at + mark.size(), content_type.data() + content_type.size(), exit);
    return exit;
}

}  // namespace

std::optional<http::Origin> parse_admin_origin(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    auto host = text.substr(0, colon);
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
    const bool in_brackets = host.starts_with('[') && host.ends_with(']');
    if (in_brackets) host = host.substr(1, host.size() - 2);
    if (port.value_or(0) == 0 || !is_host(host, in_brackets)) return std::nullopt;
    return http::Origin{.tls = false, .host = std::string(host), .port = *port};
}

std::optional<json::object> AdminAnswer::object() const {
    json::parse_options options;
    options.max_depth = deepest_answer;
    boost::system::error_code error;
    auto value = json::parse(body, error, {}, options);
    auto* object = error ? nullptr : value.if_object();
    return object != nullptr ? std::optional(std::move(*object)) : std::nullopt;
}

std::string AdminAnswer::problem() const {
    const auto said = object();
    const auto detail = said ? text_in(*said, "detail") : std::string_view();
    return detail.empty() ? fmt::format("HTTP {}", status) : std::string(detail);
}

AdminClient::AdminClient(boost::asio::io_context& context, const Clock& clock, http::Client& client,
                         std::string address, const Words& words)
    : context_(context), clock_(clock), client_(client), address_(std::move(address)), words_(words) {}

AdminClient::Told AdminClient::ask(AdminCall call) {
    http::ClientRequest request{.post = call.body.has_value(),
                                .target = call.target,
                                .label = "admin",
                                .accept = call.accept,
                                .accept_language = call.accept_language,
                                .content_type = call.content_type,
                                .body = Secret(call.body.value_or(std::string()))};
    std::optional<Reply> reply;
    std::exception_ptr fault;
    boost::asio::co_spawn(context_, http::exchange(client_, std::move(request), clock_.now() + call.patience),
                          [&](const std::exception_ptr& thrown, Reply came) {
                              fault = thrown;
                              reply = std::move(came);
                          });
    context_.restart();
    // The loop would not end when nothing is left to do, because the connection is kept, and watched, for another call.
    while (!reply) {
        if (!call.waiting)
            context_.run_one();
        else if (context_.run_one_for(std::chrono::seconds(1)) == 0)
            call.waiting();
    }
    if (fault) std::rethrow_exception(fault);
    if (reply->kind != Reply::Kind::answered) return why_not(*reply, call);
    AdminAnswer answer{.status = reply->status,
                       .content_type = reply->content_type,
                       .body = std::move(reply->body),
                       .exit = exit_in(reply->content_type)};
    if (answer.status == 401) return words_.say("command.asks_for_key", {{"address", address_}});
    const bool wants_text = call.accept.starts_with("text/");
    if (wants_text ? !answer.is_text() : !answer.object())
        return words_.say("command.no_gateway", {{"address", address_}});
    return answer;
}

std::string AdminClient::why_not(const Reply& reply, const AdminCall& call) const {
    if (reply.kind == Reply::Kind::nothing_sent) {
        auto sentence = words_.say("command.unreachable", {{"address", address_}});
        if (const auto trouble = client_.trouble(); !trouble.empty()) sentence += "\n  " + trouble;
        return sentence;
    }
    auto sentence = reply.failure == errc::timed_out
                        ? words_.say("command.silent", {{"address", address_}, {"seconds", call.patience.count()}})
                        : words_.say("command.lost",
                                     {{"address", address_}, {"why", words_.word("detail", reply.failure.message())}});
    if (!call.tells.empty()) sentence += words_.say("command.not_known", {{"tells", words_.say(call.tells)}});
    return sentence;
}

}  // namespace gateway
