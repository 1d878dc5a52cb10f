// One run of a probe: takes back what an earlier one may have left open, makes the trials that are still missing, takes
// back what they authorised, and says how it went.
#pragma once

#include "config/config.hpp"
#include "probe/trial.hpp"
#include "probe/trial_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::probe {

// What it needs besides the bench.
struct ProbeParts {
    const Config& config;
    Customer customer;
    TrialLog& log;
    // A line for who waits, in Portuguese.
    std::function<void(const std::string& line)> say;
    // The title of the trial that begins, for who watches.
    std::function<void(const std::string& title)> begins;
    // The masked answer to a value query, to be kept under this name; whether it could be.
    std::function<bool(const std::string& name, const std::string& text)> keep_sample;
    // Trials that only the program itself can make: they look at connections.
    std::vector<Trial> further{};
    Mask& mask;
};

enum class Ending {
    done,
    could_not_run,
    too_early,  // what was left open cannot be asked for yet
};

class Probe {
  public:
    // Every reference must outlive the probe.
    Probe(Setting& setting, ProbeParts parts) : setting_(setting), parts_(std::move(parts)) {}

    // With `revisit` only what was left open is looked at.
    boost::asio::awaitable<Ending> run(bool revisit);
    // In Portuguese, where it could not run.
    const std::string& why() const noexcept { return why_; }

  private:
    boost::asio::awaitable<bool> begin();
    boost::asio::awaitable<void> make_all(std::vector<Trial> trials);
    boost::asio::awaitable<void> make(const Trial& trial);
    boost::asio::awaitable<void> ask_for_options();
    boost::asio::awaitable<void> ask_for_options_of(const Product& product);
    boost::asio::awaitable<void> take_back();
    void hide_customer();
    void restore_known();
    bool wanted(Family family) const;
    bool is_done(const Trial& trial) const;
    void note(const Trial& trial, const Found& found);
    void look_at_faults();

    Setting& setting_;
    const ProbeParts parts_;
    std::string why_;
};

}  // namespace gateway::probe
