/* SPDX-License-Identifier: MIT */
/* libraries.c -- a row of attend-libs: passes its requests to python3, reads its report, judges */
#include "families/libraries/libraries.h"

#include "suite/compare.h"
#include "suite/digest.h"
#include "softfp8/sha256.h"

#include <stdlib.h>
#include <string.h>

enum { PLAN_ROOM = 16384, NAME_ROOM = 32, REPORT_MOST = 1 << 16, PROBE = 30 };

typedef struct libs_run {
    const conform_options *o;
    const attend_lib *lib;
    attend_lib_tally tally;
    sf8_sha256 hash; /* the digest of the results */
    char folder[PYTHON_PATH];
    char plan[PLAN_ROOM];
    char *report;   /* what the program wrote; from malloc */
    size_t refused; /* requests */
} libs_run;

/* ---- requests -------------------------------------------------------------------------------- */

static int put_words(const libs_run *r, const char *letter, size_t number, const char *format,
                     const float *x, size_t count, float scale)
{
    char name[NAME_ROOM];
    size_t width = (size_t)sf8_format_bits(attend_lib_format(format)) / 8;
    void *words = attend_lib_words(format, x, count, scale);
    snprintf(name, sizeof name, "%s.%zu", letter, number);
    int good = words && python_write(r->folder, name, words, count * width);
    free(words);
    return good;
}

/* Writes the elements of the request, and its line of the plan. */
static int put_request(libs_run *r, size_t i, const attend_lib_set *s)
{
    attend_lib_values x;
    const attend_lib *lib = r->lib;
    size_t used = strlen(r->plan), room = sizeof r->plan - used;
    int good = attend_lib_fill(lib, s, &x) &&
               put_words(r, "q", i, lib->q, x.q, x.q_count, x.q_scale) &&
               put_words(r, "k", i, lib->kv, x.k, x.k_count, x.k_scale) &&
               put_words(r, "v", i, lib->merges ? "f32" : lib->kv, x.v, x.v_count, x.v_scale);
    int n = snprintf(r->plan + used, room, "%zu %d %zu %zu %zu %zu %zu %zu %a %a %a %a %s %s %s\n",
                     i, s->causal, s->batch, s->queries, s->keys, s->heads, s->kv_heads, s->dim,
                     (double)x.scale, (double)x.q_scale, (double)x.k_scale, (double)x.v_scale,
                     lib->q, lib->kv, lib->out);
    attend_lib_values_free(&x);
    return good && (size_t)n < room;
}

static int put_requests(libs_run *r)
{
    attend_lib_set s;
    for (size_t i = 0; attend_lib_set_at(r->lib, r->o->tier, i, &s); i++)
        if (!put_request(r, i, &s))
            return 0;
    return python_write(r->folder, "plan", r->plan, strlen(r->plan));
}

/* ---- the report ------------------------------------------------------------------------------ */

/* The text after a word at the beginning of a line, with printable characters only. */
static int after(const char *text, const char *word, char *rest, size_t size)
{
    size_t length = strlen(word), used = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, length) != 0 || line[length] != ' ')
            continue;
        for (line += length + 1; *line && *line != '\n' && used + 1 < size; line++)
            rest[used++] = *line >= ' ' && *line <= '~' ? *line : '?';
        rest[used] = 0;
        return 1;
    }
    return 0;
}

static int broken(libs_run *r, const char *what, const attend_lib_set *s, const char *why)
{
    char set[128] = "";
    conform_result *result = r->tally.result;
    result->status = CONFORM_BROKEN;
    if (s)
        attend_lib_set_text(s, set, sizeof set);
    snprintf(result->why, sizeof result->why, "%s%s%s: %s", what, s ? ", " : "", set, why);
    return 0;
}

static int not_run(libs_run *r, const char *why, const char *more)
{
    r->tally.result->status = CONFORM_NOT_RUN;
    snprintf(r->tally.result->why, sizeof r->tally.result->why, "%s%s", why, more);
    return 0;
}

/* Returns 1 if there are results to be judged. If the first request was refused, the library cannot
 * run here. If a later one was, a library is judged by the others. A module of the user's own has
 * to do all. */
static int can_judge(libs_run *r, const char *text, const char *failed)
{
    char rest[CONFORM_TEXT + 64];
    attend_lib_set s;
    if (failed == python_missing)
        return not_run(r, failed, "");
    if (after(text, "absent", rest, sizeof rest))
        return not_run(r, rest, "");
    if (after(text, "library", rest, sizeof rest))
        snprintf(r->tally.result->origin, sizeof r->tally.result->origin, "%.*s", CONFORM_TEXT - 1,
                 rest);
    if (after(text, "refused", rest, sizeof rest)) {
        size_t number = (size_t)strtoul(rest, NULL, 10);
        const char *why = strchr(rest, ' ');
        if (number == 0)
            return not_run(r, "the library refuses:", why ? why : "");
        if (r->lib->module && !failed)
            return 1;
        return broken(r, "refused", attend_lib_set_at(r->lib, r->o->tier, number, &s) ? &s : NULL,
                      why ? why + 1 : "");
    }
    if (failed)
        return broken(r, r->lib->program, NULL, failed);
    return 1;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Reads a file that must have `size` bytes. */
static char *answer(libs_run *r, const char *letter, size_t number, const attend_lib_set *s,
                    size_t size)
{
    char name[NAME_ROOM], why[128];
    size_t got;
    snprintf(name, sizeof name, "%s.%zu", letter, number);
    char *data = python_read(r->folder, name, 2 * size + 4096, &got);
    if (data && got == size)
        return data;
    if (data)
        snprintf(why, sizeof why, "%zu bytes of %s were returned; expected %zu", got, letter, size);
    else
        snprintf(why, sizeof why, "no %s was returned, or too much", letter);
    free(data);
    broken(r, "the answer", s, why);
    return NULL;
}

/* A module of the user's own need not. */
static int gives_lse(const libs_run *r, size_t i)
{
    char name[NAME_ROOM];
    size_t size;
    if (r->lib->module || !r->lib->lse_base)
        return r->lib->lse_base;
    snprintf(name, sizeof name, "lse.%zu", i);
    char *data = python_read(r->folder, name, REPORT_MOST << 8, &size);
    free(data);
    return data != NULL;
}

static int judge_request(libs_run *r, size_t i, const attend_lib_set *s)
{
    attend_lib_values x;
    size_t rows = s->batch * s->queries * s->heads;
    size_t width = (size_t)sf8_format_bits(attend_lib_format(r->lib->out)) / 8;
    char *out = answer(r, "out", i, s, rows * s->dim * width), *lse = NULL;
    int good = out != NULL;
    if (good && gives_lse(r, i)) {
        lse = answer(r, "lse", i, s, rows * 4);
        good = lse != NULL;
    }
    if (good) {
        if (!attend_lib_fill(r->lib, s, &x)) {
            attend_lib_values_free(&x);
            free(out);
            free(lse);
            return broken(r, "what is right", s, "no memory");
        }
        sf8_sha256_add(&r->hash, (unsigned char *)out, rows * s->dim * width);
        attend_lib_read(r->lib, s, &x);
        attend_lib_judge(&r->tally, s, &x, out, lse);
        attend_lib_values_free(&x);
    }
    free(out);
    free(lse);
    return good;
}

/* Whether the report says that this request was refused. */
static int refuses(const libs_run *r, size_t number)
{
    char line[NAME_ROOM], rest[CONFORM_TEXT];
    snprintf(line, sizeof line, "refused %zu", number);
    return after(r->report, line, rest, sizeof rest);
}

/* Says how many of `all` requests the library refused, and why it refused the first. */
static void note_refusals(libs_run *r, size_t all)
{
    char rest[CONFORM_TEXT], *why = r->tally.result->why;
    size_t used = strlen(why);
    if (r->refused == 0 || !after(r->report, "refused", rest, sizeof rest))
        return;
    snprintf(why + used, CONFORM_LONG - used, "%srefused %zu of %zu requests:%s", used ? "; " : "",
             r->refused, all, rest + strcspn(rest, " "));
}

static void judge_all(libs_run *r)
{
    attend_lib_set s;
    int good = 1;
    size_t i = 0;
    sf8_sha256_begin(&r->hash);
    for (; good && attend_lib_set_at(r->lib, r->o->tier, i, &s); i++) {
        if (refuses(r, i))
            r->refused++;
        else
            good = judge_request(r, i, &s);
    }
    sf8_sha256_end(&r->hash, r->tally.result->digest);
    attend_lib_conclude(&r->tally);
    note_refusals(r, i);
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* Shorter than the pool's time limit for a case, so that this process ends python3. */
static double limit_of(const conform_options *o)
{
    static const double limits[] = {100, 500, 5000};
    return o->limit > 0 ? o->limit * 0.75 : limits[o->tier];
}

/* Runs a program. Returns 0 if it reported that it cannot run here, or was interrupted. */
static int run_python(libs_run *r, const char *const pieces[PYTHON_PIECES],
                      const char *const arguments[PYTHON_ARGUMENTS], double limit)
{
    char why[CONFORM_TEXT];
    size_t size;
    const char *failed = python_run(r->folder, pieces, arguments, limit, why, sizeof why);
    char *text = python_read(r->folder, "report", REPORT_MOST, &size);
    r->report = text ? text : calloc(1, 1);
    return r->report ? can_judge(r, r->report, failed) : not_run(r, "no memory", "");
}

/* What python3 reported about all modules, and about the GPU. */
static struct probe {
    int asked, missing; /* no python3 */
    char why[CONFORM_TEXT];
    char *text;
} probe;

/* The modules of all rows, each once, and "gpu". */
static void probe_arguments(const conform_family *family, const char *arguments[PYTHON_ARGUMENTS])
{
    size_t n = 0;
    static case_list list;
    list.family = family;
    case_list_all(&list);
    for (size_t i = 0; i < list.count && n + 2 < PYTHON_ARGUMENTS; i++) {
        const char *module = ((const attend_lib *)list.cases[i].data)->module;
        size_t k = 0;
        while (module && k < n && strcmp(arguments[k], module) != 0)
            k++;
        if (module && k == n)
            arguments[n++] = module;
    }
    arguments[n] = "gpu";
}

static void ask(const conform_family *family)
{
    static const char *const pieces[PYTHON_PIECES] = {"frame", "probe"};
    const char *arguments[PYTHON_ARGUMENTS] = {NULL}, *failed = "no folder for python3";
    char folder[PYTHON_PATH];
    size_t size;
    if (probe.asked)
        return;
    probe.asked = 1;
    probe_arguments(family, arguments);
    if (python_folder(folder)) {
        failed = python_run(folder, pieces, arguments, PROBE, probe.why, sizeof probe.why);
        probe.text = python_read(folder, "report", REPORT_MOST, &size);
        python_folder_remove(folder);
    }
    probe.missing = failed == python_missing;
    if (failed && failed != probe.why)
        snprintf(probe.why, sizeof probe.why, "%s", failed);
}

int attend_lib_prepare(const conform_case *c, char why[CONFORM_LONG])
{
    (void)why;
    ask(c->family);
    return 1;
}

int attend_lib_uses_gpu(const conform_case *c)
{
    return ((const attend_lib *)c->data)->gpu;
}

/* Returns 1 if the module, or the GPU, is available. */
static int has(libs_run *r, const char *name)
{
    char rest[CONFORM_TEXT];
    if (probe.missing)
        return not_run(r, python_missing, "");
    if (!after(probe.text ? probe.text : "", name, rest, sizeof rest))
        return broken(r, "probe", NULL, *probe.why ? probe.why : "python3 gave no reason");
    if (strncmp(rest, "absent ", 7) == 0)
        return not_run(r, rest + 7, "");
    return strcmp(rest, "there") == 0 || broken(r, "probe", NULL, rest);
}

/* Tests whether the module exists, and a GPU if the row needs one, without running it. A missing
 * module of the user's own is found when it is imported. */
static int is_there(libs_run *r, const conform_family *family)
{
    const char *own = getenv("SOFTFP8_ATTEND");
    if (!r->lib->module)
        return (own && *own) || not_run(r, "SOFTFP8_ATTEND names no module of python3", "");
    ask(family);
    return has(r, r->lib->module) && (!r->lib->gpu || has(r, "gpu"));
}

static int asked(libs_run *r)
{
    const attend_lib *lib = r->lib;
    const char *const arguments[PYTHON_ARGUMENTS] = {lib->options[0], lib->options[1]};
    const char *pieces[PYTHON_PIECES] = {"frame"};
    size_t n = 1;
    if (lib->tensors)
        pieces[n++] = "torch_words";
    pieces[n++] = lib->program;
    pieces[n] = "start";
    return run_python(r, pieces, arguments, limit_of(r->o));
}

void attend_lib_run(const conform_job *j)
{
    static libs_run r;
    conform_result *result = j->result;
    double began = seconds_now();
    memset(&r, 0, sizeof r);
    r.o = j->o;
    r.lib = r.tally.lib = j->c->data;
    r.tally.result = result;
    r.tally.bound = attend_error_bound_named(r.lib->bound);
    r.tally.out = attend_lib_format(r.lib->out);
    if (!r.tally.bound || !python_folder(r.folder)) {
        set_broken(result, r.tally.bound ? "no folder for" : "no bound for", j->c->name);
        return;
    }
    if (is_there(&r, j->c->family)) {
        if (!put_requests(&r))
            set_broken(result, "its words cannot be written:", j->c->name);
        else if (asked(&r))
            judge_all(&r);
    }
    python_folder_remove(r.folder);
    free(r.report);
    result->seconds = seconds_now() - began;
}
