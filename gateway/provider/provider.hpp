// This is the provider's interface in the form in which the gateway uses it: the steps of a sale, the value queries,
// plain GETs for the proxy, and the list of a day. It adds the token to each request and tells the token keeper when
// the provider rejected one. It decides nothing about a sale.
//
// A step is sent in two calls. reserve() waits for everything that may have to be waited for. Then the caller asks the
// law whether the step is still wanted, and send() sends it.
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

    // Holds what one request needs: a token and a connection. It gives them back unused when it is destroyed.
    struct Access {
        Secret token;
        std::unique_ptr<http::Reservation> connection;
    };
    // Fails with errc::no_token if no token came in time, and otherwise as http::Client::reserve() does.
    boost::asio::awaitable<Result<Access>> reserve(Instant deadline);
    // Makes the reply to a request that could not be sent: reserve()'s error, with its cause in words.
    Reply unsent(boost::system::error_code why) const;
    // Sends `step` for `attempt`, which is one of the attempts of `sale`. The same attempt gives the same bytes. The
    // reply is nothing_sent with errc::not_found if there is no path for the step: see can_cancel() and can_ask(). It
    // is nothing_sent with errc::stale_connection if another access must be reserved.
    boost::asio::awaitable<Reply> send(Access access, Step step, const Sale& sale, const Attempt& attempt,
                                       Instant deadline);
    // One exchange may take so long, including the waits for a token and a connection.
    Duration request_timeout() const noexcept { return options_.request_timeout; }

    // Tells whether a family's sales can be cancelled at all ("health cancel path: not shown"; eSIM has none). A cancel
    // path that leads to a confirm operation does not count, however it is spelt: a cancel is never sent there.
    bool can_cancel(Family family) const noexcept;
    // Returns the path of a step without the base path, or an empty text if there is none.
    std::string path_of(Step step, Family family, std::string_view segment) const;

    // The first tells whether the provider can be asked how an attempt stands. The second tells whether it can be asked
    // only about attempts whose idTransacao is known.
    bool can_ask() const noexcept { return !options_.status_path.empty(); }
    bool asks_by_id_transacao() const noexcept;
    // Adds to the rules of the law what depends on the provider: what can be cancelled and asked there, what its
    // answers are worth, and how long an exchange takes.
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
    // Asks how the attempt, which is one of the sale's, stands, outside of what the law asks. The reply is nothing_sent
    // with errc::not_found if there is no path for it: see can_ask().
    boost::asio::awaitable<Reply> status(const Sale& sale, const Attempt& attempt, Instant deadline);
    // Tells whether the provider has an address for the list of a day.
    bool can_list() const noexcept { return !options_.list_path.empty(); }
    // Asks for the list of a day, which is longer than any other answer. It may have at most `limit` bytes.
    boost::asio::awaitable<Reply> list(Day day, std::size_t limit, Instant deadline);

    // Tells whether the provider can be used, as the exchanges show it. During an outage connections are tried, so that
    // it ends by itself.
    const Reachability& reachability() const noexcept { return reachability_; }
    // Says what speaks against {base_url}, which no answer since the start has proven.
    struct AddressDoubt {
        WallTime since;       // the first answer that was not the provider's; none of its own has come since
        std::string answers;  // "it answers 404", by the last of these answers
    };
    // Returns nothing if the address is proven, or if no answer speaks against it.
    std::optional<AddressDoubt> address_doubt() const;
    // Finds it out by a connection, if nothing was learned for a while. It sends nothing, and returns within a second.
    boost::asio::awaitable<void> look();
    // Looks every minute, so that a store in which nothing is sold learns of an outage before its next customer does.
    // It never ends.
    boost::asio::awaitable<void> keep_looking();
    // Says that a sale was not made for want of this.
    enum class Want { token, provider };
    void sale_refused(Want want);

  private:
    // How much an answer says about the provider as a whole depends on what was asked.
    enum class Telling {
        request,   // begins a sale, at a documented path
        step,      // confirms or cancels a sale, or asks what can be sold
        proxied,   // asks what a terminal wants to know; the answer may have any form
        a_repeat,  // repeats what failed before: one sale that is stuck is no outage, however often it is tried
        list,      // asks for the list of a day; the answer may have any form, and a failure counts as of a repeat
        aside,     // asks at an address that is not documented: only whether the provider was reached counts
    };

    std::string status_path_of(const Attempt& attempt) const;  // empty if there is none
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
    // Returns the address's standing at this moment: a doubt is weaker after a while in which nothing was learned.
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
    Reply::Address address_ = Reply::Address::unproven;  // the standing when it was last learned; see address()
    Instant doubted_at_{};                               // the last time
    // When the first of those answers came that need not be the provider's; none of its own has come since.
    std::optional<Instant> strange_since_;
    std::string strange_;        // what the last of them was
    std::size_t not_found_ = 0;  // the number of the product of the last request that was answered 404
    // When a 401 cost a token; nothing if the status address has answered otherwise since.
    std::optional<Instant> status_cost_token_at_;
    bool trying_ = false;   // connections are being tried, to see whether the outage is over
    bool looking_ = false;  // a connection is being tried, to see whether the provider can be reached
    WaitQueue looked_;
};

}  // namespace gateway
