// Answers the calls about what does not agree with the provider's statements: lists, one finding, and a person's word
// on it.
#pragma once

#include "api/exposition.hpp"
#include "api/openapi/written.hpp"
#include "books/reconciler.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"
#include "words/words.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Holds what a person needs to know of a finding's sale, to find it among the till's papers.
struct SoldAs {
    Family family = Family::tv;
    std::string produto;
    std::string terminal;
    std::string cashier;  // empty: nobody named the cashier, or the name was erased
    WallTime created_at{};
};

// Holds a finding, the words in which a person is told what it means, and its sale.
struct SaidFinding {
    const Finding& finding;
    const Words& words;
    std::optional<SoldAs> sold{};  // nothing where there is no sale, or where it cannot be read
};
// Says the findings in the language that the request asks for. The findings must outlive what is returned. A sale that
// the journal does not give is left out, because the findings are news without it, too.
boost::asio::awaitable<std::vector<SaidFinding>> said(const std::vector<Finding>& findings,
                                                      const http::Request& request, Journal& journal);
// Every call writes findings so.
openapi::Parts<SaidFinding> in_parts(const std::vector<SaidFinding>& findings);

// Writes gateway_findings_open for every kind that there can be.
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
