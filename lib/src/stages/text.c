/* SPDX-License-Identifier: MIT */
/* text.c -- stages as text: steps separated by |, each a kind or a row's name, and fields
 *
 *     rms-norm w=W eps=1e-6 | via=bf16       a norm; its result is rounded to bf16
 *     vllm-silu-mul mid=f16 via=f16          a row, and what differs from it
 */
#include "softfp8_stages.h"
#include "text/names.h"
#include "text/words.h"

#include <stddef.h>

/* ---- kinds ----------------------------------------------------------------------------------- */

#define SF8_STEP_KIND_WORD(id, name) name " "
static const char sf8_step_kinds[] = SF8_STEP_KINDS(SF8_STEP_KIND_WORD);

#define SF8_KIND(id) (1u << SF8_STEP_##id)
#define SF8_ALL_KINDS ((1u << SF8_STEP_KIND_COUNT) - 1)
#define SF8_NORMS (SF8_KIND(RMS_NORM) | SF8_KIND(LAYER_NORM))
#define SF8_EXPS (SF8_KIND(SILU) | SF8_KIND(SWIGLU_CLAMP) | SF8_KIND(SOFTMAX))
#define SF8_GATED                                                                                  \
    (SF8_KIND(RELU) | SF8_KIND(RELU2) | SF8_KIND(SILU) | SF8_KIND(GELU) | SF8_KIND(GELU_TANH) |    \
     SF8_KIND(SWIGLU_CLAMP))
#define SF8_SUMMED (SF8_NORMS | SF8_KIND(SOFTMAX) | SF8_KIND(HADAMARD))

/* ---- fields ---------------------------------------------------------------------------------- */

enum {
    SF8_STAGE_WORD,   /* one of the values */
    SF8_STAGE_FORMAT, /* two fields: the format, and its rounding mode */
    SF8_STAGE_ORDER,  /* four fields: sums, lanes, each, join */
    SF8_STAGE_COUNT,  /* an integer */
    SF8_STAGE_F32,
    SF8_STAGE_ARRAY
};

typedef struct sf8_stage_field {
    const char *name, *values;
    uint32_t type, kinds;
    size_t at;
} sf8_stage_field;

#define SF8_FIELD_OF(name, member, type, kinds, values)                                            \
    {                                                                                              \
        name, values, SF8_STAGE_##type, kinds, offsetof(sf8_stage_step, member)                    \
    }

static const sf8_stage_field sf8_stage_fields[] = {
    SF8_FIELD_OF("w", array[0], ARRAY, SF8_NORMS, "NAME"),
    SF8_FIELD_OF("b", array[1], ARRAY, SF8_KIND(LAYER_NORM), "NAME"),
    SF8_FIELD_OF("r", array[0], ARRAY, SF8_KIND(ADD), "NAME"),
    SF8_FIELD_OF("by", array[0], ARRAY, SF8_KIND(MULTIPLY) | SF8_KIND(DIVIDE), "NAME"),
    SF8_FIELD_OF("cos", array[0], ARRAY, SF8_KIND(ROPE), "NAME"),
    SF8_FIELD_OF("sin", array[1], ARRAY, SF8_KIND(ROPE), "NAME"),
    SF8_FIELD_OF("signs", array[0], ARRAY, SF8_KIND(HADAMARD), "NAME"),
    SF8_FIELD_OF("up", array[0], ARRAY, SF8_GATED, "NAME"),
    SF8_FIELD_OF("gate", gate, WORD, SF8_GATED, "none first second even odd array"),
    SF8_FIELD_OF("eps", eps, F32, SF8_NORMS, "N"),
    SF8_FIELD_OF("eps-at", eps_at, WORD, SF8_NORMS, "inside outside"),
    SF8_FIELD_OF("weight", plus_one, WORD, SF8_NORMS, "w w+1"),
    SF8_FIELD_OF("rstd", rstd, WORD, SF8_NORMS, "once twice"),
    SF8_FIELD_OF("alpha", alpha, F32, SF8_KIND(SWIGLU_CLAMP), "N"),
    SF8_FIELD_OF("limit", limit, F32, SF8_KIND(SWIGLU_CLAMP), "N"),
    SF8_FIELD_OF("form", form, WORD, SF8_EXPS, "quotient product"),
    SF8_FIELD_OF("exp", exp, WORD, SF8_EXPS, "e 2"),
    SF8_FIELD_OF("style", style, WORD, SF8_KIND(ROPE), "neox interleaved"),
    SF8_FIELD_OF("head", head, COUNT, SF8_KIND(ROPE), "N"),
    SF8_FIELD_OF("dim", dim, COUNT, SF8_KIND(ROPE), "N"),
    SF8_FIELD_OF("size", dim, COUNT, SF8_KIND(HADAMARD), "N"),
    SF8_FIELD_OF("scale", scale, F32, SF8_KIND(HADAMARD), "N"),
    SF8_FIELD_OF("order", sums, ORDER, SF8_SUMMED, "ORDER"),
    SF8_FIELD_OF("depth", depth, COUNT, SF8_SUMMED, "N"),
    SF8_FIELD_OF("fuse", fuse, WORD, SF8_NORMS | SF8_KIND(ROPE), "none sum"),
    SF8_FIELD_OF("ulps", ulps, COUNT, SF8_NORMS | SF8_EXPS | SF8_KIND(GELU) | SF8_KIND(GELU_TANH),
                 "N"),
    SF8_FIELD_OF("mid", mid, FORMAT, SF8_NORMS | SF8_GATED | SF8_KIND(ROPE) | SF8_KIND(HADAMARD),
                 "FORMAT"),
    SF8_FIELD_OF("via", via, FORMAT, SF8_ALL_KINDS, "FORMAT"),
};

enum { SF8_STAGE_FIELDS = sizeof sf8_stage_fields / sizeof sf8_stage_fields[0] };

const char *sf8_stage_field_at(size_t i)
{
    return i < SF8_STAGE_FIELDS ? sf8_stage_fields[i].name : NULL;
}

const char *sf8_stage_field_values(size_t i)
{
    return i < SF8_STAGE_FIELDS ? sf8_stage_fields[i].values : NULL;
}

/* A step whose fields have their defaults. The factor of hadamard follows from its size. */
static sf8_stage_step sf8_step_default(uint32_t kind, uint32_t gate)
{
    const char *const first = kind == SF8_STEP_ADD                                   ? "r"
                              : kind == SF8_STEP_MULTIPLY || kind == SF8_STEP_DIVIDE ? "by"
                              : kind == SF8_STEP_ROPE                                ? "cos"
                                                                                     : "";
    const char *const second = kind == SF8_STEP_ROPE ? "sin" : "";
    sf8_stage_step s;
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.gate = kind == SF8_STEP_SWIGLU_CLAMP ? (uint32_t)SF8_GATE_EVEN : gate;
    s.eps = kind == SF8_STEP_RMS_NORM ? 0x358637bdu : kind == SF8_STEP_LAYER_NORM ? 0x3727c5acu : 0;
    s.alpha = kind == SF8_STEP_SWIGLU_CLAMP ? 0x3fd9db23u : 0; /* 1.702 */
    s.limit = kind == SF8_STEP_SWIGLU_CLAMP ? 0x40e00000u : 0; /* 7 */
    s.form = kind == SF8_STEP_SWIGLU_CLAMP ? SF8_FORM_PRODUCT : SF8_FORM_QUOTIENT;
    s.dim = kind == SF8_STEP_HADAMARD ? 16 : 0;
    memcpy(s.array[0], first, strlen(first));
    memcpy(s.array[1], second, strlen(second));
    return s;
}

static uint32_t *sf8_stage_member(sf8_stage_step *s, const sf8_stage_field *f)
{
    return (uint32_t *)(void *)((char *)s + f->at);
}

/* ---- read ------------------------------------------------------------------------------------ */

static const char sf8_stage_formats[] = "f32 bf16 f16";

/* "bf16" or "bf16:rz". Stochastic rounding is none. */
static sf8_status sf8_stage_read_format(const char *text, uint32_t *format)
{
    char word[8] = {0};
    size_t n = strcspn(text, ":");
    if (n >= sizeof word)
        return SF8_BAD_TEXT;
    memcpy(word, text, n);
    int32_t place = sf8_place_in(sf8_stage_formats, word);
    int32_t round = text[n] ? sf8_place_in(SF8_ROUNDING_NAMES, text + n + 1) : SF8_RNE;
    if (place < 0 || round < 0 || round == SF8_SR)
        return SF8_BAD_TEXT;
    format[0] = (uint32_t)place;
    format[1] = place ? (uint32_t)round : (uint32_t)SF8_RNE;
    return SF8_OK;
}

/* "tree", or threads: "32x1", "256x8/halves", "torch8". */
static sf8_status sf8_stage_read_order(const char *text, uint32_t *order)
{
    static const char plain[] = "sequential tree - - exact any",
                      joins[] = "neighbours halves chain";
    char word[16] = {0};
    int32_t lanes, each = 1, join = SF8_JOINS_NEIGHBOURS, place = sf8_place_in(plain, text);
    const char *slash = strchr(text, '/');
    size_t n = slash ? (size_t)(slash - text) : strlen(text);
    if (strcmp(text, "torch8") == 0 || strcmp(text, "torch16") == 0) {
        order[0] = SF8_SUMS_TORCH;
        order[1] = text[5] == '8' ? 8 : 16;
        order[2] = order[3] = 0;
        return SF8_OK;
    }
    if (place >= 0 && text[0] != '-') {
        order[0] = (uint32_t)place;
        order[1] = order[2] = order[3] = 0;
        return SF8_OK;
    }
    if (n >= sizeof word)
        return SF8_BAD_TEXT;
    memcpy(word, text, n);
    char *x = strchr(word, 'x');
    if (x)
        *x = '\0';
    if (!x || !sf8_digits_read(word, 4, &lanes) || !sf8_digits_read(x + 1, 4, &each) || lanes < 1 ||
        lanes > 1024 || each < 1)
        return SF8_BAD_TEXT;
    if (slash)
        join = sf8_place_in(joins, slash + 1);
    if (join < 0 || (join == SF8_JOINS_HALVES && (lanes & (lanes - 1)) != 0))
        return SF8_BAD_TEXT;
    order[0] = SF8_SUMS_LANES;
    order[1] = (uint32_t)lanes;
    order[2] = (uint32_t)each;
    order[3] = (uint32_t)join;
    return SF8_OK;
}

static sf8_status sf8_stage_read_f32(const char *text, uint32_t *value)
{
    sf8_result r;
    if (sf8_from_text(SF8_F32, text, SF8_OCP_NOSAT, &r, NULL) != SF8_OK || r.code >= SF8_F32_INF)
        return SF8_BAD_TEXT;
    *value = (uint32_t)r.code;
    return SF8_OK;
}

static sf8_status sf8_stage_read_name(const char *text, char *name)
{
    size_t n = strlen(text);
    if (n == 0 || n >= SF8_STEP_NAME || strchr(text, '|'))
        return SF8_BAD_TEXT;
    memset(name, 0, SF8_STEP_NAME);
    memcpy(name, text, n);
    return SF8_OK;
}

static sf8_status sf8_stage_set(sf8_stage_step *s, const sf8_stage_field *f, const char *text)
{
    int32_t value;
    uint32_t *member = sf8_stage_member(s, f);
    switch (f->type) {
    case SF8_STAGE_FORMAT:
        return sf8_stage_read_format(text, member);
    case SF8_STAGE_ORDER:
        return sf8_stage_read_order(text, member);
    case SF8_STAGE_F32:
        return sf8_stage_read_f32(text, member);
    case SF8_STAGE_ARRAY:
        if (strcmp(f->name, "up") == 0)
            s->gate = SF8_GATE_ARRAY;
        return sf8_stage_read_name(text, (char *)member);
    case SF8_STAGE_COUNT:
        if (!sf8_digits_read(text, 5, &value) || value < 0 || value > 65535)
            return SF8_BAD_TEXT;
        break;
    default:
        value = sf8_place_in(f->values, text);
        if (value < 0)
            return SF8_BAD_TEXT;
    }
    *member = (uint32_t)value;
    return SF8_OK;
}

static const sf8_stage_field *sf8_stage_field_named(const char *name, uint32_t kind)
{
    for (size_t i = 0; i < SF8_STAGE_FIELDS; i++)
        if (strcmp(sf8_stage_fields[i].name, name) == 0 && sf8_stage_fields[i].kinds >> kind & 1)
            return &sf8_stage_fields[i];
    return NULL;
}

/* The kind of this name, which may be followed by -gate. */
static int32_t sf8_step_named(const char *name, uint32_t *gate)
{
    char kind[SF8_WORD_SIZE];
    size_t n = strlen(name);
    int32_t place;
    memcpy(kind, name, n + 1);
    *gate = n > 5 && strcmp(name + n - 5, "-gate") == 0 ? SF8_GATE_FIRST : SF8_GATE_NONE;
    if (*gate)
        kind[n - 5] = '\0';
    place = sf8_place_in(sf8_step_kinds, kind);
    return *gate && (place < 0 || !(SF8_GATED >> place & 1) || place == SF8_STEP_SWIGLU_CLAMP)
               ? -1
               : place;
}

/* What is being read: the steps of the text, of which those from `first` on belong to one name;
 * `given` are the fields that were set, a bit each. */
typedef struct sf8_stage_reader {
    sf8_stage *stage;
    int32_t first;
    uint64_t given;
} sf8_stage_reader;

static sf8_status sf8_stage_take_field(sf8_stage_reader *r, const sf8_text_word *word)
{
    for (int32_t i = r->stage->count - 1; i >= r->first; i--) {
        const sf8_stage_field *f = sf8_stage_field_named(word->name, r->stage->step[i].kind);
        if (!f)
            continue;
        uint64_t bit = UINT64_C(1) << (f - sf8_stage_fields);
        if (r->given & bit)
            return SF8_BAD_TEXT;
        r->given |= bit;
        return sf8_stage_set(&r->stage->step[i], f, word->value);
    }
    return SF8_UNKNOWN_NAME;
}

/* What cannot be said by one field: a size that is no power of two, arrays that are missing. The
 * factor of hadamard, if it was not given, is 1 / sqrt(size). */
static sf8_status sf8_stage_settle(sf8_stage_step *s)
{
    if (s->gate == SF8_GATE_ARRAY && !s->array[0][0])
        return SF8_BAD_TEXT;
    if (s->gate != SF8_GATE_ARRAY && s->array[0][0] && (SF8_GATED >> s->kind & 1))
        return SF8_BAD_TEXT;
    if (s->kind == SF8_STEP_SWIGLU_CLAMP && s->gate == SF8_GATE_NONE)
        return SF8_BAD_TEXT;
    if (s->kind != SF8_STEP_HADAMARD)
        return SF8_OK;
    if (s->dim == 0 || (s->dim & (s->dim - 1)) != 0)
        return SF8_BAD_TEXT;
    if (s->scale == 0)
        s->scale = sf8_f32_rsqrt_rounded(sf8_f32_of((int32_t)s->dim), SF8_RNE);
    return SF8_OK;
}

/* A rounding alone is that of the step before, if that has none. */
static void sf8_stage_merge(sf8_stage *stage)
{
    sf8_stage_step *s = &stage->step[stage->count - 1];
    if (stage->count < 2 || s->kind != SF8_STEP_ROUND || s[-1].via != SF8_STEP_F32)
        return;
    s[-1].via = s->via;
    s[-1].via_round = s->via_round;
    memset(s, 0, sizeof *s);
    stage->count--;
}

/* Cuts the next step out of a text; returns where the one after it begins. */
static size_t sf8_stage_cut(const char *text, size_t from, char part[SF8_STAGE_TEXT_SIZE])
{
    size_t length = strcspn(text + from, "|");
    size_t kept = length < SF8_STAGE_TEXT_SIZE ? length : SF8_STAGE_TEXT_SIZE - 1;
    memcpy(part, text + from, kept);
    part[kept] = '\0';
    return from + length + (text[from + length] != '\0');
}

/* The first word of a step: a kind, or a rounding alone. */
static sf8_status sf8_stage_take_kind(sf8_stage_reader *r, const sf8_text_word *word)
{
    uint32_t gate = SF8_GATE_NONE;
    int32_t kind = word->has_value ? SF8_STEP_ROUND : sf8_step_named(word->name, &gate);
    if (kind < 0)
        return SF8_UNKNOWN_NAME;
    if (r->stage->count == SF8_STAGE_STEPS)
        return SF8_NO_ROOM;
    r->stage->step[r->stage->count++] = sf8_step_default((uint32_t)kind, gate);
    return word->has_value ? sf8_stage_take_field(r, word) : SF8_OK;
}

/* The steps of a row, whose text has no names of rows. */
static sf8_status sf8_stage_take_row(sf8_stage_reader *r, const sf8_stage_row *row)
{
    char part[SF8_STAGE_TEXT_SIZE];
    for (size_t next = 0; row->text[next];) {
        sf8_stage_reader own = {r->stage, r->stage->count, 0};
        sf8_text_word word;
        sf8_status status = SF8_OK;
        next = sf8_stage_cut(row->text, next, part);
        for (size_t at = 0; status == SF8_OK && sf8_word_next(part, at, &word); at = word.end)
            status = at == 0 ? sf8_stage_take_kind(&own, &word) : sf8_stage_take_field(&own, &word);
        if (status != SF8_OK)
            return status;
    }
    return SF8_OK;
}

/* A step of a text; *at receives where it stops in the step. */
static sf8_status sf8_stage_take_step(sf8_stage *stage, const char *part, size_t *at)
{
    sf8_stage_reader r = {stage, stage->count, 0};
    sf8_text_word word;
    sf8_status status = SF8_UNKNOWN_NAME;
    *at = 0;
    for (size_t next = 0, words = 0; sf8_word_next(part, next, &word); next = word.end, words++) {
        const sf8_stage_row *row = words || word.has_value ? NULL : sf8_stage_named(word.name);
        status = row     ? sf8_stage_take_row(&r, row)
                 : words ? sf8_stage_take_field(&r, &word)
                         : sf8_stage_take_kind(&r, &word);
        *at = word.at;
        if (status != SF8_OK)
            return status;
    }
    for (int32_t i = r.first; i < stage->count && status == SF8_OK; i++)
        status = sf8_stage_settle(&stage->step[i]);
    if (status == SF8_OK && stage->count - r.first == 1)
        sf8_stage_merge(stage);
    return status;
}

sf8_status sf8_stage_read(const char *text, sf8_stage *stage, size_t *at)
{
    char part[SF8_STAGE_TEXT_SIZE];
    sf8_stage read;
    size_t from = 0, next, in_part;
    memset(&read, 0, sizeof read);
    if (!text)
        return sf8_stopped_at(at, 0, SF8_UNKNOWN_NAME);
    do {
        next = sf8_stage_cut(text, from, part);
        sf8_status status = sf8_stage_take_step(&read, part, &in_part);
        if (status != SF8_OK)
            return sf8_stopped_at(at, from + in_part, status);
        from = next;
    } while (text[from] || (from > 0 && text[from - 1] == '|'));
    *stage = read;
    return SF8_OK;
}

/* ---- written --------------------------------------------------------------------------------- */

/* A text that grows in the caller's memory; `used` counts on when that is full. */
typedef struct sf8_stage_writer {
    char *text;
    size_t size, used;
} sf8_stage_writer;

static void sf8_stage_add(sf8_stage_writer *w, const char *text, size_t length)
{
    if (w->used < w->size && length < w->size - w->used)
        memcpy(w->text + w->used, text, length);
    w->used += length;
}

static void sf8_stage_add_word(sf8_stage_writer *w, const char *list, uint32_t i)
{
    size_t length;
    const char *word = sf8_word_at(list, i, &length);
    if (word)
        sf8_stage_add(w, word, length);
}

static void sf8_stage_add_number(sf8_stage_writer *w, uint32_t value)
{
    char digits[12];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    sf8_stage_add(w, digits + n, sizeof digits - n);
}

static void sf8_stage_add_order(sf8_stage_writer *w, const uint32_t *order)
{
    static const char *const joins[] = {"", "/halves", "/chain"};
    if (order[0] == SF8_SUMS_TORCH) {
        sf8_stage_add(w, "torch", 5);
        sf8_stage_add_number(w, order[1]);
    } else if (order[0] == SF8_SUMS_LANES) {
        sf8_stage_add_number(w, order[1]);
        sf8_stage_add(w, "x", 1);
        sf8_stage_add_number(w, order[2]);
        sf8_stage_add(w, joins[order[3] % 3], strlen(joins[order[3] % 3]));
    } else {
        sf8_stage_add_word(w, "sequential tree - - exact any", order[0]);
    }
}

static void sf8_stage_add_value(sf8_stage_writer *w, const sf8_stage_field *f,
                                const uint32_t *member)
{
    char number[64];
    size_t length;
    switch (f->type) {
    case SF8_STAGE_FORMAT:
        sf8_stage_add_word(w, sf8_stage_formats, member[0]);
        if (member[1] != SF8_RNE) {
            sf8_stage_add(w, ":", 1);
            sf8_stage_add_word(w, SF8_ROUNDING_NAMES, member[1]);
        }
        break;
    case SF8_STAGE_ORDER:
        sf8_stage_add_order(w, member);
        break;
    case SF8_STAGE_COUNT:
        sf8_stage_add_number(w, *member);
        break;
    case SF8_STAGE_F32:
        if (sf8_to_text(SF8_F32, *member, SF8_TEXT_SHORTEST, number, sizeof number, &length) ==
            SF8_OK)
            sf8_stage_add(w, number, strlen(number));
        break;
    case SF8_STAGE_ARRAY:
        sf8_stage_add(w, (const char *)member, strlen((const char *)member));
        break;
    default:
        sf8_stage_add_word(w, f->values, *member);
    }
}

static size_t sf8_stage_field_size(const sf8_stage_field *f)
{
    return f->type == SF8_STAGE_ARRAY    ? (size_t)SF8_STEP_NAME
           : f->type == SF8_STAGE_ORDER  ? 4 * sizeof(uint32_t)
           : f->type == SF8_STAGE_FORMAT ? 2 * sizeof(uint32_t)
                                         : sizeof(uint32_t);
}

static void sf8_stage_add_step(sf8_stage_writer *w, sf8_stage_step s)
{
    uint32_t gated = SF8_GATED >> s.kind & 1 && s.kind != SF8_STEP_SWIGLU_CLAMP && s.gate;
    sf8_stage_step usual = sf8_step_default(s.kind, gated ? SF8_GATE_FIRST : SF8_GATE_NONE);
    if (s.gate == SF8_GATE_ARRAY)
        usual.gate = SF8_GATE_ARRAY;
    if (s.kind == SF8_STEP_HADAMARD)
        usual.scale = sf8_f32_rsqrt_rounded(sf8_f32_of((int32_t)s.dim), SF8_RNE);
    size_t before = w->used;
    if (s.kind != SF8_STEP_ROUND)
        sf8_stage_add_word(w, sf8_step_kinds, s.kind);
    if (gated)
        sf8_stage_add(w, "-gate", 5);
    for (size_t i = 0; i < SF8_STAGE_FIELDS; i++) {
        const sf8_stage_field *f = &sf8_stage_fields[i];
        uint32_t *member = sf8_stage_member(&s, f);
        if (!(f->kinds >> s.kind & 1) ||
            memcmp(member, sf8_stage_member(&usual, f), sf8_stage_field_size(f)) == 0)
            continue;
        if (w->used != before)
            sf8_stage_add(w, " ", 1);
        sf8_stage_add(w, f->name, strlen(f->name));
        sf8_stage_add(w, "=", 1);
        sf8_stage_add_value(w, f, member);
    }
    if (w->used == before)
        sf8_stage_add(w, "via=f32", 7);
}

sf8_status sf8_stage_write(const sf8_stage *stage, char *text, size_t size)
{
    sf8_stage_writer w = {text, size, 0};
    for (int32_t i = 0; i < stage->count; i++) {
        if (i > 0)
            sf8_stage_add(&w, " | ", 3);
        sf8_stage_add_step(&w, stage->step[i]);
    }
    if (w.used >= w.size)
        return SF8_NO_ROOM;
    text[w.used] = '\0';
    return SF8_OK;
}
