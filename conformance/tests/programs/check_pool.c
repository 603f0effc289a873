/* SPDX-License-Identifier: MIT */
/* check_pool.c -- device cases that crash, hang, fail or lie: each ends only its own case
 *
 * A process that not even SIGKILL ends is one that waitpid, which is replaced here, never returns.
 * The device, its subjects and the rows here replace those of the suite. After a failure the device
 * is unusable in its process, as a GPU is: the next case is right only if another process opened it
 * again.
 */
#include "families/convert/convert.h"
#include "device.h"

/* What cases of kernels call, which there are none of. Of the rest there are functions here. */
#define SOFTFP8_DEVICE_MISSING "not asked"
#define SOFTFP8_MMA_MISSING "not asked"
#define gpu_open absent_open
#define gpu_device_subjects absent_subjects
#define gpu_device_sass absent_sass
#define gpu_run absent_run
#define gpu_answer_free absent_answer_free
#include "device_absent.c"
#include "mma/mma_absent.c"
#undef gpu_open
#undef gpu_device_subjects
#undef gpu_device_sass
#undef gpu_run
#undef gpu_answer_free

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 256 };

#define SUBJECT(name)                                                                              \
    {                                                                                              \
        name, NULL, 1, 2, 1, NULL, "fp8"                                                           \
    }
static const gpu_device_subject subjects[] = {
    SUBJECT("right"),
    SUBJECT("exit"),
    SUBJECT("abort"),
    SUBJECT("fault"),
    SUBJECT("hang"),
    SUBJECT("stuck"),
    SUBJECT("wrong"),
    SUBJECT("lost"),
    SUBJECT("empty"),
    SUBJECT("oracle"),
    SUBJECT("many"),
    SUBJECT("slow"),
    {"elsewhere", NULL, 1, 2, 1, "sm_100a", "fp8"},
};

#define ROW(row, called)                                                                           \
    {                                                                                              \
        .name = row, .subject = called, .family = &cuda_device_family, .oracle = {                 \
            {"e4m3_to_f16", "ocp-nosat", NULL}                                                     \
        }                                                                                          \
    }
static const struct {
    conform_case c;
    conform_status status;
    const char *why;
} rows[] = {
    {ROW("exit", "exit"), CONFORM_BROKEN, "ended without a result, status 0"},
    {ROW("right 1", "right"), CONFORM_PASSED, ""},
    {ROW("exit 2", "exit"), CONFORM_BROKEN, "ended without a result, status 0"},
    {ROW("right 2", "right"), CONFORM_PASSED, ""},
    {ROW("abort", "abort"), CONFORM_BROKEN, "ended by signal 6"},
    {ROW("right 3", "right"), CONFORM_PASSED, ""},
    {ROW("fault", "fault"), CONFORM_BROKEN, "the device: an illegal address"},
    {ROW("right 4", "right"), CONFORM_PASSED, ""},
    {ROW("hang", "hang"), CONFORM_BROKEN, "no answer within 1 seconds"},
    {ROW("right 5", "right"), CONFORM_PASSED, ""},
    {ROW("wrong", "wrong"), CONFORM_FAILED, ""},
    {ROW("lost", "lost"), CONFORM_BROKEN,
     "the rows that were returned do not give all codes of lost"},
    {ROW("empty", "empty"), CONFORM_BROKEN, "the device did not return all lanes of empty"},
    {ROW("oracle", "oracle"), CONFORM_BROKEN,
     "the oracle on the device differs from the one here: oracle"},
    {ROW("many", "many"), CONFORM_BROKEN, "codes that change too often in many"},
    {ROW("elsewhere", "elsewhere"), CONFORM_NOT_RUN, "needs sm_100a"},
    {ROW("right 6", "right"), CONFORM_PASSED, ""},
    {ROW("slow 1", "slow"), CONFORM_PASSED, ""}, /* each has a time limit of its own */
    {ROW("slow 2", "slow"), CONFORM_PASSED, ""},
    {ROW("hang 2", "hang"), CONFORM_BROKEN, "no answer within 1 seconds"},
    {ROW("stuck", "stuck"), CONFORM_BROKEN, "the process did not end after SIGKILL"},
    {ROW("right 7", "right"), CONFORM_PASSED, ""},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const conform_case *case_at(size_t i)
{
    return i < ROWS ? &rows[i].c : NULL;
}

/* ---- a process that is stuck ----------------------------------------------------------------- */

static volatile pid_t *stuck; /* shared by all processes */

pid_t waitpid(pid_t pid, int *status, int options)
{
    if (pid != *stuck)
        return wait4(pid, status, options, NULL);
    if (options & WNOHANG)
        return 0;
    printf("stuck: the pool waits without limit\n");
    exit(1);
}

/* ---- the device ------------------------------------------------------------------------------ */

static int lost; /* in this process */

const char *gpu_toolkit(void)
{
    return NULL;
}

const char *gpu_host_missing(void)
{
    return "not asked";
}

const gpu_subject *gpu_host_subjects(size_t *count)
{
    *count = 0;
    return NULL;
}

const char *gpu_open(gpu_device *device)
{
    static const gpu_device fake = {"fake", "1.0", "sm_90a", 0};
    *device = fake;
    return NULL;
}

const gpu_device_subject *gpu_device_subjects(size_t *count)
{
    *count = sizeof subjects / sizeof subjects[0];
    return subjects;
}

const char *gpu_device_sass(const gpu_device_subject *subject)
{
    (void)subject;
    return "";
}

const char *gpu_run(const gpu_sweep *sweep, gpu_answer *answer)
{
    const char *what = sweep->subject->name;
    gpu_lane *lane = &answer->lane[0];
    volatile int forever = strcmp(what, "hang") == 0 || strcmp(what, "stuck") == 0;
    memset(answer, 0, sizeof *answer);
    lost |= strcmp(what, "fault") == 0;
    if (lost)
        return "an illegal address";
    if (strcmp(what, "exit") == 0)
        _exit(0);
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "stuck") == 0)
        *stuck = getpid();
    while (forever)
        continue;
    if (strcmp(what, "slow") == 0)
        nanosleep(&(struct timespec){0, 600000000}, NULL);
    answer->lanes = strcmp(what, "empty") != 0;
    answer->too_many = strcmp(what, "many") == 0;
    lane->row = calloc(WORDS, sizeof lane->row[0]);
    for (uint64_t i = 0; i < sweep->count && lane->row && !answer->too_many; i++) {
        uint64_t right = sf8_convert(sweep->to, sweep->from, i, sweep->policy);
        uint64_t code = right ^ (strcmp(what, "wrong") == 0 && i == 0x40 ? 1 : 0);
        if (lane->rows == 0 || lane->row[lane->rows - 1].code != code)
            lane->row[lane->rows++] = (gpu_row){i, code};
        lane->sum += code;
        lane->weighted += (i + 1) * code;
        lane->right_sum += right;
        lane->right_weighted += (i + 1) * right;
        lane->differ += code != right;
    }
    lane->weighted += strcmp(what, "lost") == 0;
    lane->right_weighted += strcmp(what, "oracle") == 0;
    return NULL;
}

void gpu_answer_free(gpu_answer *answer)
{
    free(answer->lane[0].row);
    memset(answer, 0, sizeof *answer);
}

/* ---- the checks ------------------------------------------------------------------------------ */

static unsigned checks, failures;
static uint64_t parts_reported, cases_reported;

static void check(int good, const char *what, const char *name, const char *got)
{
    checks++;
    if (good)
        return;
    failures++;
    printf("%s: %s: %s\n", name, what, got);
}

static void progress(void *context, const conform_case *c, uint64_t parts, uint64_t of)
{
    (void)context, (void)c, (void)of;
    parts_reported = parts;
}

static void done(void *context, const conform_case *c, const conform_result *r)
{
    (void)context, (void)c, (void)r;
    cases_reported++;
}

int main(void)
{
    static const conform_family *const none = NULL;
    const conform_catalog all = {&none, case_at};
    conform_options o;
    const conform_case **cases;
    size_t count;
    memset(&o, 0, sizeof o);
    o.catalog = &all;
    stuck = mmap(NULL, sizeof *stuck, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stuck == MAP_FAILED)
        return 1;
    o.limit = 1;
    o.processes = 4;
    o.progress = progress;
    o.done = done;
    conform_result *results = conform_run(&o, &cases, &count);
    check(count == ROWS, "cases", "all", "other than the rows");
    check(parts_reported == ROWS && cases_reported == ROWS, "each is done once", "all",
          "it is not");
    for (size_t i = 0; i < count; i++) {
        const conform_result *r = &results[i];
        char got[32];
        snprintf(got, sizeof got, "%d", (int)r->status);
        check(r->status == rows[i].status, "status", cases[i]->name, got);
        check(strcmp(r->why, rows[i].why) == 0, "why", cases[i]->name, r->why);
        if (r->status == CONFORM_PASSED || r->status == CONFORM_FAILED)
            check(r->inputs == WORDS && r->differ == (r->status == CONFORM_FAILED), "counts",
                  cases[i]->name, "wrong");
    }
    free(results);
    free(cases);
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
