/* SPDX-License-Identifier: MIT */
/* test_widening.c -- an infinite operand in a wider format stays infinite, also where `inf` is max
 *
 * docs/spec/special-values.md. The expectations of the first test are the infinities and largest
 * numbers of IEEE 754's formats and of OCP's e5m2. Then every narrow format goes to every other
 * format: where the values say that the target is wider, `ocp` and `ocp-nosat` give the same, else
 * the operand saturates.
 */
#include "arrays/arrays.h"

typedef struct row {
    const char *policy, *to, *from;
    uint64_t in, out;
    uint32_t flags;
} row;

static const row rows[] = {
    {"ocp", "f16", "e5m2", 0x7c, 0x7c00, 0},
    {"ocp", "bf16", "e5m2", 0xfc, 0xff80, 0},
    {"ocp", "f32", "e5m2", 0x7c, 0x7f800000, 0},
    {"ocp", "f64", "e5m2", 0xfc, UINT64_C(0xfff0000000000000), 0},
    {"ocp", "f64", "f32", 0x7f800000, UINT64_C(0x7ff0000000000000), 0},
    {"ocp", "tf32", "bf16", 0xff80, 0x7fc00, 0},
    {"cuda-satfinite", "f16", "e5m2", 0x7c, 0x7c00, 0},
    {"ocp", "f16", "e3m4", 0xf0, 0xfc00, 0},
    /* the same format, and formats that do not hold every value */
    {"ocp", "e5m2", "e5m2", 0x7c, 0x7b, NV},
    {"ocp", "e5m2", "e4m3ieee", 0x78, 0x7b, NV},
    {"ocp", "e5m2", "f16", 0x7c00, 0x7b, NV},
    {"ocp", "f16", "bf16", 0x7f80, 0x7bff, NV},
    {"ocp", "bf16", "f16", 0xfc00, 0xff7f, NV},
    {"ocp", "f32", "f64", UINT64_C(0x7ff0000000000000), 0x7f7fffff, NV},
    /* a wider format without infinity; and a finite value is no infinity */
    {"ocp", "f32", "e4m3", 0x7e, 0x43e00000, 0},
    /* the P3109 dialect has a rule of its own */
    {"p3109-satfinite", "f32", "p3109_k8p4se", 0x7f, 0x7f7fffff, 0},
    {"ocp", "f32", "p3109_k8p4se", 0x7f, 0x7f800000, 0},
};

Test(widening, infinity)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const row *r = &rows[i];
        sf8_result got = sf8_convert_flags(format_of(r->to), format_of(r->from), r->in,
                                           policy_of(r->policy));
        cr_expect(got.code == r->out && got.flags == r->flags,
                  "%s: %s %" PRIx64 " to %s: %" PRIx64 "/%02x, not %" PRIx64 "/%02x", r->policy,
                  r->from, r->in, r->to, got.code, got.flags, r->out, r->flags);
    }
}

/* As doubles, which hold every value of these formats. */
static double value_of(sf8_format f, uint64_t code)
{
    return sf8_f64_from_bits(sf8_convert(SF8_F64, f, code, SF8_OCP_NOSAT));
}

static int holds(sf8_format to, sf8_format from)
{
    if (!to.has_inf || memcmp(&to, &from, sizeof to) == 0)
        return 0;
    for (uint64_t code = 0; code <= sf8_format_code_mask(from); code++) {
        sf8_result r = sf8_convert_flags(to, from, code, SF8_OCP_NOSAT);
        if (!sf8_is_special(from, code) && value_of(to, r.code) != value_of(from, code))
            return 0;
    }
    return 1;
}

static void check_pair(sf8_format to, const char *to_name, sf8_format from, const char *from_name)
{
    uint64_t inf = sf8_format_inf(from);
    sf8_result free = sf8_convert_flags(to, from, inf, SF8_OCP_NOSAT);
    sf8_result r = sf8_convert_flags(to, from, inf, SF8_OCP);
    if (holds(to, from))
        cr_expect(r.code == free.code && r.flags == 0 && sf8_is_inf(to, r.code),
                  "%s to %s: %" PRIx64, from_name, to_name, r.code);
    else
        cr_expect(r.code == sf8_format_max(to) && r.flags == NV, "%s to %s: %" PRIx64, from_name,
                  to_name, r.code);
}

static size_t formats(sf8_format *list, char names[][SF8_NAME_SIZE])
{
    static const char kinds[][3] = {"se", "ue", "sf", "uf"};
    size_t n = 0;
    for (size_t i = 0; sf8_format_at(i, &list[n]); i++)
        snprintf(names[n++], SF8_NAME_SIZE, "%s", sf8_format_at(i, NULL));
    for (int k = 3; k <= 8; k++)
        for (int p = 1; p <= k; p++)
            for (size_t d = 0; d < COUNT(kinds); d++)
                if (sf8_p3109_exists(k, p, kinds[d][0] == 's')) {
                    snprintf(names[n], SF8_NAME_SIZE, "p3109_k%dp%d%s", k, p, kinds[d]);
                    list[n] = format_of(names[n]);
                    n++;
                }
    return n;
}

Test(widening, every_pair)
{
    static sf8_format list[256];
    static char names[256][SF8_NAME_SIZE];
    size_t n = formats(list, names), step = one_in(7);
    for (size_t from = 0; from < n; from++)
        for (size_t to = from % step; to < n; to += step)
            if (list[from].has_inf && sf8_format_bits(list[from]) <= 8)
                check_pair(list[to], names[to], list[from], names[from]);
}

/* Short arrays go code by code, long ones by a table. */
Test(widening, arrays)
{
    static const char *const from[] = {"e5m2", "e4m3ieee", "e3m4", "p3109_k8p3se", "p3109_k6p3ue"};
    static const char *const to[] = {"f16", "bf16", "tf32", "f32", "f64", "e5m2"};
    static const char *const policies[] = {"ocp", "cuda-satfinite", "p3109-satfinite"};
    static uint8_t codes[1024];
    static uint64_t room[1024];
    for (size_t i = 0; i < sizeof codes; i++)
        codes[i] = (uint8_t)i;
    for (size_t f = 0; f < COUNT(from); f++)
        for (size_t t = 0; t < COUNT(to); t++)
            for (size_t p = 0; p < COUNT(policies); p++) {
                char text[128];
                job j = {format_of(to[t]), format_of(from[f]), policy_of(policies[p]), text};
                snprintf(text, sizeof text, "%s to %s by %s", from[f], to[t], policies[p]);
                check_array(&j, codes, sizeof codes, room);
                check_array(&j, codes + 100, 40, room);
                check_array(&j, codes + 0x70, 16, room);
            }
}
