// The compiled law over classes of sales: what decide() and next_action() make of each class, computed once for each.
// Every class is examined when it is met first, with every kind of event and not only with those that may come.
#pragma once

#include "law/happening.hpp"
#include "law/sale_class.hpp"
#include "sale/machine.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace gateway::law {

// Is thrown where a promise is broken, and says which.
struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void require(bool is_so, const char* promise) {
    if (!is_so) throw Broken(promise);
}

// These functions are the law. A test of this program puts its deliberate faults into their place.
struct Functions {
    std::function<decltype(gateway::decide)> decide = gateway::decide;
    std::function<decltype(gateway::next_action)> next_action = gateway::next_action;
    // If not, the law may do what is_legal_move() and is_possible() forbid, so that the promises find a deliberate
    // fault and not these lists.
    bool keeps_its_own_lists = true;
};

// Says what the law is asked about: these never change during the life of a sale.
struct Terms {
    Family family = Family::tv;
    ConfirmMode mode = ConfirmMode::automatic;
    Rules rules{};
};

class CompiledLaw {
  public:
    using Number = std::uint32_t;  // of a class
    // Says what the driver would do now for an attempt without an exchange: begin one, or (nothing) hand in Elapsed.
    using Due = std::vector<std::optional<Step>>;

    CompiledLaw(Terms terms, Functions functions) : terms_(std::move(terms)), functions_(std::move(functions)) {}

    const Terms& terms() const { return terms_; }
    std::size_t classes() const { return nodes_.size(); }
    const SaleClass& operator[](Number number) const { return nodes_[number].sale; }

    Number number_of(const SaleClass& sale);
    // Returns what becomes of the sale by the event, with another attempt if one follows.
    Number decided(Number sale, std::size_t attempt, const Happening& happening);
    const Due& due(Number sale, std::size_t attempt);
    // Returns the classes to which time alone leads.
    const std::vector<Number>& later(Number sale);
    // These return the classes that a journal leaves of the sale: see sale_class.hpp.
    Number reread(Number sale);
    Number restarted(Number sale, Restart how);

  private:
    struct Node {
        SaleClass sale;
        std::vector<Due> due{};
        std::optional<std::vector<Number>> later{};
        std::optional<Number> reread{};
        std::array<std::optional<Number>, 3> restarted{};
        bool examined = false;
    };

    Sale example(const SaleClass& of, CameFirst first = CameFirst::pause) const {
        return example_of(of, terms_.rules, terms_.family, terms_.mode, first);
    }
    Change decide(const Sale& sale, std::size_t attempt, const Happening& happening, std::uint32_t chance) const;
    // Decides, and checks what must be true of every decision.
    Sale decide_well(const Sale& before, std::size_t attempt, const Happening& happening) const;
    void examine(Number number);
    void check_attempt(const Attempt& before, const Attempt& after) const;
    Due find_due(const SaleClass& of, std::size_t attempt) const;
    void check_exchange(const SaleClass& sale, const AttemptClass& attempt, Step step) const;

    const Terms terms_;
    const Functions functions_;
    std::deque<Node> nodes_;
    std::map<SaleClass, Number> numbers_;
    std::unordered_map<std::uint64_t, Number> decided_;  // by the class, the attempt and the happening
};

}  // namespace gateway::law
