// Runs the operators' commands that ask a gateway that runs: each sends its arguments to the admin listener, and prints
// what comes back. The gateway makes the text, in the language and the width of the caller; with `as_json` a command
// prints what the call answers a program.
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
    exit_not_selling = 3,  // only for status: the gateway answers, and takes no sales
};

// Holds what every command is given.
struct Shell {
    AdminClient& gateway;
    const Words& words;
    Screen screen;
    WallTime now;
    std::ostream& out;
    std::ostream& err;  // what went wrong, and questions
    bool as_json = false;
};

// Asks a person. It is empty where there is nobody to ask; the command then goes ahead.
using Confirmation = std::function<bool(const std::string&)>;

int show_status(const Shell& shell);

// Prints a link that opens the console once, in a browser on this machine.
int show_console_link(const Shell& shell);

struct ListArguments {
    std::size_t limit = 20;
    std::string status;  // the others are empty where they were not given
    bool attention = false;
    std::string key;
    std::string id_externo;
    std::string from;
    std::string to;
};
int list_sales(const Shell& shell, const ListArguments& arguments);

// `id` is that of a sale, or any of its idExternos. The same is true below.
int show_sale(const Shell& shell, const std::string& id);

struct Resolution {
    std::string id;
    bool sold = false;  // one of the three is true
    bool not_sold = false;
    bool noted = false;
    std::string note;
    std::string by;  // empty: it was not said
    std::string msisdn;
    std::string url;
};
int resolve_sale(const Shell& shell, const Resolution& resolution, const Confirmation& confirmed);

struct TotalsArguments {
    std::string day;  // "today", "yesterday" or a date, as below; all are empty where they were not given
    std::string from;
    std::string to;
    std::string by;  // "family,terminal"; empty: by family for people and in CSV
    std::string estabelecimento;
    bool as_csv = false;
};
int show_totals(const Shell& shell, const TotalsArguments& arguments);

struct CloseArguments {
    std::string day;              // empty: today
    std::string estabelecimento;  // empty: all of the configuration's
    std::string by;               // empty: it was not said
};
// Shows what the day came to before it asks: a close is never undone.
int close_day(const Shell& shell, const CloseArguments& arguments, const Confirmation& confirmed);

struct StatementArguments {
    std::string file;             // empty: the provider is asked
    bool from_status = false;     // asks about single sales, and not for the provider's list
    std::string day;              // "today", "yesterday" or a date; empty: whatever the file says
    std::string by;               // empty: it was not said
    bool again = false;           // reads it although it was read before
    bool shows_progress = false;  // on standard error, while the gateway reads
};
int reconcile_statement(const Shell& shell, const StatementArguments& arguments);

struct FindingArguments {
    bool all = false;  // lists the closed ones, too
    std::string kind;  // the others are empty where they were not given
    std::string day;
    std::size_t limit = 100;
    std::int64_t number = 0;  // the finding to be resolved, with the note; 0: none
    std::string note;
    std::string by;
};
int list_findings(const Shell& shell, const FindingArguments& arguments);
int resolve_finding(const Shell& shell, const FindingArguments& arguments);

}  // namespace gateway
