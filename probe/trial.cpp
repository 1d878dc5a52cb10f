#include "probe/trial.hpp"

#include "probe/answer_words.hpp"
#include "probe/reply_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;

// A provider that says no to an idExterno of letters may still take one of digits: a second request tells.
awaitable<Shot> ask_with_digits(Setting& setting, const Goods& goods, Deal& deal) {
    setting.bench.use_digits();
    deal = setting.bench.deal(goods);
    auto sending = setting.bench.solicitar(deal);
    co_return co_await std::move(sending);
}

}  // namespace

void Found::answer(std::string_view point, std::string_view value, const Reply& reply) {
    answer(point, value, in_portuguese(reply));
    readings_.back().heard = said(reply);
}

void Found::leave(std::string_view point, const Reply& reply) {
    leave(point, in_portuguese(reply));
    readings_.back().heard = said(reply);
}

void Found::leave_all(const std::vector<std::string_view>& points, const Reply& reply) {
    for (const auto point : points)
        leave(point, reply);
}

void Found::tried(std::string_view point, std::vector<std::string> candidates) {
    const auto latest = std::find_if(readings_.rbegin(), readings_.rend(),
                                     [&](const Reading& reading) { return reading.point == point; });
    if (latest != readings_.rend()) latest->tried = std::move(candidates);
}

std::vector<Family> cancellable_families(const Setting& setting) {
    constexpr std::array by_preference{Family::egift, Family::transit, Family::tv, Family::health};
    std::vector<Family> families;
    for (const auto family : by_preference) {
        const auto& wanted = setting.wishes.families;
        if (!wanted.empty() && !wanted.contains(family)) continue;
        if (setting.goods.contains(family) || setting.no_goods.contains(family)) families.push_back(family);
    }
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

bool may_leave_open(const Setting& setting, Family family) {
    return family == Family::health && setting.wishes.may_stay_open && setting.goods.contains(family);
}

awaitable<std::optional<Deal>> authorise(Setting& setting, Found& found, Family family,
                                         std::vector<std::string_view> points) {
    auto& bench = setting.bench;
    const auto goods = setting.goods.find(family);
    if (goods == setting.goods.end()) {
        found.leave_all(points, why_not_authorised(setting, family));
        co_return std::nullopt;
    }
    auto deal = bench.deal(goods->second);
    auto sending = bench.solicitar(deal);
    auto shot = co_await std::move(sending);
    if (shot.is(Verdict::refused) && !bench.ever_authorised() && !bench.uses_digits()) {
        auto again = ask_with_digits(setting, goods->second, deal);
        shot = co_await std::move(again);
        if (!shot.is(Verdict::authorised)) bench.use_digits(false);
    }
    if (shot.is(Verdict::authorised)) {
        std::optional<Deal> authorised(std::move(deal));
        co_return authorised;
    }
    found.leave_all(points, "o solicitar não foi autorizado: " + in_portuguese(shot.reply));
    if (!shot.is(Verdict::refused)) co_await bench.take_back(deal);
    co_return std::nullopt;
}

}  // namespace gateway::probe
