#include "api/status.hpp"

#include "api/language.hpp"
#include "api/openapi/shared.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"
#include "words/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

std::string_view key_of(Hindrance::Kind kind) {
    switch (kind) {
        case Hindrance::Kind::journal: return "tills.no_journal";
        case Hindrance::Kind::database: return "tills.no_database";
        case Hindrance::Kind::no_token: return "tills.no_token";
        case Hindrance::Kind::starting: return "tills.starting";
        case Hindrance::Kind::stopping: break;
    }
    return "tills.stopping";
}

// Returns the time of day, as the sentences below have it.
std::string hour(WallTime at) {
    constexpr std::size_t time_of_day = 11;  // in "02/05/2024 10:11:12"
    return to_local_receipt(at).substr(time_of_day, 5);
}

// Says since when the service is away, which may be longer than is known.
std::string since_when_away(const Reachability& away, const Words& words) {
    const auto since = hour(away.since());
    return away.outage()->maybe_longer ? words.say("tills.at_least", {{"since", since}}) : since;
}

std::string sentence(const Health& health, const Words& words) {
    if (const auto hindrances = health.hindrances(); !hindrances.empty()) {
        const auto& first = hindrances.front();
        const auto& service = health.token_service();
        if (first.kind == Hindrance::Kind::no_token && service.outage() && !service.answers())
            return words.say("tills.provider_away", {{"since", since_when_away(service, words)}});
        const auto since = first.since ? words.say("tills.since_when", {{"since", hour(*first.since)}}) : std::string();
        return words.say(key_of(first.kind), {{"since", since}});
    }
    const auto* in_the_way = health.in_the_way();
    if (in_the_way == &health.token_service()) {
        const auto ended = health.token_ended_at();
        const auto since = ended && *ended > in_the_way->since() ? hour(*ended) : since_when_away(*in_the_way, words);
        return words.say("tills.no_token_any_more", {{"since", since}});
    }
    const auto* away = in_the_way == nullptr && health.provider().outage() ? &health.provider() : in_the_way;
    if (const auto doubt = health.address_doubt(); away == nullptr && doubt)
        return words.say("tills.provider_doubted", {{"since", hour(doubt->since)}});
    if (away == nullptr) return words.say("tills.sells");
    const auto* const trouble = away->answers() ? "tills.provider_useless" : "tills.provider_away";
    return words.say(in_the_way == nullptr ? "tills.provider_may_be_tried" : trouble,
                     {{"since", since_when_away(*away, words)}});
}

}  // namespace

namespace openapi {
namespace {

struct GatewayStatus {
    bool sells;
    std::string detail;
    json::object families;
    ToldService provider;
    std::string version;
};
constexpr Written<GatewayStatus> gateway_status_members[] = {
    {{"sells", boolean, "Whether a sell can succeed now, as far as the gateway knows.", "true"},
     its<&GatewayStatus::sells>},
    {{"detail", some_text, "The same in a sentence for the cashier.", "Vendas disponíveis."},
     its<&GatewayStatus::detail>},
    {{"families", a("SoldFamilies"), "By this terminal."}, its<&GatewayStatus::families>},
    {{"provider", a("Service")}, [](const GatewayStatus& status) { return in_part(status.provider); }},
    {{"version", some_text, "The gateway's.", "0.2.0"}, its<&GatewayStatus::version>},
};

constexpr Schema all_status_schemas[] = {
    {.name = "GatewayStatus", .type = object_of<gateway_status_members>},
};

}  // namespace

std::span<const Schema> status_schemas() {
    return all_status_schemas;
}

Description get_status() {
    static const auto away = fmt::format(
        R"({{"sells":false,"detail":"Sem vendas: o provedor está fora de alcance desde 10:11.",
        "families":{},"provider":{{"reached":false,"asked":true,"since":"2024-05-02T13:11:12.020Z"}}}})",
        json::serialize(sold_families([](Family) { return false; })));
    return {.id = "getStatus",
            .summary = "Whether sales can be made now",
            .tag = "What can be sold",
            .text =
                "What a till shows a cashier before money changes hands. Costs nothing at the provider: at most a "
                "connection is tried, where nothing was learned for ten seconds.",
            .parameters = {{"Accept-Language", text, "Portuguese or English, for `detail`.", "pt-BR", In::header}},
            .answers = {gives(200, "Whether, and in a sentence why not.", a("GatewayStatus"),
                              {{"sells"}, {"away", away}}, content_language)}};
}

}  // namespace openapi

StatusApi::StatusApi(Health& health, const Terminals& terminals, std::string version)
    : health_(health), terminals_(terminals), version_(std::move(version)) {}

boost::asio::awaitable<http::Response> StatusApi::status(http::Request& request) {
    co_await health_.look();
    const auto terminal = terminals_.by_id(request.principal);
    if (!terminal) co_return unknown_terminal_answer(request);
    const bool sells_now = health_.sells();
    const auto language = preferred_language(request.headers.find("Accept-Language").value_or(""));
    const openapi::GatewayStatus told{
        .sells = sells_now,
        .detail = sentence(health_, Words::in(language)),
        .families = sold_families([&](Family family) { return sells_now && terminal->may_sell(family); }),
        .provider = ToldService(health_.provider()),
        .version = version_};
    co_return json_text_answer(openapi::write(openapi::gateway_status_members, told, on_terminals))
        .with("Content-Language", std::string(to_string(language)));
}

}  // namespace gateway
