/* SPDX-License-Identifier: MIT */
/* oracle.c -- the expected result of a case, and its inputs */
#include "suite/oracle.h"

#include "suite/input_sets.h"

#include <stdlib.h>
#include <string.h>

/* ---- steps ----------------------------------------------------------------------------------- */

static int wrong(char why[CONFORM_TEXT], const char *what, const char *name)
{
    snprintf(why, CONFORM_TEXT, "%s '%s'", what, name ? name : "");
    return 0;
}

/* "round=rz nan_sign=signed" */
static int set_fields(sf8_policy *policy, const char *fields, char why[CONFORM_TEXT])
{
    for (const char *at = fields ? fields : ""; *at;) {
        char text[64];
        size_t length = strcspn(at, " ");
        if (length >= sizeof text)
            return wrong(why, "no field", at);
        memcpy(text, at, length);
        text[length] = '\0';
        char *equals = strchr(text, '=');
        if (!equals)
            return wrong(why, "no field", text);
        *equals = '\0';
        if (sf8_policy_set(policy, text, equals + 1) != SF8_OK)
            return wrong(why, "no such value of the field", text);
        at += length;
        at += *at == ' ';
    }
    return 1;
}

/* Steps that are not functions of the library have op numbers outside of its range. After the class
 * of a number: 0 for the zeros, else 1. After a conversion: 0 for values below zero. */
enum { OP_NOT_ZERO = SF8_OP_COUNT, OP_RELU };

static sf8_function not_zero(void)
{
    sf8_function f;
    memset(&f, 0, sizeof f);
    f.op = (sf8_function_op)OP_NOT_ZERO;
    f.operands = 1;
    f.operand[0].kind = SF8_WORD_CLASS;
    f.operand[0].bits = 4;
    f.result.kind = SF8_WORD_BOOL;
    f.result.bits = 1;
    return f;
}

static sf8_function relu_of(const sf8_word *word)
{
    sf8_function f;
    memset(&f, 0, sizeof f);
    f.op = (sf8_function_op)OP_RELU;
    f.operands = 1;
    f.operand[0] = f.result = *word;
    return f;
}

/* NaN stays, whatever its sign. */
static uint64_t relu(const sf8_word *word, uint64_t code)
{
    return code & sf8_format_sign_bit(word->format) && !sf8_is_nan(word->format, code) ? 0 : code;
}

static int open_special(oracle *o, const char *name)
{
    if (o->steps == 0)
        return 0;
    const sf8_function *before = &o->function[o->steps - 1];
    if (strcmp(name, "not_zero") == 0 && before->op == SF8_OP_class)
        o->function[o->steps] = not_zero();
    else if (strcmp(name, "relu") == 0 && before->op == SF8_OP_CONVERT)
        o->function[o->steps] = relu_of(&before->result);
    else
        return 0;
    return 1;
}

int oracle_open(oracle *o, const conform_case *c, char why[CONFORM_TEXT])
{
    memset(o, 0, sizeof *o);
    for (; o->steps < CONFORM_STEPS && c->oracle[o->steps].function; o->steps++) {
        const conform_step *s = &c->oracle[o->steps];
        sf8_status status;
        if (open_special(o, s->function))
            continue;
        if (sf8_function_named(s->function, &o->function[o->steps]) != SF8_OK)
            return wrong(why, "no function", s->function);
        o->policy[o->steps] = sf8_policy_named(s->policy, &status);
        if (status != SF8_OK)
            return wrong(why, "no policy", s->policy);
        if (!set_fields(&o->policy[o->steps], s->fields, why))
            return 0;
    }
    o->alike = c->slices == SLICES_NONE;
    for (int lane = 0; lane < GPU_LANES && !o->alike; lane++)
        o->random[lane] = gpu_rbits_slice(c->slices == SLICES_BYTES, c->rbits, lane);
    return o->steps > 0 ? 1 : wrong(why, "no step", "");
}

static uint64_t step(const oracle *o, int i, uint64_t word, int lane)
{
    if (o->model && i == o->model_step)
        return o->model(o->of_model, word);
    switch ((int)o->function[i].op) {
    case OP_NOT_ZERO:
        return word != SF8_CLASS_NEG_ZERO && word != SF8_CLASS_POS_ZERO;
    case OP_RELU:
        return relu(&o->function[i].result, word);
    default:
        return sf8_function_call(&o->function[i], &word, o->policy[i], o->random[lane], 0).code;
    }
}

uint64_t oracle_call_lane(const oracle *o, uint64_t word, int lane)
{
    for (int i = 0; i < o->steps; i++)
        word = step(o, i, word, lane);
    return word;
}

uint64_t oracle_call(const oracle *o, uint64_t word)
{
    return oracle_call_lane(o, word, 0);
}

uint64_t oracle_rest(const oracle *o, uint64_t code)
{
    for (int i = 1; i < o->steps; i++)
        code = step(o, i, code, 0);
    return code;
}

int oracle_is_relu(const oracle *o)
{
    return (int)o->function[o->steps - 1].op == OP_RELU;
}

int oracle_is_conversion(const oracle *o)
{
    return o->function[0].op == SF8_OP_CONVERT && o->steps == 1 + oracle_is_relu(o);
}

const sf8_word *oracle_source(const oracle *o)
{
    return &o->function[0].operand[0];
}

const sf8_word *oracle_target(const oracle *o)
{
    return &o->function[o->steps - 1].result;
}

int oracle_policy_holds(const oracle *o, const sf8_policy_row *row)
{
    const sf8_word *source = oracle_source(o), *target = oracle_target(o);
    const sf8_word *to = target->kind == SF8_WORD_FLOAT ? target : source;
    const sf8_word *from = source->kind == SF8_WORD_FLOAT ? source : target;
    return to->kind != SF8_WORD_FLOAT || sf8_policy_holds(row, to->format, from->format);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The boundaries of each step that converts from a format of the source's kind, the patterns of
 * integers, and random values: half of them of all bits, half near the exponents that matter. */
static void add_campaign(word_set *set, const oracle *o, uint64_t random)
{
    const sf8_word *source = oracle_source(o), *target = oracle_target(o);
    uint64_t state = 1;
    if (source->kind == SF8_WORD_FLOAT) {
        sf8_format to = target->kind == SF8_WORD_FLOAT ? target->format : source->format;
        if (sf8_format_bits(to) <= 20)
            word_set_add_critical(set, source->format, to);
        for (int i = 0; i + 1 < o->steps; i++) {
            if (o->function[i].result.kind == SF8_WORD_FLOAT && o->function[i].result.bits <= 20)
                word_set_add_critical(set, source->format, o->function[i].result.format);
        }
        word_set_add_half_integers(set, source->format, target->bits);
    } else {
        word_set_add_integers(set, source->bits);
        if (target->kind == SF8_WORD_FLOAT)
            word_set_add_integer_boundaries(set, target->format);
    }
    for (uint64_t i = 0; i < random; i++) {
        uint64_t word = word_random(&state);
        if (i & 1 && source->kind == SF8_WORD_FLOAT) /* around one: 16 powers of two either way */
            word_set_add_near_one(set, source->format, word);
        else if (i & 1)
            word_set_add(set, word >> (word & 63));
        else
            word_set_add(set, word);
    }
}

int inputs_open(inputs *in, const oracle *o, conform_domain domain, conform_tier tier,
                char why[CONFORM_TEXT])
{
    static const uint64_t random[] = {1 << 18, 1 << 24, 1 << 26};
    const sf8_word *source = oracle_source(o);
    memset(in, 0, sizeof *in);
    if (domain == DOMAIN_ALL && source->bits > 32)
        return wrong(why, "too many words to try all in", o->function[0].name);
    in->count = UINT64_C(1) << (source->bits & 63);
    if (domain == DOMAIN_ALL && (source->bits <= 20 || tier != TIER_QUICK))
        return 1;
    word_set set = {NULL, 0, 0, source->bits == 64 ? UINT64_MAX : in->count - 1};
    add_campaign(&set, o, domain == DOMAIN_ALL ? random[TIER_QUICK] : random[tier]);
    for (uint64_t word = 0; domain == DOMAIN_ALL && word < in->count; word += 4099)
        word_set_add(&set, word);
    word_set_sort(&set);
    in->list = set.words;
    in->count = set.count;
    return 1;
}

void inputs_close(inputs *in)
{
    free(in->list);
    in->list = NULL;
}
