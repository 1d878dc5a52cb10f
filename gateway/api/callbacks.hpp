// Answers on the callbacks listener, where the provider says something of an eSIM sale. The secret in the address says
// which sale it is ("Events").
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "flow/seller.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"

namespace gateway {

class CallbacksApi {
  public:
    // Every reference must outlive the api and its routes.
    CallbacksApi(Seller& seller, Journal& journal, Clock& clock, Log& log);

    boost::asio::awaitable<http::Response> sale(http::Request& request) { return called_back(request, "sale"); }
    boost::asio::awaitable<http::Response> recharge(http::Request& request) { return called_back(request, "recharge"); }

  private:
    boost::asio::awaitable<http::Response> called_back(http::Request& request, std::string_view kind);
    boost::asio::awaitable<Result<void>> keep(SaleId sale, std::string_view kind, bool valid, const Secret& body,
                                              bool unreadable);

    Seller& seller_;
    Journal& journal_;
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
