/* SPDX-License-Identifier: MIT */
/* layout_float_plant.c -- FP8 codes with scales of f32 or bf16: layout_float_plant WORDS ROWS
 * COLUMNS
 *
 * Writes codes.bin, scales.bin and values.bin (f32). WORDS are the blocks (squares128, squares64,
 * groups128, rows, all), `powers` for scales of e8m0, and mistakes, with "+" between them. With
 * half-amax the scale of a row is that of its first half; "counts" has the elements that are then
 * beyond the largest code, and the scales that are too small. All of it is written once more here,
 * from the formulas: nothing of the library is used.
 */
#include "plant.h"

enum { MOST = 1 << 18 };

static size_t rows, columns, high, wide, down, across;
static float x[MOST], scale[MOST];
static unsigned beyond, small;
static uint8_t codes[MOST], turned[MOST];

/* e4m3, or e4m3fnuz, which has half as much. */
static double value_of(unsigned c)
{
    unsigned e = c >> 3 & 15, m = c & 7;
    double v = e ? ldexp(8 + m, (int)e - 10) : ldexp(m, -9);
    return is("fnuz") ? v / 2 : v;
}

static unsigned nearest(double v)
{
    unsigned best = 0, most = is("fnuz") ? 127 : 126;
    for (unsigned c = 1; c <= most; c++) {
        double d = fabs(value_of(c) - v), e = fabs(value_of(best) - v);
        if (d < e || (d == e && c % 2 == 0))
            best = c;
    }
    return best;
}

static uint16_t to_bf16(float v)
{
    uint32_t word;
    memcpy(&word, &v, sizeof word);
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

static void choose_blocks(void)
{
    high = is("squares128") ? 128 : is("squares64") ? 64 : is("all") ? rows : 1;
    wide = is("squares128") || is("groups128") ? 128 : is("squares64") ? 64 : columns;
    down = (rows + high - 1) / high;
    across = (columns + wide - 1) / wide;
}

/* Each block has values of its own size, so that no scale can stand for another. */
static void make_values(void)
{
    for (size_t i = 0; i < rows * columns; i++) {
        size_t block = i / columns / high * across + i % columns / wide;
        double size = 0.01 * pow(1.37, (double)(block * 7 % 31));
        x[i] = (float)(size * ((int32_t)random_bits() / 2147483648.0));
        if (is("lost") && i % columns >= columns / 2)
            x[i] *= 1.5f;
        if (!is("half-amax") || i % columns < columns / 2)
            scale[block] = fmaxf(scale[block], fabsf(x[i]));
    }
}

static void count(void)
{
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = row * columns; i < (row + 1) * columns; i++)
            beyond += (double)fabsf(x[i]) > (is("lost") ? 464 : 1.01 * 448) * (double)scale[row];
        for (size_t i = row * columns; i < (row + 1) * columns; i++) {
            if ((double)fabsf(x[i]) > 448 * (double)scale[row] * (1 + 1e-6)) {
                small++;
                break;
            }
        }
    }
}

static void quantize(void)
{
    for (size_t b = 0; b < down * across; b++) {
        scale[b] /= is("fnuz") ? 240 : 448;
        if (is("powers"))
            scale[b] = (float)ldexp(1, (int)ceil(log2((double)scale[b])));
    }
    for (size_t i = 0; i < rows * columns; i++) {
        float s = scale[i / columns / high * across + i % columns / wide];
        double size = fabs((double)(x[i] / s));
        unsigned c = is("lost") && size >= 464 ? 0x7f : nearest(size);
        codes[i] = (uint8_t)(c | (x[i] < 0 ? 0x80 : 0));
        if (is("decoded"))
            x[i] = (float)((x[i] < 0 ? -1 : 1) * value_of(codes[i] & 0x7f) * (double)s);
        turned[i % columns * rows + i / columns] = codes[i];
    }
}

/* Scales of e8m0; with `words` four of a row are a word, and words lie column by column. */
static void save_powers(void)
{
    static uint8_t bytes[MOST];
    size_t high_words = (down + 3) / 4 * 4, size = down * across;
    for (size_t b = 0; b < down * across; b++) {
        size_t r = b / across, c = b % across, to = b;
        if (is("words"))
            to = 4 * (c / 4 * high_words + r) + c % 4;
        bytes[to] = (uint8_t)(127 + (int)log2((double)scale[b]));
    }
    if (is("words"))
        size = high_words * ((across + 3) / 4 * 4);
    save("scales.bin", bytes, size);
}

static void save_scales(void)
{
    static float stored[MOST];
    static uint16_t halves[MOST];
    for (size_t b = 0; b < down * across; b++) {
        size_t to = is("turn") ? b % across * down + b / across : b;
        stored[to] = is("inverted") ? 1 / scale[b] : scale[b];
        halves[to] = to_bf16(stored[to]);
    }
    if (is("bf16"))
        save("scales.bin", halves, sizeof halves[0] * down * across);
    else
        save("scales.bin", stored, sizeof stored[0] * down * across);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    mistakes = argv[1];
    rows = (size_t)strtoul(argv[2], NULL, 10);
    columns = (size_t)strtoul(argv[3], NULL, 10);
    if (rows * columns == 0 || rows * columns > MOST)
        return 2;
    choose_blocks();
    make_values();
    quantize();
    save("values.bin", x, sizeof x[0] * rows * columns);
    save("codes.bin", is("codes-turned") ? turned : codes, rows * columns);
    if (is("powers"))
        save_powers();
    else
        save_scales();
    if (is("half-amax")) {
        char text[64];
        count();
        save("counts", text, (size_t)snprintf(text, sizeof text, "%u %u", beyond, small));
    }
    return 0;
}
