/* SPDX-License-Identifier: MIT */
/* claim.c -- what a kernel computes that follows an order, and how far it may be off
 *
 * The bounds of error.h allow every weight the largest error of its format. A kernel that follows
 * an order has no such freedom: its weights are rounded as the order says, relative to the maximum
 * of their tile. So these roundings are computed, in doubles, and what is allowed is what they
 * leave open:
 *
 *     scores    are summed in another order, or by a unit that cuts its terms; so a weight near a
 *               tie may be rounded to its other side
 *     sums      of weights, and of weights times values: what the unit loses
 *     output    roundings to its format
 *
 * Each has a standard deviation, since errors of many keys do not all have the same sign. What a
 * channel may be off is six times theirs together, and one weight that is rounded to the other
 * side.
 */
#include "diagnose/attend/output.h"
#include "diagnose/attend/stores.h"

#include <math.h>
#include <string.h>

static int half_of(const attend_problem *r)
{
    return r->a.q_words.man_bits == 10 && sf8_format_bits(r->a.q_words) == 16 ? ATTEND_F16
                                                                              : ATTEND_BF16;
}

/* The codes that are multiplied are those of the keys. */
static int code_of(const attend_problem *r)
{
    const sf8_recipe *recipe = r->a.k.recipe;
    return recipe && recipe->element.exp_bits == 4 && recipe->element.bias == 8 ? ATTEND_E4M3FNUZ
                                                                                : ATTEND_E4M3;
}

/* What is rounded before it is multiplied. Codes are numbers of e4m3 as they are. */
static void claim_operands(attend_claim *c, const attend_problem *r)
{
    int half = half_of(r);
    switch (c->order->operands) {
    case SF8_OPERANDS_CODES: /* queries with a scale are codes already */
        c->change.reads.cast_q = r->a.q_scale ? ATTEND_AS_IT_IS : code_of(r);
        break;
    case SF8_OPERANDS_SCALED:
        c->change.reads.cast_q = half;
        c->change.reads.cast_k = half;
        c->change.cast_v = half;
        break;
    case SF8_OPERANDS_PLAIN: /* without their scales */
        c->change.reads.cast_q = half;
        c->change.reads.cast_k = half;
        c->change.cast_v = half;
        c->change.reads.scale_k = (double)sf8_f32_from_bits(r->k.scale);
        c->change.scale_v = (double)sf8_f32_from_bits(r->v.scale);
        break;
    default:
        break;
    }
}

static void claim_weights(attend_claim *c, const attend_problem *r, size_t cut)
{
    const sf8_attend_order *o = c->order;
    attend_weights *w = &c->change.weights;
    w->format = o->weight == SF8_WEIGHT_E4M3   ? code_of(r)
                : o->weight == SF8_WEIGHT_HALF ? half_of(r)
                                               : ATTEND_AS_IT_IS;
    w->tile = (size_t)(r->queries == 1 && o->decode_tile                 ? o->decode_tile
                       : r->a.right < 0 && r->a.left < 0 && o->full_tile ? o->full_tile
                                                                         : o->tile);
    w->descends = o->descends;
    w->is_normalised = o->end == SF8_END_WEIGHTS || o->end == SF8_END_NORMALISED;
    w->factor = ldexp(o->weight_factor, o->offset);
    w->lag = o->rescale_after;
    w->sum_rounded = o->sum_rounded || o->sum == SF8_SUM_UNIT;
    if (o->split == SF8_SPLIT_COUNT)
        w->parts = cut;
    else if (o->split == SF8_SPLIT_KEYS)
        w->part = (r->keys + cut - 1) / cut;
    else if (o->split == SF8_SPLIT_SIZE)
        w->part = (size_t)o->size;
    else if (o->split == SF8_SPLIT_PREFIX && cut > 0) {
        w->part = cut;
        w->has_prefix = 1;
    } else if (o->split == SF8_SPLIT_SEGMENTS && o->tile) {
        size_t tiles = (r->keys + (size_t)o->tile - 1) / (size_t)o->tile, n = (size_t)o->size;
        w->part = (tiles + n - 1) / n * (size_t)o->tile;
    }
}

int attend_can_claim(const sf8_attend_order *o)
{
    static const char *const units[] = {"hopper-", "ampere-",        "ada-hmma",
                                        "cdna3-",  "blackwell-hmma", "blackwell-tcgen05"};
    int is_known = !o->unit[0];
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        is_known |= strncmp(o->unit, units[i], strlen(units[i])) == 0;
    return is_known;
}

attend_claim attend_claim_of(const attend_problem *r, const sf8_attend_order *o, size_t cut)
{
    attend_claim c = {.order = o, .cut = cut, .change = {.scores = 0}, .places = 0};
    double dim = (double)r->k.dim;
    int is_byte = o->operands == SF8_OPERANDS_CODES && o->unit[0] &&
                  strncmp(o->unit, "blackwell-", strlen("blackwell-")) != 0;
    int has_unit = o->values == SF8_VALUES_UNIT || o->values == SF8_VALUES_UNIT_TILE ||
                   o->values == SF8_VALUES_GROUPS;
    double place = half_of(r) == ATTEND_F16 ? 0x1p-12 : 0x1p-9;
    claim_operands(&c, r);
    claim_weights(&c, r, cut);
    /* A unit of 8 bits cuts its terms at 13 bits behind the largest, 32 at a time. What that comes
     * to was measured with random numbers: 2^-14 for each instruction, 1.2 2^-14 for 64 terms of a
     * score and in proportion for more. The others are far above what they need. */
    c.noise.score = o->dot == SF8_PRODUCTS_UNIT && is_byte ? 1.2 * 0x1p-14 * dim / 64
                    : o->dot == SF8_PRODUCTS_UNIT          ? 0x1p-20 * sqrt(dim / 16)
                                                           : 0x1p-23 * sqrt(dim);
    c.change.cast_out = o->out_e4m3 ? ATTEND_E4M3 : ATTEND_AS_IT_IS;
    c.noise.weight = 0x1p-21;
    c.unit = has_unit && is_byte ? 1.2 * 0x1p-14 : has_unit ? 0x1p-21 : 0x1p-23;
    if (o->values == SF8_VALUES_THREADS) /* products are rounded to half */
        c.noise.weight = place;
    if (o->values == SF8_VALUES_CHAIN_HALF) /* two roundings of the sum for each key */
        c.unit = place * sqrt(2 * 32);
    if (o->values == SF8_VALUES_GROUPS) { /* half of the channels have weights of another tile */
        c.change.weights.format = ATTEND_AS_IT_IS;
        c.noise.weight = place;
    }
    c.tile = o->values == SF8_VALUES_UNIT_TILE
                 ? (double)(c.change.weights.tile * (size_t)o->promote)
                 : (double)r->keys;
    int on_output = o->v_scale == SF8_V_ON_OUTPUT || o->v_scale == SF8_V_ON_JOINED;
    c.places = (o->half_parts || o->join == SF8_JOIN_PARTITIONS) + 2 * on_output;
    return c;
}

static double last_place(double x, int mantissa, int least)
{
    int exponent = x == 0 ? least : ilogb(x);
    return ldexp(1, (exponent < least ? least : exponent) - mantissa);
}

/* What keys add to the squares of slack, to those of terms, to the largest term and to the largest
 * weight that may be rounded otherwise: [4][columns]. */
static void add_slack(const attend_row *t, const attend_head *values, size_t keys, size_t columns,
                      double *to)
{
    enum { TOGETHER = 8, NEAR = 32 };
    for (size_t from = 0; from < keys; from += NEAR)
        for (size_t first = 0; first < columns; first += TOGETHER) {
            size_t end = from + NEAR < keys ? from + NEAR : keys;
            size_t n = first + TOGETHER < columns ? TOGETHER : columns - first;
            double sum[4][TOGETHER] = {{0}};
            for (size_t i = 0; i < 4; i++)
                memcpy(sum[i], to + i * columns + first, n * sizeof *to);
            for (size_t k = from; k < end; k++) {
                const float *at = values->values + k * values->step + first;
                double value[TOGETHER] = {0}, slack = t->slack[k], weight = t->weight[k];
                for (size_t c = 0; c < n; c++)
                    value[c] = fabs((double)at[c]);
                if (weight == 0 && slack == 0)
                    continue;
                for (size_t c = 0; c < TOGETHER; c++) {
                    double x = slack * value[c], term = weight * value[c],
                           flip = t->flip[k] * value[c];
                    sum[0][c] += x * x;
                    sum[1][c] += term * term;
                    sum[2][c] = term > sum[2][c] ? term : sum[2][c];
                    sum[3][c] = flip > sum[3][c] ? flip : sum[3][c];
                }
            }
            for (size_t i = 0; i < 4; i++)
                memcpy(to + i * columns + first, sum[i], n * sizeof *to);
        }
}

double attend_claim_error(attend_judged_output *j, const attend_claim *claim, size_t row,
                          attend_row *t)
{
    const int measures = t->measures;
    t->noise = &claim->noise;
    t->measures = 0;
    attend_true_row(j, &claim->change, row, t);
    t->measures = measures;
    t->noise = NULL;
    return attend_claim_error_of(j, claim, row, t);
}

double attend_claim_error_of(attend_judged_output *j, const attend_claim *claim, size_t row,
                             attend_row *t)
{
    enum { DEVIATIONS = 6, KEYS = 32 };
    const attend_problem *r = j->r;
    size_t kv = row % r->heads / (r->heads / r->kv_heads);
    sf8_format f = j->out->format;
    double worst = 0;
    double n = (double)t->taking, tile = n < claim->tile ? n : claim->tile;
    double half = half_of(r) == ATTEND_F16 ? 0x1p-11 : 0x1p-8;
    double *squares = t->claim, *terms = squares + j->columns, *largest = terms + j->columns,
           *flips = largest + j->columns;
    memset(squares, 0, 4 * j->columns * sizeof *squares);
    const attend_head values = attend_head_of(r, &r->v, 0, kv);
    add_slack(t, &values, r->keys, j->columns, squares);
    for (size_t c = 0; c < j->columns; c++) {
        double got = attend_got(j, row, c);
        squares[c] *= t->factor * t->factor;
        terms[c] *= t->factor * t->factor;
        largest[c] *= t->factor;
        flips[c] *= t->factor;
        /* partial sums are about as large as the output, or as terms of any sign add up to */
        double size = fmax(2 * fmax(fabs(t->out[c]), sqrt(terms[c])), 2 * largest[c]);
        double unit = claim->unit * size, out = t->out[c];
        squares[c] += ceil(n / KEYS) * unit * unit + out * out * t->sum_slack * t->sum_slack;
        double bound = DEVIATIONS * sqrt(squares[c]) + flips[c] + ceil(tile / KEYS) * unit / 8 +
                       claim->places * half * size +
                       (claim->change.cast_out ? last_place(out, 3, -6) : 0) +
                       last_place(out, f.man_bits, 1 - f.bias) * 0.5000001;
        double error = attend_error(got, out, f);
        double ratio = error > 0 && !isinf(error) ? error / bound : error;
        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}
