#include "http/server/certificate_watch.hpp"

#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::http {
namespace {

using TroubleKind = CertificateTrouble::Kind;

constexpr Duration look_every{60'000};
constexpr Duration say_again_that_it_ends = std::chrono::hours(24);
constexpr Duration say_again_that_it_ended = std::chrono::hours(1);

void add_doubt(std::vector<CertificateTrouble>& troubles, const std::string& listener, const ShownCertificate& shown,
               const ValidityDoubt& doubt) {
    auto same = std::ranges::find_if(troubles, [&](const CertificateTrouble& known) {
        return known.kind != TroubleKind::refused && known.file == shown.file && known.validity == shown.validity;
    });
    if (same == troubles.end())
        same = troubles.insert(same, {.kind = doubt.accepted ? TroubleKind::ends : TroubleKind::not_accepted,
                                      .file = shown.file,
                                      .listeners = {},
                                      .since = doubt.since ? *doubt.since : shown.shown_since->wall(),
                                      .validity = shown.validity,
                                      .words = doubt.words,
                                      .sentence = {}});
    same->listeners.push_back(listener);
    same->sentence =
        fmt::format("the certificate {} (listeners: {}) {}; {} there and run systemctl reload sales-gateway",
                    shown.file, fmt::join(same->listeners, ", "), doubt.words,
                    doubt.since ? "put a new one" : "else put one that is valid now");
}

// Says what to do when a caller refuses the certificate, by what the caller said: see Stream::refusal_of_certificate().
std::string_view advice(std::string_view why) {
    if (why.ends_with("(certificate_expired)"))
        return "put a new certificate there, unless that caller's clock is wrong";
    if (why.ends_with("(bad_certificate)"))
        return "have that caller use a name that the certificate has, and see whether its clock is right; else put a "
               "new certificate there";
    if (why.ends_with("(certificate_unknown)"))
        return "have that caller trust it, or its authority, and use a name that the certificate has, and see whether "
               "its clock is right";
    if (why.ends_with("(certificate_revoked)")) return "put a new certificate there";
    if (why.ends_with("(unsupported_certificate)")) return "put a new certificate there, with a key of another kind";
    return "have that caller trust it, or its authority";
}

void add_refusals(std::vector<CertificateTrouble>& troubles, const std::string& listener,
                  const ShownCertificate& shown) {
    if (shown.refused_at->wall() < shown.validity.begins_at) return;  // it was not valid yet, which is reason enough
    troubles.push_back({.kind = TroubleKind::refused,
                        .file = shown.file,
                        .listeners = {listener},
                        .since = shown.refused_since.value_or(*shown.refused_at).wall(),
                        .validity = shown.validity,
                        .words = shown.refused_why,
                        .sentence = fmt::format("the certificate {} (listener: {}) was refused by callers ({} in all), "
                                                "lastly by {} at {}: {}; {}. This is said for an hour after the last "
                                                "refusal",
                                                shown.file, listener, shown.refused, shown.refused_by,
                                                to_local_text(shown.refused_at->wall()), shown.refused_why,
                                                advice(shown.refused_why))});
}

}  // namespace

std::string_view to_string(CertificateTrouble::Kind kind) {
    switch (kind) {
        case TroubleKind::refused: return "refused";
        case TroubleKind::ends: return "ends";
        case TroubleKind::not_accepted: break;
    }
    return "not_accepted";
}

std::vector<CertificateTrouble> CertificateWatch::troubles() const {
    const auto now = clock_.wall();
    std::vector<CertificateTrouble> troubles;
    for (const auto& [listener, shown] : shown_()) {
        if (const auto doubt = doubt_about(shown.validity, now)) add_doubt(troubles, listener, shown, *doubt);
        if (shown.refused_at && shown.refused_at->ago() < ShownCertificate::refusals_count_for)
            add_refusals(troubles, listener, shown);
    }
    return troubles;
}

void CertificateWatch::look() {
    const auto now = clock_.now();
    const auto before = std::exchange(said_, {});
    for (auto& trouble : troubles()) {
        if (trouble.kind == TroubleKind::refused) continue;
        const bool ends = trouble.kind == TroubleKind::ends;
        const bool is_to_come = clock_.wall() < trouble.validity.begins_at;
        const auto said = std::ranges::find_if(before, [&](const Said& one) {
            const auto& about = one.about;
            return about.file == trouble.file && about.validity == trouble.validity && about.kind == trouble.kind &&
                   one.is_to_come == is_to_come;
        });
        const bool due =
            said == before.end() || now - said->at >= (ends ? say_again_that_it_ends : say_again_that_it_ended);
        if (due)
            log_.write(ends ? LogLevel::warn : LogLevel::error, ends ? "certificate.ends" : "certificate.not_accepted",
                       "the certificate {file} {detail}", {{"file", trouble.file}, {"detail", trouble.words}});
        said_.push_back({.about = std::move(trouble), .is_to_come = is_to_come, .at = due ? now : said->at});
    }
    std::vector<std::string_view> told;
    for (const auto& said : before) {
        const std::string_view file = said.about.file;
        const auto is_of_file = [&](const Said& other) { return other.about.file == file; };
        if (std::ranges::any_of(said_, is_of_file) || std::ranges::find(told, file) != told.end()) continue;
        told.push_back(file);
        say_what_is_over(said);
    }
}

// Says that nothing is wrong any more with what callers are shown from this file.
void CertificateWatch::say_what_is_over(const Said& said) const {
    const auto& about = said.about;
    const auto all = shown_();
    const auto is_of_file = [&](const auto& one) { return one.second.file == about.file; };
    const auto now_shown = std::ranges::find_if(all, is_of_file);
    if (now_shown == all.end())
        return log_.warn("certificate.renewed", "callers are no longer shown the certificate {file}",
                         {{"file", about.file}});
    const auto validity = now_shown->second.validity;
    if (validity == about.validity)
        log_.warn("certificate.valid", "by the clock of this machine, the certificate {file} is valid until {endsAt}",
                  {{"file", about.file}, {"endsAt", validity.ends_at}});
    else
        log_.warn("certificate.renewed",
                  "the certificate {file} was replaced: callers are shown one that is valid until {endsAt}",
                  {{"file", about.file}, {"endsAt", validity.ends_at}});
}

boost::asio::awaitable<void> CertificateWatch::keep_looking() {
    while (true) {
        look();
        co_await clock_.sleep_until(next_beat(clock_.now(), look_every));
    }
}

}  // namespace gateway::http
