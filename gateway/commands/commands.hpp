// The operators' commands that ask a gateway that runs: what each prints, and the exit code that says how it went. For
// people there are tables and sentences, in local time; `as_json` prints what the gateway answered.
//
// For people nothing of a customer is printed, and nothing of what was bought.
#pragma once

#include "commands/admin_client.hpp"
#include "commands/screen.hpp"

#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace gateway {

enum Exit : int {
    exit_ok = 0,
    exit_failure = 1,      // could not start or go on; nobody answers, or the answer was no
    exit_usage = 2,        // the command line or the configuration is wrong
    exit_not_selling = 3,  // of status alone: the gateway answers, and takes no sales
};

// What every command is given.
struct Desk {
    AdminClient& gateway;
    Screen screen;
    WallTime now;
    std::ostream& out;
    std::ostream& err;  // what went wrong, and questions
    bool as_json = false;
};

int show_status(const Desk& desk);

// Prints a link that opens the console once, in a browser on this machine.
int show_console_link(const Desk& desk);

struct ListWishes {
    std::size_t limit = 20;
    std::string status;  // the other wishes are empty where there is none
    bool attention = false;
    std::string key;
    std::string id_externo;
    std::string from;
    std::string to;
};
int list_sales(const Desk& desk, const ListWishes& wishes);

// `id` is a sale's or any idExterno of it; so it is below.
int show_sale(const Desk& desk, const std::string& id);

struct Resolution {
    std::string id;
    bool sold = false;  // one of the three
    bool not_sold = false;
    bool noted = false;
    std::string note;
    std::string by;  // empty: not said
    std::string msisdn;
    std::string url;
};
// Asks with `confirmed` before anything is done, where there is a person to ask; without it goes ahead.
int resolve_sale(const Desk& desk, const Resolution& resolution,
                 const std::function<bool(const std::string&)>& confirmed);

struct TotalsWishes {
    std::string day;  // "today", "yesterday" or a date, as below; the wishes are empty where there is none
    std::string from;
    std::string to;
    std::string by;  // "family,terminal"; empty: by family for people and in CSV
    std::string estabelecimento;
    bool as_csv = false;
    Language language = Language::english;
};
int show_totals(const Desk& desk, const TotalsWishes& wishes);

struct CloseWishes {
    std::string day;              // empty: today
    std::string estabelecimento;  // empty: all of the configuration
    std::string by;               // empty: not said
    Language language = Language::english;
};
// Shows what the day came to and asks with `confirmed` first, where there is a person to ask: a close is never undone.
int close_day(const Desk& desk, const CloseWishes& wishes, const std::function<bool(const std::string&)>& confirmed);

struct StatementWishes {
    std::string file;             // empty: the provider's list is asked for, or
    bool from_status = false;     // single sales are
    std::string day;              // "today", "yesterday" or a date; empty: whatever the file says
    std::string by;               // empty: not said
    bool again = false;           // although it was read before
    bool shows_progress = false;  // on standard error, while the gateway reads
    Language language = Language::english;
};
int reconcile_statement(const Desk& desk, const StatementWishes& wishes);

struct FindingWishes {
    bool all = false;  // those that are closed, too
    std::string kind;  // the wishes are empty where there is none
    std::string day;
    std::size_t limit = 100;
    std::int64_t number = 0;  // to be resolved, with the note; 0: none
    std::string note;
    std::string by;
    Language language = Language::english;
};
int list_findings(const Desk& desk, const FindingWishes& wishes);
int resolve_finding(const Desk& desk, const FindingWishes& wishes);

}  // namespace gateway
