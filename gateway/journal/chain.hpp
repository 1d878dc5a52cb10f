// Gateways that share a journal need more of it than a gateway alone: they prove that they live, leave words for each
// other, and take turns with the token.
#pragma once

#include "journal/journal.hpp"

#include <functional>

namespace gateway {

// Says what is to be decided of a sale that another gateway owns. It waits in the journal until that is done.
struct LeftWord {
    std::int64_t number = 0;  // given by the journal
    SaleId sale;
    std::optional<IdExterno> attempt{};  // that the word names; nothing: it is about the sale
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

    // From now on `heard` is called when another gateway has left a word. One may go unheard: ask words() now and then
    // all the same.
    virtual void when_a_word_is_left(std::function<void()> heard) = 0;
    // Leaves a word for the gateway that owns the sale, and gives its number.
    virtual Awaited<std::int64_t> leave_word(const LeftWord& word) = 0;
    // Returns the words that wait for this gateway, oldest first: of sales that it owns, or that nobody owns.
    virtual Awaited<std::vector<LeftWord>> words() = 0;
    // Returns whether the word still waits.
    virtual Awaited<bool> is_waiting(std::int64_t number) = 0;
    // Takes away a word that the law has no use for. Fails with errc::not_owned as Journal::record() does.
    virtual Awaited<void> dismiss_word(SaleId sale, std::int64_t number) = 0;

    // Claims the turn to ask for a new token, until end_token_turn() or for half a minute. Where the turn is not ours
    // and there is no fresh token, another gateway is asking.
    virtual Awaited<TokenTurn> claim_token() = 0;
    // Ends the turn, where it is this gateway's, so that another one may ask.
    virtual Awaited<void> end_token_turn() = 0;

  protected:
    ~Chain() = default;
};

}  // namespace gateway
