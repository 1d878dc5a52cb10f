#include "api/operator_status.hpp"

#include "api/close_json.hpp"
#include "api/json_values.hpp"
#include "api/sale_answer.hpp"
#include "api/text/renderers.hpp"
#include "base/in_words.hpp"
#include "base/json_members.hpp"
#include "base/strict_json.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

json::object database_json(const DatabaseState& database, const std::optional<RunMoment>& since) {
    json::array standbys;
    for (const auto& standby : database.standbys)
        standbys.push_back({{"name", standby.name},
                            {"connected", standby.connected},
                            {"state", text_or_null(standby.state)},
                            {"syncState", text_or_null(standby.sync_state)}});
    return {{"gateway", database.gateway},
            {"server", text_or_null(database.server)},
            {"unusableSince", time_or_null(since)},
            {"waitsForStandby", database.waits_for_standby},
            {"synchronousStandbyNames", database.synchronous_standby_names},
            {"standbys", std::move(standbys)}};
}

// Why the journal cannot be used now, as status says it; empty: it can.
std::string trouble_of_journal(const Health& health) {
    for (const auto& hindrance : health.hindrances())
        if (hindrance.kind == Hindrance::Kind::journal || hindrance.kind == Hindrance::Kind::database)
            return hindrance.sentence;
    return {};
}

// A till is told to try again soon, and an operator what is in the way of that.
std::string for_operators(std::string_view detail, const std::string& trouble) {
    constexpr std::string_view of_tills = " Try again soon.";
    if (detail.ends_with(of_tills)) detail.remove_suffix(of_tills.size());
    return fmt::format("{} The reason: {}{} sales-gateway status says when that is over.", detail, trouble,
                       trouble.ends_with('?') ? "" : ".");
}

// The same of a sale that cannot be read: he is the one who puts it right, and the list says how.
std::string of_damage_for_operators(std::string_view detail) {
    const auto of_tills = detail.find(" The operator ");
    return std::string(detail.substr(0, of_tills)) +
           " sales-gateway attention says what is known of it, and what to do; every other sale goes on.";
}

json::array hammering_json(const std::vector<http::Hammering>& callers) {
    json::array all;
    for (const auto& caller : callers)
        all.push_back({{"caller", caller.caller},
                       {"remote", caller.remote},
                       {"calls", caller.calls},
                       {"since", time_or_null(caller.since)},
                       {"lastAt", time_or_null(caller.last_at)},
                       {"over", caller.over},
                       {"detail", caller.in_words()}});
    return all;
}

// It tells why the last exchange failed, unless an outage tells it already.
json::object service_json(const Reachability& service) {
    auto told = reached_json(service);
    if (const auto failure = service.last_failure(); failure && !service.outage())
        told["lastFailure"] = {{"at", to_rfc3339(failure->at)}, {"detail", failure->why}};
    return told;
}

// Why nothing can be sold now, for whichever reason.
json::array reasons_json(const Health& health) {
    json::array reasons;
    for (const auto& hindrance : health.hindrances())
        reasons.emplace_back(hindrance.sentence);
    if (const auto* away = health.in_the_way()) reasons.emplace_back(in_words(*away));
    for (const auto& trouble : health.certificates())
        if (health.keeps_tills_out(trouble)) reasons.emplace_back(trouble.sentence);
    return reasons;
}

}  // namespace

OperatorStatusApi::OperatorStatusApi(Health& health, const Seller& seller, const Journal& journal,
                                     const TokenKeeper& tokens, AttentionList& attention, const Terminals& terminals,
                                     DayBooks& books, Hammerers hammering, std::string version, Clock& clock)
    : health_(health),
      seller_(seller),
      journal_(journal),
      tokens_(tokens),
      attention_(attention),
      terminals_(terminals),
      books_(books),
      hammering_(std::move(hammering)),
      version_(std::move(version)),
      clock_(clock),
      started_(clock) {}

void OperatorStatusApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/v1/status", [this](http::Request& request) { return status(request); });
}

void OperatorStatusApi::add_filter_to(http::Router& router) const {
    const auto explains = [this](http::Request& request, const http::Handler& next) { return explain(request, next); };
    router.set_filter(text::answers(clock_, explains));
}

boost::asio::awaitable<http::Response> OperatorStatusApi::explain(http::Request& request,
                                                                  const http::Handler& next) const {
    auto answer = co_await next(request);
    if (answer.status != http::status::service_unavailable) co_return answer;
    const auto trouble = trouble_of_journal(health_);
    const auto said = parse_strict_json(answer.body);
    const auto* problem = said.has_value() ? said->if_object() : nullptr;
    const auto code = problem != nullptr ? text_in(*problem, "code") : std::string_view();
    const bool is_damage = code == "sale_unreadable";
    if (!is_damage && (code != "journal_unavailable" || trouble.empty())) co_return answer;
    // Only this text is put in: numbers of a sale beside it would lose digits where they are written anew.
    const auto detail = text_in(*problem, "detail");
    const auto before = json::serialize(json::string(detail));
    const auto at = answer.body.find(before);
    if (at != std::string::npos)
        answer.body.replace(at, before.size(),
                            json::serialize(json::string(is_damage ? of_damage_for_operators(detail)
                                                                   : for_operators(detail, trouble))));
    co_return answer;
}

boost::asio::awaitable<http::Response> OperatorStatusApi::status(http::Request&) {
    co_await health_.look();
    // Where the books cannot be read now, no day is called unclosed: the journal's trouble is said by itself.
    const auto unclosed = co_await books_.unclosed_yesterday();
    const auto forgotten = co_await books_.forgotten(books_.establishments(), day_before(books_.today()));
    (void)co_await attention_.keep_up();  // with what was read just now; where the journal fails, what is known so far
    auto reasons = reasons_json(health_);
    const bool sells = reasons.empty();
    json::object body{
        {"version", version_},
        {"startedAt", to_rfc3339(started_.wall())},
        {"sells", sells},
        {"detail", in_words(health_, attention_)},
        {"reasons", std::move(reasons)},
        {"degraded", degraded_json(health_)},
        {"families", families()},
        {"provider", service_json(health_.provider())},
        {"tokenService", service_json(health_.token_service())},
        {"token", token()},
        {"sales", sales()},
        {"attention", attention()},
        {"unclosed", unclosed.has_value() ? unclosed_json(*unclosed) : json::array()},
        {"forgotten", forgotten.has_value() ? forgotten_json(*forgotten) : json::array()},
        {"hammering", hammering_json(hammering_())},
        {"journal", journal()},
        {"clock", clock()},
    };
    if (const auto set_by = books_.clock_set_by())
        body["closing"] = fmt::format(
            "no day is closed by itself, because the clock was set by {} since the start: set it right, or restart the "
            "gateway where it is right now; sales-gateway close --day with a date closes a day",
            duration_in_words(std::chrono::abs(*set_by)));
    if (auto disk = disk_json(health_); !disk.empty()) body["disk"] = std::move(disk);
    co_return json_answer(body);
}

json::object OperatorStatusApi::families() const {
    json::object families;
    for (const auto family : all_families)
        families[to_string(family)] = health_.sells() && terminals_.any_may_sell(family);
    return families;
}

json::object OperatorStatusApi::token() const {
    return {{"valid", !tokens_.trouble()}, {"expiresAt", time_or_null(tokens_.expires_at())}};
}

json::object OperatorStatusApi::journal() const {
    const auto stats = journal_.stats();
    json::object journal{{"writable", journal_.healthy()}, {"damaged", stats.damaged}};
    if (stats.database) journal["database"] = database_json(*stats.database, stats.since);
    if (stats.kept_log_bytes > 0)
        journal["growingLog"] = {{"bytes", stats.kept_log_bytes}, {"detail", stats.log_kept_by.message()}};
    return journal;
}

json::object OperatorStatusApi::clock() const {
    const auto seconds = [](const std::optional<Duration>& length) -> json::value {
        if (!length) return nullptr;
        return std::chrono::round<std::chrono::seconds>(*length).count();
    };
    const auto& machine = health_.machine();
    const auto* wrong = machine.concern("clock");
    return {{"at", to_rfc3339(clock_.wall())},
            {"trouble", wrong != nullptr ? json::value(wrong->sentence) : json::value(nullptr)},
            {"aheadOfProviderSeconds", seconds(machine.ahead_of_provider())},
            {"behindJournalSeconds", seconds(machine.behind_journal())}};
}

json::object OperatorStatusApi::sales() const {
    std::size_t under_way = 0;
    std::size_t unsettled = 0;
    std::size_t waiting = 0;
    std::optional<WallTime> oldest;
    for (const auto& [id, live] : seller_.live()) {
        const auto& sale = live->sale();
        if (!is_final(sale.status)) ++under_way;
        if (sale.settled) continue;
        ++unsettled;
        if (seller_.waits_for_journal(*live)) ++waiting;
        oldest = std::min(oldest.value_or(sale.created_at), sale.created_at);
    }
    return {{"underWay", under_way},
            {"unsettled", unsettled},
            {"waitingForJournal", waiting},
            {"oldestUnsettledAt", time_or_null(oldest)},
            {"unreadable", journal_.stats().unreadable_sales}};
}

json::object OperatorStatusApi::attention() const {
    json::object by_mark;
    const auto counts = attention_.by_mark();
    for (const auto mark : all_attentions)
        if (const auto count = counts.at(static_cast<std::size_t>(mark)); count > 0) by_mark[to_string(mark)] = count;
    return {{"total", attention_.size()}, {"byMark", std::move(by_mark)}};
}

}  // namespace gateway
