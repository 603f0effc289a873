/* SPDX-License-Identifier: MIT */
/* check_blocks.c -- the block kernels on this processor: bytes by hand, places, what is not written
 *
 * The suite's cases blocks-* hold the kernels against the library. Here are a few literals, so that
 * the two cannot be wrong in the same way, and what the engine says of faults.
 */
#include "device.h"
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
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

static void same_bytes(const char *what, const uint8_t *came, const char *right)
{
    char text[256] = "";
    for (size_t i = 0; 3 * i < strlen(right); i++)
        snprintf(text + 3 * i, sizeof text - 3 * i, "%02x ", came[i]);
    text[strlen(right)] = '\0';
    EXPECT(strcmp(text, right) == 0, "%s: %s, not %s", what, text, right);
}

/* A row of f32 to codes and linear scales. */
static void quantize(const char *name, const float *x, size_t columns, float g, uint8_t *codes,
                     size_t code_bytes, uint8_t *scales, size_t scale_bytes)
{
    double seconds;
    float copy[64];
    memcpy(copy, x, columns * sizeof x[0]);
    gpu_blocks b = {kernel(name),          1,          columns,     0, g, copy, codes, scales,
                    columns * sizeof x[0], code_bytes, scale_bytes, 0};
    const char *wrong = gpu_blocks_run(&b, &seconds);
    EXPECT(!wrong, "%s: %s", name, wrong);
}

/* What a stack's own conversion, with IEEE reciprocals, makes of this block; ties among them. */
static void nvfp4_by_hand(void)
{
    static const float x[16] = {.25f, -.5f, .75f, 1, -1.5f, 2,      2.5f,  -3,
                                3.5f, 4,    -5,   6, 0,     -.125f, 5.25f, -0.0f};
    static const char *const names[] = {"quantize/nvfp4-te/f32", "quantize/nvfp4-vllm/f32"};
    for (size_t i = 0; i < 2; i++) {
        uint8_t codes[8], scales[1];
        quantize(names[i], x, 16, 448, codes, 8, scales, 1);
        same_bytes(names[i], scales, "7e");
        same_bytes(names[i], codes, "90 22 4b d4 66 7e 80 87");
        quantize(names[i], x, 3, 448, codes, 2, scales, 1); /* the largest is 0.75: 448 / 8 = 56 */
        same_bytes(names[i], scales, "66");
        same_bytes(names[i], codes, "e4 07"); /* 2, -4, 6 of 1/8 each; and the empty half */
    }
}

/* The scales of amax / 2^-127 and so on, from OCP MX 1.0: 1.75 has the exponent 0, so floor gives
 * 2^-2 and the code 7 stands for 1.5; even goes one further, and so does rceil. */
static void mx_by_hand(void)
{
    static const struct {
        const char *name, *scale, *codes;
    } rows[] = {
        {"quantize/mxfp4-floor/f32", "7d", "f7 0c"}, /* 7, -7 saturate; -2, 0 */
        {"quantize/mxfp4-even/f32", "7e", "e6 0a"},  /* 3.5 to 4; -1 */
        {"quantize/mxfp4-ceil/f32", "7e", "e6 0a"},
        {"quantize/mxfp4-rceil/f32", "7e", "e6 0a"},
    };
    static const float x[4] = {1.75f, -1.75f, -0.5f, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t codes[2], scales[1];
        quantize(rows[i].name, x, 4, 1, codes, 2, scales, 1);
        same_bytes(rows[i].name, scales, rows[i].scale);
        same_bytes(rows[i].name, codes, rows[i].codes);
    }
    static const float y[2] = {448, -1e-9f};
    uint8_t codes[2], scales[1];
    quantize("quantize/mxfp8-e4m3-floor/f32", y, 2, 1, codes, 2, scales, 1);
    same_bytes("mxfp8", scales, "7f");
    same_bytes("mxfp8", codes, "7e 80");
}

/* A row of 5 blocks in tiles of 128 x 4: 0 to 3 and 512; all else is padding. */
static void places(void)
{
    static uint16_t x[80];
    static uint8_t codes[40], scales[1024];
    double seconds;
    size_t others = 0;
    for (size_t i = 0; i < 80; i++)
        x[i] = 0x40c0; /* bf16 6 */
    gpu_blocks b = {kernel("quantize/nvfp4-te/bf16"),
                    1,
                    80,
                    1,
                    1,
                    x,
                    codes,
                    scales,
                    sizeof x,
                    sizeof codes,
                    sizeof scales,
                    0};
    const char *wrong = gpu_blocks_run(&b, &seconds);
    EXPECT(!wrong, "%s", wrong);
    for (size_t i = 0; i < 1024; i++)
        others += i > 3 && i != 512 && scales[i] != 0;
    same_bytes("row 0", scales, "38 38 38 38");
    same_bytes("its fifth", scales + 512, "38");
    EXPECT(others == 0, "%zu places are not padded", others);
    same_bytes("codes", codes, "77 77 77 77");
}

/* 1.5 and -6 of a scale of 2, g 4: the value is e s / g. NaN scales give the NaN of each tensor. */
static void back_by_hand(void)
{
    static uint8_t codes[8] = {0xf3, 0x80}, scales[1] = {0x40};
    static uint16_t x[16];
    static float y[16];
    double seconds;
    gpu_blocks b = {
        kernel("dequantize/nvfp4-te/bf16"), 1, 16, 0, 4, x, codes, scales, sizeof x, 8, 1, 0};
    EXPECT(!gpu_blocks_run(&b, &seconds), "bf16");
    EXPECT(x[0] == 0x3f40 && x[1] == 0xc040 && x[2] == 0 && x[3] == 0x8000, "%x %x %x %x", x[0],
           x[1], x[2], x[3]);
    b.kernel = kernel("dequantize/nvfp4-te/f32");
    b.tensor = y;
    b.tensor_bytes = sizeof y;
    EXPECT(!gpu_blocks_run(&b, &seconds), "f32");
    EXPECT(y[0] == 0.75f && y[1] == -3.0f && y[2] == 0, "%g %g", (double)y[0], (double)y[1]);
    scales[0] = 0xff;
    b.kernel = kernel("dequantize/nvfp4-te/f16");
    b.tensor = x;
    b.tensor_bytes = sizeof x;
    EXPECT(!gpu_blocks_run(&b, &seconds), "f16");
    EXPECT(x[0] == 0x7e00 && x[1] == 0x7e00, "%x %x", x[0], x[1]);
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
    nvfp4_by_hand();
    mx_by_hand();
    places();
    back_by_hand();
    guards();
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
