/* SPDX-License-Identifier: MIT */
/* prove_arrays.c -- conversions of arrays of f32 and f64, on every level of this processor
 *
 * The right codes are the step table of the conversion, which other rows compare with the reference
 * (table-f32) and with the function for one value (table-all). They are constant over a row, so
 * that the sweep costs little more than the array call. The full tier has each of the 2^32 inputs
 * under five policies and seven roundings, the quick one a few stretches of them and both sides of
 * every step.
 *
 * To more than 8 bits a table would be too long. There the right codes are those of the function
 * for one value, which the rows wide-convert compare with the reference. Between two inputs with
 * the same code it is not called: the goals order.*.ocp-like of `tools/prove formal` say that the
 * codes of ordered inputs are ordered. Inputs of f64 are the numbers of f32, those halfway to the
 * next one, and the neighbours of both, in turn. Stochastic rounding is compared with the function
 * for one value too, which the rows sr-convert prove.
 */
#include "rows/rows.h"

#include "softfp8/number/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chunk, its codes and the expected codes fit into the nearest cache. */
enum { ROWS_MOST = 8192, CHUNK = 4096, SWEEP_PARTS = 256 };

static const char *const formats[] = {"e4m3", "e5m2",     "e3m2",     "e2m3", "e2m1",
                                      "e8m0", "e4m3fnuz", "e5m2fnuz", "ue4m3"};
static const char *const policies[] = {"ocp", "ocp-nosat", "cuda-satfinite", "cuda-nosat",
                                       "torch-2.13"};
enum { TABLES = sizeof policies / sizeof policies[0] * REF_MODES };

/* One policy and rounding: the right codes, and the row of the last chunk. */
typedef struct table {
    sf8_policy policy;
    int mode, saturate;
    size_t count, at;
    sf8_step rows[ROWS_MOST];
} table;

typedef struct sweep {
    worker *w;
    const char *level;
    uint32_t words[CHUNK];
    uint8_t want[CHUNK], got[CHUNK];
    table tables[TABLES];
} sweep;

static void make_table(const sweep *s, table *t, const char *policy_name, int mode)
{
    sf8_status status;
    sf8_steps walk;
    t->policy = sf8_policy_named(policy_name, &status);
    if (status != SF8_OK)
        abort();
    t->policy.round = (unsigned)library_mode(mode) & SF8_ROUND_MASK;
    t->mode = mode;
    t->saturate = t->policy.overflow == SF8_TO_MAX;
    t->count = t->at = 0;
    if (sf8_steps_begin(&walk, SF8_F32, s->w->sf, t->policy, 0) != SF8_OK)
        abort();
    while (t->count < ROWS_MOST && sf8_steps_next(&walk, &t->rows[t->count]))
        t->count++;
    if (t->count == ROWS_MOST)
        abort();
}

/* The right codes of the inputs from `first` on. */
static void fill_want(sweep *s, table *t, uint64_t first, size_t n)
{
    if (t->rows[t->at].first > first)
        t->at = 0;
    while (t->at + 1 < t->count && t->rows[t->at + 1].first <= first)
        t->at++;
    size_t at = t->at;
    for (size_t i = 0; i < n; at++) {
        uint64_t end = at + 1 < t->count ? t->rows[at + 1].first : (uint64_t)1 << 32;
        size_t length = end - first < n ? (size_t)(end - first) : n;
        memset(s->want + i, (int)t->rows[at].code, length - i);
        i = length;
    }
}

/* Converts the inputs from `first` on, which are already stored, by one call. */
static void check_chunk(sweep *s, table *t, uint64_t first, size_t n)
{
    fill_want(s, t, first, n);
    sf8_status status = sf8_convert_n_at(s->level, s->w->sf, s->got, SF8_F32, s->words, n,
                                         t->policy);
    s->w->found.cases += n;
    if (status == SF8_OK && memcmp(s->got, s->want, n) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (status == SF8_OK && s->got[i] == s->want[i])
            continue;
        inputs(s->w, 1, first + i, 0, 0);
        mismatch(s->w, t->mode, t->saturate, (ref_answer){.code = s->want[i]},
                 (sf8_result){s->got[i], 0});
    }
}

static void fill_words(sweep *s, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s->words[i] = (uint32_t)(first + i);
}

/* The inputs of a chunk are written once for all tables, since that costs as much as a
 * conversion. */
static void check_words(sweep *s, range words)
{
    for (uint64_t at = words.begin; at < words.end; at += CHUNK) {
        size_t n = words.end - at < CHUNK ? (size_t)(words.end - at) : CHUNK;
        fill_words(s, at, n);
        for (size_t i = 0; i < TABLES; i++)
            check_chunk(s, &s->tables[i], at, n);
    }
}

static void check_steps(sweep *s, table *t)
{
    for (size_t i = 1; i < t->count; i++) {
        uint64_t step = t->rows[i].first, first = step < 2 ? 0 : step - 2;
        if (first + 4 <= (uint64_t)1 << 32) {
            fill_words(s, first, 4);
            check_chunk(s, t, first, 4);
        }
    }
}

static void run_arrays(worker *w)
{
    sweep *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->w = w;
    s->level = sf8_simd_at((size_t)w->row->work.arg);
    w->from = "f32";
    for (int i = 0; i < TABLES; i++) {
        make_table(s, &s->tables[i], policies[i / REF_MODES], i % REF_MODES);
        if (w->part == 0)
            check_steps(s, &s->tables[i]);
    }
    range words = part_of(w, (uint64_t)1 << 32);
    if (w->tier != FULL)
        words.end = words.begin + (words.end - words.begin) / 8192;
    check_words(s, words);
    free(s);
}

/* ---- the function for one value -------------------------------------------------------------- */

/* The core, compiled here for each pair of formats: a fifth of the time of the library's function
 * for any formats. */
typedef uint64_t one_value(uint64_t code, sf8_policy policy, uint32_t random);

#define ONE_VALUE(name, to, from)                                                                  \
    static uint64_t name(uint64_t code, sf8_policy policy, uint32_t random)                        \
    {                                                                                              \
        return sf8_core_convert(to, from, code, policy, random).code;                              \
    }
ONE_VALUE(e4m3_of_f32, SF8_E4M3, SF8_F32)
ONE_VALUE(e5m2_of_f32, SF8_E5M2, SF8_F32)
ONE_VALUE(e2m1_of_f32, SF8_E2M1, SF8_F32)
ONE_VALUE(e3m2_of_f32, SF8_E3M2, SF8_F32)
ONE_VALUE(e4m3fnuz_of_f32, SF8_E4M3FNUZ, SF8_F32)
ONE_VALUE(f16_of_f32, SF8_F16, SF8_F32)
ONE_VALUE(bf16_of_f32, SF8_BF16, SF8_F32)
ONE_VALUE(tf32_of_f32, SF8_TF32, SF8_F32)
ONE_VALUE(f16_of_f64, SF8_F16, SF8_F64)
ONE_VALUE(bf16_of_f64, SF8_BF16, SF8_F64)
ONE_VALUE(tf32_of_f64, SF8_TF32, SF8_F64)
ONE_VALUE(f32_of_f64, SF8_F32, SF8_F64)
#undef ONE_VALUE

typedef struct target {
    const char *name;
    one_value *of_f32, *of_f64;
} target;

/* The table names each pair of formats twice; so one result of each array is compared. */
static void check_one(one_value *one, sf8_format to, sf8_format from, uint64_t code,
                      sf8_policy policy, uint32_t random)
{
    if (one(code, policy, random) != sf8_convert_sr(to, from, code, policy, random).code)
        abort();
}

/* ---- to more than 8 bits --------------------------------------------------------------------- */

static const target wide_targets[] = {{"f16", f16_of_f32, f16_of_f64},
                                      {"bf16", bf16_of_f32, bf16_of_f64},
                                      {"tf32", tf32_of_f32, tf32_of_f64},
                                      {"f32", NULL, f32_of_f64}};

/* Policies and fields that such a conversion has a kernel for, or must not use one for. */
static const char *const wide_policies[] = {"ocp", "ocp-nosat", "torch-decode", "ocp flush=both",
                                            "ocp-nosat overflow_test=exact"};

typedef struct wide_sweep {
    worker *w;
    const target *target;
    sf8_format to;
    size_t width;
    uint32_t words[CHUNK];
    uint64_t doubles[CHUNK];
    unsigned char want[4 * CHUNK], got[4 * CHUNK];
} wide_sweep;

static uint32_t code_at(size_t width, const unsigned char *codes, size_t i)
{
    uint16_t half;
    uint32_t word;
    memcpy(&half, codes + (width == 2 ? 2 * i : 0), 2);
    memcpy(&word, codes + (width == 4 ? 4 * i : 0), 4);
    return width == 1 ? codes[i] : width == 2 ? half : word;
}

static void put_code(size_t width, unsigned char *codes, size_t i, uint64_t code)
{
    uint16_t half = (uint16_t)code;
    uint32_t word = (uint32_t)code;
    if (width == 1)
        codes[i] = (unsigned char)code;
    else if (width == 2)
        memcpy(codes + 2 * i, &half, 2);
    else
        memcpy(codes + 4 * i, &word, 4);
}

static uint64_t wide_input(const wide_sweep *s, sf8_format from, size_t i)
{
    return sf8_format_bits(from) == 64 ? s->doubles[i] : s->words[i];
}

/* Puts a code to all places from first to last. */
static void wide_fill(wide_sweep *s, size_t first, size_t last, uint64_t code)
{
    unsigned char *to = s->want + s->width * first;
    size_t bytes = s->width * (last - first + 1);
    put_code(s->width, s->want, first, code);
    for (size_t done = s->width; done < bytes; done *= 2)
        memcpy(to + done, to, done < bytes - done ? done : bytes - done);
}

/* The right codes of the inputs from first to last, whose own are a and b. */
static void fill_between(wide_sweep *s, one_value *one, sf8_format from, sf8_policy policy,
                         size_t first, uint64_t a, size_t last, uint64_t b, int ordered)
{
    enum { FEW = 16 };
    size_t middle = first + (last - first) / 2;
    if (ordered && a == b) {
        wide_fill(s, first, last, a);
        return;
    }
    if (last - first < FEW) {
        for (size_t i = first; i <= last; i++)
            put_code(s->width, s->want, i, one(wide_input(s, from, i), policy, 0));
        return;
    }
    uint64_t code = one(wide_input(s, from, middle), policy, 0);
    fill_between(s, one, from, policy, first, a, middle, code, ordered);
    fill_between(s, one, from, policy, middle, code, last, b, ordered);
}

/* The right codes of the inputs that are stored. Their magnitudes are ordered, if the first and the
 * last have the same sign and neither is NaN. */
static void fill_wide_want(wide_sweep *s, sf8_format from, size_t n, sf8_policy policy)
{
    one_value *one = sf8_format_bits(from) == 64 ? s->target->of_f64 : s->target->of_f32;
    uint64_t first = wide_input(s, from, 0), last = wide_input(s, from, n - 1);
    uint64_t sign = (uint64_t)1 << (sf8_format_bits(from) - 1);
    int ordered = !((first ^ last) & sign) &&
                  sf8_compare(from, first, last, SF8_OCP, NULL) != SF8_UNORDERED;
    check_one(one, s->to, from, wide_input(s, from, n / 2), policy, 0);
    fill_between(s, one, from, policy, 0, one(first, policy, 0), n - 1, one(last, policy, 0),
                 ordered);
}

/* The inputs that are stored, by one call of each level. */
static void check_wide(wide_sweep *s, sf8_format from, size_t n, sf8_policy policy, int mode)
{
    const void *src = sf8_format_bits(from) == 64 ? (const void *)s->doubles : s->words;
    fill_wide_want(s, from, n, policy);
    s->w->from = src == s->words ? "f32" : "f64";
    for (size_t level = 0; sf8_simd_at(level); level++) {
        s->w->what = sf8_simd_at(level);
        sf8_status status = sf8_convert_n_at(sf8_simd_at(level), s->to, s->got, from, src, n,
                                             policy);
        s->w->found.cases += n;
        if (status == SF8_OK && memcmp(s->got, s->want, n * s->width) == 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            if (status == SF8_OK && code_at(s->width, s->got, i) == code_at(s->width, s->want, i))
                continue;
            inputs(s->w, 1, src == s->words ? s->words[i] : s->doubles[i], 0, 0);
            mismatch(s->w, mode, policy.overflow == SF8_TO_MAX,
                     (ref_answer){.code = code_at(s->width, s->want, i)},
                     (sf8_result){code_at(s->width, s->got, i), 0});
        }
    }
}

/* The number of f64 beside the one of f32 with the same place: that, or the one halfway to the next
 * of f32, or next to these; beyond the last the next is 2^128. Two that follow each other are never
 * the other way round. A NaN has the payload, and more below it. */
static uint64_t double_at(uint32_t word, unsigned turn)
{
    uint64_t x = sf8_convert(SF8_F64, SF8_F32, word, SF8_OCP_NOSAT), magnitude = word & 0x7fffffff;
    uint64_t next = sf8_convert(SF8_F64, SF8_F32, word + 1, SF8_OCP_NOSAT);
    if (magnitude > 0x7f800000)
        return (uint64_t)(word >> 31) << 63 | UINT64_C(0x7ff) << 52 |
               (uint64_t)(word & 0x7fffff) << 29 | turn;
    if (magnitude == 0x7f800000)
        return x;
    if (magnitude == 0x7f7fffff)
        next = x + (UINT64_C(1) << 29);
    if (turn % 2)
        x += (next - x) / 2;
    return x + (turn / 2 == 1) - (turn / 2 == 2 && magnitude);
}

/* The numbers of f32 from `first` on, and one of f64 with each. Which one must not depend on the
 * low bits of the word: those say where the ties of shorter formats are. */
static void fill_wide(wide_sweep *s, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t word = (uint32_t)(first + i);
        s->words[i] = word;
        s->doubles[i] = double_at(word, (word * 2654435761u >> 8) % 6);
    }
}

static void check_wide_words(wide_sweep *s, uint64_t first, size_t n)
{
    fill_wide(s, first, n);
    for (size_t p = 0; p < sizeof wide_policies / sizeof wide_policies[0]; p++) {
        sf8_policy policy;
        if (sf8_policy_read(wide_policies[p], &policy, NULL) != SF8_OK)
            abort();
        for (int mode = 0; mode < REF_MODES; mode++) {
            policy.round = (unsigned)library_mode(mode) & SF8_ROUND_MASK;
            if (sf8_format_bits(s->to) < 32)
                check_wide(s, SF8_F32, n, policy, mode);
            check_wide(s, SF8_F64, n, policy, mode);
        }
    }
}

/* Around the places where an exponent begins; and around points halfway between codes, most of them
 * in the range of f16. */
static void check_wide_places(wide_sweep *s, range words)
{
    uint64_t seed = words.begin;
    for (uint64_t at = words.begin; at < words.end; at += (uint64_t)1 << 23)
        check_wide_words(s, at < 16 ? at : at - 16, 32);
    for (unsigned i = 0; i < by_tier(s->w, 0, 1200, 150); i++) {
        uint64_t r = word_random(&seed), exponent = i % 4 ? 100 + r % 48 : r % 255;
        uint64_t half = (uint64_t)1 << (12 + (r >> 8) % 11); /* the last bit that is set */
        uint64_t tie = (r >> 32 & 0x80000000) | exponent << 23 |
                       (r >> 16 & 0x7fffff & ~(half - 1)) | half;
        check_wide_words(s, tie < 4 ? tie : tie - 4, 8);
    }
}

static void run_wide(worker *w)
{
    wide_sweep *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->w = w;
    s->target = &wide_targets[w->row->work.arg];
    s->to = sf8_format_named(s->target->name, NULL);
    s->width = sf8_format_bits(s->to) <= 16 ? 2 : 4;
    w->to = s->target->name;
    range words = part_of(w, (uint64_t)1 << 32);
    if (w->tier == FULL)
        for (uint64_t at = words.begin; at < words.end; at += CHUNK)
            check_wide_words(s, at, CHUNK);
    else
        check_wide_places(s, words);
    free(s);
}

/* ---- stochastic rounding --------------------------------------------------------------------- */

static const target sr_targets[] = {
    {"e4m3", e4m3_of_f32, NULL}, {"e5m2", e5m2_of_f32, NULL},         {"e2m1", e2m1_of_f32, NULL},
    {"e3m2", e3m2_of_f32, NULL}, {"e4m3fnuz", e4m3fnuz_of_f32, NULL}, {"f16", f16_of_f32, NULL},
    {"bf16", bf16_of_f32, NULL}, {"tf32", tf32_of_f32, NULL}};
static const char *const sr_policies[] = {"ocp", "ocp-nosat", "ocp flush=both", "torch-decode"};
static const uint32_t sr_bits[] = {1, 3, 16, 32};

typedef struct sr_sweep {
    worker *w;
    one_value *one;
    sf8_format to;
    size_t width;
    uint64_t seed;
    uint32_t words[CHUNK], random[CHUNK];
    unsigned char want[4 * CHUNK], got[4 * CHUNK];
} sr_sweep;

/* The inputs that are stored, by one call of each level, against the function for one value. No
 * kernel takes 32 random bits: every level calls that function then, and the full tier tries one.
 */
static void check_sr(sr_sweep *s, size_t n, sf8_policy policy)
{
    size_t levels = s->w->tier == FULL && policy.sr_bits == 32 ? 1 : SIZE_MAX;
    check_one(s->one, s->to, SF8_F32, s->words[n / 2], policy, s->random[n / 2]);
    for (size_t i = 0; i < n; i++)
        put_code(s->width, s->want, i, s->one(s->words[i], policy, s->random[i]));
    for (size_t level = 0; level < levels && sf8_simd_at(level); level++) {
        s->w->what = sf8_simd_at(level);
        sf8_status status = sf8_convert_sr_n_at(sf8_simd_at(level), s->to, s->got, SF8_F32,
                                                s->words, n, policy, s->random);
        s->w->found.cases += n;
        if (status == SF8_OK && memcmp(s->got, s->want, n * s->width) == 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            uint32_t want = code_at(s->width, s->want, i), got = code_at(s->width, s->got, i);
            if (status == SF8_OK && got == want)
                continue;
            inputs(s->w, 2, s->words[i], s->random[i], 0);
            mismatch(s->w, REF_RNE, policy.overflow == SF8_TO_MAX, (ref_answer){.code = want},
                     (sf8_result){got, 0});
        }
    }
}

/* Words whose lowest bits are zeros, or one more or less, with exponents in and around the target's
 * range; zeros, infinities and NaN. */
static void fill_sr(sr_sweep *s, size_t n)
{
    int32_t least = sf8_format_emin(s->to) - s->to.man_bits + 127 - 20;
    int32_t span = sf8_format_emax(s->to) + 127 + 3 - least;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = word_random(&s->seed);
        int32_t exponent = least + (int32_t)(r % (uint64_t)span);
        uint32_t low = (uint32_t)(r >> 8 & 0x7fffff) & ~(((uint32_t)1 << (r >> 32) % 23) - 1);
        exponent = exponent < 0 ? 0 : exponent > 255 ? 255 : exponent;
        s->words[i] = ((uint32_t)(r >> 63) << 31 | (uint32_t)exponent << 23 | low) +
                      (uint32_t)(r >> 40) % 3 - 1;
        s->random[i] = (uint32_t)word_random(&s->seed);
    }
    s->words[0] = 0, s->words[1] = 0x80000000, s->words[2] = 0x7f800000, s->words[3] = 0xff812345;
}

static void run_sr(worker *w)
{
    sr_sweep *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->w = w;
    s->seed = w->part;
    s->one = sr_targets[w->row->work.arg].of_f32;
    s->to = sf8_format_named(sr_targets[w->row->work.arg].name, NULL);
    s->width = sf8_format_bits(s->to) <= 8 ? 1 : sf8_format_bits(s->to) <= 16 ? 2 : 4;
    w->from = "f32";
    w->to = sr_targets[w->row->work.arg].name;
    for (unsigned turn = 0; turn < by_tier(w, 400, 1, 1); turn++)
        for (size_t i = 0; i < 4 * 3 * 4; i++) {
            sf8_policy policy;
            if (sf8_policy_read(sr_policies[i % 4], &policy, NULL) != SF8_OK)
                abort();
            policy.round = SF8_SR;
            policy.sr_rule = (unsigned)(i / 4 % 3) & 3;
            policy.sr_bits = sr_bits[i / 12] & 63;
            fill_sr(s, CHUNK);
            check_sr(s, CHUNK, policy);
        }
    free(s);
}

static void add_wide_rows(int tier)
{
    for (size_t i = 0; i < sizeof sr_targets / sizeof sr_targets[0]; i++)
        add_row_named("arrays-sr", sr_targets[i].name, "e4m3",
                      (work){.modes = "3x4",
                             .run = run_sr,
                             .arg = (int)i,
                             .parts = tier == FULL ? SWEEP_PARTS : 4,
                             .jobs = SWEEP_PARTS});
    for (size_t i = 0; i < sizeof wide_targets / sizeof wide_targets[0]; i++)
        add_row_named("arrays-wide", wide_targets[i].name, "e4m3",
                      (work){.modes = "7x5",
                             .run = run_wide,
                             .arg = (int)i,
                             .parts = tier == FULL ? SWEEP_PARTS : 4,
                             .jobs = SWEEP_PARTS});
}

void add_array_rows(int tier)
{
    add_wide_rows(tier);
    for (size_t level = 0; sf8_simd_at(level); level++) {
        char name[32];
        snprintf(name, sizeof name, "arrays-f32-%s", sf8_simd_at(level));
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
            add_row(name, formats[i],
                    (work){.modes = "7x5",
                           .run = run_arrays,
                           .arg = (int)level,
                           .parts = tier == FULL ? SWEEP_PARTS : 4,
                           .jobs = SWEEP_PARTS});
    }
}
