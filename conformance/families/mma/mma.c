/* SPDX-License-Identifier: MIT */
/* mma.c -- a case of an instruction: its tiles, or its sweep */
#include "families/mma/mma.h"

#include "suite/compare.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 16 };

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* The number of elements of an exhaustive kind of inputs; 0 for a kind that is drawn at random. */
static uint64_t all_of(int kind, const gpu_mma *m)
{
    sf8_format a = sf8_format_named(m->a, NULL), b = sf8_format_named(m->b, NULL);
    uint64_t columns = (uint64_t)m->columns, each;
    switch (kind) {
    case GPU_MMA_ACCUMULATORS:
        return UINT64_C(1) << (strcmp(m->out, "f16") == 0 ? 16 : 32);
    case GPU_MMA_PAIRS:
        return UINT64_C(1) << 32;
    case GPU_MMA_TRIPLES:
        each = GPU_MMA_TRIPLES_B(a.exp_bits, b.exp_bits, b.man_bits);
        return (each * each * each + columns - 1) / columns * columns << 24;
    default:
        return 0;
    }
}

/* The number of elements by the tier. The full tier tests exhaustive kinds completely; triples only
 * in the soak tier, since they are a hundred times as many. */
static uint64_t wanted(int kind, conform_tier tier, const gpu_mma *m)
{
    static const uint64_t random[] = {1000000, 1000000000, 10000000000};
    uint64_t all = all_of(kind, m);
    if (kind == GPU_MMA_TRIPLES)
        return tier == TIER_SOAK ? all : tier == TIER_FULL ? random[2] : random[0];
    if (all != 0)
        return tier == TIER_QUICK && all > random[0] ? random[0] : all;
    return kind == GPU_MMA_CHAIN ? random[tier] / GPU_MMA_STEPS : random[tier];
}

/* The tiles of a part. If only some of an exhaustive kind are tested, they are far apart. */
static void choose_tiles(gpu_mma_sweep *s, const gpu_device *device, conform_tier tier,
                         conform_part part)
{
    uint64_t each = (uint64_t)s->mma->rows * (uint64_t)s->mma->columns;
    uint64_t n = (wanted(s->kind, tier, s->mma) + each - 1) / each;
    uint64_t all = all_of(s->kind, s->mma) / each;
    if (device->emulated)
        n = s->kind == GPU_MMA_CHAIN ? 1 : (4096 + each - 1) / each;
    s->stride = n < all ? all / n : 1;
    uint64_t begin = n / part.of * part.index;
    uint64_t end = part.index + 1 == part.of ? n : n / part.of * (part.index + 1);
    s->first = begin * s->stride;
    s->count = end - begin;
    uint64_t back = (UINT64_C(1) << 13) / each + 1; /* come back, of a part */
    uint64_t tiles = s->count * (s->kind == GPU_MMA_CHAIN ? GPU_MMA_STEPS : 1);
    s->sample = tiles / back + 1;
}

static void take_tile(void *context, uint64_t tile, const gpu_mma_tiles *t)
{
    mma_run_state *r = context;
    uint64_t differ = r->result->differ;
    char what[64];
    snprintf(what, sizeof what, "tile %llx", (unsigned long long)tile);
    mma_compare(r, t, what);
    r->result->crossed += r->result->differ - differ;
    r->result->differ = differ;
}

/* Differences are counted on the device. A sample is computed again here, so that the device's
 * verdict is not trusted alone. */
static void run_sweep(mma_run_state *r, conform_tier tier, conform_part part)
{
    gpu_mma_answer answer;
    gpu_mma_sweep s = {r->mma,    &r->unit, (int)r->c->rbits - MMA_SWEEPS, 1, 0, 1, 0, 0,
                       take_tile, r};
    choose_tiles(&s, r->device, tier, part);
    s.seed = 20260000u + r->c->rbits;
    r->wrong = gpu_mma_sweep_run(&s, &answer);
    if (r->wrong)
        return;
    uint64_t again = r->result->crossed;
    r->result->crossed = 0;
    r->result->inputs = answer.elements;
    r->result->differ = answer.differ;
    r->result->seconds = answer.seconds;
    r->result->subject_seconds = answer.mma_seconds;
    if (answer.misses > 0) {
        char what[64];
        r->result->status = CONFORM_PASSED;
        snprintf(what, sizeof what, "tile %llx", (unsigned long long)answer.miss[0].tile);
        mma_differs(r, &answer.miss[0], what);
        memcpy(r->miss, answer.miss, sizeof r->miss);
        r->misses = (size_t)answer.misses;
    } else if (again > 0) {
        set_broken(r->result, "the unit on the device differs from the one here:", r->mma->name);
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

unsigned mma_sweep_parts(const conform_case *c, conform_tier tier)
{
    size_t count;
    const gpu_mma *m = gpu_mmas(&count), *end = m + count;
    while (m < end && strcmp(m->name, c->subject) != 0)
        m++;
    int kind = (int)c->rbits - MMA_SWEEPS;
    return tier == TIER_QUICK || m == end || wanted(kind, tier, m) < 1 << 20 ? 1 : PARTS;
}

/* How many opcodes of the machine code, "4xFADD", begin with this text. */
static long opcodes(const char *sass, const char *begin)
{
    long count = 0;
    while (*sass) {
        char *opcode;
        long n = strtol(sass, &opcode, 10);
        if (*opcode == 'x' && strncmp(opcode + 1, begin, strlen(begin)) == 0)
            count += n;
        sass += strcspn(sass, " ");
        sass += strspn(sass, " ");
    }
    return count;
}

int mma_is_modelled(const gpu_mma *m, const char *sass)
{
    long hmma = opcodes(sass, "HMMA"), fadd = opcodes(sass, "FADD"), hadd = opcodes(sass, "HADD2");
    long hgmma = opcodes(sass, "HGMMA"), qgmma = opcodes(sass, "QGMMA");
    long others = opcodes(sass, "QMMA");
    int half = strcmp(m->out, "f16") == 0;
    if (strcmp(m->unit, "hopper-mma-fp8") == 0) /* a lane has four results, or two pairs */
        return hmma == 2 && fadd == (half ? 0 : 4) && hadd == (half ? 2 : 0) &&
               hgmma + qgmma + others == 0;
    if (fadd + hadd + others > 0)
        return 0;
    return hmma == (strcmp(m->unit, "hopper-hmma") == 0) &&
           hgmma == (strcmp(m->unit, "hopper-hgmma") == 0) &&
           qgmma == (strcmp(m->unit, "hopper-qgmma") == 0);
}

/* If the machine code is not the one that was modelled, a difference is not a wrong result. */
static void judge_machine_code(mma_run_state *r)
{
    const char *sass = r->c->rbits == MMA_SPARSE ? gpu_mma_sparse_sass(r->mma)
                                                 : gpu_mma_sass(r->mma);
    conform_result *result = r->result;
    char before[CONFORM_TEXT];
    snprintf(result->sass, sizeof result->sass, "%s", sass ? sass : "");
    if (!sass || mma_is_modelled(r->mma, sass))
        return;
    memcpy(before, result->why, sizeof before);
    if (result->status == CONFORM_FAILED)
        result->status = CONFORM_STALE;
    snprintf(result->why, sizeof result->why, "another instruction, %.100s%s%.130s", sass,
             before[0] ? ": " : "", before);
}

/* What the device computes for a row, at the place in its tile where it was wrong. */
static uint32_t on_device(void *context, const mma_result *row)
{
    mma_run_state *r = context;
    const gpu_mma *m = r->mma;
    if (r->c->rbits == MMA_SPARSE)
        return mma_sparse_on_device(r, row);
    size_t bytes = (size_t)(m->k * m->a_bytes), rows = (size_t)m->rows;
    size_t columns = (size_t)m->columns, words = rows * columns;
    size_t at_row = (size_t)r->miss[0].row, at_column = (size_t)r->miss[0].column;
    unsigned char *a = calloc(rows + columns, bytes), *b = a ? a + rows * bytes : NULL;
    uint32_t *c = calloc(2 * words, sizeof c[0]), got = 0;
    gpu_mma_tiles t = {m, &r->unit, a, b, c, c ? c + words : NULL, 1, 1};
    if (!r->wrong && !(a && c))
        r->wrong = "no memory";
    if (!r->wrong) {
        memcpy(a + at_row * bytes, row->x.a, bytes);
        memcpy(b + at_column * bytes, row->x.b, bytes);
        mma_sign_codes(r, a + at_row * bytes, b + at_column * bytes);
        c[at_row * columns + at_column] = row->c;
        r->wrong = gpu_mma_run(&t);
        got = t.d[at_row * columns + at_column];
    }
    free(a);
    free(c);
    return got;
}

/* ---- the family ------------------------------------------------------------------------------ */

static int open_unit(kernel_run *k)
{
    mma_run_state *r = k->own;
    r->c = k->job->c;
    r->mma = k->kernel;
    r->device = k->device;
    r->result = k->result;
    r->hash = &k->hash;
    if (sf8_mma_named(&r->unit, r->mma->unit, sf8_format_named(r->mma->a, NULL),
                      sf8_format_named(r->mma->b, NULL),
                      sf8_format_named(r->mma->out, NULL)) != SF8_OK)
        return set_broken(k->result, "no unit", r->mma->unit);
    return k->emulated || strcmp(k->device->target, "sm_90a") == 0 ||
           set_not_run(k->result, "needs sm_90a");
}

/* The device multiplies the tiles, or in a replay the library does. */
static const char *run_tiles(kernel_run *k)
{
    mma_run_state *r = k->own;
    if (r->c->rbits == MMA_DIRECTED)
        mma_directed(r);
    else if (r->c->rbits == MMA_SINGLE)
        mma_single(r);
    else if (r->c->rbits == MMA_SPARSE)
        mma_sparse(r);
    else
        run_sweep(r, k->tier, k->job->part);
    k->hashed = k->result->inputs;
    return r->wrong;
}

static const char *launch(kernel_run *k, const void *set, void *data, int hashed)
{
    (void)set, (void)data, (void)hashed;
    return run_tiles(k);
}

static const char *right(kernel_run *k, const void *set, void *data)
{
    (void)set, (void)data;
    return run_tiles(k);
}

static const char *tell_misses(kernel_run *k)
{
    mma_run_state *r = k->own;
    if (r->misses > 0)
        mma_tell_misses(r, on_device, r, k->result->diagnosis, sizeof k->result->diagnosis);
    return r->wrong;
}

/* The digest of a record proves nothing for a different instruction. */
static void close(kernel_run *k)
{
    const record_case *record = k->job->c->record;
    conform_result *result = k->result;
    if (k->device) {
        judge_machine_code(k->own);
    } else if (result->status == CONFORM_FAILED && record->sass &&
               !mma_is_modelled(k->kernel, record->sass)) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why,
                 "another instruction: the result has the digest %s", record->digest);
    }
}

KERNEL_LIST(list, gpu_mmas)
KERNEL_LIST(sparse_list, gpu_mma_sparses)

#define KERNELS(instructions)                                                                      \
    {                                                                                              \
        .group = "mma", .counts = "tiles", .list = instructions, .entry_bytes = sizeof(gpu_mma),   \
        .own_bytes = sizeof(mma_run_state), .open = open_unit, .launch = launch, .right = right,   \
        .more = tell_misses, .close = close                                                        \
    }
const kernel_family mma_kernels = KERNELS(list), mma_sparse_kernels = KERNELS(sparse_list);
