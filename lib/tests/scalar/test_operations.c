/* SPDX-License-Identifier: MIT */
/* test_operations.c -- arithmetic: rounded once, and the special cases of IEEE 754 and P3109 */
#include "scalar/operation.h"
#include "table.h"

Test(operations, known_results)
{
    table known = table_read("scalar/operations.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        int32_t flags = table_flags(x->word[6]);
        sf8_result r = operate(x->word[0], format_of(x->word[1]), table_hex(x, 2), table_hex(x, 3),
                               table_hex(x, 4), policy_of(table_rest(x, 7)));
        EXPECT(r.code == table_hex(x, 5) && r.flags == (uint32_t)flags,
               "%s, %s %s %s %s %s: %02" PRIx64 " flags %x, not %s flags %s", table_rest(x, 7),
               x->word[1], x->word[0], x->word[2], x->word[3], x->word[4], r.code, r.flags,
               x->word[5], x->word[6]);
    }
    cr_expect(known.count == 727, "%zu", known.count);
    table_free(&known);
}

/* The functions of one format, and those with flags. */
Test(operations, functions_of_one_format)
{
    cr_expect(sf8_e5m2_fma(0x1e, 0x7a, 0x01, SF8_OCP) == 0x5d);
    cr_expect(sf8_e5m2_fma_flags(0x1e, 0x7a, 0x01, SF8_OCP).flags == NX);
    cr_expect(sf8_e4m3_add(0x0f, 0x31, SF8_OCP) == 0x31);
    cr_expect(sf8_e4m3_sub(0x38, 0x38, SF8_OCP) == 0x00);
    cr_expect(sf8_e4m3_mul(0x40, 0x44, SF8_OCP) == 0x4c);
    cr_expect(sf8_e4m3_div_flags(0x38, 0x00, SF8_OCP).flags == DZ);
    cr_expect(sf8_e3m4_sqrt(0x2f, SF8_OCP) == 0x2f);
    cr_expect(sf8_e5m2_rem(0x45, 0x42, SF8_OCP) == 0xbc);
    cr_expect(sf8_e4m3_rint_flags(0x42, SF8_OCP, 1).flags == NX);
    cr_expect(sf8_e4m3_rint(0x42, SF8_OCP) == 0x40);
    cr_expect(sf8_e4m3_scalb(0x38, -9, SF8_OCP) == 0x01);
    cr_expect(sf8_e2m1_maximum(0x07, 0x02, SF8_OCP) == 0x07);
    cr_expect(sf8_e4m3fnuz_negate(0x80, SF8_OCP) == 0x80);
    cr_expect(sf8_p3109_k8p4se_next_up(0x7f, SF8_P3109_SATNONE) == 0x80);
}

/* Operations on e4m3 are compiled apart where a policy has the usual fields. With random bits,
 * which such a policy does not use, they are not. */
Test(operations, those_compiled_apart)
{
    static const char *const more[] = {"ocp overflow_test=exact", "ocp overflow_test=exponent",
                                       "ocp flush=outputs", "ocp-nosat round_past_max=nan",
                                       "ocp round=rna"};
    for (size_t p = 0; p < POLICIES + COUNT(more); p++) {
        const char *text = p < POLICIES ? sf8_policy_at(p)->name : more[p - POLICIES];
        sf8_policy policy = policy_of(text);
        for (uint64_t pair = p % one_in(5); pair < 65536; pair += one_in(5)) {
            uint64_t a = pair >> 8, b = pair & 255, c = pair % 251;
            const sf8_result got[5] = {
                sf8_add(SF8_E4M3, a, b, policy), sf8_sub(SF8_E4M3, a, b, policy),
                sf8_mul(SF8_E4M3, a, b, policy), sf8_div(SF8_E4M3, a, b, policy),
                sf8_fma(SF8_E4M3, a, b, c, policy)};
            const sf8_result want[5] = {
                sf8_add_sr(SF8_E4M3, a, b, policy, 0), sf8_sub_sr(SF8_E4M3, a, b, policy, 0),
                sf8_mul_sr(SF8_E4M3, a, b, policy, 0), sf8_div_sr(SF8_E4M3, a, b, policy, 0),
                sf8_fma_sr(SF8_E4M3, a, b, c, policy, 0)};
            for (size_t i = 0; i < 5; i++)
                EXPECT(got[i].code == want[i].code && got[i].flags == want[i].flags,
                       "%s: operation %zu of %02x and %02x", text, i, (unsigned)a, (unsigned)b);
        }
    }
}
