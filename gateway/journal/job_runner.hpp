// Runs jobs on the tables of a journal. The journal of each engine derives from this.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/engine.hpp"
#include "journal/field_cipher.hpp"
#include "journal/tx.hpp"
#include "journal/unreadable_sales.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace gateway {

class JobRunner {
  public:
    template <class T>
    using Awaited = boost::asio::awaitable<Result<T>>;
    using Access = Engine::Access;
    // Says who waits for a job. A list of many sales does not delay a job that a sale waits for.
    enum class Lane { of_sales, of_lists };

    JobRunner(const JobRunner&) = delete;
    JobRunner& operator=(const JobRunner&) = delete;

    // Runs a job, which gets a Tx, in the next commit, and returns its result once that commit is done. The job may be
    // run more than once, and may refer to anything that lives until the caller has awaited the result. An error means
    // that nothing of the job has happened. The exception is errc::commit_unknown, which only a journal whose commits
    // can end unknown returns: the job may have happened. Among the jobs of one commit, those with the smaller `order`
    // ask for their rows first.
    template <class T, class Work>
    Awaited<T> perform(Lane lane, Access access, Work work, std::string order = {});

    FieldCipher& cipher() noexcept { return *cipher_; }
    Clock& clock() noexcept { return clock_; }

  protected:
    JobRunner(std::unique_ptr<FieldCipher> cipher, Clock& clock) : clock_(clock), cipher_(std::move(cipher)) {}
    ~JobRunner() = default;

    Moment moment() const { return {.now = clock_.now(), .wall = clock_.wall(), .boot = clock_.boot()}; }

    Clock& clock_;
    const std::unique_ptr<FieldCipher> cipher_;
    UnreadableSales::Counts counts_;
    UnreadableSales unreadable_sales_{clock_, counts_};

  private:
    // Runs a job that gets a Transaction and has no result; otherwise it does what perform() says.
    virtual Awaited<void> commit(Lane lane, Access access, const Engine::Work& work, std::string order) = 0;
};

template <class T, class Work>
auto JobRunner::perform(Lane lane, Access access, Work work, std::string order) -> Awaited<T> {
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
