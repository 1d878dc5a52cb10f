// Says one thing that is wrong with one field of a body that a caller sent.
#pragma once

#include <string>
#include <vector>

namespace gateway {

struct FieldError {
    std::string pointer;  // a JSON pointer (RFC 6901) such as "/valor"
    std::string detail;   // says what would be right; never quotes what was sent
    friend bool operator==(const FieldError&, const FieldError&) = default;
};

using FieldErrors = std::vector<FieldError>;

}  // namespace gateway
