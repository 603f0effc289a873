/* SPDX-License-Identifier: MIT */
/* record.c -- the cases of the records that were added, and their results
 *
 * A record's case uses the oracle of the present GPU case of that name: what the hardware returned
 * then is compared with what is right now. If there is no such case, or the source of the kernel
 * has changed, the record is stale and proves nothing.
 */
#include "base/memory.h"
#include "record/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is kept of a record while the program runs. */
typedef struct added_case {
    conform_case c;
    conform_family family; /* for a case that the suite does not have */
    record_case r;
    const record_contents *record;
    const record_entry *entry;
    char *name;
    char stale[CONFORM_TEXT];
} added_case;

static struct {
    added_case **cases;
    size_t count, room;
    sf8_sha256 hash; /* of the names and digests of all records */
    int began;
} added;

/* ---- the cases of a record ------------------------------------------------------------------- */

/* Returns why the case proves nothing about the present source, or "". */
static void judge_source(added_case *a, const conform_case *row)
{
    const record_source *then = &a->record->source[a->entry->source];
    const char *now = gpu_source(then->group);
    if (!row)
        snprintf(a->stale, sizeof a->stale, "the suite has no case %s", a->entry->name);
    else if (!now || strcmp(now, then->digest) != 0)
        snprintf(a->stale, sizeof a->stale, "the source of its kernel has changed since");
    else if (strcmp(row->family->inputs ? row->family->inputs : "", a->entry->kind) != 0)
        snprintf(a->stale, sizeof a->stale, "the case now has another kind of inputs");
    a->r.stale = a->stale[0] ? a->stale : NULL;
}

static void add_case(const conform_catalog *catalog, const record_contents *record,
                     const record_entry *e, const char *folder, const char *origin)
{
    added.cases = grow(added.cases, added.count, &added.room, sizeof added.cases[0]);
    added_case *a = allocate(1, sizeof *a);
    const conform_case *row = conform_find(catalog, e->name);
    char *name = text_of("record/%s/%s", folder, e->name);
    if (row && !conform_is_recorded(row))
        row = NULL;
    a->record = record;
    a->entry = e;
    a->name = name;
    a->family = (conform_family){.name = "record", .inputs = e->kind[0] ? e->kind : NULL};
    a->c = (conform_case){
        .subject = e->name, .family = &a->family, .domain = e->whole ? DOMAIN_ALL : DOMAIN_SET};
    if (row)
        a->c = *row;
    a->c.name = name;
    a->c.record = &a->r;
    a->r.origin = origin;
    a->r.group = record->source[e->source].group;
    a->r.sass = e->sass_shown ? e->sass : NULL;
    a->r.emulated = record->device.emulated;
    a->r.whole = e->whole;
    a->r.inputs = e->inputs;
    a->r.speed = e->speed;
    a->r.speeds = e->speeds;
    a->r.list_digest = e->list_digest;
    a->r.digest = e->digest;
    a->r.tables.lanes = e->lanes;
    for (int i = 0; i < e->lanes; i++) {
        a->r.tables.row[i] = record->table[e->table[i]].row;
        a->r.tables.rows[i] = record->table[e->table[i]].rows;
    }
    judge_source(a, row);
    added.cases[added.count++] = a;
}

/* "NVIDIA H200, driver 580.95.05, CUDA 13.0, 2026-11-21" */
static char *origin_of(const record_contents *r)
{
    return text_of("%.90s%s, driver %.60s, CUDA %.30s, %.10s", r->device.name,
                   r->device.emulated ? " (emulated)" : "", r->device.driver, r->toolkit, r->date);
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Reads the record in `path` and adds its cases. Added cases stay; on failure the program ends. */
static int add_record(const conform_catalog *catalog, const char *path, const char *name,
                      char why[CONFORM_LONG])
{
    record_contents *r = allocate(1, sizeof *r);
    if (!record_load(r, path, why)) {
        free(r);
        return 0;
    }
    if (!added.began)
        sf8_sha256_begin(&added.hash);
    added.began = 1;
    sf8_sha256_add(&added.hash, name, strlen(name) + 1);
    sf8_sha256_add(&added.hash, r->digest, sizeof r->digest);
    char *origin = origin_of(r);
    for (size_t i = 0; i < r->entries; i++)
        add_case(catalog, r, &r->entry[i], name, origin);
    return 1;
}

/* The name of a folder that is itself a record: the last part of its path, if that is a name. */
static const char *own_name(const char *folder, char name[RECORD_NAME + 1])
{
    size_t end = strlen(folder), begin;
    while (end > 0 && folder[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && folder[begin - 1] != '/';)
        begin--;
    if (record_is_folder_name(folder + begin, end - begin))
        snprintf(name, RECORD_NAME + 1, "%.*s", (int)(end - begin), folder + begin);
    else
        snprintf(name, RECORD_NAME + 1, "here");
    return name;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A folder of this name that contains a record. */
static int add_below(const conform_catalog *catalog, const char *folder, const char *name,
                     char why[CONFORM_LONG])
{
    char *path = text_of("%s/%s", folder, name);
    int good = 1;
    if (record_is_there(path)) {
        good = record_is_folder_name(name, strlen(name));
        if (good)
            good = add_record(catalog, path, name, why);
        else
            snprintf(why, CONFORM_LONG,
                     "%.600s/%s:1: the folder of a record has a name of at most %d of the "
                     "characters a-z 0-9 . _ = -",
                     path, record_file_name[RECORD_CASES], RECORD_NAME);
    }
    free(path);
    return good;
}

/* The names in a folder, sorted, except those that begin with a dot. */
static char **list_folder(const char *folder, size_t *count, char why[CONFORM_LONG])
{
    DIR *dir = opendir(folder);
    char **names = NULL;
    size_t room = 0;
    *count = 0;
    if (!dir) {
        snprintf(why, CONFORM_LONG, "%.700s: %s", folder, strerror(errno));
        return NULL;
    }
    names = grow(names, 0, &room, sizeof names[0]);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        names = grow(names, *count, &room, sizeof names[0]);
        names[(*count)++] = text_of("%s", entry->d_name);
    }
    closedir(dir);
    qsort(names, *count, sizeof names[0], compare_names);
    return names;
}

int records_add(const conform_catalog *catalog, const char *folder, char why[CONFORM_LONG])
{
    char name[RECORD_NAME + 1];
    size_t count;
    if (record_is_there(folder))
        return add_record(catalog, folder, own_name(folder, name), why);
    char **names = list_folder(folder, &count, why);
    int good = names != NULL;
    for (size_t i = 0; i < count; i++) {
        good = good && add_below(catalog, folder, names[i], why);
        free(names[i]);
    }
    free(names);
    return good;
}

/* ---- what the suite asks --------------------------------------------------------------------- */

void records_digest(char digest[65])
{
    sf8_sha256 hash = added.hash;
    if (!added.began)
        sf8_sha256_begin(&hash);
    sf8_sha256_end(&hash, digest);
}

const conform_case *records_at(size_t i)
{
    return i < added.count ? &added.cases[i]->c : NULL;
}
