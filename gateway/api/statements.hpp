// The calls that bring the provider's statements: a file as the body, the provider's own list of a day, or its answers
// about single sales.
#pragma once

#include "books/reconciler.hpp"
#include "books/sale_inquiry.hpp"
#include "http/server/message.hpp"

#include <functional>
#include <string>

namespace gateway {

class StatementsApi {
  public:
    // Asks the provider for its list of a day and reads it; empty where no path is configured for that.
    using ListOfDay = std::function<boost::asio::awaitable<Reconciler::Told>(Day, std::string by)>;

    // Asks the provider how single sales of a day stand; empty where no path is configured for that.
    using Inquire = std::function<boost::asio::awaitable<SaleInquiry::Told>(Day, std::string by)>;

    // What the listener must have room for, in bytes: two statements at once, and all else.
    static constexpr std::size_t room = 3 * max_statement_bytes;

    // Every reference must outlive the api and its routes.
    StatementsApi(Reconciler& reconciler, Journal& journal, ListOfDay list_of_day, Inquire inquire, Clock& clock)
        : reconciler_(reconciler),
          journal_(journal),
          list_of_day_(std::move(list_of_day)),
          inquire_(std::move(inquire)),
          clock_(clock) {}

    boost::asio::awaitable<http::Response> list(http::Request& request);
    boost::asio::awaitable<http::Response> read_file(http::Request& request);
    boost::asio::awaitable<http::Response> read_list(http::Request& request);
    boost::asio::awaitable<http::Response> ask_for_sales(http::Request& request);

  private:
    Day yesterday() const;

    Reconciler& reconciler_;
    Journal& journal_;
    const ListOfDay list_of_day_;
    const Inquire inquire_;
    Clock& clock_;
};

}  // namespace gateway
