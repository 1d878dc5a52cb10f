// This is the journal of a gateway that shares it with others. Its jobs travel to the server statement by statement,
// over a network that delays and loses messages. A commit whose answer does not come in time ended unknown, and may
// happen later all the same.
#pragma once

#include "journal/chain/chain_journal.hpp"
#include "simulation/shared_database.hpp"

namespace gateway::simulation {

class SharingJournal final : public postgres::ChainJournal {
  public:
    // `number` is the gateway's. All references must outlive this object.
    SharingJournal(World& world, std::size_t number, Clock& clock);

    Awaited<void> probe() override;
    JournalStats stats() const override { return {}; }
    bool healthy() const noexcept override { return true; }

  private:
    // Each job has its own connection and its own commit.
    Awaited<void> commit(Lane lane, Access access, const Engine::Work& work, std::string order) override;
    boost::asio::awaitable<boost::system::error_code> try_once(Access access, const Engine::Work& work);
    // Returns nothing where no answer came in time.
    boost::asio::awaitable<std::optional<SharedDatabase::Answer>> ask(SharedDatabase::Message message);

    World& world_;
    const std::size_t number_;
};

}  // namespace gateway::simulation
