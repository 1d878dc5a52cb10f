#include "flow/options_cache.hpp"

#include "sale/provider_words.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <exception>

namespace gateway {
namespace {

// This many catalogues are asked for at once. They are the largest answers, with images and terms for every entry. It
// is more than one, because a query that hangs would otherwise delay the bounds of every other product.
constexpr std::size_t catalogues_at_once = 4;

// Returns the key of a question; equal questions have equal keys. It contains card numbers, so it is never printed.
std::string key_of(const OptionsQuestion& question) {
    std::string key(to_string(question.family));
    for (const auto& part :
         {question.estabelecimento, question.produto, question.segment, question.menu, question.customers.reveal()}) {
        key += '\n';
        key += part;
    }
    return key;
}

// A plain "no such thing" is the caller's mistake; anything else is the provider's trouble.
boost::system::error_code failure_of(const Reply& reply) {
    if (reply.kind != Reply::Kind::answered) return reply.failure;
    return reply.status == 404 ? errc::not_found : errc::unreachable;
}

// Returns the provider's sentence about a question that it refuses. A 401 concerns only the gateway and the provider.
std::string sentence_of(const Reply& reply, const OptionsQuestion& question) {
    const bool refuses = reply.kind == Reply::Kind::answered && reply.status >= 400 && reply.status <= 499;
    if (!refuses || reply.status == 401) return {};
    return provider_sentence(reply.body, {question.customers.reveal()});
}

}  // namespace

OptionsCache::OptionsCache(boost::asio::any_io_executor executor, OptionsCacheOptions options, Provider& provider,
                           Clock& clock, Log& log)
    : executor_(std::move(executor)),
      options_(options),
      provider_(provider),
      clock_(clock),
      log_(log),
      catalogues_(catalogues_at_once, clock) {}

std::shared_ptr<OptionsCache::Entry> OptionsCache::entry(const std::string& key) {
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
    if (entries_.size() >= options_.most_answers) {
        const auto oldest = std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second->asking, a.second->fresh_until) <
                   std::pair(b.second->asking, b.second->fresh_until);
        });
        entries_.erase(oldest);
    }
    return entries_.emplace(key, std::make_shared<Entry>(clock_)).first->second;
}

bool OptionsCache::knows(const OptionsQuestion& question) const {
    const auto found = entries_.find(key_of(question));
    return found != entries_.end() && clock_.now() < found->second->fresh_until;
}

boost::asio::awaitable<OptionsCache::Answer<OptionsCache::Found>> OptionsCache::ask(OptionsQuestion question,
                                                                                    std::string_view request_id,
                                                                                    Instant deadline) {
    const auto kept = entry(key_of(question));
    if (kept->fetched && clock_.now() < kept->fresh_until) co_return Found{.fetched = kept->fetched};
    if (!std::exchange(kept->asking, true))
        boost::asio::co_spawn(executor_, query(std::move(question), std::string(request_id), kept),
                              boost::asio::detached);
    while (kept->asking && !hurried_ && clock_.now() < deadline)
        co_await kept->waiters.wait(deadline);
    if (!kept->asking && !kept->unavailable) co_return Found{.fetched = kept->fetched};  // even one that is not kept
    if (kept->fetched && clock_.now() < kept->stale_until) co_return Found{.fetched = kept->fetched, .stale = true};
    if (kept->asking) co_return Unavailable{hurried_ ? errc::shutting_down : errc::timed_out};
    co_return *kept->unavailable;
}

void OptionsCache::hurry() {
    hurried_ = true;
    for (const auto& [key, kept] : entries_)
        kept->waiters.notify_all();
}

boost::asio::awaitable<void> OptionsCache::query(OptionsQuestion question, std::string request_id,
                                                 std::shared_ptr<Entry> kept) {
    try {
        std::optional<Semaphore::Permit> permit;
        if (rules_of(question.family).has_large_options) permit.emplace(co_await catalogues_.acquire());
        const auto known = kept->unavailable;
        auto fetched = co_await fetch(question, request_id, known);
        kept->unavailable = fetched.has_error() ? std::optional(fetched.error()) : std::nullopt;
        // What the provider no longer has is not offered any longer. After any other failure, the earlier answer stays.
        if (fetched.has_value())
            keep(*kept, question, std::move(*fetched));
        else if (fetched.error().why == errc::not_found)
            kept->stale_until = Instant::min();
    } catch (const std::exception& fault) {  // a fault in a query must not leave its callers waiting
        kept->unavailable = Unavailable{errc::malformed};
        log_.error("options.fault", "a fault in the gateway while it asked for the options of {family}: {detail}",
                   {{"request", request_id}, {"family", to_string(question.family)}, {"detail", fault.what()}});
    }
    kept->asking = false;
    kept->waiters.notify_all();
}

boost::asio::awaitable<OptionsCache::Answer<Options>> OptionsCache::fetch(const OptionsQuestion& question,
                                                                          const std::string& request_id,
                                                                          const std::optional<Unavailable>& known) {
    const auto reply = co_await provider_.query(question, clock_.now() + query_timeout());
    if (reply.kind != Reply::Kind::answered || reply.status < 200 || reply.status > 299) {
        const auto status = reply.kind == Reply::Kind::answered ? std::optional(reply.status) : std::nullopt;
        Unavailable failed{failure_of(reply), reply.retry_after, sentence_of(reply, question), status};
        // That there is no such product is the caller's business: most often it is a typing mistake.
        if (!known || known->why != failed.why || known->http_status != status)
            log_.write(failed.why == errc::not_found ? LogLevel::info : LogLevel::warn, "options.failed",
                       status ? Sentence("the options of {family}[ {produto}] could not be had: the provider answered "
                                         "with HTTP status {httpStatus}")
                              : Sentence("the options of {family}[ {produto}] could not be had: {detail}"),
                       {{"request", request_id},
                        {"family", to_string(question.family)},
                        {"produto", question.produto},
                        {"httpStatus", status},
                        {"detail", status ? fmt::format("the provider answered with HTTP status {}", *status)
                                          : failed.why.message()}});
        co_return failed;
    }
    auto options = rules_of(question.family).read_options(question, reply.body);
    if (options.has_error()) {
        if (!known || known->why != options.error())
            log_.warn("options.failed", "the options of {family}[ {produto}] could not be had: {detail}",
                      {{"request", request_id},
                       {"family", to_string(question.family)},
                       {"produto", question.produto},
                       {"detail", "not the documented JSON"}});
        co_return Unavailable{options.error()};
    }
    for (const auto& sentence : options->left_out)
        log_.warn("options.left_out", "an option of {family} is left out: {detail}",
                  {{"request", request_id}, {"family", to_string(question.family)}, {"detail", sentence}});
    co_return std::move(*options);
}

void OptionsCache::keep(Entry& kept, const OptionsQuestion& question, Options options) {
    const auto now = clock_.now();
    const auto wall = clock_.wall();
    const bool is_of_card = !question.customers.empty();
    const auto length = is_of_card ? std::min(options_.ttl, options_.card_ttl) : options_.ttl;
    auto fetched = std::make_shared<FetchedOptions>();
    fetched->options = std::move(options);
    fetched->fetched_at = wall;
    fetched->expires_at = wall + length;
    kept.fetched = std::move(fetched);
    kept.fresh_until = now + length;
    const bool keeps_beyond = !is_of_card && length > Duration(0);
    kept.stale_until = keeps_beyond ? now + options_.stale_for : kept.fresh_until;
}

}  // namespace gateway
