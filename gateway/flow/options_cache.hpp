// What can be sold, asked of the provider once for everybody who wants to know: cached, one query under way a question,
// and never many catalogues at the same time. While the provider is down a cached answer is served beyond its time
// and says so; a transit card's is not, because its balance may have changed, nor is anything where nothing is to be
// cached.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "net/semaphore.hpp"
#include "provider/provider.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gateway {

struct OptionsCacheOptions {
    Duration ttl{300'000};
    Duration card_ttl{30'000};       // at most, of what is asked for a card
    Duration stale_for{86'400'000};  // how long an answer is still served while the provider is down
    std::size_t most_answers = 512;  // kept at once; the oldest goes first
};

struct FetchedOptions {
    Options options;
    WallTime fetched_at{};
    WallTime expires_at{};
};

class OptionsCache {
  public:
    struct Found {
        std::shared_ptr<const FetchedOptions> fetched;
        bool stale = false;
    };

    // Why there is no answer: errc::not_found where the provider knows no such thing, errc::malformed where its answer
    // makes no sense, errc::shutting_down where nobody may wait any longer, otherwise what kept it from answering.
    struct Unavailable {
        boost::system::error_code why;
        std::optional<std::chrono::seconds> retry_after{};  // where the provider named one
        std::string sentence{};                             // the provider's, where it refused and gave one
        std::optional<unsigned> http_status{};              // of an answer that is no success
    };
    template <class T>
    using Answer = boost::system::result<T, Unavailable>;

    // Every reference must outlive the cache and the queries it spawns on `executor`.
    OptionsCache(boost::asio::any_io_executor executor, OptionsCacheOptions options, Provider& provider, Clock& clock,
                 Log& log);

    // From the cache, or from the provider by the deadline. `request_id` is of the call that wants to know: the log
    // names it where the query that it begins fails.
    boost::asio::awaitable<Answer<Found>> ask(OptionsQuestion question, std::string_view request_id, Instant deadline);

    // Everybody who waits for an answer goes without one, now and from now on.
    void hurry();
    // For one query, however long the askers wait.
    Duration query_timeout() const noexcept { return provider_.request_timeout(); }
    // Whether ask() would answer at once, from the cache.
    bool knows(const OptionsQuestion& question) const;

  private:
    struct Entry {
        explicit Entry(Clock& clock) : waiters(clock) {}
        std::shared_ptr<const FetchedOptions> fetched;
        Instant fresh_until = Instant::min();
        Instant stale_until = Instant::min();
        bool asking = false;
        std::optional<Unavailable> unavailable;  // of the last query; none after a success
        WaitQueue waiters;
    };

    std::shared_ptr<Entry> entry(const std::string& key);
    boost::asio::awaitable<void> query(OptionsQuestion question, std::string request_id, std::shared_ptr<Entry> kept);
    // A failure that is `known` since the last time is not told once more.
    boost::asio::awaitable<Answer<Options>> fetch(const OptionsQuestion& question, const std::string& request_id,
                                                  const std::optional<Unavailable>& known);
    void keep(Entry& kept, const OptionsQuestion& question, Options options);

    boost::asio::any_io_executor executor_;
    const OptionsCacheOptions options_;
    Provider& provider_;
    Clock& clock_;
    Log& log_;
    Semaphore catalogues_;
    std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
    bool hurried_ = false;
};

}  // namespace gateway
