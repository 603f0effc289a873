/* SPDX-License-Identifier: MIT */
/* compare.c -- a part of a case's inputs, run in this process and compared with the oracle
 *
 * Inputs are processed in chunks. A subject with lanes gets each chunk in every lane, forward in
 * the even lanes and backward in the odd ones, and in the lanes 2 and 3 from the middle on, so that
 * no two lanes have the same input at a time. A chunk is divided into segments with one right code
 * each, so that comparing is cheap.
 */
#include "suite/compare.h"

#include "suite/digest.h"
#include "suite/right.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = DIGEST_CHUNK, POISON = 0xa5 /* fills memory before codes are written */ };

/* The inputs of a chunk from the last segment's end to `end`, whose right code is `code`. */
typedef struct segment {
    size_t end;
    uint64_t code;
} segment;

typedef struct run {
    const comparison *k;
    const gpu_subject *subject;
    conform_result *result;
    differences differences;
    right_codes codes;
    unsigned char *in, *out; /* CHUNK * lanes words */
    uint64_t *right, *got;   /* CHUNK words each; used where a chunk differs */
    segment *segments;       /* of the current chunk: stretches with one right code */
    size_t segment_count;
} run;

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

/* The position of the i-th of n inputs in a lane. */
static size_t place(size_t i, size_t n, int lane)
{
    if (lane & 2)
        i = i + n / 2 < n ? i + n / 2 : i + n / 2 - n;
    return lane & 1 ? n - 1 - i : i;
}

/* ---- the right codes ------------------------------------------------------------------------- */

/* Divides the chunk into segments. */
static void find_segments(run *r, uint64_t begin, size_t n)
{
    r->segment_count = 0;
    for (size_t i = 0; i < n;) {
        uint64_t stop, code = right_at(&r->codes, begin + i, &stop);
        size_t end = stop - begin > n ? n : (size_t)(stop - begin);
        segment *last = r->segment_count ? &r->segments[r->segment_count - 1] : NULL;
        if (last && last->code == code)
            last->end = end;
        else
            r->segments[r->segment_count++] = (segment){end, code};
        i = end;
    }
}

/* Returns 1 if a code from `begin` to `end` in steps of `stride` is not `code`. These are plain
 * loops with a constant stride, which the compiler can vectorize: this file is compiled with all
 * optimizations. */
#define OTHERS_BY(type, stride)                                                                    \
    for (size_t i = begin; i < end; i++) {                                                         \
        memcpy(&word, out + i * (stride) * sizeof word, sizeof word);                              \
        difference = (type)(difference | (word ^ want));                                           \
    }
#define OTHERS(type)                                                                               \
    static int others_##type(const unsigned char *out, size_t begin, size_t end, int stride,       \
                             uint64_t code)                                                        \
    {                                                                                              \
        type want = (type)code, difference = 0, word;                                              \
        if (stride == 1) {                                                                         \
            OTHERS_BY(type, 1)                                                                     \
        } else if (stride == 2) {                                                                  \
            OTHERS_BY(type, 2)                                                                     \
        } else {                                                                                   \
            OTHERS_BY(type, 4)                                                                     \
        }                                                                                          \
        return difference != 0;                                                                    \
    }
OTHERS(uint8_t)
OTHERS(uint16_t)
OTHERS(uint32_t)
OTHERS(uint64_t)

static int others(const unsigned char *out, int bytes, size_t begin, size_t end, int stride,
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

/* Returns 1 if all results of a lane for the inputs from `begin` to end - 1, in the lane's order,
 * have this code. */
static int piece_holds(const run *r, size_t n, int lane, size_t begin, size_t end, uint64_t code)
{
    size_t from = lane & 1 ? n - end : begin, to = lane & 1 ? n - begin : end;
    int bytes = r->subject->out_bytes;
    return begin >= end ||
           !others(r->out + (size_t)lane * (size_t)bytes, bytes, from, to, r->subject->lanes, code);
}

/* Returns 1 if every lane of the chunk is right. In a rotated lane the inputs from `cut` on come
 * first. */
static int chunk_holds(const run *r, size_t n)
{
    size_t begin = 0;
    for (size_t k = 0; k < r->segment_count; begin = r->segments[k++].end) {
        size_t end = r->segments[k].end;
        for (int lane = 0; lane < r->subject->lanes; lane++) {
            size_t turn = lane & 2 ? n / 2 : 0, cut = n - turn;
            size_t first = end < cut ? end : cut, second = begin > cut ? begin : cut;
            if (!piece_holds(r, n, lane, begin + turn, first + turn, r->segments[k].code) ||
                (end > cut &&
                 !piece_holds(r, n, lane, second - cut, end - cut, r->segments[k].code)))
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

/* Compares the lanes of a chunk one after the other. An input that differs in several lanes counts
 * once. */
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
            if (is_good(r->k, r->got[i], r->right[i]) && !is_good(r->k, got, r->right[i]))
                r->got[i] = got;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_good(r->k, r->got[i], r->right[i]))
            differences_add(&r->differences, begin + i, begin + i + 1, r->got[i], r->right[i]);
    }
}

static void digest_chunk(run *r, sf8_sha256 *digest, uint64_t begin, size_t n, int holds)
{
    size_t first = 0;
    for (size_t k = 0; holds && k < r->segment_count; first = r->segments[k++].end)
        digest_row(digest, inputs_at(r->k->inputs, begin + first), r->segments[k].code);
    for (size_t i = 0; !holds && i < n; i++) {
        if (i == 0 || r->got[i] != r->got[i - 1])
            digest_row(digest, inputs_at(r->k->inputs, begin + i), r->got[i]);
    }
}

/* All 32-bit inputs in order, which is the case that matters for speed: the i-th of n elements of
 * the tuples. */
#define STORE_ALL(lanes)                                                                           \
    for (uint32_t i = 0; i < n; i++) {                                                             \
        for (uint32_t lane = 0; lane < (lanes); lane++) {                                          \
            uint32_t at = lane & 1 ? n - 1 - i : i, turn = lane & 2 ? n / 2 : 0;                   \
            uint32_t word = first + (at >= turn ? at - turn : at + n - turn);                      \
            memcpy(in + ((size_t)i * (lanes) + lane) * 4, &word, 4);                               \
        }                                                                                          \
    }
static void store_all(unsigned char *in, uint32_t first, uint32_t n, int lanes)
{
    if (lanes == 1) {
        STORE_ALL(1)
    } else if (lanes == 2) {
        STORE_ALL(2)
    } else {
        STORE_ALL(4)
    }
}

static void store_inputs(const run *r, uint64_t begin, size_t n)
{
    int bytes = r->subject->in_bytes;
    size_t lanes = (size_t)r->subject->lanes;
    if (!r->k->inputs->list && bytes == 4) {
        store_all(r->in, (uint32_t)begin, (uint32_t)n, r->subject->lanes);
        return;
    }
    for (int lane = 0; lane < r->subject->lanes; lane++) {
        for (size_t i = 0; i < n; i++)
            store(r->in + (place(i, n, lane) * lanes + (size_t)lane) * (size_t)bytes, bytes,
                  inputs_at(r->k->inputs, begin + i));
    }
}

static void run_chunk(run *r, sf8_sha256 *digest, uint64_t begin, size_t n)
{
    store_inputs(r, begin, n);
    memset(r->out, POISON, n * (size_t)(r->subject->lanes * r->subject->out_bytes));
    double began = seconds_now();
    r->subject->run(r->in, r->out, n * (size_t)r->subject->lanes);
    r->result->subject_seconds += seconds_now() - began;
    find_segments(r, begin, n);
    int holds = chunk_holds(r, n);
    if (!holds) {
        fill_right(r);
        compare_chunk(r, begin, n);
    }
    digest_chunk(r, digest, begin, n, holds);
}

/* ---- the part -------------------------------------------------------------------------------- */

static int allocate(run *r)
{
    size_t lanes = (size_t)r->subject->lanes;
    r->in = calloc(CHUNK * lanes, 8);
    r->out = calloc(CHUNK * lanes, 8);
    r->right = calloc(CHUNK, sizeof r->right[0]);
    r->got = calloc(CHUNK, sizeof r->got[0]);
    r->segments = calloc(CHUNK, sizeof r->segments[0]);
    return r->in && r->out && r->right && r->got && r->segments;
}

/* The buffers hold no less. */
static void try_neighbours(run *r)
{
    size_t lanes = (size_t)r->subject->lanes;
    size_t in = (size_t)r->subject->in_bytes, out = (size_t)r->subject->out_bytes;
    neighbours_fill(r->k->oracle, r->right, NEIGHBOURS);
    for (size_t i = 0; i < NEIGHBOURS; i++)
        store(r->in + i * in, (int)in, r->right[i]);
    r->subject->run(r->in, r->out, NEIGHBOURS);
    for (size_t i = 0; i < NEIGHBOURS; i++)
        neighbours_check(r->k, r->right[i], (int)(i % lanes), load(r->out + i * out, (int)out),
                         r->result);
}

static void run_chunks(run *r)
{
    const comparison *k = r->k;
    sf8_sha256 digest;
    sf8_sha256_begin(&digest);
    for (uint64_t begin = k->begin; begin < k->end; begin += CHUNK)
        run_chunk(r, &digest, begin, k->end - begin < CHUNK ? (size_t)(k->end - begin) : CHUNK);
    sf8_sha256_end(&digest, r->result->digest);
    r->result->inputs = k->end - k->begin;
    r->result->status = r->result->differ ? CONFORM_FAILED : CONFORM_PASSED;
    if (k->begin == 0 && r->subject->lanes > 1)
        try_neighbours(r);
}

void compare_subject(const comparison *k, const gpu_subject *subject, conform_result *result)
{
    run r;
    memset(&r, 0, sizeof r);
    double began = seconds_now();
    r.k = k;
    r.subject = subject;
    r.result = result;
    r.differences.k = k;
    r.differences.result = result;
    right_open(&r.codes, k->oracle, k->inputs, 0);
    int lanes = subject->lanes;
    if ((lanes != 1 && lanes != 2 && lanes != 4) || !k->oracle->alike)
        set_broken(result, "cannot compare the lanes of", subject->name);
    else if (!allocate(&r))
        set_broken(result, "no memory for", subject->name);
    else
        run_chunks(&r);
    free(r.in);
    free(r.out);
    free(r.right);
    free(r.got);
    free(r.segments);
    result->seconds = seconds_now() - began;
}
