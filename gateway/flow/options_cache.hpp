// Asks the provider what can be sold, once for all callers who want to know. Answers are cached, a question has one
// query under way, and only a few catalogues are asked for at the same time. While the provider is down, a cached
// answer is returned beyond its time and says so. That does not apply to a transit card, whose balance may have
// changed, and not where nothing is to be cached.
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
    Duration card_ttl{30'000};       // the longest time for what is asked for a card
    Duration stale_for{86'400'000};  // how long an old answer is still returned while the provider is down
    std::size_t most_answers = 512;  // the most answers that are kept; the oldest one goes first
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

    // Says why there is no answer: errc::not_found where the provider knows no such thing, errc::malformed where its
    // answer makes no sense, errc::shutting_down where nobody may wait any longer; otherwise the error that kept it
    // from answering.
    struct Unavailable {
        boost::system::error_code why;
        std::optional<std::chrono::seconds> retry_after{};  // where the provider named one
        std::string sentence{};                             // the provider's sentence, where it refused with one
        std::optional<unsigned> http_status{};              // the status of an answer that is no success
    };
    template <class T>
    using Answer = boost::system::result<T, Unavailable>;

    // Every reference must outlive the cache and the queries that it spawns on `executor`.
    OptionsCache(boost::asio::any_io_executor executor, OptionsCacheOptions options, Provider& provider, Clock& clock,
                 Log& log);

    // Returns an answer from the cache, or from the provider by the deadline. `request_id` belongs to the call that
    // asks; the log names it where the query that the call begins fails.
    boost::asio::awaitable<Answer<Found>> ask(OptionsQuestion question, std::string_view request_id, Instant deadline);

    // Makes everybody who waits go without an answer, now and from now on.
    void hurry();
    // Returns how long one query may take, however long its callers wait.
    Duration query_timeout() const noexcept { return provider_.request_timeout(); }
    // Tells whether ask() would answer at once, from the cache.
    bool knows(const OptionsQuestion& question) const;

  private:
    struct Entry {
        explicit Entry(Clock& clock) : waiters(clock) {}
        std::shared_ptr<const FetchedOptions> fetched;
        Instant fresh_until = Instant::min();
        Instant stale_until = Instant::min();
        bool asking = false;
        std::optional<Unavailable> unavailable;  // the failure of the last query; nothing after a success
        WaitQueue waiters;
    };

    std::shared_ptr<Entry> entry(const std::string& key);
    boost::asio::awaitable<void> query(OptionsQuestion question, std::string request_id, std::shared_ptr<Entry> kept);
    // Asks the provider. A failure that is the same as `known`, the last one, is not logged again.
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
