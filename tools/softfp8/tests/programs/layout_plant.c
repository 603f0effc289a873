/* SPDX-License-Identifier: MIT */
/* layout_plant.c -- block-scaled codes with a mistake: layout_plant MISTAKES DATA ROWS COLUMNS
 *
 * Writes codes.bin, scales.bin, values.bin (f32) and the word of g, an encode scale, to g. MISTAKES
 * is "none" or words with "+" between them; DATA gauss, outliers, uniform (scales hardly differ),
 * noise (the codes have nothing to do with the values) or mixed (ties, zeros, tiny and large ones).
 * What was counted meanwhile is written to "counts": elements beyond the largest code, and scales
 * that are not those of the rule "floor", or codes that `truncated` changes. All of it is written
 * once more here, from the formulas: nothing of the library is used.
 */
#include "plant.h"

static size_t rows, columns;
static const char *data;
static float *x;
static uint8_t *codes;         /* in order */
static float amax, g, g_given; /* g: what the quantizer multiplies with */
static unsigned long beyond, other_scales, truncated;

/* Memory that lasts until the end. */
static void *rooms[64];
static size_t room_count;

static void *room(size_t count, size_t size)
{
    void *p = room_count < 64 ? calloc(count ? count : 1, size) : NULL;
    if (!p)
        exit(2);
    return rooms[room_count++] = p;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double e4m3(unsigned c)
{
    unsigned e = c >> 3 & 15, m = c & 7;
    double v = e ? ldexp(8 + m, (int)e - 10) : ldexp(m, -9);
    return (c & 0x7f) == 0x7f ? (double)INFINITY : c & 0x80 ? -v : v;
}

static double e5m2(unsigned c)
{
    unsigned e = c >> 2 & 31, m = c & 3;
    return e == 31 ? (double)INFINITY : e ? ldexp(4 + m, (int)e - 17) : ldexp(m, -16);
}

static double e2m1(unsigned c)
{
    static const double v[8] = {0, .5, 1, 1.5, 2, 3, 4, 6};
    return c & 8 ? -v[c & 7] : v[c & 7];
}

/* The nearest of the positive codes, a tie to the even one, beyond the last the last. */
static unsigned nearest(double (*value)(unsigned), unsigned count, double v)
{
    unsigned best = 0;
    for (unsigned c = 1; c < count; c++) {
        double d = fabs(value(c) - v), e = fabs(value(best) - v);
        if (isfinite(value(c)) && (d < e || (d == e && c % 2 == 0)))
            best = c;
    }
    return best;
}

/* ---- values ---------------------------------------------------------------------------------- */

static double gauss(void)
{
    double u = (random_bits() + 1.0) / 4294967297.0, v = random_bits() / 4294967296.0;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Rows of kinds. */
static double mixed(double v, size_t row, size_t column)
{
    switch (row % 8) {
    case 1:
        return (double)((int)(random_bits() % 25) - 12) / 2 / 0.05; /* many ties */
    case 2:
        return column < 64 ? 0 : column < 96 ? v * 1e-30 : v;
    case 3:
        return v * 1e-6;
    case 4:
        return column % 37 == 5 ? v * 400 : v;
    case 5:
        return 0;
    case 6:
        return column % 16 == 3 ? ldexp(v < 0 ? -1 : 1, (int)(column % 19) - 9) / 0.05 : v / 64;
    case 7:
        return v * ldexp(1, (int)(column / 16 * 5 % 23) - 11);
    default:
        return v;
    }
}

static void make_values(void)
{
    for (size_t i = 0; i < rows * columns; i++) {
        double v = gauss(), row = 1 + (double)(i / columns % 13) / 4;
        if (strcmp(data, "outliers") == 0)
            v *= (i % columns % 37 == 5 ? 20 : 1) * row;
        if (strcmp(data, "uniform") == 0) /* each 16 have one of about 3 */
            v = i % 16 == 7 ? 2.9 + 0.2 * (random_bits() / 4294967296.0) : 2.8 * sin(v);
        if (is("dead-blocks") && i % columns < 64)
            v = v * 1e-9;
        if (strcmp(data, "mixed") == 0)
            v = mixed(v, i / columns, i % columns);
        x[i] = (float)(v * 0.05);
        amax = fabsf(x[i]) > amax ? fabsf(x[i]) : amax;
    }
}

/* Values so that g is about as large as the mistake needs it. */
static void choose_g(void)
{
    float by = is("g-twice") ? 4032 : is("g-none") || is("g-folded") ? 54 : 0;
    for (size_t i = 0; by > 0 && i < rows * columns; i++)
        x[i] = x[i] / amax * by;
    amax = by > 0 ? by : amax;
    g = g_given = 448 * 6 / amax;
    if (is("g-inverted"))
        g_given = 1 / g;
    else if (is("g-twice"))
        g = g * g;
    else if (is("g-none"))
        g = 1;
    else if (is("g-times6"))
        g = g / 6;
    else if (is("g-over6"))
        g_given = g / 6;
    else if (is("fnuz"))
        g = g_given = g / 2;
}

/* ---- quantizing ------------------------------------------------------------------------------ */

/* The scale's code, and what it is. */
static unsigned scale_of(float most, double *s)
{
    unsigned c;
    if (is("mx") || is("kv")) {
        int exponent = 0;
        int rule = (int)floor(log2((double)most)) - (is("fp8") ? 8 : is("bf8") ? 15 : 2);
        exponent = rule;
        if (is("kv"))
            exponent = (int)ceil(log2((double)most / 6));
        if (is("log2-scale"))
            exponent = (int)rint(log2((double)most / 448));
        other_scales += exponent != rule;
        *s = ldexp(1, exponent);
        return (unsigned)(exponent + 127 + (is("e8m0-up") ? 1 : 0) - (is("e8m0-down") ? 1 : 0));
    }
    float want = most * (g * (1.0f / 6));
    if (is("int4"))
        want = want * 6 / 7;
    if (is("e5m2")) {
        c = nearest(e5m2, 128, (double)want);
        *s = e5m2(c);
    } else if (is("fnuz")) {
        c = nearest(e4m3, 128, 2 * (double)want);
        *s = e4m3(c) / 2;
    } else {
        c = nearest(e4m3, 128, (double)want);
        *s = e4m3(c);
    }
    return c;
}

/* A code of 8 bits. `lost`: without saturation. Half a step beyond the largest is beyond; with
 * scales that are rounded to nearest, a third of it, and what an approximate factor may add. */
static unsigned byte_of(float v, double s)
{
    unsigned sign = signbit(v) ? 0x80 : 0, c;
    double size = fabs((double)v / s);
    int is_beyond = size >= (is("bf8") ? 61440 : is("lost") ? 464 : 448 * 4.0 / 3 * 1.01);
    beyond += (unsigned long)is_beyond;
    c = is("bf8") ? nearest(e5m2, 0x7c, size) : nearest(e4m3, 0x7f, size);
    if (is("truncated") && e4m3(c) > size) {
        c--;
        truncated++;
    }
    if (is("lost") && is_beyond)
        c = is("bf8") ? 0x7c : 0x7f;
    return c | sign;
}

static unsigned element_of(float v, double s)
{
    if (is("fp8") || is("bf8"))
        return byte_of(v, s);
    if (is("mx") || is("kv"))
        return nearest(e2m1, 8, fabs((double)v / s)) | (signbit(v) ? 8 : 0);
    float f = 1 / ((float)s * (1 / g)), q = s == 0 ? v * 0 : v * f;
    if (is("int4"))
        return (unsigned)(int)fmax(-7, fmin(7, rint((double)q))) & 15;
    return nearest(e2m1, 8, fabs((double)q)) | (signbit(q) ? 8u : 0);
}

/* Element i of block b of a line, a row or a column. */
static size_t at(size_t line, size_t i)
{
    return is("along-columns") ? i * columns + line : line * columns + i;
}

/* Rounded to bf16, ties to even. */
static float to_bf16(float v)
{
    uint32_t word;
    memcpy(&word, &v, sizeof word);
    word = (word + 0x7fff + (word >> 16 & 1)) & 0xffff0000;
    memcpy(&v, &word, sizeof v);
    return v;
}

/* A matrix of scales; lines * across of them. */
static uint8_t *quantize(size_t *lines, size_t *across)
{
    size_t block = is("block32") || is("mx") ? 32 : 16, turned = (size_t)is("along-columns");
    size_t length = turned ? rows : columns;
    *lines = turned ? columns : rows;
    *across = (length + block - 1) / block;
    uint8_t *scales = room(*lines * *across, 1);
    for (size_t line = 0; line < *lines; line++)
        for (size_t b = 0; b < *across; b++) {
            size_t end = (b + 1) * block < length ? (b + 1) * block : length;
            float most = 0;
            double s;
            for (size_t i = b * block; i < end; i++)
                most = fmaxf(most, fabsf(x[at(line, i)]));
            unsigned c = scale_of(most, &s);
            for (size_t i = b * block; i < end; i++) {
                float v = is("from-bf16") ? to_bf16(x[at(line, i)]) : x[at(line, i)];
                codes[at(line, i)] = (uint8_t)element_of(v, s);
                if (is("decoded") && is("fp8"))
                    x[at(line, i)] = (float)(e4m3(codes[at(line, i)]) * (is("integers") ? c : s));
                else if (is("decoded"))
                    x[at(line, i)] = (float)(e2m1(codes[at(line, i)]) * s / (double)g);
                else if (is("quarter"))
                    x[at(line, i)] *= 4;
            }
            if (is("g-folded"))
                c = nearest(e4m3, 128, (double)((float)s * (1 / g)));
            if (is("sign") && random_bits() % 2)
                c |= 0x80;
            scales[line * *across + b] = (uint8_t)c;
        }
    if (!turned)
        return scales;
    /* As the elements have them: rows of blocks, a scale for each column. */
    uint8_t *other = room(*lines * *across, 1);
    for (size_t i = 0; i < *lines * *across; i++)
        other[i % *across * *lines + i / *across] = scales[i];
    *lines = *across;
    *across = columns;
    return other;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Exchanges halves, interleaves them, or the inverse of that. */
static void move_rows(uint8_t *matrix, size_t count, size_t across, const char *how)
{
    uint8_t *old = room(count * across, 1);
    memcpy(old, matrix, count * across);
    for (size_t r = 0; r < count; r++) {
        size_t to = (r + count / 2) % count;
        if (strcmp(how, "interleaved") == 0)
            to = r < count / 2 ? 2 * r : 2 * (r - count / 2) + 1;
        if (strcmp(how, "split") == 0)
            to = r % 2 ? count / 2 + r / 2 : r / 2;
        memcpy(matrix + to * across, old + r * across, across);
    }
}

static void mix_rows(uint8_t *matrix, size_t count, size_t across, const char *what)
{
    static const char *const hows[] = {"halves", "interleaved", "split"};
    for (size_t i = 0; i < 3; i++) {
        char own[32], both[32];
        snprintf(own, sizeof own, "%s-%s", what, hows[i]);
        snprintf(both, sizeof both, "both-%s", hows[i]);
        if (is(own) || is(both))
            move_rows(matrix, count, across, hows[i]);
    }
}

/* ---- scales ---------------------------------------------------------------------------------- */

static size_t up(size_t n, size_t side)
{
    return (n + side - 1) / side * side;
}

static size_t place(const char *layout, size_t across, size_t m, size_t k)
{
    size_t tiles = (across + 3) / 4;
    if (strcmp(layout, "128x4") == 0)
        return ((m >> 7) * tiles + (k >> 2)) * 512 + (m & 31) * 16 + (m >> 5 & 3) * 4 + (k & 3);
    if (strcmp(layout, "8x4") == 0)
        return ((m >> 3) * tiles + (k >> 2)) * 32 + (m & 7) * 4 + (k & 3);
    /* 4-token, as it is written for caches: t', s' */
    size_t t = m / 4 * 4 + k / (across / 4), s = k % (across / 4) * 4 + m % 4;
    return t * across + s;
}

static uint8_t *to_layout(const uint8_t *from, size_t count, size_t across, const char *layout,
                          int inverse, size_t *size)
{
    size_t side = strcmp(layout, "128x4") == 0 ? 128 : strcmp(layout, "8x4") == 0 ? 8 : 4;
    size_t all = up(count, side), wide = up(across, 4);
    uint8_t *padded = room(all * wide, 1), *out = room(all * wide, 1);
    *size = all * wide;
    for (size_t m = 0; m < count; m++)
        memcpy(padded + m * wide, from + m * across, across);
    for (size_t m = 0; m < all; m++)
        for (size_t k = 0; k < wide; k++) {
            if (inverse)
                out[m * wide + k] = padded[place(layout, wide, m, k)];
            else
                out[place(layout, wide, m, k)] = padded[m * wide + k];
        }
    return out;
}

static void save_scales(uint8_t *scales, size_t count, size_t across)
{
    static const char *const layouts[] = {"128x4", "8x4", "4-token"};
    size_t size = count * across;
    uint8_t *all = scales;
    mix_rows(all, count, across, "scales");
    if (is("turn")) {
        all = room(size, 1);
        for (size_t i = 0; i < size; i++)
            all[i % across * count + i / across] = scales[i];
        size_t swap = count;
        count = across;
        across = swap;
    }
    for (size_t i = 0; i < 3; i++) {
        char inverse[32];
        snprintf(inverse, sizeof inverse, "inverse-%s", layouts[i]);
        if (is(layouts[i]) || is(inverse))
            all = to_layout(all, count, across, layouts[i], is(inverse), &size);
    }
    if (is("twice-128x4")) {
        all = to_layout(all, count, across, "128x4", 0, &size);
        all = to_layout(all, up(count, 128), up(across, 4), "128x4", 0, &size);
    }
    if (is("padded")) {
        uint8_t *wide = room(count * up(across, 4), 1);
        for (size_t i = 0; i < size; i++)
            wide[i / across * up(across, 4) + i % across] = all[i];
        all = wide;
        size = count * up(across, 4);
    }
    save("scales.bin", all, size);
}

/* ---- codes ----------------------------------------------------------------------------------- */

static void save_codes(void)
{
    static const size_t awq[8] = {0, 2, 4, 6, 1, 3, 5, 7};
    size_t count = rows * columns, block = is("block32") || is("mx") ? 32 : 16;
    uint8_t *list = room(count, 1), *packed = room(count / 2, 1);
    mix_rows(codes, rows, columns, "codes");
    for (size_t i = 0; i < count; i++) { /* the i-th nibble */
        size_t k = i;
        if (is("high-first"))
            k = i ^ 1;
        else if (is("reversed"))
            k = i / 8 * 8 + 7 - i % 8;
        else if (is("awq"))
            k = i / 8 * 8 + awq[i % 8];
        else if (is("halves"))
            k = i / block * block + i % block / 2 + (i % 2 ? block / 2 : 0);
        size_t r = k / columns, c = k % columns;
        if (is("packed-columns")) {
            r = k / 2 / columns * 2 + k % 2;
            c = k / 2 % columns;
        } else if (is("transposed")) {
            r = k % rows;
            c = k / rows;
        }
        list[i] = codes[r * columns + c];
        if (strcmp(data, "noise") == 0)
            list[i] = random_bits() % 16;
    }
    if (is("fp8") || is("bf8")) {
        save("codes.bin", list, count);
        return;
    }
    for (size_t i = 0; i < count / 2; i++)
        packed[i] = (uint8_t)(list[2 * i] | list[2 * i + 1] << 4);
    save("codes.bin", packed, count / 2);
}

int main(int argc, char **argv)
{
    size_t lines, across;
    if (argc != 5)
        return 2;
    mistakes = argv[1];
    data = argv[2];
    rows = strtoul(argv[3], NULL, 10);
    columns = strtoul(argv[4], NULL, 10);
    x = room(rows * columns, sizeof *x);
    codes = room(rows * columns, 1);
    make_values();
    choose_g();
    uint8_t *scales = quantize(&lines, &across);
    save_scales(scales, lines, across);
    save_codes();
    save("values.bin", x, rows * columns * sizeof *x);
    uint32_t word;
    memcpy(&word, &g_given, sizeof word);
    char text[64];
    save("g", text, (size_t)snprintf(text, sizeof text, "0x%08x", (unsigned)word));
    save("counts", text,
         (size_t)snprintf(text, sizeof text, "%lu %lu", beyond,
                          is("truncated") ? truncated : other_scales));
    while (room_count > 0)
        free(rooms[--room_count]);
    return 0;
}
