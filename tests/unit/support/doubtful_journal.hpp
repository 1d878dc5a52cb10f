// A journal whose writes end unknown when a test says so: the connection to it broke while a commit was under way, and
// the commit was done or was not. Which one shows only in what it says afterwards.
#pragma once

#include "unit/support/forwarding_journal.hpp"

#include <deque>
#include <utility>

namespace gateway::test {

class DoubtfulJournal final : public ForwardingJournal {
  public:
    enum class Ending { done, done_but_unknown, not_done_and_unknown };

    using ForwardingJournal::ForwardingJournal;

    // How the next writes of sales, keys and closes end; those after them are done.
    std::deque<Ending> endings;
    int writes = 0;  // begin, record, reread, cancel_key, begin_close, finish_close

    Awaited<KeyState> begin(const Sale& sale) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        auto state = co_await real_.begin(sale);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        // What SQLite need not know: the sale's own key, met again, is no other sale's.
        if (state.has_value() && state->sale == sale.id) state->sale.reset();
        co_return state;
    }
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        auto recorded = co_await real_.record(sale, change, fresh, entry);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        co_return recorded;
    }
    Awaited<Sale> reread(SaleId id) override {
        const auto ending = next();
        if (ending != Ending::done) co_return errc::commit_unknown;
        co_return co_await real_.reread(id);
    }
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        auto state = co_await real_.cancel_key(terminal, key);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        co_return state;
    }
    Awaited<Close> begin_close(const CloseKey& key, WallTime at, const std::string& by) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        auto close = co_await real_.begin_close(key, at, by);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        co_return close;
    }
    Awaited<void> finish_close(const Close& close) override {
        const auto ending = next();
        if (ending == Ending::not_done_and_unknown) co_return errc::commit_unknown;
        auto finished = co_await real_.finish_close(close);
        if (ending == Ending::done_but_unknown) co_return errc::commit_unknown;
        co_return finished;
    }

  private:
    Ending next() {
        ++writes;
        if (endings.empty()) return Ending::done;
        const auto ending = endings.front();
        endings.pop_front();
        return ending;
    }
};

}  // namespace gateway::test
