/* SPDX-License-Identifier: MIT */
/* attend_stub.c -- attention in float by plain loops, right or wrong in one way: replaces another
 * library in the tests of attend-libs
 *
 * It shares nothing with the library that is tested; a Python module, attend_stub.py, loads it.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int64_t batch, queries, keys, heads, kv_heads, dim, causal;
} shape;

enum { KEYS_MOST = 200000, DIM_MOST = 256 };

static const char *mode;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Elements of 4 bytes are f32, of 2 bytes bf16, of 1 byte e4m3; -1 means e5m2, the upper half of
 * f16. */
static float read_word(const void *words, int64_t i, int64_t width)
{
    float x;
    uint32_t bits;
    if (width == -1) {
        int code = ((const uint8_t *)words)[i], exponent = code >> 2 & 31, mantissa = code & 3;
        x = exponent ? ldexpf((float)(4 + mantissa), exponent - 17) : ldexpf((float)mantissa, -16);
        x = (code & 127) > 124 ? NAN : (code & 127) == 124 ? INFINITY : x;
        x = code & 128 ? -x : x;
    } else if (width == 4) {
        memcpy(&x, (const char *)words + 4 * i, 4);
    } else if (width == 2) {
        uint16_t half;
        memcpy(&half, (const char *)words + 2 * i, 2);
        bits = (uint32_t)half << 16;
        memcpy(&x, &bits, 4);
    } else {
        int code = ((const uint8_t *)words)[i], exponent = code >> 3 & 15, mantissa = code & 7;
        x = exponent ? ldexpf((float)(8 + mantissa), exponent - 10) : ldexpf((float)mantissa, -9);
        x = (code & 127) == 127 ? NAN : x;
        x = code & 128 ? -x : x;
    }
    return x;
}

static float to_bf16(float x, int cut)
{
    uint32_t bits;
    if (isnan(x))
        return x;
    memcpy(&bits, &x, 4);
    bits += cut ? 0 : 0x7fff + (bits >> 16 & 1);
    bits &= 0xffff0000;
    memcpy(&x, &bits, 4);
    return x;
}

static float to_four_bits(float x)
{
    int exponent;
    float mantissa = frexpf(x, &exponent);
    return ldexpf(rintf(mantissa * 16), exponent - 4);
}

static void write_word(void *words, int64_t i, int64_t width, float x, int cut)
{
    uint32_t bits;
    x = width == 2 ? to_bf16(x, cut) : x;
    memcpy(&bits, &x, 4);
    uint16_t half = (uint16_t)(bits >> 16);
    if (width == 4)
        memcpy((char *)words + 4 * i, &bits, 4);
    else
        memcpy((char *)words + 2 * i, &half, 2);
}

/* ---- one query ------------------------------------------------------------------------------- */

static float q[DIM_MOST], weight[KEYS_MOST], acc[DIM_MOST];
static float spilt; /* left over from the previous query, in the mode where that leaks */

static int takes_part(const shape *s, int64_t i, int64_t j)
{
    int64_t last = s->keys - s->queries + i;
    if (is("tail") && s->keys > 2000 && j == s->keys - 1)
        return 0;
    if (is("tiles") && s->keys > 16 && j >= s->keys - s->keys % 16)
        return 0;
    if (is("upper"))
        last = i;
    if (is("one-more"))
        last++;
    return !s->causal || j <= last;
}

/* Keys from `first` to end - 1: acc, and the log of the sum. */
static float part(const shape *s, int64_t at[3], const void *kw, const void *vw, int64_t width,
                  const float scale[3], int64_t first, int64_t end)
{
    const int64_t kv = is("turns") ? at[2] % s->kv_heads : at[2] / (s->heads / s->kv_heads);
    const float by_k = is("k-scale") ? 1 : scale[1], by_v = is("v-scale") ? 1 : scale[2];
    float most = -INFINITY, sum = 0;
    int any = 0;
    for (int64_t j = first; j < end; j++) {
        float dot = 0;
        int64_t row = ((at[0] * s->keys + j) * s->kv_heads + kv) * s->dim;
        for (int64_t c = 0; c < s->dim; c++)
            dot += q[c] * read_word(kw, row + c, width) * by_k;
        weight[j] = dot * (is("scale") ? 1 : scale[0]);
        if (is("hides") && isnan(weight[j]))
            weight[j] = -INFINITY;
        if (!takes_part(s, at[1], j))
            weight[j] = is("added") ? weight[j] + -INFINITY : -INFINITY;
        most = weight[j] > most ? weight[j] : most;
        any |= !(weight[j] <= -INFINITY);
    }
    for (int64_t c = 0; c < s->dim; c++)
        acc[c] = is("leaks") ? 0 * spilt : 0;
    if (!any)
        return -INFINITY;
    for (int64_t j = first; j < end; j++) {
        float p = expf(weight[j] - most);
        if (is("four-bits"))
            p = to_four_bits(p);
        int64_t row = ((at[0] * s->keys + j) * s->kv_heads + kv) * s->dim;
        sum += p;
        if (p <= 0)
            continue;
        for (int64_t c = 0; c < s->dim; c++)
            acc[c] += p * read_word(vw, row + c, width) * by_v;
    }
    for (int64_t c = 0; c < s->dim; c++)
        acc[c] /= sum;
    return most + logf(sum);
}

/* Two halves, each rounded to bf16, joined by their sums. */
static float parts(const shape *s, int64_t at[3], const void *kw, const void *vw, int64_t width,
                   const float scale[3])
{
    float half[DIM_MOST], first = part(s, at, kw, vw, width, scale, 0, s->keys / 2);
    for (int64_t c = 0; c < s->dim; c++)
        half[c] = to_bf16(acc[c], 0);
    float second = part(s, at, kw, vw, width, scale, s->keys / 2, s->keys);
    float most = first > second ? first : second;
    float a = expf(first - most), b = expf(second - most);
    for (int64_t c = 0; c < s->dim; c++)
        acc[c] = ((a > 0 ? a * half[c] : 0) + (b > 0 ? b * to_bf16(acc[c], 0) : 0)) / (a + b);
    return most + logf(a + b);
}

__attribute__((visibility("default"))) void
attend_stub(const char *how, const int64_t sizes[7], const int64_t width[3], const float scale[3],
            const void *qw, const void *kw, const void *vw, void *out, float *lse);

/* width: of q, of k and v, of out. scale: of scores, of k, of v. */
void attend_stub(const char *how, const int64_t sizes[7], const int64_t width[3],
                 const float scale[3], const void *qw, const void *kw, const void *vw, void *out,
                 float *lse)
{
    const shape s = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6]};
    mode = how;
    const int cut = is("cut");
    spilt = 0;
    for (int64_t row = 0; row < s.batch * s.queries * s.heads; row++) {
        int64_t at[3] = {row / s.heads / s.queries, row / s.heads % s.queries, row % s.heads};
        for (int64_t c = 0; c < s.dim; c++)
            q[c] = read_word(qw, row * s.dim + c, width[0]);
        lse[row] = is("parts") && s.keys > 1 ? parts(&s, at, kw, vw, width[1], scale)
                                             : part(&s, at, kw, vw, width[1], scale, 0, s.keys);
        if (is("base2"))
            lse[row] *= 1.44269504f;
        spilt = acc[0];
        for (int64_t c = 0; c < s.dim; c++)
            write_word(out, row * s.dim + c, width[2], acc[c], cut);
    }
}
