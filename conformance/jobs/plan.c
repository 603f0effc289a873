/* SPDX-License-Identifier: MIT */
/* plan.c -- the plan of a run: its terms, and the jobs in their order; its file */
#include "jobs/plan.h"

#include "base/memory.h"
#include "jobs/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

job_plan *plan_begin(void)
{
    return allocate(1, sizeof(job_plan));
}

void plan_term(job_plan *plan, const char *key, const char *value)
{
    plan->terms = grow(plan->terms, plan->term_count, &plan->term_room, sizeof plan->terms[0]);
    char *line = text_of("%s", value);
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < ' ')
            *c = ' ';
    }
    plan->terms[plan->term_count++] = (plan_pair){text_of("%s", key), line};
}

const char *plan_value(const job_plan *plan, const char *key)
{
    for (size_t i = 0; i < plan->term_count; i++) {
        if (strcmp(plan->terms[i].key, key) == 0)
            return plan->terms[i].value;
    }
    return NULL;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The slot of a name: the one that has it, or the free one where it belongs. */
static size_t *slot_of(const job_plan *plan, const char *name)
{
    size_t hash = 14695981039346656037u & (size_t)-1;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * (1099511628211u & (size_t)-1);
    for (size_t i = hash;; i++) {
        size_t *slot = &plan->slots[i & (plan->slot_count - 1)];
        if (*slot == 0 || strcmp(plan->entries[*slot - 1].name, name) == 0)
            return slot;
    }
}

/* At most half of the slots are in use, so that a search ends. */
static void grow_slots(job_plan *plan)
{
    free(plan->slots);
    plan->slot_count = plan->slot_count ? 2 * plan->slot_count : 64;
    plan->slots = allocate(plan->slot_count, sizeof plan->slots[0]);
    for (size_t i = 0; i < plan->entry_count; i++)
        *slot_of(plan, plan->entries[i].name) = i + 1;
}

void plan_add(job_plan *plan, const char *name, unsigned of)
{
    plan->entries = grow(plan->entries, plan->entry_count, &plan->entry_room,
                         sizeof *plan->entries);
    if (2 * (plan->entry_count + 1) > plan->slot_count)
        grow_slots(plan);
    plan->entries[plan->entry_count++] = (plan_entry){text_of("%s", name), of, plan->jobs};
    *slot_of(plan, name) = plan->entry_count;
    plan->jobs += of;
}

const char *plan_name(const job_plan *plan, size_t i, unsigned *of)
{
    if (i >= plan->entry_count)
        return NULL;
    *of = plan->entries[i].of;
    return plan->entries[i].name;
}

size_t plan_jobs(const job_plan *plan)
{
    return plan->jobs;
}

static size_t find(const job_plan *plan, const char *name)
{
    return plan->slot_count ? *slot_of(plan, name) : 0;
}

size_t plan_index(const job_plan *plan, const char *name, unsigned part)
{
    size_t found = find(plan, name);
    if (!found || part >= plan->entries[found - 1].of)
        return (size_t)-1;
    return plan->entries[found - 1].first + part;
}

const plan_entry *plan_entry_of(const job_plan *plan, size_t index)
{
    size_t low = 0, high = plan->entry_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (plan->entries[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &plan->entries[low];
}

void plan_free(job_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->term_count; i++) {
        free(plan->terms[i].key);
        free(plan->terms[i].value);
    }
    for (size_t i = 0; i < plan->entry_count; i++)
        free(plan->entries[i].name);
    free(plan->terms);
    free(plan->entries);
    free(plan->slots);
    free(plan);
}

/* ---- the file -------------------------------------------------------------------------------- */

char *plan_text(const job_plan *plan, size_t *size)
{
    text_buffer t = {NULL, 0, 0};
    text_print(&t, "softfp8-plan 1\n");
    for (size_t i = 0; i < plan->term_count; i++)
        text_print(&t, "term %s %s\n", plan->terms[i].key, plan->terms[i].value);
    for (size_t i = 0; i < plan->entry_count; i++)
        text_print(&t, "job %u %s\n", plan->entries[i].of, plan->entries[i].name);
    text_end(&t);
    *size = t.size;
    return t.bytes;
}

void plan_digest(const job_plan *plan, char digest[65])
{
    size_t size;
    char *text = plan_text(plan, &size);
    text_digest(text, size, digest);
    free(text);
}

/* "KEY VALUE" */
static int parse_term(job_plan *plan, char *rest)
{
    size_t key = strspn(rest, "abcdefghijklmnopqrstuvwxyz-");
    if (key == 0 || rest[key] != ' ')
        return 0;
    rest[key] = '\0';
    if (plan_value(plan, rest))
        return 0;
    plan_term(plan, rest, rest + key + 1);
    return 1;
}

/* "PARTS NAME" */
static int parse_job(job_plan *plan, line_reader *r, char *bytes)
{
    uint64_t of;
    if (!line_next(r, "job") || !line_take(r, "job ") || !line_take_number(r, JOB_PARTS, &of) ||
        !line_take(r, " "))
        return 0;
    char *name = bytes + (r->at - r->text);
    size_t length = (size_t)(r->end - r->at);
    name[length] = '\0';
    if (of == 0 || length == 0 || length > JOB_NAME || strlen(name) != length || find(plan, name))
        return 0;
    plan_add(plan, name, (unsigned)of);
    return 1;
}

/* Terms come first. */
static int parse_line(job_plan *plan, line_reader *r, char *bytes)
{
    if (!line_begins(r, "term "))
        return parse_job(plan, r, bytes);
    char *rest = line_value(r, bytes, "term");
    return rest && plan->entry_count == 0 && parse_term(plan, rest);
}

static const char *parse(job_plan *plan, line_reader *r, char *bytes)
{
    if (!line_next(r, "the head") || !line_take(r, "softfp8-plan 1") || !line_is_done(r))
        return "'softfp8-plan 1'";
    while (r->next < r->size)
        if (!parse_line(plan, r, bytes))
            return "'term KEY VALUE' or 'job PARTS NAME'";
    return NULL;
}

job_plan *plan_parse(const char *text, size_t size, size_t *line, const char **expected)
{
    line_reader r;
    input_error error;
    job_plan *plan = plan_begin();
    char *bytes = allocate(size, 1);
    memcpy(bytes, text, size);
    *expected = "a last line with the digest of the lines before: the file is cut or edited";
    *line = 1;
    if (lines_open(&r, bytes, size, &error)) {
        *expected = parse(plan, &r, bytes);
        *line = r.line;
    }
    free(bytes);
    if (!*expected)
        return plan;
    plan_free(plan);
    return NULL;
}

int plan_same(const job_plan *a, const job_plan *b, char how[JOBS_WHY])
{
    char digest[2][65];
    for (size_t i = 0; i < a->term_count; i++) {
        const char *key = a->terms[i].key, *value = plan_value(b, key);
        if (!value || strcmp(a->terms[i].value, value) != 0) {
            snprintf(how, JOBS_WHY, "%s is '%.300s', not '%.300s'", key, a->terms[i].value,
                     value ? value : "");
            return 0;
        }
    }
    plan_digest(a, digest[0]);
    plan_digest(b, digest[1]);
    if (strcmp(digest[0], digest[1]) == 0)
        return 1;
    snprintf(how, JOBS_WHY, "it has %zu jobs, not the same %zu", a->jobs, b->jobs);
    return 0;
}
