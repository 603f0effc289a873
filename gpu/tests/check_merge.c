/* SPDX-License-Identifier: MIT */
/* check_merge.c -- the kernels that join parts of attention: launches again, and what is refused
 *
 * The suite's cases merge-device/ compare every word with the library.
 */
#include "device.h"
#include "expect.h"

#include <stdlib.h>
#include <string.h>

enum { ONE = 0x3f800000, FIVE = 0x40a00000, NAN_WORD = 0x7fc00000 };

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
    gpu_merge m = {kernel(name), parts, 1,   channels, 1, 1,    words,
                   lses,         sums,  out, &lse,     0, NULL, NULL};
    memset(out, 0x5a, sizeof out);
    lse = 0x5a5a5a5a;
    return m;
}

/* 64 equal parts of 1: their mean. */
static void check_every_kernel(void)
{
    size_t count;
    const gpu_merge_kernel *list = gpu_merges(&count);
    for (size_t i = 0; i < count; i++) {
        gpu_merge m = merge(list[i].name, 64, 1);
        for (size_t k = 0; k < 64; k++)
            words[k] = sums[k] = ONE;
        const char *wrong = gpu_merge_run(&m);
        EXPECT(!wrong && lse != 0x5a5a5a5a, "%s: %s", list[i].name, wrong ? wrong : "no lse");
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
    right[0] = NAN_WORD;
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
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        gpu_merge m = merge(table[i].name, table[i].parts, table[i].channels);
        m.rows = table[i].rows;
        m.joined = table[i].joined;
        EXPECT(gpu_merge_run(&m) != NULL && lse == 0x5a5a5a5a, "row %zu is taken", i);
    }
}

int main(void)
{
    open_device();
    check_every_kernel();
    check_again();
    check_refused();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
