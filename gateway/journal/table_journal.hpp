// What a journal does whichever engine it is on: each operation is a job on the tables, which the engine's own journal
// has run.
#pragma once

#include "journal/encrypted_fields.hpp"
#include "journal/engine.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"
#include "journal/unreadable_sales.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace gateway {

class TableJournal : public Journal {
  public:
    Awaited<std::optional<Sale>> find(SaleId id) override;
    Awaited<SalePage> list(const SaleFilter& filter) override;
    Awaited<std::vector<MarkedSale>> marked() override;
    Awaited<boost::json::array> history(SaleId id) override;
    Awaited<std::int64_t> count_receipt(const Sale& sale) override;
    Awaited<void> note_receipt(const Sale& sale, const std::string& by) override;
    Awaited<DayPage> sales_of_days(const DayFilter& filter, const std::string& after) override;
    Awaited<DayPage> sales_of_close(const CloseKey& key, const std::string& after) override;
    Awaited<OpenPage> open_sales(const std::optional<std::string>& estabelecimento, const std::string& after) override;
    Awaited<Close> begin_close(const CloseKey& key, WallTime at, const std::string& by) override;
    Awaited<void> finish_close(const Close& close) override;
    Awaited<std::vector<Close>> closes(const CloseFilter& filter) override;
    Awaited<std::vector<Day>> forgotten_days(const std::string& estabelecimento, Day from, Day to) override;
    Awaited<Dated> date_old_sales(const Rules& rules) override;
    Awaited<std::optional<KeptStatement>> known_statement(const std::string& digest,
                                                          const std::string& reading) override;
    Awaited<std::optional<KeptStatement>> last_statement(const std::string& source) override;
    Awaited<std::vector<KeptStatement>> statements(std::optional<std::int64_t> before, std::size_t limit) override;
    Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                           const std::vector<Finding>& findings) override;
    Awaited<std::vector<Finding>> findings(const FindingFilter& filter) override;
    Awaited<Finding> close_finding(std::int64_t number, const std::string& note, const std::string& by,
                                   WallTime at) override;
    Awaited<Finding> finding_done(std::int64_t number, const std::string& effect, bool settled, WallTime at) override;
    Awaited<std::map<FindingKind, std::int64_t>> open_findings() override;
    Awaited<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos) override;
    Awaited<std::vector<std::string>> id_prefixes() override;
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override;
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override;
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret) override;
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override;
    Awaited<boost::json::array> callbacks(SaleId id) override;
    Awaited<Erased> erase_personal(WallTime cutoff) override;
    Awaited<KeyRotationState> rotate_keys() override;
    bool encrypts() const noexcept override { return cipher_->encrypts(); }
    std::uint64_t unreadable() const noexcept override { return counts_.met; }
    std::uint64_t unreadable_sales() const noexcept override { return counts_.sales; }

  protected:
    using Access = Engine::Access;
    // Who waits for a job. What a sale waits for is not kept by a list of many.
    enum class Lane { of_sales, of_lists };

    // The clock must outlive it. `encrypted_tables`: what is erased and what is encrypted anew.
    TableJournal(std::unique_ptr<FieldCipher> cipher, Clock& clock, std::span<const encrypted::Table> encrypted_tables)
        : clock_(clock), cipher_(std::move(cipher)), encrypted_tables_(encrypted_tables) {}

    // Runs the job in the next commit. An error: nothing of it has happened, or, of a journal whose commits can end
    // unknown, errc::commit_unknown. Of the jobs of one commit those whose `order` sorts first ask first.
    virtual Awaited<void> commit(Lane lane, Access access, const Engine::Work& work, std::string order) = 0;
    // Whether this gateway does what one of those that share the journal does for all of them.
    virtual Job<bool> may_keep_house(Tx& tx) = 0;

    // Runs a job, which is given a Tx. It may refer to the arguments of the operation, which live until the caller has
    // awaited it; what may change meanwhile is taken along as it is now.
    template <class T, class Work>
    Awaited<T> perform(Lane lane, Access access, Work work, std::string order = {});

    Moment moment() const { return {.now = clock_.now(), .wall = clock_.wall(), .boot = clock_.boot()}; }

    Clock& clock_;
    const std::unique_ptr<FieldCipher> cipher_;
    UnreadableSales::Counts counts_;
    UnreadableSales unreadable_sales_{clock_, counts_};

  private:
    // The same of a job that only reads.
    template <class T, class Work>
    Awaited<T> read(Lane lane, Work work) {
        return perform<T>(lane, Access::read, std::move(work));
    }
    // The same of what one gateway does for all; T{} where this one does not.
    template <class T, class Work>
    Awaited<T> keep_house(Work work);

    const std::span<const encrypted::Table> encrypted_tables_;
    std::string erasure_came_back_to_;  // see erasure.hpp
};

template <class T, class Work>
auto TableJournal::perform(Lane lane, Access access, Work work, std::string order) -> Awaited<T> {
    const auto at = moment();
    if constexpr (std::is_void_v<T>) {
        const Engine::Work job = [&](Transaction& transaction) -> Job<void> {
            Tx tx(transaction, *cipher_, unreadable_sales_, at);
            co_await work(tx);
        };
        co_return co_await commit(lane, access, job, std::move(order));
    } else {
        std::optional<T> result;
        const Engine::Work job = [&](Transaction& transaction) -> Job<void> {
            Tx tx(transaction, *cipher_, unreadable_sales_, at);
            auto made = co_await work(tx);
            result.emplace(std::move(made));
        };
        const auto committed = co_await commit(lane, access, job, std::move(order));
        if (committed.has_error()) co_return Result<T>(boost::system::in_place_error, committed.error());
        co_return Result<T>(boost::system::in_place_value, std::move(*result));
    }
}

}  // namespace gateway
