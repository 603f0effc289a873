/* SPDX-License-Identifier: MIT */
/* order_text.c -- orders of attention as text: a name, and fields that differ from it
 *
 *     fa3-fp8 tile=96                  a known order with another tile
 *     tile=64 operands=scaled ...      one that has no name: the fields change split-f32
 *     fa3-fp8 tile=160/224/96          tile, full-tile and decode-tile
 */
#include "softfp8_attend.h"
#include "softfp8_mma.h"
#include "text/names.h"
#include "text/words.h"

#include <stddef.h>
#include <stdint.h>

/* ---- fields ---------------------------------------------------------------------------------- */

/* A field of four bytes, whose value is the place of a word in `values`, or a number from `least`
 * to `most`; or `unit`, which is a name, or `out-scale`, which is an f32. */
typedef struct sf8_order_field {
    const char *name, *values; /* separated by blanks; "0..4096" for a number, "" for a unit */
    size_t at;
    int32_t least, most; /* most is below least for words */
} sf8_order_field;

#define SF8_ORDER_WORDS(name, member, values)                                                      \
    {                                                                                              \
        name, values, offsetof(sf8_attend_order, member), 0, -1                                    \
    }
#define SF8_ORDER_NUMBER(name, member, least, most)                                                \
    {                                                                                              \
        name, #least ".." #most, offsetof(sf8_attend_order, member), least, most                   \
    }

static const sf8_order_field sf8_order_fields[] = {
    SF8_ORDER_NUMBER("tile", tile, 0, 4096),
    SF8_ORDER_WORDS("direction", descends, "ascending descending"),
    SF8_ORDER_WORDS("operands", operands, "f32 scaled elements codes"),
    SF8_ORDER_WORDS("all-numbers", all_numbers, "0 1"),
    SF8_ORDER_WORDS("unit", unit, ""),
    SF8_ORDER_WORDS("products", dot, "chain threads unit avx2"),
    SF8_ORDER_WORDS("scores", score,
                    "folded folded-twice scaled folded-apart natural scaled-2 folded-rounded"),
    SF8_ORDER_NUMBER("offset", offset, -126, 126),
    SF8_ORDER_WORDS("sum", sum,
                    "chain quads halves unit threads pairs octets sixteens bits groups"),
    SF8_ORDER_WORDS("weights", weight, "f32 half e4m3"),
    SF8_ORDER_WORDS("values", values, "chain one-level two-levels threads chain-half groups"),
    SF8_ORDER_WORDS("end", end, "guarded reciprocal quotient weights normalised log2 scale"),
    SF8_ORDER_WORDS("v-scale", v_scale, "values inverse output joined"),
    SF8_ORDER_WORDS("others", others, "left-out zeros as-they-are"),
    SF8_ORDER_WORDS("split", split, "none count segments size prefix keys"),
    SF8_ORDER_NUMBER("size", size, 0, 4096),
    SF8_ORDER_WORDS("parts", half_parts, "f32 half"),
    SF8_ORDER_WORDS("join", join, "vllm fa3 flashinfer segments partitions fa4 sglang global"),
    SF8_ORDER_WORDS("lse", base2, "e 2"),
    SF8_ORDER_NUMBER("full-tile", full_tile, 0, 4096),
    SF8_ORDER_NUMBER("decode-tile", decode_tile, 0, 4096),
    SF8_ORDER_NUMBER("rescale-after", rescale_after, 0, 126),
    SF8_ORDER_WORDS("summed", sum_rounded, "exact rounded"),
    SF8_ORDER_NUMBER("promote", promote, 1, 4096),
    SF8_ORDER_NUMBER("weight-factor", weight_factor, 1, 4096),
    SF8_ORDER_WORDS("score-scale", scale_on, "products both"),
    SF8_ORDER_WORDS("out", out_e4m3, "f32 e4m3"),
    SF8_ORDER_NUMBER("sum-bits", sum_bits, 0, 99999999),
    SF8_ORDER_WORDS("sum-seed", sum_seed, "kept first pair tile own"),
    SF8_ORDER_WORDS("cap", cap, "none product score"),
    SF8_ORDER_WORDS("sink", sink, "none first last key joined"),
    SF8_ORDER_WORDS("out-scale", out_scale, "number"),
};

enum { SF8_ORDER_FIELDS = sizeof sf8_order_fields / sizeof sf8_order_fields[0] };

static int32_t sf8_order_is_unit(const sf8_order_field *f)
{
    return f->at == offsetof(sf8_attend_order, unit);
}

const char *sf8_attend_order_field_at(size_t i)
{
    return i < SF8_ORDER_FIELDS ? sf8_order_fields[i].name : NULL;
}

const char *sf8_attend_order_field_values(size_t i)
{
    return i < SF8_ORDER_FIELDS ? sf8_order_fields[i].values : NULL;
}

static int32_t sf8_order_is_scale(const sf8_order_field *f)
{
    return f->at == offsetof(sf8_attend_order, out_scale);
}

static const sf8_order_field *sf8_order_field_named(const char *name)
{
    size_t i = 0;
    while (i < SF8_ORDER_FIELDS && !sf8_is_named(sf8_order_fields[i].name, name))
        i++;
    return i < SF8_ORDER_FIELDS ? &sf8_order_fields[i] : NULL;
}

static int32_t sf8_order_is_number(const sf8_order_field *f)
{
    return f->most >= f->least;
}

/* Its words stand alone in a text. */
static int32_t sf8_order_is_direction(const sf8_order_field *f)
{
    return f->at == offsetof(sf8_attend_order, descends);
}

/* ---- their values ---------------------------------------------------------------------------- */

static int32_t sf8_order_value(const sf8_attend_order *o, const sf8_order_field *f)
{
    int32_t value;
    memcpy(&value, (const char *)o + f->at, sizeof value);
    return value;
}

static int32_t sf8_order_same(const sf8_attend_order *a, const sf8_attend_order *b,
                              const sf8_order_field *f)
{
    return sf8_order_is_unit(f) ? a->unit && b->unit && strcmp(a->unit, b->unit) == 0
                                : sf8_order_value(a, f) == sf8_order_value(b, f);
}

/* The name of a unit as the library keeps it; NULL for an unknown one. */
static const char *sf8_order_unit_named(const char *name)
{
    const sf8_mma_row *row;
    if (strcmp(name, "none") == 0)
        return "";
    for (size_t i = 0; (row = sf8_mma_at(i)) != NULL; i++)
        if (strcmp(row->unit, name) == 0)
            return row->unit;
    return NULL;
}

static int32_t sf8_order_is_tile(const sf8_order_field *f)
{
    return f->at == offsetof(sf8_attend_order, tile);
}

static int32_t sf8_order_is_own_tile(const sf8_order_field *f)
{
    return f->at == offsetof(sf8_attend_order, full_tile) ||
           f->at == offsetof(sf8_attend_order, decode_tile);
}

/* The three tiles of a text like 160/224/96. */
static sf8_status sf8_order_set_tiles(sf8_attend_order *o, const char *text)
{
    int32_t tiles[3], most = sf8_order_fields[0].most;
    for (size_t i = 0; i < 3; i++) {
        char number[8] = {0};
        size_t length = strcspn(text, "/");
        if (length >= sizeof number || (text[length] == '/') != (i < 2))
            return SF8_BAD_TEXT;
        memcpy(number, text, length);
        if (!sf8_number_read(number, &tiles[i]) || tiles[i] < 0 || tiles[i] > most)
            return SF8_BAD_TEXT;
        text += length + 1;
    }
    o->tile = tiles[0];
    o->full_tile = tiles[1];
    o->decode_tile = tiles[2];
    return SF8_OK;
}

/* A number above 0, or 0 for none. */
static sf8_status sf8_order_set_scale(sf8_attend_order *o, const char *text)
{
    sf8_result scale;
    sf8_status status = sf8_from_text(SF8_F32, text, SF8_OCP_NOSAT, &scale, NULL);
    if (status != SF8_OK || scale.code >= SF8_F32_INF)
        return SF8_BAD_TEXT;
    o->out_scale = (uint32_t)scale.code;
    return SF8_OK;
}

static sf8_status sf8_order_set_text(sf8_attend_order *o, const sf8_order_field *f,
                                     const char *text)
{
    int32_t value;
    if (sf8_order_is_tile(f) && strchr(text, '/'))
        return sf8_order_set_tiles(o, text);
    if (sf8_order_is_unit(f)) {
        const char *unit = sf8_order_unit_named(text);
        if (unit)
            o->unit = unit;
        return unit ? SF8_OK : SF8_BAD_TEXT;
    }
    if (sf8_order_is_scale(f))
        return sf8_order_set_scale(o, text);
    if (sf8_order_is_number(f) && (!sf8_digits_read(text, 8, &value) || value > f->most))
        return SF8_BAD_TEXT;
    if (!sf8_order_is_number(f))
        value = sf8_place_in(f->values, text);
    if (value < f->least)
        return SF8_BAD_TEXT;
    memcpy((char *)o + f->at, &value, sizeof value);
    return SF8_OK;
}

sf8_status sf8_attend_order_set(sf8_attend_order *order, const char *field, const char *value)
{
    const sf8_order_field *f = sf8_order_field_named(field);
    if (!f)
        return SF8_UNKNOWN_NAME;
    return value ? sf8_order_set_text(order, f, value) : SF8_BAD_TEXT;
}

/* ---- written --------------------------------------------------------------------------------- */

/* A text that grows in the caller's memory; `used` counts on when that is full. */
typedef struct sf8_order_writer {
    char *text;
    size_t size, used;
} sf8_order_writer;

static void sf8_order_add(sf8_order_writer *w, const char *text, size_t length)
{
    if (w->used < w->size && length < w->size - w->used)
        memcpy(w->text + w->used, text, length);
    w->used += length;
}

static void sf8_order_add_number(sf8_order_writer *w, int32_t value)
{
    char digits[12];
    size_t n = sizeof digits;
    int64_t left = value < 0 ? -(int64_t)value : value;
    do
        digits[--n] = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    if (value < 0)
        digits[--n] = '-';
    sf8_order_add(w, digits + n, sizeof digits - n);
}

static sf8_status sf8_order_add_value(sf8_order_writer *w, const sf8_attend_order *o,
                                      const sf8_order_field *f)
{
    const char *word = f->values;
    size_t length;
    if (sf8_order_is_unit(f)) {
        if (!o->unit || !sf8_order_unit_named(o->unit[0] ? o->unit : "none"))
            return SF8_BAD_TEXT;
        word = o->unit[0] ? o->unit : "none";
        sf8_order_add(w, word, strlen(word));
        return SF8_OK;
    }
    if (sf8_order_is_number(f)) {
        sf8_order_add_number(w, sf8_order_value(o, f));
        return SF8_OK;
    }
    if (sf8_order_is_scale(f)) {
        char number[64];
        if (sf8_to_text(SF8_F32, o->out_scale, SF8_TEXT_SHORTEST, number, sizeof number, &length) !=
            SF8_OK)
            return SF8_BAD_TEXT;
        sf8_order_add(w, number, strlen(number));
        return SF8_OK;
    }
    word = sf8_word_at(word, (uint32_t)sf8_order_value(o, f), &length);
    if (!word)
        return SF8_BAD_TEXT;
    sf8_order_add(w, word, length);
    return SF8_OK;
}

static sf8_status sf8_order_close(sf8_order_writer *w)
{
    if (w->used >= w->size)
        return SF8_NO_ROOM;
    w->text[w->used] = '\0';
    return SF8_OK;
}

sf8_status sf8_attend_order_get(const sf8_attend_order *order, const char *field, char *text,
                                size_t size)
{
    const sf8_order_field *f = sf8_order_field_named(field);
    sf8_order_writer w = {text, size, 0};
    if (!f)
        return SF8_UNKNOWN_NAME;
    sf8_status status = sf8_order_add_value(&w, order, f);
    return status == SF8_OK ? sf8_order_close(&w) : status;
}

static size_t sf8_order_distance(const sf8_attend_order *a, const sf8_attend_order *b)
{
    size_t apart = 0;
    for (size_t i = 0; i < SF8_ORDER_FIELDS; i++)
        apart += !sf8_order_same(a, b, &sf8_order_fields[i]);
    return apart;
}

/* Whether all three tiles are other ones, which are then written together. */
static int32_t sf8_order_has_tiles(const sf8_attend_order *o, const sf8_attend_order *near)
{
    return o->tile != near->tile && o->full_tile != near->full_tile &&
           o->decode_tile != near->decode_tile;
}

static void sf8_order_add_tiles(sf8_order_writer *w, const sf8_attend_order *o)
{
    sf8_order_add_number(w, o->tile);
    sf8_order_add(w, "/", 1);
    sf8_order_add_number(w, o->full_tile);
    sf8_order_add(w, "/", 1);
    sf8_order_add_number(w, o->decode_tile);
}

sf8_status sf8_attend_order_write(const sf8_attend_order *order, char *text, size_t size)
{
    const sf8_attend_order *near = sf8_attend_order_named(order->name), *row;
    sf8_order_writer w = {text, size, 0};
    if (!near)
        near = sf8_attend_order_at(0);
    for (size_t i = 0; (row = sf8_attend_order_at(i)) != NULL; i++)
        if (sf8_order_distance(order, row) < sf8_order_distance(order, near))
            near = row;
    sf8_order_add(&w, near->name, strlen(near->name));
    for (size_t i = 0; i < SF8_ORDER_FIELDS; i++) {
        const sf8_order_field *f = &sf8_order_fields[i];
        if (sf8_order_same(order, near, f))
            continue;
        if (sf8_order_has_tiles(order, near) && sf8_order_is_own_tile(f))
            continue;
        sf8_order_add(&w, " ", 1);
        if (!sf8_order_is_direction(f)) {
            sf8_order_add(&w, f->name, strlen(f->name));
            sf8_order_add(&w, "=", 1);
        }
        if (sf8_order_has_tiles(order, near) && sf8_order_is_tile(f)) {
            sf8_order_add_tiles(&w, order);
            continue;
        }
        sf8_status status = sf8_order_add_value(&w, order, f);
        if (status != SF8_OK)
            return status;
    }
    return sf8_order_close(&w);
}

/* ---- read ------------------------------------------------------------------------------------ */

/* Sets a field that is not among those of *given, a bit each, and adds it there. */
static sf8_status sf8_order_take(sf8_attend_order *o, uint64_t *given, const sf8_text_word *word)
{
    const sf8_order_field *f = sf8_order_field_named(word->has_value ? word->name : "direction");
    if (!f)
        return SF8_UNKNOWN_NAME;
    uint64_t bit = UINT64_C(1) << (f - sf8_order_fields);
    for (size_t i = 0; i < SF8_ORDER_FIELDS && sf8_order_is_tile(f); i++)
        if (word->has_value && strchr(word->value, '/') &&
            sf8_order_is_own_tile(&sf8_order_fields[i]))
            bit |= UINT64_C(1) << i;
    if (!word->has_value && sf8_place_in(f->values, word->name) < 0)
        return SF8_UNKNOWN_NAME;
    if (*given & bit)
        return SF8_BAD_TEXT;
    *given |= bit;
    return sf8_order_set_text(o, f, word->has_value ? word->value : word->name);
}

sf8_status sf8_attend_order_read(const char *text, sf8_attend_order *order, size_t *at)
{
    const sf8_attend_order *row = sf8_attend_order_named("split-f32");
    sf8_attend_order read = *row;
    sf8_text_word word;
    size_t words = 0;
    uint64_t given = 0;
    if (!text)
        return sf8_stopped_at(at, 0, SF8_UNKNOWN_NAME);
    for (size_t next = 0; sf8_word_next(text, next, &word); next = word.end, words++) {
        const sf8_attend_order *named = words || word.has_value ? NULL
                                                                : sf8_attend_order_named(word.name);
        sf8_status status = SF8_OK;
        if (named)
            read = *(row = named);
        else
            status = sf8_order_take(&read, &given, &word);
        if (status != SF8_OK)
            return sf8_stopped_at(at, word.at, status);
    }
    if (words == 0)
        return sf8_stopped_at(at, 0, SF8_UNKNOWN_NAME);
    if (sf8_order_distance(&read, row) != 0) /* no product is known to compute so */
        read.product = read.versions = read.source = read.evidence = read.open = "";
    *order = read;
    return SF8_OK;
}
