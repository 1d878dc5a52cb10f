/* This is a client of the sales gateway for tills. Copy it: it needs POSIX and libcurl 7.84 (cc till.c -lcurl).
 *     #define SALES_GATEWAY_IMPLEMENTATION                 in one file of the program, before it includes this one
 *     sales_gateway_settle(&gateway, report);              at every start: finishes what is on disk
 *     sales_gateway_sell(&gateway, order, NULL, &result);  order is JSON, such as {"family":"tv","produto": … }
 *     if (strcmp(result.outcome, "sold") == 0)             and the receipt has been printed
 * A sale is a file in the folder before the gateway hears of it, and until its receipt is printed. After a crash or a
 * power cut the next settle goes on with it under the same key, so it is sold once. If the folder is empty, nothing is
 * open. It belongs to one running program, which makes one call at a time.
 * Copyright 2026 The sales-gateway authors. Apache License 2.0. */
#ifndef SALES_GATEWAY_H
#define SALES_GATEWAY_H
#include <stddef.h>

typedef struct {
    const char** addresses;                         /* such as "http://192.168.1.2:8080"; NULL after the last one */
    const char *key, *folder, *receipt_query;       /* of the terminal; of open sales; "format=text" */
    int (*print)(const char* receipt, size_t size); /* returns 0 as soon as the printer has it */
    size_t preferred;                               /* the address that answered last; begins as 0 */
} sales_gateway;

typedef struct {
    char key[64], outcome[16], sale_id[64], detail[512]; /* sold, not_sold or pending; a sentence that explains it */
    int printed;                                         /* its receipt is on paper */
} sales_gateway_result;

/* Returns 0, or -1 if the sale could not be noted on disk: nothing was sent, and result->detail says why, and what to
 * remove by hand. With "confirm":"manual", paid() is asked once it is held; settle cancels all that is not noted. */
int sales_gateway_sell(sales_gateway*, const char* order, int (*paid)(void), sales_gateway_result* result);
/* Carries every sale on disk to its end and tells each to report(). Returns how many are still open. */
int sales_gateway_settle(sales_gateway*, void (*report)(const sales_gateway_result*));
/* Return what can be sold as JSON, and a copy of a receipt. The caller frees it; NULL and why if no gateway gave it. */
char* sales_gateway_options(sales_gateway*, const char* query, char why[512]);
char* sales_gateway_receipt(sales_gateway*, const char* sale_id, size_t* size, char why[512]);
#endif
#ifdef SALES_GATEWAY_IMPLEMENTATION
#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SG_CONNECT_S = 5, SG_CALL_S = 40, SG_TRIES = 12, SG_FIRST_PAUSE_MS = 200, SG_LONGEST_PAUSE_MS = 5000 };
typedef struct {
    long status, retry_after_s, refused;  /* status 0: no whole answer came; one that was cut does not count */
    char outcome[16], sale_id[64], *body; /* "" where the answer has none */
    size_t size;
} sg_answer;

static int sg_is(const char* text, const char* other) { return strcmp(text, other) == 0; }
static int sg_known(const sg_answer* a) { return sg_is(a->outcome, "sold") || sg_is(a->outcome, "not_sold"); }
static const char* sg_field(CURL* curl, const char* name) {
    struct curl_header* field;
    return curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &field) == CURLHE_OK ? field->value : "";
}

/* An answer has a size or chunks, and curl checks that all of it came; if it has no body, its head was cut off. */
static void sg_call(CURL* curl, sg_answer* a) {
    free(a->body);
    *a = (sg_answer){0};
    FILE* body = open_memstream(&a->body, &a->size);
    if (!body) return;
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
    int bad = curl_easy_perform(curl) != CURLE_OK;
    int sized = *sg_field(curl, "Content-Length") || *sg_field(curl, "Transfer-Encoding");
    if (fclose(body) != 0 || bad || !sized || a->size == 0) return;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &a->status);
    a->retry_after_s = atol(sg_field(curl, "Retry-After"));
    snprintf(a->sale_id, sizeof a->sale_id, "%s", sg_field(curl, "Sale-Id"));
    snprintf(a->outcome, sizeof a->outcome, "%s", sg_field(curl, "Sale-Outcome"));
    if (!sg_known(a) && !sg_is(a->outcome, "held") && !sg_is(a->outcome, "pending")) *a->outcome = 0;
    a->refused = !*a->outcome && a->status / 100 == 4 && a->status != 408 && a->status != 425 && a->status != 429 &&
                 strncmp(sg_field(curl, "Content-Type"), "application/problem+json", 24) == 0; /* it is ours */
}

/* Asks the addresses in a round up to the first useful answer; else keeps the last one. A GET where `post` is NULL. */
static void sg_ask(sales_gateway* gw, const char* post, const char* path, const char* key, sg_answer* a) {
    char text[2048];
    struct curl_slist* fields = NULL;
    CURL* curl = curl_easy_init();
    if (post) {
        snprintf(text, sizeof text, "Idempotency-Key: %s", key);
        fields = curl_slist_append(curl_slist_append(NULL, text), "Prefer: wait=25"); /* < SG_CALL_S */
        fields = curl_slist_append(fields, *post ? "Content-Type: application/json" : "Content-Type:");
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post);
    }
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, gw->key);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*"); /* curl does not follow redirects either, by default */
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)SG_CONNECT_S);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)SG_CALL_S);
    for (const char** each = gw->addresses; *each; ++each) {
        const char* address = gw->addresses[gw->preferred];
        int slash = *address && address[strlen(address) - 1] == '/';
        snprintf(text, sizeof text, "%.*s%s", (int)strlen(address) - slash, address, path);
        curl_easy_setopt(curl, CURLOPT_URL, text);
        sg_call(curl, a);
        if (*a->outcome || a->refused || (!post && a->status == 200)) break;
        if (!gw->addresses[++gw->preferred]) gw->preferred = 0;
    }
    curl_slist_free_all(fields);
    curl_easy_cleanup(curl);
}

/* Makes the call that the file's name says. A repetition is the same call to the gateway. */
static void sg_send(sales_gateway* gw, const char* key, const char* wanted, const char* body, sg_answer* a) {
    char path[128];
    int cancel = sg_is(wanted, "cancel");
    sg_ask(gw, cancel ? "" : body, cancel ? "/v1/cancel" : "/v1/sell", key, a);
    if (!sg_is(wanted, "confirm") || !sg_is(a->outcome, "held")) return;
    snprintf(path, sizeof path, "/v1/sales/%s/confirm", a->sale_id);
    sg_ask(gw, "", path, key, a);
}

/* Writes the `detail` of the answer's JSON, or whatever else can be said about the answer. */
static void sg_explain(const sg_answer* a, char detail[512]) {
    const char* from = a->status ? strstr(a->body, "\"detail\":\"") : NULL;
    char* to = detail;
    for (from = from ? from + 10 : ""; *from && *from != '"' && to < detail + 511; *to++ = *from++)
        if (*from == '\\' && from[1]) ++from;
    *to = 0;
    if (to == detail && sg_is(a->outcome, "not_sold")) strcpy(detail, "cancelled by its key");
    else if (to == detail && a->status) sprintf(detail, "HTTP status %ld", a->status);
    else if (to == detail) strcpy(detail, "no gateway answered");
}

static void sg_pause(const sg_answer* a, long* pause_ms) {
    long ms = a->retry_after_s > 0 ? 1000 * a->retry_after_s : *pause_ms;
    if (sg_is(a->outcome, "pending") && ms < 1000) ms = 1000;
    if (ms > SG_LONGEST_PAUSE_MS) ms = SG_LONGEST_PAUSE_MS;
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    *pause_ms *= 2;
}

/* Closes a file or folder; returns 0 where all of it is on the disk, not only in its cache. */
static int sg_flush(int file) {
    int bad = file < 0 || fsync(file) != 0;
    return (file >= 0 && close(file) != 0) || bad ? -1 : 0;
}
static int sg_flush_folder(const char* path) { return sg_flush(open(path, O_RDONLY | O_DIRECTORY)); }

/* Calls until there is an outcome. 0: the sale is finished; 1: it is open; -1: its file was never whole, nor sent. */
static int sg_carry(sales_gateway* gw, char path[1024], int tries, int (*paid)(void), sales_gateway_result* result) {
    char before[1024], why[512], *key = strrchr(path, '/') + 1, *wanted = strrchr(path, '.') + 1, *body = NULL;
    long pause_ms = SG_FIRST_PAUSE_MS;
    size_t size = 0;
    sg_answer a = {0};
    *result = (sales_gateway_result){0};
    snprintf(result->key, sizeof result->key, "%.*s", (int)(wanted - 1 - key), key);
    FILE* file = fopen(path, "r");
    int whole = file && getline(&body, &size, file) > 0 && !feof(file), cut = file && feof(file);
    if (file) fclose(file);
    for (int left = tries - 1; whole && left >= 0; --left) {
        const char* decision = NULL;
        sg_send(gw, result->key, wanted, body, &a);
        if (sg_known(&a)) break;
        if (a.refused && !sg_is(wanted, "sell")) break; /* only a person can change that, such as a wrong key */
        if (sg_is(wanted, "sell") && sg_is(a.outcome, "held")) decision = paid && paid() ? "confirm" : "cancel";
        if (a.refused) decision = "cancel"; /* by its key, so that no copy under way can be sold later */
        if (a.refused) sg_explain(&a, result->detail);
        if (!decision && left > 0) sg_pause(&a, &pause_ms);
        if (!decision) continue;
        strcpy(before, path);
        strcpy(wanted, decision);
        if (rename(before, path) == 0 && sg_flush_folder(gw->folder) == 0) continue;
        snprintf(result->detail, sizeof result->detail, "the decision is not on disk: %s", strerror(errno));
        break;
    }
    if (!*result->detail) sg_explain(&a, result->detail);
    strcpy(result->outcome, sg_known(&a) ? a.outcome : "pending");
    strcpy(result->sale_id, sg_known(&a) && *a.sale_id ? a.sale_id : "-");
    free(a.body);
    free(body);
    /* Prints first, then removes the file: a crash in between leads to a copy, which the gateway marks as one. */
    char* receipt = sg_is(a.outcome, "sold") ? sales_gateway_receipt(gw, a.sale_id, &size, why) : NULL;
    result->printed = receipt && gw->print(receipt, size) == 0;
    free(receipt);
    int open = !cut && !sg_is(result->outcome, "not_sold") && !result->printed;
    if (!open) unlink(path);
    return cut ? -1 : open;
}

/* Empties the order on the disk, so it is never sent, even if its name stays; else says what a person has to do. */
static const char* sg_take_back(const char* path) {
    int file = open(path, O_WRONLY | O_TRUNC), never_there = file < 0 && errno == ENOENT, bad = sg_flush(file);
    unlink(path);
    return never_there || !bad ? "" : "; remove that file, also if a power cut brings it back, or it is sold later";
}

int sales_gateway_sell(sales_gateway* gw, const char* order, int (*paid)(void), sales_gateway_result* result) {
    char path[1024], parent[1024], *line = strdup(order);
    unsigned r[4] = {0};
    int file = -1, bad = !line || getentropy(r, sizeof r) != 0;
    snprintf(path, sizeof path, "%s/%08x-%04x-4%03x-a%03x-%04x%08x.sell", gw->folder, r[0], r[1] >> 16, r[1] & 0xfff,
             r[2] >> 20, r[2] & 0xffff, r[3]);
    snprintf(parent, sizeof parent, "%s/..", gw->folder);
    for (char* end = line; end && (end = strpbrk(end, "\r\n"));) *end = ' ';
    /* The sale is on the disk before its first byte leaves. */
    bad = bad || (mkdir(gw->folder, 0700) != 0 && errno != EEXIST) || sg_flush_folder(parent) != 0;
    bad = bad || (file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600)) < 0 || dprintf(file, "%s\n", line) < 0;
    bad = sg_flush(file) != 0 || bad || sg_flush_folder(gw->folder) != 0;
    free(line);
    if (!bad) return sg_carry(gw, path, SG_TRIES, paid, result) < 0 ? -1 : 0;
    const char* cause = strerror(errno);
    *result = (sales_gateway_result){0};
    snprintf(result->detail, sizeof result->detail, "Nothing was sent: %.400s: %s%s", path, cause, sg_take_back(path));
    return -1;
}

int sales_gateway_settle(sales_gateway* gw, void (*report)(const sales_gateway_result*)) {
    char path[1024];
    struct dirent** names = NULL;
    sales_gateway_result result;
    int open = 0, tries = SG_TRIES, count = scandir(gw->folder, &names, NULL, alphasort);
    for (int i = 0; i < count; free(names[i++])) {
        const char* wanted = strrchr(names[i]->d_name, '.');
        if (!wanted || !(sg_is(wanted, ".sell") || sg_is(wanted, ".confirm") || sg_is(wanted, ".cancel"))) continue;
        snprintf(path, sizeof path, "%s/%s", gw->folder, names[i]->d_name);
        int left = sg_carry(gw, path, tries, NULL, &result);
        if (sg_is(result.outcome, "pending")) tries = 1; /* nobody waits for all of them */
        if (report && left >= 0) report(&result);
        open += left > 0;
    }
    free(names);
    return open;
}

static char* sg_get(sales_gateway* gw, const char* form, const char* one, const char* two, size_t* size, char* why) {
    char path[1024];
    sg_answer a = {0};
    snprintf(path, sizeof path, form, one, two);
    sg_ask(gw, NULL, path, NULL, &a);
    *size = a.size;
    if (a.status == 200) return a.body;
    sg_explain(&a, why);
    free(a.body);
    return NULL;
}
char* sales_gateway_options(sales_gateway* gw, const char* query, char why[512]) {
    return sg_get(gw, "/v1/options%s%s", query && *query ? "?" : "", query ? query : "", &(size_t){0}, why);
}
char* sales_gateway_receipt(sales_gateway* gw, const char* sale_id, size_t* size, char why[512]) {
    return sg_get(gw, "/v1/sales/%s/receipt?%s", sale_id, gw->receipt_query, size, why);
}
#endif
