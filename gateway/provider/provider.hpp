// The provider's interface as the gateway uses it: the three steps of a sale, the value queries, and plain GETs for the
// proxy. Adds the token and tells the token keeper when one was no good; decides nothing about a sale.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "families/family.hpp"
#include "http/client/client.hpp"
#include "provider/token_keeper.hpp"
#include "sale/answer.hpp"
#include "sale/sale.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace gateway {

struct ProviderOptions {
    std::string base_path;             // of {base_url}: "" or "/api"
    Duration request_timeout{15'000};  // for one exchange, waiting for a token included
    std::string callback_url;          // how the provider reaches the callbacks listener
    std::string callback_field = "the service";
    std::string health_cancel_path;  // empty: there is none; may hold {health}
};

class Provider {
  public:
    // Every reference must outlive the provider.
    Provider(ProviderOptions options, http::Client& transport, TokenKeeper& tokens, const Clock& clock);

    // One exchange of `step` for `attempt`, which is one of `sale`'s: the same attempt gives the same bytes.
    // nothing_sent with errc::no_token where no token could be had in time, with errc::not_found where there is no path
    // for the step: see can_cancel; with errc::not_wanted where `wanted`, asked right before anything is sent, said no.
    boost::asio::awaitable<Reply> exchange(Step step, const Sale& sale, const Attempt& attempt,
                                           std::function<bool()> wanted = {});

    // Whether a family's sales can be cancelled at all ("health cancel path: not shown"; eSIM has none). A cancel path
    // that leads to a confirm operation counts as none, however it is spelt: a cancel is never sent there.
    bool can_cancel(Family family) const noexcept;

    boost::asio::awaitable<Reply> query(const OptionsQuestion& question, Instant deadline);
    // `target` is a normalised path with its query string.
    boost::asio::awaitable<Reply> get(std::string target, std::string accept, std::string request_id, Instant deadline);

  private:
    std::string path_of(Step step, Family family, std::string_view segment) const;  // empty: there is none
    boost::asio::awaitable<Reply> authorised(http::ClientRequest request, Instant deadline);
    boost::asio::awaitable<Reply> authorised_twice(http::ClientRequest request, Instant deadline);

    const ProviderOptions options_;
    http::Client& transport_;
    TokenKeeper& tokens_;
    const Clock& clock_;
};

}  // namespace gateway
