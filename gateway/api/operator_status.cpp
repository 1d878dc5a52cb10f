#include "api/operator_status.hpp"

#include "api/close_json.hpp"
#include "api/openapi/shared.hpp"
#include "api/sale_answer.hpp"
#include "api/text/renderers.hpp"
#include "base/in_words.hpp"
#include "base/json_members.hpp"
#include "base/strict_json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

namespace json = boost::json;

// Says why the journal cannot be used now, as status says it; empty: it can be used.
std::string trouble_of_journal(const Health& health) {
    for (const auto& hindrance : health.hindrances())
        if (hindrance.kind == Hindrance::Kind::journal || hindrance.kind == Hindrance::Kind::database)
            return hindrance.sentence;
    return {};
}

std::string_view without_ending(std::string_view detail, std::string_view ending) {
    if (detail.ends_with(ending)) detail.remove_suffix(ending.size());
    return detail;
}

// A till is told to try again soon; an operator is told what is in the way of that.
std::string for_operators(std::string_view detail, const std::string& trouble) {
    return fmt::format("{} The reason: {}{} sales-gateway status says when that is over.",
                       without_ending(detail, till_tries_again), trouble, trouble.ends_with('?') ? "" : ".");
}

// An operator is told more of a sale that cannot be read, because the operator is the one who puts it right. The list
// says how.
std::string of_damage_for_operators(std::string_view detail) {
    return std::string(without_ending(detail, till_waits_for_operator)) +
           " sales-gateway attention says what is known of it, and what to do; every other sale goes on.";
}

// Says why nothing can be sold now, for whichever reason.
std::vector<std::string> reasons_of(const Health& health) {
    std::vector<std::string> reasons;
    for (const auto& hindrance : health.hindrances())
        reasons.push_back(hindrance.sentence);
    if (const auto* away = health.in_the_way()) reasons.push_back(in_words(*away));
    for (const auto& trouble : health.certificates())
        if (health.keeps_tills_out(trouble)) reasons.push_back(trouble.sentence);
    return reasons;
}

}  // namespace

namespace openapi {
namespace {

constexpr Written<DatabaseState::Standby> standby_members[] = {
    {{"name", text, "The `application_name` of the standby."}, its<&DatabaseState::Standby::name>},
    {{"connected", boolean}, its<&DatabaseState::Standby::connected>},
    {{"state", or_null(text),
      "As in `pg_stat_replication`; null where the standby is away, or the database's user lacks the role "
      "`pg_read_all_stats`."},
     its<&DatabaseState::Standby::state>},
    {{"syncState", or_null(text), "`sync_state` of the same view; null as `state` is."},
     its<&DatabaseState::Standby::sync_state>},
};

template <auto Member>
constexpr auto of_database = [](const JournalStats& stats) -> const auto& {
    return (*stats.database).*Member;
};

constexpr Written<JournalStats> database_members[] = {
    {{"gateway", text, "The name of this one among those that share the journal."},
     of_database<&DatabaseState::gateway>},
    {{"server", or_null(text), "`HOST:PORT`; null: it is connected to none."}, of_database<&DatabaseState::server>},
    {{"unusableSince", or_null(a("Time")), "Since when the database cannot be used; null where it can."},
     its<&JournalStats::since>},
    {{"waitsForStandby", boolean, "Whether commits wait for a synchronous standby."},
     of_database<&DatabaseState::waits_for_standby>},
    {{"synchronousStandbyNames", text, "The server's setting."},
     of_database<&DatabaseState::synchronous_standby_names>},
    {{"standbys", list_of(object_of<standby_members>),
      "The standbys that are connected, and those that the setting names and that are not connected."},
     [](const JournalStats& stats) { return parts(standby_members, stats.database->standbys); }},
};

constexpr Written<JournalStats> growing_log_members[] = {
    {{"bytes", integer}, its<&JournalStats::kept_log_bytes>},
    {{"detail", text}, [](const JournalStats& stats) { return stats.log_kept_by.message(); }},
};

struct ToldJournal {
    bool writable;
    JournalStats stats;
};
constexpr Written<ToldJournal> journal_members[] = {
    {{"writable", boolean, "Whether the last commit succeeded.", "true"}, its<&ToldJournal::writable>},
    {{"damaged", boolean, "Whether a damaged page was met since the start.", "false"},
     [](const ToldJournal& journal) { return journal.stats.damaged; }},
    {maybe({"database", a("DatabaseState")}),
     [](const ToldJournal& journal) {
         return part(database_members, journal.stats.database ? &journal.stats : nullptr);
     }},
    {maybe({"growingLog", object_of<growing_log_members>,
            "Only while another program reads the journal and keeps its write-ahead log from beginning anew: how long "
            "the log is by now, and which program that is."}),
     [](const ToldJournal& journal) {
         return part(growing_log_members, journal.stats.kept_log_bytes > 0 ? &journal.stats : nullptr);
     }},
};

constexpr Written<TokenKeeper> token_members[] = {
    {{"valid", boolean, "Whether there is a usable access token.", "true"},
     [](const TokenKeeper& tokens) { return !tokens.trouble(); }},
    {{"expiresAt", or_null(a("Time")), "Null while there is none.", "2024-05-02T13:16:00.000Z"},
     [](const TokenKeeper& tokens) { return tokens.expires_at(); }},
};

struct SalesNow {
    std::size_t under_way = 0;
    std::size_t unsettled = 0;
    std::size_t waiting = 0;
    std::optional<WallTime> oldest{};
    std::uint64_t unreadable = 0;
};
SalesNow sales_now(const Seller& seller, const Journal& journal) {
    SalesNow now{.unreadable = journal.stats().unreadable_sales};
    for (const auto& [id, live] : seller.live()) {
        const auto& sale = live->sale();
        if (!is_final(sale.status)) ++now.under_way;
        if (sale.settled) continue;
        ++now.unsettled;
        if (seller.waits_for_journal(*live)) ++now.waiting;
        now.oldest = std::min(now.oldest.value_or(sale.created_at), sale.created_at);
    }
    return now;
}
constexpr Written<SalesNow> sales_now_members[] = {
    {{"underWay", count, "Whose status is not final.", "3"}, its<&SalesNow::under_way>},
    {{"unsettled", count, "These, and the final ones for which something is left to do at the provider.", "4"},
     its<&SalesNow::unsettled>},
    {{"waitingForJournal", count,
      "Of these, the ones with a step that is not recorded because the journal cannot be written: nothing more is "
      "asked of the provider for them until it can.",
      "0"},
     its<&SalesNow::waiting>},
    {{"oldestUnsettledAt", or_null(a("Time")), "When the oldest of them was created; null where there is none.",
      "2024-05-02T13:01:11.480Z"},
     its<&SalesNow::oldest>},
    {{"unreadable", count,
      "Sales of which nothing can be read now, as far as is known: they are not among these, and may be open too.",
      "0"},
     its<&SalesNow::unreadable>},
};

constexpr Written<AttentionList> attention_members[] = {
    {{"total", count, "Sales that need a person.", "2"}, [](const AttentionList& marked) { return marked.size(); }},
    {{"byMark", map_of(count_from_one, R"("propertyNames":{"$ref":"#/components/schemas/Mark"})"),
      "How many sales have each mark; marks that no sale has are left out.", R"({"no_callback":1,"contradiction":1})"},
     [](const AttentionList& marked) {
         json::object by_mark;
         const auto counts = marked.by_mark();
         for (const auto mark : all_attentions)
             if (const auto found = counts.at(static_cast<std::size_t>(mark)); found > 0)
                 by_mark[to_string(mark)] = found;
         return by_mark;
     }},
};

constexpr Written<http::Hammering> hammering_members[] = {
    {{"caller", text, "The terminal, else the address."}, its<&http::Hammering::caller>},
    {{"remote", text, "The address."}, its<&http::Hammering::remote>},
    {{"calls", count_from_one, "How many of its calls were refused since."}, its<&http::Hammering::calls>},
    {{"since", a("Time")}, its<&http::Hammering::since>},
    {{"lastAt", a("Time")}, its<&http::Hammering::last_at>},
    {{"over", boolean,
      "Whether the caller has stopped. If it begins once more, these calls are counted by themselves."},
     its<&http::Hammering::over>},
    {{"detail", some_text, "For a person."}, [](const http::Hammering& caller) { return caller.in_words(); }},
};

struct ToldClock {
    WallTime at;
    const HostCheck& machine;
};
std::optional<std::int64_t> in_seconds(const std::optional<Duration>& length) {
    return length ? std::optional(std::chrono::round<std::chrono::seconds>(*length).count()) : std::nullopt;
}
constexpr Written<ToldClock> clock_members[] = {
    {{"at", a("Time"), "", "2024-05-02T13:11:12.020Z"}, its<&ToldClock::at>},
    {{"trouble", or_null(some_text),
      "What is wrong with it, for a person; null where it differs from neither by more than a minute.", "null"},
     [](const ToldClock& clock) {
         const auto* wrong = clock.machine.concern("clock");
         return wrong != nullptr ? wrong->sentence : std::string();
     }},
    {{"aheadOfProviderSeconds", or_null(integer),
      "Below zero where it is behind; null where no answer has told it yet.", "0"},
     [](const ToldClock& clock) { return in_seconds(clock.machine.ahead_of_provider()); }},
    {{"behindJournalSeconds", or_null(count), "0 where it is not; null where the journal has no sale.", "0"},
     [](const ToldClock& clock) { return in_seconds(clock.machine.behind_journal()); }},
};

struct OperatorStatus {
    const std::string& version;
    const RunMoment& started;
    bool sells;
    std::string detail;
    std::vector<std::string> reasons;
    std::vector<Degradation> degraded;
    json::object families;
    ToldService provider;
    ToldService token_service;
    const TokenKeeper& tokens;
    SalesNow sales;
    const AttentionList& attention;
    std::vector<DayBooks::Unclosed> unclosed;
    std::vector<CloseKey> forgotten;
    std::vector<http::Hammering> hammering;
    ToldJournal journal;
    ToldClock clock;
    std::string closing{};
    std::optional<ToldDisk> disk;
};
constexpr Written<OperatorStatus> operator_status_members[] = {
    {{"version", some_text, "The gateway's.", "0.2.0"},
     [](const OperatorStatus& status) -> const std::string& { return status.version; }},
    {{"startedAt", a("Time"), "", "2024-05-02T09:00:00.120Z"},
     [](const OperatorStatus& status) -> const RunMoment& { return status.started; }},
    {{"sells", boolean, "Whether a sell can succeed now, as far as the gateway knows.", "true"},
     its<&OperatorStatus::sells>},
    {{"detail", some_text, "One sentence: the one that `systemctl status` shows.",
      "Takes sales. Sales that need a person: 2; sales-gateway attention lists them."},
     its<&OperatorStatus::detail>},
    {{"reasons", list_of(some_text), "Why not, each a sentence; empty where it sells.", "[]"},
     its<&OperatorStatus::reasons>},
    {{"degraded", list_of(a("Degraded")),
      "What of the provider cannot be reached, which certificates of the gateway's own callers refuse or will refuse, "
      "and what needs care at the machine.",
      "[]"},
     [](const OperatorStatus& status) { return in_parts(status.degraded); }},
    {{"families", a("SoldFamilies"), "Which families at least one terminal can sell now."},
     its<&OperatorStatus::families>},
    {{"provider", a("Service")}, [](const OperatorStatus& status) { return in_part(status.provider); }},
    {{"tokenService", a("Service")}, [](const OperatorStatus& status) { return in_part(status.token_service); }},
    {{"token", object_of<token_members>},
     [](const OperatorStatus& status) { return part(token_members, status.tokens); }},
    {{"sales", object_of<sales_now_members>},
     [](const OperatorStatus& status) { return part(sales_now_members, status.sales); }},
    {{"attention", object_of<attention_members>},
     [](const OperatorStatus& status) { return part(attention_members, status.attention); }},
    {{"unclosed", a("Unclosed")}, [](const OperatorStatus& status) { return in_parts(status.unclosed); }},
    {{"forgotten", a("ForgottenDays"),
      "Unclosed days before yesterday: of a month, and since the first close of the establishment.", "[]"},
     [](const OperatorStatus& status) { return in_parts(status.forgotten); }},
    {{"hammering", list_of(object_of<hammering_members>),
      "Callers that are refused again and again, or were within the last hour.", "[]"},
     [](const OperatorStatus& status) { return parts(hammering_members, status.hammering); }},
    {{"journal", object_of<journal_members>},
     [](const OperatorStatus& status) { return part(journal_members, status.journal); }},
    {{"clock", object_of<clock_members>,
      "This machine's, beside the two that it is compared with: the provider's, by the `Date` of its answers, and the "
      "journal's newest record."},
     [](const OperatorStatus& status) { return part(clock_members, status.clock); }},
    {maybe({"closing", some_text,
            "Why no day is closed by itself, where it should be: the clock was set by a day or more since the start, "
            "and is not believed. A sentence."}),
     its<&OperatorStatus::closing>},
    {maybe({"disk", a("JournalDisk"), "",
            R"({"flushMs":{"p50":0.412,"p99":1.9},"folder":"/var/lib/sales-gateway","freeBytes":21474836480,
        "neededBytes":2048000,"freeInodes":3276800,"neededInodes":16})"}),
     [](const OperatorStatus& status) { return in_part(status.disk); }},
};

constexpr Schema all_operator_status_schemas[] = {
    {.name = "DatabaseState",
     .description = "The database server, as it was seen in the last seconds. Only where the journal is in PostgreSQL.",
     .type = object_of<database_members>},
    {.name = "OperatorStatus", .type = object_of<operator_status_members>},
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
    // Only this text is put in, because the numbers of a sale beside it would lose digits if they were written anew.
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
    // Where the books cannot be read now, no day is called unclosed, because the journal's trouble is said by itself.
    const auto unclosed = co_await books_.unclosed_yesterday();
    const auto forgotten = co_await books_.forgotten(books_.establishments(), day_before(books_.today()));
    // The list takes up what was read just now. Where the journal fails, the answer has what is known so far.
    (void)co_await attention_.keep_up();
    auto reasons = reasons_of(health_);
    const bool sells = reasons.empty();
    openapi::OperatorStatus told{
        .version = version_,
        .started = started_,
        .sells = sells,
        .detail = in_words(health_, attention_),
        .reasons = std::move(reasons),
        .degraded = degradations(health_),
        .families = sold_families([&](Family family) { return health_.sells() && terminals_.any_may_sell(family); }),
        .provider = ToldService(health_.provider()),
        .token_service = ToldService(health_.token_service()),
        .tokens = tokens_,
        .sales = openapi::sales_now(seller_, journal_),
        .attention = attention_,
        .unclosed = unclosed.has_value() ? *unclosed : std::vector<DayBooks::Unclosed>(),
        .forgotten = forgotten.has_value() ? *forgotten : std::vector<CloseKey>(),
        .hammering = hammering_(),
        .journal = {journal_.healthy(), journal_.stats()},
        .clock = {clock_.wall(), health_.host()},
        .disk = told_disk(health_),
    };
    if (const auto set_by = books_.clock_set_by())
        told.closing = fmt::format(
            "no day is closed by itself, because the clock was set by {} since the start: set it right, or restart the "
            "gateway where it is right now; sales-gateway close --day with a date closes a day",
            duration_in_words(std::chrono::abs(*set_by)));
    co_return json_text_answer(openapi::write(openapi::operator_status_members, told));
}

}  // namespace gateway
