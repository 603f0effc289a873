/* SPDX-License-Identifier: MIT */
/* packages.c -- conversions of Python packages, where python3 has them and the package softfp8
 *
 * A case asks `python -m softfp8.survey` whether a package still follows the policies that the
 * table of its adapters claims: all inputs of formats up to 16 bits. The full tier takes everything
 * that the matrix has, also arithmetic and blocks. softfp8 is looked for once.
 */
#include "suite/compare.h"
#include "suite/family.h"
#include "suite/python.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE = 20, REPORT_MOST = 1 << 16 };

/* The adapters of softfp8.survey that convert. */
static const char *const names[] = {"apytypes",   "gfloat",   "jax",         "ml_dtypes", "mlx",
                                    "numkong",    "onnx",     "onnxruntime", "openvino",  "paddle",
                                    "tensorflow", "tinygrad", "torch",       "triton"};

static void cases(case_list *list)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        conform_case c = {.subject = names[i], .data = names[i]};
        case_list_add(list, c, "packages/%s", names[i]);
    }
}

/* What python3 answered: a report of one line or two, from malloc; NULL and *why if none. */
static char *ask(const char *first, const char *second, double limit, char why[CONFORM_LONG])
{
    static const char *const pieces[PYTHON_PIECES] = {"packages"};
    const char *const arguments[PYTHON_ARGUMENTS] = {first, second};
    char folder[PYTHON_PATH], text[CONFORM_TEXT] = "";
    size_t size;
    if (!python_folder(folder)) {
        snprintf(why, CONFORM_LONG, "no folder for python3");
        return NULL;
    }
    const char *failed = python_run(folder, pieces, arguments, limit, text, sizeof text);
    char *report = python_read(folder, "report", REPORT_MOST, &size);
    python_folder_remove(folder);
    if (!report)
        snprintf(why, CONFORM_LONG, "%s", failed ? failed : "python3 gave no answer");
    return report;
}

/* What stands behind a word at the beginning of a line, up to its end; NULL if no line has it. */
static char *after(char *report, const char *word)
{
    size_t length = strlen(word);
    for (char *line = report; *line; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\n')) {
            line[strcspn(line, "\n")] = '\0';
            return line + length + (line[length] == ' ');
        }
        if (!line[strcspn(line, "\n")])
            break;
    }
    return NULL;
}

static struct probe {
    int asked, there;
    char why[CONFORM_LONG];
} probe;

static void look(void)
{
    if (probe.asked)
        return;
    probe.asked = 1;
    char *report = ask("list", NULL, PROBE, probe.why), *why;
    if (report) {
        why = after(report, "absent");
        probe.there = why == NULL;
        snprintf(probe.why, sizeof probe.why, "%s", why ? why : "");
    }
    free(report);
}

static int prepare(const conform_case *c, char why[CONFORM_LONG])
{
    (void)c, (void)why;
    look();
    return 1;
}

static void judge(conform_result *result, const char *package, char *report)
{
    char version[CONFORM_TEXT];
    uint64_t cells = 0;
    char *why, *wrong = strstr(report, "\nwrong "); /* of 7 characters */
    if ((why = after(report, "absent")) != NULL) {
        set_not_run(result, why);
        return;
    }
    char *ran = after(report, "ran");
    if (!ran || sscanf(ran, "%255s %" SCNu64 " %" SCNu64 " %" SCNu64, version, &cells,
                       &result->inputs, &result->differ) != 4) {
        why = ran ? NULL : after(report, "broken");
        result->status = CONFORM_BROKEN;
        snprintf(result->why, sizeof result->why, "%s", why ? why : "the answer of python3 is bad");
        return;
    }
    snprintf(result->origin, sizeof result->origin, "%.60s %.60s", package, version);
    result->status = wrong ? CONFORM_FAILED : CONFORM_PASSED;
    if (wrong)
        snprintf(result->why, sizeof result->why, "%.*s", (int)strcspn(wrong + 7, "\n"), wrong + 7);
    else
        snprintf(result->why, sizeof result->why, "%.60s %.60s, %" PRIu64 " conversions", package,
                 version, cells);
}

static void run(const conform_job *j)
{
    static const double limits[] = {100, 3000, 3000};
    const char *package = j->c->data;
    char why[CONFORM_LONG];
    look();
    if (!probe.there) {
        set_not_run(j->result, probe.why);
        return;
    }
    double began = seconds_now();
    double limit = j->o->limit > 0 ? j->o->limit * 0.75 : limits[j->o->tier];
    char *report = ask(package, j->o->tier == TIER_QUICK ? "*/[be]*" : "*", limit, why);
    if (report)
        judge(j->result, package, report);
    else
        set_broken(j->result, why, package);
    free(report);
    j->result->seconds = seconds_now() - began;
}

const conform_family packages_family = {.name = "packages",
                                        .against = "the policy of the package",
                                        .cases = cases,
                                        .prepare = prepare,
                                        .run = run};
