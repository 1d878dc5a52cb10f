// The journal on PostgreSQL sends its jobs over sessions, whose commits are counted. Before it is opened, everything
// that may be wrong with the database, the keys and the other gateways on it is found out, and said in words.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"
#include "journal/chain/acknowledged_commits.hpp"
#include "journal/chain/chain_journal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gateway::postgres {

class PostgresJournal final : public ChainJournal {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    // Every reference must outlive this object. `tally_file`: see tally_file.hpp.
    PostgresJournal(boost::asio::any_io_executor executor, Clock& clock, const Client& client,
                    const SessionOptions& options, std::unique_ptr<FieldCipher> cipher, const Identity& identity,
                    const std::string& tally_file, Random& random);

    boost::asio::awaitable<void> keep_lease() override;
    boost::asio::awaitable<void> renew_lease() override;
    // Is called before the journal itself writes anything: see AcknowledgedCommits::compare().
    boost::asio::awaitable<boost::system::result<void, std::string>> compare_acknowledged();
    Session& writer() noexcept { return writer_; }

    bool may_act() const noexcept override { return ChainJournal::may_act() && acknowledged_.is_whole(); }
    Awaited<void> probe() override;
    JournalStats stats() const override;
    // Checks the server as a new connection would, and looks at its standbys, on the connection that has nothing else
    // to do. Leaves a server that would be refused.
    boost::asio::awaitable<void> look_at_database();
    bool healthy() const noexcept override {
        return writer_.healthy() && reader_.healthy() && leases_.hindrance().empty() && !waits_for_standby();
    }

  private:
    Awaited<void> commit(Lane lane, Access access, const Engine::Work& work, std::string order) override {
        return (lane == Lane::of_sales ? writer_ : reader_).commit(access, work, std::move(order));
    }
    SessionOptions listening(SessionOptions options);
    boost::asio::awaitable<void> watch_database();
    std::uint64_t commits() const noexcept { return writer_.stats().commits + reader_.stats().commits; }
    bool waits_for_standby() const noexcept;
    std::string detail(const boost::system::error_code& failure) const;

    const boost::asio::any_io_executor executor_;
    const Client& client_;
    const SessionOptions options_;
    DatabaseState database_;
    std::uint64_t commits_when_seen_ = 0;  // how many commits were done at that time
    AcknowledgedCommits acknowledged_;
    Session writer_;
    Session reader_;
    Session listener_;
};

struct PostgresOptions {
    SessionOptions session;
    Identity identity;  // key_name is set from `keys`
    // Customers' data, goods and tokens are encrypted with these keys: the first one encrypts, all of them decrypt.
    std::vector<Secret> keys{};
    std::string tally_file{};  // see tally_file.hpp; empty: there is none
    std::string id_prefix{};   // of every idExterno from now on, which the journal remembers; empty: they have none
};

// Makes the tables or brings them up to date, finds out whether the database has lost commits, begins a run as soon as
// the runs in its way are dead, and agrees with the other gateways on the keys. Afterwards the gateway holds its lease;
// keep_lease() renews it. The references must outlive the journal.
boost::asio::awaitable<boost::system::result<std::unique_ptr<PostgresJournal>, std::string>> open_postgres_journal(
    boost::asio::any_io_executor executor, Clock& clock, const Client& client, PostgresOptions options, Random& random);

}  // namespace gateway::postgres
