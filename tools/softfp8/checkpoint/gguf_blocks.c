/* SPDX-License-Identifier: MIT */
/* gguf_blocks.c -- the blocks of ggml's types, as ggml-common.h lays them out and gguf-py reads
 * them
 */
#include "checkpoint/gguf_blocks.h"
#include "softfp8_blocks.h"

#include <string.h>

/* A scale that is not there; in f32 at byte 0; in four nibbles. */
enum { NONE = -1, WIDE = -2, NIBBLES = -3 };

/* ---- values ---------------------------------------------------------------------------------- */

/* The code of 4 bits of element i, where byte j of each `half` has the elements j and j + half. */
static int nibble(const uint8_t *codes, int i, int half)
{
    int part = i / (2 * half), j = i % (2 * half);
    return codes[half * part + j % half] >> (j < half ? 0 : 4) & 15;
}

/* That of 2 bits, where byte j of 32 has the elements j, j + 32, j + 64 and j + 96. */
static int pair(const uint8_t *codes, int i)
{
    return codes[32 * (i / 128) + i % 32] >> 2 * (i / 32 % 4) & 3;
}

/* Bit i of 32, byte by byte. */
static int bit(const uint8_t *bits, int i)
{
    return bits[i / 8] >> i % 8 & 1;
}

static void q5_0(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    (void)m;
    for (int i = 0; i < 32; i++) {
        x[i] = d * (float)((nibble(b + 6, i, 16) | bit(b + 2, i) << 4) - 16);
        gaps[i] = d;
    }
}

static void q5_1(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    for (int i = 0; i < 32; i++) {
        x[i] = d * (float)(nibble(b + 8, i, 16) | bit(b + 4, i) << 4) + m;
        gaps[i] = d;
    }
}

static void q8(const uint8_t *codes, int count, float d, float *x, float *gaps)
{
    for (int i = 0; i < count; i++) {
        x[i] = d * (float)(codes[i] - (codes[i] > 127 ? 256 : 0));
        gaps[i] = d;
    }
}

static void q8_1(const uint8_t *b, float d, float sum, float *x, float *gaps)
{
    (void)sum;
    q8(b + 4, 32, d, x, gaps);
}

static void q8_k(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    (void)m;
    q8(b + 4, 256, d, x, gaps);
}

static void q2_k(const uint8_t *b, float d, float dmin, float *x, float *gaps)
{
    for (int i = 0; i < 256; i++) {
        gaps[i] = d * (float)(b[i / 16] & 15);
        x[i] = gaps[i] * (float)pair(b + 16, i) - dmin * (float)(b[i / 16] >> 4);
    }
}

static void q3_k(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    const uint8_t *scales = b + 96;
    (void)m;
    for (int i = 0; i < 256; i++) {
        int s = i / 16, low = s < 8 ? scales[s] & 15 : scales[s - 8] >> 4;
        int high = scales[8 + s % 4] >> 2 * (s / 4) & 3;
        int code = pair(b + 32, i) - (b[i % 32] >> i / 32 & 1 ? 0 : 4);
        gaps[i] = d * (float)((low | high << 4) - 32);
        x[i] = gaps[i] * (float)code;
    }
}

/* The scale and the minimum of 32 elements of Q4_K and Q5_K, of 6 bits each. */
static void scale_min(const uint8_t *q, int s, int *scale, int *min)
{
    *scale = s < 4 ? q[s] & 63 : (q[s + 4] & 15) | q[s - 4] >> 6 << 4;
    *min = s < 4 ? q[s + 4] & 63 : q[s + 4] >> 4 | q[s] >> 6 << 4;
}

static void q45_k(const uint8_t *b, const uint8_t *codes, const uint8_t *bits, float d, float dmin,
                  float *x, float *gaps)
{
    for (int i = 0; i < 256; i++) {
        int scale, min, code = nibble(codes, i, 32);
        scale_min(b + 4, i / 32, &scale, &min);
        code |= bits ? (bits[i % 32] >> i / 32 & 1) << 4 : 0;
        gaps[i] = d * (float)scale;
        x[i] = gaps[i] * (float)code - dmin * (float)min;
    }
}

static void q4_k(const uint8_t *b, float d, float dmin, float *x, float *gaps)
{
    q45_k(b, b + 16, NULL, d, dmin, x, gaps);
}

static void q5_k(const uint8_t *b, float d, float dmin, float *x, float *gaps)
{
    q45_k(b, b + 48, b + 16, d, dmin, x, gaps);
}

static void q6_k(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    (void)m;
    for (int i = 0; i < 256; i++) {
        int scale = b[192 + i / 16] - (b[192 + i / 16] > 127 ? 256 : 0);
        gaps[i] = d * (float)scale;
        x[i] = gaps[i] * (float)((nibble(b, i, 64) | pair(b + 128, i) << 4) - 32);
    }
}

static const int8_t iq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                               1,    13,   25,  38,  53,  69,  89,  113};
enum { IQ4_GAP = 24 }; /* the widest of them */

static void iq4_nl(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    (void)m;
    for (int i = 0; i < 32; i++) {
        gaps[i] = d * (float)IQ4_GAP;
        x[i] = d * (float)iq4[nibble(b + 2, i, 16)];
    }
}

static void iq4_xs(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    int high = b[2] | b[3] << 8;
    (void)m;
    for (int i = 0; i < 256; i++) {
        int s = i / 32, scale = (b[4 + s / 2] >> 4 * (s % 2) & 15) | (high >> 2 * s & 3) << 4;
        float unit = d * (float)(scale - 32);
        gaps[i] = unit * (float)IQ4_GAP;
        x[i] = unit * (float)iq4[nibble(b + 8, i, 16)];
    }
}

static void tq2_0(const uint8_t *b, float d, float m, float *x, float *gaps)
{
    (void)m;
    for (int i = 0; i < 256; i++) {
        gaps[i] = d;
        x[i] = d * (float)(pair(b, i) - 1);
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

/* A negative d is only wrong where the quantizers make none: not where d is that of the element
 * with the largest magnitude and its sign, and not where it was not looked up. */
static const gguf_block blocks[] = {
    {"Q8_0", 1, 0, NONE, NONE, NULL},  {"Q4_0", 1, 1, NONE, NONE, NULL},
    {"Q4_1", 1, 0, NONE, NONE, NULL},  {"MXFP4", 1, 0, NONE, NONE, NULL},
    {"NVFP4", 1, 0, NONE, NONE, NULL}, {"Q5_0", 0, 1, 0, NONE, q5_0},
    {"Q5_1", 0, 0, 0, 2, q5_1},        {"Q8_1", 0, 0, 0, 2, q8_1},
    {"Q2_K", 0, 0, 80, 82, q2_k},      {"Q3_K", 0, 1, 108, NONE, q3_k},
    {"Q4_K", 0, 0, 0, 2, q4_k},        {"Q5_K", 0, 0, 0, 2, q5_k},
    {"Q6_K", 0, 1, 208, NONE, q6_k},   {"Q8_K", 0, 1, WIDE, NONE, q8_k},
    {"IQ4_NL", 0, 1, 0, NONE, iq4_nl}, {"IQ4_XS", 0, 1, 0, NONE, iq4_xs},
    {"TQ2_0", 0, 1, 64, NONE, tq2_0},  {"TQ1_0", 0, 1, 52, NONE, NULL},
    {"IQ1_S", 0, 1, 0, NONE, NULL},    {"IQ1_M", 0, 1, NIBBLES, NONE, NULL},
    {"IQ2_XXS", 0, 1, 0, NONE, NULL},  {"IQ2_XS", 0, 1, 0, NONE, NULL},
    {"IQ2_S", 0, 1, 0, NONE, NULL},    {"IQ3_XXS", 0, 1, 0, NONE, NULL},
    {"IQ3_S", 0, 1, 0, NONE, NULL},    {"Q1_0", 0, 1, 0, NONE, NULL},
    {"Q2_0", 0, 1, 0, NONE, NULL}};

const gguf_block *gguf_block_of(const safetensor *t)
{
    for (size_t i = 0; gguf_row(t) && i < sizeof blocks / sizeof blocks[0]; i++)
        if (strcmp(blocks[i].type, t->dtype) == 0)
            return &blocks[i];
    return NULL;
}

static uint32_t f32_of(uint32_t f16)
{
    return (uint32_t)sf8_convert(SF8_F32, SF8_F16, f16, SF8_OCP_NOSAT);
}

static uint32_t half_at(const uint8_t *b, int at)
{
    return at < 0 ? 0 : f32_of((uint32_t)(b[at] | b[at + 1] << 8));
}

void gguf_block_scales(const gguf_block *b, const uint8_t *block, uint32_t *d, uint32_t *second)
{
    *second = half_at(block, b->second);
    *d = half_at(block, b->d);
    if (b->d == WIDE)
        *d = block[0] | (uint32_t)block[1] << 8 | (uint32_t)block[2] << 16 |
             (uint32_t)block[3] << 24;
    if (b->d == NIBBLES) /* IQ1_M: the high nibbles of four words, at the end */
        *d = f32_of((uint32_t)(block[49] >> 4 | (block[51] >> 4) << 4 | (block[53] >> 4) << 8 |
                               (block[55] >> 4) << 12));
}
