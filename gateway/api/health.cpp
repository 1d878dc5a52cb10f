#include "api/health.hpp"

#include "api/openapi/shared.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace gateway {
namespace {

// `ending`: what the name of the file has after the journal's.
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
    // What keeps the database from being used is known before anything has failed to be recorded.
    return stats.detail.empty() ? words + since : fmt::format("{}{}: {}", words, since, stats.detail);
}

// How a gateway sells while something is away that is in no sale's way.
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
    // By a clock that is wrong nobody knows whether it is valid.
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

boost::json::object reached_json(const Reachability& service) {
    return {{"reached", service.reached()}, {"asked", service.asked()}, {"since", to_rfc3339(service.since())}};
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
        if (hindrances.empty() || concern.what != "disk")  // else the disk is a hindrance by now
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

boost::json::object disk_json(const Health& health) {
    boost::json::object disk;
    if (const auto times = health.flush_times(); times && times->quantile(0.5)) {
        // To the microsecond: more is not known.
        const auto ms = [&](double share) { return std::round(*times->quantile(share) * 1e6) / 1e3; };
        disk["flushMs"] = {{"p50", ms(0.5)}, {"p99", ms(0.99)}};
    }
    if (const auto room = health.host().disk()) {
        disk["folder"] = room->folder;
        disk["freeBytes"] = room->free_bytes;
        disk["neededBytes"] = room->needed_bytes;
        if (room->free_inodes) {
            disk["freeInodes"] = *room->free_inodes;
            disk["neededInodes"] = DiskRoom::needed_inodes;
        }
    }
    return disk;
}

boost::json::array degraded_json(const Health& health) {
    boost::json::array degraded;
    for (const Reachability& away : health.away())
        degraded.push_back(boost::json::object{{"what", away.service()},
                                               {"since", to_rfc3339(away.since())},
                                               {"lastError", away.outage()->last_error},
                                               {"refused", away.outage()->refused},
                                               {"mayBeTried", away.outage()->may_be_tried},
                                               {"ofNewSecret", away.outage()->of_new_credentials},
                                               {"maybeLonger", away.outage()->maybe_longer}});
    if (const auto doubt = health.address_doubt())
        degraded.push_back(boost::json::object{
            {"what", "provider_address"}, {"since", to_rfc3339(doubt->since)}, {"lastError", in_words(*doubt)}});
    for (const auto& trouble : health.certificates())
        degraded.push_back(boost::json::object{{"what", "certificate"},
                                               {"kind", to_string(trouble.kind)},
                                               {"since", to_rfc3339(trouble.since)},
                                               {"lastError", trouble.sentence},
                                               {"file", trouble.file},
                                               {"endsAt", to_rfc3339(trouble.validity.ends_at)}});
    for (const auto& concern : health.concerns())
        degraded.push_back(boost::json::object{
            {"what", concern.what}, {"since", to_rfc3339(concern.since.wall())}, {"lastError", concern.sentence}});
    return degraded;
}

namespace openapi {
namespace {

constexpr Field journal_disk_flush_ms_fields[] = {
    {"p50", Type{R"("type":"number","minimum":0)"}, "", "0.412"},
    {"p99", Type{R"("type":"number","minimum":0)"}, "", "1.9"},
};

constexpr Field journal_disk_fields[] = {
    maybe({"folder", some_text, "Of the journal's file.", "/var/lib/sales-gateway"}),
    maybe({"freeBytes", count, "What is left for the gateway's user.", "21474836480"}),
    maybe({"neededBytes", count,
           "What an hour of sales may take: those of the busiest hour of the last seven days, 500 at least, each as "
           "large as one is on average.",
           "2048000"}),
    maybe({"freeInodes", count, "How many more files it can have.", "3276800"}),
    maybe({"neededInodes", count, "What a start and a backup take.", "16"}),
    maybe({"flushMs", object(journal_disk_flush_ms_fields),
           "How long it took to flush since the start, in milliseconds. A sale waits for three flushes.",
           R"({"p50":0.412,"p99":1.9})"}),
};

constexpr Field degraded_fields[] = {
    {"what",
     Type{R"("enum":["provider","provider_address","token_service","certificate","clock","disk","reload","restart"])"},
     "`provider_address`: no answer since the start shows that provider.base_url leads to the provider, and the last "
     "one was not its own. It keeps nobody from selling: the next sale shows it. `reload`: the last reload did not "
     "take the configuration's file, or not all of it. `restart`: the file has settings that only a restart takes.",
     "provider"},
    {"since", date_time, "", "2024-05-02T13:11:12.020Z"},
    {"lastError", some_text, "For a person.", "10.0.0.5:443: Connection refused"},
    maybe({"refused", count, "Sales that were not made since; of a service of the provider's.", "12"}),
    maybe({"kind", Type{R"("enum":["ends","not_accepted","refused"])"},
           "Of a certificate: it ends within 14 days; callers that look at it refuse it, because it has ended or is "
           "not valid yet; or callers refused it within the last hour."}),
    maybe({"file", some_text, "Of a certificate."}),
    maybe({"endsAt", a("Time"), "Of a certificate."}),
    maybe({"ofNewSecret", boolean,
           "Whether it gives no token for the app-secret that was read last alone, and the token of the one before can "
           "be refreshed; of a service of the provider's."}),
    maybe({"mayBeTried", boolean,
           "Whether the next sale is to show whether it is over: something else was answered since, or nothing was "
           "asked for a minute. It keeps nobody from selling then; of a service of the provider's.",
           "false"}),
    maybe({"maybeLonger", boolean,
           "Whether it may have been away before `since` already: nothing had shown since the start of the gateway "
           "that it could be reached; of a service of the provider's.",
           "false"}),
};

constexpr Schema all_health_schemas[] = {
    {.name = "Degraded", .type = object(degraded_fields)},
    {.name = "JournalDisk",
     .description = "The disk that the journal's file is on. Room is left out where the system does not say, or the "
                    "file system does not count inodes; flushMs, where nothing was flushed yet.",
     .type = object(journal_disk_fields)},
};

}  // namespace

std::span<const Schema> health_schemas() {
    return all_health_schemas;
}

}  // namespace openapi

}  // namespace gateway
