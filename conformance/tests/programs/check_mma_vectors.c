/* SPDX-License-Identifier: MIT */
/* check_mma_vectors.c -- the JSON vectors of each matrix unit show every change of one parameter,
 * and have special values
 *
 * The changes are listed here, and so is what no row can show, with the reason. Both are
 * independent of the program that chooses the rows.
 */
#include "vectors/kinds.h"
#include "checks.h"
#include "vectors/unit_probes.h"
#include "suite/input_sets.h"

#include <stdlib.h>
#include <string.h>

enum { K_MOST = 128, CASES_MOST = 150, RANDOM_ROWS = 300 };

typedef struct row {
    unsigned char a[4 * K_MOST], b[4 * K_MOST];
    uint8_t scale_a[K_MOST], scale_b[K_MOST];
    size_t k;
    uint32_t c, d;
} row;

/* The cases of a unit with formats. */
typedef struct subject {
    const char *unit, *a, *b, *out, *scale;
    vector_group group;
    row row[CASES_MOST];
    size_t count;
    vector_tags tags;
    char name[160];
} subject;

/* ---- cases ----------------------------------------------------------------------------------- */

static void take_row(const vector_group *g, vector_case *c, row *r)
{
    const vector_words *a = case_field(g, c, "a"), *b = case_field(g, c, "b");
    const vector_words *sa = case_field(g, c, "scale_a"), *sb = case_field(g, c, "scale_b");
    memset(r, 0, sizeof *r);
    r->k = a->count;
    for (size_t i = 0; i < r->k; i++) {
        mma_code_put(g->unit.a, r->a, i, (uint32_t)a->word[i]);
        mma_code_put(g->unit.b, r->b, i, (uint32_t)b->word[i]);
    }
    for (size_t i = 0; sa && i < sa->count; i++) {
        r->scale_a[i] = (uint8_t)sa->word[i];
        r->scale_b[i] = (uint8_t)sb->word[i];
    }
    r->c = (uint32_t)case_field(g, c, "c")->word[0];
    r->d = (uint32_t)case_field(g, c, "d")->word[0];
}

static uint32_t dot(const sf8_mma *u, const row *r)
{
    return sf8_mma_dot(u, r->a, r->b, r->scale_a, r->scale_b, r->k, r->c);
}

static int names_differ(char names[CASES_MOST][CASE_NAME], size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                return 0;
    return 1;
}

static int open_subject(subject *s)
{
    static char names[CASES_MOST][CASE_NAME];
    vector_group *g = &s->group;
    vector_case c;
    char name[CASE_NAME];
    int fits = 1;
    memset(&c, 0, sizeof c);
    group_begin(g, &kind_mma);
    group_set(g, "unit", s->unit);
    group_set(g, "a_format", s->a);
    group_set(g, "b_format", s->b);
    group_set(g, "out_format", s->out);
    if (kind_mma.open(g) != NULL)
        return 0;
    kind_mma.choose(g);
    for (s->count = 0; fits && kind_mma.nth(g, s->count, &c, name); s->count++) {
        if (s->count + 1 == CASES_MOST)
            fits = 0;
        strcpy(names[s->count], name);
        check(kind_mma.run(g, &c) == NULL, s->name, "a row that the unit does not take");
        s->tags |= kind_mma.tags(g, &c);
        take_row(g, &c, &s->row[s->count]);
    }
    check(fits, s->name, "150 cases or more");
    check(names_differ(names, s->count), s->name, "two cases with one name");
    case_free(&c);
    return 1;
}

/* ---- changes that no row shows --------------------------------------------------------------- */

/* The exponent of the last bit of a format's subnormal numbers, and of its normal numbers. */
typedef struct ends {
    const char *name;
    int bit, normal;
} ends;

static const ends formats[] = {{"f32", -149, -126},   {"tf32", -136, -126},   {"bf16", -133, -126},
                               {"f16", -24, -14},     {"e4m3", -9, -6},       {"e5m2", -16, -14},
                               {"e4m3fnuz", -10, -7}, {"e5m2fnuz", -17, -15}, {"e3m2", -4, -2},
                               {"e2m3", -3, 0},       {"e2m1", -1, 0},        {"ue4m3", -9, -6},
                               {"e8m0", -127, -127}};

static ends ends_of(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i];
    check(0, "a format without a row in this test", name);
    return formats[0];
}

/* The last bit that a product can have, and its least exponent. That of a group is that of its
 * scales. */
static ends ends_of_product(const subject *s)
{
    const ends a = ends_of(s->a), b = ends_of(s->b);
    ends p = {"product", a.bit + b.bit, a.normal + b.normal};
    if (s->group.unit.scale_block) {
        const ends scale = ends_of(s->scale);
        p.bit += 2 * scale.bit;
        p.normal = (s->group.unit.group ? 0 : p.normal) + 2 * scale.normal;
    }
    return p;
}

/* Up to this exponent a zero changes no sum: either another term has a larger exponent, or all bits
 * of the other terms are above those that the zero cuts off. c is no term of a lowered unit. */
static int idle_zero(const subject *s)
{
    const ends p = ends_of_product(s), c = ends_of(s->out);
    int fraction = s->group.unit.fraction;
    int by_product = p.bit + fraction > p.normal ? p.bit + fraction : p.normal;
    int by_c = c.bit + fraction > c.normal ? c.bit + fraction : c.normal;
    int is_lowered = strstr(s->unit, "-mma-fp8") != NULL;
    return is_lowered || by_product < by_c ? by_product : by_c;
}

static int no_idle_zero(const subject *s, int value)
{
    return s->group.unit.zero <= idle_zero(s) && value <= idle_zero(s);
}

/* Every sum is a multiple of the last bit of the result, so none rounds to zero. e8m13 ends at
 * 2^-139, and cuts c there as well. */
static int never_underflows(const subject *s, int value)
{
    const ends p = ends_of_product(s);
    (void)value;
    return p.bit >= (strcmp(s->out, "f16") == 0 ? -24 : -139);
}

static int has_groups(const subject *s, int value)
{
    (void)value;
    return s->group.unit.group > 0;
}

static const struct {
    const char *parameter, *reason;
    int (*holds)(const subject *s, int value);
} unseen[] = {
    {"zero", "the zero never has the largest exponent, or cuts off no bit", no_idle_zero},
    {"underflow", "no sum is below the last bit of the result", never_underflows},
    {"products", "a group has the exponent of its scales, and none of a product", has_groups},
};

static const char *reason_unseen(const subject *s, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++)
        if (strcmp(unseen[i].parameter, name) == 0 && unseen[i].holds(s, atoi(value)))
            return unseen[i].reason;
    return NULL;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Random codes, NaN among them: rows that show a change which is said to be unseen. */
static void draw_row(const subject *s, row *r, uint64_t *state)
{
    const sf8_mma *u = &s->group.unit;
    size_t live = 1 + (size_t)(word_random(state) % 4);
    memset(r, 0, sizeof *r);
    r->k = (size_t)u->k;
    for (size_t n = 0; n < live; n++) {
        size_t i = (size_t)word_random(state) % r->k;
        mma_code_put(u->a, r->a, i, (uint32_t)(word_random(state) & sf8_format_code_mask(u->a)));
        mma_code_put(u->b, r->b, i, (uint32_t)(word_random(state) & sf8_format_code_mask(u->b)));
    }
    for (size_t i = 0; i < K_MOST; i++) {
        r->scale_a[i] = (uint8_t)word_random(state);
        r->scale_b[i] = (uint8_t)word_random(state);
    }
    r->c = (uint32_t)(word_random(state) & sf8_format_code_mask(u->out));
    if (word_random(state) % 2)
        r->c &= (uint32_t)sf8_format_min_normal(u->out) * 4 - 1;
    r->d = dot(u, r);
}

static int is_shown(const subject *s, const sf8_mma *changed)
{
    for (size_t i = 0; i < s->count; i++)
        if (dot(changed, &s->row[i]) != s->row[i].d)
            return 1;
    return 0;
}

static int is_shown_at_random(const subject *s, const sf8_mma *changed)
{
    uint64_t state = 1;
    for (size_t i = 0; i < RANDOM_ROWS; i++) {
        row r;
        draw_row(s, &r, &state);
        if (dot(changed, &r) != r.d)
            return 1;
    }
    return 0;
}

static void check_change(const subject *s, const char *name, const char *value)
{
    char text[320];
    sf8_mma changed = s->group.unit;
    if (sf8_mma_set(&changed, name, value) != SF8_OK ||
        memcmp(&changed, &s->group.unit, sizeof changed) == 0)
        return;
    const char *reason = reason_unseen(s, name, value);
    snprintf(text, sizeof text, "%s %s=%s", s->name, name, value);
    if (!reason) {
        check(is_shown(s, &changed), text, "no case shows it");
        return;
    }
    check(!is_shown(s, &changed) && !is_shown_at_random(s, &changed),
          "a row shows what is said to be unseen", text);
}

static void check_numbers(const subject *s, const char *name, int first, int last)
{
    for (int i = first; i <= last; i++) {
        char value[16];
        snprintf(value, sizeof value, "%d", i);
        check_change(s, name, value);
    }
}

static void check_changes(const subject *s)
{
    static const char *const words[][2] = {{"order", "fused"},
                                           {"order", "chain"},
                                           {"order", "independent"},
                                           {"order", "two-stage"},
                                           {"order", "interleaved"},
                                           {"underflow", "signed"},
                                           {"underflow", "positive"},
                                           {"cut", "zero"},
                                           {"cut", "down"},
                                           {"products", "raw"},
                                           {"products", "normalised"},
                                           {"round", "rz"},
                                           {"round", "rne"},
                                           {"round", "rna"},
                                           {"round", "ru"},
                                           {"round", "rd"},
                                           {"round", "ro"},
                                           {"round", "rnz"},
                                           {"sum", "f32"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        check_change(s, words[i][0], words[i][1]);
    for (int bits = 1; bits <= 22; bits++) {
        char value[16];
        snprintf(value, sizeof value, "e8m%d", bits);
        check_change(s, "sum", value);
    }
    check_numbers(s, "fraction", 1, 40);
    check_numbers(s, "length", 1, 64);
    check_numbers(s, "zero", -160, -8);
}

/* ---- special values -------------------------------------------------------------------------- */

/* A code of an operand or of c, by its class. */
typedef enum kind_of_code { CODE_NAN, CODE_INFINITE, CODE_MINUS_ZERO, CODE_SUBNORMAL } kind_of_code;

static int code_is(sf8_format f, kind_of_code kind, uint64_t code)
{
    uint64_t magnitude = code & sf8_format_mag_mask(f);
    switch (kind) {
    case CODE_NAN:
        return sf8_is_nan(f, code);
    case CODE_INFINITE:
        return sf8_is_inf(f, code);
    case CODE_MINUS_ZERO:
        return code == sf8_format_sign_bit(f) && !sf8_is_special(f, code);
    default:
        return magnitude > 0 && magnitude < sf8_format_min_normal(f);
    }
}

static int has_code(const subject *s, char operand, kind_of_code kind)
{
    const sf8_mma *u = &s->group.unit;
    for (size_t i = 0; i < s->count; i++) {
        const row *r = &s->row[i];
        if (operand == 'c' ? code_is(u->out, kind, r->c)
                           : operand == 'd' && code_is(u->out, kind, r->d))
            return 1;
        for (size_t k = 0; operand < 'c' && k < r->k; k++)
            if (operand == 'a' ? code_is(u->a, kind, mma_code_get(u->a, r->a, k))
                               : code_is(u->b, kind, mma_code_get(u->b, r->b, k)))
                return 1;
    }
    return 0;
}

static void check_operand(const subject *s, char operand, const char *format)
{
    static const char no_nan[] = "e2m1 e3m2 e2m3",
                      no_infinity[] = "e2m1 e3m2 e2m3 e4m3 e4m3fnuz e5m2fnuz";
    static const char no_minus_zero[] = "e4m3fnuz e5m2fnuz";
    const struct {
        kind_of_code kind;
        const char *what, *none;
    } codes[] = {{CODE_NAN, "no NaN", no_nan},
                 {CODE_INFINITE, "no infinity", no_infinity},
                 {CODE_MINUS_ZERO, "no -0", no_minus_zero},
                 {CODE_SUBNORMAL, "no subnormal number", ""}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        char text[200];
        const char *at = strstr(codes[i].none, format);
        size_t length = strlen(format);
        int without = at && (at[length] == '\0' || at[length] == ' ');
        snprintf(text, sizeof text, "%s, in %c", s->name, operand);
        check(without || has_code(s, operand, codes[i].kind), text, codes[i].what);
    }
}

/* Zero, the least, the greatest, NaN, and where a byte has a bit to spare, a sign. */
static void check_scales(const subject *s)
{
    static const uint8_t nvf4[] = {0x00, 0x01, 0x7e, 0x7f, 0xb8, 0x80}, mx[] = {0x00, 0xfe, 0xff};
    int is_mx = strcmp(s->scale, "e8m0") == 0;
    const uint8_t *scale = is_mx ? mx : nvf4;
    for (size_t i = 0; i < (is_mx ? sizeof mx : sizeof nvf4); i++) {
        int in_a = 0, in_b = 0;
        char code[8];
        for (size_t k = 0; k < s->count; k++) {
            in_a |= s->row[k].scale_a[0] == scale[i];
            in_b |= s->row[k].scale_b[0] == scale[i];
        }
        snprintf(code, sizeof code, "%02x", scale[i]);
        check(in_a && (in_b || scale[i] == 0x80), s->name, code);
    }
}

/* Whether finite inputs can give an infinite result: f16 ends at 65504. The largest sum of 64
 * products of e2m1, e2m3 or e3m2 is below f32's end by far, that of other 8 bits too. */
static int can_overflow(const subject *s)
{
    static const char *const wide[] = {"bf16", "tf32"};
    if (strcmp(s->out, "f16") == 0 || strcmp(s->scale, "e8m0") == 0)
        return 1;
    for (size_t i = 0; i < 2; i++)
        if (strcmp(s->a, wide[i]) == 0)
            return 1;
    return 0;
}

static void check_specials(const subject *s)
{
    check_operand(s, 'a', s->a);
    check_operand(s, 'b', s->b);
    check_operand(s, 'c', s->out);
    check(has_code(s, 'd', CODE_NAN) && has_code(s, 'd', CODE_INFINITE), s->name,
          "no NaN or infinite d");
    check(has_code(s, 'd', CODE_SUBNORMAL), s->name, "no subnormal d");
    check((s->tags >> TAG_OVERFLOW_TO_INFINITY & 1) == (vector_tags)can_overflow(s), s->name,
          "overflow of the result");
    if (s->group.unit.scale_block)
        check_scales(s);
}

/* ---- units ----------------------------------------------------------------------------------- */

static subject room;

static void check_unit(const char *unit, const char *a, const char *b, const char *out,
                       const char *scale)
{
    subject *s = &room;
    memset(s, 0, sizeof *s);
    s->unit = unit;
    s->a = a;
    s->b = b;
    s->out = out;
    s->scale = scale;
    snprintf(s->name, sizeof s->name, "%s %s %s %s", unit, a, b, out);
    if (!open_subject(s)) {
        check(0, s->name, "the unit does not open");
        return;
    }
    check_changes(s);
    if (!strchr(unit, ' '))
        check_specials(s);
}

/* Designs with parameters of their own. One cuts off all subnormal numbers beside a zero. */
static void check_designs(void)
{
    static const char *const designs[][3] = {
        {"hopper-qgmma fraction=20 sum=f32", "e4m3", "f32"},
        {"hopper-qgmma fraction=10 length=8 sum=e8m10", "e5m2", "f32"},
        {"hopper-qgmma fraction=17 round=rne underflow=signed", "e5m2", "f16"},
        {"blackwell-tcgen05 fraction=30 cut=down", "e2m1", "f32"},
        {"blackwell-hmma zero=-60 products=normalised", "f16", "f32"},
        {"cdna3-f16 fraction=21 order=fused zero=-133", "bf16", "f32"}};
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++)
        check_unit(designs[i][0], designs[i][1], designs[i][1], designs[i][2], "");
}

/* Of pairs of unequal formats e4m3 with e5m2 alone, unless SOFTFP8_TIER is full. If it is short, one
 * row of units in four. */
int main(void)
{
    const char *tier = getenv("SOFTFP8_TIER");
    int some = !tier || strcmp(tier, "full") != 0;
    size_t step = tier && strcmp(tier, "short") == 0 ? 4 : 1;
    const sf8_mma_row *unit;
    size_t units = 0;
    for (size_t i = 0; (unit = sf8_mma_at(i)) != NULL; i += step)
        for (size_t a = 0; a < sizeof formats / sizeof formats[0]; a++)
            for (size_t b = 0; b < sizeof formats / sizeof formats[0]; b++) {
                const char *in[2] = {formats[a].name, formats[b].name};
                if (some && a != b && (strcmp(in[0], "e4m3") != 0 || strcmp(in[1], "e5m2") != 0))
                    continue;
                if (!sf8_mma_takes(unit, sf8_format_named(in[0], NULL),
                                   sf8_format_named(in[1], NULL),
                                   sf8_format_named(unit->out, NULL)))
                    continue;
                check_unit(unit->unit, in[0], in[1], unit->out, unit->scale);
                units++;
            }
    check_designs();
    printf("%zu units with formats: %d checks, %d failures\n", units, checks, failures);
    return failures != 0;
}
