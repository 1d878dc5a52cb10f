/* This is a till on the command line, on top of sales_gateway.h: cc -o till till.c -lcurl
 *
 * Copyright 2026 The sales-gateway authors. Apache License 2.0. */
#define _DEFAULT_SOURCE
#define SALES_GATEWAY_IMPLEMENTATION
#include "sales_gateway.h"

static const char usage[] =
    "till options [QUERY]    what can be sold: the menu, or what a query such as \"family=transit&...\" asks for\n"
    "till sell ORDER         finishes what is on disk, then sells ORDER, which is JSON text\n"
    "till settle             only finishes what is on disk: to be run at every start\n"
    "till receipt SALE-ID    prints another copy\n"
    "\n"
    "It exits 0: sold, or nothing is open any more; 1: not sold; 2: not known yet, or something is still open, run\n"
    "settle again; 64: wrong usage; 69: no gateway gave what was asked for; 70: the disk does not take the sale,\n"
    "nothing was sent. The environment may set SALES_GATEWAY (addresses with commas between them), SALES_GATEWAY_KEY,\n"
    "SALES_GATEWAY_FOLDER (of open sales), SALES_GATEWAY_PRINTER (a file or device; else standard output) and\n"
    "SALES_GATEWAY_RECEIPT (its query).\n";

enum { SOLD = 0, NOT_SOLD = 1, OPEN = 2, WRONG_USAGE = 64, NO_ANSWER = 69, NOT_SENT = 70 };

static const char* setting(const char* name, const char* otherwise) {
    const char* value = getenv(name);
    return value && *value ? value : otherwise;
}

/* Appends the receipt to the printer. A device has it after the write, and a file when it is on the disk. */
static int print_receipt(const char* receipt, size_t size) {
    const char* name = setting("SALES_GATEWAY_PRINTER", NULL);
    struct stat kind;
    int printer = name ? open(name, O_WRONLY | O_APPEND | O_CREAT, 0600) : dup(STDOUT_FILENO), bad = printer < 0;
    for (size_t at = 0; !bad && at < size;) {
        ssize_t written = write(printer, receipt + at, size - at);
        bad = written <= 0;
        at += bad ? 0 : (size_t)written;
    }
    if (!bad && name && fstat(printer, &kind) == 0 && S_ISREG(kind.st_mode)) bad = fsync(printer) != 0;
    if (printer >= 0) close(printer);
    return bad ? -1 : 0;
}

static int paid(void) {
    char answer[16] = "";
    fputs("Paid? [y/n] ", stderr);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static void report(const sales_gateway_result* result) {
    int sold = sg_is(result->outcome, "sold"), not_sold = sg_is(result->outcome, "not_sold");
    printf("%s %s %s%s%s%s\n", result->outcome, result->key, result->sale_id, not_sold ? " " : "",
           not_sold ? result->detail : "", sold && !result->printed ? " (receipt not printed yet: run settle)" : "");
    fflush(stdout);
    if (!sold && !not_sold)
        fprintf(stderr, "It is not known yet whether this is sold (%s): run settle again\n", result->detail);
}

static int run(sales_gateway* gateway, const char* command, const char* value) {
    sales_gateway_result result;
    char why[512] = "the printer does not take it";
    size_t size;
    if (sg_is(command, "options") || sg_is(command, "receipt")) {
        int options = sg_is(command, "options");
        char* text = options ? sales_gateway_options(gateway, value, why)
                             : sales_gateway_receipt(gateway, value, &size, why);
        int bad = !text || (options ? puts(text) < 0 : print_receipt(text, size) != 0);
        free(text);
        if (bad) fprintf(stderr, "It did not work: %s\n", why);
        return bad ? NO_ANSWER : 0;
    }
    int open_sales = sales_gateway_settle(gateway, report);
    if (sg_is(command, "settle")) return open_sales ? OPEN : 0;
    if (sales_gateway_sell(gateway, value, paid, &result) != 0) {
        fprintf(stderr, "%s. Make room on the disk or mend it, then sell again.\n", result.detail);
        return NOT_SENT;
    }
    report(&result);
    return sg_is(result.outcome, "sold") ? SOLD : sg_is(result.outcome, "not_sold") ? NOT_SOLD : OPEN;
}

int main(int count, char** arguments) {
    const char* command = count > 1 ? arguments[1] : "";
    const char* addresses[16] = {0};
    char list[1024];
    size_t found = 0;
    if (!(sg_is(command, "options") && count <= 3) && !(sg_is(command, "settle") && count == 2) &&
        !((sg_is(command, "sell") || sg_is(command, "receipt")) && count == 3)) {
        fputs(usage, stderr);
        return WRONG_USAGE;
    }
    snprintf(list, sizeof list, "%s", setting("SALES_GATEWAY", "http://127.0.0.1:8080"));
    for (char* one = strtok(list, ","); one && found < 15; one = strtok(NULL, ","))
        addresses[found++] = one;
    sales_gateway gateway = {addresses, setting("SALES_GATEWAY_KEY", "demo-key-caixa-01"),
                             setting("SALES_GATEWAY_FOLDER", "open-sales"),
                             setting("SALES_GATEWAY_RECEIPT", "format=text"), print_receipt, 0};
    return run(&gateway, command, count == 3 ? arguments[2] : NULL);
}
