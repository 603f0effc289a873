/* SPDX-License-Identifier: MIT */
/* check_mma_miss.c -- an instruction that follows another rule than its unit: named, with fewest
 * terms
 *
 * The rows and the results by the other rule are written out. The device is a table of them: 1 +
 * 2^-13 is 3f800400, and 1 if one bit less is kept; 1 - 1 + 2^-13 is 39000000, and then 0.
 */
#include "families/mma/mma.h"
#include "checks.h"

#include <stdio.h>
#include <string.h>

/* The sum of those of 1 * 1, -1 * 1, 2^-6 * 2^-7 and 2^-9 * 2^-9 that are in the row, with 12 bits
 * kept below the largest term. Codes are given as the unit takes them. */
static uint32_t device(void *context, const mma_result *row)
{
    const unsigned char *a = row->x.a, *b = row->x.b;
    int plus = a[0] == 0x38 && b[0] == 0x38, minus = a[1] == 0xb8 && b[1] == 0x38;
    int small = a[5] == 0x08 && b[5] == 0x04, least = a[9] == 0x01 && b[9] == 0x01;
    ++*(int *)context;
    if (plus || minus)
        return plus && minus ? 0 : plus ? 0x3f800000 : 0xbf800000;
    return small ? 0x39000000 : least ? 0x36800000 : 0;
}

static void hold(const char *name, unsigned char sign)
{
    mma_run_state r;
    char text[CONFORM_LONG];
    int calls = 0;
    size_t count;
    const gpu_mma *list = gpu_mmas(&count);
    memset(&r, 0, sizeof r);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            r.mma = &list[i];
    check(r.mma != NULL, "no such instruction", name);
    if (!r.mma || sf8_mma_named(&r.unit, r.mma->unit, SF8_E4M3, SF8_E4M3, SF8_F32) != SF8_OK)
        return;
    r.misses = 4;
    for (size_t i = 0; i < r.misses; i++) {
        gpu_mma_miss *m = &r.miss[i];
        memset(m->a, sign, sizeof m->a);
        m->a[0] ^= 0x38;
        m->b[0] = 0x38;
        m->a[5] ^= 0x08;
        m->b[5] = 0x04;
        m->a[9] ^= 0x01;
        m->b[9] = 0x01;
        if (i % 2) {
            m->a[1] ^= 0xb8;
            m->b[1] = 0x38;
        }
        m->got = i % 2 ? 0 : 0x3f800000;
        m->right = i % 2 ? 0x39000000 : 0x3f800400;
    }
    mma_tell_misses(&r, device, &calls, text, sizeof text);
    check(strstr(text, "fraction=12 explains all 4 rows, the unit 0") == text, "the rule", text);
    check(strstr(text, "; with 2 terms: 3800000000080000000000") != NULL, "the fewest terms", text);
    check(strstr(text, " 00000000 gives 3f800000, not 3f800400") != NULL, "the words", text);
    check(calls > 0, "the device is asked", name);
}

int main(void)
{
    hold("wgmma.m64n64k32/e4m3.e4m3/f32/ss", 0);
    hold("wgmma.m64n8k32/e4m3.e4m3/f32/ss/neg-a", 0x80);
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
