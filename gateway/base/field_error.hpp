// One thing that is wrong with one field of a body that a caller sent.
#pragma once

#include <string>
#include <vector>

namespace gateway {

struct FieldError {
    std::string pointer;  // RFC 6901: "/valor"
    std::string detail;   // what would be right; never quotes what was sent
    friend bool operator==(const FieldError&, const FieldError&) = default;
};

using FieldErrors = std::vector<FieldError>;

}  // namespace gateway
