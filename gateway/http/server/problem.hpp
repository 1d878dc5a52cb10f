// Writes errors in the form of RFC 9457: application/problem+json with a code for programs and a detail for people.
#pragma once

#include "base/field_error.hpp"
#include "http/server/message.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace gateway::http {

struct Problem {
    http::status status = http::status::internal_server_error;
    std::string code;    // the word that a program decides by: "invalid_request"
    std::string detail;  // one sentence for a person
    std::vector<FieldError> errors{};
    // These are further members, such as "sale" and "outcome". They never replace a standard one.
    boost::json::object extensions{};
};

Response to_response(const Problem& problem, const Request& request);

}  // namespace gateway::http
