#include "api/options.hpp"

#include "api/menu.hpp"
#include "api/openapi/shared.hpp"
#include "api/openapi/written.hpp"
#include "api/sale_answer.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <set>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;

// A terminal asks again after this time where the provider has not said when.
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

}  // namespace

namespace openapi {
namespace {

struct OfferedOption {
    const Option& option;
    json::object sell;
    std::vector<std::string_view> needs;
};
OfferedOption offered(Family family, const Option& option, std::span<const Product> products) {
    json::object sell{{"family", to_string(family)}};
    for (const auto& field : option.sell)
        sell[field.key()] = field.value();
    complete_sell(sell, family, products);
    auto needs = missing_fields(family, sell);
    if (std::holds_alternative<Option::Unit>(option.valor)) needs.emplace_back("quantidade");
    return {option, std::move(sell), std::move(needs)};
}
constexpr Written<OfferedOption> option_members[] = {
    {{"label", some_text, "For a person.", "Bilhete unitario"},
     [](const OfferedOption& offer) -> const std::string& { return offer.option.label; }},
    {{"valor", a("OptionValor"), "", R"({"unit":440,"minQuantity":1,"maxQuantity":50})"},
     [](const OfferedOption& offer) { return valor_json(offer.option); }},
    {{"sell", a("OptionSell"), "",
      R"({"family":"transit","produto":"Bilhete","numeroCartao":"1000000001","tipoCredito":"1",
        "tipoProduto":"501","descricao":"Bilhete unitario"})"},
     its<&OfferedOption::sell>},
    {{"needs", a("Needs"), "", R"(["valor","quantidade"])"}, its<&OfferedOption::needs>},
};

struct Options {
    Family family;
    const FetchedOptions& fetched;
    bool is_stale;
    std::vector<OfferedOption> options;
};
constexpr Written<Options> options_members[] = {
    {{"family", a("Family"), "", "transit"}, its<&Options::family>},
    {{"fetchedAt", a("Time")}, [](const Options& told) { return told.fetched.fetched_at; }},
    {{"expiresAt", a("Time"), "", "2024-05-02T13:11:41.480Z"},
     [](const Options& told) { return told.fetched.expires_at; }},
    {{"stale", boolean, "The provider could not be asked: these are the last ones known, past their time.", "false"},
     its<&Options::is_stale>},
    {{"options", list_of(a("Option"))}, [](const Options& told) { return parts(option_members, told.options); }},
    {{"details", Type{R"("type":"object")"}, "What else the provider sent, unchanged.", R"({})"},
     [](const Options& told) -> const json::object& { return told.fetched.options.details; }},
};

}  // namespace
}  // namespace openapi

namespace {

std::string options_json(Family family, const OptionsCache::Found& said, std::span<const Product> products) {
    openapi::Options told{family, *said.fetched, said.stale, {}};
    for (const auto& option : said.fetched->options.options)
        told.options.push_back(openapi::offered(family, option, products));
    return openapi::write(openapi::options_members, told);
}

// Adds what the provider said about it, where it said something.
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

// `or_none` says that the product may as well be one without options, about which the provider says the same.
http::Response not_found_answer(const http::Request& request, const OptionsCache::Unavailable& silence, bool or_none) {
    auto detail = with_sentence("The provider does not know what was asked for.", silence);
    if (or_none) detail += " A tv product other than the dynamic-price one has no price list: send valor and cpf.";
    return refuse(request, status::not_found, "not_found", std::move(detail));
}

}  // namespace

ResultOrResponse<OptionsQuestion> OptionsApi::read(const http::Request& request, const Terminal& terminal) const {
    FieldErrors errors;
    const auto family = parse_family(request.query_value("family").value_or(""));
    if (!family) errors.push_back({.pointer = "/family", .detail = "must be one of " + family_names()});
    // The family looks at all that it asks for; any other parameter is a typing mistake.
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
    // Where it is known that the product has no options, every answer of the provider means just that.
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
    if (request.query.empty()) co_return json_text_answer(menu_json(*terminal, products_));
    auto question = read(request, *terminal);
    if (question.has_error()) co_return question.error();
    const auto asked = *question;
    const auto deadline = clock_.now() + patience(request, cache_.query_timeout());
    const auto said = co_await cache_.ask(std::move(*question), request.request_id, deadline);
    if (said.has_error()) co_return with_heeded_wait(failure_answer(request, asked, said.error()), request);
    co_return with_heeded_wait(json_text_answer(options_json(asked.family, *said, products_)), request);
}

namespace openapi {
namespace {

constexpr Schema all_options_schemas[] = {
    {.name = "OptionValor",
     .description = "What may be paid, in cents: a fixed amount, a unit value by quantity, or a range.",
     .type = Type{R"("oneOf":[{"type":"object","required":["fixed"],"properties":{"fixed":{"type":"integer",)"
                  R"("minimum":1,"maximum":99999999}},"additionalProperties":false},{"type":"object",)"
                  R"("required":["unit","minQuantity","maxQuantity"],"properties":{"unit":{"type":"integer",)"
                  R"("minimum":1,"maximum":99999999},"minQuantity":{"type":"integer","minimum":1,)"
                  R"("maximum":9999},"maxQuantity":{"type":"integer","minimum":1,"maximum":9999}},)"
                  R"("additionalProperties":false},{"type":"object","required":["min","max"],"properties":{)"
                  R"("min":{"type":"integer","minimum":1,"maximum":99999999},"max":{"type":"integer",)"
                  R"("minimum":1,"maximum":99999999}},"additionalProperties":false}])"}},
    {.name = "Option", .type = object_of<option_members>},
    {.name = "Options",
     .description = "What can be sold, one shape for all families.",
     .type = object_of<options_members>},
};

}  // namespace

std::span<const Schema> options_schemas() {
    return all_options_schemas;
}

Description list_options() {
    auto parameters = options_parameters();
    parameters.insert(parameters.begin(), {.name = "family",
                                           .type = a("Family"),
                                           .description = "The family. Required where there is any other parameter.",
                                           .example = "transit"});
    parameters.push_back(prefer);
    return {
        .id = "listOptions",
        .summary = "What can be sold",
        .tag = "What can be sold",
        .text =
            "Without parameters: the menu, what each family's call takes and the products that this store lists, each "
            "with the address of its options or the sell that it begins with. That costs nothing at the provider. With "
            "them: the options of one product, menu or card. Show `label`, let a person choose, copy `sell` into the "
            "sell call and add what `needs` names. A parameter that is not the family's is an error.",
        .parameters = std::move(parameters),
        .answers = {
            gives(200, "The menu; or the options, perhaps from the cache.", either("Options", "Menu"),
                  {{"transit"},
                   {"egift",
                    R"({"family":"egift","expiresAt":"2024-05-02T13:16:11.480Z","options":[{"label":"Moedas do Jogo",
        "valor":{"min":1000,"max":50000},"sell":{"family":"egift","produto":"Moedas do Jogo",
        "nomeMenu":"Jogos","chaveProduto":"EG-MOEDAS","configuracaoId":"cfg-moedas-01",
        "fornecedor":"Estudio Um","tipoNegocio":1},"needs":["valor"]}]})"},
                   whole("menu",
                         R"({"detail":"GET the options of a product and sell one of them.","families":[{"family":"tv",
        "options":"/v1/options?family=tv","takes":[{"name":"produto","required":true,"detail":"The name of the dynamic-price product."}],
        "products":[{"label":"TV Livre","produto":"TV Livre","options":"/v1/options?family=tv&produto=TV%20Livre",
        "needs":[]},{"label":"TV Mensal","produto":"TV Mensal","sell":{"family":"tv","produto":"TV Mensal",
        "fornecedor":"Operadora Norte"},"needs":["valor","cpf"]}]},{"family":"transit","options":"/v1/options?family=transit",
        "takes":[{"name":"produto","required":true,"detail":"The name that the sale gets."},{
        "name":"transit","required":false,"detail":"The operator's segment of the path."},{
        "name":"numeroCartao","required":true,"detail":"The number of the customer's card."}],
        "products":[{"label":"Bilhete","produto":"Bilhete","options":"/v1/options?family=transit&produto=Bilhete&numeroCartao=",
        "needs":["numeroCartao"]}]}]})")},
                  heeded_wait),
            forbidden(),
            refuses(404,
                    "The provider does not know what was asked for: `detail` has the provider's own sentence where it "
                    "gave one. Or it is a tv product that has no price list, and `detail` says what to send instead.",
                    {{"not_found", "The provider does not know what was asked for. It said: produto desconhecido"},
                     {"not_found", "This product has no price list: send valor and cpf.", alone, "", "no_price_list"}},
                    heeded_wait),
            refuses(422, "A parameter is missing, wrong, or not the family's; all of them are in `errors`.",
                    {invalid("family", "must be one of " + family_names())}),
            refuses(503,
                    "The provider could not be asked, did not answer in time, or gave an answer that is of no use: "
                    "`detail` says which. Or the gateway is stopping.",
                    {{"provider_unavailable", "The provider could not be asked. Try again soon."}, {"shutting_down"}},
                    retry_after | heeded_wait)}};
}

}  // namespace openapi

}  // namespace gateway
