#include "flow/host_check.hpp"

#include "base/in_words.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

constexpr Duration host_look_every{5'000};
constexpr Duration ask_journal_every{60'000};
constexpr Duration ask_pace_every{3'600'000};
// Smaller differences harm nobody: those between several gateways, and those of a clock that is being set right.
constexpr Duration most_apart{60'000};
// An HTTP date is cut to the second.
constexpr Duration date_resolution{1'000};
// This many records are looked at, because the row of the newest one may be unreadable.
constexpr std::size_t newest_sales = 5;

Duration length(Instant from, Instant to) {
    return std::chrono::duration_cast<Duration>(to - from);
}

}  // namespace

bool HostCheck::Bounds::are_apart() const noexcept {
    return least > most_apart || most < -most_apart;
}

// By the steady clock, the provider's clock has advanced since then by as much as this machine's.
HostCheck::Bounds HostCheck::ahead(const Reply::Dated& told) const {
    const auto wall = clock_.wall();
    const auto now = clock_.now();
    return {.least = wall - (told.date + date_resolution + length(told.asked, now)),
            .most = wall - (told.date + length(told.answered, now))};
}

void HostCheck::hear(const Reply& reply) {
    if (!reply.dated) return;
    const bool is_apart = ahead(*reply.dated).are_apart();
    const bool is_believed = heard_ || !is_apart ? is_apart == is_apart_ : false;
    if (!is_believed && !std::exchange(is_contradicted_, true)) return;
    is_contradicted_ = false;
    is_apart_ = is_apart;
    heard_ = reply.dated;
    look();
}

std::optional<Duration> HostCheck::ahead_of_provider() const {
    if (!heard_) return std::nullopt;
    const auto bounds = ahead(*heard_);
    // One of the two clocks was set, or the machine was asleep; only another answer can tell which.
    if (bounds.are_apart() && !is_apart_) return std::nullopt;
    return std::chrono::round<std::chrono::seconds>((bounds.least + bounds.most) / 2);
}

std::optional<WallTime> HostCheck::newest_record() const {
    return std::max(newest_found_, metrics_.newest_record);  // nothing is less than any time
}

std::optional<Duration> HostCheck::behind_journal() const {
    const auto newest = newest_record();
    if (!newest) return std::nullopt;
    return std::max(*newest - clock_.wall(), Duration(0));
}

bool HostCheck::is_apart_from_provider() const {
    return is_apart_ && ahead(*heard_).are_apart();
}

HostCheck::Trouble HostCheck::clock_trouble() const {
    constexpr std::string_view to_do = "Have it set by a time server (NTP)";
    const auto behind = behind_journal().value_or(Duration(0));
    const auto record = behind > most_apart ? to_local_text(*newest_record()) : std::string();
    if (is_apart_from_provider()) {
        const auto ahead = *ahead_of_provider();
        const auto also = record.empty() ? std::string()
                                         : fmt::format(", and {} behind the journal's newest record, which is of {}",
                                                       duration_in_words(behind), record);
        const auto where = ahead > Duration(0) ? std::string_view("ahead of") : "behind";
        const auto by = duration_in_words(std::chrono::abs(ahead));
        const auto apart = ahead > Duration(0) ? fmt::format("this machine's clock is {} ahead of the provider's", by)
                                               : fmt::format("this machine's clock is {} behind the provider's", by);
        return {where, fmt::format("{}{}: sales get its time, and days are closed by it. {}", apart, also, to_do)};
    }
    if (record.empty()) return {};
    if (ahead_of_provider())
        return {"right now",
                fmt::format("the journal's newest record is of {}, {} ahead of this machine's clock, which agrees with "
                            "the provider's: a clock was wrong when it was written, this one or another gateway's",
                            record, duration_in_words(behind))};
    return {"behind",
            fmt::format("this machine's clock is {} behind the journal's newest record, which is of {}: it is "
                        "wrong now, or was when that was written. {}",
                        duration_in_words(behind), record, to_do)};
}

HostCheck::Trouble HostCheck::disk_trouble() const {
    const auto room = disk();
    if (!room) return {};
    if (room->lacks_bytes()) {
        const bool is_full = room->free_bytes == 0;
        const auto sales = fmt::format(", and {}sales are taken only as long as the journal's log has room in itself",
                                       is_full ? "" : "once it is full, ");
        return {"room", fmt::format("the journal's disk is {}{}: {}. Make room on it", is_full ? "full" : "nearly full",
                                    journal_.healthy() ? sales : std::string(),  // otherwise no sale is taken
                                    in_words(*room))};
    }
    if (!room->lacks_inodes()) return {};
    return {"inodes",
            fmt::format("the journal's disk has too few inodes: {} are free in {}, and a start of the gateway "
                        "and a backup make up to {} files. Remove files from it",
                        *room->free_inodes, room->folder, DiskRoom::needed_inodes)};
}

bool HostCheck::clock_was_set() {
    const auto set = clock_.wall().time_since_epoch() - clock_.now().time_since_epoch();
    const auto before = std::exchange(clock_set_to_, std::chrono::duration_cast<Duration>(set));
    return before && std::chrono::abs(*clock_set_to_ - *before) > most_apart;
}

const HostCheck::Concern* HostCheck::concern(std::string_view what) const {
    const auto found = std::ranges::find(concerns_, what, &Concern::what);
    return found != concerns_.end() ? &*found : nullptr;
}

HostCheck::News HostCheck::take(std::string_view what, Trouble trouble, bool is_anew) {
    const auto known = std::ranges::find(concerns_, what, &Concern::what);
    if (trouble.sentence.empty()) {
        if (known == concerns_.end()) return News::none;
        concerns_.erase(known);
        return News::ended;
    }
    if (known == concerns_.end()) {
        concerns_.push_back(
            {.what = what, .kind = trouble.kind, .since = RunMoment(clock_), .sentence = std::move(trouble.sentence)});
        return News::begun;
    }
    const bool is_another = is_anew || known->kind != trouble.kind;
    if (is_another) known->since = RunMoment(clock_);
    known->kind = trouble.kind;
    known->sentence = std::move(trouble.sentence);
    return is_another ? News::begun : News::none;
}

void HostCheck::look() {
    const auto of_clock = take("clock", clock_trouble(), clock_was_set());
    if (of_clock == News::begun) log_.warn("clock.wrong", "{detail}", {{"detail", concern("clock")->sentence}});
    if (of_clock == News::ended)
        log_.warn("clock.right", "{detail}",
                  {{"detail", ahead_of_provider()
                                  ? "this machine's clock agrees again with the provider's and with the journal"
                                  : "this machine's clock agrees again with the journal; with the provider's it is "
                                    "compared at the next answer"}});
    const auto of_disk = take("disk", disk_trouble());
    if (of_disk == News::begun) log_.warn("journal.room_low", "{detail}", {{"detail", concern("disk")->sentence}});
    if (of_disk == News::ended) log_.warn("journal.room_made", "the journal's disk has room again");
}

boost::asio::awaitable<void> HostCheck::ask_journal() {
    const SaleFilter filter{.limit = newest_sales};
    const auto newest = co_await journal_.list(filter);
    if (newest.has_value())
        for (const auto& sale : newest->sales)
            newest_found_ = std::max(newest_found_.value_or(sale.updated_at), sale.updated_at);
    if (asked_pace_at_ && clock_.now() < *asked_pace_at_ + ask_pace_every) co_return;
    asked_pace_at_ = clock_.now();
    (void)co_await journal_.learn_pace();
}

boost::asio::awaitable<bool> HostCheck::look_around() {
    co_await ask_journal();
    look();
    co_return concerns_.empty();
}

boost::asio::awaitable<void> HostCheck::keep_looking() {
    for (auto ask_at = clock_.now() + ask_journal_every;;) {
        if (clock_.now() >= ask_at) {
            co_await ask_journal();
            ask_at = clock_.now() + ask_journal_every;
        }
        look();
        co_await clock_.sleep_until(next_beat(clock_.now(), host_look_every));
    }
}

}  // namespace gateway
