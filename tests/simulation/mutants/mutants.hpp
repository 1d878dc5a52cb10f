// Deliberate faults in the gateway, each of which the simulation must find; they check the checks. Only one is active
// at a time.
#pragma once

#include <span>
#include <string_view>

namespace gateway::mutants {

enum class Mutant {
    none,
    confirms_before_the_commit,
    requests_before_the_commit,
    skips_the_cancel_after_a_time_out,
    confirms_after_a_presumed_abort,
    reuses_the_id_on_a_retry,
    reuses_the_id_after_a_401,
    sends_the_request_again_after_a_restart,
    forgets_the_unfinished_at_start,
    forgets_keys_at_restart,
    forgets_cancelled_keys,
    acknowledges_callbacks_before_they_are_kept,
    drops_callbacks_it_acknowledged,
    makes_ids_of_the_clock_alone,
    takes_a_lost_confirm_for_a_cancel,
    takes_a_lost_confirm_for_a_sale,
    takes_a_lost_cancel_for_a_cancel,
    takes_a_5xx_for_a_refusal,
    takes_an_unknown_esim_for_cancelled,
    takes_a_bare_4xx_to_a_confirm_for_a_cancel,
    never_waits_for_late_arrivals,
    loses_the_goods,
    shows_the_goods_before_the_sale_is_sold,
    says_sold_while_confirming,
    cancels_after_the_confirm_and_says_so,
    calls_everything_settled,
    ends_the_start_at_an_unreadable_row,
    frees_the_key_of_an_unreadable_sale,
    dates_by_utc,
    dates_again_once_settled,
    counts_late_sales_twice,
    leaves_closes_unfinished,
    closes_a_day_twice,
    settles_another_amount,
    opens_findings_twice,
    keeps_what_was_corrected,
    forgets_what_findings_ask_for,
    believes_every_header,
    overlooks_what_is_missing,
    takes_a_404_of_a_status_for_cancelled,
    takes_an_open_status_for_sold,
    takes_an_open_status_for_cancelled,
    takes_negada_of_any_family_for_a_word,
    believes_the_status_of_another,
    asks_and_does_no_more,
    gives_up_the_esim_that_it_asked_for,
    believes_the_answer_about_another,
    prints_receipts_uncounted,
    // These are mutants of the work on the disk.
    flushes_no_log,
    flushes_no_database,
    pads_no_commits,
    trusts_a_log_that_it_can_read,
    // These are faults of what another program, or a person, has to do with the journal.
    stays_out_of_wal,
    starts_beside_another,
    trusts_an_older_copy,
    copies_the_file_alone,
    // These are mutants of several gateways.
    records_in_any_term,
    takes_an_unknown_commit_for_done,
    resolves_unknown_commits_by_reading,
    adopts_in_the_same_term,
    renews_after_its_end,
    trusts_from_the_answer,
    sends_without_a_lease,
    forgets_what_was_sent_late,
    keeps_what_was_taken,
    forwards_no_commands,
    tells_what_was_read,
    has_two_tables_of_keys,
    promotes_without_the_tail,
    begins_after_its_look,
    begins_without_a_look,
    notes_by_the_name,
    forgets_to_write_histories,
    keeps_ids_of_no_attempt,
    leaves_commands,
};

struct Row {
    Mutant mutant;
    std::string_view word;
    bool chain = false;  // it takes several gateways to find it
    bool rare = false;   // it takes tens of thousands of sales as well
    bool disks = false;  // it is looked for in the disks that a day could have left
};
std::span<const Row> all();
void choose(Mutant mutant);

}  // namespace gateway::mutants
