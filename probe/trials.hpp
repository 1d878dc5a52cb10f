// A trial is a sequence of exchanges that finds something out about one open point or a few. All of them are rows of
// one table, in the order in which they are made.
#pragma once

#include "base/log.hpp"
#include "probe/bench.hpp"
#include "probe/notebook.hpp"
#include "probe/peer_look.hpp"
#include "probe/points.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::probe {

// Holds what the command line asks for.
struct Arguments {
    Level level = Level::look;
    std::set<Family> families;  // none: all that are listed
    bool leave_open = false;
    bool may_stay_open = false;
    std::vector<std::string> health_paths;     // candidates for a cancel of health
    std::vector<std::string> status_paths;     // candidates, with {idExterno} or {idTransacao}
    std::vector<std::string> callback_fields;  // candidates besides the configured one

    bool wants(Family family) const { return families.empty() || families.contains(family); }
};

// Keeps what the program's parts say, line by line, for the trial that they say it in. No secret is in a line to begin
// with; what a mask knows is taken out all the same.
class TrialLog final : public Log {
  public:
    // Both references must outlive the log.
    TrialLog(const Clock& clock, const Mask& mask) : clock_(clock), mask_(mask) { set_level(LogLevel::debug); }

    // Returns what was said since the last call: the first lines, `most_lines` of them at most.
    std::vector<std::string> take() { return std::exchange(lines_, {}); }

    // The hundreds of exchanges of one trial have fewer.
    static constexpr std::size_t most_lines = 2000;

  private:
    void line(const LogLine& line) override {
        if (lines_.size() >= most_lines) return;
        std::string text;
        append_log_line(text, LogFormat::json, clock_.wall(), line);
        lines_.push_back(mask_.text(text));
    }

    const Clock& clock_;
    const Mask& mask_;
    std::vector<std::string> lines_;
};

struct CallbackSeen {
    std::string secret;
    bool recharge = false;  // it came to the address for the recharge
    std::string body;
    Instant at{};
    int answered = 0;    // HTTP
    bool first = false;  // of those that are answered in a way to be repeated
};

// Takes the callbacks of the sales that a probe makes, and answers the first of each sale in a way that shows how the
// provider repeats them: 503 a few times, then 204, then 200. Every other one is answered 200 at once.
//
// The other one is that of the recharge. It comes to an address of its own, or says something else of the recharge
// (situacaoRecarga) than the first: the rest of a body may differ from one try to the next, by its time for instance.
class CallbackReceiver {
  public:
    // So many answers are errors, before one is a success that is not 200.
    static constexpr int refusals = 3;

    explicit CallbackReceiver(const Clock& clock) : clock_(clock) {}

    // Returns the HTTP status that it is answered with; 404 where nobody expects it.
    int take(std::string_view secret, bool recharge, std::string_view body);
    void expect(const std::string& secret) { expected_.insert(secret); }

    const std::vector<CallbackSeen>& seen() const noexcept { return seen_; }

  private:
    const Clock& clock_;
    std::set<std::string> expected_;
    std::map<std::string, std::string> first_word_;  // by secret: what the first one says of the recharge
    std::map<std::string, int> tries_;               // of the first
    std::vector<CallbackSeen> seen_;
};

// Holds what every trial works with. Every reference must outlive it.
struct Setting {
    Bench& bench;
    Notebook& book;
    Mask& mask;
    TrialLog& log;
    const Config& config;
    const Arguments& arguments;
    Customer customer{};
    CallbackReceiver* receiver = nullptr;     // nobody listens for callbacks where there is none
    std::vector<Peer> peers{};                // whose connections are looked at; none where a proxy stands between
    std::function<std::uint64_t()> opened{};  // how many connections to the provider there were
    std::string statement{};                  // of the provider's, to look at its format; empty where none was given
    // Says a line to the people who wait, in Portuguese.
    std::function<void(const std::string& line)> say;
    // Shows the title of the trial that begins to the people who watch.
    std::function<void(const std::string& title)> begins;
    // Keeps the masked answer to a value query under this name.
    std::function<void(const std::string& name, const std::string& text)> keep_sample;
    // These tell what can be sold, or in Portuguese why not, and which value queries were answered.
    std::map<Family, Goods> goods{};
    std::map<Family, std::string> no_goods{};
    std::map<Family, OptionsQuestion> questions{};
    std::vector<std::string> samples{};  // of these names
};

// Ends a trial, or a part of it: what it has not read by then is left without an answer, for this reason.
struct Untold {
    std::string why;  // in Portuguese
};
// Returns the reply where it is an answer, and throws Untold where it is none.
Reply told(Reply reply);

using PointNames = std::vector<std::string_view>;

// Holds what one trial has found out, which counts once it has come to its end.
class Found {
  public:
    explicit Found(std::optional<Family> family) : family_(family) {}

    void answer(std::string_view point, std::string_view value, std::string_view detail = {});
    // The reply is the answer that says so.
    void answer(std::string_view point, std::string_view value, const Reply& reply);
    // The point is what an answer says of a sale, which has this status: see said(). What is no answer, or none to the
    // question, says nothing.
    void hear(std::string_view point, const Reply& reply, std::optional<Status> own = std::nullopt);
    void leave(std::string_view point, std::string_view why);
    // Notes that other answers leave nothing to ask about the point.
    void drop(std::string_view point, std::string_view why);
    // Adds to the latest reading of the point the candidates that it comes from.
    void tried(std::string_view point, std::vector<std::string> candidates);
    void fact(std::string_view name, std::string_view text) {
        facts_.push_back({std::string(name), std::string(text)});
    }
    // Runs a part of the trial. Where it throws Untold, those of the points are left that have no reading yet.
    void read(const PointNames& points, const std::function<void()>& part);

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
    std::optional<Family> family;  // whose readings it makes; nothing where they are of none
    PointNames points;             // that it reads
    std::function<void(Setting&, Found&)> run;
};

// Returns the trial that comes before all others: without a token nothing can be asked.
Trial first_trial();
// Returns all trials in their order. It must be known what can be sold.
std::vector<Trial> trials(const Setting& setting);
// Returns the trials that ask what became of sales that were left open.
std::vector<Trial> revisit_trials(const Setting& setting);

// --- what several of them ask ---

// Returns the families of the arguments that have something to sell, and sales that can be cancelled, in the order of
// preference.
std::vector<Family> cancellable_families(const Setting& setting);
// Tells whether the address of a cancel in the family answers for sales at all, whatever that cancel does.
bool cancel_is_answered(const Setting& setting, Family family);
// Returns a family of which it is known that a cancel cancels its sales; nothing if there is none.
std::optional<Family> safe_family(const Setting& setting);
// Says in Portuguese why nothing is authorised in the family; empty where it may be.
std::string why_not_authorised(const Setting& setting, Family family);
// Throws Untold if nothing may be authorised in the family.
void require_authorising(const Setting& setting, Family family);
// Tells whether a sale of the family may be authorised although we know no cancel of it: one of health may, if that was
// allowed.
bool may_leave_open(const Setting& setting, Family family);
// Returns an authorised sale. Where there is none it throws Untold, with what the provider said instead, and whatever
// may have been asked for is taken back.
Deal authorise(Setting& setting, Family family);
// Returns the candidates, each once, the configured one first.
std::vector<std::string> candidates_of(const std::string& configured, const std::vector<std::string>& wished);
// Returns what stands between app-key and app-secret, by its word.
std::optional<std::string_view> separator_of(std::string_view word);

// --- the trials themselves, beside what can be said of what they saw without another exchange ---

// These ask for no sale.
void try_separators(Setting& setting, Found& found, Family);
void ask_scopes(Setting& setting, Found& found, Family);
void ask_wrongly(Setting& setting, Found& found, Family);
void ask_token(Setting& setting, Found& found, Family);
void read_faster(Setting& setting, Found& found, Family);
void look_at_peers(Setting& setting, Found& found, Family);
void keep_connections(Setting& setting, Found& found, Family);
void look_at_given_statement(Setting& setting, Found& found, Family);

// These cancel what they ask for.
void find_health_path(Setting& setting, Found& found, Family);
void cancel_one(Setting& setting, Found& found, Family family);
void cancel_unknown(Setting& setting, Found& found, Family family);
void request_after_cancel(Setting& setting, Found& found, Family family);
void use_ids_twice(Setting& setting, Found& found, Family);
void use_other_ids(Setting& setting, Found& found, Family);
void ask_for_wrongs(Setting& setting, Found& found, Family);
void find_status_path(Setting& setting, Found& found, Family);

// These do not.
void sell_one(Setting& setting, Found& found, Family family);
void ask_esim(Setting& setting, Found& found, Family);
void leave_one_open(Setting& setting, Found& found, Family family);
void revisit(Setting& setting, Found& found, Family family);

// Holds what the callbacks of one sale say. `whole` is false where listening ended before silence told that no more
// come.
struct CallbackHistory {
    std::vector<CallbackSeen> seen;
    std::string id_externo;
    std::string id_transacao;
    bool whole = true;
};
// Returns whether the callback of the sale and that of its recharge were both answered with 200, after which the
// document lets no more come. Pure.
bool are_all_taken(const std::vector<CallbackSeen>& seen);
// Reads the points about callbacks. Pure.
void read_callbacks(const CallbackHistory& history, Found& found);

}  // namespace gateway::probe
