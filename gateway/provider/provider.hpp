// The provider's interface as the gateway uses it: the steps of a sale, the value queries, plain GETs for the proxy,
// and the list of a day. Adds the token and tells the token keeper when one was no good; decides nothing about a sale.
//
// A step is sent in two calls: reserve() waits for all that may have to be waited for, the caller asks the law whether
// the step is still wanted, and send() sends it.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "families/family.hpp"
#include "http/client/client.hpp"
#include "net/wait_queue.hpp"
#include "provider/provider_options.hpp"
#include "provider/reachability.hpp"
#include "provider/token_keeper.hpp"
#include "sale/answer.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace gateway {

class Provider {
  public:
    // Every reference must outlive the provider and the coroutines that it spawns on `executor`.
    Provider(boost::asio::any_io_executor executor, ProviderOptions options, http::Client& client, TokenKeeper& tokens,
             Clock& clock, Log& log, HearAnswer hear = nullptr);

    // What one request needs: a token and a connection. Gives them back unused when it is destroyed.
    struct Access {
        Secret token;
        std::unique_ptr<http::Reservation> connection;
    };
    // errc::no_token where no token could be had in time; otherwise what http::Client::reserve() says.
    boost::asio::awaitable<Result<Access>> reserve(Instant deadline);
    // What became of a request that could not be sent for this: reserve()'s error, with its cause in words.
    Reply unsent(boost::system::error_code why) const;
    // Sends `step` for `attempt`, which is one of `sale`'s: the same attempt gives the same bytes. nothing_sent with
    // errc::not_found where there is no path for the step: see can_cancel() and can_ask(); with errc::stale_connection
    // where another access must be reserved.
    boost::asio::awaitable<Reply> send(Access access, Step step, const Sale& sale, const Attempt& attempt,
                                       Instant deadline);
    // How long one exchange may take, the waits for a token and a connection included.
    Duration request_timeout() const noexcept { return options_.request_timeout; }

    // Whether a family's sales can be cancelled at all ("health cancel path: not shown"; eSIM has none). A cancel path
    // that leads to a confirm operation counts as none, however it is spelt: a cancel is never sent there.
    bool can_cancel(Family family) const noexcept;
    // Of a step, without the base path; empty where there is none.
    std::string path_of(Step step, Family family, std::string_view segment) const;

    // Whether it can be asked how an attempt stands, and whether only of one whose idTransacao is known.
    bool can_ask() const noexcept { return !options_.status_path.empty(); }
    bool asks_by_id_transacao() const noexcept;
    // The rules of the law with what depends on the provider: what can be cancelled and asked there, what its answers
    // are worth, and how long one takes.
    Rules complete(Rules rules) const {
        for (const auto family : all_families)
            rules.can_cancel.at(static_cast<std::size_t>(family)) = can_cancel(family);
        rules.trusts_cancel_4xx = options_.trust_cancel_4xx;
        rules.can_ask = can_ask();
        rules.asks_by_id_transacao = asks_by_id_transacao();
        rules.attempt_time = options_.request_timeout;
        return rules;
    }

    boost::asio::awaitable<Reply> query(const OptionsQuestion& question, Instant deadline);
    // `target` is a normalised path with its query string.
    boost::asio::awaitable<Reply> get(std::string target, std::string accept, std::string request_id, Instant deadline);
    // How the attempt, which is one of the sale's, stands, asked beside what the law asks. nothing_sent with
    // errc::not_found where there is no path for it: see can_ask().
    boost::asio::awaitable<Reply> status(const Sale& sale, const Attempt& attempt, Instant deadline);
    // Whether it has an address for the list of a day.
    bool can_list() const noexcept { return !options_.list_path.empty(); }
    // The list of a day, which is longer than any other answer: at most `limit` bytes.
    boost::asio::awaitable<Reply> list(Day day, std::size_t limit, Instant deadline);

    // Whether it can be used, as the exchanges show; during an outage connections are tried, so that it ends by itself.
    const Reachability& reachability() const noexcept { return reachability_; }
    // What speaks against {base_url}, which no answer since the start has proven.
    struct AddressDoubt {
        WallTime since;       // the first answer that was not the provider's, with none of its own since
        std::string answers;  // "it answers 404", the last one
    };
    // Nothing where the address is proven, and where no answer speaks against it.
    std::optional<AddressDoubt> address_doubt() const;
    // Learns it by a connection, where nothing was learned for a while. Sends nothing, and returns within a second.
    boost::asio::awaitable<void> look();
    // Looks every minute, so that a store in which nothing is sold learns of an outage before its next customer does.
    // Never ends.
    boost::asio::awaitable<void> keep_looking();
    // A sale was not made for this.
    enum class Want { token, provider };
    void sale_refused(Want want);

  private:
    // What an answer says of the provider as a whole depends on what was asked.
    enum class Telling {
        request,   // to begin a sale, at a documented path
        step,      // to confirm or cancel one, or what can be sold
        proxied,   // what a terminal wanted to know, in whatever form it comes
        a_repeat,  // what failed before: one sale that is stuck is no outage, however often it is tried
        list,      // of a day, in whatever form it comes: likewise
        aside,     // at an address that is not documented: only whether the provider could be reached counts
    };

    std::string status_path_of(const Attempt& attempt) const;  // empty: there is none
    boost::asio::awaitable<Reply> send(Access access, http::ClientRequest request, Telling telling, std::size_t product,
                                       Instant deadline);
    static boost::asio::awaitable<Reply> nowhere();
    boost::asio::awaitable<Reply> reply_to(Access access, Telling telling, std::size_t product,
                                           boost::asio::awaitable<Reply> sending);
    void refused(const Secret& token, Telling telling);
    static Reachability::Asked asked_by(Telling telling);
    static bool may_fail(Telling telling);
    static bool is_documented(Telling telling);
    void look_at_status(const Reply& reply, const Secret& token);
    void learn(const Reply& reply, Telling telling, std::size_t product);
    void learn_of_lost(const Reply& reply, Telling telling);
    void learn_of_not_found(unsigned status, Telling telling, std::size_t product);
    void learn_of_page(unsigned status, Telling telling);
    void doubt_address();
    void note_strange(std::string answers);
    void note_sense(const Reply& reply, std::size_t product);
    // As it is at this moment: a doubt of which nothing was learned for a while is not the same any more.
    Reply::Address address() const;
    void not_reached();
    void look_for_its_end();
    boost::asio::awaitable<void> try_until_it_ends();
    boost::asio::awaitable<void> try_to_connect();
    boost::asio::awaitable<void> look_now();
    boost::asio::awaitable<Reply> exchange(http::ClientRequest request, Telling telling, Instant deadline);
    boost::asio::awaitable<Reply> exchange_twice(http::ClientRequest request, Telling telling, Instant deadline);

    const boost::asio::any_io_executor executor_;
    const ProviderOptions options_;
    http::Client& client_;
    TokenKeeper& tokens_;
    Clock& clock_;
    const HearAnswer hear_;
    Reachability reachability_;
    Reply::Address address_ = Reply::Address::unproven;  // as it was learned; see address()
    Instant doubted_at_{};                               // the last time
    std::optional<Instant> strange_since_;               // answers that need not be the provider's, and none of its own
    std::string strange_;                                // the last of them
    std::size_t not_found_ = 0;  // the product of the last request that was answered 404, by its number
    std::optional<Instant> status_cost_token_at_;  // by a 401; nothing: the status address has answered otherwise since
    bool trying_ = false;                          // whether the outage is over
    bool looking_ = false;                         // whether it can be reached
    WaitQueue looked_;
};

}  // namespace gateway
