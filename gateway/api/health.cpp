#include "api/health.hpp"

#include "api/openapi/shared.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>

namespace gateway {
namespace {

// `ending` is what follows the journal's name in the name of the missing file, such as "-wal"; it is empty for the
// journal itself.
std::string not_in_its_place(std::string_view ending) {
    if (ending.empty()) return "the journal's file is not in its place: put it back, or restore the newest backup";
    return fmt::format(
        "the journal's {} file is not in its place: stop the gateway, which saves what it holds, and start it again",
        ending);
}

std::string journal_not_writable(const JournalStats& stats) {
    const std::string words = "the journal cannot be written";
    const auto since = stats.since ? " since " + to_local_text(stats.since->wall()) : std::string();
    if (stats.failure) return fmt::format("{}{}: {}", words, since, stats.in_words(stats.failure));
    // It is known what keeps the database from being used before anything has failed to be recorded.
    return stats.detail.empty() ? words + since : fmt::format("{}{}: {}", words, since, stats.detail);
}

// Says how the gateway sells while the provider or its token service is away and that keeps no sale from being made.
std::string_view takes_sales(const Health& health) {
    const auto& outage = health.token_service().outage();
    if (!outage) return "Takes sales, though the last ones failed";
    if (outage->of_new_credentials)
        return "Takes sales, as long as the token of the app_secret before lasts or can be refreshed";
    return "Takes sales, as long as the token lasts";
}

}  // namespace

std::vector<Hindrance> Health::hindrances() const {
    using Kind = Hindrance::Kind;
    std::vector<Hindrance> found;
    const auto stats = journal_.stats();
    if (stats.moved_file)
        found.push_back({Kind::journal, not_in_its_place(*stats.moved_file)});
    else if (!journal_.healthy())
        found.push_back({stats.database ? Kind::database : Kind::journal, journal_not_writable(stats),
                         stats.since ? std::optional(stats.since->wall()) : std::nullopt});
    if (stats.damaged) found.push_back({Kind::journal, "the journal is damaged: restore the newest backup"});
    if (!tokens_.had_token()) found.push_back({Kind::no_token, tokens_.trouble().value_or("no token has come yet")});
    if (!recovered_) found.push_back({Kind::starting, "the open sales are not known yet"});
    if (!seller_.taking()) found.push_back({Kind::stopping, "the gateway is stopping"});
    return found;
}

bool Health::keeps_tills_out(const http::CertificateTrouble& trouble) const {
    // By a clock that is wrong, nobody can tell whether the certificate is valid.
    const bool is_clock_wrong = host_.concern("clock") != nullptr;
    return trouble.kind == http::CertificateTrouble::Kind::not_accepted && !is_clock_wrong &&
           std::ranges::find(trouble.listeners, "terminals") != trouble.listeners.end();
}

std::vector<HostCheck::Concern> Health::concerns() const {
    auto found = host_.concerns();
    std::ranges::move(of_configuration_(), std::back_inserter(found));
    return found;
}

std::vector<std::reference_wrapper<const Reachability>> Health::away() const {
    std::vector<std::reference_wrapper<const Reachability>> found;
    for (const auto* service : {&provider(), &token_service()})
        if (service->outage()) found.emplace_back(*service);
    return found;
}

const Reachability* Health::in_the_way() const {
    if (const auto& outage = provider().outage(); outage && !outage->may_be_tried) return &provider();
    return token_service().outage() && tokens_.trouble() ? &token_service() : nullptr;
}

std::string in_words(const Reachability& away) {
    const auto& outage = *away.outage();
    const auto what = away.service() == "provider" ? std::string_view("the provider cannot be used")
                      : outage.of_new_credentials ? "the provider's token service gives no token for the new app_secret"
                                                  : "the provider's token service gives no token";
    return fmt::format("{}{} since {} (sales refused: {}){}: {}", what, outage.maybe_longer ? " at least" : "",
                       to_local_text(away.since()), outage.refused,
                       outage.may_be_tried ? ", and the next sale shows whether it can be again" : "",
                       outage.last_error);
}

std::string in_words(const Provider::AddressDoubt& doubt) {
    return fmt::format("no answer since {} shows that provider.base_url leads to the provider ({}): is its path right?",
                       to_local_text(doubt.since), doubt.answers);
}

std::string in_words(const Health& health, const AttentionList& attention) {
    std::vector<std::string> away;
    for (const Reachability& service : health.away())
        away.push_back(in_words(service));
    std::vector<std::string> hindrances;
    for (const auto& hindrance : health.hindrances())
        hindrances.push_back(hindrance.sentence);
    std::vector<std::string> shut_out;
    std::vector<std::string> notes;
    for (const auto& trouble : health.certificates())
        (health.keeps_tills_out(trouble) ? shut_out : notes).push_back(trouble.sentence);
    for (const auto& concern : health.concerns())
        if (hindrances.empty() || concern.what != "disk")  // otherwise the disk is a hindrance by now
            notes.push_back(concern.sentence);
    // A sentence that ends with a question comes last.
    const auto because = [](std::string_view what, std::vector<std::string> reasons) {
        const auto asks = [](const std::string& reason) { return reason.ends_with('?'); };
        std::stable_partition(reasons.begin(), reasons.end(), std::not_fn(asks));
        return fmt::format("{}: {}{}", what, fmt::join(reasons, "; "), asks(reasons.back()) ? "" : ".");
    };
    std::vector<std::string> sentences;
    if (!hindrances.empty())
        sentences.push_back(because("Takes no sales", hindrances));
    else if (health.in_the_way() != nullptr)
        sentences.push_back(because("Can sell nothing", away));
    if (!shut_out.empty())
        sentences.push_back(because("Takes no sales from tills that look at certificates", shut_out));
    const auto doubt = health.address_doubt();
    if (doubt && !(sentences.empty() && away.empty()))
        notes.push_back(in_words(*doubt));
    else if (doubt)
        sentences.push_back("Takes sales, though " + in_words(*doubt));
    if (sentences.empty() && away.empty())
        sentences.emplace_back("Takes sales.");
    else if (sentences.empty())
        sentences.push_back(because(takes_sales(health), away));
    if (!notes.empty()) sentences.push_back(because("Note", notes));
    if (attention.size() > 0)
        sentences.push_back(
            fmt::format("Sales that need a person: {}; sales-gateway attention lists them.", attention.size()));
    return fmt::format("{}", fmt::join(sentences, " "));
}

std::optional<ToldDisk> told_disk(const Health& health) {
    ToldDisk disk{.flush_times = {}, .room = health.host().disk()};
    if (const auto times = health.flush_times(); times && times->quantile(0.5)) {
        // The times are told to the microsecond, because more is not known.
        const auto ms = [&](double share) { return std::round(*times->quantile(share) * 1e6) / 1e3; };
        disk.flush_times = {ms(0.5), ms(0.99)};
    }
    return disk.flush_times || disk.room ? std::optional(std::move(disk)) : std::nullopt;
}

std::vector<Degradation> degradations(const Health& health) {
    std::vector<Degradation> found;
    for (const Reachability& away : health.away())
        found.push_back({away.service(), away.since(), away.outage()->last_error, away.outage()});
    if (const auto doubt = health.address_doubt())
        found.push_back({"provider_address", doubt->since, in_words(*doubt)});
    for (auto& trouble : health.certificates())
        found.push_back({"certificate", trouble.since, trouble.sentence, {}, std::move(trouble)});
    for (const auto& concern : health.concerns())
        found.push_back({concern.what, concern.since.wall(), concern.sentence});
    return found;
}

namespace openapi {
namespace {

constexpr Written<Reachability::Failure> last_failure_members[] = {
    {{"at", a("Time")}, its<&Reachability::Failure::at>},
    {{"detail", some_text, "For a person."}, its<&Reachability::Failure::why>},
};

constexpr Written<ToldService> service_members[] = {
    {{"reached", boolean,
      "Whether a connection or an exchange has shown that it can be reached, and there is no outage. There may also be "
      "an outage while it answers, if it does not do what it is asked for.",
      "true"},
     [](const ToldService& service) { return service.is.reached(); }},
    {{"asked", boolean,
      "Whether it was asked anything since the start, or, if the app-secret has changed since, with the new one. Until "
      "then nobody knows whether it would answer.",
      "true"},
     [](const ToldService& service) { return service.is.asked(); }},
    {{"since", a("Time"),
      "Since when it can be reached, or cannot. While neither is known, the time since which nothing is known.",
      "2024-05-02T09:00:00.120Z"},
     [](const ToldService& service) { return service.is.since(); }},
    {for_operators(maybe(
         {"lastFailure", object_of<last_failure_members>,
          "Present if the last exchange that reached it failed and there is no outage. One sale that keeps failing "
          "makes no outage."})),
     [](const ToldService& service) { return part(last_failure_members, service.failure); }},
};

constexpr auto family_fields = [] {
    std::array<Field, family_count> fields{};
    for (const auto family : all_families)
        fields.at(index_of(family)) = {to_string(family), boolean, "", "true"};
    return fields;
}();

constexpr Written<ToldDisk::FlushTimes> flush_times_members[] = {
    {{"p50", Type{R"("type":"number","minimum":0)"}, "", "0.412"}, its<&ToldDisk::FlushTimes::p50_ms>},
    {{"p99", Type{R"("type":"number","minimum":0)"}, "", "1.9"}, its<&ToldDisk::FlushTimes::p99_ms>},
};

template <auto Member>
constexpr auto of_room =
    [](const ToldDisk& disk) { return disk.room ? std::optional((*disk.room).*Member) : std::nullopt; };

constexpr Written<ToldDisk> disk_members[] = {
    {maybe({"flushMs", object_of<flush_times_members>,
            "How long flushes have taken since the start, in milliseconds. A sale waits for three flushes.",
            R"({"p50":0.412,"p99":1.9})"}),
     [](const ToldDisk& disk) { return part(flush_times_members, disk.flush_times); }},
    {maybe({"folder", some_text, "The folder of the journal's file.", "/var/lib/sales-gateway"}),
     of_room<&DiskRoom::folder>},
    {maybe({"freeBytes", count, "How many bytes are left for the gateway's user.", "21474836480"}),
     of_room<&DiskRoom::free_bytes>},
    {maybe({"neededBytes", count,
            "How many bytes an hour of sales may take: the sales of the busiest hour of the last seven days, or 500 if "
            "these were fewer, each of the average size.",
            "2048000"}),
     of_room<&DiskRoom::needed_bytes>},
    {maybe({"freeInodes", count, "How many more files the file system can have.", "3276800"}),
     [](const ToldDisk& disk) { return disk.room ? disk.room->free_inodes : std::nullopt; }},
    {maybe({"neededInodes", count, "How many files a start and a backup make together, at most.", "16"}),
     [](const ToldDisk& disk) {
         const bool counts = disk.room && disk.room->free_inodes;
         return counts ? std::optional(DiskRoom::needed_inodes) : std::nullopt;
     }},
};

template <auto Member>
constexpr auto of_outage =
    [](const Degradation& one) { return one.outage ? std::optional((*one.outage).*Member) : std::nullopt; };

constexpr Written<Degradation> degraded_members[] = {
    {{"what",
      Type{R"("enum":["provider","provider_address","token_service","certificate","clock","disk","reload","restart"])"},
      "`provider_address`: no answer since the start shows that provider.base_url leads to the provider, and the last "
      "one was not its own. It keeps nobody from selling: the next sale shows it. `reload`: the last reload did not "
      "take the configuration's file, or not all of it. `restart`: the file has settings that only a restart takes.",
      "provider"},
     its<&Degradation::what>},
    {maybe(
         {"kind", Type{R"("enum":["ends","not_accepted","refused"])"},
          "Only for a certificate. `ends`: it ends within 14 days. `not_accepted`: callers that look at it refuse it, "
          "because it has ended or is not valid yet. `refused`: callers refused it within the last hour."}),
     [](const Degradation& one) { return one.certificate ? std::optional(one.certificate->kind) : std::nullopt; }},
    {{"since", date_time, "", "2024-05-02T13:11:12.020Z"}, its<&Degradation::since>},
    {{"lastError", some_text, "For a person.", "10.0.0.5:443: Connection refused"}, its<&Degradation::sentence>},
    {maybe({"refused", count,
            "How many sales were not made since its first failure. Only for a service of the provider's.", "12"}),
     of_outage<&Reachability::Outage::refused>},
    {maybe({"mayBeTried", boolean,
            "Whether the outage keeps nobody from selling, because the next sale is to show whether it is over: "
            "something else was answered since, or there is a connection and nothing has failed for a minute. Only for "
            "a service of the provider's.",
            "false"}),
     of_outage<&Reachability::Outage::may_be_tried>},
    {maybe({"ofNewSecret", boolean,
            "Whether it gives no token for the app-secret that was read last, while the token that it gave for the one "
            "before can still be used or refreshed. Only for a service of the provider's."}),
     of_outage<&Reachability::Outage::of_new_credentials>},
    {maybe(
         {"maybeLonger", boolean,
          "Whether the outage may have begun before `since`: nothing had shown since the start of the gateway that the "
          "service could be reached. Only for a service of the provider's.",
          "false"}),
     of_outage<&Reachability::Outage::maybe_longer>},
    {maybe({"file", some_text, "The certificate's file, only for a certificate."}),
     [](const Degradation& one) { return one.certificate ? one.certificate->file : std::string(); }},
    {maybe({"endsAt", a("Time"), "When the certificate ends, only for a certificate."}),
     [](const Degradation& one) {
         return one.certificate ? std::optional(one.certificate->validity.ends_at) : std::nullopt;
     }},
};

constexpr Schema all_health_schemas[] = {
    {.name = "Service",
     .description = "How the gateway has found a service of the provider's.",
     .type = object_of<service_members>},
    {.name = "SoldFamilies", .description = "Which families can be sold now.", .type = object(family_fields)},
    {.name = "Degraded", .type = object_of<degraded_members>},
    {.name = "JournalDisk",
     .description = "The disk that the journal's file is on. The fields of free and needed room are left out where the "
                    "system does not tell them, those of inodes also where the file system does not count them, and "
                    "`flushMs` until something was flushed.",
     .type = object_of<disk_members>},
};

}  // namespace

std::span<const Schema> health_schemas() {
    return all_health_schemas;
}

}  // namespace openapi

openapi::Part<ToldService> in_part(const ToldService& service) {
    return openapi::part(openapi::service_members, service);
}

openapi::Parts<Degradation> in_parts(const std::vector<Degradation>& all) {
    return openapi::parts(openapi::degraded_members, all);
}

openapi::Part<ToldDisk> in_part(const std::optional<ToldDisk>& disk) {
    return openapi::part(openapi::disk_members, disk);
}

}  // namespace gateway
