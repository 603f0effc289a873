/* SPDX-License-Identifier: MIT */
/* check_blocks.c -- the block kernels: each one runs once, and what the engine refuses
 *
 * The suite's cases blocks-* compare every byte with the library.
 */
#include "device.h"
#include "expect.h"

#include <string.h>

static const gpu_kernel *kernel(const char *name)
{
    size_t count;
    const gpu_kernel *list = gpu_kernels(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    }
    printf("no kernel %s\n", name);
    exit(1);
}

/* Five rows of five blocks or ten, with linear scales and with tiles of 128 x 4. */
static void every_kernel(void)
{
    static float x[5 * 160];
    static uint8_t codes[5 * 160], scales[2048];
    double seconds;
    size_t count;
    const gpu_kernel *list = gpu_kernels(&count);
    for (size_t i = 0; i < count; i++)
        for (int tiled = 0; tiled < 2; tiled++) {
            gpu_blocks b = {.kernel = &list[i], .rows = 5, .columns = 160, .tiled = tiled, .g = 1};
            b.tensor = x;
            b.codes = codes;
            b.scales = scales;
            b.tensor_bytes = sizeof x;
            b.code_bytes = sizeof codes;
            b.scale_bytes = sizeof scales;
            const char *wrong = gpu_blocks_run(&b, &seconds);
            EXPECT(!wrong, "%s: %s", list[i].name, wrong);
        }
}

/* The sizes passed are smaller than the arrays: writing behind them is noticed. */
static void guards(void)
{
    static float x[32];
    static uint8_t codes[16], scales[2];
    double seconds;
    gpu_blocks b = {
        kernel("quantize/nvfp4-te/f32"), 1, 32, 0, 1, x, codes, scales, sizeof x, 15, 2, 0};
    const char *wrong = gpu_blocks_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "it wrote beyond its codes") == 0, "%s", wrong ? wrong : "");
    b.code_bytes = 16;
    b.scale_bytes = 1;
    wrong = gpu_blocks_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "it wrote beyond its scales") == 0, "%s", wrong ? wrong : "");
    b.scale_bytes = 2;
    EXPECT(!gpu_blocks_run(&b, &seconds), "the right sizes");
    b.kernel++;
    b.rows = (size_t)1 << 31;
    wrong = gpu_blocks_run(&b, &seconds);
    EXPECT(wrong && strcmp(wrong, "too large a matrix") == 0, "%s", wrong ? wrong : "");
    EXPECT(!gpu_copy_run(4096, 9999, 3, &seconds) && gpu_copy_run(4097, 0, 1, &seconds), "copies");
    EXPECT(gpu_source("blocks") && strlen(gpu_source("blocks")) == 64, "its source");
}

int main(void)
{
    open_device();
    every_kernel();
    guards();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
