// This is the table of routes: it has every call of the listeners for terminals, callbacks and people, with the part
// that answers it and what is said of it. The console's pages make a few more calls of their own, which
// console/pages.hpp has.
//
// No row says which role a call of the console needs, because one rule holds for all of them: a person who writes must
// have the role settle (console/sign_in.hpp).
#pragma once

#include "http/server/router.hpp"

#include <span>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

namespace gateway {

// These are the listeners that have a call; a row of a table may name several.
enum ListenerSet : unsigned { on_terminals = 1, on_callbacks = 2, on_admin = 4, on_console = 8 };
// People ask for such a call at the command line and on the console's pages.
constexpr auto on_both_of_people = ListenerSet(on_admin | on_console);

// Holds the parts that answer calls, and finds each by its type. Every part must outlive this object and the routes
// made with it.
class Parts {
  public:
    template <class... Part>
    explicit Parts(Part&... parts) : parts_{{typeid(Part), &parts}...} {}

    // Returns null where there is no such part.
    template <class Part>
    Part* find() const {
        for (const auto& [type, part] : parts_)
            if (type == typeid(Part)) return static_cast<Part*>(part);
        return nullptr;
    }

  private:
    std::vector<std::pair<std::type_index, void*>> parts_;
};

// Makes a handler that calls the method of the part that has it, or an empty handler where there is no such part.
template <auto Method>
struct AnsweredBy;
template <class Part, boost::asio::awaitable<http::Response> (Part::*Method)(http::Request&)>
struct AnsweredBy<Method> {
    static http::Handler of(const Parts& parts) {
        auto* const part = parts.find<Part>();
        if (part == nullptr) return {};
        return [part](http::Request& request) { return (part->*Method)(request); };
    }
};
template <auto Method>
constexpr auto answered_by = &AnsweredBy<Method>::of;

namespace openapi {
struct Description;
}

struct Call {
    http::verb method;
    std::string_view path;  // a pattern of http::Router
    ListenerSet on;
    http::Handler (*handler)(const Parts&);        // null: the path of another call takes this one in
    openapi::Description (*describe)() = nullptr;  // for the OpenAPI documents; null where they leave it out
    http::Access access = http::Access::filtered;
    std::size_t body_limit = 0;  // in bytes; 0: what the listener says
};

// Returns the calls in no particular order, because the router finds the best match.
std::span<const Call> routes() noexcept;

// Adds the calls of the listener that one of the parts answers. The calls of other parts are left out.
void add_calls(http::Router& router, std::span<const Call> calls, ListenerSet listener, const Parts& parts);
inline void add_routes(http::Router& router, ListenerSet listener, const Parts& parts) {
    add_calls(router, routes(), listener, parts);
}

}  // namespace gateway
