/* SPDX-License-Identifier: MIT */
/* kinds.h -- computes the outputs of a case of the museum, for each kind of case
 *
 * vectors/museum/README.md describes the members of a case. A member may stand in the case or, for
 * all cases of the bug, in the bug. To compute what the faulty program returned, a member NAME is
 * replaced by bug_NAME where the bug has it.
 */
#ifndef SF8_TEST_MUSEUM_KINDS_H
#define SF8_TEST_MUSEUM_KINDS_H

#include "check.h"
#include "museum/json.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "softfp8_mma.h"

enum { WORDS = 64, SCALES = 512 };

typedef struct frame {
    const json *bug, *one;
    int faulty;
} frame;

/* What a case gave, as the texts that its members have. */
typedef struct outputs {
    size_t n;
    struct {
        const char *name;
        char text[3 * WORDS];
    } of[3];
} outputs;

/* ---- members --------------------------------------------------------------------------------- */

static inline const json *find(const frame *f, const char *name)
{
    char instead[40];
    snprintf(instead, sizeof instead, "bug_%s", name);
    const json *m = f->faulty ? json_get(f->bug, instead) : NULL;
    if (!m)
        m = json_get(f->one, name);
    return m ? m : json_get(f->bug, name);
}

static inline const char *text_or(const frame *f, const char *name, const char *otherwise)
{
    const json *m = find(f, name);
    cr_assert(!m || m->type == '"', "%s: not a string", name);
    return m ? m->text : otherwise;
}

static inline const char *text_of(const frame *f, const char *name)
{
    const char *text = text_or(f, name, NULL);
    cr_assert(text != NULL, "%s: missing", name);
    return text;
}

static inline size_t number_of(const frame *f, const char *name)
{
    const json *m = find(f, name);
    cr_assert(m && m->type == '0', "%s: not a number", name);
    return (size_t)strtoul(m->text, NULL, 10);
}

static inline int truth_of(const frame *f, const char *name)
{
    const json *m = find(f, name);
    return m && m->type == 't';
}

/* The hexadecimal words of a member, at most WORDS. Returns their number. */
static inline size_t words_of(const frame *f, const char *name, uint64_t *words)
{
    size_t n = 0;
    const char *at = text_of(f, name);
    for (char *end; *at; at = end + (*end == ' ')) {
        cr_assert(n < WORDS, "%s: too many words", name);
        words[n++] = strtoull(at, &end, 16);
        cr_assert(end != at && (*end == ' ' || *end == '\0'), "%s: %s", name, at);
    }
    return n;
}

static inline uint64_t word_of(const frame *f, const char *name)
{
    uint64_t words[WORDS];
    cr_assert(words_of(f, name, words) == 1, "%s: not one word", name);
    return words[0];
}

static inline uint32_t *narrow32(uint32_t *to, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint32_t)words[i];
    return to;
}

static inline uint8_t *narrow8(uint8_t *to, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)words[i];
    return to;
}

/* ---- outputs --------------------------------------------------------------------------------- */

static inline char *begin(outputs *o, const char *name)
{
    cr_assert(o->n < COUNT(o->of));
    o->of[o->n].name = name;
    o->of[o->n].text[0] = '\0';
    return o->of[o->n++].text;
}

static inline void put_words(outputs *o, const char *name, const uint64_t *words, size_t n,
                             int bits)
{
    char *text = begin(o, name);
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, sizeof o->of[0].text - used, "%s%0*" PRIx64,
                                 i ? " " : "", (bits + 3) / 4, words[i]);
        cr_assert(used < sizeof o->of[0].text, "%s: too long", name);
    }
}

static inline void put_word(outputs *o, const char *name, uint64_t word, int bits)
{
    put_words(o, name, &word, 1, bits);
}

static inline void put8(outputs *o, const char *name, const uint8_t *bytes, size_t n, int bits)
{
    uint64_t words[WORDS];
    for (size_t i = 0; i < n; i++)
        words[i] = bytes[i];
    put_words(o, name, words, n, bits);
}

static inline void put32(outputs *o, const char *name, const uint32_t *from, size_t n, int bits)
{
    uint64_t words[WORDS];
    for (size_t i = 0; i < n; i++)
        words[i] = from[i];
    put_words(o, name, words, n, bits);
}

static inline void put_result(outputs *o, sf8_result r, int bits)
{
    put_word(o, "result", r.code, bits);
    put_word(o, "flags", r.flags, 8);
}

/* ---- one value ------------------------------------------------------------------------------- */

/* The width of "i32" or "ui32"; 0 if it is a format. */
static inline int32_t integer_width(const char *name)
{
    const char *digits = name + (*name == 'u');
    return *digits == 'i' ? (int32_t)strtol(digits + 1, NULL, 10) : 0;
}

/* Cuts a function at `mark`: the part before it comes to `head`, the part after it is returned. */
static inline const char *cut(const char *function, const char *mark, char head[32])
{
    const char *at = strstr(function, mark);
    cr_assert(at && at - function < 32, "%s: not a function", function);
    memcpy(head, function, (size_t)(at - function));
    head[at - function] = '\0';
    return at + strlen(mark);
}

/* One conversion, from or to an integer too. */
static inline sf8_result convert(const frame *f, const char *from, const char *to, uint64_t a)
{
    sf8_policy policy = policy_of(text_of(f, "policy"));
    uint32_t random = (uint32_t)strtoul(text_or(f, "random", "0"), NULL, 16);
    int32_t in = integer_width(from), out = integer_width(to);
    if (in && *from == 'u')
        return sf8_from_u64_sr(format_of(to), a, policy, random);
    if (in)
        return sf8_from_i64_sr(format_of(to), (int64_t)(a << (64 - in)) >> (64 - in), policy,
                               random);
    if (out)
        return sf8_to_integer(format_of(from), a, out, *to == 'i', policy, truth_of(f, "exact"));
    return sf8_convert_sr(format_of(to), format_of(from), a, policy, random);
}

/* A_to_B, or A_to_B_to_A of a program that keeps the results of B in the format A. */
static inline void run_convert(const frame *f, outputs *o)
{
    char from[32], between[32];
    const char *to = cut(text_of(f, "function"), "_to_", from);
    uint64_t a = word_of(f, "a");
    if (strstr(to, "_to_")) {
        to = cut(to, "_to_", between);
        a = convert(f, from, between, a).code;
        strcpy(from, between);
    }
    put_result(o, convert(f, from, to, a),
               integer_width(to) ? integer_width(to) : sf8_format_bits(format_of(to)));
}

static inline void run_operation(const frame *f, outputs *o)
{
    static const struct {
        const char *name;
        sf8_result (*of)(sf8_format, uint64_t, uint64_t, sf8_policy);
    } binary[] = {
#define ARITHMETIC(any, op) {#op, sf8_##op},
#define EXTREMUM(any, op, greater, magnitude, number) {#op, sf8_##op},
        SF8_BINARY_ARITHMETIC(ARITHMETIC, any) SF8_EXTREMA(EXTREMUM, any)
#undef ARITHMETIC
#undef EXTREMUM
    };
    char name[32];
    const char *op = cut(text_of(f, "function"), "_", name);
    sf8_format format = format_of(name);
    sf8_policy policy = policy_of(text_of(f, "policy"));
    uint64_t a = word_of(f, "a");
    int bits = sf8_format_bits(format);
    if (strcmp(op, "abs") == 0) {
        put_word(o, "result", sf8_abs(format, a), bits);
    } else if (strcmp(op, "roundToInt") == 0) {
        put_result(o, sf8_rint(format, a, policy, truth_of(f, "exact")), bits);
    } else if (strcmp(op, "mulAdd") == 0) {
        put_result(o, sf8_fma(format, a, word_of(f, "b"), word_of(f, "c"), policy), bits);
    } else {
        size_t i = 0;
        while (i < COUNT(binary) && strcmp(op, binary[i].name) != 0)
            i++;
        cr_assert(i < COUNT(binary), "%s: not an operation", op);
        put_result(o, binary[i].of(format, a, word_of(f, "b"), policy), bits);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The recipe, with those programs replaced that the bug names. */
static inline sf8_recipe recipe_of(const frame *f)
{
    const char *name = text_of(f, "recipe");
    const sf8_recipe_row *row = NULL;
    for (size_t i = 0; (row = sf8_recipe_at(i)) && strcmp(row->name, name) != 0;)
        i++;
    cr_assert(row != NULL, "%s: not a recipe", name);
    sf8_recipe_row changed = *row;
    changed.scale_of = text_or(f, "scale_of", row->scale_of);
    changed.factor_of = text_or(f, "factor_of", row->factor_of);
    changed.element_of = text_or(f, "element_of", row->element_of);
    changed.value_of = text_or(f, "value_of", row->value_of);
    sf8_recipe recipe;
    cr_assert(sf8_recipe_read(&recipe, &changed) == SF8_OK, "%s: not valid", name);
    return recipe;
}

static inline float global_scale(const frame *f)
{
    return sf8_f32_from_bits((uint32_t)strtoul(text_or(f, "g", "3f800000"), NULL, 16));
}

static inline void run_quantize(const frame *f, outputs *o)
{
    sf8_recipe recipe = recipe_of(f);
    sf8_format from = format_of(text_of(f, "from"));
    uint64_t words[WORDS];
    uint32_t values[WORDS], scales[WORDS], offsets[WORDS];
    uint16_t halves[WORDS];
    uint8_t codes[WORDS];
    size_t n = words_of(f, "values", words);
    for (size_t i = 0; i < n; i++)
        halves[i] = (uint16_t)words[i];
    narrow32(values, words, n);
    const void *src = sf8_format_bits(from) == 16 ? (const void *)halves : values;
    cr_assert(sf8_quantize_n(&recipe, codes, scales, offsets, from, src, 1, n, global_scale(f)) ==
              SF8_OK);
    put8(o, "codes", codes, n, (int)sf8_recipe_bits(&recipe));
    put32(o, "scales", scales, sf8_recipe_blocks(&recipe, n), sf8_format_bits(recipe.scale));
}

static inline void run_dequantize(const frame *f, outputs *o)
{
    sf8_recipe recipe = recipe_of(f);
    uint64_t words[WORDS];
    uint32_t values[WORDS], scales[WORDS];
    uint8_t codes[WORDS];
    cr_assert(strcmp(text_of(f, "to"), "f32") == 0, "values are f32");
    narrow32(scales, words, words_of(f, "scales", words));
    size_t n = words_of(f, "codes", words);
    narrow8(codes, words, n);
    cr_assert(sf8_dequantize_n(&recipe, format_of("f32"), values, codes, scales, NULL, 1, n,
                               global_scale(f)) == SF8_OK);
    put32(o, "values", values, n, 32);
}

static inline void run_pack(const frame *f, outputs *o)
{
    sf8_recipe recipe = recipe_of(f);
    uint64_t words[WORDS];
    uint8_t codes[WORDS], bytes[WORDS];
    size_t n = words_of(f, "codes", words);
    cr_assert(sf8_recipe_pack_n(&recipe, bytes, narrow8(codes, words, n), n) == SF8_OK);
    put8(o, "bytes", bytes, sf8_packed_size((int32_t)sf8_recipe_bits(&recipe), n), 8);
}

/* Where a layout puts the scale of a row and column: all others are 0. */
static inline void run_layout(const frame *f, outputs *o)
{
    sf8_status status;
    sf8_layout layout = sf8_layout_named(text_of(f, "layout"), &status);
    cr_assert(status == SF8_OK, "%s: not a layout", text_of(f, "layout"));
    size_t rows = number_of(f, "rows"), columns = number_of(f, "columns"), size, at = 0;
    size_t row = number_of(f, "row"), column = number_of(f, "column");
    uint8_t linear[SCALES] = {0}, placed[SCALES] = {0};
    cr_assert(row < rows && column < columns && rows * columns <= SCALES);
    cr_assert(sf8_layout_places(layout, rows, columns, &size) == SF8_OK && size <= SCALES);
    linear[row * columns + column] = 1;
    cr_assert(sf8_layout_store_n(layout, placed, linear, rows, columns) == SF8_OK);
    while (at + 1 < size && !placed[at])
        at++;
    snprintf(begin(o, "place"), sizeof o->of[0].text, "%zu", at);
}

/* ---- attention and matrix units -------------------------------------------------------------- */

static inline void run_weighted(const frame *f, outputs *o)
{
    uint64_t words[WORDS];
    uint32_t weights[WORDS], values[WORDS], result;
    size_t n = words_of(f, "weights", words);
    narrow32(weights, words, n);
    cr_assert(words_of(f, "values", words) == n);
    sf8_f32_weighted_n(&result, weights, narrow32(values, words, n), n, 1, truth_of(f, "skip"));
    put_word(o, "result", result, 32);
}

static inline void run_merge(const frame *f, outputs *o)
{
    sf8_status status;
    sf8_merge rule = sf8_merge_named(text_of(f, "rule"), &status);
    cr_assert(status == SF8_OK, "%s: not a rule", text_of(f, "rule"));
    uint32_t out, a = (uint32_t)word_of(f, "a"), b = (uint32_t)word_of(f, "b");
    sf8_f32_merge_n(rule, &out, &a, (uint32_t)word_of(f, "lse_a"), &b,
                    (uint32_t)word_of(f, "lse_b"), 1);
    put_word(o, "result", out, 32);
}

static inline void run_mma(const frame *f, outputs *o)
{
    sf8_mma unit;
    sf8_format out = format_of(text_of(f, "out_format"));
    uint64_t words[WORDS];
    uint8_t a[WORDS], b[WORDS];
    cr_assert(sf8_mma_named(&unit, text_of(f, "unit"), format_of(text_of(f, "a_format")),
                            format_of(text_of(f, "b_format")), out) == SF8_OK,
              "%s: not a unit for these formats", text_of(f, "unit"));
    size_t n = words_of(f, "a", words);
    narrow8(a, words, n);
    cr_assert(words_of(f, "b", words) == n);
    narrow8(b, words, n);
    put_word(o, "d", sf8_mma_dot(&unit, a, b, NULL, NULL, n, (uint32_t)word_of(f, "c")),
             sf8_format_bits(out));
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The kinds in the order of the page, with the heading of their bugs there. */
static const struct kind {
    const char *name, *heading;
    void (*run)(const frame *, outputs *);
} kinds[] = {
    {"convert", "Conversions", run_convert},
    {"unary", "Operations on one value", run_operation},
    {"binary", "Operations on two values", run_operation},
    {"fma", "Fused multiply-add", run_operation},
    {"quantize", "Quantizing blocks", run_quantize},
    {"dequantize", "Reading blocks back", run_dequantize},
    {"pack", "Codes in bytes", run_pack},
    {"layout", "Layouts of scales", run_layout},
    {"weighted", "Attention", run_weighted},
    {"merge", "Merging parts of attention", run_merge},
    {"mma", "Matrix units", run_mma},
};

static inline const struct kind *kind_of(const json *bug)
{
    const json *name = json_get(bug, "kind");
    for (size_t i = 0; name && name->type == '"' && i < COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name->text) == 0)
            return &kinds[i];
    return NULL;
}

#endif
