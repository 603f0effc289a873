/* SPDX-License-Identifier: MIT */
/* blocks.c -- quantizes a matrix to NVFP4 and MXFP4: scales, codes, packed bytes, and back */
#include <softfp8_blocks.h>
#include <stdio.h>

enum { ROWS = 2, COLUMNS = 32, SIZE = ROWS * COLUMNS };

/* Any values: -3 to 3 in the first row, ten times as much in the second. */
static void fill(float x[SIZE])
{
    for (int i = 0; i < SIZE; i++)
        x[i] = (float)(i * 5 % 13 - 6) * (i < COLUMNS ? 0.5f : 5.0f);
}

static float largest_magnitude(const float x[SIZE])
{
    float amax = 0;
    for (int i = 0; i < SIZE; i++)
        amax = x[i] > amax ? x[i] : -x[i] > amax ? -x[i] : amax;
    return amax;
}

static void print_bytes(const char *what, const uint8_t *bytes, size_t n)
{
    printf("  %-7s", what);
    for (size_t i = 0; i < n; i++)
        printf(" %02x", bytes[i]);
    printf("\n");
}

static sf8_status show(const char *name)
{
    float x[SIZE], back[SIZE], g = 1;
    uint8_t codes[SIZE], packed[SIZE / 2], bytes[SIZE / 16];
    uint32_t scales[SIZE / 16];
    sf8_recipe recipe;
    sf8_status status = sf8_recipe_named(&recipe, name);
    if (status != SF8_OK)
        return status;
    fill(x);
    printf("%s, blocks of %d\n", name, (int)recipe.block);

    /* The global scale, one for the whole tensor. MX has none, and ignores g. */
    if (recipe.has_g != SF8_G_NONE)
        status = sf8_recipe_g(&recipe, SF8_F32, largest_magnitude(x), &g);
    if (status != SF8_OK)
        return status;
    printf("  g       %g\n", g);

    /* One code to a byte, and the code of a scale in 32 bits. */
    status = sf8_quantize_n(&recipe, codes, scales, NULL, SF8_F32, x, ROWS, COLUMNS, g);
    if (status != SF8_OK)
        return status;
    print_bytes("codes", codes, 8);

    /* As kernels store it: two codes to a byte, the first in the low half; a scale to a byte. */
    int32_t bits = (int32_t)sf8_recipe_bits(&recipe);
    size_t blocks = sf8_recipe_scale_rows(&recipe, ROWS) * sf8_recipe_blocks(&recipe, COLUMNS);
    if (ROWS * sf8_packed_size(bits, COLUMNS) > sizeof packed || blocks > sizeof bytes)
        return SF8_NO_ROOM;
    status = sf8_quantize_packed_n(&recipe, packed, bytes, SF8_F32, x, ROWS, COLUMNS, g);
    if (status != SF8_OK)
        return status;
    print_bytes("packed", packed, 8);
    print_bytes("scales", bytes, blocks);

    /* Read back: the value of each code times its scale and the global scale. */
    status = sf8_dequantize_packed_n(&recipe, SF8_F32, back, packed, bytes, ROWS, COLUMNS, g);
    if (status != SF8_OK)
        return status;
    printf("  values  %g %g %g %g\n", x[0], x[1], x[2], x[3]);
    printf("  back    %g %g %g %g\n", back[0], back[1], back[2], back[3]);
    return SF8_OK;
}

int main(void)
{
    return show("nvfp4-te") != SF8_OK || show("mxfp4-floor") != SF8_OK;
}
