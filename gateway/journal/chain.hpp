// What gateways that share a journal need of it besides what a journal is for a gateway alone: they prove that they
// live, leave words for each other, and take turns with the token.
#pragma once

#include "journal/journal.hpp"

#include <functional>

namespace gateway {

// What is to be decided of a sale that another gateway carries: it waits in the journal until that one has decided it.
struct LeftWord {
    std::int64_t number = 0;  // given by the journal
    SaleId sale;
    std::optional<IdExterno> attempt{};  // the one that it names; nothing: it is about the sale
    Event event;
    std::string request_id{};  // of the call that it came with
};

// Whose turn it is to ask for a new token.
struct TokenTurn {
    bool is_ours = false;              // for some seconds, in which no other gateway asks
    std::optional<KeptToken> fresh{};  // that another gateway has kept since this one loaded, kept or claimed the last
};

class Chain {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    Chain() = default;
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    // For ever: keeps what Journal::may_act() asks for.
    virtual boost::asio::awaitable<void> keep_lease() = 0;
    // Gives back all that this gateway carries, for others to take over at once. It carries nothing any more.
    virtual Awaited<void> give_back() = 0;

    // Called from now on when another gateway has left a word. One may go unheard: ask words() now and then all the
    // same.
    virtual void when_a_word_is_left(std::function<void()> heard) = 0;
    // Leaves a word for the gateway that carries the sale, and gives its number.
    virtual Awaited<std::int64_t> leave_word(const LeftWord& word) = 0;
    // The words that wait for this gateway, oldest first: of sales that it carries, and of those that nobody does.
    virtual Awaited<std::vector<LeftWord>> words() = 0;
    // Returns whether the word still waits.
    virtual Awaited<bool> is_waiting(std::int64_t number) = 0;
    // The law has no use for the word: it waits no more. errc::not_carried as of Journal::record().
    virtual Awaited<void> dismiss_word(SaleId sale, std::int64_t number) = 0;

    // Claims the turn to ask for a new token, until end_token_turn() or for half a minute. Neither ours nor a fresh
    // token: another gateway is asking.
    virtual Awaited<TokenTurn> claim_token() = 0;
    // Ends the turn, where it is this gateway's: another one may ask.
    virtual Awaited<void> end_token_turn() = 0;

  protected:
    ~Chain() = default;
};

}  // namespace gateway
