#include "api/books_answer.hpp"

#include "api/sale_answer.hpp"
#include "base/error.hpp"

namespace gateway {

http::Response books_refused_answer(const http::Request& request, const boost::system::error_code& why) {
    using http::status;
    if (why == errc::commit_unknown)
        return refuse(request, status::service_unavailable, "journal_unavailable",
                      "Whether the journal has the close is not known yet. Ask again: a day has one close only.")
            .with("Retry-After", "1");
    if (why == errc::close_unreadable)
        return refuse(request, status::service_unavailable, "close_unreadable",
                      "The day is closed, and the journal's record of that close is damaged or was altered and cannot "
                      "be read. The operator puts the record right, or restores the journal from its newest backup; "
                      "every other day goes on.")
            .with("Retry-After", "60");
    return journal_unavailable_answer(request);
}

}  // namespace gateway
