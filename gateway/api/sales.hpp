// Answers the calls about sales that exist: one sale, lists, confirm, cancel, cancel by key, the receipt. The terminals
// listener and the admin listener share them; who calls decides what is seen.
#pragma once

#include "api/request_rules.hpp"
#include "api/sale_json.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "flow/seller.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"

namespace gateway {

class SalesApi {
  public:
    // `settle_wait` is how long a cancel, and the confirm of a held sale, wait where the caller does not say. Every
    // reference must outlive the api and its routes.
    SalesApi(Duration settle_wait, Seller& seller, Journal& journal, const Terminals& terminals, Clock& clock,
             Log& log);

    // Says whose sales a caller sees, a terminal's or everybody's, and what of them.
    struct Scope {
        std::shared_ptr<const Terminal> terminal{};  // null: everybody's sales are seen
        Audience audience = Audience::terminals;
    };
    boost::asio::awaitable<http::Response> one(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> list(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> search(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> receipt(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> history(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> show_receipt(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> confirm(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> cancel(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> cancel_key(http::Request& request, Scope scope);
    boost::asio::awaitable<http::Response> resolve(http::Request& request, Scope scope);

    using ScopedHandler = boost::asio::awaitable<http::Response> (SalesApi::*)(http::Request&, Scope);
    // A terminal sees its own establishment's sales of the families that it may sell, and those that it sold itself;
    // any other is not found.
    template <ScopedHandler Handler>
    boost::asio::awaitable<http::Response> for_terminals(http::Request& request) {
        return for_terminal(Handler, request);
    }
    // The operator sees all sales and their histories, by the sale's id or any of its idExternos.
    template <ScopedHandler Handler>
    boost::asio::awaitable<http::Response> for_operators(http::Request& request) {
        return for_people(Handler, request, Audience::operators);
    }
    // The person who has signed in at the console sees as much, but no goods and nothing of a customer. The receipt is
    // shown only on asking for it, and the sale's history keeps that.
    template <ScopedHandler Handler>
    boost::asio::awaitable<http::Response> for_console(http::Request& request) {
        return for_people(Handler, request, Audience::console);
    }

  private:
    using Found = ResultOrResponse<std::shared_ptr<LiveSale>>;

    // Returns the 422 of a search for a terminal or an establishment that nobody knows.
    boost::asio::awaitable<std::optional<http::Response>> nobodys(const http::Request& request,
                                                                  const SaleFilter& filter);

    boost::asio::awaitable<Found> find(http::Request& request, Scope scope);
    boost::asio::awaitable<Result<SaleId>> find_by_id_externo(std::string_view text);
    boost::asio::awaitable<http::Response> confirm_sale(http::Request& request, std::shared_ptr<LiveSale> live);
    boost::asio::awaitable<http::Response> cancel_sale(http::Request& request, std::shared_ptr<LiveSale> live);
    boost::asio::awaitable<void> until_known(LiveSale& live, Instant deadline);
    ResultOrResponse<Scope> scope_of(const http::Request& request) const;
    Instant wait_until(const http::Request& request, Duration otherwise) const;

    boost::asio::awaitable<http::Response> for_terminal(ScopedHandler handler, http::Request& request);
    boost::asio::awaitable<http::Response> for_people(ScopedHandler handler, http::Request& request, Audience audience);

    const Duration settle_wait_;
    Seller& seller_;
    Journal& journal_;
    const Terminals& terminals_;
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
