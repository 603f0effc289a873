/* SPDX-License-Identifier: MIT */
/* test_mma.c -- matrix units compared with results computed by hand
 *
 * A vector is "k:a*b ...": the codes of the products that are not zero, by their position; the sum,
 * and the result of the most similar other unit, which must differ. The arithmetic is in the
 * comments, as 2^n of the terms; the rule is that of <softfp8/mma/mma.h>.
 */
#include "check.h"
#include "softfp8_mma.h"

#include <stdlib.h>

enum { MOST_K = 128 };

typedef struct sum_row {
    const char *unit, *in, *out;
    size_t k;
    const char *products;
    uint32_t c, sum;
    const char *rival; /* "unit", or "name=value" of the same unit; "" for none */
    uint32_t rival_sum;
} sum_row;

typedef struct operands {
    uint8_t a8[MOST_K], b8[MOST_K];
    uint16_t a16[MOST_K], b16[MOST_K];
    uint32_t a32[MOST_K], b32[MOST_K];
    uint8_t scale_a[MOST_K], scale_b[MOST_K];
} operands;

static void put(operands *x, size_t k, unsigned long a, unsigned long b)
{
    x->a8[k] = (uint8_t)a;
    x->b8[k] = (uint8_t)b;
    x->a16[k] = (uint16_t)a;
    x->b16[k] = (uint16_t)b;
    x->a32[k] = (uint32_t)a;
    x->b32[k] = (uint32_t)b;
}

/* "0:38*b8 3-7:01*01 all:..." and, where there are scales, "s2:7f*80", "s:7f*7f" for all. */
static void put_all(operands *x, const char *text, size_t k)
{
    while (*text) {
        char *end;
        int is_scale = *text == 's';
        text += is_scale;
        size_t first = 0, last = k - 1;
        if (*text != ':') {
            first = last = strtoul(text, &end, 10);
            text = end;
            if (*text == '-') {
                last = strtoul(text + 1, &end, 10);
                text = end;
            }
        }
        cr_assert(*text == ':' && last < k);
        unsigned long a = strtoul(text + 1, &end, 16);
        cr_assert(*end == '*');
        unsigned long b = strtoul(end + 1, &end, 16);
        for (size_t i = first; i <= last; i++) {
            if (is_scale) {
                x->scale_a[i] = (uint8_t)a;
                x->scale_b[i] = (uint8_t)b;
            } else {
                put(x, i, a, b);
            }
        }
        text = end + strspn(end, " ");
    }
}

static uint32_t sum_of(const char *unit, const char *option, const sum_row *v)
{
    sf8_mma m;
    operands x;
    sf8_format in = sf8_format_named(v->in, NULL), out = sf8_format_named(v->out, NULL);
    cr_assert(sf8_mma_named(&m, unit, in, in, out) == SF8_OK, "%s %s %s", unit, v->in, v->out);
    if (*option) {
        char name[32];
        size_t length = strcspn(option, "=");
        memcpy(name, option, length);
        name[length] = '\0';
        cr_assert(sf8_mma_set(&m, name, option + length + 1) == SF8_OK, "%s", option);
    }
    memset(&x, 0, sizeof x);
    put_all(&x, v->products, v->k);
    int32_t bits = sf8_format_bits(in);
    const void *a = bits <= 8    ? (const void *)x.a8
                    : bits <= 16 ? (const void *)x.a16
                                 : (const void *)x.a32;
    const void *b = bits <= 8    ? (const void *)x.b8
                    : bits <= 16 ? (const void *)x.b16
                                 : (const void *)x.b32;
    return sf8_mma_dot(&m, a, b, x.scale_a, x.scale_b, v->k, v->c);
}

static void check(const sum_row *v, size_t count)
{
    for (size_t i = 0; i < count; i++, v++) {
        uint32_t sum = sum_of(v->unit, "", v);
        cr_expect(sum == v->sum, "%s %s %s %s + %08x: %08x, not %08x", v->unit, v->in, v->out,
                  v->products, v->c, sum, v->sum);
        if (!*v->rival)
            continue;
        int is_option = strchr(v->rival, '=') != NULL;
        uint32_t other = is_option ? sum_of(v->unit, v->rival, v) : sum_of(v->rival, "", v);
        cr_expect(other == v->rival_sum && other != sum, "%s %s: rival %s gives %08x", v->unit,
                  v->products, v->rival, other);
    }
}

#define CHECK(rows) check(rows, sizeof rows / sizeof rows[0])

/* e4m3: 38 is 1, 08 2^-6, 01 2^-9, 70 128, 78 256, 7e 448, bit 7 the sign. */

/* wgmma: 32 products at once, terms cut off 13 bits below the largest exponent, 13 bits kept. */
Test(mma, hopper_qgmma)
{
    static const sum_row rows[] = {
        /* no product is not zero, and the accumulator loses ten bits all the same */
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x3f8007ff, 0x3f800400, "hopper-mma-fp8",
         0x3f8007ff},
        /* it is a term, not added behind the sum; 12 bits; 1 + 1.5 * 2^-14 rounded up */
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x3f8007ff, 0x3f800400, "order=chain", 0x3f8007ff},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x3f8007ff, 0x3f800400, "sum=e8m12", 0x3f800000},
        {"hopper-qgmma", "e4m3", "f32", 32, "0-3:28*38", 0x38c00000, 0x3f800000, "round=rne",
         0x3f800400},
        /* 2^14 and -2^14 in both halves of the 32: what is small is lost; not where 16 are a sum */
        {"hopper-qgmma", "e4m3", "f32", 32, "0-31:01*01 0:70*70 15:70*f0", 0, 0, "ada-qmma",
         0x38800000},
        /* 1 - 1 - 1.5 * 2^-14, cut off at 2^-13 toward zero */
        {"hopper-qgmma", "e4m3", "f32", 32, "0:38*38 1:38*b8 2:0c*82", 0, 0, "fraction=14",
         0xb8800000},
        /* 0 * 448: the exponent of a zero does not count */
        {"hopper-qgmma", "e4m3", "f32", 32, "0:00*7e 1:09*09", 0, 0x39a20000, "zero=0", 0x39800000},
        /* 2^-9 has the exponent -6: 2^-12 lies beyond 13 bits of 2^-6 * 256 */
        {"hopper-qgmma", "e4m3", "f32", 32, "0:01*78 1:08*08", 0, 0x3f000000, "blackwell-tcgen05",
         0x3f001000},
        {"hopper-qgmma", "e4m3", "f32", 32, "0:01*78 1:01*f8 2:08*08", 0, 0, "blackwell-tcgen05",
         0x39800000},
        /* 1.5 * 1.5 has the exponent 0, though it is above 2: 2^-13 stays */
        {"hopper-qgmma", "e4m3", "f32", 32, "0:3c*3c 1:3c*bc 2:08*04", 0, 0x39000000, "fraction=12",
         0},
        /* 1 + 1.5 * 2^-14 is kept by the sum, cut off by the rounding */
        {"hopper-qgmma", "e4m3", "f32", 32, "0-3:28*38", 0x38c00000, 0x3f800000,
         "blackwell-tcgen05", 0x3f800300},
        {"hopper-qgmma", "e4m3", "f32", 32, "0-3:28*b8", 0xb8c00000, 0xbf800000,
         "blackwell-tcgen05", 0xbf800300},
        {"hopper-qgmma", "e4m3", "f32", 32, "0-30:3f*3f 31:08*08", 0, 0x42d9f800,
         "blackwell-tcgen05", 0x42d9f820},
        /* accumulators by themselves */
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x000003ff, 0, "hopper-mma-fp8", 0x000003ff},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x00000400, 0x00000400, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x007fffff, 0x007ffc00, "hopper-mma-fp8",
         0x007fffff},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x807fffff, 0x807ffc00, "hopper-mma-fp8",
         0x807fffff},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x7f7fffff, 0x7f7ffc00, "hopper-mma-fp8",
         0x7f7fffff},
    };
    CHECK(rows);
}

/* f16 from the same sums: to nearest even, once. 6400 is 1024, where codes are 1 apart. */
Test(mma, hopper_qgmma_f16)
{
    static const sum_row rows[] = {
        {"hopper-qgmma", "e4m3", "f16", 32, "0:48*48", 0x7bff, 0x7c00, "", 0},
        {"hopper-qgmma", "e4m3", "f16", 32, "0:47*48", 0x7bff, 0x7bff, "", 0},
        {"hopper-qgmma", "e4m3", "f16", 32, "0:30*38", 0x6400, 0x6400, "", 0},
        {"hopper-qgmma", "e4m3", "f16", 32, "0:3c*38", 0x6400, 0x6402, "", 0},
        {"hopper-qgmma", "e4m3", "f16", 32, "0:30*38 1:20*38", 0x6400, 0x6401, "", 0},
        /* 2^-4 is beyond 13 bits of 1024 */
        {"hopper-qgmma", "e4m3", "f16", 32, "0:30*38 1:18*38", 0x6400, 0x6400, "blackwell-tcgen05",
         0x6401},
        {"hopper-qgmma", "e4m3", "f16", 32, "0:7e*7e", 0, 0x7c00, "", 0},
        /* e5m2: 2^-25 is a tie, 2^-25 + 2^-32 above it */
        {"hopper-qgmma", "e5m2", "f16", 32, "0:01*18", 0, 0x0000, "", 0},
        {"hopper-qgmma", "e5m2", "f16", 32, "0:01*18 1:01*01", 0, 0x0001, "zero=-14", 0},
        {"hopper-qgmma", "e5m2", "f16", 32, "0:01*98", 0, 0, "underflow=signed", 0x8000},
        /* 16 products at once lose both halves, 32 do not */
        {"ada-qmma", "e4m3", "f16", 32, "0:30*38 16:30*38", 0x6400, 0x6400, "hopper-qgmma", 0x6401},
    };
    CHECK(rows);
}

/* Negative sums that round to zero, as an H100 returned them. */
Test(mma, hopper_underflow)
{
    static const sum_row rows[] = {
        {"hopper-hmma", "bf16", "f32", 16, "0:9a00*1900", 0, 0, "underflow=signed", 0x80000000},
        {"hopper-hgmma", "bf16", "f32", 16, "0:9a00*1900", 0, 0, "blackwell-hmma", 0x80000000},
        {"hopper-hmma", "tf32", "f32", 8, "0:4d000*0c800", 0, 0, "underflow=signed", 0x80000000},
        {"hopper-hgmma", "tf32", "f32", 8, "0:4d000*0c800", 0, 0, "underflow=signed", 0x80000000},
        {"hopper-hmma", "f16", "f16", 16, "0:8400*0c00", 0, 0, "underflow=signed", 0x8000},
        {"hopper-hgmma", "f16", "f16", 16, "0:8400*0c00", 0, 0, "blackwell-hmma", 0x8000},
        {"hopper-mma-fp8", "e5m2", "f16", 32, "7:01*89", 0x8000, 0, "underflow=signed", 0x8000},
    };
    CHECK(rows);
}

Test(mma, zeros_and_specials)
{
    static const sum_row rows[] = {
        {"hopper-qgmma", "e4m3", "f32", 32, "0-31:80*38", 0x80000000, 0, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "0:38*38 1:38*b8", 0x80000000, 0, "", 0},
        {"hopper-mma-fp8", "e4m3", "f32", 32, "0-31:80*38", 0x80000000, 0, "", 0},
        {"hopper-mma-fp8", "e4m3", "f16", 32, "0-31:80*38", 0x8000, 0, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x800003ff, 0, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "0:7f*00", 0, 0x7fffffff, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "31:ff*38", 0, 0x7fffffff, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0x7f800001, 0x7fffffff, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "", 0xffc12345, 0x7fffffff, "", 0},
        {"hopper-qgmma", "e4m3", "f32", 32, "0:7e*7e", 0xff800000, 0xff800000, "", 0},
        {"hopper-qgmma", "e5m2", "f32", 32, "0:7c*00", 0, 0x7fffffff, "", 0},
        {"hopper-qgmma", "e5m2", "f32", 32, "0:7c*3c", 0, 0x7f800000, "", 0},
        {"hopper-qgmma", "e5m2", "f32", 32, "0:7c*bc", 0, 0xff800000, "", 0},
        {"hopper-qgmma", "e5m2", "f32", 32, "0:7c*3c 1:7c*bc", 0, 0x7fffffff, "", 0},
        {"hopper-qgmma", "e5m2", "f32", 32, "0:7c*3c", 0xff800000, 0x7fffffff, "", 0},
        {"hopper-qgmma", "e5m2", "f16", 32, "0:7c*00", 0, 0x7fff, "", 0},
        {"hopper-mma-fp8", "e5m2", "f32", 32, "2:7c*00", 0, 0x7fffffff, "", 0},
        {"hopper-mma-fp8", "e5m2", "f32", 32, "2:7c*3c", 0xff800000, 0x7fffffff, "", 0},
        {"hopper-mma-fp8", "e5m2", "f16", 32, "2:7c*3c", 0xfc00, 0x7fff, "", 0},
        /* beyond the range though rounded toward zero: 2 * 2^127 */
        {"hopper-hmma", "bf16", "f32", 16, "0:7f00*3f80 1:7f00*3f80", 0, 0x7f800000, "", 0},
        {"hopper-hmma", "bf16", "f32", 16, "0:7f00*3f80 1:7e80*3f80", 0, 0x7f400000, "", 0},
    };
    CHECK(rows);
}

/* mma.sync of e4m3 on units without it: two sums of f16, then an addition. */
Test(mma, lowered)
{
    static const sum_row rows[] = {
        /* 2^16, then 0.09375 * 0.0625, in the other half: kept with two sums, not with one */
        {"hopper-mma-fp8", "e4m3", "f32", 32, "0:78*78 2:1c*18", 0, 0x47800000,
         "lowering=independent", 0x47800001},
        {"hopper-mma-fp8", "e4m3", "f32", 32, "0-31:01*01 2:70*70 3:70*f0", 0, 0,
         "lowering=independent", 0x38800000},
        /* 2^24 + 3: to nearest even, with an addition of its own */
        {"hopper-mma-fp8", "e4m3", "f32", 32, "0:3c*40", 0x4b800000, 0x4b800002, "hopper-qgmma",
         0x4b800000},
        {"hopper-mma-fp8", "e4m3", "f32", 32, "0:3c*40", 0x4b800000, 0x4b800002,
         "blackwell-tcgen05", 0x4b800001},
        /* 0.5 + 2^-13 is rounded to f16 before it meets 1024 */
        {"hopper-mma-fp8", "e4m3", "f16", 32, "0:30*38 1:04*08", 0x6400, 0x6400,
         "blackwell-tcgen05", 0x6401},
        {"blackwell-mma-fp8", "e4m3", "f32", 32, "0:78*78 2:1c*18", 0, 0x47800000,
         "lowering=independent", 0x47800001},
        {"blackwell-mma-fp8", "e4m3", "f16", 32, "0:30*38 1:04*08", 0x6400, 0x6400,
         "blackwell-tcgen05", 0x6401},
    };
    CHECK(rows);
}

/* f16: 3c00 is 1, 0c00 2^-12, 0800 2^-13, 3800 0.5; tf32: 1fc00 is 1, 1cc00 2^-12, 1c800 2^-13. */
/* 1 * 1 repeatedly, followed by 256 * 256: of the last four products there may be one, two or
 * three. */
Test(mma, lowered_short)
{
    static const char *const orders[] = {"chain", "independent"};
    for (size_t order = 0; order < 2; order++)
        for (size_t k = 1; k <= 32; k++) {
            sf8_mma m;
            uint8_t a[MOST_K], b[MOST_K];
            memset(a, 0x78, sizeof a);
            memset(b, 0x78, sizeof b);
            memset(a, 0x38, k);
            memset(b, 0x38, k);
            cr_assert(sf8_mma_named(&m, "hopper-mma-fp8", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
            cr_assert(sf8_mma_set(&m, "lowering", orders[order]) == SF8_OK);
            float sum = sf8_f32_from_bits(sf8_mma_dot(&m, a, b, NULL, NULL, k, 0));
            cr_expect(sum == (float)k, "%s, %zu products: %g", orders[order], k, (double)sum);
        }
}

Test(mma, hmma)
{
    static const sum_row rows[] = {
        /* 1 - 1 + 2^-24: 23 bits, or 24 */
        {"volta-hmma", "f16", "f32", 4, "0:3c00*3c00 1:3c00*bc00 2:0c00*0c00", 0, 0, "turing-hmma",
         0x33800000},
        {"turing-hmma", "f16", "f32", 8, "0:3c00*3c00 1:3c00*bc00 2:0c00*0800", 0, 0, "hopper-hmma",
         0x33000000},
        {"ampere-hmma", "f16", "f32", 16, "0:3c00*3c00 1:3c00*bc00 2:0c00*0800", 0, 0,
         "hopper-hmma", 0x33000000},
        {"ampere-hmma", "bf16", "f32", 16, "0:3f80*3f80 1:3f80*bf80 2:3980*3900", 0, 0,
         "hopper-hmma", 0x33000000},
        {"ampere-hmma", "tf32", "f32", 8, "0:1fc00*1fc00 1:1fc00*5fc00 2:1cc00*1c800", 0, 0,
         "hopper-hmma", 0x33000000},
        {"ada-hmma", "f16", "f32", 16, "0:3c00*3c00 1:3c00*bc00 2:0c00*0800", 0, 0,
         "blackwell-hmma", 0x33000000},
        /* 4 products, or 8, or 16, at once: 1024 + 0.5 + 0.5 */
        {"volta-hmma", "f16", "f16", 8, "0:3800*3c00 4:3800*3c00", 0x6400, 0x6400, "turing-hmma",
         0x6401},
        {"turing-hmma", "f16", "f16", 16, "0:3800*3c00 8:3800*3c00", 0x6400, 0x6400, "hopper-hmma",
         0x6401},
        {"ampere-hmma", "f16", "f16", 16, "0:3800*3c00 8:3800*3c00", 0x6400, 0x6400, "hopper-hmma",
         0x6401},
        {"ada-hmma", "f16", "f16", 16, "0:3800*3c00 8:3800*3c00", 0x6400, 0x6400, "hopper-hgmma",
         0x6401},
        {"ampere-hmma", "tf32", "f32", 8, "0:1fc00*1fc00 1:1cc00*1cc00 4:1fc00*5fc00", 0, 0,
         "hopper-hmma", 0x33800000},
        {"ada-hmma", "tf32", "f32", 8, "0:1fc00*1fc00 1:1cc00*1cc00 4:1fc00*5fc00", 0, 0,
         "blackwell-hmma", 0x33800000},
        /* 2^-25 + 2^-47 beside an accumulator of zero, whose exponent cuts it off, or not */
        {"hopper-hmma", "f16", "f16", 16, "0:0400*1000 1:0002*0001", 0, 0, "zero=-22", 1},
        {"hopper-hmma", "f16", "f16", 16, "0:0400*1000 1:0004*0001", 0, 1, "zero=-20", 0},
        {"hopper-hmma", "f16", "f16", 16, "0:0400*1000 1:0004*0001", 0, 1, "ampere-hmma", 0},
        {"blackwell-hmma", "f16", "f16", 16, "0:0400*1000 1:0002*0001", 0, 1, "ada-hmma", 0},
        {"hopper-hgmma", "f16", "f16", 16, "0:0400*1000 1:0001*0001", 0, 1, "hopper-hmma", 0},
        {"hopper-hgmma", "f16", "f32", 16, "0:3c00*3c00 1:3c00*bc00 2:0c00*0800", 0, 0x33000000,
         "ampere-hmma", 0},
    };
    CHECK(rows);
}

/* e2m1: 2 is 1, a -1, 1 0.5. Scales of e8m0: 7f is 1, 80 2; of ue4m3: 38 is 1, 78 256, 01 2^-9. */
Test(mma, scaled)
{
    static const sum_row rows[] = {
        {"blackwell-tcgen05", "e2m1", "f32", 32, "0:02*02", 0, 0x3f800000, "", 0},
        {"sm120-qmma", "e4m3", "f32", 32, "0:01*78 1:08*08", 0, 0x3f001000, "hopper-qgmma",
         0x3f000000},
        {"sm120-qmma", "e3m2", "f32", 32, "0:0c*0c", 0, 0x3f800000, "", 0},
        {"sm120-qmma", "e2m3", "f16", 32, "0:08*09", 0, 0x3c80, "", 0},
        {"sm120-mxf8f6f4", "e4m3", "f32", 32, "0:38*38 s0:80*7f", 0, 0x40000000, "sm120-qmma",
         0x3f800000},
        {"sm120-mxf8f6f4", "e4m3", "f32", 32, "0:38*38 s0:ff*7f", 0, 0x7fffffff, "", 0},
        /* two groups have the scale of one block of 32; of 16 each has its own, the second's 0 */
        {"sm120-mxf4", "e2m1", "f32", 64, "0:02*02 16:02*02 s0:38*38", 0, 0x00000100,
         "sm120-mxf4nvf4", 0x3f800000},
        /* a group that cancels out keeps its exponent: 2^16 cuts off 2^-20 */
        {"sm120-mxf4nvf4", "e2m1", "f32", 64, "0:02*02 1:02*0a 16:01*01 s0:78*78 s1:01*01", 0, 0,
         "fraction=36", 0x35800000},
        {"sm120-mxf4nvf4", "e2m1", "f32", 64, "0:02*02 s0:b8*38", 0, 0x3f800000, "", 0},
        {"sm120-mxf4nvf4", "e2m1", "f32", 64, "0:02*02 s0:7f*38", 0, 0x7fffffff, "", 0},
    };
    CHECK(rows);
}

/* Rounding down: -2^-33 takes 2^-24 from 1. e4m3fnuz: 40 is 1, 78 128, 01 2^-10. */
Test(mma, cdna3)
{
    static const sum_row rows[] = {
        {"cdna3-f16", "f16", "f32", 8, "0:3c00*3c00", 0xaf000000, 0x3f7fffff, "ampere-hmma",
         0x3f800000},
        {"cdna3-f16", "bf16", "f32", 8, "0:3f80*3f80", 0xaf000000, 0x3f7fffff, "ampere-hmma",
         0x3f800000},
        {"cdna3-f16", "tf32", "f32", 4, "0:1fc00*1fc00", 0xaf000000, 0x3f7fffff, "ampere-hmma",
         0x3f800000},
        /* -2^128 is infinite before it meets an infinite accumulator: mmasim 2.1.1, run */
        {"cdna3-f16", "bf16", "f32", 8, "0:df80*5f80", 0x7f800000, 0x7fffffff, "", 0},
        {"cdna3-f16", "bf16", "f32", 8, "0:df80*5f80", 0x7f000000, 0xff800000, "", 0},
        /* an accumulator more than 25 below is dropped, at 25 it counts */
        {"cdna3-fp8", "e4m3fnuz", "f32", 16, "0:40*40", 0xaf000000, 0x3f800000, "", 0},
        {"cdna3-fp8", "e4m3fnuz", "f32", 16, "0:40*40", 0xb3000000, 0x3f7fffff, "", 0},
        /* 2^14 - 2^-20: cut off among the even k, rounded down among the odd */
        {"cdna3-fp8", "e4m3fnuz", "f32", 16, "0:78*78 2:81*01", 0, 0x46800000, "", 0},
        {"cdna3-fp8", "e4m3fnuz", "f32", 16, "0:78*78 1:81*01", 0, 0x467fffff, "", 0},
    };
    CHECK(rows);
}

/* A long accumulation of 1/256 that stops to grow: 64.0, as a GH200 was seen to give. */
Test(mma, chain_that_stalls)
{
    sf8_mma m;
    uint8_t ones[32];
    uint32_t c = 0;
    memset(ones, 0x18, sizeof ones);
    cr_assert(sf8_mma_named(&m, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    for (int step = 0; step < 131072; step++)
        c = sf8_mma_dot(&m, ones, ones, NULL, NULL, 32, c);
    cr_expect(c == 0x42800000, "%08x", c);
}

/* These have the same rule: rows of one text but for names, evidence and what an instruction takes.
 */
Test(mma, same_rules)
{
    static const char *const pairs[][2] = {{"turing-hmma", "ampere-hmma"},
                                           {"ampere-hmma", "ada-hmma"}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const sf8_mma_row *a, *b;
        for (size_t j = 0; (a = sf8_mma_at(j)) != NULL; j++)
            for (size_t k = 0; (b = sf8_mma_at(k)) != NULL; k++)
                if (strcmp(a->unit, pairs[i][0]) == 0 && strcmp(b->unit, pairs[i][1]) == 0 &&
                    strcmp(a->out, b->out) == 0 && strstr(b->operands, a->operands))
                    cr_expect(a->length == b->length && a->fraction == b->fraction &&
                                  a->zero == b->zero && strcmp(a->sum, b->sum) == 0 &&
                                  strcmp(a->round, b->round) == 0 &&
                                  strcmp(a->underflow, b->underflow) == 0 &&
                                  strcmp(a->order, b->order) == 0,
                              "%s %s", a->unit, a->out);
    }
}

/* A k that is neither at most one instruction nor whole ones, or no whole groups, is refused. All
 * codes are 1, so that the sum is k. */
Test(mma, refused_k)
{
    static const struct {
        const char *unit, *in;
        size_t k;
        uint32_t sum;
    } rows[] = {
        {"hopper-qgmma", "e4m3", 31, 0x41f80000}, /* 31 */
        {"hopper-qgmma", "e4m3", 32, 0x42000000},
        {"hopper-qgmma", "e4m3", 33, SF8_UNSUPPORTED},
        {"hopper-qgmma", "e4m3", 63, SF8_UNSUPPORTED},
        {"hopper-qgmma", "e4m3", 64, 0x42800000},
        {"sm120-mxf4nvf4", "e2m1", 32, 0x42000000},
        {"sm120-mxf4nvf4", "e2m1", 24, SF8_UNSUPPORTED},
    };
    uint8_t x[MOST_K], scale[MOST_K];
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_mma m;
        sf8_format f = sf8_format_named(rows[i].in, NULL);
        cr_assert(sf8_mma_named(&m, rows[i].unit, f, f, SF8_F32) == SF8_OK);
        memset(x, strcmp(rows[i].in, "e4m3") == 0 ? 0x38 : 0x2, sizeof x);
        memset(scale, m.scale.man_bits == 0 ? 0x7f : 0x38, sizeof scale);
        uint32_t sum = sf8_mma_dot(&m, x, x, scale, scale, rows[i].k, 0);
        EXPECT(sum == rows[i].sum, "%s, k = %zu: %08x", rows[i].unit, rows[i].k, sum);
    }
}

Test(mma, names)
{
    sf8_mma m;
    memset(&m, 0x55, sizeof m);
    sf8_mma before = m;
    cr_expect(sf8_mma_named(&m, "hopper", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_UNKNOWN_NAME);
    cr_expect(sf8_mma_named(&m, "hopper-qgmma", SF8_F16, SF8_F16, SF8_F32) == SF8_BAD_FORMAT);
    cr_expect(sf8_mma_named(&m, "hopper-hmma", SF8_F16, SF8_BF16, SF8_F32) == SF8_BAD_FORMAT);
    cr_expect(sf8_mma_named(&m, "hopper-hmma", SF8_BF16, SF8_BF16, SF8_F16) == SF8_BAD_FORMAT);
    cr_expect(memcmp(&m, &before, sizeof m) == 0);
    cr_expect(sf8_mma_named(&m, "hopper-qgmma", SF8_E4M3, SF8_E5M2, SF8_F32) == SF8_OK);
    before = m;
    cr_expect(sf8_mma_set(&m, "lowering", "chain") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "underflow", "up") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "fraction", "") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "fraction", "13x") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "fraction", "41") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "fraction", "99999999999") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "zero", "1") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "zero", "-") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "bits", "1") == SF8_UNKNOWN_NAME);
    cr_expect(sf8_mma_set(&m, "sum", "e8m23") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "sum", "e8m") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "round", "sr") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "round", "up") == SF8_BAD_TEXT);
    cr_expect(sf8_mma_set(&m, "order", "sorted") == SF8_BAD_TEXT);
    cr_expect(memcmp(&m, &before, sizeof m) == 0);
    cr_expect(sf8_mma_set(&m, "zero", "-300") == SF8_OK && m.zero == -300);
}
