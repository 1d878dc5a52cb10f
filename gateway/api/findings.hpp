// The calls about what does not agree with the provider's statements: lists, one finding, and a person's word on it.
#pragma once

#include "api/exposition.hpp"
#include "api/language.hpp"
#include "books/reconciler.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>

namespace gateway {

// A finding as every call gives it. `detail` is a sentence for a person, in this language.
boost::json::object finding_json(const Finding& finding, Language language);

// gateway_findings_open, of every kind that there can be.
void expose_findings(Exposition& out, const std::map<FindingKind, std::int64_t>& open);

class FindingsApi {
  public:
    // Both must outlive the api and its routes.
    FindingsApi(Reconciler& reconciler, Journal& journal) : reconciler_(reconciler), journal_(journal) {}

    boost::asio::awaitable<http::Response> list(http::Request& request);
    boost::asio::awaitable<http::Response> one(http::Request& request);
    boost::asio::awaitable<http::Response> resolve(http::Request& request);

  private:
    Reconciler& reconciler_;
    Journal& journal_;
};

}  // namespace gateway
