/* SPDX-License-Identifier: MIT */
/* arrays.c -- conversions of arrays: the entry points, and how each is done
 *
 * A call goes by the first row of a table of routes that takes its formats, and has a plan or a
 * table for its policy. What no route takes, and short arrays, go through the function for one
 * value.
 */
#include "arrays/array.h"
#include "text/names.h"

#include <string.h>

/* ---- calls ----------------------------------------------------------------------------------- */

/* The kinds of formats: those that kernels read, in the order of SF8_SOURCE_F32 and so on; others
 * of 8 bits or less; and of more. */
enum { SF8_KIND_BYTE = SF8_SOURCE_F64 + 1, SF8_KIND_HIF8, SF8_KIND_OTHER };

static int32_t sf8_array_kind(sf8_format f)
{
    if (sf8_same_format(f, SF8_F32))
        return SF8_SOURCE_F32;
    if (sf8_same_format(f, SF8_BF16))
        return SF8_SOURCE_BF16;
    if (sf8_same_format(f, SF8_F16))
        return SF8_SOURCE_F16;
    if (sf8_same_format(f, SF8_F64))
        return SF8_SOURCE_F64;
    return sf8_format_bits(f) > 8 ? SF8_KIND_OTHER : sf8_is_hif8(f) ? SF8_KIND_HIF8 : SF8_KIND_BYTE;
}

/* A conversion of n elements, of `width` bytes at dst and of `wide` bytes at src. `source` is the
 * kind of `from`. Without kernels it goes through the function for one value. */
typedef struct sf8_array_call {
    const sf8_kernels *k;
    sf8_format to, from;
    sf8_policy policy;
    unsigned char *dst;
    const unsigned char *src;
    size_t n, width, wide;
    int32_t source;
} sf8_array_call;

static sf8_array_call sf8_array_call_of(const sf8_kernels *k, sf8_format to, void *dst,
                                        sf8_format from, const void *src, size_t n,
                                        sf8_policy policy)
{
    sf8_array_call c = {k,
                        to,
                        from,
                        policy,
                        (unsigned char *)dst,
                        (const unsigned char *)src,
                        n,
                        sf8_array_width(to),
                        sf8_array_width(from),
                        sf8_array_kind(from)};
    return c;
}

/* ---- to 8 bits or less ----------------------------------------------------------------------- */

/* The kernel for any source with a plan that was made for f32, or NULL. */
static sf8_encoder *sf8_array_kernel(const sf8_kernels *k, const sf8_plan *plan)
{
    int32_t sign_last = plan->shortcut == SF8_BY_WORD || plan->shortcut == SF8_BY_CLAMP;
    if (k->rne_clamp && plan->round == SF8_RNE && (plan->plain || (k->general && sign_last)))
        return k->rne_clamp;
    return k->general;
}

SF8_PRIVATE sf8_encoder *sf8_array_encoder(const sf8_kernels *k, const sf8_plan *plan)
{
    sf8_encoder *encode = sf8_array_kernel(k, plan);
    return encode ? encode : k->encode;
}

static int32_t sf8_array_narrow(const sf8_kernels *k, unsigned char *dst, const unsigned char *src,
                                size_t n, int32_t least, int32_t round)
{
    return (k->narrow ? k : sf8_portable_kernels())->narrow(dst, src, n, least, round);
}

/* f64 is first narrowed to f32, block by block. Operands that are flushed are zero then. */
static void sf8_array_from_f64(const sf8_kernels *k, sf8_encoder *encode, sf8_plan *plan,
                               uint8_t *dst, const unsigned char *src, size_t n)
{
    enum { BLOCK = 512 };
    unsigned char words[4 * BLOCK];
    int32_t least = plan->flush_in ? 1 << 20 : 0, round = SF8_NARROW_FAR;
    if (plan->powers) /* their range is that of f32 */
        round = SF8_RO;
    plan->flush_in = 0;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < (size_t)BLOCK ? n - i : (size_t)BLOCK;
        sf8_array_narrow(k, words, src + 8 * i, count, least, round);
        encode(plan, SF8_SOURCE_F32, dst + i, words, count);
    }
}

/* From f32 and f64. */
static int32_t sf8_array_to_narrow_f32(const sf8_array_call *c)
{
    sf8_plan plan;
    if (!sf8_plan_make(&plan, c->to, SF8_F32, c->policy))
        return 0;
    sf8_encoder *encode = sf8_array_encoder(c->k, &plan);
    if (c->source == SF8_SOURCE_F64)
        sf8_array_from_f64(c->k, encode, &plan, c->dst, c->src, c->n);
    else
        encode(&plan, SF8_SOURCE_F32, c->dst, c->src, c->n);
    return 1;
}

/* From bf16 and f16. */
static int32_t sf8_array_to_narrow_16(const sf8_array_call *c)
{
    sf8_plan plan;
    if (c->k->rne_clamp && sf8_plan_make(&plan, c->to, SF8_F32, c->policy)) {
        sf8_encoder *encode = sf8_array_kernel(c->k, &plan);
        /* Widened to f32, subnormals of f16 no longer are subnormal. A kernel would let those
         * overflow that are beyond the target's range. */
        if (plan.flush_in && c->source == SF8_SOURCE_F16)
            plan.flush_in = (127 + sf8_format_emin(c->from)) << 23;
        if (encode && plan.flush_in <= plan.over.above) {
            encode(&plan, c->source, c->dst, c->src, c->n);
            return 1;
        }
    }
    if (!sf8_plan_make(&plan, c->to, c->from, c->policy))
        return 0;
    c->k->encode(&plan, c->source, c->dst, c->src, c->n);
    return 1;
}

/* ---- from f32 and f64 to more than 8 bits ---------------------------------------------------- */

/* Through the function for one value, where an element is above `bound`: from src, of which words
 * are the elements as f32. */
static void sf8_array_wide_above(sf8_format to, unsigned char *dst, sf8_format from,
                                 const unsigned char *src, const uint32_t *words, size_t n,
                                 int32_t bound, sf8_policy policy)
{
    size_t wide = sf8_array_width(from), width = sf8_array_width(to);
    for (size_t i = 0; i < n; i++)
        if ((int32_t)(words[i] & 0x7fffffff) > bound)
            sf8_array_store(dst, i, width,
                            sf8_convert(to, from, sf8_array_load(src, i, wide), policy));
}

/* Returns 1 if the magnitude of any word is larger. */
static int32_t sf8_any_above(const unsigned char *src, size_t n, int32_t bound)
{
    int32_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= (int32_t)(sf8_array_load(src, i, 4) & 0x7fffffff) > bound;
    return any;
}

/* A block of n words, in an array of SF8_WIDE_BLOCK, by `wide`, or by `sr` if there are random
 * words. A kernel takes whole groups. So if n is no multiple of a group, the last one is copied,
 * and nothing beyond n is read from random, or written to dst. */
enum { SF8_WIDE_BLOCK = 512 };

static void sf8_array_wide_block(const sf8_kernels *k, const sf8_plan *plan, sf8_format to,
                                 unsigned char *dst, uint32_t *words, const uint32_t *random,
                                 size_t n)
{
    unsigned char codes[4 * SF8_WIDE_BLOCK];
    uint32_t bits[SF8_WIDE_BLOCK];
    size_t width = sf8_array_width(to), beyond = (SF8_GROUP - n % SF8_GROUP) % SF8_GROUP;
    memset(words + n, 0, 4 * beyond);
    if (random && beyond) {
        memcpy(bits, random, 4 * n);
        memset(bits + n, 0, 4 * beyond);
        random = bits;
    }
    if (random)
        (k->sr ? k : sf8_portable_kernels())
            ->sr(plan, width, beyond ? codes : dst, words, random, n);
    else
        (k->wide ? k : sf8_portable_kernels())
            ->wide(plan, width, beyond ? codes : dst, (const unsigned char *)words, n);
    if (beyond)
        memcpy(dst, codes, n * width);
}

/* f64 rounded to odd is rounded again; that does not change a result if the target has fewer bits.
 * The narrowing need not be exact at the ends of f32's range if the target's is well inside. */
static int32_t sf8_array_odd(const sf8_plan *plan, sf8_format to)
{
    if (plan->least >= 32 && sf8_format_emax(to) <= 96 && to.man_bits <= 18)
        return SF8_NARROW_FAR;
    return SF8_RO;
}

/* Above this magnitude of an f32 word a kernel does not know the element: a NaN with a payload that
 * counts; or one of f64 that may be beyond f32's range, where a number may be beyond the target's
 * and not overflow. */
static int32_t sf8_array_bound(const sf8_plan *plan, int32_t is_f64)
{
    if (is_f64 && plan->over.above >= 0x7f7fffff)
        return 0x7f7ffffe;
    return plan->nan_varies ? 0x7f800000 : INT32_MAX;
}

/* Returns 1 if two pieces of memory share no byte. */
static int32_t sf8_array_apart(const unsigned char *a, size_t a_size, const unsigned char *b,
                               size_t b_size)
{
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return first >= second + b_size || second >= first + a_size;
}

/* Whole groups of f32 where they are. Returns how many elements that were: none in place, where a
 * compiler's loops would be scalar. */
static size_t sf8_array_wide_whole(const sf8_kernels *k, const sf8_plan *plan, size_t width,
                                   unsigned char *dst, const unsigned char *src, size_t n)
{
    n -= n % SF8_GROUP;
    if (!sf8_array_apart(dst, width * n, src, 4 * n))
        return 0;
    (k->wide ? k : sf8_portable_kernels())->wide(plan, width, dst, src, n);
    return n;
}

static int32_t sf8_array_to_wide(const sf8_array_call *c)
{
    enum { BLOCK = SF8_WIDE_BLOCK };
    uint32_t words[BLOCK];
    unsigned char source[8 * BLOCK];
    sf8_plan plan;
    int32_t is_f64 = c->source == SF8_SOURCE_F64;
    if (!sf8_plan_make_wide(&plan, c->to, c->policy))
        return 0;
    int32_t least = plan.flush_in ? 1 << 20 : 0, bound = sf8_array_bound(&plan, is_f64);
    plan.flush_in = is_f64 ? 0 : plan.flush_in;
    size_t i = 0;
    if (!is_f64 && bound == INT32_MAX)
        i = sf8_array_wide_whole(c->k, &plan, c->width, c->dst, c->src, c->n);
    for (; i < c->n; i += BLOCK) {
        size_t count = c->n - i < (size_t)BLOCK ? c->n - i : (size_t)BLOCK;
        const unsigned char *src = c->src + c->wide * i;
        unsigned char *dst = c->dst + c->width * i;
        int32_t any;
        if (is_f64) {
            any = sf8_array_narrow(c->k, (unsigned char *)words, src, count, least,
                                   sf8_array_odd(&plan, c->to));
        } else {
            memcpy(words, src, 4 * count);
            any = sf8_any_above(src, count, bound);
        }
        if (any)
            memcpy(source, src, c->wide * count); /* dst may be src */
        sf8_array_wide_block(c->k, &plan, c->to, dst, words, NULL, count);
        if (any)
            sf8_array_wide_above(c->to, dst, c->from, source, words, count, bound, c->policy);
    }
    return 1;
}

/* ---- from f64 and f32 to f32 ----------------------------------------------------------------- */

/* The largest numbers, infinities and NaN, through the function for one value. Most often an array
 * that has many of them has the same one many times. */
static void sf8_array_single_ends(unsigned char *dst, sf8_format from, const unsigned char *src,
                                  size_t n, sf8_policy policy)
{
    size_t wide = sf8_array_width(from);
    uint64_t known = 0, code = 0;
    for (size_t i = 0; i < n; i++) {
        if ((sf8_array_load(dst, i, 4) & 0x7fffffff) < SF8_F32_LARGEST)
            continue;
        uint64_t word = sf8_array_load(src, i, wide);
        if (word != known)
            code = sf8_convert(SF8_F32, from, word, policy);
        known = word;
        sf8_array_store(dst, i, 4, code);
    }
}

static void sf8_array_single_flush(unsigned char *dst, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t word = (uint32_t)sf8_array_load(dst, i, 4);
        word &= (word & 0x7fffffff) < 0x00800000 ? 0x80000000 : 0xffffffff;
        sf8_array_store(dst, i, 4, word);
    }
}

/* A block of f32 of the elements at src, in other memory. */
static void sf8_array_single_block(const sf8_kernels *k, unsigned char *dst, sf8_format from,
                                   const unsigned char *src, size_t n, sf8_policy policy)
{
    int32_t is_f64 = sf8_same_format(from, SF8_F64), any;
    int32_t least = policy.flush & SF8_FLUSH_INPUTS ? 1 << 20 : 0;
    if (is_f64) {
        any = sf8_array_narrow(k, dst, src, n, least, (int32_t)policy.round);
    } else {
        any = sf8_any_above(src, n, SF8_F32_LARGEST - 1);
        memcpy(dst, src, 4 * n);
    }
    if (policy.flush & (is_f64 ? SF8_FLUSH_OUTPUTS : SF8_FLUSH_BOTH))
        sf8_array_single_flush(dst, n);
    if (any)
        sf8_array_single_ends(dst, from, src, n, policy);
}

/* Fields of a policy that are about overflow count at the ends alone. */
static int32_t sf8_array_to_f32(const sf8_array_call *c)
{
    enum { BLOCK = SF8_WIDE_BLOCK };
    unsigned char words[4 * BLOCK];
    if (sf8_array_drops_neg_zero(SF8_F32, c->policy) || c->policy.below_normal ||
        c->policy.round >= SF8_SR)
        return 0;
    int32_t apart = sf8_array_apart(c->dst, 4 * c->n, c->src, c->wide * c->n);
    for (size_t i = 0; i < c->n; i += BLOCK) {
        size_t count = c->n - i < (size_t)BLOCK ? c->n - i : (size_t)BLOCK;
        unsigned char *to = apart ? c->dst + 4 * i : words;
        sf8_array_single_block(c->k, to, c->from, c->src + c->wide * i, count, c->policy);
        if (!apart)
            memcpy(c->dst + 4 * i, words, 4 * count);
    }
    return 1;
}

/* ---- from 8 bits or less --------------------------------------------------------------------- */

/* Returns 1 if the policy gives what the tables of tables.c have. Exact results are not rounded;
 * only some numbers of e8m0 and ue5m3 in f16 are inexact. -0 is kept. */
static int32_t sf8_array_is_tabled(sf8_format to, sf8_format from, sf8_policy policy)
{
    if (policy.nan != SF8_NAN_KEPT || policy.nan_code != SF8_NAN_QUIET ||
        policy.nan_sign != SF8_NAN_POSITIVE || policy.flush != SF8_FLUSH_NONE ||
        (sf8_array_drops_neg_zero(to, policy) && sf8_format_has_neg_zero(from)))
        return 0;
    if (from.has_inf && policy.inf == SF8_TO_MAX && !sf8_core_keeps_infinity(to, from, policy))
        return 0;
    return to.exp_bits == 8 ||
           (policy.round == SF8_RNE && policy.overflow != SF8_TO_MAX && !policy.overflow_test &&
            !policy.round_past_max && !policy.beyond_max && !policy.below_normal);
}

/* A table is only made for arrays that are long enough; it may come from the kernel for bf16. */
enum { SF8_TABLE_WORTH = 320 };

/* The codes of a table that the core converts: all, or infinities and NaN, which are above the
 * largest number, and a NaN in the place of -0. Bits above the format's do not count. */
static void sf8_array_byte_codes(uint8_t *table, sf8_format to, sf8_format from, sf8_policy policy,
                                 int32_t all)
{
    uint32_t codes = (uint32_t)sf8_format_mag_mask(from) + 1;
    uint32_t first = all ? 0 : (uint32_t)sf8_format_max(from) + 1;
    for (uint32_t base = 0; base < 256; base += codes)
        for (uint32_t code = base + first; code < base + codes; code++)
            table[code] = (uint8_t)sf8_convert(to, from, code, policy);
    if (from.nan == SF8_NANS_NEG_ZERO)
        for (uint32_t code = codes; code < 256; code += 2 * codes)
            table[code] = (uint8_t)sf8_convert(to, from, code, policy);
}

/* A kernel makes a table of bytes from all codes as bf16, which has their values. What NaN and
 * infinity become depends on the format that they come from, so the core converts them. Which
 * operands are flushed depends on it too; then the core does all, if n is large enough. */
static int32_t sf8_array_bytes_made(const sf8_array_call *c, uint8_t *table)
{
    const uint16_t *half = NULL;
    int32_t made = 0;
    if (!sf8_is_hif8(c->to) && !(c->policy.flush & SF8_FLUSH_INPUTS))
        half = sf8_table_of(SF8_BF16, c->from);
    if (half) {
        sf8_array_call all = sf8_array_call_of(c->k, c->to, table, SF8_BF16, half, 256, c->policy);
        made = sf8_array_to_narrow_16(&all);
    }
    if (!made && c->n < SF8_TABLE_WORTH)
        return 0;
    sf8_array_byte_codes(table, c->to, c->from, c->policy, !made);
    return 1;
}

/* To 8 bits or less by a table of bytes. */
static int32_t sf8_array_bytes(const sf8_array_call *c)
{
    uint8_t made[256];
    const uint8_t *table = sf8_byte_table_of(c->k, c->to, c->from, c->policy, NULL);
    if (!table) {
        if (!sf8_array_bytes_made(c, made))
            return 0;
        sf8_byte_table_of(c->k, c->to, c->from, c->policy, made);
        table = made;
    }
    (c->k->bytes ? c->k : sf8_portable_kernels())->bytes(table, c->dst, c->src, c->n);
    return 1;
}

static int32_t sf8_array_from_bytes(const sf8_array_call *c)
{
    uint64_t words[256];
    int32_t kind = sf8_array_kind(c->to), is_f32 = kind == SF8_SOURCE_F32;
    if (kind <= SF8_SOURCE_F16 && sf8_array_is_tabled(c->to, c->from, c->policy)) {
        const uint16_t *table = sf8_table_of(is_f32 ? SF8_BF16 : c->to, c->from);
        if (table) {
            c->k->decode(table, is_f32, c->dst, c->src, c->n);
            return 1;
        }
    }
    if (c->width == 1)
        return sf8_array_bytes(c);
    if (c->n < SF8_TABLE_WORTH)
        return 0;
    for (uint64_t code = 0; code < 256; code++)
        words[code] = sf8_convert(c->to, c->from, code, c->policy);
#define SF8_LOOK_UP(width)                                                                         \
    case width:                                                                                    \
        for (size_t i = 0; i < c->n; i++)                                                          \
            sf8_array_store(c->dst, i, width, words[c->src[i]]);                                   \
        break;
    switch (c->width) {
        SF8_LOOK_UP(2)
        SF8_LOOK_UP(4)
        SF8_LOOK_UP(8)
    }
#undef SF8_LOOK_UP
    return 1;
}

/* ---- any ------------------------------------------------------------------------------------- */

/* Shorter arrays are done by the function for one value before a plan is made. */
enum { SF8_PLAN_WORTH = 8 };

/* The kinds that a route takes, and its loops, which return 0 if they do not have the policy. */
typedef struct sf8_array_route {
    uint32_t from, to;
    int32_t (*convert)(const sf8_array_call *c);
} sf8_array_route;

enum {
    SF8_KINDS_F = 1 << SF8_SOURCE_F32 | 1 << SF8_SOURCE_F64,
    SF8_KINDS_16 = 1 << SF8_SOURCE_BF16 | 1 << SF8_SOURCE_F16,
    SF8_KINDS_8 = 1 << SF8_KIND_BYTE | 1 << SF8_KIND_HIF8,
    SF8_KINDS_WIDE = SF8_KINDS_F | SF8_KINDS_16 | 1 << SF8_KIND_OTHER
};

static const sf8_array_route sf8_array_routes[] = {
    {SF8_KINDS_F, 1 << SF8_KIND_BYTE, sf8_array_to_narrow_f32},
    {SF8_KINDS_16, 1 << SF8_KIND_BYTE, sf8_array_to_narrow_16},
    {SF8_KINDS_F, SF8_KINDS_WIDE, sf8_array_to_wide},
    {SF8_KINDS_F, 1 << SF8_SOURCE_F32, sf8_array_to_f32},
    {SF8_KINDS_8, SF8_KINDS_8 | SF8_KINDS_WIDE, sf8_array_from_bytes},
};

static sf8_status sf8_array_once(const sf8_kernels *k, sf8_format to, void *dst, sf8_format from,
                                 const void *src, size_t n, sf8_policy policy)
{
    const sf8_array_call c = sf8_array_call_of(k, to, dst, from, src, n, policy);
    uint32_t source = 1u << c.source, target = 1u << sf8_array_kind(to);
    for (size_t i = 0;
         k && n >= SF8_PLAN_WORTH && i < sizeof sf8_array_routes / sizeof *sf8_array_routes; i++) {
        const sf8_array_route *r = &sf8_array_routes[i];
        if (r->from & source && r->to & target && r->convert(&c))
            return SF8_OK;
    }
    for (size_t i = 0; i < n; i++)
        sf8_array_store(dst, i, c.width,
                        sf8_convert(to, from, sf8_array_load(src, i, c.wide), policy));
    return SF8_OK;
}

/* In two steps, block by block, as sf8_core_first_step and the step after it. */
static sf8_status sf8_array_by_way(const sf8_kernels *k, sf8_format to, void *dst, sf8_format from,
                                   const void *src, size_t n, sf8_policy policy)
{
    enum { BLOCK = 512 };
    uint32_t words[BLOCK];
    sf8_format via = sf8_core_via_format(policy);
    sf8_policy first = sf8_core_via_step(), second = policy;
    size_t wide = sf8_array_width(from), narrow = sf8_array_width(to);
    int32_t by_f32 = policy.via == SF8_VIA_F32_F16 && (from.man_bits > 23 || from.exp_bits > 8);
    first.round = sf8_core_via_round(policy) & SF8_ROUND_MASK;
    second.via = SF8_VIA_NONE;
    if (policy.nan_code == SF8_NAN_BITS)
        first.nan_code = SF8_NAN_BITS;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < (size_t)BLOCK ? n - i : (size_t)BLOCK;
        const unsigned char *at = (const unsigned char *)src + i * wide;
        if (by_f32)
            sf8_array_once(k, SF8_F32, words, from, at, count, first);
        sf8_array_once(k, via, words, by_f32 ? SF8_F32 : from, by_f32 ? (const void *)words : at,
                       count, first);
        sf8_array_once(k, to, (unsigned char *)dst + i * narrow, via, words, count, second);
    }
    return SF8_OK;
}

static sf8_status sf8_array_checked(const sf8_kernels *k, sf8_format to, void *dst, sf8_format from,
                                    const void *src, size_t n, sf8_policy policy)
{
    return (sf8_core_takes_via(from, policy) ? sf8_array_by_way : sf8_array_once)(k, to, dst, from,
                                                                                  src, n, policy);
}

static sf8_status sf8_array_convert(const sf8_kernels *k, sf8_format to, void *dst, sf8_format from,
                                    const void *src, size_t n, sf8_policy policy)
{
    sf8_status status = sf8_array_check(to, from, n, policy.round == SF8_SR);
    if (status != SF8_OK || n == 0)
        return status;
    if (!dst || !src)
        return SF8_BAD_CALL;
    return sf8_array_checked(k, to, dst, from, src, n, policy);
}

sf8_status sf8_convert_n(sf8_format to, void *dst, sf8_format from, const void *src, size_t n,
                         sf8_policy policy)
{
    return sf8_array_convert(sf8_level_now()->arrays, to, dst, from, src, n, policy);
}

sf8_status sf8_convert_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                            const void *src, size_t n, sf8_policy policy)
{
    const sf8_level *at = sf8_level_named(level);
    return at ? sf8_array_convert(at->arrays, to, dst, from, src, n, policy) : SF8_UNKNOWN_NAME;
}

/* ---- stochastic rounding --------------------------------------------------------------------- */

/* Returns 0 if there is no kernel. */
static int32_t sf8_array_sr(const sf8_kernels *k, sf8_format to, unsigned char *dst,
                            sf8_format from, const unsigned char *src, size_t n, sf8_policy policy,
                            const uint32_t *random)
{
    enum { BLOCK = SF8_WIDE_BLOCK };
    uint32_t words[BLOCK];
    sf8_plan plan;
    size_t width = sf8_array_width(to);
    if (!k || n < SF8_PLAN_WORTH || !sf8_same_format(from, SF8_F32) || sf8_is_hif8(to) ||
        sf8_core_takes_via(from, policy) || !sf8_plan_make_wide(&plan, to, policy))
        return 0;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < (size_t)BLOCK ? n - i : (size_t)BLOCK;
        memcpy(words, src + 4 * i, 4 * count);
        sf8_array_wide_block(k, &plan, to, dst + width * i, words, random + i, count);
        if (plan.nan_varies && sf8_any_above((unsigned char *)words, count, 0x7f800000))
            sf8_array_wide_above(to, dst + width * i, from, (const unsigned char *)words, words,
                                 count, 0x7f800000, policy);
    }
    return 1;
}

static sf8_status sf8_array_convert_sr(const sf8_kernels *k, sf8_format to, void *dst,
                                       sf8_format from, const void *src, size_t n,
                                       sf8_policy policy, const uint32_t *random)
{
    if (policy.round != SF8_SR)
        return sf8_array_convert(k, to, dst, from, src, n, policy);
    sf8_status status = sf8_array_check(to, from, n, 0);
    if (status == SF8_OK && n != 0 && (!dst || !src || !random))
        return SF8_BAD_CALL;
    if (status != SF8_OK || sf8_array_sr(k, to, (unsigned char *)dst, from,
                                         (const unsigned char *)src, n, policy, random))
        return status;
    size_t wide = sf8_array_width(from), narrow = sf8_array_width(to);
    for (size_t i = 0; i < n; i++) {
        uint64_t word = sf8_array_load(src, i, wide);
        sf8_array_store(dst, i, narrow, sf8_convert_sr(to, from, word, policy, random[i]).code);
    }
    return SF8_OK;
}

sf8_status sf8_convert_sr_n(sf8_format to, void *dst, sf8_format from, const void *src, size_t n,
                            sf8_policy policy, const uint32_t *random)
{
    return sf8_array_convert_sr(sf8_level_now()->arrays, to, dst, from, src, n, policy, random);
}

sf8_status sf8_convert_sr_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                               const void *src, size_t n, sf8_policy policy, const uint32_t *random)
{
    const sf8_level *at = sf8_level_named(level);
    return at ? sf8_array_convert_sr(at->arrays, to, dst, from, src, n, policy, random)
              : SF8_UNKNOWN_NAME;
}
