// Reads what calls about totals and closes ask for, strictly, so that one 422 has all that is wrong; and makes their
// refusals.
#pragma once

#include "api/request_rules.hpp"
#include "base/calendar.hpp"
#include "journal/journal.hpp"
#include "reconcile/totals.hpp"

#include <boost/system/error_code.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

struct TotalsRequest {
    Day from;
    Day to;  // the last one
    std::vector<TotalsBy> by{};
    std::optional<std::string> estabelecimento{};
    std::optional<WallTime> begun_before{};
};

// Reads ?day= or ?from= &to=, &by=, &estabelecimento= and &begunBefore=. Without days it is today.
ResultOrResponse<TotalsRequest> read_totals_request(const http::Request& request, Day today);

// Reads ?estabelecimento= &from= &to= &limit=.
ResultOrResponse<CloseFilter> read_closes_request(const http::Request& request);

struct CloseOrder {
    Day day;
    std::optional<std::string> estabelecimento{};  // nothing: all of them
    std::string by{};                              // who closes; empty: it is not told
};

// Reads the body of a close: {"day", "estabelecimento", "by"}, of which only the day is required.
ResultOrResponse<CloseOrder> read_close_order(const http::Request& request, Day today);

// Answers 422, because nobody has ever sold for that establishment.
http::Response unknown_establishment_answer(const http::Request& request);

// Answers a call about totals or closes that the journal refuses with 503: it cannot be read or written, does not say
// whether it has the close, or has one that cannot be read.
http::Response books_refused_answer(const http::Request& request, const boost::system::error_code& why);

struct CloseName {
    int number = 0;
    int series = 1;
};

// Reads "325" or "326-2".
std::optional<CloseName> parse_close_name(std::string_view text) noexcept;

}  // namespace gateway
