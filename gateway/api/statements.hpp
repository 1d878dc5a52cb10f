// Answers the calls that bring the provider's statements: a file as the body, the provider's own list of a day, or its
// answers about single sales.
#pragma once

#include "books/provider_list.hpp"
#include "books/reconciler.hpp"
#include "books/sale_inquiry.hpp"
#include "http/server/message.hpp"

namespace gateway {

class StatementsApi {
  public:
    // The listener must have room for so many bytes: for two statements at once, and for all else.
    static constexpr std::size_t room = 3 * max_statement_bytes;

    // Every reference must outlive the api and its routes.
    StatementsApi(Reconciler& reconciler, ProviderList& list, SaleInquiry& inquiry, Journal& journal, Clock& clock)
        : reconciler_(reconciler), list_(list), inquiry_(inquiry), journal_(journal), clock_(clock) {}

    boost::asio::awaitable<http::Response> list(http::Request& request);
    boost::asio::awaitable<http::Response> read_file(http::Request& request);
    boost::asio::awaitable<http::Response> read_list(http::Request& request);
    boost::asio::awaitable<http::Response> ask_for_sales(http::Request& request);

  private:
    Day yesterday() const;

    Reconciler& reconciler_;
    ProviderList& list_;
    SaleInquiry& inquiry_;
    Journal& journal_;
    Clock& clock_;
};

}  // namespace gateway
