#include "api/status.hpp"

#include "api/language.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

// A sentence in every language, by the number of the language.
using BothLanguages = std::array<std::string_view, 2>;

constexpr BothLanguages sells{"Sales are possible.", "Vendas disponíveis."};
constexpr BothLanguages no_journal{"No sales: the gateway cannot write to its disk. Call the support.",
                                   "Sem vendas: o gateway não consegue gravar no disco. Chame o suporte."};
constexpr BothLanguages no_database{
    "No sales: the gateway cannot use the database of the sales{}. Call the support.",
    "Sem vendas: o gateway não consegue usar o banco de dados das vendas{}. Chame o suporte."};
constexpr BothLanguages at_least{"at least {}", "pelo menos {}"};
constexpr BothLanguages since_when{" since {}", " desde {}"};
constexpr BothLanguages no_token{"No sales: the provider has not let the gateway in yet. Call the support.",
                                 "Sem vendas: o fornecedor ainda não liberou o acesso do gateway. Chame o suporte."};
// The braces stand for the time of day at which it began.
constexpr BothLanguages no_token_any_more{
    "No sales: the provider has not let the gateway in since {}. Call the support.",
    "Sem vendas: o fornecedor não libera o acesso do gateway desde {}. Chame o suporte."};
constexpr BothLanguages starting{"No sales yet: the gateway is starting. Try again in a moment.",
                                 "Sem vendas ainda: o gateway está iniciando. Tente de novo em instantes."};
constexpr BothLanguages stopping{"No sales: the gateway is being stopped. Try again in a moment.",
                                 "Sem vendas: o gateway está sendo desligado. Tente de novo em instantes."};
// The braces stand for the time of day at which it began.
constexpr BothLanguages provider_away{"No sales: the provider cannot be reached since {}.",
                                      "Sem vendas: o fornecedor está fora de alcance desde {}."};
constexpr BothLanguages provider_useless{
    "No sales: the provider has carried none out since {}. If this lasts, call the support.",
    "Sem vendas: o fornecedor não atende as vendas desde {}. Se continuar, chame o suporte."};
constexpr BothLanguages provider_may_be_tried{
    "Sales may be possible again: the last ones failed, since {}. The next one will show.",
    "Talvez seja possível vender de novo: as últimas vendas falharam, desde {}. A próxima vai mostrar."};

constexpr BothLanguages provider_doubted{
    "Sales may be possible: the provider has answered nothing of use since {}. The next sale will show.",
    "Talvez seja possível vender: o fornecedor não deu resposta útil desde {}. A próxima venda vai mostrar."};

std::string_view in(Language language, const BothLanguages& sentence) {
    return sentence.at(static_cast<std::size_t>(language));
}

const BothLanguages& of(Hindrance::Kind kind) {
    switch (kind) {
        case Hindrance::Kind::journal: return no_journal;
        case Hindrance::Kind::database: return no_database;
        case Hindrance::Kind::no_token: return no_token;
        case Hindrance::Kind::starting: return starting;
        case Hindrance::Kind::stopping: break;
    }
    return stopping;
}

// The time of day, as the sentences above have it.
std::string hour(WallTime at) {
    constexpr std::size_t time_of_day = 11;  // in "02/05/2024 10:11:12"
    return to_local_receipt(at).substr(time_of_day, 5);
}

// Since when it is away, which may be longer than is known.
std::string since_when_away(const Reachability& away, Language language) {
    const auto since = hour(away.since());
    return away.outage()->maybe_longer ? fmt::format(fmt::runtime(in(language, at_least)), since) : since;
}

std::string detail(const Health& health, Language language) {
    if (const auto hindrances = health.hindrances(); !hindrances.empty()) {
        const auto& first = hindrances.front();
        const auto& service = health.token_service();
        if (first.kind == Hindrance::Kind::no_token && service.outage() && !service.answers())
            return fmt::format(fmt::runtime(in(language, provider_away)), since_when_away(service, language));
        const auto since =
            first.since ? fmt::format(fmt::runtime(in(language, since_when)), hour(*first.since)) : std::string();
        return fmt::format(fmt::runtime(in(language, of(first.kind))), since);
    }
    const auto* in_the_way = health.in_the_way();
    if (in_the_way == &health.token_service()) {
        const auto ended = health.token_ended_at();
        const auto since =
            ended && *ended > in_the_way->since() ? hour(*ended) : since_when_away(*in_the_way, language);
        return fmt::format(fmt::runtime(in(language, no_token_any_more)), since);
    }
    const auto* away = in_the_way == nullptr && health.provider().outage() ? &health.provider() : in_the_way;
    if (const auto doubt = health.address_doubt(); away == nullptr && doubt)
        return fmt::format(fmt::runtime(in(language, provider_doubted)), hour(doubt->since));
    if (away == nullptr) return std::string(in(language, sells));
    const auto& trouble = away->answers() ? provider_useless : provider_away;
    const auto& sentence = in_the_way == nullptr ? provider_may_be_tried : trouble;
    return fmt::format(fmt::runtime(in(language, sentence)), since_when_away(*away, language));
}

}  // namespace

StatusApi::StatusApi(Health& health, const Terminals& terminals, std::string version)
    : health_(health), terminals_(terminals), version_(std::move(version)) {}

void StatusApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/v1/status", [this](http::Request& request) { return status(request); });
}

boost::asio::awaitable<http::Response> StatusApi::status(http::Request& request) {
    co_await health_.look();
    const auto terminal = terminals_.by_id(request.principal);
    if (!terminal) co_return unknown_terminal_answer(request);
    const bool sells_now = health_.sells();
    const auto language = preferred_language(request.headers.find("Accept-Language").value_or(""));
    json::object families;
    for (const auto family : all_families)
        families[to_string(family)] = sells_now && terminal->may_sell(family);
    const json::object body{
        {"sells", sells_now},
        {"detail", detail(health_, language)},
        {"families", std::move(families)},
        {"provider", reached_json(health_.provider())},
        {"version", version_},
    };
    co_return json_answer(body).with("Content-Language", std::string(to_string(language)));
}

}  // namespace gateway
