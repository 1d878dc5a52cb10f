#include "api/operator_status.hpp"

#include "api/close_json.hpp"
#include "api/json_values.hpp"
#include "api/openapi/shared.hpp"
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
    const auto& host = health_.host();
    const auto* wrong = host.concern("clock");
    return {{"at", to_rfc3339(clock_.wall())},
            {"trouble", wrong != nullptr ? json::value(wrong->sentence) : json::value(nullptr)},
            {"aheadOfProviderSeconds", seconds(host.ahead_of_provider())},
            {"behindJournalSeconds", seconds(host.behind_journal())}};
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

namespace openapi {
namespace {

constexpr Field database_state_standbys_fields[] = {
    {"name", text, "Its application_name."},
    {"connected", boolean},
    {"state", or_null(text),
     "As in pg_stat_replication; null: it is away, or the database's user has not the role pg_read_all_stats."},
    {"syncState", or_null(text), "The same."},
};

constexpr Field database_state_fields[] = {
    {"gateway", text, "The name of this one among those that share the journal."},
    {"server", or_null(text), "`HOST:PORT`; null: it is connected to none."},
    {"unusableSince", or_null(a("Time")), "null: it can be used."},
    {"waitsForStandby", boolean, "Whether commits wait for a synchronous standby."},
    {"synchronousStandbyNames", text, "The server's setting."},
    {"standbys", list_of(object(database_state_standbys_fields)),
     "Those that are connected, and those that the setting names and that are not."},
};

constexpr Field operator_status_families_fields[] = {
    {"tv", boolean, "", "true"},      {"egift", boolean, "", "true"}, {"transit", boolean, "", "true"},
    {"health", boolean, "", "false"}, {"esim", boolean, "", "true"},
};

constexpr Field operator_status_provider_last_failure_fields[] = {
    {"at", a("Time")},
    {"detail", some_text, "For a person."},
};

constexpr Field operator_status_provider_fields[] = {
    {"reached", boolean,
     "Whether a connection or an exchange showed that it can be reached, and no outage has begun since. An outage may "
     "also be that it answers, and does not do what it is asked for.",
     "true"},
    {"asked", boolean,
     "Whether it was asked anything since the start or, where the app-secret is another one since, with that. Before, "
     "whether it would answer is not known.",
     "true"},
    {"since", a("Time"), "Since when it can be reached, or cannot; where neither is known, since when nothing is.",
     "2024-05-02T09:00:00.120Z"},
    maybe({"lastFailure", object(operator_status_provider_last_failure_fields),
           "Where the last exchange that reached it failed, and there is no outage: one that is stuck is none."}),
};

constexpr Field operator_status_token_service_fields[] = {
    {"reached", boolean,
     "Whether a connection or an exchange showed that it can be reached, and no outage has begun since. An outage may "
     "also be that it answers, and does not do what it is asked for.",
     "true"},
    {"asked", boolean,
     "Whether it was asked anything since the start or, where the app-secret is another one since, with that. Before, "
     "whether it would answer is not known.",
     "true"},
    {"since", a("Time"), "Since when it can be reached, or cannot; where neither is known, since when nothing is.",
     "2024-05-02T09:00:00.120Z"},
};

constexpr Field operator_status_token_fields[] = {
    {"valid", boolean, "Whether there is a usable access token.", "true"},
    {"expiresAt", or_null(a("Time")), "Null while there is none.", "2024-05-02T13:16:00.000Z"},
};

constexpr Field operator_status_sales_fields[] = {
    {"underWay", count, "Whose status is not final.", "3"},
    {"unsettled", count, "These, and the final ones for which something is left to do at the provider.", "4"},
    {"waitingForJournal", count,
     "Of these, the ones with a step that is not recorded because the journal cannot be written: nothing more is asked "
     "of the provider for them until it can.",
     "0"},
    {"oldestUnsettledAt", or_null(a("Time")), "When the oldest of them was created; null where there is none.",
     "2024-05-02T13:01:11.480Z"},
    {"unreadable", count,
     "Sales of which nothing can be read now, as far as is known: they are not among these, and may be open too.", "0"},
};

constexpr Field operator_status_attention_fields[] = {
    {"total", count, "Sales that need a person.", "2"},
    {"byMark", map_of(count_from_one, R"("propertyNames":{"$ref":"#/components/schemas/Mark"})"),
     "The same by their mark; marks that no sale has are left out.", R"({"no_callback":1,"contradiction":1})"},
};

constexpr Field operator_status_hammering_fields[] = {
    {"caller", text, "The terminal, else the address."},
    {"remote", text, "The address."},
    {"calls", count_from_one, "That were refused since."},
    {"since", a("Time")},
    {"lastAt", a("Time")},
    {"over", boolean, "It has stopped; where it begins once more, that is counted by itself."},
    {"detail", some_text, "For a person."},
};

constexpr Field operator_status_journal_growing_log_fields[] = {
    {"bytes", integer},
    {"detail", text},
};

constexpr Field operator_status_journal_fields[] = {
    {"writable", boolean, "Whether the last commit succeeded.", "true"},
    {"damaged", boolean, "Whether a damaged page was met since the start.", "false"},
    maybe({"database", a("DatabaseState")}),
    maybe({"growingLog", object(operator_status_journal_growing_log_fields),
           "Only while another program reads the journal and keeps its write-ahead log from beginning anew: how long "
           "the log is by now, and which program that is."}),
};

constexpr Field operator_status_clock_fields[] = {
    {"at", a("Time"), "", "2024-05-02T13:11:12.020Z"},
    {"trouble", or_null(some_text),
     "What is wrong with it, for a person; null where it differs from neither by more than a minute.", "null"},
    {"aheadOfProviderSeconds", or_null(integer), "Below zero where it is behind; null where no answer has told it yet.",
     "0"},
    {"behindJournalSeconds", or_null(count), "0 where it is not; null where the journal has no sale.", "0"},
};

constexpr Field operator_status_fields[] = {
    {"version", some_text, "The gateway's.", "0.2.0"},
    {"startedAt", a("Time"), "", "2024-05-02T09:00:00.120Z"},
    {"sells", boolean, "Whether a sell can succeed now, as far as the gateway knows.", "true"},
    {"detail", some_text, "One sentence: the one that `systemctl status` shows.",
     "Takes sales. Sales that need a person: 2; sales-gateway attention lists them."},
    {"reasons", list_of(some_text), "Why not, each a sentence; empty where it sells.", "[]"},
    {"degraded", list_of(a("Degraded")),
     "What of the provider cannot be reached, which certificates of the gateway's own callers refuse or will refuse, "
     "and what needs care at the machine.",
     "[]"},
    {"families", object(operator_status_families_fields), "Which families can be sold now, by at least one terminal."},
    {"provider", object(operator_status_provider_fields)},
    {"tokenService", object(operator_status_token_service_fields)},
    {"token", object(operator_status_token_fields)},
    {"sales", object(operator_status_sales_fields)},
    {"attention", object(operator_status_attention_fields)},
    {"unclosed", a("Unclosed")},
    {"forgotten", a("ForgottenDays"),
     "The same of the days before yesterday: of a month, and since the first close of the establishment.", "[]"},
    maybe({"closing", some_text,
           "Why no day is closed by itself, where it should be: the clock was set by a day or more since the start, "
           "and is not believed. A sentence."}),
    {"hammering", list_of(object(operator_status_hammering_fields)),
     "Callers that are refused again and again, or were within the last hour.", "[]"},
    {"journal", object(operator_status_journal_fields)},
    {"clock", object(operator_status_clock_fields),
     "This machine's, beside the two that it is compared with: the provider's, by the `Date` of its answers, and the "
     "journal's newest record."},
    maybe({"disk", a("JournalDisk"), "",
           R"({"flushMs":{"p50":0.412,"p99":1.9},"folder":"/var/lib/sales-gateway","freeBytes":21474836480,
        "neededBytes":2048000,"freeInodes":3276800,"neededInodes":16})"}),
};

constexpr Schema all_operator_status_schemas[] = {
    {.name = "DatabaseState",
     .description = "The database server, as it was seen in the last seconds. Only where the journal is in PostgreSQL.",
     .type = object(database_state_fields)},
    {.name = "OperatorStatus", .type = object(operator_status_fields)},
};

}  // namespace

std::span<const Schema> operator_status_schemas() {
    return all_operator_status_schemas;
}

Description get_operator_status() {
    return {.id = "getStatus",
            .summary = "How the gateway is, for a person",
            .tag = "Monitoring",
            .text = "Costs nothing at the provider.",
            .answers = {gives(200, "How it is, whatever that is: `/readyz` is the probe for machines.",
                              a("OperatorStatus"), {{"sells"}})}};
}

}  // namespace openapi

}  // namespace gateway
