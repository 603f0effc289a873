/* SPDX-License-Identifier: MIT */
/* result.c -- the result of a part of a case as the text of a job, and back */
#include "runs/result.h"

#include "base/memory.h"
#include "jobs/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const statuses[] = {"passed", "failed", "known", "skipped", "stale", "broken"};

/* The first line of a text for a record has times; the rest is the same everywhere. */
static size_t first_line(const char *text)
{
    return strcspn(text, "\n");
}

/* ---- writing --------------------------------------------------------------------------------- */

/* "KEY TEXT", with a newline as \n and a backslash as \\. Nothing if the text is empty. */
static void put_line(text_buffer *t, const char *key, const char *text)
{
    if (!text[0])
        return;
    text_print(t, "%s ", key);
    for (; *text; text++) {
        if (*text == '\n' || *text == '\\')
            text_add(t, *text == '\n' ? "\\n" : "\\\\", 2);
        else
            text_add(t, text, 1);
    }
    text_add(t, "\n", 1);
}

static size_t kept_ranges(const conform_result *r)
{
    return r->range_count < CONFORM_RANGES ? (size_t)r->range_count : CONFORM_RANGES;
}

char *result_body(const conform_result *r, const char *text, size_t *size)
{
    text_buffer t = {NULL, 0, 0};
    text_print(&t, "status %s\ncounts %llu %llu %llu %llu %d %d\n", statuses[r->status],
               (unsigned long long)r->inputs, (unsigned long long)r->differ,
               (unsigned long long)r->crossed, (unsigned long long)r->range_count, r->at_begin,
               r->at_end);
    for (size_t i = 0; i < kept_ranges(r); i++) {
        const conform_range *range = &r->range[i];
        text_print(&t, "range %llx %llx %llx %llx\n", (unsigned long long)range->first,
                   (unsigned long long)range->last, (unsigned long long)range->got,
                   (unsigned long long)range->right);
    }
    put_line(&t, "digest", r->digest);
    put_line(&t, "why", r->speeds ? "" : r->why);
    put_line(&t, "diagnosis", r->diagnosis);
    put_line(&t, "origin", r->origin);
    if (text) {
        text_add(&t, "record", 6);
        text_add(&t, text + first_line(text), strlen(text + first_line(text)));
    }
    *size = t.size;
    return t.bytes;
}

char *result_about(const conform_result *r, const char *text)
{
    text_buffer t = {NULL, 0, 0};
    char line[2 * CONFORM_LONG];
#if defined(__VERSION__)
    put_line(&t, "compiler", __VERSION__);
#endif
    text_print(&t, "times %.6f %.6f\n", r->seconds, r->subject_seconds);
    /* of a kernel that was timed the reason is its speed */
    put_line(&t, "speed", r->speeds ? r->why : "");
    put_line(&t, "sass", r->sass);
    if (text) {
        snprintf(line, sizeof line, "%.*s", (int)first_line(text), text);
        put_line(&t, "record", line);
    }
    text_add(&t, "", 1);
    return t.bytes;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* If the next line has the key: 1, its text goes to `value`, and *at is moved behind the line. */
static int get_line(const char **at, const char *key, char *value, size_t room)
{
    size_t length = strlen(key), n = 0;
    const char *c = *at;
    if (strncmp(c, key, length) != 0 || c[length] != ' ')
        return 0;
    for (c += length + 1; *c && *c != '\n'; c++) {
        char meant = *c;
        if (*c == '\\' && (c[1] == '\\' || c[1] == 'n'))
            meant = *++c == 'n' ? '\n' : '\\';
        if (n + 1 < room)
            value[n++] = meant;
    }
    value[n] = '\0';
    *at = c + (*c == '\n');
    return 1;
}

static const char *read_counts(const char **at, conform_result *r)
{
    char line[CONFORM_LONG];
    unsigned long long n[4];
    int used = 0;
    if (!get_line(at, "counts", line, sizeof line) ||
        sscanf(line, "%llu %llu %llu %llu %d %d%n", &n[0], &n[1], &n[2], &n[3], &r->at_begin,
               &r->at_end, &used) != 6 ||
        line[used])
        return "'counts' and six numbers";
    r->inputs = n[0];
    r->differ = n[1];
    r->crossed = n[2];
    r->range_count = n[3];
    for (size_t i = 0; i < kept_ranges(r); i++) {
        if (!get_line(at, "range", line, sizeof line) ||
            sscanf(line, "%llx %llx %llx %llx%n", &n[0], &n[1], &n[2], &n[3], &used) != 4 ||
            line[used])
            return "'range' and four numbers in hexadecimal digits";
        r->range[i] = (conform_range){n[0], n[1], n[2], n[3]};
    }
    return NULL;
}

/* A result must not say more than its counts: differences make it fail, and without inputs it has
 * not passed. */
static const char *check(const conform_result *r)
{
    int wrong = r->differ || r->crossed;
    int timed = r->first_part > 0 && !r->inputs && !r->digest[0]; /* it has measured a speed */
    if (r->differ > r->inputs || r->range_count > r->differ ||
        (r->status == CONFORM_PASSED && wrong) || (r->status == CONFORM_KNOWN && !wrong) ||
        (r->status <= CONFORM_KNOWN && !timed && (!r->inputs || strlen(r->digest) != 64)))
        return "a result whose status follows from its counts";
    return NULL;
}

static const char *read_body(const char *at, conform_result *r)
{
    char line[64];
    int status = 0;
    if (!get_line(&at, "status", line, sizeof line))
        return "'status STATUS'";
    while (status <= CONFORM_BROKEN && strcmp(line, statuses[status]) != 0)
        status++;
    if (status > CONFORM_BROKEN)
        return "a status";
    r->status = (conform_status)status;
    const char *expected = read_counts(&at, r);
    if (expected)
        return expected;
    get_line(&at, "digest", r->digest, sizeof r->digest);
    get_line(&at, "why", r->why, sizeof r->why);
    get_line(&at, "diagnosis", r->diagnosis, sizeof r->diagnosis);
    get_line(&at, "origin", r->origin, sizeof r->origin);
    if (*at && strncmp(at, "record\n", 7) != 0)
        return "the end, or 'record'";
    return check(r);
}

/* What the job says about itself is believed: no verdict depends on it. */
static void read_about(const char *at, conform_result *r)
{
    char line[2 * CONFORM_LONG];
    get_line(&at, "compiler", line, sizeof line);
    if (get_line(&at, "times", line, sizeof line) &&
        sscanf(line, "%lf %lf", &r->seconds, &r->subject_seconds) != 2)
        r->seconds = r->subject_seconds = 0;
    r->speeds = (size_t)get_line(&at, "speed", r->why, sizeof r->why);
    get_line(&at, "sass", r->sass, sizeof r->sass);
}

const char *result_read(const kept_job *job, conform_result *r)
{
    memset(r, 0, sizeof *r);
    r->first_part = job->part;
    r->parts = 1;
    r->of = job->of;
    if (strlen(job->body) != job->size)
        return "a text without bytes 0";
    const char *expected = read_body(job->body, r);
    if (!expected)
        read_about(job->about, r);
    return expected;
}

char *result_text(const kept_job *job, size_t *size)
{
    char line[2 * CONFORM_LONG];
    text_buffer t = {NULL, 0, 0};
    const char *text = strstr(job->body, "\nrecord\n"), *about = job->about;
    int found = 0;
    while (*about && !(found = get_line(&about, "record", line, sizeof line)))
        about += first_line(about) + (about[first_line(about)] != '\0');
    if (!text || !found)
        return NULL;
    text_add(&t, line, strlen(line));
    text_add(&t, text + 7, strlen(text + 7));
    *size = t.size;
    return t.bytes;
}
