// What a trial is: a sequence of exchanges that finds something out about one open point or a few. The trials of each
// level are in files of their own; which of them are made, and in which order, is the probe's business.
#pragma once

#include "probe/bench.hpp"
#include "probe/callback_desk.hpp"
#include "probe/notebook.hpp"
#include "probe/points.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::probe {

// What the command line asks for.
struct Wishes {
    Level level = Level::look;
    std::set<Family> families;  // none: all that are listed
    bool leave_open = false;
    bool may_stay_open = false;
    std::vector<std::string> health_paths;     // candidates for a cancel of health
    std::vector<std::string> status_paths;     // candidates, with {idExterno} or {idTransacao}
    std::vector<std::string> callback_fields;  // candidates besides the configured one
};

// What every trial works with.
struct Setting {
    Bench& bench;
    Notebook& book;
    const Wishes& wishes;
    CallbackDesk* desk = nullptr;  // nobody listens for callbacks where there is none
    std::map<Family, Goods> goods{};
    std::map<Family, std::string> no_goods{};  // why there are none, in Portuguese
    std::map<Family, OptionsQuestion> questions{};
    std::vector<std::pair<std::string, std::string>> samples{};  // of answers to value queries: a name, and the body
};

// What one trial has found out, which counts once it has come to its end.
class Found {
  public:
    explicit Found(std::optional<Family> family) : family_(family) {}

    void answer(std::string_view point, std::string_view value, std::string_view detail = {}) {
        readings_.push_back({.point = std::string(point),
                             .family = family_,
                             .answered = true,
                             .value = std::string(value),
                             .detail = std::string(detail)});
    }
    // With the answer that says so.
    void answer(std::string_view point, std::string_view value, const Reply& reply);
    void leave(std::string_view point, std::string_view why) {
        readings_.push_back({.point = std::string(point), .family = family_, .value = {}, .detail = std::string(why)});
    }
    // Since this answer does not tell.
    void leave(std::string_view point, const Reply& reply);
    // Other answers leave nothing to ask.
    void drop(std::string_view point, std::string_view why) {
        leave(point, why);
        readings_.back().applies = false;
    }
    void leave_all(const std::vector<std::string_view>& points, std::string_view why) {
        for (const auto point : points)
            leave(point, why);
    }
    void leave_all(const std::vector<std::string_view>& points, const Reply& reply);
    // The candidates that the latest reading of the point comes from.
    void tried(std::string_view point, std::vector<std::string> candidates);
    void fact(std::string_view name, std::string_view text) {
        facts_.push_back({std::string(name), std::string(text)});
    }

    const std::vector<Reading>& readings() const noexcept { return readings_; }
    const std::vector<Fact>& facts() const noexcept { return facts_; }

  private:
    const std::optional<Family> family_;
    std::vector<Reading> readings_;
    std::vector<Fact> facts_;
};

struct Trial {
    std::string title;  // in Portuguese
    Level level = Level::look;
    std::optional<Family> family;
    std::vector<std::string_view> points;  // that it reads
    std::function<boost::asio::awaitable<void>(Setting&, Found&)> run;
};

std::vector<Trial> look_trials();
// Which paths a health sale is cancelled by, before the other trials of that family.
std::vector<Trial> authorise_trials(const Setting& setting);
std::vector<Trial> identifier_trials(const Setting& setting);
std::vector<Trial> error_trials(const Setting& setting);
std::vector<Trial> status_trials(const Setting& setting);
std::vector<Trial> sell_trials(const Setting& setting);
std::vector<Trial> open_sale_trials(const Setting& setting);
std::vector<Trial> revisit_trials(const Setting& setting);

// --- what several of them ask ---

// The families of the wishes that have something to sell, and sales that can be cancelled; in the order of preference.
std::vector<Family> cancellable_families(const Setting& setting);
// Whether the address of a cancel in the family answers for sales at all, whatever it does.
bool cancel_is_answered(const Setting& setting, Family family);
// One whose sales are known to be cancelled by a cancel; nothing where there is none.
std::optional<Family> safe_family(const Setting& setting);
// Why nothing is authorised in the family, in Portuguese; empty where it may be.
std::string why_not_authorised(const Setting& setting, Family family);
// Whether a sale of the family may be authorised though no cancel of it is known: health, where it was allowed.
bool may_leave_open(const Setting& setting, Family family);
// An authorised sale. Where there is none the points are left, with what the provider said instead, and whatever may
// have been asked for is taken back.
boost::asio::awaitable<std::optional<Deal>> authorise(Setting& setting, Found& found, Family family,
                                                      std::vector<std::string_view> points);

}  // namespace gateway::probe
