// A gateway's journal where several share one: its jobs travel to the server statement by statement, over a network
// that delays and loses. A commit whose answer does not come in time ended unknown; it may come about later all the
// same.
#pragma once

#include "journal/chain/chain_journal.hpp"
#include "simulation/shared_database.hpp"

namespace gateway::simulation {

class SharingJournal final : public postgres::ChainJournal {
  public:
    // `number` of the gateway. All references must outlive it.
    SharingJournal(World& world, std::size_t number, Clock& clock);

    Awaited<void> probe() override;
    JournalStats stats() const override { return {}; }
    bool healthy() const noexcept override { return true; }

  private:
    // Each job has a connection, and a commit, of its own.
    Awaited<void> commit(Lane lane, Access access, const Engine::Work& work, std::string order) override;
    boost::asio::awaitable<boost::system::error_code> try_once(Access access, const Engine::Work& work);
    // Nothing where no answer has come in time.
    boost::asio::awaitable<std::optional<SharedDatabase::Answer>> ask(SharedDatabase::Message message);

    World& world_;
    const std::size_t number_;
};

}  // namespace gateway::simulation
