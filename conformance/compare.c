/* SPDX-License-Identifier: MIT */
/* compare.c -- one case: the subject on all its inputs, against the oracle, in this process
 *
 * Inputs are taken by chunks. A subject with lanes gets each chunk in every lane, forward in the
 * even ones and backward in the odd, so that neighbours in a pair are far from each other. Where
 * the oracle is one conversion its steps are walked along: over a whole row the right code is
 * constant, and comparing costs next to nothing.
 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 1 << 16, LANES_MOST = 4 };

/* The inputs of a chunk from the last segment's end to `end`, for which `code` is right. */
typedef struct segment {
    size_t end;
    uint64_t code;
} segment;

typedef struct run {
    const conform_case *c;
    const gpu_subject *subject;
    oracle oracle;
    inputs inputs;
    conform_result *result;
    unsigned char *in, *out; /* CHUNK * lanes words */
    uint64_t *right, *got;   /* CHUNK words each; used where a chunk differs */
    segment *segments;       /* of the chunk at hand: stretches with one right code */
    size_t segment_count;
    int walked; /* the oracle is a walk over steps */
    sf8_steps walk;
    sf8_step row, next;
    int more;            /* `next` is one */
    int open;            /* the last range may go on */
    uint64_t last_index; /* of the input that ended it */
} run;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- words in memory ------------------------------------------------------------------------- */

static void store(unsigned char *at, int bytes, uint64_t value)
{
    uint8_t b = (uint8_t)value;
    uint16_t h = (uint16_t)value;
    uint32_t w = (uint32_t)value;
    switch (bytes) {
    case 1:
        memcpy(at, &b, 1);
        break;
    case 2:
        memcpy(at, &h, 2);
        break;
    case 4:
        memcpy(at, &w, 4);
        break;
    default:
        memcpy(at, &value, 8);
        break;
    }
}

static uint64_t load(const unsigned char *at, int bytes)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t value;
    switch (bytes) {
    case 1:
        memcpy(&b, at, 1);
        return b;
    case 2:
        memcpy(&h, at, 2);
        return h;
    case 4:
        memcpy(&w, at, 4);
        return w;
    default:
        memcpy(&value, at, 8);
        return value;
    }
}

/* Where the i-th of n inputs stands in a lane. */
static size_t place(size_t i, size_t n, int lane)
{
    return lane & 1 ? n - 1 - i : i;
}

/* ---- the right codes ------------------------------------------------------------------------- */

static int walk_begin(run *r)
{
    const oracle *o = &r->oracle;
    if (o->steps != 1 || o->function[0].op != SF8_OP_CONVERT)
        return 0;
    if (sf8_steps_begin(&r->walk, o->function[0].operand[0].format, o->function[0].result.format,
                        o->env[0], 0) != SF8_OK)
        return 0;
    sf8_steps_next(&r->walk, &r->row);
    r->more = sf8_steps_next(&r->walk, &r->next);
    return 1;
}

/* The code of an input; inputs come in ascending order. */
static uint64_t walked_code(run *r, uint64_t word)
{
    while (r->more && r->next.first <= word) {
        r->row = r->next;
        r->more = sf8_steps_next(&r->walk, &r->next);
    }
    return r->row.code;
}

/* Cuts the chunk into segments. */
static void find_segments(run *r, uint64_t begin, size_t n)
{
    r->segment_count = 0;
    for (size_t i = 0; i < n;) {
        uint64_t word = inputs_at(&r->inputs, begin + i), code;
        size_t end = i + 1;
        if (r->walked) {
            code = walked_code(r, word);
            uint64_t row_end = r->more ? r->next.first : UINT64_MAX;
            if (!r->inputs.list)
                end = row_end - word > n - i ? n : i + (size_t)(row_end - word);
        } else {
            code = oracle_call(&r->oracle, word);
        }
        segment *last = r->segment_count ? &r->segments[r->segment_count - 1] : NULL;
        if (last && last->code == code)
            last->end = end;
        else
            r->segments[r->segment_count++] = (segment){end, code};
        i = end;
    }
}

/* How many of the words from `begin` to `end` in steps of `stride` are not `code`; plain loops, for
 * the compiler to make vectors of. */
#define COUNT_OTHERS(type)                                                                         \
    static int others_##type(const unsigned char *out, size_t begin, size_t end, size_t stride,    \
                             uint64_t code)                                                        \
    {                                                                                              \
        type want = (type)code, difference = 0, word;                                              \
        for (size_t i = begin; i < end; i++) {                                                     \
            memcpy(&word, out + i * stride * sizeof word, sizeof word);                            \
            difference = (type)(difference | (word ^ want));                                       \
        }                                                                                          \
        return difference != 0;                                                                    \
    }
COUNT_OTHERS(uint8_t)
COUNT_OTHERS(uint16_t)
COUNT_OTHERS(uint32_t)
COUNT_OTHERS(uint64_t)

static int others(const unsigned char *out, int bytes, size_t begin, size_t end, size_t stride,
                  uint64_t code)
{
    switch (bytes) {
    case 1:
        return others_uint8_t(out, begin, end, stride, code);
    case 2:
        return others_uint16_t(out, begin, end, stride, code);
    case 4:
        return others_uint32_t(out, begin, end, stride, code);
    default:
        return others_uint64_t(out, begin, end, stride, code);
    }
}

/* Whether every lane of the chunk is right. */
static int chunk_holds(const run *r, size_t n)
{
    size_t lanes = (size_t)r->subject->lanes, begin = 0;
    int bytes = r->subject->out_bytes;
    for (size_t k = 0; k < r->segment_count; begin = r->segments[k++].end) {
        const segment *s = &r->segments[k];
        for (size_t lane = 0; lane < lanes; lane++) {
            size_t from = lane & 1 ? n - s->end : begin, to = lane & 1 ? n - begin : s->end;
            if (others(r->out + lane * (size_t)bytes, bytes, from, to, lanes, s->code))
                return 0;
        }
    }
    return 1;
}

static void fill_right(run *r)
{
    size_t i = 0;
    for (size_t k = 0; k < r->segment_count; k++) {
        while (i < r->segments[k].end)
            r->right[i++] = r->segments[k].code;
    }
}

/* ---- differences ----------------------------------------------------------------------------- */

static void differs(run *r, uint64_t index, uint64_t word, uint64_t got, uint64_t right)
{
    conform_result *result = r->result;
    result->differ++;
    if (r->open && index == r->last_index + 1) {
        r->last_index = index;
        if (result->range_count <= CONFORM_RANGES)
            result->range[result->range_count - 1].last = word;
        return;
    }
    r->open = 1;
    r->last_index = index;
    if (result->range_count < CONFORM_RANGES) {
        conform_range *range = &result->range[result->range_count];
        range->first = range->last = word;
        range->got = got;
        range->right = right;
    }
    result->range_count++;
}

static int is_nan_class(const run *r, uint64_t got, uint64_t right)
{
    const sf8_word *target = oracle_target(&r->oracle);
    return r->c->nan_class && target->kind == SF8_WORD_FLOAT && sf8_is_nan(target->format, right) &&
           sf8_is_nan(target->format, got);
}

/* The lanes of a chunk, one after the other. A word that differs in several lanes counts once. */
static void compare_chunk(run *r, uint64_t begin, size_t n)
{
    int bytes = r->subject->out_bytes, lanes = r->subject->lanes;
    for (size_t i = 0; i < n; i++)
        r->got[i] = load(r->out + place(i, n, 0) * (size_t)(lanes * bytes), bytes);
    for (int lane = 1; lane < lanes; lane++) {
        for (size_t i = 0; i < n; i++) {
            const unsigned char *at = r->out + (place(i, n, lane) * (size_t)lanes + (size_t)lane) *
                                                   (size_t)bytes;
            uint64_t got = load(at, bytes);
            if (r->got[i] == r->right[i])
                r->got[i] = got;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (r->got[i] != r->right[i] && !is_nan_class(r, r->got[i], r->right[i]))
            differs(r, begin + i, inputs_at(&r->inputs, begin + i), r->got[i], r->right[i]);
    }
}

static void digest_row(sf8_sha256 *digest, uint64_t word, uint64_t code)
{
    unsigned char row[16];
    for (int k = 0; k < 8; k++) {
        row[k] = (unsigned char)(word >> 8 * k);
        row[8 + k] = (unsigned char)(code >> 8 * k);
    }
    sf8_sha256_add(digest, row, sizeof row);
}

/* The rows of the staircase that came: digested in place of all codes, of which there are too many.
 * A chunk begins a row of its own. */
static void digest_chunk(run *r, sf8_sha256 *digest, uint64_t begin, size_t n, int holds)
{
    size_t first = 0;
    for (size_t k = 0; holds && k < r->segment_count; first = r->segments[k++].end)
        digest_row(digest, inputs_at(&r->inputs, begin + first), r->segments[k].code);
    for (size_t i = 0; !holds && i < n; i++) {
        if (i == 0 || r->got[i] != r->got[i - 1])
            digest_row(digest, inputs_at(&r->inputs, begin + i), r->got[i]);
    }
}

/* The inputs of a lane; all words in order are the case that counts. */
static void store_lane(const run *r, uint64_t begin, size_t n, int lane)
{
    int bytes = r->subject->in_bytes;
    size_t lanes = (size_t)r->subject->lanes;
    unsigned char *at = r->in + (size_t)(lane * bytes);
    if (!r->inputs.list && bytes == 4) {
        for (size_t i = 0; i < n; i++) {
            uint32_t word = (uint32_t)begin + (uint32_t)(lane & 1 ? n - 1 - i : i);
            memcpy(at + i * lanes * 4, &word, 4);
        }
        return;
    }
    for (size_t i = 0; i < n; i++)
        store(at + place(i, n, lane) * lanes * (size_t)bytes, bytes,
              inputs_at(&r->inputs, begin + i));
}

static void run_chunk(run *r, sf8_sha256 *digest, uint64_t begin, size_t n)
{
    for (int lane = 0; lane < r->subject->lanes; lane++)
        store_lane(r, begin, n, lane);
    r->subject->run(r->in, r->out, n * (size_t)r->subject->lanes);
    find_segments(r, begin, n);
    int holds = chunk_holds(r, n);
    if (!holds) {
        fill_right(r);
        compare_chunk(r, begin, n);
    }
    digest_chunk(r, digest, begin, n, holds);
}

/* ---- the case -------------------------------------------------------------------------------- */

static int not_run(conform_result *result, const char *why)
{
    result->status = CONFORM_NOT_RUN;
    snprintf(result->why, sizeof result->why, "%s", why);
    return 0;
}

static int broken(conform_result *result, const char *what, const char *name)
{
    result->status = CONFORM_BROKEN;
    snprintf(result->why, sizeof result->why, "%.60s %.180s", what, name);
    return 0;
}

static int find_subject(run *r)
{
    size_t count = 0;
    if (r->c->place != PLACE_HOST)
        return not_run(r->result, "no GPU");
    const gpu_subject *list = gpu_host_subjects(&count);
    if (gpu_host_missing())
        return not_run(r->result, gpu_host_missing());
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, r->c->subject) == 0)
            r->subject = &list[i];
    }
    if (!r->subject)
        return broken(r->result, "no subject", r->c->subject);
    if (r->subject->lanes < 1 || r->subject->lanes > LANES_MOST)
        return broken(r->result, "too many lanes in", r->c->subject);
    return 1;
}

static void judge(const conform_case *c, conform_result *result)
{
    result->status = result->differ ? CONFORM_FAILED : CONFORM_PASSED;
    if (c->known && result->differ)
        result->status = CONFORM_KNOWN;
    if (c->known && !result->differ) {
        result->status = CONFORM_FAILED;
        snprintf(result->why, sizeof result->why, "differs no longer: the row says it does");
    }
}

void compare_case(const conform_case *c, const gpu_subject *subject, conform_tier tier,
                  conform_result *result)
{
    run r;
    memset(&r, 0, sizeof r);
    memset(result, 0, sizeof *result);
    double began = seconds();
    r.c = c;
    r.result = result;
    r.subject = subject;
    if (!subject && !find_subject(&r))
        return;
    char why[CONFORM_TEXT];
    if (!oracle_open(&r.oracle, c->oracle, why) ||
        !inputs_open(&r.inputs, &r.oracle, c->domain, tier, why)) {
        broken(result, "the row:", why);
        return;
    }
    size_t lanes = (size_t)r.subject->lanes;
    r.in = calloc(CHUNK * lanes, 8);
    r.out = calloc(CHUNK * lanes, 8);
    r.right = calloc(CHUNK, sizeof r.right[0]);
    r.got = calloc(CHUNK, sizeof r.got[0]);
    r.segments = calloc(CHUNK, sizeof r.segments[0]);
    if (!r.in || !r.out || !r.right || !r.got || !r.segments) {
        broken(result, "no memory for", c->name);
    } else {
        sf8_sha256 digest;
        sf8_sha256_begin(&digest);
        r.walked = walk_begin(&r);
        for (uint64_t begin = 0; begin < r.inputs.count; begin += CHUNK) {
            uint64_t left = r.inputs.count - begin;
            run_chunk(&r, &digest, begin, left < CHUNK ? (size_t)left : CHUNK);
        }
        sf8_sha256_end(&digest, result->digest);
        result->inputs = r.inputs.count;
        judge(c, result);
    }
    inputs_close(&r.inputs);
    free(r.in);
    free(r.out);
    free(r.right);
    free(r.got);
    free(r.segments);
    result->seconds = seconds() - began;
}

void conform_run_case(const conform_case *c, const conform_options *o, conform_result *result)
{
    compare_case(c, NULL, o->tier, result);
}
