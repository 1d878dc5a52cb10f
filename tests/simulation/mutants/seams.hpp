// Where a mutant gets in: calls between two files of the gateway, which the linker is told to lead here (--wrap). The
// gateway's own code knows nothing of it and is not compiled again. `real` is what the call would have reached.
#pragma once

#include "flow/seller.hpp"
#include "journal/journal.hpp"
#include "provider/provider.hpp"
#include "sale/machine.hpp"

#include <string>

// The C++ ABI passes `this` as the first argument, so a member function is declared here as a free one.
#define SEAM(symbol) asm("__wrap_" symbol)
#define REAL(symbol) asm("__real_" symbol)

#define DECIDE                                                                                                        \
    "_ZN7gateway6decideERKNS_5RulesERKNS_4SaleEmRKSt7variantIJNS_8AnsweredENS_4LostENS_7ElapsedENS_12ConfirmAskedENS" \
    "_11CancelAskedENS_10CalledBackENS_8ResolvedEEERKNS_6MomentE"
#define NEXT_ACT                                                                                                       \
    "_ZN7gateway11next_actionERKNS_5RulesERKNS_4SaleEmNSt6chrono10time_pointINS6_3_V212steady_clockENS6_8durationIlSt" \
    "5ratioILl1ELl1000000000EEEEEE"
#define INTERPRET "_ZN7gateway9interpretENS_4StepERKNS_4SaleERKNS_7AttemptERKNS_5ReplyE"
#define OUTCOME_OF "_ZN7gateway10outcome_ofERKNS_4SaleE"
#define SALE_JSON "_ZN7gateway9sale_jsonB5cxx11ERKNS_4SaleE"
#define ULID_MAKE                                                                                                     \
    "_ZN7gateway4Ulid4makeENSt6chrono10time_pointINS1_3_V212system_clockENS1_8durationIlSt5ratioILl1ELl1000EEEEEERNS" \
    "_6RandomE"
#define PROVIDER_SEND                                                                                                 \
    "_ZN7gateway8Provider4sendENS0_6AccessENS_4StepERKNS_4SaleERKNS_7AttemptENSt6chrono10time_pointINS9_3_V212steady" \
    "_clockENS9_8durationIlSt5ratioILl1ELl1000000000EEEEEE"
#define JOURNAL_BEGIN "_ZN7gateway7Journal5beginERKNS_4SaleE"
#define JOURNAL_RECORD "_ZN7gateway7Journal6recordERKNS_4SaleERKNS_6ChangeEPKNS_7AttemptERKNS_12JournalEventE"
#define JOURNAL_UNFINISHED "_ZN7gateway7Journal10unfinishedEv"
#define JOURNAL_CANCEL_KEY "_ZN7gateway7Journal10cancel_keyERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_"
#define JOURNAL_KEEP_CALLBACK                                                                                      \
    "_ZN7gateway7Journal13keep_callbackENS_6UlidOfINS_7SaleTagEEESt17basic_string_viewIcSt11char_traitsIcEEbRKNS_" \
    "6SecretE"
#define SELLER_TELL                                                                                       \
    "_ZN7gateway6Seller4tellENS_6UlidOfINS_7SaleTagEEESt7variantIJNS_8AnsweredENS_4LostENS_7ElapsedENS_"  \
    "12ConfirmAskedENS_11CancelAskedENS_10CalledBackENS_8ResolvedEEENSt7__cxx1112basic_stringIcSt11char_" \
    "traitsIcESaIcEEENSt6chrono10time_pointINSJ_3_V212steady_clockENSJ_8durationIlSt5ratioILl1ELl1000000000EEEEEE"

namespace gateway::mutants {

template <class T>
using Coroutine = boost::asio::awaitable<T>;

Change decide(const Rules&, const Sale&, std::size_t, const Event&, const Context&) SEAM(DECIDE);
Action next_action(const Rules&, const Sale&, std::size_t, Instant) SEAM(NEXT_ACT);
Answer interpret(gateway::Step, const Sale&, const Attempt&, const Reply&) SEAM(INTERPRET);
Outcome outcome_of(const Sale&) noexcept SEAM(OUTCOME_OF);
std::string sale_json(const Sale&) SEAM(SALE_JSON);
Ulid make_ulid(WallTime, Random&) SEAM(ULID_MAKE);
Coroutine<Reply> send(Provider*, Provider::Access, gateway::Step, const Sale&, const Attempt&, Instant)
    SEAM(PROVIDER_SEND);
Coroutine<Result<KeyState>> begin(Journal*, const Sale&) SEAM(JOURNAL_BEGIN);
Coroutine<Result<void>> record(Journal*, const Sale&, const Change&, const Attempt*, const HistoryEntry&)
    SEAM(JOURNAL_RECORD);
Coroutine<Result<std::vector<Sale>>> unfinished(Journal*) SEAM(JOURNAL_UNFINISHED);
Coroutine<Result<KeyState>> cancel_key(Journal*, const std::string&, const std::string&) SEAM(JOURNAL_CANCEL_KEY);
Coroutine<Result<void>> keep_callback(Journal*, SaleId, std::string_view, bool, const Secret&)
    SEAM(JOURNAL_KEEP_CALLBACK);
Coroutine<Result<std::shared_ptr<LiveSale>>> tell(Seller*, SaleId, Event, std::string, Instant) SEAM(SELLER_TELL);

namespace real {
Change decide(const Rules&, const Sale&, std::size_t, const Event&, const Context&) REAL(DECIDE);
Action next_action(const Rules&, const Sale&, std::size_t, Instant) REAL(NEXT_ACT);
Answer interpret(gateway::Step, const Sale&, const Attempt&, const Reply&) REAL(INTERPRET);
Outcome outcome_of(const Sale&) noexcept REAL(OUTCOME_OF);
std::string sale_json(const Sale&) REAL(SALE_JSON);
Ulid make_ulid(WallTime, Random&) REAL(ULID_MAKE);
Coroutine<Reply> send(Provider*, Provider::Access, gateway::Step, const Sale&, const Attempt&, Instant)
    REAL(PROVIDER_SEND);
Coroutine<Result<KeyState>> begin(Journal*, const Sale&) REAL(JOURNAL_BEGIN);
Coroutine<Result<void>> record(Journal*, const Sale&, const Change&, const Attempt*, const HistoryEntry&)
    REAL(JOURNAL_RECORD);
Coroutine<Result<std::vector<Sale>>> unfinished(Journal*) REAL(JOURNAL_UNFINISHED);
Coroutine<Result<KeyState>> cancel_key(Journal*, const std::string&, const std::string&) REAL(JOURNAL_CANCEL_KEY);
Coroutine<Result<void>> keep_callback(Journal*, SaleId, std::string_view, bool, const Secret&)
    REAL(JOURNAL_KEEP_CALLBACK);
Coroutine<Result<std::shared_ptr<LiveSale>>> tell(Seller*, SaleId, Event, std::string, Instant) REAL(SELLER_TELL);
}  // namespace real

}  // namespace gateway::mutants
