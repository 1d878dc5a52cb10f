// The provider's books: every sale by its idExterno, where it stands, and every request about it that was ever seen, so
// that a test can ask afterwards what really happened. An idExterno that came without a sale of its own (a cancel that
// overtook its request, a request that was lost) has an entry as well, with the status `none`. There are two entries of
// one idExterno only where the personality sells it twice.
//
// Bounded: at the limit the oldest entry that is at rest makes room. What was forgotten counts as never seen.
#pragma once

#include "base/clock.hpp"
#include "sandbox/words.hpp"

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gateway::sandbox {

// One request (or callback), and what became of it.
struct Seen {
    WallTime at{};
    Step step{};
    std::string_view behaviour{};  // as outcomes and faults call it: "lose_answer"
    bool processed = false;        // the provider acted on it; false too where it only read it
    int answered = 0;              // the HTTP status that the caller was sent; 0: nothing
    Status status{};               // of the sale, afterwards
    std::string reason{};          // of a refusal; names fields, never quotes them
    std::uint64_t body = 0;        // a digest: two requests with the same one were byte for byte the same
};

struct Transaction {
    std::string idExterno{};
    WallTime first_seen{};
    Status status = Status::none;

    // Of the sale; empty while there is none.
    std::string idTransacao{};
    Family family{};
    std::string segment{};  // of the path, for transit and health
    std::string estabelecimento{};
    std::string produto{};
    std::string fornecedor{};
    Cents valor = 0;
    std::string produtoIdParceiro{};
    WallTime accepted{};
    bool cancel_came = false;    // before there was a sale
    std::uint64_t order_body{};  // a digest of the request that became the sale
    WallTime finished{};         // when it became final; nothing in it while it is not
    std::string nsu{};
    std::string instrucao{};  // with the goods: made once, so that a repeated answer hands over the same
    std::string goods{};      // the PIN or the activation address

    std::array<int, steps.size()> calls{};  // seen, by step
    std::vector<Seen> history{};
    std::size_t history_left_out = 0;

    int& calls_of(Step step) { return calls.at(static_cast<std::size_t>(step)); }
    int calls_of(Step step) const { return calls.at(static_cast<std::size_t>(step)); }
    // Gives the sale a status; one that is final stays (rule 6 of the interface), and false is returned.
    bool move_to(Status wanted, WallTime now);
    void note(Seen seen);
};

class Books {
  public:
    explicit Books(std::size_t keep) : keep_(keep) {}

    // The entry for an idExterno, made if there is none. Any entry may be gone after the next call of this.
    Transaction& entry(const std::string& idExterno, WallTime now);
    // One more entry under an idExterno that has one: from now on it is the one that is found by it.
    Transaction& add(const std::string& idExterno, WallTime now);
    Transaction* find(const std::string& idExterno);
    Transaction* find_by_id(const std::string& idTransacao);
    const Transaction* find(const std::string& idExterno) const;
    const Transaction* find_by_id(const std::string& idTransacao) const;
    // To be called when the entry has got its idTransacao.
    void index(const Transaction& transaction);

    const std::list<Transaction>& all() const noexcept { return entries_; }  // in the order of their first request
    std::uint64_t forgotten() const noexcept { return forgotten_; }
    void clear();

  private:
    using Entry = std::list<Transaction>::iterator;
    void make_room();

    std::size_t keep_;
    std::list<Transaction> entries_;
    std::unordered_map<std::string, Entry> by_external_;
    std::unordered_map<std::string, Transaction*> by_id_;
    std::uint64_t forgotten_ = 0;
};

}  // namespace gateway::sandbox
