/* SPDX-License-Identifier: MIT */
/* test_mma.c -- matrix units compared with results computed by hand */
#include "softfp8_mma.h"
#include "table.h"

enum { MOST_K = 128 };

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

/* A line of sums.txt, by another unit or with an option of its unit changed. */
static uint32_t sum_of(const table_line *v, const char *unit, const char *option)
{
    sf8_mma m;
    operands x;
    const size_t k = strtoul(v->word[3], NULL, 10);
    sf8_format in = format_of(v->word[1]), out = format_of(v->word[2]);
    cr_assert(sf8_mma_named(&m, unit, in, in, out) == SF8_OK, "%s %s %s", unit, v->word[1],
              v->word[2]);
    if (*option) {
        char name[32];
        size_t length = strcspn(option, "=");
        memcpy(name, option, length);
        name[length] = '\0';
        cr_assert(sf8_mma_set(&m, name, option + length + 1) == SF8_OK, "%s", option);
    }
    memset(&x, 0, sizeof x);
    put_all(&x, table_rest(v, 8), k);
    int32_t bits = sf8_format_bits(in);
    const void *a = bits <= 8    ? (const void *)x.a8
                    : bits <= 16 ? (const void *)x.a16
                                 : (const void *)x.a32;
    const void *b = bits <= 8    ? (const void *)x.b8
                    : bits <= 16 ? (const void *)x.b16
                                 : (const void *)x.b32;
    return sf8_mma_dot(&m, a, b, x.scale_a, x.scale_b, k, (uint32_t)table_hex(v, 4));
}

Test(mma, sums)
{
    table sums = table_read("mma/sums.txt");
    for (size_t i = 0; i < sums.count; i++) {
        const table_line *v = &sums.line[i];
        const char *rival = v->word[6];
        uint32_t sum = sum_of(v, v->word[0], ""), other;
        cr_expect(sum == table_hex(v, 5), "%s %s %s %s + %s: %08x, not %s", v->word[0], v->word[1],
                  v->word[2], table_rest(v, 8), v->word[4], sum, v->word[5]);
        if (*rival == '-')
            continue;
        other = strchr(rival, '=') ? sum_of(v, v->word[0], rival) : sum_of(v, rival, "");
        cr_expect(other == table_hex(v, 7) && other != sum, "%s %s: rival %s gives %08x",
                  v->word[0], table_rest(v, 8), rival, other);
    }
    cr_expect(sums.count == 101, "%zu", sums.count);
    table_free(&sums);
}

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
