// These are the provider's books. They hold every sale by its idExterno, its status, and every request about it that
// was ever seen, so that a test can ask afterwards what really happened. An idExterno that came without a sale of its
// own (a cancel that overtook its request, a request that was lost) has an entry as well, with the status `none`. One
// idExterno has two entries only where the personality sells it twice.
//
// The books are bounded: at the limit, the oldest entry that is at rest makes room. An entry that was forgotten counts
// as never seen. The books also count how many requests came and which ones departed from the interface: the test of a
// client wants none of these.
#pragma once

#include "base/clock.hpp"
#include "sandbox/words.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gateway::sandbox {

struct Count {
    std::uint64_t seen = 0;
    std::uint64_t processed = 0;  // it moved a sale, issued a token or answered a query
    std::uint64_t refused = 0;    // the provider's rules refused it, and no fault did
    std::uint64_t lost = 0;       // the connection was closed without an answer
};

struct Departure {
    WallTime at{};
    std::optional<Step> step{};  // none: no operation has that address
    std::optional<Family> family{};
    std::string idExterno{};
    std::string reason{};
};

class Metrics {
  public:
    Count& count(Step step, std::optional<Family> family) { return counts_.at(index(step, family)); }
    const Count& count(Step step, std::optional<Family> family) const { return counts_.at(index(step, family)); }

    void depart(Departure departure);
    std::uint64_t departures() const noexcept { return departures_; }
    const std::deque<Departure>& latest_departures() const noexcept { return latest_; }

  private:
    static constexpr std::size_t kinds = steps.size() * (families.size() + 1);
    static std::size_t index(Step step, std::optional<Family> family);

    std::array<Count, kinds> counts_{};
    std::uint64_t departures_ = 0;
    std::deque<Departure> latest_;
};

// Tells of one request or callback, and what became of it.
struct Seen {
    WallTime at{};
    Step step{};
    std::string_view behaviour{};  // the name in outcomes and faults, such as "lose_answer"
    bool processed = false;        // the provider acted on it; false too where it only read it
    int answered = 0;              // the HTTP status that the caller was sent; 0: no answer was sent
    Status status{};               // the sale's status afterwards
    std::string reason{};          // why it was refused; this names fields and never quotes them
    std::uint64_t body = 0;        // a digest: two requests with the same digest were the same byte for byte
};

struct Transaction {
    std::string idExterno{};
    WallTime first_seen{};
    Status status = Status::none;

    // These belong to the sale, and are empty while there is none.
    std::string idTransacao{};
    Family family{};
    std::string segment{};  // the operator's or partner's word in the path, for transit and health
    std::string estabelecimento{};
    std::string produto{};
    std::string fornecedor{};
    Cents valor = 0;
    std::string produtoIdParceiro{};
    WallTime accepted{};
    bool cancel_came = false;    // a cancel came before there was a sale
    std::uint64_t order_body{};  // a digest of the request that became the sale
    WallTime finished{};         // when its status became final; empty until then
    std::string nsu{};
    std::string instrucao{};  // it is made once together with the goods, so that a repeated answer hands over the same
    std::string goods{};      // the PIN or the activation address

    std::array<int, steps.size()> calls{};  // how many calls of each step were seen
    std::vector<Seen> history{};
    std::size_t history_left_out = 0;

    int& calls_of(Step step) { return calls.at(static_cast<std::size_t>(step)); }
    int calls_of(Step step) const { return calls.at(static_cast<std::size_t>(step)); }
    // Gives the sale a status. A final status stays (rule 6 of the interface), and then this returns false.
    bool move_to(Status wanted, WallTime now);
    void note(Seen seen);
};

class Books {
  public:
    explicit Books(std::size_t keep) : keep_(keep) {}

    // Returns the entry for an idExterno, and makes one if there is none. The next call of this may remove any entry.
    Transaction& entry(const std::string& idExterno, WallTime now);
    // Makes one more entry under an idExterno that has one: from now on, a look-up finds the new one.
    Transaction& add(const std::string& idExterno, WallTime now);
    Transaction* find(const std::string& idExterno) { return find_in(by_external_, idExterno); }
    Transaction* find_by_id(const std::string& idTransacao) { return find_in(by_id_, idTransacao); }
    const Transaction* find(const std::string& idExterno) const { return find_in(by_external_, idExterno); }
    const Transaction* find_by_id(const std::string& idTransacao) const { return find_in(by_id_, idTransacao); }
    // This must be called when the entry has got its idTransacao.
    void index(const Transaction& transaction);

    const std::list<Transaction>& all() const noexcept { return entries_; }  // in the order of their first request
    std::uint64_t forgotten() const noexcept { return forgotten_; }
    void clear();

  private:
    using Index = std::unordered_map<std::string, Transaction*>;

    static Transaction* find_in(const Index& index, const std::string& name) {
        const auto found = index.find(name);
        return found == index.end() ? nullptr : found->second;
    }
    void make_room();

    std::size_t keep_;
    std::list<Transaction> entries_;
    Index by_external_;
    Index by_id_;
    std::uint64_t forgotten_ = 0;
};

}  // namespace gateway::sandbox
