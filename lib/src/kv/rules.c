/* SPDX-License-Identifier: MIT */
/* rules.c -- readers of caches and scale rules, by name and for arrays */
#include "softfp8_blocks.h"
#include "softfp8_kv.h"
#include "scalar/tensor_word.h"
#include "text/names.h"

#include <string.h>

/* ---- readers --------------------------------------------------------------------------------- */

const sf8_kv_reader_row *sf8_kv_reader_at(size_t i)
{
    static const sf8_kv_reader_row rows[] = {
#define SF8_KV_READER_ROW(...) {__VA_ARGS__},
        SF8_KV_READERS(SF8_KV_READER_ROW)
#undef SF8_KV_READER_ROW
    };
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

static sf8_status sf8_kv_reader_read(sf8_kv_reader *reader, const sf8_kv_reader_row *row)
{
    sf8_kv_reader r;
    sf8_status element, out;
    r.element = sf8_format_named(row->element, &element);
    r.out = sf8_format_named(row->out, &out);
    if (row->all_numbers)
        r.element = sf8_kv_all_numbers(r.element);
    if (element != SF8_OK || out != SF8_OK || !sf8_program_read(&r.value_of, row->value_of))
        return SF8_BAD_CALL;
    *reader = r;
    return SF8_OK;
}

sf8_status sf8_kv_reader_named(sf8_kv_reader *reader, const char *name)
{
    const sf8_kv_reader_row *row;
    for (size_t i = 0; (row = sf8_kv_reader_at(i)) != NULL; i++)
        if (sf8_is_named(row->name, name))
            return sf8_kv_reader_read(reader, row);
    return SF8_UNKNOWN_NAME;
}

/* The values of all codes: a table, used if there are more elements than codes. */
void sf8_kv_read_n(const sf8_kv_reader *reader, void *dst, const uint8_t *codes, size_t n,
                   float scale)
{
    uint32_t table[256], s = sf8_f32_bits(scale), known = n >= sizeof table / sizeof table[0];
    for (uint32_t code = 0; known && code < 256; code++)
        table[code] = sf8_kv_read(reader, code, s);
    for (size_t i = 0; i < n; i++) {
        uint32_t word = known ? table[codes[i]] : sf8_kv_read(reader, codes[i], s);
        uint16_t half = (uint16_t)word;
        if (sf8_format_bits(reader->out) == 32)
            memcpy((unsigned char *)dst + 4 * i, &word, 4);
        else
            memcpy((unsigned char *)dst + 2 * i, &half, 2);
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

const sf8_kv_rule_row *sf8_kv_rule_at(size_t i)
{
    static const sf8_kv_rule_row rows[] = {
#define SF8_KV_RULE_ROW(...) {__VA_ARGS__},
        SF8_KV_RULES(SF8_KV_RULE_ROW)
#undef SF8_KV_RULE_ROW
    };
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

sf8_status sf8_kv_rule_named(sf8_kv_rule *rule, const char *name)
{
    const sf8_kv_rule_row *row;
    for (size_t i = 0; (row = sf8_kv_rule_at(i)) != NULL; i++) {
        sf8_program scale_of;
        if (!sf8_is_named(row->name, name))
            continue;
        if (!sf8_program_read(&scale_of, row->scale_of))
            return SF8_BAD_CALL;
        rule->scale_of = scale_of;
        rule->amax_nan = row->amax_nan;
        return SF8_OK;
    }
    return SF8_UNKNOWN_NAME;
}

/* The amax of a head of a token combined with earlier ones; NaN as long as there was no number. */
static uint32_t sf8_kv_most(const sf8_kv_rule *rule, uint32_t amax, int32_t first, sf8_format from,
                            const void *src, size_t at, size_t n)
{
    for (size_t i = at; i < at + n; i++, first = 0) {
        uint32_t m = sf8_f32_magnitude(sf8_word_load(from, src, i));
        if (rule->amax_nan == SF8_AMAX_NAN && !first)
            amax = sf8_f32_most_or_nan(amax, m);
        else
            amax = sf8_f32_most(amax, m);
    }
    return amax;
}

/* scales[] holds amax until all elements were seen. An element is the first of its scale if no
 * earlier token or head shares it. */
static void sf8_kv_scales_fill(const sf8_kv_rule *rule, int32_t per, uint32_t *scales,
                               sf8_format from, const void *src, size_t tokens, size_t heads,
                               size_t size)
{
    size_t count = (size_t)sf8_kv_scale_count(per, tokens, heads);
    for (size_t i = 0; i < count; i++)
        scales[i] = SF8_F32_NAN;
    for (size_t token = 0; size != 0 && count != 0 && token < tokens; token++)
        for (size_t head = 0; head < heads; head++) {
            uint32_t *amax = scales + sf8_kv_scale_index(per, heads, token, head);
            int32_t first = (token == 0 || per >= SF8_KV_PER_TOKEN) &&
                            (head == 0 || per == SF8_KV_PER_HEAD || per == SF8_KV_PER_TOKEN_HEAD);
            *amax = sf8_kv_most(rule, *amax, first, from, src, (token * heads + head) * size, size);
        }
    for (size_t i = 0; i < count; i++)
        scales[i] = sf8_kv_scale_of(rule, scales[i]);
}

sf8_status sf8_kv_scales_n(const sf8_kv_rule *rule, int32_t per, uint32_t *scales, sf8_format from,
                           const void *src, size_t tokens, size_t heads, size_t size)
{
    if (per < SF8_KV_PER_TENSOR || per > SF8_KV_PER_TOKEN_HEAD ||
        (size != 0 && heads > PTRDIFF_MAX / 4 / size) ||
        (heads != 0 && tokens > PTRDIFF_MAX / 4 / heads))
        return SF8_BAD_CALL;
    sf8_status status = sf8_matrix_check(from, tokens, heads * size);
    if (status == SF8_OK)
        sf8_kv_scales_fill(rule, per, scales, from, src, tokens, heads, size);
    return status;
}
