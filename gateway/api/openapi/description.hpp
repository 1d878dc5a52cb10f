// Describes a call for the OpenAPI documents: what it takes, and what it answers. What all calls of a listener have in
// common (X-Request-Id, what the server itself answers, the key of a terminal) is added by document.cpp.
#pragma once

#include "api/openapi/schema.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::openapi {

enum class In { query, path, header };

struct Parameter {
    std::string_view name;
    Type type;
    std::string_view description{};
    std::string_view example{};
    In in = In::query;
    bool required = false;  // a parameter in a path is always required
};

// Describes one of the types of a body: its media type, and what stands in it. Content without a type is bytes.
struct Content {
    std::string_view media = "application/json";
    Type type{};
    std::vector<Example> examples{};
};

struct Body {
    std::vector<Content> contents;
    bool required = true;
};

// These are rules of JSON Schema for a problem as a whole. They say what it comes with.
constexpr std::string_view alone = R"("properties":{"sale":false,"outcome":false})";
constexpr std::string_view with_errors = R"("properties":{"sale":false,"outcome":false},"required":["errors"])";
constexpr std::string_view with_sale = R"("required":["sale","outcome"])";
constexpr std::string_view perhaps_with_sale = "";
struct Refusal {
    std::string_view code;
    std::string detail{};  // the detail of the example; without it there is no example
    std::string_view comes = alone;
    // Has the other members of the example, as a JSON object. A member whose schema has an example, such as the sale,
    // is told by what differs from that.
    std::string members{};
    std::string_view example{};  // the name of the example, where that is not the code
};

// Names the header fields that an answer may have besides X-Request-Id.
enum Headers : unsigned {
    no_headers = 0,
    sale_headers = 1,  // Sale-Id and Sale-Outcome
    heeded_wait = 2,   // Preference-Applied
    replayed = 4,      // Idempotency-Replayed
    location = 8,
    retry_after = 16,
    content_language = 32,
    authenticate = 64,
    allow = 128,
    of_text = 256,  // those of an answer that may be text for people
};
constexpr Headers operator|(Headers left, Headers right) {
    return Headers(unsigned(left) | unsigned(right));
}

struct Answer {
    unsigned status = 200;  // 0: any status that no other answer has
    std::string_view description{};
    std::vector<Content> contents{};
    std::vector<Refusal> refusals{};  // stand instead of contents
    Headers headers = no_headers;
    std::string_view component{};  // the name under which several calls share it
};

struct Description {
    std::string_view id{};  // the operationId
    std::string_view summary{};
    std::string_view tag{};
    std::string_view text{};
    std::vector<Parameter> parameters{};
    std::optional<Body> body{};
    std::vector<Answer> answers{};
    bool is_passed_on = false;  // the answer is the provider's own
};

}  // namespace gateway::openapi
