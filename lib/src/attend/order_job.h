/* SPDX-License-Identifier: MIT */
/* order_job.h -- a request in another stack's order while it is computed */
#ifndef SF8_ATTEND_ORDER_JOB_H
#define SF8_ATTEND_ORDER_JOB_H

#include "attend/job.h"
#include "mma/panel.h"

enum { SF8_ORDER_THREADS = 128, SF8_ORDER_WARPS = 4, SF8_ORDER_LANES = 8, SF8_ORDER_SUMS = 256 };

typedef struct sf8_order_job {
    const sf8_attend_order *o;
    sf8_attend a;             /* the request with exact sums, which decide how it is read */
    sf8_attend_job read;      /* from `a` */
    sf8_format half, operand; /* the 16-bit format; the format of the unit's operands */
    sf8_format codes;         /* e4m3, or that of the operands if they are codes */
    sf8_mma mma;
    int32_t all_numbers; /* all codes are read as numbers */
    size_t cut, columns;
    uint32_t root; /* of the scale of scores */
    /* of the current row: */
    size_t kv, from, to;      /* the keys that take part */
    size_t end;               /* of the part being computed, at most `to` */
    size_t read_k, read_v;    /* the first of the rows that were read last, in this part */
    uint32_t factor, v_scale; /* v_scale is 1 if the values include it */
    uint32_t scale;           /* the factor without log2 e */
    uint32_t cap_by;          /* for sf8_attend_order_capped; 0: no cap */
    const uint32_t *sink;     /* NULL: none */
    size_t part, parts_count; /* the part being computed, and how many there are */
    int32_t is_second;        /* of SF8_VALUES_GROUPS: the second tile of a pair is being added */
    uint32_t first_factor;    /* by which the first tile of the pair rescaled */
    uint32_t *q;              /* the query, in f32 */
    void *q_operand;
    uint32_t *scores; /* scores of a tile, then its weights */
    uint32_t *before; /* of SF8_VALUES_GROUPS: weights of the tile before, not rounded */
    void *k_operand, *v_operand, *weight_operand;
    uint32_t *sums;  /* [columns], or [SF8_ORDER_LANES][columns] */
    uint32_t *tile;  /* [columns]: of the tiles that are not yet promoted */
    uint32_t *parts; /* [parts][2 + columns]: maximum and sum, or lse; the output */
    uint32_t *out;   /* [columns], in f32 */
    /* Keys and values that are read once for all rows, as operands of the unit and as f32: */
    size_t reached;       /* how many keys */
    sf8_mma_tiles *tiles; /* NULL: not as operands */
    sf8_mma_panel k_panel, v_panel;
    const sf8_order_loops *loops; /* NULL: not as f32 */
    uint32_t *across, *values;    /* keys channel by channel; values [keys][columns] */
} sf8_order_job;

/* The keys of a row that are one part; its tiles begin at `first`. */
typedef struct sf8_order_part {
    size_t first, end;
} sf8_order_part;

/* Whether a number of bf16 is its upper half. */
SF8_FN int32_t sf8_order_is_bf16(sf8_format f, uint32_t word)
{
    return f.exp_bits == 8 && (word & 0xffff) == 0 && !sf8_f32_is_nan(word);
}

SF8_FN uint32_t sf8_order_half(const sf8_order_job *job, uint32_t word)
{
    return sf8_order_is_bf16(job->half, word) ? word : sf8_f32_via_half(job->half, word);
}

/* Rounds to codes, saturating. */
SF8_FN uint32_t sf8_order_via(sf8_format codes, uint32_t word)
{
    uint64_t code = sf8_core_convert(codes, SF8_F32, word, SF8_CUDA_SATFINITE, 0).code;
    return (uint32_t)sf8_core_convert(SF8_F32, codes, code, SF8_OCP_NOSAT, 0).code;
}

/* Adds values by halves; n is a power of two. They are overwritten. */
SF8_FN uint32_t sf8_order_halves(uint32_t *w, size_t n)
{
    for (size_t half = n / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            w[i] = sf8_f32_add(w[i], w[i + half]);
    return w[0];
}

/* The sum of 128 threads: by halves in each warp, then over the warps. */
SF8_FN uint32_t sf8_order_block_sum(uint32_t lanes[SF8_ORDER_THREADS])
{
    for (size_t warp = 0; warp < SF8_ORDER_WARPS; warp++)
        lanes[warp] = sf8_order_halves(lanes + 32 * warp, 32);
    return sf8_order_halves(lanes, SF8_ORDER_WARPS);
}

/* Whether a key of the part takes part. */
SF8_FN int32_t sf8_order_takes_part(const sf8_order_job *job, size_t position)
{
    return position >= job->from && position < job->end;
}

SF8_FN uint32_t sf8_order_canonical(uint32_t word)
{
    return sf8_f32_is_nan(word) ? SF8_F32_NAN : word;
}

/* The keys of a tile that are read together, beginning at `at`. */
SF8_FN size_t sf8_order_stretch(size_t tile, size_t at)
{
    const size_t most = SF8_ATTEND_CHUNK;
    return tile - at < most ? tile - at : most;
}

/* The three ends that take an offset. */
SF8_FN int32_t sf8_order_is_guarded(const sf8_attend_order *o)
{
    return o->end == SF8_END_GUARDED || o->end == SF8_END_LOG2 || o->end == SF8_END_SCALE;
}

/* Whether the weights of all keys are divided by their sum before they are rounded. */
SF8_FN int32_t sf8_order_divides_weights(const sf8_attend_order *o)
{
    return o->end == SF8_END_WEIGHTS || o->end == SF8_END_NORMALISED;
}

/* The keys of the tiles of a part. With `tile` 0 it is the whole part, in whole blocks of 16, or of
 * 64 where a unit takes them. */
SF8_FN size_t sf8_order_tile(const sf8_attend_order *o, size_t keys)
{
    size_t block = o->unit[0] ? SF8_ATTEND_CHUNK : 16;
    return o->tile ? (size_t)o->tile : (keys + block - 1) / block * block;
}

/* The digits of sum_bits, the last one first; -1 if one is 0 or is there twice. */
SF8_PRIVATE int32_t sf8_order_sum_digits(const sf8_attend_order *o, int32_t digit[9]);
/* Adds the weights of a tile to several sums, which begin as the seed says; or, with
 * SF8_SUM_GROUPS, to those of its group. */
SF8_PRIVATE void sf8_order_add_lanes(const sf8_attend_order *o, uint32_t *sum, const uint32_t *w,
                                     size_t tile, uint32_t rescale);
SF8_PRIVATE void sf8_order_add_group(const sf8_order_job *job, uint32_t *sum, const uint32_t *w,
                                     size_t tile, uint32_t rescale);
/* Adds all sums of a row. */
SF8_PRIVATE uint32_t sf8_order_sum_all(const sf8_attend_order *o, const uint32_t *sum);
/* Adds the weights of the i-th tile of a part times its values to job->sums. Tiles go `promote` at
 * a time: of the first ones to job->sums, of others to job->tile, which the last of them promotes.
 */
SF8_PRIVATE void sf8_order_add_values(sf8_order_job *job, size_t first, size_t tile,
                                      uint32_t rescale, size_t i, int32_t last);
/* The channels from `from` on, `columns` of them, times a factor; then a tile is added to them. */
SF8_PRIVATE void sf8_order_add_half(sf8_order_job *job, size_t first, size_t tile,
                                    const uint32_t *weight, uint32_t rescale, size_t from,
                                    size_t columns);
/* How many parts a request may have, and the i-th of those of the row. */
SF8_PRIVATE size_t sf8_order_parts(const sf8_attend_order *o, size_t keys, size_t cut);
SF8_PRIVATE sf8_order_part sf8_order_part_of(const sf8_order_job *job, size_t i);
/* Returns the rows of keys or values from `first` on, `rows` of them at least, with the scale and
 * the rounding of the order. 64 are read at once. */
SF8_PRIVATE uint32_t *sf8_order_read(sf8_order_job *job, sf8_attend_side *s, size_t first,
                                     size_t rows);
/* Stores an f32 as the i-th operand of the unit. */
SF8_PRIVATE void sf8_order_put(const sf8_order_job *job, void *to, size_t i, uint32_t word);
/* Panels: their scratch memory, in uint32_t; that they begin, if the request has some; those of a
 * head of the cache, before its rows. */
SF8_PRIVATE uint64_t sf8_order_panels_room(const sf8_attend_order *o, const sf8_attend *a);
SF8_PRIVATE void sf8_order_panels_begin(sf8_order_job *job, sf8_mma_tiles *tiles, uint32_t *room);
SF8_PRIVATE void sf8_order_panels_fill(sf8_order_job *job, size_t kv);
/* The products of the query and n keys, at most 64; `dot` has room for 64. Returns 0 if they have
 * to be computed without panels. */
SF8_PRIVATE int32_t sf8_order_panel_dots(sf8_order_job *job, size_t first, size_t n, uint32_t *dot);
/* Adds n weights times values to the channels from `from` on. Returns how many are computed. */
SF8_PRIVATE size_t sf8_order_panel_values(sf8_order_job *job, size_t first, const uint32_t *weight,
                                          size_t n, uint32_t *sum, size_t from, size_t columns);
/* Adds n weights times values to all channels in f32; with SF8_VALUES_THREADS the eight products of
 * one lane. Returns how many channels are computed. All values are multiplied. */
SF8_PRIVATE size_t sf8_order_loop_values(const sf8_order_job *job, size_t first,
                                         const uint32_t *weight, size_t n, uint32_t *sum);
/* Stores job->q as operands of the unit. */
SF8_PRIVATE void sf8_order_put_query(sf8_order_job *job);
/* Computes a part, as joining needs it. */
SF8_PRIVATE void sf8_order_run_part(sf8_order_job *job, sf8_order_part p, uint32_t *part);
/* Joins `n` parts into job->out; returns the lse. */
SF8_PRIVATE uint32_t sf8_order_join(sf8_order_job *job, size_t n);

#endif
