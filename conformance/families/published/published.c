/* SPDX-License-Identifier: MIT */
/* published.c -- the families published and models: cases made of the files of published results
 *
 * SOFTFP8_PUBLISHED names their folder. The default is the folder "published" of the records, of
 * the installation or else of the sources.
 */
#include "families/published/published.h"
#include "record/find.h"
#include "suite/compare.h"
#include "base/disk.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 64, SIZE_MOST = 1 << 24 };

static const published_kind *const kinds[] = {&published_mma, &published_ptx, &published_call,
                                              &published_quantize};

/* The files, read once and kept while the program runs. */
static struct {
    int done;
    size_t count;
    published_file *file[FILES_MOST];
    char missing[CONFORM_TEXT]; /* why there is none */
} loaded;

/* ---- files ----------------------------------------------------------------------------------- */

static const char *folder(char path[RECORD_PATH])
{
    const char *given = getenv("SOFTFP8_PUBLISHED");
    if (given && *given)
        return given;
    if (!records_installed(path))
        snprintf(path, RECORD_PATH, "%s", SOFTFP8_RECORDS_FOLDER);
    strncat(path, "/published", RECORD_PATH - strlen(path) - 1);
    return path;
}

static void read_file(published_file *f)
{
    size_t size;
    char *text = disk_read(f->path, SIZE_MOST, &size, f->why);
    if (text)
        published_read(f, text, size);
}

static int is_text(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".txt") == 0;
}

static void load(void)
{
    char room[RECORD_PATH];
    struct dirent **names = NULL;
    const char *path = folder(room);
    int n = scandir(path, &names, is_text, alphasort);
    if (n <= 0)
        snprintf(loaded.missing, sizeof loaded.missing, "no published results in %.180s", path);
    for (int i = 0; i < n; i++) {
        published_file *f = loaded.count < FILES_MOST ? calloc(1, sizeof *f) : NULL;
        if (f) {
            snprintf(f->path, sizeof f->path, "%.400s/%.100s", path, names[i]->d_name);
            read_file(f);
            loaded.file[loaded.count++] = f;
        } else if (loaded.count > 0) {
            f = loaded.file[loaded.count - 1];
            snprintf(f->why, sizeof f->why, "%s:1: expected at most %d files", f->path, FILES_MOST);
        }
        free(names[i]);
    }
    free(names);
    loaded.done = 1;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* The kind of a case; NULL if there is none of its name. */
static const published_kind *kind_of(published_item *item)
{
    const char *by = published_get(item, "by");
    for (size_t i = 0; by && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, by) == 0)
            return kinds[i];
    return NULL;
}

/* What stands for a file, or for all of them, that cannot be read. */
static void add_missing(case_list *list, const published_file *f)
{
    conform_case c = {.subject = "its file"};
    static published_item broken[FILES_MOST];
    static size_t count;
    if (f) {
        broken[count] = (published_item){.file = f};
        c.data = &broken[count++];
    }
    const char *slash = f ? strrchr(f->path, '/') + 1 : "all";
    case_list_add(list, c, "%s/%s", list->family->name, slash);
}

static void add_case(case_list *list, published_item *item)
{
    item->kind = kind_of(item);
    const char *subject = item->kind && item->kind->subject
                              ? published_get(item, item->kind->subject)
                              : item->name;
    conform_case c = {.subject = subject ? subject : item->name, .data = item};
    case_list_add(list, c, "%s/%s/%s", list->family->name, item->file->name, item->name);
}

static void add_cases(case_list *list, int models)
{
    if (!loaded.done)
        load();
    if (loaded.missing[0] && !models)
        add_missing(list, NULL);
    for (size_t i = 0; i < loaded.count; i++) {
        published_file *f = loaded.file[i];
        if (f->is_model != models)
            continue;
        for (size_t k = 0; k < f->count; k++)
            if (f->item[k].is_case)
                add_case(list, &f->item[k]);
        if (f->why[0])
            add_missing(list, f);
    }
}

static void hardware_cases(case_list *list)
{
    add_cases(list, 0);
}

static void model_cases(case_list *list)
{
    add_cases(list, 1);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int prepare(const conform_case *c, char why[CONFORM_LONG])
{
    /* the cases are the suite's to read, and what their items become is kept with the file */
    published_item *item = (published_item *)(uintptr_t)c->data;
    if (!item)
        return 1;
    if (item->file->why[0]) {
        snprintf(why, CONFORM_LONG, "%s", item->file->why);
        return 0;
    }
    if (!item->kind)
        return published_wrong(item, 0, why, "%s: expected by=mma, ptx, call or quantize",
                               item->name);
    if (item->row_count && !item->kind->rows)
        return published_wrong(item, 0, why, "%s: by=%s has no rows", item->name, item->kind->name);
    return item->kind->open(item, why) && published_complete(item, why);
}

static void run(const conform_job *j)
{
    const published_item *item = j->c->data;
    double began = seconds_now();
    if (!item) {
        set_not_run(j->result, loaded.missing);
        return;
    }
    snprintf(j->result->origin, sizeof j->result->origin, "%.110s; %.120s at %.12s",
             item->file->hardware, item->file->source, item->file->commit);
    item->kind->run(item, j->result);
    j->result->seconds = seconds_now() - began;
}

const conform_family published_family = {.name = "published",
                                         .inputs = "results",
                                         .against = "published results of hardware",
                                         .cases = hardware_cases,
                                         .prepare = prepare,
                                         .run = run};
const conform_family models_family = {.name = "models",
                                      .inputs = "results",
                                      .against = "published results of a model",
                                      .cases = model_cases,
                                      .prepare = prepare,
                                      .run = run};
