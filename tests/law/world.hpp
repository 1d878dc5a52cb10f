// The whole world of one sale: the sale as a class, and for each attempt the exchange that is under way, the messages
// that are still in the network, and the provider's books. The moves are everything that can happen next.
//
// What the terminal was told needs no place in a state: it is told what outcome_of() says at any moment, and a final
// status never changes (which is checked at every decision), so what it was told is what it would be told now.
#pragma once

#include "law/compiled_law.hpp"
#include "law/provider_model.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gateway::law {

struct Configuration {
    std::string name;
    Terms terms;
    Provider provider{};
    bool chain = false;       // several gateways share the journal
    bool statements = false;  // the provider's statements are read, and may be of last night
    bool restored = false;    // the sale is found in a journal that was restored from a copy
};

// The first request that is answered 401 adds one attempt to the max_attempts of the rules, which are two at most.
inline constexpr std::size_t most_attempts = 3;

// Holds what is outside of the journal, of one attempt. It is packed, because there are millions.
struct Place {
    // These are messages that nobody waits for any more, and that may arrive after anything else.
    static constexpr std::uint8_t stray_request = 1;
    static constexpr std::uint8_t stray_confirm = 2;
    static constexpr std::uint8_t stray_cancel = 4;
    // Another gateway is paused before the first byte of the request; or it has sent it, and has not told so.
    static constexpr std::uint8_t paused = 8;
    static constexpr std::uint8_t untold = 16;

    std::uint8_t exchange = 0;  // none, or one more than the step
    std::uint8_t answer = 0;    // what the provider has said, if it is on its way back
    Book book = Book::none;
    std::uint8_t messages = 0;

    bool has(std::uint8_t message) const { return (messages & message) != 0; }
    bool under_way() const { return exchange != 0; }
    Step step() const { return static_cast<Step>(exchange - 1); }
    friend bool operator==(const Place&, const Place&) = default;
};

struct World {
    CompiledLaw::Number sale = 0;
    std::array<Place, most_attempts> places{};
    friend bool operator==(const World&, const World&) = default;
};

struct Move {
    std::string_view what;
    std::size_t attempt = 0;
    bool calm = true;  // it happens without faults, and without anybody who asks for something
    std::optional<Happening> happening{};
    std::optional<Step> step{};
    std::optional<Said> said{};
};
std::string in_words(const Move& move);

class Moves {
  public:
    using Visit = std::function<void(const World&, const Move&)>;

    Moves(const Configuration& configuration, CompiledLaw& law) : configuration_(configuration), law_(law) {}

    std::vector<World> beginnings();
    // Calls `visit` with each world that may come next. Throws Broken where a move breaks a promise.
    void each(const World& world, const Visit& visit);

  private:
    void of_exchange(const World& world, std::size_t i);
    void of_network(const World& world, std::size_t i);
    void of_provider(const World& world, std::size_t i);
    void of_other_gateway(const World& world, std::size_t i);
    void of_people(const World& world);
    void of_failures(const World& world);
    void of_time(const World& world);

    void begin(const World& world, std::size_t i);
    void arrive(const World& world, std::size_t i, Step step, std::uint8_t message);
    void start_again(const World& world, Restart how);
    void lose(World world, bool forget, std::optional<std::size_t> dropped);
    World with_lost(World world, bool all);
    void answer(World world, std::size_t i, const Move& move);
    void decide(World world, std::size_t i, Move move);
    const SaleClass& sale(const World& world) const { return law_[world.sale]; }

    const Configuration& configuration_;
    CompiledLaw& law_;
    const Visit* visit_ = nullptr;
};

std::string in_words(const World& world, const CompiledLaw& law);

}  // namespace gateway::law
