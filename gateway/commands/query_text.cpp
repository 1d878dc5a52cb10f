#include "commands/query_text.hpp"

#include "base/ascii.hpp"

namespace gateway {

void add_to_query(std::string& query, std::string_view name, std::string_view value) {
    query.append(query.empty() ? "?" : "&").append(name).append("=");
    for (const char c : value) {
        if (is_unreserved(c))
            query += c;
        else
            append_percent_encoded(query, c);
    }
}

}  // namespace gateway
