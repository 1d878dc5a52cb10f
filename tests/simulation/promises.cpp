#include "simulation/promises.hpp"

#include "simulation/personalities.hpp"
#include "simulation/recount.hpp"
#include "simulation/sql_reader.hpp"
#include "simulation/text_of.hpp"
#include "simulation/world.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::simulation {
namespace {

namespace json = boost::json;
using sandbox::Status;
using sandbox::Transaction;

// Callbacks about this amount contradict each other ("EFETIVADA, then a callback that says CANCELADA").
constexpr std::int64_t contradicting_cents = 34;

// The network doubles requests. This is the only departure from the interface that it causes.
constexpr std::string_view doubled_on_the_way = "idExterno was used by an earlier request";

bool is_final_word(const std::string& status) {
    return status == "EFETIVADA" || status == "CANCELADA" || status == "NEGADA";
}

// Returns what hands over the product, as the provider made it: the PIN, or the activation address. A recharge of a TV
// or a card has nothing of the kind, and an eSIM gets it with its callback.
std::string_view goods_of(const Transaction& transaction) {
    return transaction.goods;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

Promises::Promises(World& world, const std::vector<Plan>& plans) : world_(world), plans_(plans), said_(plans.size()) {
    for (const auto& plan : plans_)
        by_amount_.emplace(std::pair(static_cast<int>(plan.family), plan.valor), plan.number);
}

void Promises::fail(int promise, const std::string& what, const Plan* plan) {
    if (broken_) return;
    broken_ = Broken{promise, what, plan != nullptr ? std::optional(plan->number) : std::nullopt};
    world_.note("BROKEN: promise {}: {}", promise, what);
}

const Plan* Promises::plan_of(const Transaction& transaction) const {
    const auto found = by_amount_.find({static_cast<int>(transaction.family), transaction.valor});
    return found == by_amount_.end() ? nullptr : &plans_[found->second];
}

bool Promises::contradicts_itself(const Plan& plan) const {
    return plan.family == Family::esim && plan.valor % 100 == contradicting_cents;
}

bool Promises::may_contradict(const std::string& idExterno) const {
    const auto* transaction = world_.provider().books().find(idExterno);
    const auto* plan = transaction != nullptr ? plan_of(*transaction) : nullptr;
    return plan != nullptr && contradicts_itself(*plan);
}

// As it happens.

void Promises::request_leaves(const std::string& idExterno, std::int64_t valor, Family family) {
    const auto found = by_amount_.find({static_cast<int>(family), valor});
    if (found == by_amount_.end()) return fail(5, "a request over an amount that nobody asked for: " + idExterno);
    promise_4_no_idExterno_twice(idExterno);
    if (world_.chance().one_in(world_.setup().exact_checks_one_in))
        promise_3_intent_is_durable(read_journal(world_.durable_disk()));
}

void Promises::provider_moved() {
    bool sold = false;
    for (const auto& transaction : world_.provider().books().all()) {
        auto& known = known_[transaction.idExterno];
        if (known == transaction.status) continue;
        if (sandbox::is_final(known) && known != Status::none)
            fail(7, "the provider's model changed a final status: " + transaction.idExterno);
        known = transaction.status;
        world_.note("provider: {} is {}", transaction.idExterno, to_string(transaction.status));
        sold = sold || transaction.status == Status::efetivada;
    }
    if (!sold) return;
    promise_2_not_sold_never_becomes_efetivada();
    promise_5_one_key_sells_once();
}

void Promises::told(const Plan& plan, const http::Response& response, Time asked) {
    boost::system::error_code ec;
    const auto value = json::parse(response.body, ec);
    const auto* body = ec ? nullptr : value.if_object();
    const bool is_text = response.content_type.starts_with("text/plain");
    world_.note("told: plan {}: {} {}", plan.number, static_cast<int>(response.status), response.body.substr(0, 300));
    if (response.status == http::status::internal_server_error) fail(1, "the gateway answered 500", &plan);
    if (body != nullptr) told_unreadable(plan, *body);
    if (body == nullptr) {
        if (!is_text) fail(1, "the gateway's answer is not a JSON object", &plan);
        return;
    }
    if (const auto* sales = body->if_contains("sales"))
        for (const auto& sale : sales->as_array())
            told_outcome(plan, sale.as_object(), response, asked);
    else if (body->contains("outcome"))
        told_outcome(plan, *body, response, asked);
}

// Nothing is said about a sale that cannot be read, and no other sale is called so.
void Promises::told_unreadable(const Plan& plan, const json::object& said) {
    if (const auto* ids = said.if_contains("unreadable"))
        for (const auto& id : ids->as_array())
            if (!may_be_lost(std::string(id.as_string())))
                fail(6, "a list calls a sale unreadable that was not damaged: " + std::string(id.as_string()), &plan);
    if (text_of(said, "code") != "sale_unreadable") return;
    world_.statistics().count(Event::told_unreadable);
    if (said.contains("outcome") || said.contains("sale"))
        fail(7, "something is told of a sale that cannot be read", &plan);
    if (!may_be_lost(plan)) fail(6, "a sale that was not damaged is called unreadable", &plan);
}

bool Promises::may_be_lost(const Plan& plan) const {
    return std::ranges::any_of(lost_,
                               [&](const auto& entry) { return entry.second == std::pair(plan.terminal, plan.key); });
}

void Promises::damaged(const Damage& damage) {
    if (damage.whole) lost_.emplace(damage.sale, std::pair(damage.terminal, damage.key));
}

void Promises::listed(const http::Response& response) {
    const auto page = json::parse(response.body).as_object();
    listed_.clear();
    listed_unreadable_.clear();
    for (const auto& sale : page.at("sales").as_array())
        listed_.insert(text_of(sale.as_object(), "id"));
    if (const auto* ids = page.if_contains("unreadable"))
        for (const auto& id : ids->as_array())
            listed_unreadable_.insert(std::string(id.as_string()));
}

// A damaged sale is never kept silent: it has a mark, and is in the list of marks that was looked at last.
void Promises::damage_is_listed() {
    for (const auto& damage : world_.damages()) {
        if (!still_there(world_.disk(), damage)) continue;
        const bool found = damage.whole ? listed_unreadable_.contains(damage.sale)
                                        : listed_.contains(damage.sale) || listed_unreadable_.contains(damage.sale);
        if (!found) fail(6, "the " + damage.column + " of sale " + damage.sale + " is damaged, and no list says so");
    }
}

void Promises::told_outcome(const Plan& plan, const json::object& said, const http::Response& response, Time asked) {
    const auto outcome = text_of(said, "outcome");
    const auto* nested = said.if_contains("sale");
    const auto& sale = nested != nullptr && nested->is_object() ? nested->get_object() : said;
    auto& mine = said_[plan.number];
    auto& statistics = world_.statistics();
    if (const auto id = text_of(sale, "id"); !id.empty()) final_status_stays(plan, id, text_of(sale, "status"), asked);
    if (outcome == "sold") {
        statistics.count(Event::told_sold);
        mine.sold = true;
        promise_1_sold_is_efetivada(plan, text_of(sale, "idExterno"));
        promise_8_goods_are_durable_and_kept_back(plan, response, true);
    } else if (outcome == "not_sold") {
        statistics.count(Event::told_not_sold);
        mine.not_sold = true;
        promise_2_not_sold_never_becomes_efetivada();
        promise_8_goods_are_durable_and_kept_back(plan, response, false);
    } else {
        statistics.count(outcome == "held" ? Event::told_held : Event::told_pending);
        promise_8_goods_are_durable_and_kept_back(plan, response, false);
    }
    if (mine.sold && mine.not_sold) fail(7, "the terminal was told both sold and not_sold", &plan);
}

void Promises::callback_taken(const std::string& idExterno, const std::string& body, int status) {
    for (const auto* word : {"EFETIVADA", "CANCELADA", "NEGADA"})
        if (status == 200 && holds(body, fmt::format(R"("situacaoTransacao":"{}")", word)))
            heard_[idExterno].insert(word);
    if (status != 200 || !world_.chance().one_in(world_.setup().exact_checks_one_in)) return;
    const auto journal = read_journal(world_.durable_disk());
    if (!journal.callbacks.contains(body)) fail(8, "a callback was answered 200 and is not durable: " + idExterno);
}

// The new process knows only what was on the disk, so everything that was told before must be there.
void Promises::process_started() {
    const bool heard_of =
        std::any_of(said_.begin(), said_.end(), [](const Said& s) { return !s.final_status.empty(); });
    if (used_.empty() && !heard_of) return;  // nothing has left, nobody was told anything: nothing is promised yet
    knows_what_was_told(read_journal(world_.durable_disk()), "after a crash");
}

void Promises::knows_what_was_told(const JournalView& journal, std::string_view where) {
    promise_3_intent_is_durable(journal);
    for (const auto& plan : plans_) {
        const auto& mine = said_[plan.number];
        const auto* sale = journal.with_key(plan.terminal, plan.key);
        if (is_dropped(plan) || (sale != nullptr && may_be_lost(sale->id))) continue;
        if (sale != nullptr && is_restored(*sale) && !sale->final()) continue;  // the provider has yet to say it
        const auto status = sale != nullptr ? sale->status : "nothing";
        if (mine.sold && status != "EFETIVADA")
            fail(8, fmt::format("told sold, and {} the journal says {}", where, status), &plan);
        if (!mine.final_status.empty() && status != mine.final_status)
            fail(7, fmt::format("told {}, and {} the journal says {}", mine.final_status, where, status), &plan);
    }
}

void Promises::put_back(const JournalView& copy) {
    for (const auto& idExterno : used_)
        if (!copy.by_attempt.contains(idExterno)) forgotten_attempts_.insert(idExterno);
    for (const auto& [id, sale] : copy.sales) {
        if (!sale.settled) restored_.insert(id);
        const auto contradicts = [&](const auto& attempt) { return may_contradict(attempt.id_externo); };
        if (std::ranges::any_of(sale.attempts, contradicts)) lacks_a_word_.insert(id);
    }
    for (const auto& plan : plans_) {
        const auto* sale = copy.with_key(plan.terminal, plan.key);
        if (plan.start <= world_.now() && sale == nullptr) dropped_plans_.insert(plan.number);
        // The copy may lack one of two words that contradict each other, and the other one ends the sale anew.
        if (sale != nullptr && !sale->settled && contradicts_itself(plan)) said_[plan.number] = {.sale = sale->id};
    }
}

// The promises.

// 1. A terminal that is told `sold` got a sale that is EFETIVADA at the provider.
void Promises::promise_1_sold_is_efetivada(const Plan& plan, const std::string& idExterno) {
    if (contradicts_itself(plan) || copy_lacks_the_sold_one(plan.terminal, plan.key)) return;
    const auto* transaction = world_.provider().books().find(idExterno);
    if (transaction == nullptr || transaction->status != Status::efetivada)
        return fail(1, "told sold, and the provider's books say otherwise of " + idExterno, &plan);
    if (plan_of(*transaction) != &plan) fail(1, "told sold by another sale's transaction " + idExterno, &plan);
}

// 2. A terminal that is told `not_sold` never has that sale become EFETIVADA at the provider.
void Promises::promise_2_not_sold_never_becomes_efetivada() {
    for (const auto& transaction : world_.provider().books().all()) {
        if (transaction.status != Status::efetivada) continue;
        const auto* plan = plan_of(transaction);
        if (plan == nullptr || contradicts_itself(*plan) || !said_[plan->number].not_sold) continue;
        fail(2, "told not_sold, and the provider has it EFETIVADA: " + transaction.idExterno, plan);
    }
}

// 3. Every transaction that the provider can know is known to the journal by its idExterno.
void Promises::promise_3_intent_is_durable(const JournalView& journal) {
    if (!journal.trouble.empty()) return fail(3, "the journal cannot be read: " + journal.trouble);
    for (const auto& idExterno : used_)
        if (!journal.by_attempt.contains(idExterno) && !forgotten_attempts_.contains(idExterno))
            fail(3, "a request left, and the journal does not durably know " + idExterno);
}

// 4. No idExterno is ever used for two `solicitar` requests.
void Promises::promise_4_no_idExterno_twice(const std::string& idExterno) {
    if (!used_.insert(idExterno).second) fail(4, "two requests with one idExterno: " + idExterno);
}

// 5. One idempotency key of one terminal leads to at most one EFETIVADA transaction.
void Promises::promise_5_one_key_sells_once() {
    std::vector<int> sold(plans_.size());
    for (const auto& transaction : world_.provider().books().all()) {
        const auto* plan = transaction.status == Status::efetivada ? plan_of(transaction) : nullptr;
        if (plan != nullptr && ++sold[plan->number] > 1)
            fail(5, "one key has two EFETIVADA transactions, one of them " + transaction.idExterno, plan);
    }
}

// Tells whether the provider ever had the sale.
bool Promises::is_there(const JournalView::Sale& sale) const {
    return std::ranges::any_of(sale.attempts, [&](const auto& attempt) {
        const auto* transaction = world_.provider().books().find(attempt.id_externo);
        return transaction != nullptr && transaction->status != Status::none;
    });
}

// Tells whether the sale is final, and only not settled because a statement contradicted it while the provider did not.
bool Promises::waits_for_a_liar(const JournalView::Sale& sale) const {
    // A sale has one mark: `unreadable` may stand for `contradiction`, if that is the damaged value.
    const bool marked = sale.attention == "contradiction" || sale.attention == "unreadable";
    const bool lied = lied_.contains(sale.id) && marked && sale.final();
    return lied &&
           std::ranges::none_of(sale.attempts, [&](const auto& attempt) { return may_contradict(attempt.id_externo); });
}

// Tells whether an eSIM was sold under an idExterno that a copy that was put back does not know. A callback names none,
// so the journal has the sale as sold under the one that it knows.
bool Promises::copy_lacks_the_sold_one(const std::string& terminal, const std::string& key) const {
    return std::ranges::any_of(world_.provider().books().all(), [&](const auto& transaction) {
        const auto* plan = plan_of(transaction);
        return plan != nullptr && plan->family == Family::esim && plan->terminal == terminal && plan->key == key &&
               transaction.status == Status::efetivada && forgotten_attempts_.contains(transaction.idExterno);
    });
}

// Tells whether only one of two contradicting callbacks of the provider was heard: it has given up the other.
bool Promises::heard_half(const JournalView::Sale& sale) const {
    return std::ranges::any_of(sale.attempts, [&](const auto& attempt) {
        const auto heard = heard_.find(attempt.id_externo);
        return may_contradict(attempt.id_externo) && heard != heard_.end() && heard->second.size() == 1;
    });
}

// Tells whether the provider never says of one of the attempts how it stands.
bool Promises::provider_keeps_it_open(const JournalView::Sale& sale) const {
    const auto& provider = world_.setup().provider;
    const bool named = provider.status_shape == sandbox::StatusShape::venda;
    const bool asked = named && world_.setup().status_path.ends_with("{idExterno}");
    return std::ranges::any_of(sale.attempts, [&](const auto& attempt) {
        const auto* transaction = world_.provider().books().find(attempt.id_externo);
        return stays_without_a_word(provider, transaction, asked, world_.provider_wall());
    });
}

// Tells whether a copy that was put back cannot know how the sale ended, and the provider does not say it: an eSIM's
// callback came before, there may have been further attempts, or what is over refuses its cancel, perhaps without a
// word.
bool Promises::waits_for_a_person(const JournalView::Sale& sale) const {
    if (!is_restored(sale) || sale.attention != "restored") return false;
    return sale.family == "esim" || std::ranges::any_of(sale.attempts, [&](const auto& attempt) {
               const auto* transaction = world_.provider().books().find(attempt.id_externo);
               const bool is_over = transaction != nullptr && (transaction->status == Status::efetivada ||
                                                               transaction->status == Status::cancelada);
               return attempt.id_transacao.empty() || is_over;
           });
}

// Tells whether this is one of the exceptions that promise 6 names, all of which are marked.
bool Promises::may_stay_open(const JournalView::Sale& sale) const {
    if (may_be_lost(sale.id) || waits_for_a_liar(sale) || waits_for_a_person(sale)) return true;
    if (sale.attention == "none" || sale.attention.empty()) return false;
    if (sale.family == "health" && world_.setup().health_cancel_path.empty()) return true;
    if (sale.family != "esim") return provider_keeps_it_open(sale);
    // A sale has one mark, so `unreadable` may stand for the other mark as well.
    const bool unreadable = sale.attention == "unreadable";
    const bool contradicted = sale.attention == "contradiction" ||
                              (unreadable && std::ranges::any_of(sale.attempts, [&](const auto& attempt) {
                                   return may_contradict(attempt.id_externo);
                               }));
    // Whether it calls back or not, the provider tells the status when it is asked.
    const auto& provider = world_.setup().provider;
    const bool named = provider.status_shape == sandbox::StatusShape::venda && provider.forgets == Duration(0);
    if (named && world_.setup().status_path.ends_with("{idExterno}")) return contradicted || !is_there(sale);
    const bool heard = std::any_of(sale.attempts.begin(), sale.attempts.end(),
                                   [&](const auto& attempt) { return heard_.contains(attempt.id_externo); });
    const bool asked = sale.attention == "no_callback" || unreadable;
    return contradicted || (asked && !heard);
}

// What the provider has forgotten, only the provider can end.
bool Promises::can_be_cancelled(const Transaction& transaction) const {
    return !is_forgotten(world_.setup().provider, transaction, world_.provider_wall());
}

bool Promises::all_settled(const JournalView& journal) const {
    return std::all_of(journal.sales.begin(), journal.sales.end(), [&](const auto& entry) {
        return (entry.second.settled && entry.second.final()) || may_stay_open(entry.second);
    });
}

// 6. Once faults stop, every sale becomes final and settled, and nothing is left AUTORIZADA.
void Promises::promise_6_all_is_settled(const JournalView& journal) {
    for (const auto& [id, sale] : journal.sales) {
        if ((sale.settled && sale.final()) || may_stay_open(sale)) continue;
        fail(6, "not settled long after all faults: sale " + id + ", " + sale.status + ", attention " + sale.attention);
    }
    for (const auto& transaction : world_.provider().books().all()) {
        if (transaction.status != Status::autorizada && transaction.status != Status::pendente) continue;
        const auto owner = journal.by_attempt.find(transaction.idExterno);
        if (forgotten_attempts_.contains(transaction.idExterno)) continue;
        if (owner == journal.by_attempt.end())
            fail(3, "the provider has a transaction that the journal does not know: " + transaction.idExterno);
        else if (can_be_cancelled(transaction) && !may_stay_open(journal.sales.at(owner->second)))
            fail(6, "left open at the provider: " + transaction.idExterno, plan_of(transaction));
    }
}

// 7. At rest, the journal's status equals the provider's for every settled sale.
void Promises::promise_7_journal_and_provider_agree(const JournalView& journal) {
    for (const auto& [id, sale] : journal.sales) {
        if (!(sale.settled || waits_for_a_liar(sale)) || may_be_lost(id) || heard_half(sale)) continue;
        if (is_restored(sale) && copy_lacks_the_sold_one(sale.terminal, sale.key)) continue;
        // A copy may lack one of two words that contradict each other.
        if (lacks_a_word_.contains(id)) continue;
        int sold = 0;
        for (const auto& attempt : sale.attempts) {
            const auto* transaction = world_.provider().books().find(attempt.id_externo);
            if (transaction != nullptr && transaction->status == Status::efetivada) ++sold;
        }
        if (sold != (sale.status == "EFETIVADA" ? 1 : 0))
            fail(7, "settled as " + sale.status + " in the journal, EFETIVADA at the provider " + std::to_string(sold) +
                        " times: sale " + id);
    }
}

// 7. A final status never changes.
void Promises::final_status_stays(const Plan& plan, const std::string& sale, const std::string& status, Time asked) {
    auto& mine = said_[plan.number];
    if (!mine.sale.empty() && mine.sale != sale) fail(5, "one key led to two sales", &plan);
    mine.sale = sale;
    // One of several gateways may answer with what was true when it was asked.
    const bool was_so = world_.setup().gateways > 1 && !is_final_word(status) && asked <= mine.final_told;
    // A copy that was put back leaves to the provider what was open in it.
    const bool said_again = restored_.contains(sale) && !is_final_word(status);
    if (!mine.final_status.empty() && mine.final_status != status && !was_so && !said_again)
        fail(7, "a final status changed from " + mine.final_status + " to " + status, &plan);
    if (!is_final_word(status) || !mine.final_status.empty()) return;
    mine.final_status = status;
    mine.final_told = world_.now();
}

// 8. What was sold can be delivered, and none of it leaves the process before.
void Promises::promise_8_goods_are_durable_and_kept_back(const Plan& plan, const http::Response& response, bool sold) {
    const bool marked = holds(response.body, R"("attention":true)");
    for (const auto& transaction : world_.provider().books().all()) {
        const auto goods = goods_of(transaction);
        if (goods.empty() || plan_of(transaction) != &plan) continue;
        const bool there = holds(response.body, goods);
        if (!sold && there) fail(8, "goods have left before the sale was told sold: " + transaction.idExterno, &plan);
        if (transaction.status != Status::efetivada) continue;
        if (sold && !there && !marked)
            fail(8, "told sold without the goods of " + transaction.idExterno + ", and not marked", &plan);
    }
    if (!sold || !world_.chance().one_in(world_.setup().exact_checks_one_in)) return;
    const auto journal = read_journal(world_.durable_disk());
    const auto* sale = journal.with_key(plan.terminal, plan.key);
    if (sale != nullptr && may_be_lost(sale->id)) return;
    if (sale == nullptr || sale->status != "EFETIVADA") fail(8, "told sold before that was durable", &plan);
}

void Promises::at_rest() {
    auto disk = world_.durable_disk();
    SqlReader reader(disk);
    const auto journal = read_journal(reader);
    if (!journal.trouble.empty()) return fail(6, "the journal cannot be read at rest: " + journal.trouble);
    for (const auto& [id, sale] : journal.sales)
        if (const auto mark = parse_attention(sale.attention)) world_.statistics().count_left(*mark);
    promise_3_intent_is_durable(journal);
    promise_6_all_is_settled(journal);
    promise_7_journal_and_provider_agree(journal);
    promise_2_not_sold_never_becomes_efetivada();
    promise_5_one_key_sells_once();
    damage_is_listed();
    if (world_.setup().damages.empty())
        if (const auto wrong = recount(reader, world_.setup().gateways > 1, hooks().broken_recount); !wrong.empty())
            books_are_wrong(wrong);
    if (world_.setup().gateways == 1) world_.books_check().look(read_books(reader), true);
    for (const auto& plan : plans_) {
        const auto& mine = said_[plan.number];
        const auto* sale = journal.with_key(plan.terminal, plan.key);
        if (is_dropped(plan) || (sale != nullptr && may_be_lost(sale->id))) continue;
        if (sale != nullptr && is_restored(*sale) && !sale->final()) continue;
        if (!mine.final_status.empty() && (sale == nullptr || sale->status != mine.final_status))
            fail(7, "told " + mine.final_status + ", and the journal says otherwise", &plan);
        if (sale == nullptr || sale->status != "EFETIVADA" || sale->attention != "none") continue;
        for (const auto& attempt : sale->attempts) {
            const auto* transaction = world_.provider().books().find(attempt.id_externo);
            if (transaction == nullptr || transaction->status != Status::efetivada) continue;
            if (const auto goods = goods_of(*transaction); !goods.empty() && !holds(sale->goods, goods))
                fail(8, "sold, and the goods are not in the journal: " + attempt.id_externo, &plan);
        }
    }
    for (const auto& departure : world_.provider().metrics().latest_departures())
        if (departure.reason != doubled_on_the_way)
            fail(4, "the gateway departed from the provider's interface: " + departure.reason);
}

}  // namespace gateway::simulation
