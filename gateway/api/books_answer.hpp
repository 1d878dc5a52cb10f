// What the journal's refusal of a call about totals or closes is answered with.
#pragma once

#include "http/server/message.hpp"

#include <boost/system/error_code.hpp>

namespace gateway {

// 503: the journal cannot be read or written, does not say whether it has the close, or has one that cannot be read.
http::Response books_refused_answer(const http::Request& request, const boost::system::error_code& why);

}  // namespace gateway
