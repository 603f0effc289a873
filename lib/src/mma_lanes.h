/* SPDX-License-Identifier: MIT */
/* mma_lanes.h -- one sum for each column of a tile, by the vectors that a level has; no guard
 *
 * SF8_LANES columns are done side by side, with the compiler's own vectors; SF8_TARGET says for
 * which processor, SF8_LEVEL(name) how the function is called there.
 *
 * The numbers are floats, and no operation on them rounds: a product of two codes has 22 bits,
 * times a power of two it becomes a multiple of the quantum and a rest, and the conversion to an
 * integer, which is always toward zero, cuts off the rest. So neither MXCSR nor a compiler's
 * liberties with floats can change a bit. Exponents are below 2^6 in magnitude (sf8_mma_fits), so
 * that nothing is subnormal or infinite.
 *
 *     e_max     the largest sum of two exponents, or that of the accumulator
 *     term      (int) (a * b * 2^(fraction - e_max))
 *     sum       of at most 33 terms below 2^(fraction + 2): an int where fraction <= 16, and exact
 *               as a float; else two ints of half the terms each, added as doubles
 *     result    the sum with all but its leading bits cleared, times 2^(e_max - fraction)
 */
#define SF8_LANE_TYPE(name) SF8_LEVEL(name)
typedef float SF8_LANE_TYPE(floats) __attribute__((vector_size(4 * SF8_LANES)));
typedef int32_t SF8_LANE_TYPE(ints) __attribute__((vector_size(4 * SF8_LANES)));
typedef double SF8_LANE_TYPE(doubles) __attribute__((vector_size(8 * SF8_LANES)));
typedef int64_t SF8_LANE_TYPE(longs) __attribute__((vector_size(8 * SF8_LANES)));
#define SF8_FLOATS SF8_LANE_TYPE(floats)
#define SF8_INTS SF8_LANE_TYPE(ints)
#define SF8_DOUBLES SF8_LANE_TYPE(doubles)
#define SF8_LONGS SF8_LANE_TYPE(longs)

SF8_TARGET static void SF8_LEVEL(sums)(const sf8_mma_tile *t, const float *a, const int32_t *a_exp,
                                       uint32_t *c)
{
    const int32_t half = t->length / 2;
    const int64_t clear = ~((INT64_C(1) << (52 - t->kept)) - 1);
    const int32_t clear_short = ~((1 << (23 - t->kept)) - 1);
    for (int32_t column = 0; column < SF8_TILE_COLUMNS; column += SF8_LANES) {
        SF8_INTS word, e, exponent, higher;
        SF8_FLOATS b;
        memcpy(&word, c + column, sizeof word);
        SF8_INTS magnitude = word & 0x7fffffff;
        SF8_INTS top = (magnitude >> 23) - 127;
        top -= (SF8_INTS)(magnitude == 0) & 100;
        for (int32_t k = 0; k < t->length; k++) {
            memcpy(&e, t->b_exp[k] + column, sizeof e);
            e += a_exp[k];
            higher = e > top;
            top = (e & higher) | (top & ~higher);
        }
        /* All terms are zero where it is so low, and any quantum does. */
        higher = top > -60;
        exponent = (top & higher) | (-60 & ~higher);
        SF8_FLOATS scale = (SF8_FLOATS)((127 + t->fraction - exponent) << 23);
        SF8_FLOATS back = (SF8_FLOATS)((127 - t->fraction + exponent) << 23);
        SF8_INTS sum = __builtin_convertvector((SF8_FLOATS)word * scale, SF8_INTS);
        SF8_INTS other = sum - sum, first = other;
        for (int32_t k = 0; k < half; k++) {
            memcpy(&b, t->b[k] + column, sizeof b);
            first += __builtin_convertvector(b * a[k] * scale, SF8_INTS);
            memcpy(&b, t->b[k + half] + column, sizeof b);
            other += __builtin_convertvector(b * a[k + half] * scale, SF8_INTS);
        }
        SF8_FLOATS result;
        if (t->fraction <= 16) {
            result = __builtin_convertvector(sum + first + other, SF8_FLOATS);
            result = (SF8_FLOATS)((SF8_INTS)result & clear_short);
        } else {
            SF8_DOUBLES all = __builtin_convertvector(sum, SF8_DOUBLES) +
                              __builtin_convertvector(first, SF8_DOUBLES) +
                              __builtin_convertvector(other, SF8_DOUBLES);
            all = (SF8_DOUBLES)((SF8_LONGS)all & clear);
            result = __builtin_convertvector(all, SF8_FLOATS);
        }
        result *= back;
        memcpy(c + column, &result, sizeof result);
    }
}

#undef SF8_FLOATS
#undef SF8_INTS
#undef SF8_DOUBLES
#undef SF8_LONGS
#undef SF8_LANE_TYPE
