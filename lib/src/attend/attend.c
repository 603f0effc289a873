/* SPDX-License-Identifier: MIT */
/* attend.c -- whole requests of attention, and their parts: which chunks, in which order
 *
 * A piece has a row of f32 values for each query and head: the maximum, the sum, and the sums of
 * the channels. It is the result of a whole span so far, or of a single chunk where a part begins
 * in the middle of a span.
 */
#include "attend/job.h"
#include "scalar/tensor_word.h"

#include <string.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

static size_t sf8_attend_count(size_t n, size_t of)
{
    return n / of + (n % of != 0);
}

size_t sf8_attend_chunks(const sf8_attend *a)
{
    return sf8_attend_count(a->keys, SF8_ATTEND_CHUNK);
}

static size_t sf8_attend_row(const sf8_attend *a)
{
    return 2 + (size_t)a->v.image.layout.dim;
}

size_t sf8_attend_piece_words(const sf8_attend *a)
{
    return a->queries * a->heads * sf8_attend_row(a);
}

enum { SF8_ATTEND_SPAN_CHUNKS = SF8_ATTEND_SPAN / SF8_ATTEND_CHUNK };

/* The chunks at the beginning of a part that lie in the middle of a span: each is a piece of its
 * own. */
static size_t sf8_attend_alone(size_t first_chunk, size_t last_chunk)
{
    size_t until = sf8_attend_count(first_chunk, SF8_ATTEND_SPAN_CHUNKS) * SF8_ATTEND_SPAN_CHUNKS;
    return (until < last_chunk ? until : last_chunk) - first_chunk;
}

static size_t sf8_attend_pieces_of(size_t first_chunk, size_t last_chunk)
{
    size_t alone = sf8_attend_alone(first_chunk, last_chunk);
    return alone + sf8_attend_count(last_chunk - first_chunk - alone, SF8_ATTEND_SPAN_CHUNKS);
}

size_t sf8_attend_pieces(const sf8_attend *a, size_t first_chunk, size_t last_chunk)
{
    if (first_chunk > last_chunk || last_chunk > sf8_attend_chunks(a))
        return 0;
    return sf8_attend_pieces_of(first_chunk, last_chunk);
}

/* ---- rows of words --------------------------------------------------------------------------- */

static sf8_attend_head sf8_attend_head_at(const uint32_t *row)
{
    sf8_attend_head h;
    h.most = row[0];
    h.sum = row[1];
    return h;
}

static void sf8_attend_put_head(uint32_t *row, sf8_attend_head h)
{
    row[0] = h.most;
    row[1] = h.sum;
}

/* Joins two sides; the result replaces `before`. */
static void sf8_attend_join_rows(const sf8_attend_ops *ops, uint32_t *before, const uint32_t *after,
                                 size_t columns)
{
    sf8_attend_joint j = sf8_attend_joint_of(sf8_attend_head_at(before), sf8_attend_head_at(after));
    sf8_attend_put_head(before, j.head);
    if (j.take == SF8_ATTEND_AFTER)
        memcpy(before + 2, after + 2, columns * sizeof *before);
    else if (j.take == SF8_ATTEND_BOTH)
        ops->join(before + 2, after + 2, j, columns);
}

static void sf8_attend_nothing_row(uint32_t *row, size_t columns)
{
    memset(row, 0, (2 + columns) * sizeof *row);
    sf8_attend_put_head(row, sf8_attend_nothing());
}

/* ---- one tile of queries --------------------------------------------------------------------- */

typedef struct sf8_attend_tile {
    size_t first, count; /* queries */
} sf8_attend_tile;

SF8_PRIVATE void sf8_attend_range(const sf8_attend *a, size_t query, int64_t *from, int64_t *to)
{
    int64_t position = a->first + (int64_t)query, keys = (int64_t)a->keys;
    *from = a->left < 0 || position < a->left ? 0 : position - a->left;
    *to = a->right < 0 || position >= keys - a->right ? keys : position + a->right + 1;
}

SF8_PRIVATE uint32_t sf8_attend_query_word(const sf8_attend *a, size_t i)
{
    if (sf8_format_bits(a->q_words) > 8)
        return sf8_word_load(a->q_words, a->q.words, i);
    return (uint32_t)sf8_core_convert(SF8_F32, a->q_words, ((const uint8_t *)a->q.words)[i],
                                      SF8_OCP_NOSAT, 0)
        .code;
}

/* Loads the queries of the tile, as f32 or as operands of the unit. */
static void sf8_attend_load_queries(const sf8_attend_job *job, sf8_attend_tile tile)
{
    const sf8_attend *a = job->a;
    uint16_t *codes = (uint16_t *)(void *)job->q;
    size_t at = 0;
    for (size_t i = 0; i < tile.count; i++)
        for (size_t h = 0; h < a->heads; h++)
            for (size_t d = 0; d < job->dim; d++, at++) {
                size_t place = (tile.first + i) * a->q.token_stride + h * a->q.head_stride + d;
                uint32_t word = sf8_attend_query_word(a, place);
                if (a->sums == SF8_ATTEND_EXACT)
                    job->q[at] = word;
                else
                    codes[at] = sf8_attend_operand(job, word);
            }
}

/* Computes a chunk and joins it to the rows of a piece, which has a row for each head of each query
 * of the tile. `fresh` is 1 if the chunk is the first of the piece. */
static void sf8_attend_take(sf8_attend_job *job, sf8_attend_tile tile, size_t chunk,
                            uint32_t *piece, int32_t fresh)
{
    const sf8_attend *a = job->a;
    int64_t first = (int64_t)(chunk * SF8_ATTEND_CHUNK), from, to;
    uint64_t masks[SF8_ATTEND_QUERIES], any = 0;
    size_t row = 2 + job->columns;
    for (size_t i = 0; i < tile.count; i++) {
        sf8_attend_range(a, tile.first + i, &from, &to);
        masks[i] = sf8_attend_mask(first, from, to);
        any |= masks[i];
    }
    for (size_t i = 0; fresh && i < tile.count * a->heads; i++)
        sf8_attend_nothing_row(piece + i * row, job->columns);
    if (any == 0)
        return;
    sf8_attend_read_chunk(job, chunk);
    for (size_t kv = 0; kv < job->kv_heads; kv++) {
        sf8_attend_turn(job, kv);
        for (size_t i = 0; i < tile.count; i++) {
            size_t at = i * a->heads + kv * job->group;
            if (masks[i] == 0)
                continue;
            sf8_attend_group(job, kv, at, masks[i]);
            for (size_t g = 0; g < job->group; g++)
                sf8_attend_join_rows(job->ops, piece + (at + g) * row, job->rows + g * row,
                                     job->columns);
        }
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static void sf8_attend_put_result(const sf8_attend_job *job, size_t query, size_t head,
                                  uint32_t *row)
{
    const sf8_attend *a = job->a;
    uint32_t v_scale = sf8_attend_scale_of(a->v.scale, a->v.scales, head / job->group);
    sf8_attend_head h = sf8_attend_head_at(row);
    if (a->sinks) {
        sf8_attend_joint j = sf8_attend_joint_of(h, sf8_attend_sink(a->sinks[head]));
        for (size_t c = 0; c < job->columns; c++)
            row[2 + c] = sf8_attend_join(j, row[2 + c], 0);
        h = j.head;
    }
    for (size_t c = 0; c < job->columns; c++)
        sf8_word_store(a->out_words, a->out.words,
                       query * a->out.token_stride + head * a->out.head_stride + c,
                       sf8_attend_out(h, row[2 + c], v_scale));
    if (a->lse)
        a->lse[query * a->heads + head] = a->lse_base2 ? sf8_attend_lse2(h) : sf8_attend_lse(h);
}

static void sf8_attend_all(sf8_attend_job *job)
{
    const sf8_attend *a = job->a;
    size_t chunks = sf8_attend_chunks(a), row = 2 + job->columns;
    for (size_t first = 0; first < a->queries; first += SF8_ATTEND_QUERIES) {
        sf8_attend_tile tile = {first, a->queries - first};
        if (tile.count > SF8_ATTEND_QUERIES)
            tile.count = SF8_ATTEND_QUERIES;
        size_t rows = tile.count * a->heads;
        sf8_attend_load_queries(job, tile);
        for (size_t i = 0; i < rows; i++) {
            sf8_attend_nothing_row(job->totals + i * row, job->columns);
            sf8_attend_nothing_row(job->spans + i * row, job->columns);
        }
        for (size_t chunk = 0; chunk < chunks; chunk++) {
            sf8_attend_take(job, tile, chunk, job->spans, chunk % SF8_ATTEND_SPAN_CHUNKS == 0);
            if ((chunk + 1) % SF8_ATTEND_SPAN_CHUNKS != 0 && chunk + 1 != chunks)
                continue;
            for (size_t i = 0; i < rows; i++)
                sf8_attend_join_rows(job->ops, job->totals + i * row, job->spans + i * row,
                                     job->columns);
        }
        for (size_t i = 0; i < rows; i++)
            sf8_attend_put_result(job, first + i / a->heads, i % a->heads, job->totals + i * row);
    }
}

sf8_status sf8_attend_at(const char *level, const sf8_attend *a, uint32_t *room, size_t room_words)
{
    sf8_attend_job job;
    sf8_status status = sf8_attend_begin(&job, level, a, room, room_words);
    if (status != SF8_OK)
        return status;
    unsigned int before = sf8_floats_begin();
    sf8_attend_all(&job);
    sf8_floats_end(before);
    return SF8_OK;
}

sf8_status sf8_attend_n(const sf8_attend *a, uint32_t *room, size_t room_words)
{
    return sf8_attend_at(sf8_simd(), a, room, room_words);
}

/* ---- parts ----------------------------------------------------------------------------------- */

sf8_status sf8_attend_part(const sf8_attend *a, size_t first_chunk, size_t last_chunk,
                           uint32_t *pieces, uint32_t *room, size_t room_words)
{
    sf8_attend_job job;
    sf8_status status = sf8_attend_begin(&job, sf8_simd(), a, room, room_words);
    if (status != SF8_OK)
        return status;
    if (first_chunk > last_chunk || last_chunk > sf8_attend_chunks(a))
        return SF8_BAD_CALL;
    size_t row = 2 + job.columns, words = sf8_attend_piece_words(a);
    unsigned int before = sf8_floats_begin();
    for (size_t first = 0; first < a->queries; first += SF8_ATTEND_QUERIES) {
        sf8_attend_tile tile = {first, a->queries - first};
        if (tile.count > SF8_ATTEND_QUERIES)
            tile.count = SF8_ATTEND_QUERIES;
        uint32_t *piece = pieces + first * a->heads * row;
        sf8_attend_load_queries(&job, tile);
        for (size_t chunk = first_chunk; chunk < last_chunk; chunk++) {
            size_t of = sf8_attend_pieces_of(first_chunk, chunk + 1) - 1;
            int32_t fresh = of == sf8_attend_pieces_of(first_chunk, chunk);
            sf8_attend_take(&job, tile, chunk, piece + of * words, fresh);
        }
    }
    sf8_floats_end(before);
    return SF8_OK;
}

/* Joins one row of all parts: span after span, each with what was joined of it so far, then single
 * chunks. */
static void sf8_attend_join_parts(const sf8_attend_job *job, const sf8_attend_parted *parts,
                                  size_t n, size_t at, size_t words)
{
    size_t row = 2 + job->columns;
    sf8_attend_nothing_row(job->totals, job->columns);
    sf8_attend_nothing_row(job->spans, job->columns);
    for (size_t p = 0; p < n; p++) {
        const uint32_t *from = parts[p].pieces + at * row;
        size_t chunk = parts[p].first_chunk;
        for (; chunk < parts[p].last_chunk; from += words) {
            if (chunk % SF8_ATTEND_SPAN_CHUNKS != 0) {
                sf8_attend_join_rows(job->ops, job->spans, from, job->columns);
                chunk++;
                continue;
            }
            sf8_attend_join_rows(job->ops, job->totals, job->spans, job->columns);
            memcpy(job->spans, from, row * sizeof *from);
            chunk += SF8_ATTEND_SPAN_CHUNKS;
            if (chunk > parts[p].last_chunk)
                chunk = parts[p].last_chunk;
        }
    }
    sf8_attend_join_rows(job->ops, job->totals, job->spans, job->columns);
}

sf8_status sf8_attend_joined(const sf8_attend *a, const sf8_attend_parted *parts, size_t n,
                             uint32_t *room, size_t room_words)
{
    sf8_attend_job job;
    size_t chunk = 0;
    sf8_status status = sf8_attend_begin(&job, sf8_simd(), a, room, room_words);
    if (status != SF8_OK)
        return status;
    for (size_t p = 0; p < n; p++) {
        if (parts[p].first_chunk != chunk || parts[p].last_chunk < chunk)
            return SF8_BAD_CALL;
        chunk = parts[p].last_chunk;
    }
    if (chunk != sf8_attend_chunks(a))
        return SF8_BAD_CALL;
    unsigned int before = sf8_floats_begin();
    for (size_t i = 0; i < a->queries * a->heads; i++) {
        sf8_attend_join_parts(&job, parts, n, i, sf8_attend_piece_words(a));
        sf8_attend_put_result(&job, i / a->heads, i % a->heads, job.totals);
    }
    sf8_floats_end(before);
    return SF8_OK;
}
