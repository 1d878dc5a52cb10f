#include "simulation/disks.hpp"

#include "simulation/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

namespace gateway::simulation {
namespace {

constexpr std::array promised_blocks{std::size_t{512}, padded_block_bytes};
constexpr std::size_t unpromised_block = 16'384;
// Images are taken from at least so many days. Every second one has a log that is several times as long, so that what
// is wrong in it is not soon moved into the database.
constexpr std::uint64_t days_least = 2;
constexpr std::int64_t times_as_long = 4;
// There is one image that is not promised for so many that are.
constexpr std::uint64_t promised_for_one = 20;

// Where at most so many blocks were not flushed, every subset of them is tried, and every way to tear one of them.
constexpr std::size_t all_subsets_most = 6;
// Where more were not flushed, so many images are made by chance, and so many of each kind with one exception.
constexpr std::size_t chosen = 24;
// After a kill, the power is cut after each of the first messages, and before some of the first changes.
constexpr std::uint64_t messages_after_kill = 6;
constexpr std::uint64_t changes_after_kill = 40;
constexpr std::size_t cuts_after_kill = 6;
// After a flush that failed, the power is cut before some of the next changes, and the process killed before others.
constexpr std::array<std::uint64_t, 12> cuts_after_failure{1, 2, 3, 5, 8, 12, 16, 21, 27, 34, 42, 60};
constexpr std::array<std::uint64_t, 4> kills_after_failure{1, 4, 12, 30};
constexpr std::uint64_t messages_after_both = 4;

// This is one change of the disk, as it was recorded.
struct Change {
    bool is_flush = false;
    std::size_t unflushed = 0;  // how many blocks and other changes a power cut before it would decide about
};

// A day of eighteen sales of all families, sold at once and held, of which some answers are lost. Its midnight is among
// them; the day before is closed, and a statement of it read. A program reads as a backup does, and the gateway is
// stopped in order and started again.
Setup day_of(std::uint64_t seed) {
    using std::chrono::seconds;
    Chance chance(seed, 20);
    Setup setup;
    setup.seed = seed;
    setup.faults_end = seconds(150);
    setup.beginning = WallTime(std::chrono::sys_days(std::chrono::year(2024) / 5 / 3)) + std::chrono::hours(3) -
                      std::chrono::milliseconds(45'000);
    setup.request_timeout = seconds(3);
    setup.rules.hold = setup.rules.confirm_window = seconds(20);
    setup.rules.attention_after = seconds(60);
    setup.empty_disk = chance.one_in(2);
    if (seed % days_least != 0) setup.log_bytes *= times_as_long;
    setup.health_cancel_path = setup.provider.health_cancel_path = "/venda/{health}/cancelar";
    if (chance.one_in(2)) setup.status_path = setup.provider.status_path = "/venda/transacao/{idExterno}";
    std::vector<std::pair<Family, std::optional<Wish>>> wanted;
    for (const auto family : all_families) {
        wanted.insert(wanted.end(), family == Family::esim ? 2 : 1, {family, std::nullopt});
        if (family != Family::esim)
            for (const auto wish : {Wish::confirm, Wish::cancel, Wish::forget})
                wanted.emplace_back(family, wish);
    }
    for (std::size_t number = 0; !wanted.empty(); ++number) {
        const auto next = wanted.begin() + static_cast<std::ptrdiff_t>(chance.below(wanted.size()));
        const auto [family, wish] = *next;
        wanted.erase(next);
        auto plan = make_plan(number, family, wish.has_value(), chance.one_in(2));
        plan.wish = wish.value_or(Wish::confirm);
        plan.terminal = fmt::format("caixa-{:02}", 1 + chance.below(3));
        plan.start = seconds(1 + 4 * static_cast<int>(number)) + Duration(chance.between(0, 4'000));
        plan.cancels_first = chance.one_in(10);
        setup.plans.push_back(std::move(plan));
    }
    setup.crashes.push_back({.kind = Crash::Kind::stop, .at = seconds(35)});
    setup.visits = {.deeds = {Deed::read}, .at = {seconds(25), seconds(60)}};
    setup.books.evening = setup.books.settle = true;
    setup.books.closings = {{.at = seconds(50), .days_back = 1, .tills = 2}};
    setup.books.statements_at = {seconds(70)};
    return setup;
}

Mix mix_of_day() {
    return {.permille = 150,
            .kinds = {Fault::answer_lost, Fault::request_lost, Fault::late, Fault::error_after},
            .latency_most = Duration(50),
            .late_most = Duration(10'000)};
}

std::vector<Change> recorded(std::uint64_t seed, std::size_t block_bytes) {
    Chance chance(seed, 12);
    RandomDealer dealer(mix_of_day(), chance);
    auto setup = day_of(seed);
    setup.block_bytes = block_bytes;
    Statistics statistics;
    World world(std::move(setup), dealer, statistics, {});
    std::vector<Change> changes;
    world.disk().watch = [&](bool is_flush) {
        if (world.faults()) changes.push_back({is_flush, world.unflushed()});
    };
    (void)world.run();
    return changes;
}

// Takes at most so many of the numbers below `count`, by chance where there are more.
template <class Take>
void some_below(std::size_t count, std::size_t most, Chance& chance, Take take) {
    for (std::size_t i = 0; i < std::min(count, most); ++i)
        take(count <= most ? i : chance.below(count));
}

// Returns what may be left of so many blocks.
std::vector<std::string> fates_of(std::size_t count, Chance& chance) {
    constexpr char is_new = 'n';
    constexpr char is_old = 'o';
    if (count == 0) return {Fates::all_old};
    std::vector<std::string> all;
    const auto all_but_one = [&](char others, std::size_t at, char one) {
        all.emplace_back(count, others).at(at) = one;
    };
    if (count <= all_subsets_most) {
        for (std::size_t subset = 0; subset < std::size_t{1} << count; ++subset) {
            auto& fates = all.emplace_back(count, is_old);
            for (std::size_t i = 0; i < count; ++i)
                if ((subset >> i & 1U) != 0) fates.at(i) = is_new;
        }
    } else {
        all.emplace_back(count, is_new);
        all.emplace_back(count, is_old);
        some_below(count, chosen, chance, [&](std::size_t i) { all_but_one(is_new, i, is_old); });
        some_below(count, chosen, chance, [&](std::size_t i) { all_but_one(is_old, i, is_new); });
    }
    const auto ways = 2 * torn_fates.size();
    const auto torn_most = std::max(chosen, all_subsets_most * ways);
    some_below(count * ways, torn_most, chance, [&](std::size_t i) {
        all_but_one(i % 2 == 0 ? is_new : is_old, i / ways, static_cast<char>(torn_fates.at(i % ways / 2)));
    });
    constexpr std::string_view letters = "noznorfs";
    for (std::size_t i = 0; count > 1 && i < chosen; ++i)
        for (auto& letter : all.emplace_back(count, is_old))
            letter = letters.at(chance.below(letters.size()));
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void add_cuts(std::vector<Image>& all, const Image& day, std::span<const Change> changes, Chance& chance) {
    for (std::uint64_t nth = 1; nth <= changes.size(); ++nth)
        for (auto& fates : fates_of(changes[nth - 1].unflushed, chance)) {
            auto image = day;
            image.nth = nth;
            image.fates = std::move(fates);
            all.push_back(std::move(image));
        }
}

// What the gateway tells and sends after the kill rests on blocks that may not be flushed, of which nothing is left
// then.
void add_kills(std::vector<Image>& all, const Image& day, std::span<const Change> changes, Chance& chance) {
    for (std::uint64_t killed = 1; killed <= changes.size(); ++killed) {
        auto image = day;
        image.killed = killed;
        image.cut = Crash::Kind::at_message;
        for (image.nth = 1; image.nth <= messages_after_kill; ++image.nth)
            all.push_back(image);
        image.cut = Crash::Kind::at_write;
        image.fates = Fates::by_chance;
        for (std::size_t i = 0; i < cuts_after_kill; ++i) {
            image.nth = 1 + chance.below(changes_after_kill);
            all.push_back(image);
        }
    }
}

void add_failures(std::vector<Image>& all, const Image& day, std::span<const Change> changes) {
    for (std::uint64_t nth = 1; nth <= changes.size(); ++nth) {
        if (!changes[nth - 1].is_flush) continue;
        auto image = day;
        image.failed_flush = nth;
        for (const bool forgetful : {false, true}) {
            image.forgetful = forgetful;
            image.killed = 0;
            image.cut = Crash::Kind::at_write;
            for (const auto* fates : {Fates::all_old, Fates::by_chance})
                for (const auto after : cuts_after_failure) {
                    image.nth = nth + after;
                    image.fates = fates;
                    all.push_back(image);
                }
            image.cut = Crash::Kind::at_message;
            image.fates = Fates::all_old;
            for (const auto after : kills_after_failure) {
                image.killed = nth + after;
                for (image.nth = 1; image.nth <= messages_after_both; ++image.nth)
                    all.push_back(image);
            }
        }
    }
}

// Returns all images of a day, of which `kind` says how they come about.
std::vector<Image> images_of_day(std::uint64_t seed, std::size_t block_bytes, ImageKind kind) {
    const auto changes = recorded(seed, block_bytes);
    Chance chance(seed, 21);
    const Image day{.seed = seed, .block_bytes = block_bytes};
    std::vector<Image> all;
    switch (kind) {
        case ImageKind::cut:
        case ImageKind::unpromised: add_cuts(all, day, changes, chance); break;
        case ImageKind::killed_before: add_kills(all, day, changes, chance); break;
        case ImageKind::flush_failed: add_failures(all, day, changes); break;
    }
    return all;
}

// Adds so many of the images of this kind, at even distances from all of two days, or of as many days as that takes.
void take_evenly(std::vector<Image>& taken, std::uint64_t wanted, std::uint64_t seed,
                 std::span<const std::size_t> blocks, ImageKind kind) {
    std::vector<Image> all;
    for (auto day = seed; day < seed + days_least || all.size() < wanted; ++day)
        for (const auto block_bytes : blocks)
            std::ranges::move(images_of_day(day, block_bytes, kind), std::back_inserter(all));
    for (std::uint64_t i = 0; i < wanted; ++i)
        taken.push_back(all[i * all.size() / wanted]);
}

constexpr std::string_view word_of(Crash::Kind cut) {
    return cut == Crash::Kind::at_message ? "message" : "change";
}

}  // namespace

std::string to_string(const Image& image) {
    return fmt::format("{}:{}:{}:{}:{}:{}:{}:{}", image.seed, image.block_bytes, image.failed_flush,
                       image.forgetful ? 1 : 0, image.killed, word_of(image.cut), image.nth, image.fates);
}

std::optional<Image> parse_image(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const auto end = std::min(text.find(':', from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    if (parts.size() != 8 || parts.back().empty()) return std::nullopt;
    const auto number = [&](std::size_t i) {
        std::uint64_t value = 0;
        std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), value);
        return value;
    };
    return Image{.seed = number(0),
                 .block_bytes = number(1),
                 .failed_flush = number(2),
                 .forgetful = number(3) == 1,
                 .killed = number(4),
                 .cut = parts[5] == word_of(Crash::Kind::at_message) ? Crash::Kind::at_message : Crash::Kind::at_write,
                 .nth = number(6),
                 .fates = parts[7]};
}

bool is_promised(const Image& image) {
    return image.block_bytes <= padded_block_bytes;
}

ImageKind kind_of(const Image& image) {
    if (!is_promised(image)) return ImageKind::unpromised;
    if (image.failed_flush > 0) return ImageKind::flush_failed;
    return image.killed > 0 ? ImageKind::killed_before : ImageKind::cut;
}

Judged judge(const Image& image, Statistics& statistics, const Trace& trace) {
    Chance chance(image.seed, 12);
    RandomDealer dealer(mix_of_day(), chance);
    auto setup = day_of(image.seed);
    setup.block_bytes = image.block_bytes;
    setup.fails_first = image.failed_flush;
    setup.forgetful_disk = image.forgetful;
    const Crash cut{.kind = image.cut, .at = {}, .nth = image.nth, .fates = image.fates, .down = Duration(500)};
    if (image.killed > 0)
        setup.crashes.push_back({.kind = Crash::Kind::at_write,
                                 .at = {},
                                 .nth = image.killed,
                                 .killed = true,
                                 .down = Duration(500),
                                 .then = {cut}});
    else
        setup.crashes.push_back(cut);
    const auto cuts = [&] {
        return statistics.of(Event::crash_at_handler) + statistics.of(Event::crash_at_write) -
               statistics.of(Event::killed);
    };
    const auto before = cuts();
    World world(std::move(setup), dealer, statistics, trace);
    Judged judged{.broken = world.run()};
    judged.met = cuts() > before;
    return judged;
}

std::vector<Image> images(std::uint64_t wanted, std::uint64_t seed) {
    std::vector<Image> taken;
    const auto otherwise = wanted / 4;
    take_evenly(taken, otherwise, seed, promised_blocks, ImageKind::killed_before);
    take_evenly(taken, otherwise, seed, promised_blocks, ImageKind::flush_failed);
    take_evenly(taken, wanted - 2 * otherwise, seed, promised_blocks, ImageKind::cut);
    take_evenly(taken, wanted / promised_for_one, seed, std::array{unpromised_block}, ImageKind::unpromised);
    Chance chance(seed, 22);
    for (auto left = taken.size(); left > 1; --left)
        std::swap(taken[left - 1], taken[chance.below(left)]);
    return taken;
}

}  // namespace gateway::simulation
