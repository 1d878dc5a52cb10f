// Checks the eight promises of never-lose-a-sale.md, each in a function, against three books: what terminals were told,
// what the journal has, and what the provider's model has. The first broken promise ends the run. The promises about
// the day's books (books_check.hpp, evening.hpp) have the number 10, and those of several gateways the number 9.
#pragma once

#include "http/server/message.hpp"
#include "sandbox/model.hpp"
#include "simulation/damage.hpp"
#include "simulation/journal_view.hpp"
#include "simulation/plan.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gateway::simulation {

class World;

struct Broken {
    int promise = 0;
    std::string what;
    std::optional<std::size_t> plan;
};

class Promises {
  public:
    Promises(World& world, const std::vector<Plan>& plans);

    // These functions note what happens, as it happens.
    void request_leaves(const std::string& idExterno, std::int64_t valor, Family family);
    void provider_moved();
    // `asked` is the moment of the call.
    void told(const Plan& plan, const http::Response& response, Time asked);
    // Notes that the gateway has answered a callback; 200 says that it is durable.
    void callback_taken(const std::string& idExterno, const std::string& body, int status);
    void process_started();
    // Notes that a start failed although nothing is wrong with the disk.
    void start_failed() { fail(6, "a start failed, and nothing is wrong with the disk"); }
    // damaged() notes that a value of the journal was changed, put_right() that all changed values were restored or
    // written anew.
    void damaged(const Damage& damage);
    void put_right() { lost_.clear(); }
    // Checks that a copy of the running journal knows what was told before it was made.
    void copied(const JournalView& copy) { knows_what_was_told(copy, "in a copy"); }
    // Notes that the journal is now an older copy, which knows only this. What the copy does not know is lost, and what
    // is open in it is left to the provider's word and to a person.
    void put_back(const JournalView& copy);
    // Tells whether the journal was replaced by a copy that does not know the plan's sale.
    bool is_dropped(const Plan& plan) const { return dropped_plans_.contains(plan.number); }
    // Notes that a statement says something wrong about the sale.
    void lied_about(const std::string& sale) { lied_.insert(sale); }
    // Tells whether the two books may contradict each other about the attempt.
    bool may_contradict(const std::string& idExterno) const;
    // Takes a page with all sales, or with all that have attention.
    void listed(const http::Response& response);
    // Checks at rest: everything that terminals could be told by now was told, and nothing is under way.
    void at_rest();

    const std::optional<Broken>& broken() const noexcept { return broken_; }
    bool all_settled(const JournalView& journal) const;
    void stuck(const std::string& why) { fail(6, why); }
    // Breaks promise 10, about the day's books.
    void books_are_wrong(const std::string& what) { fail(10, what); }
    // Breaks promise 9, about several gateways: at every instant at most one can record a step of a sale, and one that
    // can no longer trust its lease begins no exchange.
    void owned_twice(const std::string& what) { fail(9, what); }
    // Tells whether the sale may be one that cannot be read.
    bool may_be_lost(const std::string& sale) const { return lost_.contains(sale); }

  private:
    struct Said {
        bool sold = false;
        bool not_sold = false;
        std::string final_status;  // of the sale that has the plan's key
        Time final_told{};         // when a terminal was first told
        std::string sale;
    };

    void knows_what_was_told(const JournalView& journal, std::string_view where);
    void promise_1_sold_is_efetivada(const Plan& plan, const std::string& idExterno);
    void promise_2_not_sold_never_becomes_efetivada();
    void promise_3_intent_is_durable(const JournalView& journal);
    void promise_4_no_idExterno_twice(const std::string& idExterno);
    void promise_5_one_key_sells_once();
    void promise_6_all_is_settled(const JournalView& journal);
    void promise_7_journal_and_provider_agree(const JournalView& journal);
    void promise_8_goods_are_durable_and_kept_back(const Plan& plan, const http::Response& response, bool sold);
    void final_status_stays(const Plan& plan, const std::string& sale, const std::string& status, Time asked);
    void told_unreadable(const Plan& plan, const boost::json::object& said);
    void damage_is_listed();
    bool may_be_lost(const Plan& plan) const;
    void told_outcome(const Plan& plan, const boost::json::object& said, const http::Response& response, Time asked);

    const Plan* plan_of(const sandbox::Transaction& transaction) const;
    bool contradicts_itself(const Plan& plan) const;
    bool is_there(const JournalView::Sale& sale) const;
    bool may_stay_open(const JournalView::Sale& sale) const;
    bool is_restored(const JournalView::Sale& sale) const { return restored_.contains(sale.id); }
    bool waits_for_a_person(const JournalView::Sale& sale) const;
    bool provider_keeps_it_open(const JournalView::Sale& sale) const;
    bool can_be_cancelled(const sandbox::Transaction& transaction) const;
    bool waits_for_a_liar(const JournalView::Sale& sale) const;
    bool heard_half(const JournalView::Sale& sale) const;
    bool copy_lacks_the_sold_one(const std::string& terminal, const std::string& key) const;
    void fail(int promise, const std::string& what, const Plan* plan = nullptr);

    World& world_;
    const std::vector<Plan>& plans_;
    std::map<std::pair<int, std::int64_t>, std::size_t> by_amount_;  // family and amount
    std::vector<Said> said_;
    std::set<std::string> used_;  // every idExterno that was sent in a request
    // These are the final statuses in callbacks that were answered 200, by their idExterno.
    std::map<std::string, std::set<std::string>> heard_;
    std::unordered_map<std::string, sandbox::Status> known_;  // by idExterno: the provider's books at the last look
    std::map<std::string, std::pair<std::string, std::string>> lost_;  // sales that were damaged: terminal and key
    std::set<std::string> forgotten_attempts_;  // those that a copy did not know when it was put back
    std::set<std::size_t> dropped_plans_;
    std::set<std::string> restored_;           // sales that were open in such a copy
    std::set<std::string> lacks_a_word_;       // sales that it knows, and about which the provider contradicts itself
    std::set<std::string> lied_;               // sales about which a statement lied
    std::set<std::string> listed_;             // sales in the lists that were looked at last
    std::set<std::string> listed_unreadable_;  // sales that these lists name as unreadable
    std::optional<Broken> broken_;
};

}  // namespace gateway::simulation
