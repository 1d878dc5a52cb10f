// A probe speaks with the provider through this: by the clients that sell, at the provider's pace, and by requests that
// the gateway would never send, which are made of those by altering them. A probe does one thing after the other, so
// that whatever is asked here is answered when the call returns.
//
// Nothing leaves any more once the probe was stopped, the transcript cannot be written, or the provider has gone
// silent, except what takes back what was authorised.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "http/client/client.hpp"
#include "probe/transcript.hpp"
#include "provider/provider.hpp"
#include "provider/token_keeper.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace gateway::probe {

// Holds a sale of a trial's, with its one attempt.
struct Deal {
    Sale sale;
    std::string id;  // the idExterno, which is the attempt's own unless a trial needs one of another kind

    Attempt& attempt() { return sale.attempts.front(); }
    const Attempt& attempt() const { return sale.attempts.front(); }
};

struct BenchOptions {
    ProviderOptions provider;
    Duration late_arrival{};  // after which a request that was lost does not arrive any more
};

// Runs the event loop until it is over. What it throws ends the probe.
using Drive = std::function<void(const std::function<bool()>& is_over)>;

// Every reference must outlive what it is given to.
struct WireParts {
    boost::asio::any_io_executor executor;
    http::Client& provider;
    http::Client& tokens;
    Transcript& transcript;
    Clock& clock;
    Random& random;
    Log& log;
    Drive drive;
};

// Changes a body before it is sent.
using Alteration = std::function<void(boost::json::object& body)>;

class Wire {
  public:
    Wire(BenchOptions options, WireParts parts);
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    ~Wire() = default;

    Reply query(const OptionsQuestion& question);
    // Asks once, whatever comes: it is not repeated where the provider takes no more.
    Reply query_once(const OptionsQuestion& question);
    Reply query_with(const OptionsQuestion& question, const Secret& access_token);
    Reply get(std::string target);
    Reply ask_token(Secret form, Secret authorization);
    // Waits for so long, or until the probe is stopped.
    void pause(Duration length);
    // Runs the event loop until the coroutine has returned, and returns the same.
    template <class T>
    T wait_for(boost::asio::awaitable<T> work) {
        std::optional<T> result;
        boost::asio::co_spawn(parts_.executor, keep(std::move(work), result), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
        parts_.drive([&] { return result.has_value(); });
        return std::move(*result);
    }

    bool can_cancel(Family family) const { return main_->can_cancel(family); }
    // Returns whether a cancel of a health sale could be sent to this path at all.
    bool can_cancel_by(const std::string& health_path);
    // A health sale is cancelled there from now on. Until then it is cancelled nowhere, whatever is configured: a path
    // that nobody has tried may sell.
    void use_health_path(const std::string& path);
    void use_separator(std::string_view separator);
    // Leaves so much time between two requests, so that a provider that counts them takes all.
    void use_pace(Duration between) { pace_ = between; }

    // Sends nothing more. The reason is in Portuguese, and the first one stays.
    void stop(std::string why);
    bool stopped() const noexcept { return !stopped_.empty(); }
    const std::string& why_stopped() const noexcept { return stopped_; }
    // Returns whether the provider answered anything but errors of its own in this run, or was asked for nothing.
    bool was_answered() const noexcept { return answered_ || !asked_; }

    const boost::asio::any_io_executor& executor() const noexcept { return parts_.executor; }
    Clock& clock() const noexcept { return parts_.clock; }
    Random& random() const noexcept { return parts_.random; }
    const BenchOptions& options() const noexcept { return options_; }
    const std::vector<Secret>& credentials() const noexcept { return credentials_; }

  protected:
    enum class Need { trial, taking_back };

    // Sends a step of a sale through a provider that provider_for() gave, or main().
    Reply step(Step step, const Deal& deal, Provider& through, Need need, const Alteration& alter = nullptr);
    Reply post(std::string target, std::string label, std::string body, bool has_token, Need need);
    Provider& provider_for(const std::string& health_path, const std::string& callback_field);
    Provider& main() noexcept { return *main_; }
    const std::string& health_path() const noexcept { return health_path_; }
    void note_reply(std::string_view label, const Reply& reply, std::string_view id = {},
                    std::string_view verdict = {});
    Transcript& transcript() noexcept { return parts_.transcript; }
    // Waits whether or not the probe is stopped.
    void sleep_for(Duration length);

  private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, std::optional<T>& result) {
        result.emplace(co_await std::move(work));
    }
    void make_keeper();
    Reply step_once(Step step, const Deal& deal, Provider& through);
    Reply altered(Step step, const Deal& deal, const Provider& through, const Alteration& alter, Need need);
    Reply with_token(http::ClientRequest request, Need need);
    Reply exchange(const http::ClientRequest& request, Need need);
    // Waits for the pace, and for a provider that takes no more; nothing is sent where nothing may leave.
    Reply repeated(const std::function<Reply()>& once, Need need);
    void look_at_faults();

    BenchOptions options_;
    const WireParts parts_;
    const std::vector<Secret> credentials_;
    // What is replaced lives on: a coroutine of its own may still look at it.
    std::vector<std::unique_ptr<TokenKeeper>> keepers_;
    std::map<std::tuple<TokenKeeper*, std::string, std::string>, std::unique_ptr<Provider>> providers_;
    Provider* main_ = nullptr;
    std::string health_path_;
    std::string stopped_;
    Duration pace_{0};
    Instant next_{};  // no request before
    bool asked_ = false;
    bool answered_ = false;
    int silent_ = 0;  // exchanges without an answer, one after the other
};

}  // namespace gateway::probe
