#include "api/options.hpp"

#include "api/menu.hpp"
#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <set>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;

// When to ask again, where the provider has not said.
constexpr std::chrono::seconds usual_retry{5};

json::object valor_json(const Option& option) {
    struct Shape {
        json::object operator()(const Option::Fixed& fixed) const { return {{"fixed", fixed.valor.value}}; }
        json::object operator()(const Option::Unit& unit) const {
            return {{"unit", unit.unit.value}, {"minQuantity", unit.min_quantity}, {"maxQuantity", unit.max_quantity}};
        }
        json::object operator()(const Option::Range& range) const {
            return {{"min", range.min.value}, {"max", range.max.value}};
        }
    };
    return std::visit(Shape{}, option.valor);
}

json::object option_json(Family family, const Option& option, std::span<const Product> products) {
    json::object sell{{"family", to_string(family)}};
    for (const auto& field : option.sell)
        sell[field.key()] = field.value();
    complete_sell(sell, family, products);
    auto needs = needs_json(family, sell);
    if (std::holds_alternative<Option::Unit>(option.valor)) needs.emplace_back("quantidade");
    return {
        {"label", option.label}, {"valor", valor_json(option)}, {"sell", std::move(sell)}, {"needs", std::move(needs)}};
}

json::object options_json(Family family, const OptionsCache::Found& said, std::span<const Product> products) {
    json::array options;
    for (const auto& option : said.fetched->options.options)
        options.push_back(option_json(family, option, products));
    json::object body;
    body["family"] = to_string(family);
    body["fetchedAt"] = to_rfc3339(said.fetched->fetched_at);
    body["expiresAt"] = to_rfc3339(said.fetched->expires_at);
    body["stale"] = said.stale;
    body["options"] = std::move(options);
    body["details"] = said.fetched->options.details;
    return body;
}

// With what the provider said about it, where it said something.
std::string with_sentence(std::string detail, const OptionsCache::Unavailable& silence) {
    if (!silence.sentence.empty()) detail += " It said: " + silence.sentence;
    return detail;
}

std::string trouble_in_words(const OptionsCache::Unavailable& silence) {
    if (silence.why == errc::malformed) return "The provider's answer could not be understood.";
    if (silence.http_status) return fmt::format("The provider answered with HTTP status {}.", *silence.http_status);
    return silence.why == errc::timed_out ? "The provider did not answer in time." : "The provider could not be asked.";
}

http::Response no_price_list_answer(const http::Request& request) {
    return refuse(request, status::not_found, "not_found", "This product has no price list: send valor and cpf.");
}

// `or_none`: it may as well be a product that has no options, of which the provider says the same.
http::Response not_found_answer(const http::Request& request, const OptionsCache::Unavailable& silence, bool or_none) {
    auto detail = with_sentence("The provider does not know what was asked for.", silence);
    if (or_none) detail += " A tv product other than the dynamic-price one has no price list: send valor and cpf.";
    return refuse(request, status::not_found, "not_found", std::move(detail));
}

}  // namespace

void OptionsApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/v1/options", [this](http::Request& request) { return ask(request); });
}

ResultOrResponse<OptionsQuestion> OptionsApi::read(const http::Request& request, const Terminal& terminal) const {
    FieldErrors errors;
    const auto family = parse_family(request.query_value("family").value_or(""));
    if (!family) errors.push_back({.pointer = "/family", .detail = "must be one of " + family_names()});
    // What the family asks for, it has looked at: anything else is a typing mistake.
    std::set<std::string, std::less<>> looked_at{"family"};
    OptionsQuestion question;
    if (family) {
        const QueryValues values = [&](std::string_view name) -> std::optional<std::string> {
            looked_at.emplace(name);
            const auto value = request.query_value(name);
            return value ? std::optional(std::string(*value)) : std::nullopt;
        };
        question = rules_of(*family).question(values, errors);
        std::set<std::string_view> seen;
        for (const auto& [name, value] : request.query) {
            if (!looked_at.contains(name))
                errors.push_back({.pointer = "/" + name, .detail = "is not a parameter of this family's options"});
            else if (!seen.insert(name).second)
                errors.push_back({.pointer = "/" + name, .detail = "must stand only once"});
        }
    }
    if (!errors.empty()) {
        auto detail = errors.front().pointer.substr(1) + " " + errors.front().detail;
        return refuse(request, status::unprocessable_entity, "invalid_request", std::move(detail), std::move(errors));
    }
    if (!terminal.may_sell(*family))
        return refuse(request, status::forbidden, "forbidden", "This terminal may not sell this family.");
    question.estabelecimento = terminal.estabelecimento;
    return question;
}

http::Response OptionsApi::failure_answer(const http::Request& request, const OptionsQuestion& question,
                                          const OptionsCache::Unavailable& silence) const {
    if (silence.why == errc::shutting_down) return shutting_down_answer(request);
    const auto& rules = rules_of(question.family);
    const auto listed = std::ranges::find_if(products_, [&](const Product& product) {
        return product.family == question.family && product.produto == question.produto;
    });
    const bool is_listed = listed != products_.end();
    // Of a product that is known to have none, whatever the provider answers means this.
    if (is_listed && !rules.has_options(*listed)) return no_price_list_answer(request);
    if (silence.why == errc::not_found) {
        const bool may_have_none =
            rules.sells_without_options(is_listed ? *listed : Product{.family = question.family});
        if (is_listed && may_have_none) return no_price_list_answer(request);
        return not_found_answer(request, silence, may_have_none);
    }
    const auto again = silence.retry_after.value_or(usual_retry);
    return refuse(request, status::service_unavailable, "provider_unavailable",
                  with_sentence(trouble_in_words(silence) + " Try again soon.", silence))
        .with("Retry-After", std::to_string(again.count()));
}

boost::asio::awaitable<http::Response> OptionsApi::ask(http::Request& request) {
    const auto terminal = terminals_.by_id(request.principal);
    if (!terminal) co_return unknown_terminal_answer(request);
    if (request.query.empty()) co_return json_answer(menu_json(*terminal, products_));
    auto question = read(request, *terminal);
    if (question.has_error()) co_return question.error();
    const auto asked = *question;
    const auto deadline = clock_.now() + patience(request, cache_.query_timeout());
    const auto said = co_await cache_.ask(std::move(*question), request.request_id, deadline);
    if (said.has_error()) co_return with_heeded_wait(failure_answer(request, asked, said.error()), request);
    co_return with_heeded_wait(json_answer(options_json(asked.family, *said, products_)), request);
}

}  // namespace gateway
