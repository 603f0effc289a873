/* SPDX-License-Identifier: MIT */
/* attend_plant.c -- attention with a mistake: attend_plant MISTAKE KEYS [SCORES VALUES [SEED]]
 *
 * Writes q.npy (3 tokens, 4 heads of 64), k.npy and v.npy (KEYS tokens, 2 heads), all f32, out.npy
 * and lse.npy, which have the mistake: one of the words below, or "none". All of it is computed
 * here in doubles from the formula: nothing of the library is used.
 *
 *     causal+1 causal-1 no-mask    drop64      scores-base2 no-scale   interleaved
 *     v-half v-double v-more       skip17 nan  lse2         p-e4m3     f16 bf16
 *
 * "tail" has inputs of its own: the score of the first key is 0, of all others -7, and every value
 * is 1.
 *
 * With SCORES and VALUES, keys and values are numbers of e4m3, and these are factors of the scores
 * and of the output: those of a kernel that takes scales wrongly. "noise" is an output of random
 * numbers, of the standard deviation VALUES.
 */
#include "plant.h"

enum { QUERIES = 3, HEADS = 4, KV_HEADS = 2, DIM = 64, KEYS_MOST = 4096 };

static float q[QUERIES * HEADS * DIM], k[KEYS_MOST * KV_HEADS * DIM], v[KEYS_MOST * KV_HEADS * DIM];
static float out[QUERIES * HEADS * DIM], lse[QUERIES * HEADS];
static double scores = 1, values = 1;
static size_t keys;

/* About normal: the sum of twelve. */
static float normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)random_bits() * 0x1p-32;
    return (float)sum;
}

static void put(const char *path, const char *descr, const char *shape, const void *words,
                size_t size)
{
    static char file[128 + sizeof k] = "\x93NUMPY\x01\x00\x76";
    int n = 10 + snprintf(file + 10, 118,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    memset(file + n, ' ', 127 - (size_t)n);
    file[127] = '\n';
    memcpy(file + 128, words, size);
    save(path, file, 128 + size);
}

/* Rounded to that many bits of mantissa, to nearest even; exponents have no end. */
static double narrow(double x, int bits)
{
    int exponent;
    double m = frexp(x, &exponent);
    return x == 0 ? 0 : ldexp(nearbyint(ldexp(m, bits)), exponent - bits);
}

static double e4m3(double x)
{
    return fabs(x) < 0x1p-6 ? nearbyint(x * 512) / 512 : narrow(x, 4);
}

/* A weight as e4m3 has it, 2^8 times too large as kernels do that. */
static double weight_e4m3(double p)
{
    return e4m3(p * 256) / 256;
}

static void row(size_t i, size_t h)
{
    static double p[KEYS_MOST];
    const size_t kv = is("interleaved") ? h % KV_HEADS : h / (HEADS / KV_HEADS);
    double most = -INFINITY, sum = 0, scale = 1 / sqrt(DIM);
    size_t n = keys - QUERIES + i + 1;
    n = is("causal+1") && n < keys ? n + 1 : is("causal-1") ? n - 1 : n;
    n = is("no-mask") ? keys : n;
    n = is("drop64") && n > keys / 64 * 64 ? keys / 64 * 64 : n;
    if (is("no-scale"))
        scale = 1;
    if (is("scores-base2"))
        scale *= log(2);
    scale *= scores;
    for (size_t j = 0; j < n; j++) {
        double dot = 0;
        for (size_t d = 0; d < DIM; d++)
            dot += (double)q[(i * HEADS + h) * DIM + d] * (double)k[(j * KV_HEADS + kv) * DIM + d];
        p[j] = is("skip17") && j == 17 ? -INFINITY : dot * scale;
        most = p[j] > most ? p[j] : most;
    }
    for (size_t j = 0; j < n; j++) {
        p[j] = exp(p[j] - most);
        sum += p[j];
        if (is("p-e4m3"))
            p[j] = weight_e4m3(p[j]);
    }
    lse[i * HEADS + h] = (float)((most + log(sum)) * (is("lse2") ? 1 / log(2) : 1));
    for (size_t c = 0; c < DIM; c++) {
        double o = 0;
        for (size_t j = 0; j < n; j++)
            o += p[j] * (double)v[(j * KV_HEADS + kv) * DIM + c];
        o /= sum;
        o *= is("v-half") ? 0.5 : is("v-double") ? 2 : is("v-more") ? 1.02 : 1;
        o = is("noise") ? (double)normal() : o;
        out[(i * HEADS + h) * DIM + c] = (float)(o * values);
    }
}

/* One channel of queries and keys counts. */
static void take_tail(void)
{
    memset(q, 0, sizeof q);
    memset(k, 0, sizeof k);
    for (size_t i = 0; i < QUERIES * HEADS; i++)
        q[i * DIM] = 1;
    for (size_t i = 0; i < keys * KV_HEADS * DIM; i++)
        v[i] = 1;
    for (size_t i = KV_HEADS; i < keys * KV_HEADS; i++)
        k[i * DIM] = -7 * 8; /* the scale of scores is 1/8 */
}

static void put_halves(const char *path)
{
    static uint16_t half[QUERIES * HEADS * DIM];
    for (size_t i = 0; i < QUERIES * HEADS * DIM; i++) {
        float x = (float)narrow((double)out[i], is("f16") ? 11 : 8);
        uint32_t word;
        memcpy(&word, &x, 4);
        half[i] = (uint16_t)(word >> 16);
        if (is("f16") && fabsf(x) < 0x1p-14f)
            half[i] = (uint16_t)((word >> 31) << 15 |
                                 (uint32_t)nearbyint(fabs((double)x) * 0x1p24));
        else if (is("f16"))
            half[i] = (uint16_t)((word >> 31) << 15 | (((word >> 13) - 0x1c000) & 0x7fff));
    }
    put(path, is("f16") ? "<f2" : "<u2", "3, 4, 64", half, sizeof half);
}

int main(int argc, char **argv)
{
    char shape[64];
    int stored = argc >= 5;
    if ((argc != 3 && argc != 5 && argc != 6) || (keys = (size_t)atoi(argv[2])) < QUERIES + 1 ||
        keys > KEYS_MOST)
        return 2;
    mistakes = argv[1];
    scores = stored ? strtod(argv[3], NULL) : 1;
    values = stored ? strtod(argv[4], NULL) : 1;
    seed += argc == 6 ? strtoull(argv[5], NULL, 10) << 20 : 0;
    for (size_t i = 0; i < QUERIES * HEADS * DIM; i++)
        q[i] = (is("small") ? 0x1p-9F : 2) * normal();
    for (size_t i = 0; i < keys * KV_HEADS * DIM; i++) {
        k[i] = stored ? (float)e4m3((double)normal()) : normal();
        v[i] = stored ? (float)e4m3((double)normal()) : normal();
    }
    if (is("tail"))
        take_tail();
    for (size_t i = 0; i < QUERIES; i++)
        for (size_t h = 0; h < HEADS; h++)
            row(i, h);
    if (is("nan"))
        out[HEADS * DIM + 5] = NAN;
    snprintf(shape, sizeof shape, "%zu, 2, 64", keys);
    put("q.npy", "<f4", "3, 4, 64", q, sizeof q);
    put("k.npy", "<f4", shape, k, keys * KV_HEADS * DIM * sizeof *k);
    put("v.npy", "<f4", shape, v, keys * KV_HEADS * DIM * sizeof *v);
    put("lse.npy", "<f4", "3, 4", lse, sizeof lse);
    if (is("f16") || is("bf16"))
        put_halves("out.npy");
    else
        put("out.npy", "<f4", "3, 4, 64", out, sizeof out);
    return 0;
}
