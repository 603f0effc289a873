/* SPDX-License-Identifier: MIT */
/* mma_columns.h -- a row of a tile, all columns in parallel; included once for each level
 *
 * SF8_LANES columns are computed at once, with the compiler's own vectors.
 *
 * The numbers are floats, and no operation on them rounds. A product of two significands has 22
 * bits. Times a power of two it is a multiple of the quantum plus a rest, and the conversion to an
 * integer, which is always toward zero, removes the rest. In no order of the three factors does a
 * product overflow (see SF8_TILE_LEAST). So neither MXCSR nor compiler flags for floats can change
 * a bit. A result that becomes subnormal is below any quantum and is removed.
 *
 *     top       the largest exponent of all products and of the accumulator
 *     term      (int) (a * b * 2^(fraction - top)), the exponents of a and b included
 *     sum       of at most 33 terms below 2^(fraction + 2): two ints of half the products each, and
 *               the accumulator
 *     result    the sum times 2^(top - fraction), truncated or rounded to its last bit
 */
#if SF8_HAS_VECTORS

#define SF8_HALF (SF8_LANES / 2)
typedef int16_t SF8_MMA(shorts) __attribute__((vector_size(4 * SF8_LANES)));
typedef int16_t SF8_MMA(few_shorts) __attribute__((vector_size(2 * SF8_LANES)));
typedef int32_t SF8_MMA(few_ints) __attribute__((vector_size(4 * SF8_HALF)));
typedef float SF8_MMA(few_floats) __attribute__((vector_size(4 * SF8_HALF)));
typedef double SF8_MMA(doubles) __attribute__((vector_size(8 * SF8_HALF)));
typedef int64_t SF8_MMA(longs) __attribute__((vector_size(8 * SF8_HALF)));
typedef uint64_t SF8_MMA(ulongs) __attribute__((vector_size(8 * SF8_HALF)));
#define SF8_SHORTS SF8_MMA(shorts)
#define SF8_FEW_SHORTS SF8_MMA(few_shorts)
#define SF8_FEW_INTS SF8_MMA(few_ints)
#define SF8_FEW_FLOATS SF8_MMA(few_floats)
#define SF8_DOUBLES SF8_MMA(doubles)
#define SF8_LONGS SF8_MMA(longs)
#define SF8_ULONGS SF8_MMA(ulongs)
#define SF8_CONVERT(x, type) __builtin_convertvector(x, type)
/* a where the mask is all ones, else b. */
#define SF8_CHOOSE(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
/* 2^x as floats, and as doubles. */
#define SF8_POWER(x) ((SF8_F)(((x) + 127) << 23))
#define SF8_LONG_POWER(x) ((SF8_DOUBLES)(((x) + 1023) << 52))

SF8_ON_FN SF8_SHORTS SF8_MMA(larger)(SF8_SHORTS a, SF8_SHORTS b)
{
    return (SF8_SHORTS)SF8_ON(larger16)((SF8_U)a, (SF8_U)b);
}

/* ---- products -------------------------------------------------------------------------------- */

/* The largest exponents of 2 * SF8_LANES columns, of at least those at top. */
SF8_ON_FN void SF8_MMA(exponents)(const sf8_mma_tile *t, int32_t set, size_t row, int32_t column,
                                  int16_t *top)
{
    const int16_t *a = t->a_exp[row];
    SF8_SHORTS e, most;
    memcpy(&most, top, sizeof most);
    memcpy(&e, t->b_floor[set] + column, sizeof e);
    most = SF8_MMA(larger)(most, e);
    most = SF8_MMA(larger)(most, (e - e) + t->a_floor[set][row]);
    for (int32_t k = set * t->count; k < (set + 1) * t->count; k++) {
        memcpy(&e, t->b_exp[k] + column, sizeof e);
        most = SF8_MMA(larger)(most, e + a[k]);
    }
    memcpy(top, &most, sizeof most);
}

/* Exponents limited to the range of a scale: beyond these bounds the products are zeros. */
SF8_ON_FN SF8_I SF8_MMA(moderate)(SF8_I top)
{
    SF8_I low = top<SF8_TILE_LEAST, high = top> SF8_TILE_LARGEST;
    top = SF8_CHOOSE(low, (top - top) + SF8_TILE_LEAST, top);
    return SF8_CHOOSE(high, (top - top) + SF8_TILE_LARGEST, top);
}

/* The sums of SF8_LANES columns of `values`: one power of two for all products of a sum. */
SF8_ON_FN void SF8_MMA(values)(const sf8_mma_tile *t, int32_t k, size_t row, int32_t column,
                               SF8_I top, sf8_mma_partial *p)
{
    const float *a = t->a[row];
    const int32_t half = t->count / 2;
    SF8_F scale = SF8_POWER(t->fraction - SF8_MMA(moderate)(top)), b;
    SF8_I first = top - top, other = first;
    for (int32_t end = k + half; k < end; k++) {
        memcpy(&b, t->b[k] + column, sizeof b);
        first += SF8_CONVERT(b * a[k] * scale, SF8_I);
        memcpy(&b, t->b[k + half] + column, sizeof b);
        other += SF8_CONVERT(b * a[k + half] * scale, SF8_I);
    }
    memcpy(p->first + column, &first, sizeof first);
    memcpy(p->other + column, &other, sizeof other);
}

/* The same for `parts`: each product has its own power of two; below 2^-60 it contributes
 * nothing. */
SF8_ON_FN void SF8_MMA(parts)(const sf8_mma_tile *t, int32_t k, size_t row, int32_t column,
                              SF8_I top, sf8_mma_partial *p)
{
    const SF8_I least = (top - top) - 60;
    const int32_t half = t->count / 2;
    SF8_I sum[2] = {top - top, top - top}, base = t->fraction - top;
    for (int32_t end = k + half; k < end; k++)
        for (int32_t i = 0; i < 2; i++) {
            SF8_FEW_SHORTS e;
            SF8_F b;
            memcpy(&e, t->b_exp[k + i * half] + column, sizeof e);
            memcpy(&b, t->b[k + i * half] + column, sizeof b);
            SF8_I shift = SF8_CONVERT(e, SF8_I) + t->a_exp[row][k + i * half] + base;
            SF8_I low = shift < least;
            sum[i] += SF8_CONVERT(
                b * t->a[row][k + i * half] * SF8_POWER(SF8_CHOOSE(low, least, shift)), SF8_I);
        }
    memcpy(p->first + column, &sum[0], sizeof sum[0]);
    memcpy(p->other + column, &sum[1], sizeof sum[1]);
}

SF8_TARGET static void SF8_MMA(products)(const sf8_mma_tile *t, int32_t set, size_t row,
                                         sf8_mma_partial *p)
{
    for (int32_t column = 0; column < t->columns; column += SF8_LANES) {
        SF8_FEW_SHORTS top;
        if (column % (2 * SF8_LANES) == 0)
            SF8_MMA(exponents)(t, set, row, column, p->top + column);
        memcpy(&top, p->top + column, sizeof top);
        if (t->way == SF8_TILE_VALUES)
            SF8_MMA(values)(t, set * t->count, row, column, SF8_CONVERT(top, SF8_I), p);
        else
            SF8_MMA(parts)(t, set * t->count, row, column, SF8_CONVERT(top, SF8_I), p);
    }
}

/* ---- accumulators ---------------------------------------------------------------------------- */

/* The signed significand and the exponent; that of zero is the unit's. */
SF8_ON_FN SF8_I SF8_MMA(split)(const sf8_mma_tile *t, SF8_I word, SF8_I *e)
{
    const int32_t one = 1 << t->man, below = one - 1;
    SF8_I magnitude = word & t->mag_mask, field = magnitude >> t->man;
    SF8_I subnormal = field == 0, zero = magnitude == 0;
    SF8_I negative = (word & t->sign) != 0;
    SF8_I part = (magnitude & below) | (~subnormal & one);
    *e = SF8_CHOOSE(zero, (zero - zero) + t->zero, (field - subnormal) - t->bias);
    return (part ^ negative) - negative;
}

SF8_ON_FN SF8_I SF8_MMA(special)(const sf8_mma_tile *t, SF8_I word)
{
    return (word & t->mag_mask) >= (t->mag_mask >> t->man << t->man);
}

/* The exponents of accumulators are lower bounds of the largest exponent. */
SF8_ON_FN void SF8_MMA(begin)(const sf8_mma_tile *t, const uint32_t *c, int16_t *top)
{
    for (int32_t column = 0; column < t->columns; column += SF8_LANES) {
        SF8_I word, e;
        memcpy(&word, c + column, sizeof word);
        (void)SF8_MMA(split)(t, word, &e);
        SF8_FEW_SHORTS narrow = SF8_CONVERT(e, SF8_FEW_SHORTS);
        memcpy(top + column, &narrow, sizeof narrow);
    }
}

/* The accumulators' terms. */
SF8_ON_FN SF8_I SF8_MMA(terms)(const sf8_mma_tile *t, SF8_I word, SF8_I top)
{
    SF8_I e, part = SF8_MMA(split)(t, word, &e), least = (e - e) - 60;
    SF8_I shift = e - top + (t->fraction - t->man), low = shift < least;
    return SF8_CONVERT(SF8_CONVERT(part, SF8_F) * SF8_POWER(SF8_CHOOSE(low, least, shift)), SF8_I);
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* total * 2^e, rounded to a bit pattern of the result. */
SF8_ON_FN SF8_FEW_INTS SF8_MMA(rounded)(const sf8_mma_tile *t, const sf8_mma_rounding *r,
                                        SF8_DOUBLES total, SF8_LONGS e)
{
    const int64_t least = 1 - t->bias, beyond = (int64_t)(t->mag_mask >> t->man) << t->man;
    SF8_DOUBLES value = total * SF8_LONG_POWER(e);
    SF8_LONGS bits = (SF8_LONGS)value, none = e - e;
    SF8_LONGS negative = (bits < 0) & (SF8_LONGS)(total != 0);
    bits &= INT64_MAX;
    SF8_LONGS at = (bits >> 52) - 1023, low = at < least;
    at = SF8_CHOOSE(low, none + least, at);
    SF8_DOUBLES scaled = (SF8_DOUBLES)bits * SF8_LONG_POWER(r->kept - at);
    SF8_FEW_INTS steps = SF8_CONVERT(scaled, SF8_FEW_INTS);
    SF8_DOUBLES rest = scaled - SF8_CONVERT(steps, SF8_DOUBLES);
    SF8_LONGS whole = SF8_CONVERT(steps, SF8_LONGS);
    SF8_LONGS up = (SF8_LONGS)(rest > 0.5) | ((SF8_LONGS)(rest == 0.5) & -(whole & 1));
    whole -= up & -(int64_t)r->nearest;
    whole = (whole + ((at - least) << r->kept)) << r->shift;
    SF8_LONGS over = whole > beyond;
    whole = SF8_CHOOSE(over, none + beyond, whole);
    negative &= ~((whole == 0) & -(int64_t)r->positive);
    return SF8_CONVERT(whole | (negative & (int64_t)t->sign), SF8_FEW_INTS);
}

/* The results of SF8_LANES columns from their sums. */
SF8_ON_FN SF8_I SF8_MMA(any)(const sf8_mma_tile *t, SF8_I top, SF8_I term, const sf8_mma_partial *p,
                             int32_t column)
{
    uint32_t words[SF8_LANES];
    SF8_I e = top - t->fraction, all;
    for (int32_t i = 0; i < SF8_LANES; i += SF8_HALF) {
        SF8_FEW_INTS first, other, c, exponent;
        memcpy(&first, p->first + column + i, sizeof first);
        memcpy(&other, p->other + column + i, sizeof other);
        memcpy(&c, (const char *)&term + 4 * i, sizeof c);
        memcpy(&exponent, (const char *)&e + 4 * i, sizeof exponent);
        SF8_DOUBLES total = SF8_CONVERT(first, SF8_DOUBLES) + SF8_CONVERT(other, SF8_DOUBLES) +
                            SF8_CONVERT(c, SF8_DOUBLES);
        SF8_FEW_INTS word = SF8_MMA(rounded)(t, &t->sum, total, SF8_CONVERT(exponent, SF8_LONGS));
        memcpy(words + i, &word, sizeof word);
    }
    memcpy(&all, words, sizeof all);
    return all;
}

/* The same toward zero, where all results are normal numbers: they are truncated directly. */
SF8_ON_FN SF8_I SF8_MMA(normal)(const sf8_mma_tile *t, SF8_I top, SF8_I term,
                                const sf8_mma_partial *p, int32_t column)
{
    float results[SF8_LANES];
    const int32_t clear = ~((1 << (23 - t->sum.kept)) - 1);
    const int64_t clear_long = ~((INT64_C(1) << (52 - t->sum.kept)) - 1);
    SF8_F all;
    SF8_I first, other;
    if (t->fraction <= 16) { /* below 2^24 */
        memcpy(&first, p->first + column, sizeof first);
        memcpy(&other, p->other + column, sizeof other);
        all = SF8_CONVERT(term + first + other, SF8_F);
        all = (SF8_F)((SF8_I)all & clear);
    } else {
        for (int32_t i = 0; i < SF8_LANES; i += SF8_HALF) {
            SF8_FEW_INTS one, two, c;
            memcpy(&one, p->first + column + i, sizeof one);
            memcpy(&two, p->other + column + i, sizeof two);
            memcpy(&c, (const char *)&term + 4 * i, sizeof c);
            SF8_DOUBLES sum = SF8_CONVERT(one, SF8_DOUBLES) + SF8_CONVERT(two, SF8_DOUBLES) +
                              SF8_CONVERT(c, SF8_DOUBLES);
            sum = (SF8_DOUBLES)((SF8_LONGS)sum & clear_long);
            SF8_FEW_FLOATS short_sum = SF8_CONVERT(sum, SF8_FEW_FLOATS);
            memcpy(results + i, &short_sum, sizeof short_sum);
        }
        memcpy(&all, results, sizeof all);
    }
    /* An exact zero may come as -0. */
    SF8_I zero = (SF8_I)(all == 0);
    return (SF8_I)(all * SF8_POWER(SF8_MMA(moderate)(top) - t->fraction)) & ~zero;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* A group of the columns from `column` on: its sum times both scales, and its exponent. */
SF8_ON_FN void SF8_MMA(group)(const sf8_mma_tile *t, int32_t g, size_t row, int32_t column,
                              int32_t *wholes, int32_t *exponents)
{
    SF8_SHORTS sum, any, b;
    memset(&sum, 0, sizeof sum);
    any = sum;
    for (int32_t k = 0; k < SF8_TILE_GROUP; k++) {
        memcpy(&b, t->b_whole[g][k] + column, sizeof b);
        b *= t->a_whole[row][g][k];
        any |= b;
        sum += b;
    }
    any = any != 0;
    for (int32_t i = 0; i < 2 * SF8_LANES; i += SF8_LANES) {
        SF8_FEW_SHORTS part, scale, e, some;
        memcpy(&part, (const char *)&sum + 2 * i, sizeof part);
        memcpy(&some, (const char *)&any + 2 * i, sizeof some);
        memcpy(&scale, t->b_scale[g] + column + i, sizeof scale);
        memcpy(&e, t->b_scale_exp[g] + column + i, sizeof e);
        scale *= t->a_scale[row][g];
        SF8_I whole = SF8_CONVERT(part, SF8_I) * SF8_CONVERT(scale, SF8_I);
        SF8_I is = SF8_CONVERT(some & (scale != 0), SF8_I);
        SF8_I exponent = SF8_CONVERT(e, SF8_I) + t->a_scale_exp[row][g];
        exponent = SF8_CHOOSE(is, exponent, (is - is) + t->zero);
        memcpy(wholes + i, &whole, sizeof whole);
        memcpy(exponents + i, &exponent, sizeof exponent);
    }
}

/* A term's magnitude, aligned and truncated at 2^(top - fraction). */
SF8_ON_FN SF8_LONGS SF8_MMA(cut)(SF8_LONGS part, int32_t up, SF8_LONGS down)
{
    SF8_LONGS negative = part<0, far = down> 63;
    SF8_ULONGS magnitude = (SF8_ULONGS)((part ^ negative) - negative) << up;
    part = (SF8_LONGS)(magnitude >> (SF8_ULONGS)SF8_CHOOSE(far, (far - far) + 63, down));
    return (part ^ negative) - negative;
}

/* Sums of groups; results that `left` marks keep the values of c. */
SF8_ON_FN void SF8_MMA(grouped)(const sf8_mma_tile *t, size_t row, int32_t column,
                                const uint32_t *c, uint32_t *words)
{
    int32_t whole[SF8_TILE_GROUPS][2 * SF8_LANES], exponent[SF8_TILE_GROUPS][2 * SF8_LANES];
    int32_t c_part[2 * SF8_LANES], c_exp[2 * SF8_LANES];
    for (int32_t g = 0; g < t->count; g++)
        SF8_MMA(group)(t, g, row, column, whole[g], exponent[g]);
    for (int32_t i = 0; i < 2 * SF8_LANES; i += SF8_LANES) {
        SF8_I word, e, part;
        memcpy(&word, c + column + i, sizeof word);
        part = SF8_MMA(split)(t, word, &e);
        memcpy(c_part + i, &part, sizeof part);
        memcpy(c_exp + i, &e, sizeof e);
    }
    for (int32_t i = 0; i < 2 * SF8_LANES; i += SF8_HALF) {
        SF8_FEW_INTS part, e, top, higher;
        memcpy(&top, c_exp + i, sizeof top);
        for (int32_t g = 0; g < t->count; g++) {
            memcpy(&e, exponent[g] + i, sizeof e);
            higher = e > top;
            top = SF8_CHOOSE(higher, e, top);
        }
        memcpy(&part, c_part + i, sizeof part);
        memcpy(&e, c_exp + i, sizeof e);
        SF8_LONGS sum = SF8_MMA(cut)(SF8_CONVERT(part, SF8_LONGS), t->fraction - t->man,
                                     SF8_CONVERT(top - e, SF8_LONGS));
        for (int32_t g = 0; g < t->count; g++) {
            memcpy(&part, whole[g] + i, sizeof part);
            memcpy(&e, exponent[g] + i, sizeof e);
            sum += SF8_MMA(cut)(SF8_CONVERT(part, SF8_LONGS), t->fraction - t->point,
                                SF8_CONVERT(top - e, SF8_LONGS));
        }
        part = SF8_MMA(rounded)(t, &t->sum, SF8_CONVERT(sum, SF8_DOUBLES),
                                SF8_CONVERT(top - t->fraction, SF8_LONGS));
        memcpy(words + i, &part, sizeof part);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Stores the good results, and marks the others as left. */
SF8_ON_FN SF8_I SF8_MMA(put)(SF8_I word, SF8_I bad, uint32_t *c, int32_t *left)
{
    SF8_I before, marks;
    memcpy(&before, c, sizeof before);
    memcpy(&marks, left, sizeof marks);
    word = SF8_CHOOSE(bad, before, word);
    marks |= bad;
    memcpy(c, &word, sizeof word);
    memcpy(left, &marks, sizeof marks);
    return bad;
}

/* Marks those of SF8_LANES columns whose operands or accumulators are not finite. */
SF8_ON_FN SF8_I SF8_MMA(bad)(const sf8_mma_tile *t, size_t row, int32_t column, SF8_I word)
{
    SF8_I bad;
    memcpy(&bad, t->b_special + column, sizeof bad);
    return bad | t->a_special[row] | SF8_MMA(special)(t, word);
}

SF8_TARGET static int32_t SF8_MMA(sum_groups)(const sf8_mma_tile *t, size_t row, uint32_t *c,
                                              int32_t *left)
{
    SF8_I any, word, before;
    memset(&any, 0, sizeof any);
    for (int32_t column = 0; column < t->columns; column += 2 * SF8_LANES) {
        uint32_t words[2 * SF8_LANES];
        SF8_MMA(grouped)(t, row, column, c, words);
        for (int32_t i = 0; i < 2 * SF8_LANES; i += SF8_LANES) {
            memcpy(&word, words + i, sizeof word);
            memcpy(&before, c + column + i, sizeof before);
            any |= SF8_MMA(put)(word, SF8_MMA(bad)(t, row, column + i, before), c + column + i,
                                left + column + i);
        }
    }
    return SF8_ON(any)(any);
}

/* Returns 1 if all results of a row are normal numbers or exact zeros. */
SF8_ON_FN int32_t SF8_MMA(is_normal)(const sf8_mma_tile *t, const int16_t *tops)
{
    SF8_SHORTS wild, top;
    SF8_I any;
    if (t->way != SF8_TILE_VALUES || t->man != 23 || t->sum.nearest)
        return 0;
    memset(&wild, 0, sizeof wild);
    for (int32_t column = 0; column < t->columns; column += 2 * SF8_LANES) {
        memcpy(&top, tops + column, sizeof top);
        wild |= (top < SF8_TILE_LEAST) | (top > SF8_TILE_LARGEST);
    }
    memcpy(&any, &wild, sizeof any);
    return !SF8_ON(any)(any);
}

SF8_TARGET static int32_t SF8_MMA(sum)(const sf8_mma_tile *t, int32_t set, size_t row, uint32_t *c,
                                       int32_t *left)
{
    sf8_mma_partial p;
    SF8_I any, word;
    if (t->way == SF8_TILE_GROUPED)
        return SF8_MMA(sum_groups)(t, row, c, left);
    memset(&any, 0, sizeof any);
    SF8_MMA(begin)(t, c, p.top);
    SF8_MMA(products)(t, set, row, &p);
    int32_t normal = SF8_MMA(is_normal)(t, p.top);
    for (int32_t column = 0; column < t->columns; column += SF8_LANES) {
        SF8_FEW_SHORTS narrow;
        memcpy(&narrow, p.top + column, sizeof narrow);
        memcpy(&word, c + column, sizeof word);
        SF8_I top = SF8_CONVERT(narrow, SF8_I), bad = SF8_MMA(bad)(t, row, column, word);
        SF8_I term = SF8_MMA(terms)(t, word, top);
        word = normal ? SF8_MMA(normal)(t, top, term, &p, column)
                      : SF8_MMA(any)(t, top, term, &p, column);
        any |= SF8_MMA(put)(word, bad, c + column, left + column);
    }
    return SF8_ON(any)(any);
}

/* If one is at least 2^28 times the other, the smaller one does not change the rounding of the sum
 * and is made zero. Then the sum of doubles is exact. */
SF8_ON_FN SF8_FEW_INTS SF8_MMA(added)(const sf8_mma_tile *t, SF8_FEW_INTS a, SF8_FEW_INTS a_exp,
                                      SF8_FEW_INTS b, SF8_FEW_INTS b_exp)
{
    a &= ~(b_exp - a_exp > 27);
    b &= ~(a_exp - b_exp > 27);
    SF8_FEW_INTS higher = a_exp > b_exp, top = SF8_CHOOSE(higher, a_exp, b_exp);
    SF8_DOUBLES sum =
        SF8_CONVERT(a, SF8_DOUBLES) * SF8_LONG_POWER(SF8_CONVERT(a_exp - top, SF8_LONGS)) +
        SF8_CONVERT(b, SF8_DOUBLES) * SF8_LONG_POWER(SF8_CONVERT(b_exp - top, SF8_LONGS));
    return SF8_MMA(rounded)(t, &t->addition, sum, SF8_CONVERT(top - t->man, SF8_LONGS));
}

SF8_TARGET static int32_t SF8_MMA(add)(const sf8_mma_tile *t, uint32_t *c, const uint32_t *x,
                                       int32_t *left)
{
    SF8_I any;
    memset(&any, 0, sizeof any);
    for (int32_t column = 0; column < t->columns; column += SF8_LANES) {
        uint32_t words[SF8_LANES];
        SF8_I a, b, a_exp, b_exp, word;
        memcpy(&a, c + column, sizeof a);
        memcpy(&b, x + column, sizeof b);
        /* The sum of two negative zeros is negative. */
        SF8_I zero = a & b & t->sign, bad = SF8_MMA(special)(t, a);
        zero &= ((a | b) & t->mag_mask) == 0;
        bad |= SF8_MMA(special)(t, b);
        a = SF8_MMA(split)(t, a, &a_exp);
        b = SF8_MMA(split)(t, b, &b_exp);
        a_exp += (a == 0) & -300;
        b_exp += (b == 0) & -300;
        for (int32_t i = 0; i < SF8_LANES; i += SF8_HALF) {
            SF8_FEW_INTS one, one_exp, two, two_exp;
            memcpy(&one, (const char *)&a + 4 * i, sizeof one);
            memcpy(&one_exp, (const char *)&a_exp + 4 * i, sizeof one_exp);
            memcpy(&two, (const char *)&b + 4 * i, sizeof two);
            memcpy(&two_exp, (const char *)&b_exp + 4 * i, sizeof two_exp);
            one = SF8_MMA(added)(t, one, one_exp, two, two_exp);
            memcpy(words + i, &one, sizeof one);
        }
        memcpy(&word, words, sizeof word);
        any |= SF8_MMA(put)(word | zero, bad, c + column, left + column);
    }
    return SF8_ON(any)(any);
}

static const sf8_mma_loops SF8_MMA(loops) = {SF8_MMA(sum), SF8_MMA(products), SF8_MMA(add)};

#undef SF8_HALF
#undef SF8_SHORTS
#undef SF8_FEW_SHORTS
#undef SF8_FEW_INTS
#undef SF8_FEW_FLOATS
#undef SF8_DOUBLES
#undef SF8_LONGS
#undef SF8_ULONGS
#undef SF8_CONVERT
#undef SF8_CHOOSE
#undef SF8_POWER
#undef SF8_LONG_POWER

#define SF8_MMA_LOOPS &SF8_MMA(loops)
#else
#define SF8_MMA_LOOPS NULL
#endif
