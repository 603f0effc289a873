/* SPDX-License-Identifier: MIT */
/* mma.c -- a case of an instruction: its tiles or its sweep, what came held against the library */
#include "families/mma/mma.h"

#include "suite/digest.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 16, ROW = MMA_ROW };

static const gpu_mma *find_mma(const conform_case *c)
{
    size_t count;
    const gpu_mma *list = c->rbits == MMA_SPARSE ? gpu_mma_sparses(&count) : gpu_mmas(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, c->subject) == 0)
            return &list[i];
    }
    return NULL;
}

/* ---- what differs ---------------------------------------------------------------------------- */

void mma_row_text(char text[MMA_ROW_TEXT], const unsigned char *codes, const gpu_mma *m)
{
    size_t used = 0, bytes = (size_t)m->a_bytes;
    for (size_t k = 0; k < (size_t)m->k; k++) {
        if (m->a_bytes == 4) { /* tf32 has 19 bits */
            uint32_t code;
            memcpy(&code, codes + 4 * k, 4);
            used += (size_t)snprintf(text + used, 2 * ROW + 1 - used, "%05x", (unsigned)code);
            continue;
        }
        for (size_t i = bytes; i-- > 0;)
            used += (size_t)snprintf(text + used, 2 * ROW + 1 - used, "%02x",
                                     (unsigned)codes[k * bytes + i]);
    }
}

/* One that differs: the first of them is told with its whole row. */
static void differs(mma_run_state *r, const gpu_mma_miss *miss, const char *what)
{
    char a[MMA_ROW_TEXT], b[MMA_ROW_TEXT];
    int digits = strcmp(r->mma->out, "f16") == 0 ? 4 : 8;
    mma_row_text(a, miss->a, r->mma);
    mma_row_text(b, miss->b, r->mma);
    if (r->result->status == CONFORM_PASSED)
        snprintf(r->result->why, sizeof r->result->why, "%.60s: %s %s %0*x gives %0*x, not %0*x",
                 what, a, b, digits, (unsigned)miss->c, digits, (unsigned)miss->got, digits,
                 (unsigned)miss->right);
    r->result->status = CONFORM_FAILED;
}

void mma_missed(mma_run_state *r, const gpu_mma_miss *miss, const char *what)
{
    r->result->differ++;
    if (r->misses < GPU_MMA_MISSES)
        r->miss[r->misses++] = *miss;
    differs(r, miss, what);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void negate(unsigned char *row, sf8_format f, const gpu_mma *m)
{
    uint32_t sign = (uint32_t)sf8_format_sign_bit(f);
    for (size_t k = 0; k < (size_t)m->k; k++)
        for (size_t i = 0; i < (size_t)m->a_bytes; i++)
            row[k * (size_t)m->a_bytes + i] ^= (unsigned char)(sign >> 8 * i);
}

void mma_sign_codes(const mma_run_state *r, unsigned char *a, unsigned char *b)
{
    if (r->mma->negate_a)
        negate(a, r->unit.a, r->mma);
    if (r->mma->negate_b)
        negate(b, r->unit.b, r->mma);
}

/* The word that is right for an element, by the library as C compiled it. */
static uint32_t right_word(const mma_run_state *r, const unsigned char *a, const unsigned char *b,
                           uint32_t c)
{
    unsigned char row_a[ROW], row_b[ROW];
    size_t bytes = (size_t)(r->mma->k * r->mma->a_bytes);
    memcpy(row_a, a, bytes);
    memcpy(row_b, b, bytes);
    mma_sign_codes(r, row_a, row_b);
    return sf8_mma_dot(&r->unit, row_a, row_b, NULL, NULL, (size_t)r->mma->k, c);
}

/* The operands of element i of the tiles. */
static const unsigned char *row_at(const mma_run_state *r, const gpu_mma_tiles *t, size_t i)
{
    size_t rows = (size_t)r->mma->rows, columns = (size_t)r->mma->columns;
    size_t tile = i / (rows * columns), row = i / columns % rows;
    return (const unsigned char *)t->a +
           (tile * rows + row) * (size_t)(r->mma->k * r->mma->a_bytes);
}

static const unsigned char *column_at(const mma_run_state *r, const gpu_mma_tiles *t, size_t i)
{
    size_t columns = (size_t)r->mma->columns, tile = i / ((size_t)r->mma->rows * columns);
    return (const unsigned char *)t->b +
           (tile * columns + i % columns) * (size_t)(r->mma->k * r->mma->a_bytes);
}

static void multiply_here(const mma_run_state *r, const gpu_mma_tiles *t)
{
    size_t each = (size_t)r->mma->rows * (size_t)r->mma->columns;
    for (size_t i = 0; i < t->count * each; i++)
        t->d[i] = right_word(r, row_at(r, t, i), column_at(r, t, i), t->scale_d ? t->c[i] : 0);
}

void mma_compare(mma_run_state *r, const gpu_mma_tiles *t, const char *what)
{
    size_t bytes = (size_t)(r->mma->k * r->mma->a_bytes);
    size_t rows = (size_t)r->mma->rows, columns = (size_t)r->mma->columns;
    for (size_t i = 0; i < t->count * rows * columns; i++) {
        gpu_mma_miss miss;
        const unsigned char *a = row_at(r, t, i), *b = column_at(r, t, i);
        uint32_t right = right_word(r, a, b, t->scale_d ? t->c[i] : 0);
        if (t->d[i] == right)
            continue;
        memcpy(miss.a, a, bytes);
        memcpy(miss.b, b, bytes);
        miss.c = t->c[i];
        miss.got = t->d[i];
        miss.right = right;
        miss.row = (int)(i / columns % rows);
        miss.column = (int)(i % columns);
        if (t->scale_d) {
            mma_missed(r, &miss, what);
        } else { /* it is not told as a row that can be asked again */
            r->result->differ++;
            differs(r, &miss, what);
        }
    }
    sf8_sha256_add(&r->hash, t->d, t->count * rows * columns * sizeof t->d[0]);
}

void mma_try(mma_run_state *r, const void *a, const void *b, const uint32_t *c, uint32_t count,
             int scale_d, const char *what)
{
    size_t elements = (size_t)r->mma->rows * (size_t)r->mma->columns * count;
    uint32_t *d = malloc(elements * sizeof d[0]);
    gpu_mma_tiles t = {r->mma, &r->unit, a, b, c, d, count, scale_d};
    if (!r->wrong && !d)
        r->wrong = "no memory";
    if (!r->wrong && !r->device)
        multiply_here(r, &t);
    else if (!r->wrong)
        r->wrong = gpu_mma_run(&t);
    if (!r->wrong)
        mma_compare(r, &t, what);
    r->result->inputs += elements;
    free(d);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* How many elements go through all that there is; 0 for a kind that is drawn. */
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

/* How many elements by the tier; of what can be gone through all by the full one, of triples by
 * soak: they are a hundred times as many. */
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

int mma_is_sweep(const conform_case *c)
{
    return c->domain == DOMAIN_MMA && c->rbits >= MMA_SWEEPS && c->rbits < MMA_SPARSE;
}

/* The tiles of a part: of what is gone through, few are taken far apart. */
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

/* What differs is counted where the judge is; what came back is computed again here, so that the
 * judge is not trusted alone. */
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
        differs(r, &answer.miss[0], what);
        memcpy(r->miss, answer.miss, sizeof r->miss);
        r->misses = (size_t)answer.misses;
    } else if (again > 0) {
        set_broken(r->result, "the unit on the device is not the one here:", r->mma->name);
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

unsigned mma_parts(const conform_case *c, conform_tier tier)
{
    const gpu_mma *m = find_mma(c);
    int kind = (int)c->rbits - MMA_SWEEPS;
    if (!mma_is_sweep(c) || tier == TIER_QUICK || !m || wanted(kind, tier, m) < 1 << 20)
        return 1;
    return PARTS;
}

/* How many opcodes of the machine code, "4xFADD", begin so. */
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

/* Where the machine code is another than the model is of, what differs is no wrong result. */
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

/* What the device makes of a row, at the place in its tile where it was missed. */
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

/* 0 where it cannot be had; the result says why. */
static int open_run(mma_run_state *r, const conform_case *c, conform_result *result)
{
    memset(r, 0, sizeof *r);
    r->c = c;
    r->mma = find_mma(c);
    r->result = result;
    result->status = CONFORM_PASSED;
    if (!r->mma) {
        set_broken(result, "no instruction", c->subject);
        return 0;
    }
    if (sf8_mma_named(&r->unit, r->mma->unit, sf8_format_named(r->mma->a, NULL),
                      sf8_format_named(r->mma->b, NULL),
                      sf8_format_named(r->mma->out, NULL)) != SF8_OK) {
        set_broken(result, "no unit", r->mma->unit);
        return 0;
    }
    sf8_sha256_begin(&r->hash);
    return 1;
}

/* What the suite makes itself. */
static void run_tiles(mma_run_state *r)
{
    if (r->c->rbits == MMA_DIRECTED)
        mma_directed(r);
    else if (r->c->rbits == MMA_SINGLE)
        mma_single(r);
    else
        mma_sparse(r);
}

void mma_run(const conform_case *c, const gpu_device *device, conform_tier tier, conform_part part,
             conform_result *result, char **record)
{
    mma_run_state r;
    if (mma_is_gemm(c)) {
        mma_gemm_run(c, device, result, record);
        return;
    }
    if (!open_run(&r, c, result))
        return;
    r.device = device;
    if (!device->emulated && strcmp(device->target, "sm_90a") != 0) {
        result->status = CONFORM_NOT_RUN;
        snprintf(result->why, sizeof result->why, "needs sm_90a");
        return;
    }
    if (!mma_is_sweep(c))
        run_tiles(&r);
    else
        run_sweep(&r, tier, part);
    sf8_sha256_end(&r.hash, result->digest);
    if (r.misses > 0 && !r.wrong)
        mma_tell_misses(&r, on_device, &r, result->diagnosis, sizeof result->diagnosis);
    if (r.wrong)
        set_broken(result, "the device:", r.wrong);
    judge_machine_code(&r);
    if (record && !mma_is_sweep(c) && !r.wrong)
        *record = record_digest_text(c, result, result->inputs);
}

/* What is right now has the digest of what came then; of another instruction that proves nothing.
 */
void mma_replay(const conform_case *c, const record_case *record, conform_result *result)
{
    mma_run_state r;
    if (mma_is_gemm(c)) {
        mma_gemm_replay(c, record, result);
        return;
    }
    if (!open_run(&r, c, result))
        return;
    run_tiles(&r);
    sf8_sha256_end(&r.hash, result->digest);
    if (r.wrong)
        set_broken(result, "the tiles:", r.wrong);
    else if (!record_agrees(record, "tiles", result) && result->status == CONFORM_FAILED &&
             record->sass && !mma_is_modelled(r.mma, record->sass)) {
        result->status = CONFORM_STALE;
        snprintf(result->why, sizeof result->why,
                 "another instruction: what came has the digest %s", record->digest);
    }
}
