// Answers the operator's calls about closes: it makes them, lists them, and gives one of them as JSON, as CSV and on
// paper.
#pragma once

#include "api/books_request.hpp"
#include "api/letterhead.hpp"
#include "books/day_books.hpp"
#include "http/server/message.hpp"

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gateway {

class ClosesApi {
  public:
    // The first two must outlive the api and its routes.
    ClosesApi(DayBooks& books, Journal& journal, Letterhead letterhead = {})
        : books_(books), journal_(journal), letterhead_(std::move(letterhead)) {}

    boost::asio::awaitable<http::Response> make(http::Request& request);
    boost::asio::awaitable<http::Response> list(http::Request& request);
    boost::asio::awaitable<http::Response> one(http::Request& request);
    boost::asio::awaitable<http::Response> receipt(http::Request& request);

  private:
    using Establishments = ResultOrResponse<std::vector<std::string>>;
    boost::asio::awaitable<Establishments> establishments(const http::Request& request, const CloseOrder& order);
    boost::asio::awaitable<Establishments> those_that_sold(const http::Request& request,
                                                           std::vector<std::string> wanted, Day day);
    boost::asio::awaitable<ResultOrResponse<Close>> find(const http::Request& request, std::string_view name);

    DayBooks& books_;
    Journal& journal_;
    const Letterhead letterhead_;
};

}  // namespace gateway
