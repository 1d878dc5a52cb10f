/* A client of the sales gateway for tills. Copy this file: it needs POSIX and libcurl (cc till.c -lcurl).
 *
 *     #define SALES_GATEWAY_IMPLEMENTATION     in one file of the program, before it includes this one
 *
 *     sales_gateway_settle(&gateway, report);  at every start: finishes what is on disk
 *     sales_gateway_sell(&gateway, "{\"family\":\"tv\",\"produto\":\"TV Mensal\", … }", NULL, &result);
 *     if (strcmp(result.outcome, "sold") == 0) and the receipt has been printed
 *
 * A sale is a file in the folder before the gateway hears of it, and until its receipt is printed; after a crash or a
 * power cut the next settle goes on with it, under the same key, so it is sold once. An empty folder: nothing is open.
 * The folder belongs to one running program.
 *
 * Copyright 2026 The sales-gateway authors. Apache License 2.0. */
#ifndef SALES_GATEWAY_H
#define SALES_GATEWAY_H
#include <stddef.h>

typedef struct {
    const char** addresses; /* such as "http://192.168.1.2:8080"; NULL after the last one */
    const char *key, *folder, *receipt_query; /* of the terminal; of open sales; "format=text" */
    int (*print)(const char* receipt, size_t size); /* 0 as soon as the printer has it */
    size_t preferred; /* where the last answer came from; begins as 0 */
} sales_gateway;

typedef struct {
    char key[64], outcome[16], sale_id[64]; /* the outcome is sold, not_sold or pending */
    int printed;                            /* its receipt is on paper */
    char detail[512];                       /* a sentence that explains the outcome */
} sales_gateway_result;

/* 0, or -1: the sale could not be noted on disk, and nothing was sent; result->detail says why. Where the order has
 * "confirm":"manual", paid() is asked once the sale is held. */
int sales_gateway_sell(sales_gateway*, const char* order, int (*paid)(void), sales_gateway_result* result);
/* Carries every sale on disk to its end and tells each to report(); what was held without a note that it was paid is
 * cancelled. How many are still open. */
int sales_gateway_settle(sales_gateway*, void (*report)(const sales_gateway_result*));
/* What can be sold, JSON; another copy of a receipt. The caller frees it; NULL where no gateway gave it, and why. */
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
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SG_CONNECT_S = 5, SG_CALL_S = 40, SG_TRIES = 12, SG_FIRST_PAUSE_MS = 200, SG_LONGEST_PAUSE_MS = 5000 };
#define SG_WAIT "Prefer: wait=25" /* shorter than SG_CALL_S */

/* An answer; a whole one where `whole`. One that was cut is none. */
typedef struct {
    long status, retry_after_ms;
    int whole, chunked;
    char outcome[16], sale_id[64]; /* empty and "-" where it has none */
    char* body;
    size_t size;
} sg_answer;

static int sg_is(const char* text, const char* other) { return strcmp(text, other) == 0; }
static int sg_refused(const sg_answer* a) { /* the gateway will not do this, now or later */
    return a->whole && !*a->outcome && a->status / 100 == 4 && a->status != 408 && a->status != 425 && a->status != 429;
}

static size_t sg_on_field(char* line, size_t size, size_t count, void* to) {
    sg_answer* a = to;
    char field[256], value[200] = "";
    snprintf(field, sizeof field, "%.*s", (int)(size * count), line);
    if (sscanf(field, "%*[^:]: %199[^\r\n]", value) < 1 && field[0] == '\r') a->whole = 1; /* the end of the head */
    if (strncasecmp(field, "Sale-Id:", 8) == 0) snprintf(a->sale_id, sizeof a->sale_id, "%.63s", value);
    if (strncasecmp(field, "Retry-After:", 12) == 0) a->retry_after_ms = 1000 * atol(value);
    if (strncasecmp(field, "Transfer-Encoding:", 18) == 0) a->chunked = 1;
    if (strncasecmp(field, "Sale-Outcome:", 13) == 0 &&
        (sg_is(value, "sold") || sg_is(value, "not_sold") || sg_is(value, "held") || sg_is(value, "pending")))
        snprintf(a->outcome, sizeof a->outcome, "%.15s", value);
    return size * count;
}

static size_t sg_on_body(char* piece, size_t size, size_t count, void* to) {
    sg_answer* a = to;
    char* body = realloc(a->body, a->size + size * count + 1);
    if (!body) return 0;
    memcpy(body + a->size, piece, size * count);
    a->body = body;
    a->size += size * count;
    body[a->size] = 0;
    return size * count;
}

/* One call on a connection of its own. Redirects are not followed, and no proxy is used. */
static void sg_call(const sales_gateway* gw, const char* post, const char* path, const char* key, sg_answer* a) {
    char url[2048], bearer[512], idempotency[128];
    const char* address = gw->addresses[gw->preferred];
    int slash = *address && address[strlen(address) - 1] == '/';
    struct curl_slist* fields = NULL;
    CURL* curl = curl_easy_init();
    free(a->body);
    memset(a, 0, sizeof *a);
    strcpy(a->sale_id, "-");
    if (!curl) return;
    snprintf(url, sizeof url, "%.*s%s", (int)strlen(address) - slash, address, path);
    snprintf(bearer, sizeof bearer, "Authorization: Bearer %s", gw->key);
    fields = curl_slist_append(curl_slist_append(fields, bearer), "Expect:");
    if (key) {
        snprintf(idempotency, sizeof idempotency, "Idempotency-Key: %s", key);
        fields = curl_slist_append(curl_slist_append(fields, idempotency), SG_WAIT);
        fields = curl_slist_append(fields, *post ? "Content-Type: application/json" : "Content-Type:");
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post);
    }
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)SG_CONNECT_S);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)SG_CALL_S);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, sg_on_field);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, a);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, sg_on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, a);
    curl_off_t length = -1;
    if (curl_easy_perform(curl) != CURLE_OK) a->whole = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &a->status);
    curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (!a->chunked && (length < 0 || (size_t)length != a->size)) a->whole = 0;
    if (!a->whole) *a->outcome = 0;
    curl_slist_free_all(fields);
    curl_easy_cleanup(curl);
}

/* One round over the addresses, up to the first useful answer; else the last one's. */
static void sg_ask(sales_gateway* gw, const char* post, const char* path, const char* key, sg_answer* a) {
    for (const char** each = gw->addresses; *each; ++each) {
        sg_call(gw, post, path, key, a);
        if (*a->outcome || sg_refused(a) || (a->whole && !key && a->status == 200)) return;
        if (!gw->addresses[++gw->preferred]) gw->preferred = 0;
    }
}

/* The `detail` of the answer's JSON, or what else can be said of it. */
static void sg_explain(const sg_answer* a, char detail[512]) {
    const char* from = a->whole && a->body ? strstr(a->body, "\"detail\":\"") : NULL;
    size_t at = 0;
    if (from)
        for (from += 10; *from && *from != '"' && at < 511; ++from) {
            if (*from == '\\' && from[1]) ++from;
            detail[at++] = *from;
        }
    detail[at] = 0;
    if (at > 0) return;
    if (sg_is(a->outcome, "not_sold")) strcpy(detail, "cancelled by its key");
    else if (a->whole) sprintf(detail, "HTTP status %ld", a->status);
    else strcpy(detail, "no gateway answered");
}

/* The folder's names are on the disk, not only in its cache. */
static int sg_flush(int file) {
    int bad = file < 0 || fsync(file) != 0, why = errno;
    if (file >= 0) close(file);
    errno = why;
    return bad ? -1 : 0;
}
static int sg_flush_folder(const char* path) { return sg_flush(open(path, O_RDONLY | O_DIRECTORY)); }

/* The sale is on the disk before the first byte leaves; 0, or -1 with what is wrong in `why`. */
static int sg_note(const sales_gateway* gw, const char* path, const char* order, char why[512]) {
    char parent[1024];
    size_t size = strlen(order), at = 0;
    char* line = malloc(size + 1);
    int file = -1, bad = !line;
    for (size_t i = 0; line && i < size; ++i)
        line[i] = order[i] == '\n' || order[i] == '\r' ? ' ' : order[i];
    if (line) line[size++] = '\n';
    snprintf(parent, sizeof parent, "%s/..", gw->folder);
    bad = bad || (mkdir(gw->folder, 0700) != 0 && errno != EEXIST) || sg_flush_folder(parent) != 0;
    bad = bad || (file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600)) < 0;
    for (ssize_t written; !bad && at < size; at += (size_t)written)
        bad = (written = write(file, line + at, size - at)) <= 0;
    if (bad && file >= 0) close(file);
    bad = bad || sg_flush(file) != 0 || sg_flush_folder(gw->folder) != 0;
    free(line);
    if (!bad) return 0;
    int length = snprintf(why, 512, "Nothing was sent: %s: %s", path, strerror(errno));
    if (unlink(path) != 0 && errno != ENOENT && length < 512)
        snprintf(why + length, 512 - (size_t)length, "; remove it by hand, or it is sold later");
    return -1;
}

static char* sg_read(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    char* text = file ? calloc(1, 1 << 20) : NULL; /* more than the gateway takes */
    *size = text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file) fclose(file);
    return text;
}

/* The call that the file's name says. Repeated, it is the same call to the gateway. */
static void sg_send(sales_gateway* gw, const char* key, const char* wanted, const char* body, sg_answer* a) {
    char path[128];
    if (sg_is(wanted, "cancel")) {
        sg_ask(gw, "", "/v1/cancel", key, a);
        return;
    }
    sg_ask(gw, body, "/v1/sell", key, a);
    if (!sg_is(wanted, "confirm") || !sg_is(a->outcome, "held")) return;
    snprintf(path, sizeof path, "/v1/sales/%s/confirm", a->sale_id);
    sg_ask(gw, "", path, key, a);
}

static void sg_pause(const sg_answer* a, long* pause_ms) {
    long ms = a->whole && a->retry_after_ms > 0 ? a->retry_after_ms : *pause_ms;
    if (sg_is(a->outcome, "pending") && ms < 1000) ms = 1000;
    if (ms > SG_LONGEST_PAUSE_MS) ms = SG_LONGEST_PAUSE_MS;
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    if ((*pause_ms *= 2) > SG_LONGEST_PAUSE_MS) *pause_ms = SG_LONGEST_PAUSE_MS;
}

/* Calls until there is an outcome. 0 where the file was never whole: then nothing was ever sent. */
static int sg_carry(sales_gateway* gw, const char* name, int (*paid)(void), sales_gateway_result* result) {
    char path[1024], decided[1024], wanted[16], refusal[512] = "";
    long pause_ms = SG_FIRST_PAUSE_MS;
    size_t size;
    sg_answer a = {0};
    snprintf(path, sizeof path, "%s/%s", gw->folder, name);
    snprintf(wanted, sizeof wanted, "%.15s", strrchr(name, '.') + 1);
    memset(result, 0, sizeof *result);
    snprintf(result->key, sizeof result->key, "%.*s", (int)strcspn(name, "."), name);
    strcpy(result->outcome, "pending");
    strcpy(result->sale_id, "-");
    char* body = sg_read(path, &size);
    if (body && (size == 0 || body[size - 1] != '\n')) {
        free(body);
        unlink(path);
        return 0;
    }
    for (int left = SG_TRIES - 1; body && left >= 0; --left) {
        const char* decision = NULL;
        sg_send(gw, result->key, wanted, body, &a);
        if (sg_is(a.outcome, "sold") || sg_is(a.outcome, "not_sold")) break;
        if (sg_is(wanted, "sell") && sg_is(a.outcome, "held")) {
            decision = paid && paid() ? "confirm" : "cancel";
        } else if (sg_is(wanted, "sell") && sg_refused(&a)) {
            decision = "cancel"; /* by its key, so that no copy of it that is still under way can be sold later */
            sg_explain(&a, refusal);
        }
        if (!decision) {
            if (left > 0) sg_pause(&a, &pause_ms);
            continue;
        }
        snprintf(decided, sizeof decided, "%s/%s.%s", gw->folder, result->key, decision);
        if (rename(path, decided) != 0 || sg_flush_folder(gw->folder) != 0) {
            snprintf(result->detail, sizeof result->detail, "the decision is not on disk: %s", strerror(errno));
            *a.outcome = 0;
            break;
        }
        strcpy(path, decided);
        strcpy(wanted, decision);
    }
    free(body);
    if (!*result->detail) sg_explain(&a, result->detail);
    if (*refusal) strcpy(result->detail, refusal);
    if (sg_is(a.outcome, "sold") || sg_is(a.outcome, "not_sold")) {
        strcpy(result->outcome, a.outcome);
        strcpy(result->sale_id, a.sale_id);
    }
    free(a.body);
    if (sg_is(result->outcome, "sold")) {
        /* First the paper, then the file: a crash in between makes a copy, which the gateway marks as one. */
        char* receipt = sales_gateway_receipt(gw, result->sale_id, &size, refusal);
        result->printed = receipt && gw->print(receipt, size) == 0;
        free(receipt);
    }
    if (sg_is(result->outcome, "not_sold") || result->printed) unlink(path);
    return 1;
}

int sales_gateway_sell(sales_gateway* gw, const char* order, int (*paid)(void), sales_gateway_result* result) {
    char name[64], path[1024];
    unsigned char r[16];
    memset(result, 0, sizeof *result);
    if (getentropy(r, sizeof r) != 0) abort();
    snprintf(name, sizeof name, "%02x%02x%02x%02x-%02x%02x-4%01x%02x-a%01x%02x-%02x%02x%02x%02x%02x%02x.sell", r[0], r[1], r[2],
             r[3], r[4], r[5], r[6] & 15, r[7], r[8] & 15, r[9], r[10], r[11], r[12], r[13], r[14], r[15]);
    snprintf(path, sizeof path, "%s/%s", gw->folder, name);
    if (sg_note(gw, path, order, result->detail) != 0) return -1;
    sg_carry(gw, name, paid, result);
    return 0;
}

static int sg_is_open_sale(const struct dirent* entry) {
    const char* end = strrchr(entry->d_name, '.');
    return end && (sg_is(end, ".sell") || sg_is(end, ".confirm") || sg_is(end, ".cancel"));
}

int sales_gateway_settle(sales_gateway* gw, void (*report)(const sales_gateway_result*)) {
    struct dirent** names = NULL;
    sales_gateway_result result;
    int open = 0, count = scandir(gw->folder, &names, sg_is_open_sale, alphasort);
    for (int i = 0; i < count; ++i) {
        if (sg_carry(gw, names[i]->d_name, NULL, &result)) {
            if (report) report(&result);
            open += !(sg_is(result.outcome, "not_sold") || result.printed);
        }
        free(names[i]);
    }
    free(names);
    return open;
}

static char* sg_get(sales_gateway* gw, const char* path, size_t* size, char why[512]) {
    sg_answer a = {0};
    sg_ask(gw, "", path, NULL, &a);
    if (a.whole && a.status == 200 && a.body) {
        *size = a.size;
        return a.body;
    }
    sg_explain(&a, why);
    free(a.body);
    return NULL;
}

char* sales_gateway_options(sales_gateway* gw, const char* query, char why[512]) {
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "/v1/options%s%s", query && *query ? "?" : "", query ? query : "");
    return sg_get(gw, path, &size, why);
}

char* sales_gateway_receipt(sales_gateway* gw, const char* sale_id, size_t* size, char why[512]) {
    char path[1024];
    snprintf(path, sizeof path, "/v1/sales/%s/receipt?%s", sale_id, gw->receipt_query);
    return sg_get(gw, path, size, why);
}
#endif
