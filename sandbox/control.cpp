#include "sandbox/control.hpp"

#include "base/wall_time.hpp"
#include "sandbox/family.hpp"
#include "sandbox/outcomes.hpp"
#include "sandbox/statement_query.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/url/encoding_opts.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

struct Visit {
    Model& model;
    const Call& call;
    const Parameters& query;
    WallTime now;

    std::optional<std::string> asked(std::string_view name) const {
        const auto found = std::find_if(query.begin(), query.end(), [&](const auto& one) { return one.first == name; });
        return found == query.end() ? std::nullopt : std::optional(found->second);
    }
};

Answer answer(int status, const json::value& body) {
    Answer out;
    out.status = status;
    out.headers.emplace_back("Content-Type", "application/json");
    out.body = json::serialize(body) + "\n";
    return out;
}

Answer problem(int status, std::string_view mensagem) {
    return answer(status, json::object{{"erro", "sandbox"}, {"mensagem", mensagem}});
}

// An empty word becomes null, which is JSON's way to say that there is none.
json::value or_null(std::string_view text) {
    return text.empty() ? json::value() : json::value(text);
}

json::object document(const Seen& seen) {
    return {{"at", to_rfc3339(seen.at)},
            {"step", to_string(seen.step)},
            {"behaviour", seen.behaviour},
            {"processed", seen.processed},
            {"answered", seen.answered == 0 ? json::value() : json::value(seen.answered)},
            {"status", or_null(to_string(seen.status))},
            {"reason", or_null(seen.reason)},
            {"body", fmt::format("{:016x}", seen.body)}};
}

json::object document(const Transaction& entry, bool with_history) {
    json::object out{{"idExterno", entry.idExterno},
                     {"status", or_null(to_string(entry.status))},
                     {"firstSeen", to_rfc3339(entry.first_seen)}};
    json::object calls;
    for (const auto step : {Step::solicitar, Step::confirmar, Step::cancelar, Step::callback, Step::status})
        calls[to_string(step)] = entry.calls_of(step);
    out["calls"] = std::move(calls);
    if (entry.status != Status::none) {
        out["family"] = to_string(entry.family);
        out["idTransacao"] = entry.idTransacao;
        out["estabelecimento"] = entry.estabelecimento;
        out["produto"] = entry.produto;
        out["valor"] = entry.valor;
        out["goods"] = or_null(entry.goods);
    }
    if (!with_history) return out;
    json::array history;
    for (const auto& seen : entry.history)
        history.push_back(document(seen));
    out["history"] = std::move(history);
    if (entry.history_left_out > 0) out["historyLeftOut"] = entry.history_left_out;
    return out;
}

Answer transactions(const Visit& visit) {
    const auto idExterno = visit.asked("idExterno");
    const auto status = visit.asked("status");
    const auto family = visit.asked("family");
    if (status && !parse_status(*status)) return problem(400, "status is not one of the interface's words");
    if (family && !parse_family(*family)) return problem(400, "family is none of the provider's");
    const bool with_history = visit.asked("history") != "no";
    json::array list;
    const auto add = [&](const Transaction& entry) {
        if (status && entry.status != parse_status(*status)) return;
        if (family && (entry.status == Status::none || entry.family != parse_family(*family))) return;
        list.push_back(document(entry, with_history));
    };
    const auto& books = visit.model.books();
    for (const auto& entry : books.all())
        if (!idExterno || entry.idExterno == *idExterno) add(entry);
    return answer(200, json::object{{"transactions", std::move(list)}, {"forgotten", books.forgotten()}});
}

json::object document(const Count& count) {
    return {{"seen", count.seen}, {"processed", count.processed}, {"refused", count.refused}, {"lost", count.lost}};
}

json::object document(const Departure& departure) {
    return {{"at", to_rfc3339(departure.at)},
            {"step", departure.step ? json::value(to_string(*departure.step)) : json::value()},
            {"family", departure.family ? json::value(to_string(*departure.family)) : json::value()},
            {"idExterno", or_null(departure.idExterno)},
            {"reason", departure.reason}};
}

Answer requests(const Visit& visit) {
    const auto& metrics = visit.model.metrics();
    json::object by_family;
    for (const auto family : families) {
        json::object by_step;
        for (const auto step : steps)
            if (step != Step::token && (step != Step::callback || model_of(family).by_callback))
                by_step[to_string(step)] = document(metrics.count(step, family));
        by_family[to_string(family)] = std::move(by_step);
    }
    auto token = document(metrics.count(Step::token, std::nullopt));
    token["issued"] = visit.model.tokens().issued();
    token["refreshed"] = visit.model.tokens().refreshed();
    token["valid"] = visit.model.tokens().valid(visit.now);
    json::array latest;
    for (const auto& departure : metrics.latest_departures())
        latest.push_back(document(departure));
    return answer(200, json::object{{"requests", std::move(by_family)},
                                    {"token", std::move(token)},
                                    {"departures", {{"count", metrics.departures()}, {"latest", std::move(latest)}}}});
}

Answer callbacks(const Visit& visit) {
    json::array list;
    for (const auto& [id, callback] : visit.model.callbacks().all())
        list.push_back({{"idExterno", callback.idExterno},
                        {"status", to_string(callback.status)},
                        {"due", to_rfc3339(callback.due)},
                        {"tries", callback.tries},
                        {"underWay", callback.under_way}});
    return answer(200, json::object{{"callbacks", std::move(list)}});
}

Answer held(const Visit& visit) {
    json::array list;
    for (const auto& [due, one] : visit.model.held())
        list.push_back({{"idExterno", one.idExterno}, {"step", to_string(one.route.step)}, {"due", to_rfc3339(due)}});
    return answer(200, json::object{{"held", std::move(list)}});
}

Answer release(const Visit& visit) {
    const auto idExterno = visit.asked("idExterno");
    const auto released = visit.model.release(idExterno, visit.now);
    return answer(200, json::object{{"released", released}});
}

Answer get_faults(const Visit& visit) {
    return answer(200, visit.model.faults().document());
}

Answer put_faults(const Visit& visit) {
    const auto taken = visit.model.faults().replace(visit.call.body);
    return taken ? get_faults(visit) : problem(400, taken.error());
}

Answer delete_faults(const Visit& visit) {
    visit.model.faults().clear();
    return get_faults(visit);
}

Answer page(std::string_view type, std::string body) {
    Answer out;
    out.headers.emplace_back("Content-Type", type);
    out.body = std::move(body);
    return out;
}

Answer statement_page(const Visit& visit, StatementKind kind) {
    const auto query = read_statement_query(visit.query, kind, visit.model.options(), visit.now);
    if (!query) return problem(400, query.error());
    const auto statement = make_statement(visit.model.books(), *query);
    if (!statement) return problem(400, statement.error());
    return page(content_type(*query), statement_text(*statement, *query));
}

struct Address {
    std::string_view method;
    std::string_view path;
    Answer (*act)(const Visit&);
};

constexpr std::array addresses{
    Address{"GET", "/sandbox/catalogue", [](const Visit& visit) { return answer(200, catalogue_overview(visit.now)); }},
    Address{"GET", "/sandbox/outcomes", [](const Visit&) { return page("text/plain", outcomes_text()); }},
    Address{"GET", "/sandbox/personality",
            [](const Visit& visit) { return answer(200, personality_document(visit.model.options())); }},
    Address{"GET", "/sandbox/faults", &get_faults},
    Address{"PUT", "/sandbox/faults", &put_faults},
    Address{"DELETE", "/sandbox/faults", &delete_faults},
    Address{"GET", "/sandbox/transactions", &transactions},
    Address{"GET", "/sandbox/statement", [](const Visit& visit) { return statement_page(visit, StatementKind::file); }},
    Address{"GET", "/sandbox/list", [](const Visit& visit) { return statement_page(visit, StatementKind::list); }},
    Address{"GET", "/sandbox/requests", &requests},
    Address{"GET", "/sandbox/callbacks", &callbacks},
    Address{"GET", "/sandbox/held", &held},
    Address{"POST", "/sandbox/held/release", &release},
    Address{"POST", "/sandbox/tokens/expire",
            [](const Visit& visit) {
                visit.model.expire_tokens();
                return answer(200, json::object{{"valid", 0}});
            }},
    Address{"POST", "/sandbox/reset",
            [](const Visit& visit) {
                visit.model.reset();
                return answer(200, json::object{});
            }},
};

}  // namespace

std::optional<Answer> control(Model& model, const Call& call, WallTime now) {
    const auto url = boost::urls::parse_origin_form(call.target);
    if (!url || (url->encoded_path() != "/sandbox" && !url->encoded_path().starts_with("/sandbox/")))
        return std::nullopt;
    const auto params = url->params(boost::urls::encoding_opts{});
    Parameters query;
    for (const auto& param : params)
        query.emplace_back(param.key, param.value);
    const std::string path(url->encoded_path());
    bool known_path = false;
    for (const auto& address : addresses) {
        if (address.path != path) continue;
        known_path = true;
        if (address.method == call.method) return address.act({model, call, query, now});
    }
    return known_path ? problem(405, "this address takes another method")
                      : problem(404, "the sandbox has no such address");
}

}  // namespace gateway::sandbox
