/* SPDX-License-Identifier: MIT */
/* pretend.c -- softfp8 record on a pretended GPU: how long the host's share takes
 *
 *     softfp8-pretend --keep DIR [OPTION...]    as softfp8 record
 *
 * The device answers no question. It waits as long as an H200 is expected to take, one call at a
 * time, and the families take the right result for its answer (pretend_answer). What the host does
 * is real: it makes inputs, computes expected results, compares and writes. At the end the program
 * says how much time that took, and what follows for a number of cores. SOFTFP8_PRETEND multiplies
 * the times of the device.
 *
 * The record and its units say `emulated pretended`. Nothing replays or merges them.
 */
#include "cli/cli.h"
#include "device.h"
#include "softfp8/kv/layout.h"
#include "softfp8_attend.h"
#include "suite/compare.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- how long an H200 takes ------------------------------------------------------------------ */

/* Not measured. MEMORY and the shares of it are the predictions of docs/gpu.md; the others are
 * guesses, on the slow side. */
static const double START = 0.5,      /* of a process: the driver and the kernels */
    CALL = 1e-3,                      /* of a call: memory, launches, waiting */
    AGAIN = 5e-5,                     /* of one more launch, and reading its result */
    LINK = 10e9,                      /* bytes a second to the device and back */
    MEMORY = 4.3e12,                  /* bytes a second that a copy moves */
    LEAST = 0.25,                     /* the share of a copy that the slowest kernels reach */
    STEPS = 2.8e13, STEPS_EACH = 500; /* instructions a second; those of a conversion and checks */

/* Launches, of which each moves this many bytes. */
static double launches(int times, double bytes)
{
    return (times + 1) * bytes / (MEMORY * LEAST);
}

/* ---- what is counted ------------------------------------------------------------------------- */

enum { SWEEPS, BLOCKS, KV, ATTEND, MERGE, MMA, SPEEDS, KINDS };
static const char *const names[KINDS] = {"conversions", "blocks",       "KV caches",    "attention",
                                         "merging",     "matrix units", "speeds, alone"};

/* Seconds of processors (host), of the device, and of both where a process worked on one case; the
 * seconds of the device that passed while other processes computed, for each of them. */
static struct totals {
    unsigned long calls[KINDS];
    double host[KINDS], device[KINDS], longest[KINDS], beside;
    double busy_since; /* 0: the device is idle */
} *totals; /* shared by all processes */

static int lock_file;
static pid_t parent;
static double scale = 1, began, device_then;

/* Byte 0 of the file is the device, byte 1 is the totals. A process that ends lets both go. */
static void lock(off_t byte, short how)
{
    struct flock l = {.l_type = how, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    while (fcntl(lock_file, F_SETLKW, &l) != 0)
        continue;
}

/* The device's seconds so far. */
static double device_seconds(void)
{
    double sum = totals->busy_since > 0 ? seconds_now() - totals->busy_since : 0;
    for (int i = 0; i < KINDS; i++)
        sum += totals->device[i];
    return sum;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void wait_for(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0)
        continue;
}

/* A call of the device, for this subject. What the process computed before belongs to it. Returns
 * the seconds. */
static double call(int kind, const void *subject, double seconds)
{
    static double computed, of_subject;
    static const void *last;
    const double now = processor_seconds(), host = now - computed;
    seconds = (seconds + CALL) * scale;
    lock(1, F_WRLCK);
    totals->beside += device_seconds() - device_then;
    totals->calls[kind]++;
    totals->host[kind] += host;
    of_subject = (subject == last ? of_subject : 0) + host + seconds;
    if (totals->longest[kind] < of_subject)
        totals->longest[kind] = of_subject;
    lock(1, F_UNLCK);
    lock(0, F_WRLCK);
    totals->busy_since = seconds_now();
    wait_for(seconds);
    lock(1, F_WRLCK);
    totals->busy_since = 0;
    totals->device[kind] += seconds;
    device_then = device_seconds();
    lock(1, F_UNLCK);
    lock(0, F_UNLCK);
    last = subject;
    computed = now;
    return seconds;
}

/* ---- the device ------------------------------------------------------------------------------ */

/* The process that only looks for it is not counted. */
const char *gpu_open(gpu_device *device)
{
    static const gpu_device pretended = {"NVIDIA H200 (pretended)", "none", "sm_90a", 0, 1};
    *device = pretended;
    wait_for(START * scale);
    device_then = device_seconds();
    return NULL;
}

const char *gpu_device_sass(const gpu_device_subject *subject)
{
    (void)subject;
    return NULL;
}

const char *gpu_run(const gpu_sweep *sweep, gpu_answer *answer)
{
    const gpu_device_subject *s = sweep->subject;
    const double count = (double)sweep->count, lanes = s->lanes;
    memset(answer, 0, sizeof *answer);
    answer->lanes = s->lanes;
    answer->seconds = call(SWEEPS, s, count * lanes * STEPS_EACH / STEPS +
                                          (sweep->list ? count * 8 / LINK : 0));
    return NULL;
}

void gpu_answer_free(gpu_answer *answer)
{
    for (int i = 0; i < GPU_LANES; i++)
        free(answer->lane[i].row);
    memset(answer, 0, sizeof *answer);
}

const char *gpu_blocks_run(const gpu_blocks *b, double *seconds)
{
    const double bytes = (double)(b->tensor_bytes + b->code_bytes + b->scale_bytes);
    *seconds = call(BLOCKS, b->kernel, bytes / LINK + launches(b->times, bytes));
    return NULL;
}

/* Kernels of caches and of attention are timed by a process that does nothing else. */
static int timed;

const char *gpu_copy_run(uint64_t bytes, uint64_t around, int times, double *seconds)
{
    (void)around;
    *seconds = call(timed ? SPEEDS : BLOCKS, NULL, launches(times, 2 * (double)bytes));
    return NULL;
}

/* All arrays are copied to the device and back. */
const char *gpu_kv_run(const gpu_kv *b, double *seconds)
{
    const double bytes = (double)(b->tensor_bytes + b->tail_bytes + b->image_bytes +
                                  b->scale_bytes);
    timed |= b->times > 0;
    *seconds = call(timed ? SPEEDS : KV, b->kernel,
                    2 * bytes / LINK + (double)b->around / MEMORY + launches(b->times, bytes));
    return NULL;
}

const char *gpu_kv_clamp_run(const char *tensor, uint64_t bytes, uint64_t around, int times,
                             double *seconds)
{
    (void)tensor;
    (void)around;
    *seconds = call(SPEEDS, NULL, launches(times, 2 * (double)bytes));
    return NULL;
}

static const unsigned char *const on_device = (const unsigned char *)"images";

const char *gpu_attend_images_free(gpu_attend_images *images)
{
    images->room[0] = NULL;
    return NULL;
}

/* Images are copied there once, if they stay. */
const char *gpu_attend_run(const gpu_attend *b, double *seconds)
{
    const sf8_kv_image *k = &b->requests[0].k.image, *v = &b->requests[0].v.image;
    double keys = 0, copied = (double)(k->size + k->scales_size + v->size + v->scales_size);
    for (size_t i = 0; i < b->count; i++)
        keys += (double)b->requests[i].keys;
    if (b->images && b->images->room[0])
        copied = 0;
    if (b->images)
        b->images->room[0] = (unsigned char *)(uintptr_t)on_device;
    timed |= b->times > 0;
    *seconds = call(timed ? SPEEDS : ATTEND, b->kernel,
                    copied / LINK + launches(b->times, keys * 2 * (double)k->layout.heads *
                                                           (double)k->layout.dim *
                                                           (double)k->layout.bits / 8));
    return NULL;
}

const char *gpu_merge_run(const gpu_merge *m)
{
    const double words = (double)m->parts * (double)m->rows * (double)m->channels;
    const double each = (double)m->rows * (double)m->channels;
    call(MERGE, m->kernel, words * 4 / LINK + m->times * (AGAIN + each * 4 / LINK));
    return NULL;
}

const char *gpu_link_run(const gpu_link *link, size_t n, const uint32_t *in, uint32_t *out,
                         size_t count)
{
    (void)link, (void)n, (void)in, (void)out, (void)count;
    return "the pretended device only records";
}

const char *gpu_mma_sass(const gpu_mma *m)
{
    (void)m;
    return NULL;
}

static double tiles(const gpu_mma *m, uint32_t count)
{
    return count * (double)(m->rows * m->columns * 8 + (m->rows + m->columns) * m->k * 4) / LINK;
}

const char *gpu_mma_run(const gpu_mma_tiles *t)
{
    call(MMA, t->mma, tiles(t->mma, t->count));
    return NULL;
}

const char *gpu_mma_sweep_run(const gpu_mma_sweep *s, gpu_mma_answer *answer)
{
    (void)s;
    memset(answer, 0, sizeof *answer);
    return "the pretended device only records";
}

const char *gpu_mma_sparse_sass(const gpu_mma *m)
{
    (void)m;
    return NULL;
}

const char *gpu_mma_sparse_run(const gpu_mma_sparse_tiles *t)
{
    call(MMA, t->mma, tiles(t->mma, t->count));
    return NULL;
}

const char *gpu_gemm_missing(void)
{
    return NULL;
}

const char *gpu_gemm_run(const gpu_product *p, gpu_gemm_choice *choice)
{
    memset(choice, 0xff, sizeof *choice); /* -1: not reported */
    choice->seconds = call(MMA, p->gemm,
                           ((double)(p->rows + p->columns) * (double)p->k +
                            4 * (double)p->rows * (double)p->columns) /
                               LINK);
    return NULL;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

/* On n cores what runs side by side takes at least its host's share divided by n, and at least its
 * device's. It takes at most both, and the longest case: nobody waits while there is a free core
 * and a case left, except for the device. Speeds are measured one after the other. */
static void say_cores(double host, double device, double longest, double alone)
{
    static const int cores[] = {1, 2, 4, 8, 16, 32, 64};
    fprintf(stderr, "cores  at least s  at most s\n");
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        const double share = host / cores[i];
        fprintf(stderr, "%5d  %10.1f  %9.1f\n", cores[i], (share > device ? share : device) + alone,
                share + device + longest + alone);
    }
}

static void say_totals(void)
{
    struct rusage children, self;
    double host = 0, device = 0, longest = 0, took = seconds_now() - began;
    if (getpid() != parent)
        return;
    getrusage(RUSAGE_CHILDREN, &children);
    getrusage(RUSAGE_SELF, &self);
    double all = (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec +
                          self.ru_utime.tv_sec + self.ru_stime.tv_sec) +
                 (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec +
                          self.ru_utime.tv_usec + self.ru_stime.tv_usec) *
                     1e-6;
    fprintf(stderr, "%-14s  %7s  %9s  %9s  %s\n", "pretended", "calls", "host s", "device s",
            "longest case s");
    for (int i = 0; i < KINDS; i++) {
        fprintf(stderr, "%-14s  %7lu  %9.1f  %9.1f  %14.1f\n", names[i], totals->calls[i],
                totals->host[i], totals->device[i], totals->longest[i]);
        host += totals->host[i];
        device += totals->device[i];
        if (i != SPEEDS && longest < totals->longest[i])
            longest = totals->longest[i];
    }
    fprintf(stderr, "%-14s  %7s  %9.1f\n", "the rest", "", all - host);
    fprintf(stderr,
            "%.1f s of the host, %.1f s of the device; took %.1f s, the device idle %.0f %% of them\n"
            "while the device worked, %.3f other processes computed on average\n",
            all, device, took, 100 * (1 - device / took),
            device > 0 ? totals->beside / device : 0.0);
    /* the device is opened three times: to look for it, for the cases, for the speeds */
    const double alone = totals->host[SPEEDS] + totals->device[SPEEDS] + 3 * START * scale;
    say_cores(all - totals->host[SPEEDS], device - totals->device[SPEEDS], longest, alone);
}

int main(int argc, char **argv)
{
    const char *times = getenv("SOFTFP8_PRETEND");
    char *end = NULL;
    FILE *file = tmpfile();
    began = seconds_now();
    parent = getpid();
    fail_as("record");
    scale = times ? strtod(times, &end) : 1;
    totals = mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (times && (end == times || *end || !(scale >= 0 && scale <= 1e6)))
        fail("SOFTFP8_PRETEND is no factor from 0 to 1e6: '%s'", times);
    if (!file || totals == MAP_FAILED)
        fail("no file or no memory for what the pretended device counts");
    lock_file = fileno(file);
    atexit(say_totals);
    return command_record.run(argc, argv);
}
