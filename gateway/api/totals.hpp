// GET /v1/totals says at any time what some days came to: to the operator for every establishment, to a terminal for
// its own, and there for the families that it may sell.
#pragma once

#include "api/books_request.hpp"
#include "api/openapi/written.hpp"
#include "api/terminals.hpp"
#include "books/day_books.hpp"
#include "http/server/message.hpp"

#include <memory>

namespace gateway {

// Every call writes a count and an amount so.
openapi::Part<CountAndTotal> counted(const CountAndTotal& counted);

class TotalsApi {
  public:
    // Every reference must outlive the api and its routes.
    TotalsApi(DayBooks& books, const Terminals& terminals) : books_(books), terminals_(terminals) {}

    boost::asio::awaitable<http::Response> of_terminal(http::Request& request);
    boost::asio::awaitable<http::Response> of_operator(http::Request& request);
    boost::asio::awaitable<http::Response> store(http::Request& request);

  private:
    boost::asio::awaitable<http::Response> answer(const http::Request& request, TotalsRequest wanted,
                                                  std::optional<SaleFilter::Among> among);

    DayBooks& books_;
    const Terminals& terminals_;
};

}  // namespace gateway
