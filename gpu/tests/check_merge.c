/* SPDX-License-Identifier: MIT */
/* check_merge.c -- the kernels that join parts on this processor: words that are known, copies,
 * what is refused
 *
 * The suite's cases merge-device/ hold the kernels against the library. Here are the words that
 * glibc's expf and logf give by each stack's formula, and what is infinite or NaN by its text
 * (lib/tests/attend/test_f32_merge.c has them with their derivations), so that the two cannot be wrong in
 * the same way.
 */
#include "device.h"
#include "expect.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define N 0x7fc00000u
#define INF 0x7f800000u
#define EMPTY 0xff800000u

enum {
    ONE = 0x3f800000,
    TWO = 0x40000000,
    THREE = 0x40400000,
    FIVE = 0x40a00000,
    VLLM = 1,
    TRITON = 2,
    FLASHINFER = 4,
    FA3 = 8,
    STATES = 16,
    BASE_E = VLLM | TRITON | FA3,
    ALL = BASE_E | FLASHINFER | STATES
};

static const gpu_merge_kernel *kernel(const char *name)
{
    size_t count;
    const gpu_merge_kernel *list = gpu_merges(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    printf("no kernel %s\n", name);
    exit(1);
}

static uint32_t words[64 * 4], lses[64], sums[64], out[4], lse;

static gpu_merge merge(const char *name, size_t parts, size_t channels)
{
    gpu_merge m = {kernel(name), parts, 1, channels, 1, 1, words, lses, sums, out, &lse, 0, NULL, NULL};
    memset(out, 0x5a, sizeof out);
    lse = 0x5a5a5a5a;
    return m;
}

/* ---- two parts, whose outputs are 1 and 2 ---------------------------------------------------- */

static const struct {
    unsigned rules;
    uint32_t lse_a, lse_b, out, lse;
} rows[] = {
    {BASE_E, 0, 0, 0x3fc00000, 0x3f317218},
    {FLASHINFER | STATES, 0, 0, 0x3fc00000, ONE},
    {BASE_E, FIVE, 0, 0x3f80db50, 0x40a03703},
    {BASE_E, 0, FIVE, 0x3fff24b1, 0x40a03703},
    {FLASHINFER, FIVE, 0, 0x3f83e0f8, 0x40a16bad},
    {ALL, 0x42b00000, 0, ONE, 0x42b00000},
    {ALL, EMPTY, THREE, TWO, THREE},
    {ALL, THREE, EMPTY, ONE, THREE},
    {ALL, 0x7149f2ca, 0xf149f2ca, ONE, 0x7149f2ca},
    {VLLM, EMPTY, EMPTY, ONE, EMPTY},
    {TRITON | FLASHINFER | FA3, EMPTY, EMPTY, 0, EMPTY},
    {VLLM | TRITON, INF, THREE, TWO, THREE},
    {VLLM | TRITON, THREE, INF, ONE, THREE},
    {FLASHINFER, INF, THREE, 0, N},
    {FA3, INF, THREE, 0, N},
    {VLLM | TRITON, N, THREE, N, N},
    {VLLM | TRITON, THREE, N, N, N},
    {VLLM, N, EMPTY, ONE, EMPTY},
    {FLASHINFER, N, THREE, TWO, THREE},
    {FLASHINFER, THREE, N, ONE, THREE},
    {FA3, N, THREE, 0, N},
    {FA3, THREE, N, 0, N},
};

static const struct {
    const char *f32, *bf16;
    unsigned rule;
} rules[] = {
    {"merge/vllm/f32", "merge/vllm/bf16", VLLM},
    {"merge/vllm-triton/f32", "merge/vllm-triton/bf16", TRITON},
    {"merge/flashinfer/f32", "merge/flashinfer/bf16", FLASHINFER},
    {"merge/fa3/f32", "merge/fa3/bf16", FA3},
    {"merge/flashinfer-states/f32", "merge/flashinfer-states/bf16", STATES},
};

static uint16_t rounded(uint32_t word)
{
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

static void check_golden(void)
{
    static const uint16_t halves[2] = {0x3f80, 0x4000};
    for (size_t r = 0; r < COUNT(rules); r++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            gpu_merge m = merge(rules[r].f32, 2, 1);
            if (!(rows[i].rules & rules[r].rule))
                continue;
            words[0] = ONE;
            words[1] = TWO;
            lses[0] = rows[i].lse_a;
            lses[1] = rows[i].lse_b;
            const char *wrong = gpu_merge_run(&m);
            EXPECT(!wrong && out[0] == rows[i].out && lse == rows[i].lse,
                   "%s of %08x and %08x: %08x, lse %08x", rules[r].f32, lses[0], lses[1], out[0],
                   lse);
            m = merge(rules[r].bf16, 2, 1);
            m.part_out = halves;
            wrong = gpu_merge_run(&m);
            uint16_t right = rows[i].out == N ? 0x7fc0 : rounded(rows[i].out), got;
            memcpy(&got, out, sizeof got);
            EXPECT(!wrong && got == right && lse == rows[i].lse, "%s of %08x and %08x: %04x",
                   rules[r].bf16, lses[0], lses[1], got);
        }
}

/* Which product is rounded; without fma both are. */
static void check_fma(void)
{
    static const uint32_t table[][5] = {
        {0x3f810000, 0x42c00000, 0x3fd260dd, 0x3fd260de, 0x3fd260de},
        {0x3f820000, 0x42c00000, 0x3fd35f27, 0x3fd35f26, 0x3fd35f26},
        {ONE, 0x42f10000, 0x3fe65fb4, 0x3fe65fb5, 0x3fe65fb4},
        {ONE, 0x42ff0000, 0x3fec5ee2, 0x3fec5ee3, 0x3fec5ee2},
    };
    for (size_t i = 0; i < COUNT(table); i++)
        for (int way = 0; way < 4; way++) {
            gpu_merge m = merge(way % 2 ? "merge/fa3/f32" : "merge/vllm/f32", 2, 1);
            m.fuse = way < 2;
            memcpy(words, table[i], 8);
            lses[0] = FIVE;
            lses[1] = 0;
            const char *wrong = gpu_merge_run(&m);
            EXPECT(!wrong && out[0] == table[i][way < 2 ? 2 + way : 4], "%zu %d: %08x", i, way,
                   out[0]);
        }
}

/* ---- more parts ------------------------------------------------------------------------------ */

/* n equal parts of 1, lse 0, sums 1: their mean, and log n; partitions have 1e-6 more to divide by.
 */
static void check_equal(void)
{
    static const struct {
        const char *name;
        uint32_t out, lse;
    } table[] = {
        {"merge/fa3/f32", ONE, 0x40851592},               /* 6 log 2 */
        {"merge/flashinfer-states/f32", ONE, 0x40c00000}, /* 6 */
        {"merge/segments/f32", ONE, 0x40851592},
        {"merge/partitions/f32", ONE, 0x40851592},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        gpu_merge m = merge(table[i].name, 64, 1);
        for (size_t k = 0; k < 64; k++) {
            words[k] = strstr(table[i].name, "partitions") || !m.kernel->sums ? ONE : TWO;
            sums[k] = m.kernel->sums && words[k] == TWO ? TWO : ONE;
            lses[k] = 0;
        }
        uint32_t log = sums[0] == TWO ? 0x409b43d5 : table[i].lse; /* 7 log 2 */
        const char *wrong = gpu_merge_run(&m);
        EXPECT(!wrong && out[0] == table[i].out && lse == log, "%s: %08x, lse %08x", table[i].name,
               out[0], lse);
    }
}

/* A NaN in the part that has no key: seen, but by FlashAttention-3, which leaves it out. */
static void check_nan(void)
{
    for (size_t r = 0; r < COUNT(rules); r++)
        for (size_t parts = 2; parts <= 64; parts += 31) {
            gpu_merge m = merge(rules[r].f32, parts, 2);
            for (size_t k = 0; k < parts; k++) {
                words[2 * k] = k == 1 ? N : ONE;
                words[2 * k + 1] = ONE;
                lses[k] = k == 0 ? FIVE : EMPTY;
            }
            const char *wrong = gpu_merge_run(&m);
            EXPECT(!wrong && out[0] == (rules[r].rule == FA3 ? ONE : N) && out[1] == ONE,
                   "%s of %zu: %08x %08x", rules[r].f32, parts, out[0], out[1]);
        }
}

/* ---- copies; what is refused ----------------------------------------------------------------- */

static void check_copies(void)
{
    static const uint32_t suffix[4] = {0x80000000, 0xffc12345, 0x7f812345, 1};
    for (size_t r = 0; r < COUNT(rules); r++) {
        gpu_merge m = merge(rules[r].f32, 2, 4);
        m.joined = 0;
        for (size_t c = 0; c < 4; c++)
            words[c] = N;
        memcpy(words + 4, suffix, sizeof suffix);
        lses[0] = FIVE;
        lses[1] = 0xff812345;
        const char *wrong = gpu_merge_run(&m);
        EXPECT(!wrong && memcmp(out, suffix, sizeof suffix) == 0 && lse == 0xff812345,
               "%s copies: %08x %08x, lse %08x", rules[r].f32, out[0], out[1], lse);
    }
}

/* Further launches change nothing. A result that is not right is returned as it is. */
static void check_again(void)
{
    gpu_merge m = merge("merge/vllm/f32", 2, 1);
    words[0] = words[1] = ONE;
    lses[0] = lses[1] = FIVE;
    EXPECT(!gpu_merge_run(&m), "two equal parts");
    uint32_t right[2] = {out[0], lse};
    m.right_out = &right[0];
    m.right_lse = &right[1];
    for (m.times = 1; m.times <= 3; m.times++) {
        out[0] = lse = 0;
        const char *wrong = gpu_merge_run(&m);
        EXPECT(!wrong && out[0] == right[0] && lse == right[1], "%d launches more: %08x, lse %08x",
               m.times, out[0], lse);
    }
    const uint32_t came = right[0];
    right[0] = N;
    EXPECT(!gpu_merge_run(&m) && out[0] == came, "a launch that is not right: %08x", out[0]);
}

static void check_refused(void)
{
    static const struct {
        const char *name;
        size_t parts, rows, channels, joined;
    } table[] = {
        {"merge/vllm/f32", 0, 1, 1, 1},
        {"merge/vllm/f32", 65, 1, 1, 1},
        {"merge/vllm/f32", 2, 1, 1, 2},
        {"merge/segments/f32", 3, 1, 1, 1},
        {"merge/vllm/f32", 2, 0, 1, 0},
        {"merge/vllm/f32", 2, 1, 0, 1},
        {"merge/fa3/bf16", 2, 1u << 20, 1u << 10, 1},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        gpu_merge m = merge(table[i].name, table[i].parts, table[i].channels);
        m.rows = table[i].rows;
        m.joined = table[i].joined;
        EXPECT(gpu_merge_run(&m) != NULL && lse == 0x5a5a5a5a, "row %zu is taken", i);
    }
}

int main(void)
{
    open_device();
    check_golden();
    check_fma();
    check_equal();
    check_nan();
    check_copies();
    check_again();
    check_refused();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
