#include "api/language.hpp"
#include "api/text/renderers.hpp"
#include "base/ascii.hpp"
#include "http/server/problem.hpp"
#include "http/server/target.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace gateway::text {
namespace {

namespace json = boost::json;
using http::verb;

constexpr std::string_view plain = "text/plain";
constexpr std::string_view csv = "text/csv";

// On a narrower page nothing can be read anyway. No screen is wider than the most, and a program that has no screen
// asks for that.
constexpr std::size_t least_columns = 40;
constexpr std::size_t most_columns = 10'000;

// This is enough for a page of sales whose goods are JSON, some levels below it.
constexpr std::size_t deepest_answer = 64;

constexpr Rendering renderings[] = {
    {.method = verb::get, .pattern = "/v1/status", .type = plain, .render = status},
    {.method = verb::get,
     .pattern = "/v1/sales",
     .type = plain,
     .render = sales,
     .next = next_page_of_sales,
     .prepare = take_pages_of_sales},
    {.method = verb::get, .pattern = "/v1/sales/{id}", .type = plain, .render = sale, .hint = hint_of_sale},
    {.method = verb::get,
     .pattern = "/v1/sales/{id}/events",
     .type = plain,
     .render = history,
     .next = sale_of_history,
     .hint = hint_of_sale},
    {.method = verb::post,
     .pattern = "/v1/sales/{id}/resolve",
     .type = plain,
     .render = resolved,
     .hint = hint_of_resolving},
    {.method = verb::get, .pattern = "/v1/attention", .type = plain, .render = attention},
    {.method = verb::get, .pattern = "/v1/totals", .type = plain, .render = totals, .next = next_open_sale_of_totals},
    {.method = verb::get, .pattern = "/v1/totals", .type = csv, .render = totals_csv},
    {.method = verb::get, .pattern = "/v1/closes", .type = plain, .render = closes, .next = next_open_sale_of_closes},
    {.method = verb::post, .pattern = "/v1/closes", .type = plain, .render = closes, .next = next_open_sale_of_closes},
    {.method = verb::get, .pattern = "/v1/findings", .type = plain, .render = findings},
    {.method = verb::post, .pattern = "/v1/findings/{id}/resolve", .type = plain, .render = resolved_finding},
    {.method = verb::post, .pattern = "/v1/statements", .type = plain, .render = statement, .names_code = true},
    {.method = verb::post,
     .pattern = "/v1/statements/from-provider",
     .type = plain,
     .render = statement,
     .names_code = true},
    {.method = verb::post,
     .pattern = "/v1/statements/from-status",
     .type = plain,
     .render = inquiry,
     .names_code = true},
    {.method = verb::post,
     .pattern = "/v1/console/links",
     .type = plain,
     .render = console_link,
     .hint = hint_of_console},
};

// Returns null where the call has no text of that type.
const Rendering* rendering_of(const http::Request& request, std::string_view type) {
    const auto method = request.method == verb::head ? verb::get : request.method;
    const auto* const found = std::ranges::find_if(renderings, [&](const Rendering& one) {
        return one.method == method && one.pattern == request.route && one.type == type;
    });
    return found == std::end(renderings) ? nullptr : found;
}

// Takes what stands before the mark off the text, and returns it without the space around it.
std::string_view next_part(std::string_view& text, char mark) {
    auto part = text.substr(0, text.find(mark));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return trim(part);
}

// Holds what a caller asks for that wants text.
struct Wanted {
    std::string_view type;
    std::string_view width{};  // as the caller wrote it; empty where it wrote none
    bool colours = false;
};

// Returns the text that an Accept field prefers to JSON (RFC 9110, section 12.5.1); nothing where it prefers none.
std::optional<Wanted> wanted_text(std::string_view accept) {
    std::optional<Wanted> wanted;
    double best = 0;
    while (!accept.empty()) {
        auto range = next_part(accept, ',');
        const auto type = to_lower(std::string(next_part(range, ';')));
        Wanted one{.type = type == plain ? plain : csv};
        double weight = 1;
        while (!range.empty()) {
            auto value = next_part(range, ';');
            const auto name = next_part(value, '=');
            if (name == "width") one.width = value;
            if (name == "colours") one.colours = value == "yes";
            if (name == "q") std::from_chars(value.data(), value.data() + value.size(), weight);
        }
        const bool is_text = type == plain || type == csv;
        if (weight <= best || (!is_text && type != "application/json")) continue;
        best = weight;
        wanted = is_text ? std::optional(one) : std::nullopt;
    }
    return wanted;
}

// Returns nothing where a page may not have that width.
std::optional<std::size_t> page_width(const Wanted& wanted) {
    if (wanted.width.empty()) return Page{.words = Words::in(Language::english), .now = {}}.columns;
    std::size_t columns = 0;
    const auto* const last = wanted.width.data() + wanted.width.size();
    const auto [end, error] = std::from_chars(wanted.width.data(), last, columns);
    const bool is_width = error == std::errc() && end == last && columns >= least_columns && columns <= most_columns;
    return is_width ? std::optional(columns) : std::nullopt;
}

std::optional<json::object> object_of(const http::Response& response) {
    if (response.content_type != "application/json" && response.content_type != "application/problem+json")
        return std::nullopt;
    json::parse_options options;
    options.max_depth = deepest_answer;
    boost::system::error_code error;
    auto value = json::parse(response.body, error, {}, options);
    auto* object = error ? nullptr : value.if_object();
    return object != nullptr ? std::optional(std::move(*object)) : std::nullopt;
}

http::Response text_response(http::Response answer, const Rendered& rendered, std::string_view type,
                             const Words& words) {
    answer.content_type = fmt::format("{}; charset=utf-8", type);
    if (rendered.exit != 0) answer.content_type += fmt::format("; exit={}", rendered.exit);
    answer.body = rendered.text;
    answer.with("Content-Language", std::string(to_string(words.language()))).with("Vary", "Accept, Accept-Language");
    return answer;
}

class TextFilter {
  public:
    TextFilter(const Clock& clock, http::Router::Filter inner) : clock_(clock), inner_(std::move(inner)) {}

    boost::asio::awaitable<http::Response> operator()(http::Request& request, const http::Handler& next) const {
        const auto wanted = wanted_text(request.header("Accept"));
        if (!wanted) co_return co_await inner_(request, next);
        co_return co_await answer(request, next, *wanted);
    }

  private:
    // Asks the listener for what a text needs besides the call's own answer.
    boost::asio::awaitable<std::optional<json::object>> ask(const http::Request& request, const http::Handler& next,
                                                            std::string target) const {
        http::Request further{.method = verb::get,
                              .request_id = request.request_id,
                              .principal = request.principal,
                              .remote = request.remote,
                              .received = request.received};
        if (!http::set_target(further, target)) co_return std::nullopt;
        further.headers.insert("Accept-Language", request.header("Accept-Language"));
        const auto answer = co_await inner_(further, next);
        if (answer.status != http::status::ok) co_return std::nullopt;
        co_return object_of(answer);
    }

    boost::asio::awaitable<http::Response> answer(http::Request& request, const http::Handler& next,
                                                  const Wanted& wanted) const {
        const auto& words = Words::in(preferred_language(request.header("Accept-Language")));
        const auto columns = page_width(wanted);
        Question question{.request = request,
                          .page = {.words = words,
                                   .now = clock_.wall(),
                                   .columns = columns.value_or(least_columns),
                                   .colours = wanted.colours},
                          .status = http::status::ok};
        if (!columns) {
            const http::Response refused{.status = http::status::unprocessable_entity};
            const auto why = question.page.say("text.error", {{"what", question.page.say("text.width")}}) + '\n';
            const Rendered rendered{.text = why, .exit = 1};
            co_return text_response(refused, rendered, plain, words);
        }
        const auto query = request.query;
        for (const auto& one : renderings)
            if (one.prepare != nullptr && one.pattern == request.path) one.prepare(request);
        auto response = co_await inner_(request, next);
        request.query = query;
        const auto* const rendering = rendering_of(request, wanted.type);
        auto body = object_of(response);
        question.status = response.status;
        const bool is_good = response.status == http::status::ok || response.status == http::status::created;
        const bool has_text = rendering != nullptr || (!is_good && request.route.empty());
        if (!body || !has_text) co_return response;
        if (!is_good) {
            const auto rendered = problem(question, *body, rendering);
            co_return text_response(std::move(response), rendered, plain, words);
        }
        Answers answers{std::move(*body)};
        while (rendering->next != nullptr) {
            auto target = rendering->next(question, answers);
            if (!target) break;
            auto further = co_await ask(request, next, std::move(*target));
            if (!further) break;
            answers.push_back(std::move(*further));
        }
        const auto rendered = rendering->render(question, answers);
        co_return text_response(std::move(response), rendered, wanted.type, words);
    }

    const Clock& clock_;
    const http::Router::Filter inner_;
};

}  // namespace

std::vector<std::string_view> types_of(verb method, std::string_view pattern) {
    std::vector<std::string_view> types;
    for (const auto& one : renderings)
        if (one.method == method && one.pattern == pattern) types.push_back(one.type);
    return types;
}

http::Router::Filter answers(const Clock& clock, http::Router::Filter inner) {
    const auto filter = std::make_shared<const TextFilter>(clock, std::move(inner));
    return [filter](http::Request& request, const http::Handler& next) { return (*filter)(request, next); };
}

}  // namespace gateway::text
