// Errors as RFC 9457 has them: application/problem+json with a code for programs and a detail for people.
#pragma once

#include "base/field_error.hpp"
#include "http/server/message.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace gateway::http {

struct Problem {
    http::status status = http::status::internal_server_error;
    std::string code;    // what a program switches on: "invalid_request"
    std::string detail;  // one sentence for a person
    std::vector<FieldError> errors{};
    boost::json::object extensions{};  // further members: "sale", "outcome"; never replaces one of the standard ones
};

Response to_response(const Problem& problem, const Request& request);

}  // namespace gateway::http
