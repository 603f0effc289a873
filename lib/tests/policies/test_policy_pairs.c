/* SPDX-License-Identifier: MIT */
/* test_policy_pairs.c -- which policies can be distinguished, and by which vector
 *
 * Everything that a policy decides is swept and digested: all of f16 and bf16 and the ends of f32
 * and f64 into every small format, in its own rounding mode and in two others that show more
 * fields; every code to the wide formats and to integers; the operations on the codes at the ends.
 * Two policies with one digest are the same policy, and must be listed as such.
 */
#include "table.h"

typedef struct digest {
    uint64_t codes;
    uint64_t all; /* with flags */
} digest;

static void add_word(uint64_t *h, uint64_t x)
{
    *h = (*h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    *h ^= *h >> 29;
}

static void add_result(digest *d, sf8_result r)
{
    add_word(&d->codes, r.code);
    add_word(&d->all, r.code << 8 | r.flags);
}

static const uint32_t f32_ends[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00200000, 0x00400000, 0x00400001, 0x005fffff,
    0x00600000, 0x00800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40400000, 0x3f880001,
    0x43e00000, 0x43e08000, 0x43e80000, 0x43e80001, 0x43f00000, 0xc3e80001, 0x47600000, 0x476fffff,
    0x47700000, 0xc7700000, 0x43780000, 0x3a800000, 0x3a800001, 0x3c7fffff, 0x37000001, 0xb5800000,
    0x7f000000, 0x7f000001, 0x7f400000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00000, 0x7f800001, 0xff800001, 0x7fa00000, 0xffffffff, 0x7fffffff, 0x7fe00000, 0xffe00000,
};

static const uint64_t f64_ends[] = {
    0x0000000000000001, 0x8000000000000001, 0x3ff1000000001000, 0x3f50000000000004,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7ff4000000000000,
    0x7ffc000000000000, 0xffffffffffffffff,
};

#define OTHER_FORMATS 4
static const char *const other_formats[OTHER_FORMATS] = {"p3109_k8p1uf", "p3109_k8p1ue",
                                                         "p3109_k8p4uf", "p3109_k4p2sf"};

/* The formats of 8 bits or less, named and P3109. */
static size_t small_formats(sf8_format *list, size_t room)
{
    size_t n = 0;
    sf8_format f;
    for (size_t i = 0; sf8_format_at(i, &f) && n + OTHER_FORMATS < room; i++)
        if (sf8_format_bits(f) <= 8)
            list[n++] = f;
    for (size_t i = 0; i < OTHER_FORMATS; i++)
        list[n++] = format_of(other_formats[i]);
    return n;
}

static void sweep_ends(digest *d, sf8_format f, sf8_policy policy)
{
    for (size_t i = 0; i < COUNT(f32_ends); i++)
        add_result(d, sf8_convert_flags(f, SF8_F32, f32_ends[i], policy));
    for (size_t i = 0; i < COUNT(f64_ends); i++)
        add_result(d, sf8_convert_flags(f, SF8_F64, f64_ends[i], policy));
    for (int64_t i = -600; i <= 600; i++)
        add_result(d, sf8_from_i64(f, i * 117, policy));
}

static void sweep_codes(digest *d, sf8_format f, sf8_policy policy)
{
    for (uint64_t c = 0; c <= sf8_format_code_mask(f); c++) {
        add_result(d, sf8_convert_flags(SF8_F16, f, c, policy));
        add_result(d, sf8_convert_flags(SF8_F32, f, c, policy));
        add_result(d, sf8_convert_flags(SF8_F64, f, c, policy));
        for (int32_t width = 8; width <= 64; width *= 2) {
            add_result(d, sf8_to_integer(f, c, width, 0, policy, 1));
            add_result(d, sf8_to_integer(f, c, width, 1, policy, 1));
        }
        add_result(d, sf8_next_up(f, c, policy));
        add_result(d, sf8_next_down(f, c, policy));
        add_result(d, sf8_sqrt(f, c, policy));
        add_result(d, sf8_rint(f, c, policy, 1));
        add_result(d, sf8_scalb(f, c, 100, policy));
        add_result(d, sf8_negate(f, c, policy));
        add_word(&d->codes, (uint64_t)sf8_class(f, c, policy));
    }
}

/* Pairs of the codes around zero, the largest, infinity and NaN. */
static void sweep_pairs(digest *d, sf8_format f, sf8_policy policy)
{
    uint64_t max = sf8_format_max(f), sign = sf8_format_sign_bit(f), codes[14];
    for (uint64_t i = 0; i < 7; i++) {
        uint64_t mag = i < 3 ? i : max + i - 4;
        codes[2 * i] = mag & sf8_format_mag_mask(f);
        codes[2 * i + 1] = codes[2 * i] | sign;
    }
    for (size_t i = 0; i < COUNT(codes); i++) {
        for (size_t k = 0; k < COUNT(codes); k++) {
            add_result(d, sf8_add(f, codes[i], codes[k], policy));
            add_result(d, sf8_mul(f, codes[i], codes[k], policy));
            add_result(d, sf8_div(f, codes[i], codes[k], policy));
            add_result(d, sf8_minimum(f, codes[i], codes[k], policy));
            add_result(d, sf8_maximum_number(f, codes[i], codes[k], policy));
            add_word(&d->codes, (uint64_t)sf8_total_order(f, codes[i], codes[k], policy));
        }
    }
}

static digest digest_of(sf8_policy policy)
{
    static const uint32_t modes[] = {SF8_RO, SF8_RU};
    sf8_format list[40];
    size_t n = small_formats(list, COUNT(list));
    digest d = {0, 0};
    for (size_t i = 0; i < n; i++) {
        for (uint32_t x = 0; x < 0x10000; x += (uint32_t)one_in(5)) {
            add_result(&d, sf8_convert_flags(list[i], SF8_F16, x, policy));
            add_result(&d, sf8_convert_flags(list[i], SF8_BF16, x, policy));
        }
        sweep_ends(&d, list[i], policy);
        sweep_codes(&d, list[i], policy);
        sweep_pairs(&d, list[i], policy);
        for (size_t k = 0; k < COUNT(modes); k++) {
            sf8_policy other = policy;
            other.round = modes[k] & SF8_ROUND_MASK;
            sweep_ends(&d, list[i], other);
        }
    }
    add_word(&d.all, d.codes);
    return d;
}

/* The pairs that give the same codes in every conversion and every operation. */
typedef struct twin {
    const char *a, *b;
    int32_t by_flags; /* 1: their flags differ */
    const char *why;
} twin;

static const twin twins[] = {
    {"cuda-satfinite", "ptx", 0, "the CUDA headers compute what the instruction is said to do"},
    {"ocp", "arm-sat", 1, "Arm raises nothing for infinity, and detects tininess before rounding"},
    {"ocp-nosat", "arm", 1, "the same"},
    {"hip-fnuz", "fbgemm", 1, "both clamp and lose NaN; by flags only as HIP overflows early"},
};

static const twin *twin_of(const char *a, const char *b)
{
    for (size_t i = 0; i < COUNT(twins); i++)
        if (strcmp(twins[i].a, a) == 0 && strcmp(twins[i].b, b) == 0)
            return &twins[i];
    return NULL;
}

Test(policy_pairs, twins_are_these, .timeout = 120)
{
    digest d[POLICIES];
    for (size_t i = 0; i < POLICIES; i++)
        d[i] = digest_of(policy_of(sf8_policy_at(i)->name));
    for (size_t i = 0; i < POLICIES; i++) {
        for (size_t k = i + 1; k < POLICIES; k++) {
            const char *a = sf8_policy_at(i)->name, *b = sf8_policy_at(k)->name;
            const twin *t = twin_of(a, b);
            EXPECT((d[i].codes == d[k].codes) == (t != NULL), "%s and %s: %s by codes", a, b,
                   t ? "differ" : "do not differ");
            if (t)
                EXPECT((d[i].all != d[k].all) == t->by_flags, "%s and %s: flags", a, b);
        }
    }
}

/* A policy, its result and its flags at a word of a line of tellings.txt. */
static vector vector_at(const table_line *x, size_t at)
{
    return (vector){x->word[at],     x->word[6],           x->word[7],
                    table_hex(x, 8), table_hex(x, at + 1), table_flags(x->word[at + 2]),
                    "telling"};
}

Test(policy_pairs, tellings)
{
    table known = table_read("policies/tellings.txt");
    for (size_t i = 0; i < known.count; i++) {
        vector own = vector_at(&known.line[i], 0), other = vector_at(&known.line[i], 3);
        cr_assert(own.out != other.out || own.flags != other.flags, "%s: tells nothing",
                  own.policy_name);
        check_vectors(&own, 1);
        check_vectors(&other, 1);
    }
    cr_expect(known.count >= 48, "%zu", known.count); /* as many as there are: see below */
    table_free(&known);
}

/* The one policy without a telling vector is the twin of another to the flags. */
Test(policy_pairs, every_policy_is_distinct)
{
    table known = table_read("policies/tellings.txt");
    const sf8_policy_row *p;
    for (size_t i = 0; (p = sf8_policy_at(i)) != NULL; i++) {
        size_t found = 0;
        for (size_t k = 0; k < known.count; k++)
            found += strcmp(known.line[k].word[0], p->name) == 0;
        EXPECT(found == (strcmp(p->name, "ptx") != 0), "%s: %zu telling vectors", p->name, found);
    }
    table_free(&known);
}
