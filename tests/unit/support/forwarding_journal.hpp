// This is a journal that forwards every call to another one. A test overrides the calls that it wants to be different.
#pragma once

#include "journal/chain.hpp"

namespace gateway::test {

class ForwardingJournal : public Journal, public Chain {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    // `real` must outlive this object.
    explicit ForwardingJournal(Journal& real) : real_(&real) {}
    // Forwards to another journal from now on.
    void lead_to(Journal& real) { real_ = &real; }

    Awaited<KeyState> begin(const Sale& sale) override { return real_->begin(sale); }
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override {
        return real_->record(sale, change, fresh, entry);
    }
    Awaited<Sale> reread(SaleId id) override { return real_->reread(id); }
    Awaited<std::optional<Sale>> find(SaleId id) override { return real_->find(id); }
    Awaited<SalePage> list(const SaleFilter& filter) override { return real_->list(filter); }
    Awaited<std::vector<MarkedSale>> marked() override { return real_->marked(); }
    Awaited<History> history(SaleId id) override { return real_->history(id); }
    Awaited<std::int64_t> count_receipt(const Sale& sale) override { return real_->count_receipt(sale); }
    Awaited<void> note_receipt(const Sale& sale, const std::string& by) override {
        return real_->note_receipt(sale, by);
    }
    Awaited<DayPage> sales_of_days(const DayFilter& filter, const std::string& after) override {
        return real_->sales_of_days(filter, after);
    }
    Awaited<DayPage> sales_of_close(const CloseKey& key, const std::string& after) override {
        return real_->sales_of_close(key, after);
    }
    Awaited<OpenPage> open_sales(const std::optional<std::string>& estabelecimento, const std::string& after) override {
        return real_->open_sales(estabelecimento, after);
    }
    Awaited<Close> begin_close(const CloseKey& key, WallTime at, const std::string& by) override {
        return real_->begin_close(key, at, by);
    }
    Awaited<void> finish_close(const Close& close) override { return real_->finish_close(close); }
    Awaited<std::vector<Close>> closes(const CloseFilter& filter) override { return real_->closes(filter); }
    Awaited<std::vector<Day>> forgotten_days(const std::string& estabelecimento, Day from, Day to) override {
        return real_->forgotten_days(estabelecimento, from, to);
    }
    Awaited<Dated> date_old_sales(const Rules& rules) override { return real_->date_old_sales(rules); }
    Awaited<std::optional<KeptStatement>> known_statement(const std::string& digest,
                                                          const std::string& reading) override {
        return real_->known_statement(digest, reading);
    }
    Awaited<std::vector<KeptStatement>> statements(const StatementFilter& filter) override {
        return real_->statements(filter);
    }
    Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                           const std::vector<Finding>& findings) override {
        return real_->keep_statement(statement, findings);
    }
    Awaited<std::vector<Finding>> findings(const FindingFilter& filter) override { return real_->findings(filter); }
    Awaited<Finding> close_finding(std::int64_t number, const std::string& note, const std::string& by,
                                   WallTime at) override {
        return real_->close_finding(number, note, by, at);
    }
    Awaited<Finding> finding_done(std::int64_t number, const std::string& effect, bool settled, WallTime at) override {
        return real_->finding_done(number, effect, settled, at);
    }
    Awaited<std::map<FindingKind, std::int64_t>> open_findings() override { return real_->open_findings(); }
    Awaited<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos) override {
        return real_->owners(id_externos);
    }
    Awaited<std::vector<std::string>> id_prefixes() override { return real_->id_prefixes(); }
    Chain* chain() noexcept override { return real_->chain() != nullptr ? this : nullptr; }
    bool may_act() const noexcept override { return real_->may_act(); }
    bool owns(SaleId id) const override { return real_->owns(id); }
    Awaited<AdoptedSales> adopt() override { return real_->adopt(); }
    Awaited<Sale> claim(SaleId id) override { return real_->claim(id); }
    Awaited<std::int64_t> forward_command(const ForwardedCommand& command) override {
        return real_->chain()->forward_command(command);
    }
    Awaited<std::vector<ForwardedCommand>> forwarded_commands() override {
        return real_->chain()->forwarded_commands();
    }
    Awaited<bool> is_waiting(std::int64_t number) override { return real_->chain()->is_waiting(number); }
    Awaited<void> dismiss_command(SaleId sale, std::int64_t number) override {
        return real_->chain()->dismiss_command(sale, number);
    }
    Awaited<void> give_back() override { return real_->chain()->give_back(); }
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override {
        return real_->cancel_key(terminal, key);
    }
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override {
        return real_->find_key(terminal, key);
    }
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret) override {
        return real_->find_callback(secret);
    }
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override {
        return real_->keep_callback(sale, kind, valid, body);
    }
    Awaited<std::vector<KeptCallback>> callbacks(SaleId id) override { return real_->callbacks(id); }
    Awaited<std::optional<KeptToken>> load_token() override { return real_->load_token(); }
    boost::asio::awaitable<void> keep_lease() override { return real_->chain()->keep_lease(); }
    void when_a_command_is_forwarded(std::function<void()> heard) override {
        real_->chain()->when_a_command_is_forwarded(std::move(heard));
    }
    Awaited<TokenTurn> claim_token() override { return real_->chain()->claim_token(); }
    Awaited<void> end_token_turn() override { return real_->chain()->end_token_turn(); }
    bool is_on_duty() const noexcept override { return real_->is_on_duty(); }
    Awaited<void> save_token(const std::optional<KeptToken>& token) override { return real_->save_token(token); }
    Awaited<std::vector<KeptSession>> load_sessions() override { return real_->load_sessions(); }
    Awaited<void> change_sessions(const SessionChanges& changes) override { return real_->change_sessions(changes); }
    Awaited<Erased> erase_personal(WallTime cutoff) override { return real_->erase_personal(cutoff); }
    Awaited<KeyRotationState> rotate_keys() override { return real_->rotate_keys(); }
    Awaited<void> forget_old_pages() override { return real_->forget_old_pages(); }
    Awaited<void> probe() override { return real_->probe(); }
    Awaited<void> check_files() override { return real_->check_files(); }
    Awaited<void> learn_pace() override { return real_->learn_pace(); }
    std::optional<DiskRoom> disk() const override { return real_->disk(); }
    JournalStats stats() const override { return real_->stats(); }
    bool healthy() const noexcept override { return real_->healthy(); }

  protected:
    Journal* real_;
};

}  // namespace gateway::test
