// This is a journal as one on another machine may be. Its writes end unknown when a test says so: the connection to it
// broke while a commit was under way, and the commit was done or was not. Which one shows only in what it says
// afterwards. And another gateway owns sales, forwards commands and takes sales over where a test says so.
#pragma once

#include "unit/support/forwarding_journal.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace gateway::test {

class DoubtfulJournal final : public ForwardingJournal {
  public:
    enum class Ending { done, done_but_unknown, not_done_and_unknown, not_done };

    using ForwardingJournal::ForwardingJournal;

    // The endings of the next writes of sales, keys and closes. The writes after those are done.
    std::deque<Ending> endings;
    int writes = 0;  // counts begin, record, reread, cancel_key, begin_close and finish_close
    std::function<void()> before_next_record;
    std::function<void()> before_next_reread;
    // Is awaited before the next begin() is answered, the next claim() is made, or the next find() is.
    std::function<boost::asio::awaitable<void>()> before_next_answer;
    int reads = 0;                              // counts find() and find_key()
    boost::system::error_code refuses_reads;    // the error with which it refuses these; no error: it answers
    boost::system::error_code refuses_claims;   // likewise for claim()
    boost::system::error_code refuses_sharing;  // likewise for adopt() and the calls about forwarded commands
    std::function<void()> before_next_dismissal;
    std::set<SaleId> unwritable;  // the sales whose steps it does not take
    // Says whether several gateways share the journal.
    bool is_shared = false;
    bool is_trusted = true;                   // whether the lease is trusted
    std::set<SaleId> elsewhere;               // what another living gateway owns
    std::set<SaleId> owned;                   // what this gateway owns
    std::set<SaleId> owned_since;             // what another gateway owned after the begin or step that is in doubt
    std::vector<ForwardedCommand> forwarded;  // to whichever gateways own their sales

    std::string trouble;                       // what is wrong with it, in words
    boost::system::error_code refuses_tokens;  // the error with which it refuses tokens; no error: it keeps them

    JournalStats stats() const override {
        auto stats = real_->stats();
        stats.detail = trouble;
        return stats;
    }
    Awaited<void> save_token(const std::optional<KeptToken>& token) override {
        if (refuses_tokens) co_return refuses_tokens;
        co_return co_await real_->save_token(token);
    }
    Awaited<KeyState> begin(const Sale& sale) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        if (ending == Ending::not_done) co_return errc::journal_unavailable;
        auto state = co_await real_->begin(sale);
        co_await let_happen();
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        // SQLite does not know that the sale itself has this key, so that it belongs to no other sale.
        if (state.has_value() && state->sale == sale.id) state->sale.reset();
        if (state.has_value() && owned_since.contains(sale.id)) state->sale = sale.id;
        if (state.has_value() && !state->sale && !state->cancelled && !state->duplicate_of) owned.insert(sale.id);
        co_return state;
    }
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override {
        if (const auto happens = std::exchange(before_next_record, {})) happens();
        if (elsewhere.contains(sale.id)) co_return errc::not_owned;
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        if (unwritable.contains(sale.id)) co_return errc::journal_unavailable;
        if (ending == Ending::not_done) co_return errc::journal_unavailable;
        const auto id = sale.id;
        const bool settles = change.settled;
        auto recorded = co_await real_->record(sale, change, fresh, entry);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        if (settles && recorded.has_value()) owned.erase(id);
        if (entry.forwarded_command)
            std::erase_if(forwarded,
                          [&](const ForwardedCommand& command) { return command.number == *entry.forwarded_command; });
        co_return recorded;
    }
    Awaited<Sale> reread(SaleId id) override {
        if (const auto happens = std::exchange(before_next_reread, {})) happens();
        if (elsewhere.contains(id) || owned_since.erase(id) > 0) co_return errc::not_owned;
        const auto ending = next();
        if (ending != Ending::done) co_return errc::commit_unknown;
        auto sale = co_await real_->reread(id);
        if (sale.has_value() && sale->settled) owned.erase(id);
        co_return sale;
    }
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        if (ending == Ending::not_done) co_return errc::journal_unavailable;
        auto state = co_await real_->cancel_key(terminal, key);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        co_return state;
    }
    Awaited<Close> begin_close(const CloseKey& key, WallTime at, const std::string& by) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        auto close = co_await real_->begin_close(key, at, by);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        co_return close;
    }
    Awaited<void> finish_close(const Close& close) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        auto finished = co_await real_->finish_close(close);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        co_return finished;
    }

    // Fills its disk, until mend() is called.
    void fail() { is_full_ = true; }
    void mend() { is_full_ = false; }
    bool healthy() const noexcept override { return !is_full_ && real_->healthy(); }

    Chain* chain() noexcept override { return is_shared ? this : nullptr; }
    bool may_act() const noexcept override { return is_trusted; }
    bool owns(SaleId id) const override { return (!is_shared || owned.contains(id)) && !elsewhere.contains(id); }
    Awaited<std::optional<Sale>> find(SaleId id) override {
        ++reads;
        if (refuses_reads) co_return refuses_reads;
        co_await let_happen();
        co_return co_await real_->find(id);
    }
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override {
        ++reads;
        if (refuses_reads) co_return refuses_reads;
        co_return co_await real_->find_key(terminal, key);
    }
    Awaited<Sale> claim(SaleId id) override {
        co_await let_happen();
        if (refuses_claims) co_return refuses_claims;
        if (elsewhere.contains(id)) co_return errc::not_owned;
        owned.insert(id);
        co_return co_await real_->claim(id);
    }
    // SQLite gives all that is not settled, and this one nothing that the test did not take away from the other
    // gateway.
    Awaited<AdoptedSales> adopt() override {
        if (refuses_sharing) co_return refuses_sharing;
        if (!is_shared) co_return co_await real_->adopt();
        AdoptedSales adopted;
        for (const auto& id : std::exchange(freed, {})) {
            owned.insert(id);
            adopted.sales.push_back(std::move(*co_await real_->reread(id)));
        }
        co_return adopted;
    }
    Awaited<std::int64_t> forward_command(const ForwardedCommand& command) override {
        if (refuses_sharing) co_return refuses_sharing;
        auto numbered = command;
        numbered.number = ++last_command_;
        forwarded.push_back(std::move(numbered));
        co_return last_command_;
    }
    Awaited<std::vector<ForwardedCommand>> forwarded_commands() override {
        if (refuses_sharing) co_return refuses_sharing;
        std::vector<ForwardedCommand> mine;
        for (const auto& command : forwarded)
            if (!elsewhere.contains(command.sale)) mine.push_back(command);
        co_return mine;
    }
    Awaited<bool> is_waiting(std::int64_t number) override {
        if (refuses_sharing) co_return Result<bool>(boost::system::in_place_error, refuses_sharing);
        co_return std::ranges::any_of(forwarded,
                                      [number](const ForwardedCommand& command) { return command.number == number; });
    }
    Awaited<void> dismiss_command(SaleId sale, std::int64_t number) override {
        if (const auto happens = std::exchange(before_next_dismissal, {})) happens();
        if (elsewhere.contains(sale)) co_return errc::not_owned;
        std::erase_if(forwarded, [number](const ForwardedCommand& command) { return command.number == number; });
        co_return Result<void>();
    }
    Awaited<void> give_back() override {
        has_given_back = true;
        co_return Result<void>();
    }
    Awaited<TokenTurn> claim_token() override {
        if (turns.empty()) co_return TokenTurn{.is_ours = true};
        auto turn = turns.front();
        turns.pop_front();
        co_return turn;
    }
    Awaited<void> end_token_turn() override {
        ++turns_ended;
        co_return Result<void>();
    }
    // The other gateway dies, and the next adopt() returns the sale.
    void free(SaleId id) {
        elsewhere.erase(id);
        freed.push_back(id);
    }
    std::vector<SaleId> freed;
    bool has_given_back = false;
    int turns_ended = 0;
    std::deque<Result<TokenTurn>> turns;  // what claim_token() says, one after the other, and then that it is ours

  private:
    boost::asio::awaitable<void> let_happen() {
        const auto happens = std::exchange(before_next_answer, {});
        if (happens) co_await happens();
    }
    Ending next() {
        ++writes;
        if (is_full_) return Ending::not_done;
        if (endings.empty()) return Ending::done;
        const auto ending = endings.front();
        endings.pop_front();
        return ending;
    }

    std::int64_t last_command_ = 0;
    bool is_full_ = false;
};

}  // namespace gateway::test
