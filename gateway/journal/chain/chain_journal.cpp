#include "journal/chain/chain_journal.hpp"

#include "journal/chain/forwarded_commands.hpp"
#include "journal/duplicates.hpp"

namespace gateway::postgres {

ChainJournal::ChainJournal(std::unique_ptr<FieldCipher> cipher, Clock& clock, Identity identity, std::string tally_file,
                           std::string new_file, Random& random)
    : TableJournal(std::move(cipher), clock, encrypted::tables_of_several, identity.name),
      random_(random),
      tally_file_(std::move(tally_file), std::move(new_file)),
      leases_(*this, std::move(identity), tally_file_, random) {}

boost::asio::awaitable<void> ChainJournal::keep_lease() {
    while (true) {
        co_await renew_lease();
        co_await clock_.sleep_for(renew_every);
    }
}

auto ChainJournal::begin(const Sale& sale) -> Awaited<KeyState> {
    std::optional<std::string> hash;
    if (sale.duplicate_check && duplicate_key_.empty()) {
        const auto read = [this](Tx& tx) { return duplicates::key(tx, &random_); };
        auto key = co_await perform<std::string>(Lane::of_sales, Access::write, read);
        if (key.has_error()) co_return key.error();
        duplicate_key_ = std::move(*key);
    }
    if (sale.duplicate_check) hash = duplicate_hash(sale, duplicate_key_);
    co_return co_await ownership_.begin(sale, hash);
}

auto ChainJournal::forward_command(const ForwardedCommand& command) -> Awaited<std::int64_t> {
    return perform<std::int64_t>(Lane::of_sales, Access::write,
                                 [&](Tx& tx) { return forwarded_commands::forward(tx, command); });
}

auto ChainJournal::forwarded_commands() -> Awaited<std::vector<ForwardedCommand>> {
    return perform<std::vector<ForwardedCommand>>(Lane::of_lists, Access::glance, [run = leases_.run()](Tx& tx) {
        return forwarded_commands::waiting_for(tx, run);
    });
}

// A glance (see Engine::Access) is enough, because nobody is told this answer: once the command no longer waits, its
// caller is answered from the sale itself.
auto ChainJournal::is_waiting(std::int64_t number) -> Awaited<bool> {
    return perform<bool>(Lane::of_lists, Access::glance,
                         [number](Tx& tx) { return forwarded_commands::is_waiting(tx, number); });
}

// There is nothing to do here, because the database itself vacuums rows that were replaced.
auto ChainJournal::forget_old_pages() -> Awaited<void> {
    co_return Result<void>();
}

auto ChainJournal::check_files() -> Awaited<void> {
    co_return Result<void>();
}

}  // namespace gateway::postgres
