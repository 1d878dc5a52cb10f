// Gateways that share a journal need more of it than a gateway alone: they prove that they live, forward commands
// to each other, and take turns with the token.
#pragma once

#include "journal/journal.hpp"

#include <functional>

namespace gateway {

// Says what is to be decided of a sale that another gateway owns. It waits in the journal until that is done.
struct ForwardedCommand {
    std::int64_t number = 0;  // given by the journal
    SaleId sale;
    std::optional<IdExterno> attempt{};  // that the command names; nothing: it is about the sale
    Event event;
    std::string request_id{};  // of the call that it came with
};

// Tells whose turn it is to ask for a new token.
struct TokenTurn {
    bool is_ours = false;              // for some seconds, in which no other gateway asks
    std::optional<KeptToken> fresh{};  // kept by another gateway since this one loaded, kept or claimed the last
};

class Chain {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    Chain() = default;
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    // Keeps, without end, the lease that Journal::may_act() asks for.
    virtual boost::asio::awaitable<void> keep_lease() = 0;
    // Gives back all sales that this gateway owns, so that others can take them over at once.
    virtual Awaited<void> give_back() = 0;

    // From now on `heard` is called when another gateway has forwarded a command. One may go unheard: ask
    // forwarded_commands() now and then all the same.
    virtual void when_a_command_is_forwarded(std::function<void()> heard) = 0;
    // Forwards a command to the gateway that owns the sale, and gives its number.
    virtual Awaited<std::int64_t> forward_command(const ForwardedCommand& command) = 0;
    // Returns the commands that wait for this gateway, oldest first: of sales that it owns, or that nobody owns.
    virtual Awaited<std::vector<ForwardedCommand>> forwarded_commands() = 0;
    // Returns whether the command still waits.
    virtual Awaited<bool> is_waiting(std::int64_t number) = 0;
    // Takes away a command that the law has no use for. Fails with errc::not_owned as Journal::record() does.
    virtual Awaited<void> dismiss_command(SaleId sale, std::int64_t number) = 0;

    // Claims the turn to ask for a new token, until end_token_turn() or for half a minute. Where the turn is not ours
    // and there is no fresh token, another gateway is asking.
    virtual Awaited<TokenTurn> claim_token() = 0;
    // Ends the turn, where it is this gateway's, so that another one may ask.
    virtual Awaited<void> end_token_turn() = 0;

  protected:
    ~Chain() = default;
};

}  // namespace gateway
