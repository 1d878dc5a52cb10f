#include "probe/trial.hpp"

#include "probe/reply_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::probe {

Reply told(Reply reply) {
    if (!is_answered(reply)) throw Untold{in_portuguese(reply)};
    return reply;
}

void Found::answer(std::string_view point, std::string_view value, std::string_view detail) {
    readings_.push_back({.point = std::string(point),
                         .family = family_,
                         .answered = true,
                         .value = std::string(value),
                         .detail = std::string(detail)});
}

void Found::answer(std::string_view point, std::string_view value, const Reply& reply) {
    answer(point, value, in_portuguese(reply));
    readings_.back().heard = said(reply);
}

void Found::hear(std::string_view point, const Reply& reply, std::optional<Status> own) {
    if (is_about_the_sale(reply))
        answer(point, said(reply, own), reply);
    else
        leave(point, in_portuguese(reply));
}

void Found::leave(std::string_view point, std::string_view why) {
    readings_.push_back({.point = std::string(point), .family = family_, .value = {}, .detail = std::string(why)});
}

void Found::drop(std::string_view point, std::string_view why) {
    leave(point, why);
    readings_.back().applies = false;
}

void Found::tried(std::string_view point, std::vector<std::string> candidates) {
    const auto latest = std::find_if(readings_.rbegin(), readings_.rend(),
                                     [&](const Reading& reading) { return reading.point == point; });
    if (latest != readings_.rend()) latest->tried = std::move(candidates);
}

void Found::read(const PointNames& points, const std::function<void()>& part) {
    try {
        part();
    } catch (const Untold& untold) {
        for (const auto point : points)
            if (std::ranges::find(readings_, point, &Reading::point) == readings_.end()) leave(point, untold.why);
    }
}

std::vector<Family> cancellable_families(const Setting& setting) {
    constexpr std::array preferred{Family::egift, Family::transit, Family::tv};
    std::vector<Family> families(preferred.begin(), preferred.end());
    for (const auto family : all_families)
        if (!is_by_callback(family) && std::ranges::find(preferred, family) == preferred.end())
            families.push_back(family);
    std::erase_if(families, [&](Family family) {
        return !setting.arguments.wants(family) ||
               (!setting.goods.contains(family) && !setting.no_goods.contains(family));
    });
    return families;
}

bool cancel_is_answered(const Setting& setting, Family family) {
    const auto effect = setting.book.value("cancel-effect", family);
    return effect == "cancels" || effect == "stays-autorizada";
}

std::optional<Family> safe_family(const Setting& setting) {
    for (const auto family : cancellable_families(setting))
        if (setting.goods.contains(family) && setting.book.value("cancel-effect", family) == "cancels") return family;
    return std::nullopt;
}

std::string why_not_authorised(const Setting& setting, Family family) {
    if (const auto none = setting.no_goods.find(family); none != setting.no_goods.end()) return none->second;
    if (!setting.goods.contains(family)) return "a família não está em [[products]]";
    if (!setting.bench.can_cancel(family)) return "não se conhece como cancelar esta família";
    const auto effect = setting.book.value("cancel-effect", family);
    if (effect.empty()) return "não se sabe ainda se o cancelar funciona nesta família";
    if (effect != "cancels")
        return fmt::format("o cancelar não cancela nesta família ({}): nada mais foi autorizado",
                           answer_in_portuguese("cancel-effect", effect));
    return {};
}

void require_authorising(const Setting& setting, Family family) {
    if (const auto why = why_not_authorised(setting, family); !why.empty()) throw Untold{why};
}

bool may_leave_open(const Setting& setting, Family family) {
    return family == Family::health && setting.arguments.may_stay_open && setting.goods.contains(family);
}

Deal authorise(Setting& setting, Family family) {
    auto& bench = setting.bench;
    const auto goods = setting.goods.find(family);
    if (goods == setting.goods.end()) throw Untold{why_not_authorised(setting, family)};
    auto deal = bench.deal(goods->second);
    auto shot = bench.solicitar(deal);
    // A provider that says no to an idExterno of letters may still take one of digits: a second request tells.
    if (shot.is(Verdict::refused) && !bench.ever_authorised() && !bench.uses_digits()) {
        bench.use_digits();
        deal = bench.deal(goods->second);
        shot = bench.solicitar(deal);
        if (!shot.is(Verdict::authorised)) bench.use_digits(false);
    }
    if (shot.is(Verdict::authorised)) return deal;
    if (!shot.is(Verdict::refused)) bench.take_back(deal);
    throw Untold{"o solicitar não foi autorizado: " + in_portuguese(shot.reply)};
}

std::vector<std::string> candidates_of(const std::string& configured, const std::vector<std::string>& wished) {
    std::vector<std::string> candidates{configured};
    candidates.insert(candidates.end(), wished.begin(), wished.end());
    std::erase(candidates, "");
    for (auto one = candidates.begin(); one != candidates.end(); ++one)
        candidates.erase(std::remove(one + 1, candidates.end(), *one), candidates.end());
    return candidates;
}

}  // namespace gateway::probe
