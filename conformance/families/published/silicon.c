/* SPDX-License-Identifier: MIT */
/* silicon.c -- matrix units against published results: the available files, and their cases */
#include "families/published/silicon.h"
#include "suite/compare.h"
#include "suite/digest.h"
#include "diagnose/mma/diagnose.h"
#include "softfp8/sha256.h"
#include "base/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 64, SIZE_MOST = 1 << 26, PATH_ROOM = 4096 };

/* The files that were read, kept while the program runs. */
static struct {
    int given; /* there is a folder */
    size_t count;
    const silicon_set *set[FILES_MOST];
    silicon_rows rows[FILES_MOST];
} loaded;

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads a file if it exists. */
static int load(const silicon_set *s, const char *path, char why[CONFORM_LONG])
{
    size_t size;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 1;
    char *text = disk_read(path, SIZE_MOST, &size, why);
    int good = text && silicon_read(&loaded.rows[loaded.count], s,
                                    &(silicon_text){path, text, size, 0}, why);
    free(text);
    if (good)
        loaded.set[loaded.count++] = s;
    return good;
}

static int is_folder(const char *folder, char why[CONFORM_LONG])
{
    struct stat status;
    int there = stat(folder, &status) == 0;
    if (there && S_ISDIR(status.st_mode))
        return 1;
    snprintf(why, CONFORM_LONG, "SOFTFP8_SILICON %.700s: %s", folder,
             there ? "not a folder" : strerror(errno));
    return 0;
}

int silicon_prepare(const conform_case *c, char why[CONFORM_LONG])
{
    const char *folder = getenv("SOFTFP8_SILICON");
    const silicon_set *s = c->data;
    char path[PATH_ROOM];
    if (!folder || !*folder || loaded.count == FILES_MOST)
        return 1;
    if (!loaded.given && !is_folder(folder, why))
        return 0;
    loaded.given = 1;
    if ((size_t)snprintf(path, sizeof path, "%s/%s.txt", folder, s->file) < sizeof path)
        return load(s, path, why);
    snprintf(why, CONFORM_LONG, "SOFTFP8_SILICON %.100s...: too long a name", folder);
    return 0;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const silicon_rows *rows_of(const silicon_set *s)
{
    for (size_t i = 0; i < loaded.count; i++) {
        if (loaded.set[i] == s)
            return &loaded.rows[i];
    }
    return NULL;
}

/* "fraction=24", "unit=hopper-qgmma"; returns 0 for an unknown property. */
static int rival_of(const silicon_set *s, const silicon_rows *rows, const char *word, sf8_mma *m)
{
    char name[48];
    snprintf(name, sizeof name, "%s", word);
    char *value = strchr(name, '=');
    if (!value)
        return 0;
    *value++ = '\0';
    *m = rows->m;
    if (strcmp(name, "unit") == 0)
        return sf8_mma_named(m, value, sf8_format_named(s->in, NULL), sf8_format_named(s->in, NULL),
                             sf8_format_named(s->out, NULL)) == SF8_OK;
    return sf8_mma_set(m, name, value) == SF8_OK;
}

int silicon_next_rival(const char **at, char rival[48])
{
    size_t n = strcspn(*at, " ");
    snprintf(rival, 48, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == ' ');
    return n > 0;
}

size_t silicon_rival(const silicon_set *s, const silicon_rows *rows, const char *rival,
                     unsigned char *fails)
{
    sf8_mma m;
    size_t wrong = 0;
    if (!rival_of(s, rows, rival, &m))
        return SIZE_MAX;
    for (size_t i = 0; i < rows->count; i++) {
        int differs = mma_model(&m, &rows->row[i]) != rows->row[i].d;
        wrong += (unsigned)differs;
        if (fails)
            fails[i] = (unsigned char)differs;
    }
    return wrong;
}

/* Writes how many rows each rival gets wrong to result->why. If a rival gets none wrong, the case
 * is broken. */
static void run_rivals(const silicon_set *s, const silicon_rows *rows, conform_result *result)
{
    size_t used = (size_t)snprintf(result->why, sizeof result->why,
                                   "%s; rows on which rivals fail:", s->unit);
    char word[48];
    for (const char *at = s->rivals; silicon_next_rival(&at, word);) {
        size_t wrong = silicon_rival(s, rows, word, NULL);
        if (wrong == SIZE_MAX) {
            set_broken(result, "the row: no rival", word);
            return;
        }
        if (wrong == 0) {
            result->status = CONFORM_BROKEN;
            snprintf(result->why, sizeof result->why, "its %zu rows do not rule out the rival %s",
                     rows->count, word);
            return;
        }
        if (used < sizeof result->why)
            used += (size_t)snprintf(result->why + used, sizeof result->why - used, " %s %zu", word,
                                     wrong);
    }
}

static void run_rows(const silicon_rows *rows, conform_result *result)
{
    sf8_sha256 hash;
    sf8_sha256_begin(&hash);
    result->inputs = rows->count;
    for (size_t i = 0; i < rows->count; i++) {
        const mma_result *row = &rows->row[i];
        uint32_t right = mma_model(&rows->m, row);
        digest_row(&hash, i, row->d);
        if (right != row->d && result->differ++ == 0)
            snprintf(result->why, sizeof result->why, "line %llu: the GPU gave %0*x, not %0*x",
                     (unsigned long long)row->line, rows->m.out.man_bits < 23 ? 4 : 8,
                     (unsigned)row->d, rows->m.out.man_bits < 23 ? 4 : 8, (unsigned)right);
    }
    sf8_sha256_end(&hash, result->digest);
}

void silicon_judge(const silicon_set *s, const silicon_rows *rows, conform_result *result)
{
    run_rows(rows, result);
    if (result->differ) {
        mma_diagnosis d;
        result->status = CONFORM_FAILED;
        mma_diagnose(&d, NULL, s->unit, &rows->m, rows->row, rows->count);
        mma_diagnosis_text(&d, result->diagnosis, sizeof result->diagnosis);
    } else {
        run_rivals(s, rows, result);
    }
}

void silicon_run(const conform_job *j)
{
    conform_result *result = j->result;
    const silicon_set *s = j->c->data;
    const silicon_rows *rows = rows_of(s);
    double began = seconds_now();
    if (!rows) {
        set_not_run(result, loaded.given ? "the folder that SOFTFP8_SILICON names has no such file"
                                         : "SOFTFP8_SILICON names no folder of published results");
        return;
    }
    snprintf(result->origin, sizeof result->origin, "%s", rows->origin);
    silicon_judge(s, rows, result);
    result->seconds = seconds_now() - began;
}
