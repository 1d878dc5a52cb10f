#include "simulation/mutants/mutants.hpp"

#include "simulation/mutants/mutant_journal.hpp"
#include "simulation/mutants/seams.hpp"
#include "simulation/process.hpp"

#include <boost/json.hpp>
#include <sqlite3.h>

#include <array>
#include <map>

namespace gateway::mutants {
namespace {

using Step = gateway::Step;
using State = AttemptState;

Mutant chosen = Mutant::none;

bool is(Mutant mutant) {
    return chosen == mutant;
}

constexpr std::array rows{
    Row{Mutant::confirms_before_the_commit, "confirm without waiting for the commit"},
    Row{Mutant::requests_before_the_commit, "request without waiting for the commit"},
    Row{Mutant::skips_the_cancel_after_a_time_out, "cancel skipped after a time-out"},
    Row{Mutant::confirms_after_a_presumed_abort, "presumed abort followed by a confirm"},
    Row{Mutant::reuses_the_id_on_a_retry, "idExterno reused on a retry"},
    Row{Mutant::reuses_the_id_after_a_401, "idExterno reused after a 401"},
    Row{Mutant::sends_the_request_again_after_a_restart, "request sent again after a restart"},
    Row{Mutant::forgets_the_unfinished_at_start, "unfinished sales forgotten at start"},
    Row{Mutant::forgets_keys_at_restart, "replay lost once the sale is finished, or at restart"},
    Row{Mutant::forgets_cancelled_keys, "a cancelled key is not remembered"},
    Row{Mutant::acknowledges_callbacks_before_they_are_kept, "callback acknowledged before it is durable"},
    Row{Mutant::drops_callbacks_it_acknowledged, "callback acknowledged and dropped"},
    Row{Mutant::makes_ids_of_the_clock_alone, "identifiers made of the clock alone"},
    Row{Mutant::takes_a_lost_confirm_for_a_cancel, "lost confirm answer taken for CANCELADA"},
    Row{Mutant::takes_a_lost_confirm_for_a_sale, "lost confirm answer taken for EFETIVADA"},
    Row{Mutant::takes_a_lost_cancel_for_a_cancel, "lost cancel answer taken for CANCELADA"},
    Row{Mutant::takes_a_5xx_for_a_refusal, "5xx to the request taken for a refusal"},
    Row{Mutant::takes_an_unknown_esim_for_cancelled, "unknown eSIM told not_sold"},
    Row{Mutant::takes_a_bare_4xx_to_a_confirm_for_a_cancel, "bare 4xx to a confirm taken for CANCELADA"},
    Row{Mutant::never_waits_for_late_arrivals, "no second cancel after late_arrival"},
    Row{Mutant::loses_the_goods, "goods not written to the journal"},
    Row{Mutant::shows_the_goods_before_the_sale_is_sold, "goods shown before the sale is sold"},
    Row{Mutant::says_sold_while_confirming, "sold told before the confirm is answered"},
    Row{Mutant::cancels_after_the_confirm_and_says_so, "cancel after a confirm told as not_sold at once"},
    Row{Mutant::calls_everything_settled, "settled before the provider agreed"},
    Row{Mutant::ends_the_start_at_an_unreadable_row, "an unreadable row ends the start"},
    Row{Mutant::frees_the_key_of_an_unreadable_sale, "the key of an unreadable sale is taken for free"},
    Row{Mutant::dates_by_utc, "movement days are UTC's"},
    Row{Mutant::dates_again_once_settled, "a movement day changes when the sale is settled"},
    Row{Mutant::counts_late_sales_twice, "a close counts a late sale twice"},
    Row{Mutant::leaves_closes_unfinished, "the second step of a close is forgotten"},
    Row{Mutant::closes_a_day_twice, "a close is told with another number the second time"},
    Row{Mutant::settles_another_amount, "a row settles a sale of another amount"},
    Row{Mutant::opens_findings_twice, "a corrected file opens the same findings anew"},
    Row{Mutant::keeps_what_was_corrected, "a corrected file closes no finding"},
    Row{Mutant::forgets_what_findings_ask_for, "what a finding asks for is never done"},
    Row{Mutant::believes_every_header, "a file whose counts do not hold is taken"},
    Row{Mutant::overlooks_what_is_missing, "a sale that the statement does not have is taken for agreed"},
    Row{Mutant::takes_a_404_of_a_status_for_cancelled, "a status of 404 taken for CANCELADA"},
    Row{Mutant::takes_an_open_status_for_sold, "a status of AUTORIZADA taken for EFETIVADA"},
    Row{Mutant::takes_an_open_status_for_cancelled, "a status of AUTORIZADA taken for CANCELADA"},
    Row{Mutant::takes_negada_of_any_family_for_a_word, "a status of NEGADA believed of every family"},
    Row{Mutant::believes_the_status_of_another, "the status of another attempt believed"},
    Row{Mutant::asks_and_does_no_more, "a status asked for in the place of the cancel"},
    Row{Mutant::gives_up_the_esim_that_it_asked_for, "an eSIM asked for once"},
    Row{Mutant::believes_the_answer_about_another, "the answer to a confirm or a cancel about another sale believed"},
    Row{Mutant::prints_receipts_uncounted, "a receipt is printed and not counted"},
    Row{.mutant = Mutant::confirms_before_the_commit, .word = "confirm without waiting for the commit", .disks = true},
    Row{.mutant = Mutant::requests_before_the_commit, .word = "request without waiting for the commit", .disks = true},
    Row{.mutant = Mutant::flushes_no_log, .word = "the log is not flushed", .disks = true},
    Row{.mutant = Mutant::flushes_no_database, .word = "a checkpoint does not flush the database", .disks = true},
    Row{.mutant = Mutant::pads_no_commits, .word = "two commits share a block", .disks = true},
    Row{.mutant = Mutant::trusts_a_log_that_it_can_read,
        .word = "a log that may not be on the disk is not written again",
        .disks = true},
    Row{Mutant::stays_out_of_wal, "a journal that has left the mode of the log stays so"},
    Row{Mutant::starts_beside_another, "a second gateway takes no lock"},
    Row{Mutant::trusts_an_older_copy, "an older copy is taken for the journal"},
    Row{Mutant::copies_the_file_alone, "a copy of a running journal lacks its log"},
    Row{Mutant::records_in_any_term, "a record that compares neither owner nor term", true},
    Row{Mutant::takes_an_unknown_commit_for_done, "an unknown commit taken for done", true},
    Row{Mutant::resolves_unknown_commits_by_reading, "an unknown commit resolved by a read", true},
    Row{Mutant::adopts_in_the_same_term, "an adoption that keeps the term, and no owner compared", true},
    Row{Mutant::renews_after_its_end, "a dead run that renews", true},
    Row{Mutant::trusts_from_the_answer, "a trust that counts from the answer", true},
    Row{Mutant::sends_without_a_lease, "an exchange begun without asking the lease", true},
    Row{Mutant::forgets_what_was_sent_late, "a request sent too late is never said", true},
    Row{Mutant::keeps_what_was_taken, "a run that was ended goes on with its sales", true},
    Row{Mutant::forwards_no_commands, "a command for another gateway's sale is lost", true},
    Row{Mutant::tells_what_was_read, "what was read is told without a commit", true},
    Row{Mutant::has_two_tables_of_keys, "a key and its cancel in two tables", true, true},
    Row{Mutant::promotes_without_the_tail, "a promotion that loses what was done", true},
    Row{Mutant::begins_after_its_look, "a run looks and begins without the lock of the runs", true},
    Row{Mutant::begins_without_a_look, "a run begins whatever is in its way", true},
    Row{Mutant::notes_by_the_name, "notes of what may be late by the name and not by the file", true, true},
    Row{Mutant::forgets_to_write_histories, "a step is not in its sale's history", true},
    Row{Mutant::keeps_ids_of_no_attempt, "an idExterno is kept that no attempt has", true},
    Row{Mutant::leaves_commands, "a forwarded command that changes nothing is left", true},
};

// Says how a mutant changes a statement whose name begins in this way, in its PostgreSQL text.
struct Alteration {
    Mutant mutant;
    std::string_view statement;
    std::string_view words;
    std::string_view by;
};
// In addition to the checks, an index keeps two runs of one name from living at the same time.
constexpr std::string_view without_the_index = "DROP INDEX IF EXISTS gateways_living";
constexpr std::string_view lock = "pg_advisory_xact_lock(hashtextextended($1, 0))";
constexpr std::array alterations{
    Alteration{Mutant::records_in_any_term, "record_", " AND owner = $2 AND term = $3", ""},
    Alteration{Mutant::records_in_any_term, "make_step", " AND owner = $2 AND term = $3", ""},
    Alteration{Mutant::adopts_in_the_same_term, "take_sale", "term = term + 1", "term = term"},
    Alteration{Mutant::adopts_in_the_same_term, "take_sale", "AND term = $3", "AND term = $3 + 1"},
    Alteration{Mutant::adopts_in_the_same_term, "free_sale", ", term, step", ", term - 1, step"},
    Alteration{Mutant::adopts_in_the_same_term, "open_sale_of_run", ", term, step", ", term - 1, step"},
    Alteration{Mutant::adopts_in_the_same_term, "record_", " AND owner = $2", ""},
    Alteration{Mutant::adopts_in_the_same_term, "make_step", " AND owner = $2", ""},
    Alteration{Mutant::renews_after_its_end, "renew_run", "renewals + 1", "renewals + 1, ended = 0"},
    Alteration{Mutant::renews_after_its_end, "renew_run", " AND ended = 0", ""},
    Alteration{Mutant::forgets_what_was_sent_late, "sender", "WHERE run = $1", "WHERE 1 = 0 AND run = $1"},
    Alteration{Mutant::has_two_tables_of_keys, "cancel_key", "$2", "'~' || $2"},
    Alteration{Mutant::has_two_tables_of_keys, "cancelled_key", "$2", "'~' || $2"},
    Alteration{Mutant::has_two_tables_of_keys, "take_key", "($1, $2, $3)",
               "($1, CASE WHEN EXISTS (SELECT 1 FROM keys WHERE terminal = $1 AND key = '~' || $2) THEN '~' || $2"
               " ELSE $2 END, $3)"},
    Alteration{Mutant::begins_after_its_look, "lock_alone", lock, "NULL"},
    Alteration{Mutant::begins_after_its_look, "opening", "", without_the_index},
    Alteration{Mutant::begins_without_a_look, "living_runs", "name, file", "'', ''"},
    Alteration{Mutant::begins_without_a_look, "opening", "", without_the_index},
    Alteration{Mutant::forgets_to_write_histories, "record_step", "THEN story || $11", "THEN story"},
    Alteration{Mutant::keeps_ids_of_no_attempt, "insert_attempt", "VALUES ($1, $2)",
               "VALUES ($1, $2), ($1 || '~', $2)"},
    Alteration{Mutant::notes_by_the_name, "sender", "later.file = g.file AND (g.file <> '' OR later.name = g.name)",
               "later.name = g.name"},
};

// Returns a query for the rows that an UPDATE would have returned, which changes nothing.
std::string only_read(const std::string& update) {
    constexpr std::string_view returning = " RETURNING ";
    const auto where = update.find(" WHERE ");
    const auto columns = update.find(returning);
    return "SELECT " + update.substr(columns + returning.size()) + " FROM sales" +
           update.substr(where, columns - where);
}

std::string altered(std::string_view name, std::string text) {
    if (is(Mutant::resolves_unknown_commits_by_reading) && name == "reread_sale") return only_read(text);
    for (const auto& alteration : alterations) {
        if (!is(alteration.mutant) || !name.starts_with(alteration.statement)) continue;
        const auto at = text.find(alteration.words);
        if (at == text.npos) throw std::logic_error("a mutant does not find its words in " + text);
        text.replace(at, alteration.words.size(), alteration.by);
    }
    return text;
}

boost::system::error_code committed(boost::system::error_code ended) {
    if (ended != errc::commit_unknown) return ended;
    return is(Mutant::takes_an_unknown_commit_for_done) ? boost::system::error_code() : ended;
}

bool waits_for_standby(Engine::Access access, std::string_view statement) {
    if (is(Mutant::promotes_without_the_tail)) return false;
    if (is(Mutant::resolves_unknown_commits_by_reading) && statement == "reread_sale") return false;
    return is(Mutant::tells_what_was_read) ? Engine::writes(access) : access != Engine::Access::glance;
}

const Answered* answered(const Event& event, Step step, Verdict verdict) {
    const auto* found = std::get_if<Answered>(&event);
    return found != nullptr && found->step == step && found->answer.verdict == verdict ? found : nullptr;
}

// Ends the attempt in a state that the law would not give it.
void end(Change& change, State state, Status status) {
    change.next.state = state;
    change.next.deadline = change.next.attention_at = never;
    change.status = status;
    change.settled = true;
    change.again = change.changes_nothing = false;
    change.attention = Attention::none;
    if (!change.reason) change.reason = Reason{};
}

// This is what the answer of a sold sale would show, before the sale is sold. It is kept by sale, for every process of
// a run.
std::map<std::string, std::string> goods_seen;

// Puts the product into an answer about a sale that is not sold.
void show_goods(http::Response& response) {
    boost::system::error_code ec;
    auto body = boost::json::parse(response.body, ec);
    if (ec || !body.is_object() || body.get_object().contains("sales")) return;
    auto& object = body.get_object();
    const auto* id = object.if_contains("id");
    if (id == nullptr || !id->is_string()) return;
    if (const auto seen = goods_seen.find(std::string(id->get_string())); seen != goods_seen.end())
        object["instrucao"] = seen->second;
    response.body = boost::json::serialize(body);
}

// Tells whether the request to sell is sent once more, unchanged.
bool sends_again(const http::ClientRequest& request, const Reply& reply) {
    if (!request.label.ends_with("solicitar")) return false;
    return (is(Mutant::reuses_the_id_on_a_retry) && reply.kind == Reply::Kind::lost) ||
           (is(Mutant::reuses_the_id_after_a_401) && reply.kind == Reply::Kind::answered && reply.status == 401);
}

}  // namespace

std::span<const Row> all() {
    return rows;
}

void choose(Mutant mutant) {
    chosen = mutant;
    auto& hooks = simulation::hooks();
    hooks.journal = [](Journal& real) { return std::make_unique<MutantJournal>(real, chosen); };
    hooks.sends_again = sends_again;
    hooks.statement = altered;
    hooks.commit = committed;
    hooks.waits = waits_for_standby;
    hooks.second_takes_no_lock = is(Mutant::starts_beside_another);
    hooks.notes_no_sale = is(Mutant::trusts_an_older_copy);
    hooks.copies_file_alone = is(Mutant::copies_the_file_alone);
    if (is(Mutant::shows_the_goods_before_the_sale_is_sold)) hooks.answers = show_goods;
    hooks.omissions = {.padding = is(Mutant::pads_no_commits),
                       .log_flushes = is(Mutant::flushes_no_log),
                       .database_flushes = is(Mutant::flushes_no_database),
                       .rewriting = is(Mutant::trusts_a_log_that_it_can_read)};
}

Change decide(const Rules& rules, const Sale& sale, std::size_t attempt, const Event& event, const Context& context) {
    auto law = rules;
    if (is(Mutant::never_waits_for_late_arrivals)) law.late_arrival = Duration(0);
    const auto state = sale.attempts.at(attempt).state;
    auto change = real::decide(law, sale, attempt, event, context);
    if (is(Mutant::never_waits_for_late_arrivals) && change.next.state == State::lingering)
        end(change, State::cancelled, Status::CANCELADA);
    if (is(Mutant::skips_the_cancel_after_a_time_out) && answered(event, Step::solicitar, Verdict::unknown) &&
        change.next.state == State::cancelling)
        end(change, State::cancelled, Status::CANCELADA);
    if (is(Mutant::takes_a_lost_confirm_for_a_cancel) && state == State::confirming &&
        answered(event, Step::confirmar, Verdict::unknown))
        end(change, State::cancelled, Status::CANCELADA);
    if (is(Mutant::takes_a_lost_confirm_for_a_sale) && state == State::confirming &&
        answered(event, Step::confirmar, Verdict::unknown))
        end(change, State::sold, Status::EFETIVADA);
    if (is(Mutant::takes_a_lost_cancel_for_a_cancel) && state == State::cancelling &&
        answered(event, Step::cancelar, Verdict::unknown))
        end(change, State::cancelled, Status::CANCELADA);
    if (is(Mutant::takes_an_unknown_esim_for_cancelled) && sale.family == Family::esim && state == State::requesting &&
        answered(event, Step::solicitar, Verdict::unknown))
        end(change, State::cancelled, Status::CANCELADA);
    if (is(Mutant::takes_a_bare_4xx_to_a_confirm_for_a_cancel) && state == State::confirming &&
        answered(event, Step::confirmar, Verdict::no_such_sale))
        end(change, State::cancelled, Status::CANCELADA);
    if (is(Mutant::cancels_after_the_confirm_and_says_so) && change.next.state == State::disputing &&
        state == State::confirming)
        change.status = Status::CANCELADA;
    if (is(Mutant::calls_everything_settled) && change.status == Status::CANCELADA) {
        change.settled = true;
        if (change.next.state == State::cancelling || change.next.state == State::lingering)
            change.next.state = State::cancelled;
    }
    if (is(Mutant::sends_the_request_again_after_a_restart) && state == State::requesting &&
        std::holds_alternative<Lost>(event)) {
        change.next = sale.attempts.at(attempt);
        change.status = sale.status;
        change.settled = false;
        change.changes_nothing = true;
    }
    if (is(Mutant::confirms_after_a_presumed_abort) && change.next.state == State::cancelling)
        change.next.confirm_time = context.wall;
    if (is(Mutant::dates_by_utc) && change.day) change.day = TimeZone().day_of(context.wall);
    if (is(Mutant::dates_again_once_settled) && change.settled && is_final(sale.status))
        change.day = law.zone.day_of(context.wall + std::chrono::days(1));
    if (is(Mutant::loses_the_goods) && change.details) change.details->instrucao = Secret();
    if (is(Mutant::shows_the_goods_before_the_sale_is_sold) && change.details)
        goods_seen[sale.id.str()] = change.details->instrucao.reveal();
    // A sale that a mutant makes final has its movement day all the same.
    if (is_final(change.status) && !is_final(sale.status) && !change.day) change.day = law.zone.day_of(context.wall);
    return change;
}

Action next_action(const Rules& rules, const Sale& sale, std::size_t attempt, Instant now) {
    auto act = real::next_action(rules, sale, attempt, now);
    const auto& here = sale.attempts.at(attempt);
    if (is(Mutant::confirms_after_a_presumed_abort) && here.state == State::cancelling && !here.id_transacao.empty() &&
        act.kind == Action::Kind::exchange)
        act.step = Step::confirmar;
    const bool cancels = act.kind == Action::Kind::exchange && act.step == Step::cancelar;
    if (is(Mutant::asks_and_does_no_more) && cancels && rules.askable(here)) act.step = Step::consultar;
    const bool asked = act.kind == Action::Kind::exchange && act.step == Step::consultar && here.tries > 0;
    if (is(Mutant::gives_up_the_esim_that_it_asked_for) && asked && here.state == State::awaiting)
        return {.kind = Action::Kind::wait, .at = std::max(here.attention_at, now + std::chrono::hours(1))};
    return act;
}

namespace {

bool says(const Reply& reply, std::string_view status) {
    return reply.body.find("\"status\":\"" + std::string(status)) != std::string::npos;
}

// Believes a final status as if it were about the attempt, whatever the answer names.
Verdict believed_of_any(Verdict verdict, const Reply& reply) {
    if (verdict != Verdict::unknown || reply.kind != Reply::Kind::answered || reply.status != 200) return verdict;
    if (says(reply, "EFETIVADA")) return Verdict::sold;
    return says(reply, "CANCELADA") ? Verdict::cancelled : verdict;
}

// Returns what the mutant makes of a status that is not final for the attempt.
Verdict mutated_status(Verdict verdict, const Reply& reply) {
    if (is(Mutant::believes_the_status_of_another)) return believed_of_any(verdict, reply);
    if (verdict != Verdict::unknown || reply.kind != Reply::Kind::answered) return verdict;
    if (is(Mutant::takes_a_404_of_a_status_for_cancelled) && reply.status == 404) return Verdict::cancelled;
    if (reply.status != 200) return verdict;
    if (is(Mutant::takes_an_open_status_for_sold) && says(reply, "AUTORIZADA")) return Verdict::sold;
    if (is(Mutant::takes_an_open_status_for_cancelled) && says(reply, "AUTORIZADA")) return Verdict::cancelled;
    if (is(Mutant::takes_negada_of_any_family_for_a_word) && says(reply, "NEGADA")) return Verdict::cancelled;
    return verdict;
}

}  // namespace

Answer interpret(Step step, const Sale& sale, const Attempt& attempt, const Reply& reply) {
    auto answer = real::interpret(step, sale, attempt, reply);
    if (is(Mutant::takes_a_5xx_for_a_refusal) && step == Step::solicitar && reply.status >= 500)
        answer.verdict = Verdict::refused;
    if (step == Step::consultar) answer.verdict = mutated_status(answer.verdict, reply);
    const bool settles = step == Step::confirmar || step == Step::cancelar;
    if (is(Mutant::believes_the_answer_about_another) && settles)
        answer.verdict = believed_of_any(answer.verdict, reply);
    return answer;
}

Outcome outcome_of(const Sale& sale) noexcept {
    if (is(Mutant::says_sold_while_confirming) && sale.current().state == State::confirming) return Outcome::sold;
    return real::outcome_of(sale);
}

Ulid make_ulid(WallTime at, Random& random, std::string_view prefix) {
    if (is(Mutant::makes_ids_of_the_clock_alone)) return Ulid::first_at(at);
    return real::make_ulid(at, random, prefix);
}

FileChecks check_file(const StatementHeader& header, const StatementFormat& format, StatementTally& rows,
                      std::optional<Day> asked) {
    auto checks = real::check_file(header, format, rows, asked);
    if (is(Mutant::believes_every_header))
        std::erase_if(checks.findings, [](const FileFinding& finding) {
            return finding.kind == FindingKind::count_differs || finding.kind == FindingKind::total_differs;
        });
    return checks;
}

std::optional<FindingKind> compare(const OurAttempt* ours, const StatementRow* row, const ComparisonContext& context) {
    if (is(Mutant::overlooks_what_is_missing) && row == nullptr) return FindingKind::matched;
    return real::compare(ours, row, context);
}

namespace {

boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> mutated_tell(Seller* seller, SaleId sale, Event event,
                                                                       std::string request_id, Instant deadline) {
    if (is(Mutant::drops_callbacks_it_acknowledged) && std::holds_alternative<CalledBack>(event))
        co_return co_await seller->find(sale);
    co_return co_await real::tell(seller, sale, std::move(event), std::move(request_id), deadline);
}

}  // namespace

// The linker can only redirect a plain function here, because the compiler misnames the parts of a coroutine whose
// symbol is chosen by hand.
boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> tell(Seller* seller, SaleId sale, Event event,
                                                               std::string request_id, Instant deadline) {
    return mutated_tell(seller, sale, std::move(event), std::move(request_id), deadline);
}

void renewed(Lease* lease, Instant begun) {
    real::renewed(lease, is(Mutant::trusts_from_the_answer) ? simulation::hooks().now : begun);
}

// Returns what is run in the place of the gateway's settings for a journal, which is new or has been used before.
std::string altered_settings(std::string text, bool is_used) {
    const auto replace = [&](std::string_view words, std::string_view by) {
        const auto at = text.find(words);
        if (at == text.npos) throw std::logic_error("a mutant does not find its words in " + text);
        text.replace(at, words.size(), by);
    };
    if (is(Mutant::stays_out_of_wal) && is_used) replace("PRAGMA journal_mode = WAL;", "");
    return text;
}

}  // namespace gateway::mutants

// The linker leads every call of sqlite3_exec() here.
extern "C" {
using RowTaken = int (*)(void*, int, char**, char**);
int __real_sqlite3_exec(sqlite3* database, const char* sql, RowTaken taken, void* argument, char** error);
int __wrap_sqlite3_exec(sqlite3* database, const char* sql, RowTaken taken, void* argument, char** error) {
    constexpr std::string_view settings = "PRAGMA synchronous = FULL;";
    if (!std::string_view(sql).starts_with(settings)) return __real_sqlite3_exec(database, sql, taken, argument, error);
    bool is_used = false;
    const auto note = [](void* used, int, char**, char**) {
        *static_cast<bool*>(used) = true;
        return SQLITE_OK;
    };
    __real_sqlite3_exec(database, "SELECT 1 FROM id_externos LIMIT 1", note, &is_used, nullptr);
    const auto text = gateway::mutants::altered_settings(sql, is_used);
    return __real_sqlite3_exec(database, text.c_str(), taken, argument, error);
}
}
