// Says what a token keeper holds, and what it does while it runs. Only token_keeper.cpp uses it.
#pragma once

#include "base/run_moment.hpp"
#include "net/wait_queue.hpp"
#include "provider/token_answer.hpp"
#include "provider/token_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace gateway {

struct TokenKeeper::Core : std::enable_shared_from_this<Core> {
    static Duration length(Instant from, Instant to) { return std::chrono::duration_cast<Duration>(to - from); }

    // This is a token that was given. Its times are on the steady clock, so that a jump of the wall clock changes
    // nothing here.
    struct Held {
        Secret access;
        Instant obtained;
        Instant expires;
        // The moment when the token came. For one that was taken over, from an earlier run or from another gateway, it
        // is the recorded moment when the token ends.
        std::variant<RunMoment, WallTime> told;
        bool by_refresh = false;
        bool end_told = false;

        Duration life() const { return length(obtained, expires); }
        WallTime expires_at() const {
            const auto* came = std::get_if<RunMoment>(&told);
            return came != nullptr ? came->wall() + life() : std::get<WallTime>(told);
        }
        WallTime obtained_at() const { return expires_at() - life(); }
    };

    Core(boost::asio::any_io_executor e, ProviderOptions o, http::Client& h, Clock& c, Random& r, Log& l, SaveToken s,
         TokenTurns t, HearAnswer hears)
        : executor(std::move(e)),
          options(std::move(o)),
          app_secret(options.app_secret),
          client(h),
          clock(c),
          random(r),
          log(l),
          save(std::move(s)),
          turns(std::move(t)),
          hear(std::move(hears)),
          reachability("token_service", c, l),
          wake(clock.make_timer()),
          save_wake(clock.make_timer()),
          waiting(clock) {}

    void take_up(const Token& kept);
    static boost::asio::awaitable<void> keep(std::shared_ptr<Core> core);
    static boost::asio::awaitable<Result<Secret>> get(std::shared_ptr<Core> core, Instant deadline);
    static boost::asio::awaitable<void> keep_saved(std::shared_ptr<Core> core);
    boost::asio::awaitable<void> renew();
    boost::asio::awaitable<bool> take_anothers();
    boost::asio::awaitable<std::variant<Grant, NoGrant>> try_once();
    boost::asio::awaitable<std::variant<Grant, NoGrant>> ask_refresh(Instant deadline);
    boost::asio::awaitable<std::variant<Grant, NoGrant>> ask_by_secret(Instant deadline);
    std::variant<Grant, NoGrant> read(const Reply& reply, std::span<const Secret> credentials) const;
    http::ClientRequest form_request(std::string label, Secret body) const;
    void accept(Grant grant);
    void note_failure(NoGrant none);
    void tell_reachability(const NoGrant& none);

    bool has_refused(const Secret& access) const { return std::ranges::find(refused, access) != refused.end(); }
    bool valid(Instant now) const { return held && now < held->expires; }
    Duration needed_life() const { return std::min(options.needed_token_life(), held->life() / 2); }
    bool lasts(Instant now) const { return held && length(now, held->expires) >= needed_life(); }
    Instant ahead() const;
    Instant due() const;
    Instant end_to_tell() const;
    void tell_end();
    Duration back_off();
    Instant replacement_due(Instant now);
    void changed();
    void end_turn();
    Instant worth_waiting(Instant since, Instant deadline) const;
    std::optional<Token> to_keep() const;

    const boost::asio::any_io_executor executor;
    const ProviderOptions options;
    Secret app_secret;
    bool unproved = false;  // no token has come by this secret yet, and a token of another secret may still be held
    http::Client& client;
    Clock& clock;
    Random& random;
    Log& log;
    const SaveToken save;
    const TokenTurns turns;
    const HearAnswer hear;
    Reachability reachability;

    const std::unique_ptr<Timer> wake;       // wakes keep()
    const std::unique_ptr<Timer> save_wake;  // wakes keep_saved()
    WaitQueue waiting;                       // the callers that wait for the end of a try
    bool started = false;
    bool stopped = false;  // the keeper is gone, and perhaps everything that it has references to
    std::optional<Held> held;
    std::optional<RunMoment> rejected_at;  // when the last rejected token was rejected
    Secret refresh;
    Secret obtained_by;          // the secret that both tokens belong to
    std::deque<Secret> refused;  // tokens that the provider refused lately
    bool unsaved = false;
    bool turn_is_over = false;  // true if the turn is over and the other gateways have not been told yet
    bool had_token = false;
    bool asking = false;
    Instant asked{};          // the beginning of the last try
    bool by_refresh = false;  // true if the try that is under way asks by refresh
    int failures = 0;         // failures since the last token
    bool hopeless = false;    // true if the last failure was hopeless
    Duration failed_in{0};    // how long the last try took to fail
    Instant next_try = Instant::min();
    Instant not_before = Instant::min();  // the service asked for patience until then
    Instant replacements_paid = Instant::min();
    std::string why = "no token has come yet";
};

}  // namespace gateway
