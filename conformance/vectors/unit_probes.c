/* SPDX-License-Identifier: MIT */
/* unit_probes.c -- the probes of matrix units, and their rows from short texts */
#include "vectors/unit_probes.h"

#include <stdlib.h>
#include <string.h>

/* ---- probes ---------------------------------------------------------------------------------- */

#define QGMMA(format, out) "hopper-qgmma", format, format, out, 32
#define MMA_FP8(format, out, k) "hopper-mma-fp8", format, format, out, k
/* clang-format off */
#define NO_RIVAL {{NULL, 0}, {NULL, 0}}
#define RIVAL(set, word) {{set, word}, {NULL, 0}}
#define RIVALS(set0, word0, set1, word1) {{set0, word0}, {set1, word1}}

/* Whatever a unit adds: zeros of both signs, NaN, infinities of C. */
#define SIGNS(unit, nan, inf, minus)                                                               \
    {"T9a", unit, "*:80*38", minus, 0, RIVAL("zero-keeps-its-sign", minus)},                       \
        {"T9b", unit, "0:38*38 1:b8*38", minus, 0, RIVAL("zero-keeps-its-sign", minus)},           \
        {"T11a", unit, "0:7f*00", 0, nan, NO_RIVAL}, {"T11b", unit, "0:ff*38", 0, nan, NO_RIVAL},  \
        {"T11e", unit, "0:38*38", inf, inf, NO_RIVAL},                                             \
        {"T11f", unit, "0:38*38", inf | minus, inf | minus, NO_RIVAL},
/* The same of e5m2, which has infinities. */
#define INFINITIES(unit, nan, inf, minus)                                                          \
    {"T11g", unit, "0:7c*00", 0, nan, NO_RIVAL},                                                   \
        {"T11h", unit, "0:7c*3c 1:fc*3c", 0, nan, NO_RIVAL},                                       \
        {"T11i", unit, "0:7c*3c", inf | minus, nan, NO_RIVAL},                                     \
        {"T11j", unit, "0:7c*3c", 0, inf, NO_RIVAL},                                               \
        {"T11k", unit, "31:fc*3c", 0, inf | minus, NO_RIVAL},

static const mma_probe probes[] = {
    /* the result has 13 bits of fraction; by mma.sync on the same chip 23 */
    {"T1", QGMMA("e4m3", "f32"), "", 0x3f8007ff, 0x3f800400, RIVAL("full-precision", 0x3f8007ff)},
    {"T1b", MMA_FP8("e4m3", "f32", 32), "", 0x3f8007ff, 0x3f8007ff,
     RIVAL("unit=hopper-qgmma", 0x3f800400)},
    /* all 32 products are one sum */
    {"T2", QGMMA("e4m3", "f32"), "0:70*70 15:f0*70 *:01*01", 0, 0, RIVAL("length=16", 0x38800000)},
    /* terms are cut off toward zero */
    {"T3", QGMMA("e4m3", "f32"), "0:38*38 1:b8*38 2:8c*02", 0, 0, RIVAL("cut=down", 0xb9000000)},
    /* a product with a zero does not count for the largest exponent */
    {"T4", QGMMA("e4m3", "f32"), "0:00*7e 1:09*09", 0, 0x39a20000,
     RIVAL("zero-keeps-its-field", 0)},
    /* subnormal codes keep the exponent of their field */
    {"T5", QGMMA("e4m3", "f32"), "0:01*78 1:08*08", 0, 0x3f000000,
     RIVAL("subnormal-normalised", 0x3f001000)},
    {"T5b", QGMMA("e4m3", "f32"), "0:01*78 1:81*78 2:08*08", 0, 0,
     RIVAL("subnormal-normalised", 0x39800000)},
    /* a product of 2 or more keeps the sum of the exponents */
    {"T6", QGMMA("e4m3", "f32"), "0:3c*3c 1:bc*3c 2:08*04", 0, 0x39000000,
     RIVAL("products=normalised", 0)},
    /* c is cut off too */
    {"T7", QGMMA("e4m3", "f32"), "0-3:28*38", 0x38c00000, 0x3f800000,
     RIVAL("nearest", 0x3f800400)},
    {"T7n", QGMMA("e4m3", "f32"), "0-3:a8*38", 0xb8c00000, 0xbf800000,
     RIVAL("nearest", 0xbf800400)},
    {"T7b", QGMMA("e4m3", "f32"), "0-30:3f*3f 31:08*08", 0, 0x42d9f800,
     RIVAL("sum=f32", 0x42d9f820)},
    /* subnormal accumulators */
    {"T8a", QGMMA("e4m3", "f32"), "", 0x000003ff, 0, RIVAL("not-cut", 0x000003ff)},
    {"T8b", QGMMA("e4m3", "f32"), "", 0x00000400, 0x00000400, RIVAL("flushed", 0)},
    {"T8c", QGMMA("e4m3", "f32"), "", 0x007fffff, 0x007ffc00,
     RIVALS("not-cut", 0x007fffff, "flushed", 0)},
    {"T8d", QGMMA("e4m3", "f32"), "", 0x807fffff, 0x807ffc00,
     RIVALS("not-cut", 0x807fffff, "flushed", 0)},
    {"T8e", QGMMA("e4m3", "f32"), "", 0x7f7fffff, 0x7f7ffc00, RIVAL("not-cut", 0x7f7fffff)},
    /* zeros, NaN, infinities */
    SIGNS(QGMMA("e4m3", "f32"), 0x7fffffff, 0x7f800000, 0x80000000)
    SIGNS(QGMMA("e4m3", "f16"), 0x7fff, 0x7c00, 0x8000)
    SIGNS(MMA_FP8("e4m3", "f32", 32), 0x7fffffff, 0x7f800000, 0x80000000)
    SIGNS(MMA_FP8("e4m3", "f16", 32), 0x7fff, 0x7c00, 0x8000)
    INFINITIES(QGMMA("e5m2", "f32"), 0x7fffffff, 0x7f800000, 0x80000000)
    INFINITIES(QGMMA("e5m2", "f16"), 0x7fff, 0x7c00, 0x8000)
    INFINITIES(MMA_FP8("e5m2", "f32", 32), 0x7fffffff, 0x7f800000, 0x80000000)
    INFINITIES(MMA_FP8("e5m2", "f16", 32), 0x7fff, 0x7c00, 0x8000)
    {"T11c", QGMMA("e4m3", "f32"), "", 0x7f800001, 0x7fffffff,
     RIVAL("payload-is-kept", 0x7fc00001)},
    {"T11d", QGMMA("e4m3", "f32"), "", 0xffc12345, 0x7fffffff,
     RIVAL("payload-is-kept", 0xffc12345)},
    {"T11c", MMA_FP8("e4m3", "f32", 32), "", 0x7f800001, 0x7fffffff,
     RIVAL("payload-is-kept", 0x7fc00001)},
    {"T11d", MMA_FP8("e4m3", "f32", 32), "", 0xffc12345, 0x7fffffff,
     RIVAL("payload-is-kept", 0xffc12345)},
    /* what is negative and underflows */
    {"T10a", QGMMA("e4m3", "f32"), "", 0x800003ff, 0, RIVAL("cut-to-a-signed-zero", 0x80000000)},
    {"T10b", QGMMA("e5m2", "f16"), "0:81*18", 0, 0, RIVAL("underflow=signed", 0x8000)},
    {"T10c", "hopper-hmma", "bf16", "bf16", "f32", 16, "0:9a00*1900", 0, 0,
     RIVAL("underflow=signed", 0x80000000)},
    {"T10c", "hopper-hgmma", "bf16", "bf16", "f32", 16, "0:9a00*1900", 0, 0,
     RIVAL("underflow=signed", 0x80000000)},
    {"T10d", "hopper-hmma", "tf32", "tf32", "f32", 8, "0:4d000*0c800", 0, 0,
     RIVAL("underflow=signed", 0x80000000)},
    {"T10d", "hopper-hgmma", "tf32", "tf32", "f32", 8, "0:4d000*0c800", 0, 0,
     RIVAL("underflow=signed", 0x80000000)},
    {"T10e", "hopper-hmma", "f16", "f16", "f16", 16, "0:8400*0c00", 0, 0,
     RIVAL("underflow=signed", 0x8000)},
    {"T10e", "hopper-hgmma", "f16", "f16", "f16", 16, "0:8400*0c00", 0, 0,
     RIVAL("underflow=signed", 0x8000)},
    /* the exponent of a zero: -22 would keep the small product of T12, -20 lose that of T12b */
    {"T12", "hopper-hmma", "f16", "f16", "f16", 16, "0:0400*1000 1:0002*0001 2:0000*3c00", 0, 0,
     RIVAL("zero=-22", 1)},
    {"T12b", "hopper-hmma", "f16", "f16", "f16", 16, "0:0400*1000 1:0004*0001 2:0000*3c00", 0, 1,
     RIVAL("zero=-20", 0)},
    /* results of f16 */
    {"T13a", QGMMA("e4m3", "f16"), "0:48*48", 0x7bff, 0x7c00, NO_RIVAL},
    {"T13b", QGMMA("e4m3", "f16"), "0:47*48", 0x7bff, 0x7bff, NO_RIVAL},
    {"T13c", QGMMA("e4m3", "f16"), "0:38*30", 0x6400, 0x6400, NO_RIVAL},
    {"T13d", QGMMA("e4m3", "f16"), "0:3c*38", 0x6400, 0x6402, NO_RIVAL},
    {"T13e", QGMMA("e4m3", "f16"), "0:38*30 1:38*20", 0x6400, 0x6401, NO_RIVAL},
    {"T13f", QGMMA("e4m3", "f16"), "0:38*30 1:38*18", 0x6400, 0x6400,
     RIVAL("fraction=25", 0x6401)},
    {"T13g", QGMMA("e4m3", "f16"), "0:7e*7e", 0, 0x7c00, NO_RIVAL},
    {"T13h", QGMMA("e5m2", "f16"), "0:01*18", 0, 0, NO_RIVAL},
    {"T13i", QGMMA("e5m2", "f16"), "0:01*18 1:01*01", 0, 1, RIVAL("zero=-14", 0)},
    /* sparse A, the codes being those that are kept: one sum of 32 */
    {"T15a", QGMMA("e4m3", "f32"), "0:70*70 15:f0*70 *:01*01", 0, 0,
     RIVAL("length=16", 0x38800000)},
    {"T15b", QGMMA("e4m3", "f32"), "0:70*70 30:f0*70 *:01*01", 0, 0,
     RIVAL("even-and-odd", 0x38800000)},
    {"T15c", QGMMA("e4m3", "f32"), "0:00*7f 1:38*38", 0, 0x7fffffff,
     RIVAL("zero-is-not-kept", 0x3f800000)},
    /* the order of what mma.sync is lowered to */
    {"T16a", MMA_FP8("e4m3", "f32", 32), "0:78*78 2:1c*18", 0, 0x47800000,
     RIVAL("lowering=independent", 0x47800001)},
    {"T16b", MMA_FP8("e4m3", "f32", 32), "2:70*70 3:f0*70 *:01*01", 0, 0,
     RIVAL("lowering=independent", 0x38800000)},
    {"T16c", MMA_FP8("e4m3", "f32", 32), "0:3c*40", 0x4b800000, 0x4b800002,
     RIVALS("unit=hopper-qgmma", 0x4b800000, "c-is-a-term", 0x4b800001)},
    {"T16d", MMA_FP8("e4m3", "f32", 16), "0:78*78 2:1c*18", 0, 0x47800000,
     RIVAL("lowering=independent", 0x47800001)},
    {"T16e", MMA_FP8("e4m3", "f32", 16), "0:3c*40", 0x4b800000, 0x4b800002,
     RIVAL("c-is-a-term", 0x4b800001)},
};
/* clang-format on */

const mma_probe *mma_probe_at(size_t i)
{
    return i < sizeof probes / sizeof probes[0] ? &probes[i] : NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void mma_code_put(sf8_format f, void *codes, size_t i, uint32_t code)
{
    unsigned char *to = codes;
    size_t bytes = sf8_mma_code_bytes(f);
    for (size_t j = 0; j < bytes; j++)
        to[i * bytes + j] = (unsigned char)(code >> 8 * j);
}

uint32_t mma_code_get(sf8_format f, const void *codes, size_t i)
{
    const unsigned char *from = codes;
    size_t bytes = sf8_mma_code_bytes(f);
    uint32_t code = 0;
    for (size_t j = 0; j < bytes; j++)
        code |= (uint32_t)from[i * bytes + j] << 8 * j;
    return code;
}

/* "0:38*38", "2-5:b8*38", "*:01*01": sets these codes; * sets the positions that are still
 * empty. */
static int put_products(const char *text, const mma_probe *p, mma_probe_row *row, char *taken)
{
    char *end = NULL;
    size_t first = 0, last = p->k - 1;
    int others = *text == '*';
    if (others) {
        end = (char *)text + 1;
    } else {
        first = last = (size_t)strtoul(text, &end, 10);
        if (*end == '-')
            last = (size_t)strtoul(end + 1, &end, 10);
    }
    if (*end != ':' || last >= p->k || first > last)
        return 0;
    uint32_t a = (uint32_t)strtoul(end + 1, &end, 16);
    if (*end != '*')
        return 0;
    uint32_t b = (uint32_t)strtoul(end + 1, &end, 16);
    for (size_t i = first; i <= last; i++) {
        if (others && taken[i])
            continue;
        taken[i] = 1;
        mma_code_put(row->unit.a, row->a, i, a);
        mma_code_put(row->unit.b, row->b, i, b);
    }
    return *end == '\0' || *end == ' ';
}

int mma_probe_open(const mma_probe *p, mma_probe_row *row)
{
    char taken[PROBE_K] = "";
    memset(row, 0, sizeof *row);
    if (p->k > PROBE_K ||
        sf8_mma_named(&row->unit, p->unit, sf8_format_named(p->a, NULL),
                      sf8_format_named(p->b, NULL), sf8_format_named(p->out, NULL)) != SF8_OK)
        return 0;
    for (const char *at = p->products; *at;) {
        if (!put_products(at, p, row, taken))
            return 0;
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return 1;
}

int mma_rival_unit(const mma_probe *p, const mma_rival *rival, sf8_mma *unit)
{
    char name[64];
    const char *value = strchr(rival->set, '=');
    size_t length = value ? (size_t)(value - rival->set) : 0;
    if (!value || length >= sizeof name)
        return 0;
    memcpy(name, rival->set, length);
    name[length] = '\0';
    int other = strcmp(name, "unit") == 0;
    if (sf8_mma_named(unit, other ? value + 1 : p->unit, sf8_format_named(p->a, NULL),
                      sf8_format_named(p->b, NULL), sf8_format_named(p->out, NULL)) != SF8_OK)
        return 0;
    return other || sf8_mma_set(unit, name, value + 1) == SF8_OK;
}
