/* SPDX-License-Identifier: MIT */
/* test_attend_wrong.c -- attention: invalid requests, names */
#include "attend/attend_run.h"

/* ---- refused --------------------------------------------------------------------------------- */

static void refused(const char *what, uint32_t reason)
{
    uint32_t got = sf8_attend_check(&r.a);
    cr_expect(got == reason, "%s: %s", what, sf8_attend_reason(got));
    memset(r.out, CANARY, sizeof r.out);
    cr_expect(sf8_attend_n(&r.a, attend_room, attend_room_words) == SF8_BAD_CALL, "%s", what);
    for (size_t i = 0; i < 1000; i++)
        EXPECT(r.out[i] == 0xa5a5a5a5, "%s: word %zu", what, i);
}

#define REFUSED(change, reason)                                                                    \
    do {                                                                                           \
        r.a = good;                                                                                \
        change;                                                                                    \
        refused(#change, SF8_ATTEND_##reason);                                                     \
    } while (0)

#define TAKEN(change)                                                                              \
    do {                                                                                           \
        r.a = good;                                                                                \
        change;                                                                                    \
        cr_expect(sf8_attend_check(&r.a) == SF8_ATTEND_GOOD, "%s", #change);                       \
    } while (0)

Test(attend_wrong, wrong)
{
    sizes z = {100, 2, 4, 2, 64, 64, 16};
    request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    run_whole(&r, NULL);
    sf8_attend good = r.a;
    int64_t bad_blocks[7] = {0, 1, 2, 3, 4, 5, 99};
    REFUSED(r.a.sums = (sf8_attend_sums)3, BAD_SUMS);
    REFUSED(r.a.heads = 3, BAD_SHAPE);
    REFUSED(r.a.heads = 0, BAD_SHAPE);
    REFUSED(r.a.v.image.layout.heads = 1, UNLIKE);
    REFUSED(r.a.v.image.layout.slots = 8, UNLIKE);
    REFUSED(r.a.k.image.layout.dim = 60, BAD_DIM);
    REFUSED(r.a.q.dim = 32, BAD_WORDS);
    REFUSED(r.a.q.tokens = 1, BAD_WORDS);
    REFUSED(r.a.out_words = SF8_E4M3, BAD_WORDS);
    REFUSED(r.a.q.token_stride = SIZE_MAX / 2, BAD_WORDS);
    REFUSED((r.a.q_scale = r.q_scale, r.a.q_scales = 3), BAD_SCALE);
    REFUSED(r.a.k.scales = 0, BAD_SCALE);
    REFUSED(r.a.cap = 0xbf800000, BAD_SCALE);
    REFUSED(r.a.cap = 0x7fc00000, BAD_SCALE);
    REFUSED(r.a.cap = 0x7f800000, BAD_SCALE); /* infinity: 1 / cap is 0 */
    REFUSED(r.a.cap = 0x80000000, BAD_SCALE);
    REFUSED(r.a.cap = 0x7f317218,
            BAD_SCALE); /* times log2 e is infinite; the largest that is not: */
    TAKEN(r.a.cap = 0x7f317217);
    REFUSED(r.a.cap = 0x00200000,
            BAD_SCALE); /* 2^-128, 1 / cap is infinite; the least that is not: */
    TAKEN(r.a.cap = 0x00200001);
    REFUSED(r.a.cap = 1, BAD_SCALE);
    REFUSED(r.a.first = -1, BAD_POSITION);
    REFUSED(r.a.left = INT64_MAX, BAD_POSITION);
    REFUSED(r.a.first = (INT64_C(1) << 61) + 1, BAD_POSITION);
    TAKEN(r.a.first = INT64_C(1) << 61);
    cr_expect_str_eq(sf8_attend_reason(SF8_ATTEND_BAD_POSITION), "positions above 2^61");
    REFUSED(r.a.k.image.size -= 1, BAD_CACHE);
    REFUSED(r.a.v.image.layout.head_stride = 1, BAD_CACHE);
    REFUSED((r.a.k.recipe = NULL, r.a.k.words = SF8_F32), BAD_CACHE);
    REFUSED(r.a.block_count = 6, FEW_BLOCKS);
    REFUSED(r.a.blocks = bad_blocks, BAD_BLOCK);
    REFUSED((bad_blocks[6] = -1, r.a.blocks = bad_blocks), BAD_BLOCK);
    r.a = good;
    cr_expect(sf8_attend_n(&r.a, attend_room, attend_room_words - 1) == SF8_BAD_CALL);
    cr_expect(sf8_attend_at("none", &r.a, attend_room, attend_room_words) == SF8_UNKNOWN_NAME);
    sf8_attend_parted parts[2] = {{0, 1, NULL}, {1, 1, NULL}};
    cr_expect(sf8_attend_joined(&r.a, parts, 2, attend_room, attend_room_words) == SF8_BAD_CALL);
    cr_expect(sf8_attend_part(&r.a, 1, 3, NULL, attend_room, attend_room_words) == SF8_BAD_CALL);
}

Test(attend_wrong, names)
{
    static const char *const names[] = {"exact", "mma-f16", "mma-bf16"};
    sf8_status status;
    for (int i = 0; i < 3; i++) {
        cr_expect_str_eq(sf8_attend_sums_name((sf8_attend_sums)i), names[i]);
        cr_expect(sf8_attend_sums_named(names[i], &status) == (sf8_attend_sums)i);
        cr_expect(sf8_attend_sums_named(names[i], NULL) == (sf8_attend_sums)i);
        cr_expect(status == SF8_OK);
    }
    cr_expect(!sf8_attend_sums_name((sf8_attend_sums)3));
    sf8_attend_sums_named("mma", &status);
    cr_expect(status == SF8_UNKNOWN_NAME);
    cr_expect(!sf8_attend_reason(SF8_ATTEND_REASON_COUNT));
}
