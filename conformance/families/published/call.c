/* SPDX-License-Identifier: MIT */
/* call.c -- by=call: results of one function of softfp8, on lists of inputs or on rows of operands
 *
 *     list f16 type=f16 words=38 rows=2
 *     case fmsub-h by=call call=f16_mulAdd policy=ocp-nosat nan=any negate=1 inputs=f16,f16,f16 \
 *         results=54872 digest=HEX words=38 rows=2          (in one line)
 *     case cvt by=call call=f32_to_e4m3 policy=ocp-nosat flags=1 rows=1
 *     3f800000 38 00
 *
 * With `inputs` there is a list for each operand, the last runs fastest; rows have the first
 * `words` results, and `digest` is the SHA-256 of all, each as a line of hexadecimal digits.
 * Without `inputs` a row has the operands, the result, and the flags if there are any. `negate`
 * names operands whose sign is changed first. With nan=any every NaN counts as the quiet positive
 * one: results are written like that. With signaling=nan a
 * signaling NaN among the operands gives NaN, as in IEEE 754-2008's maxNum. Other properties are
 * fields of the policy.
 */
#include "families/published/published.h"
#include "softfp8/sha256.h"

#include <stdlib.h>
#include <string.h>

enum { RESULTS_MOST = 1000000, OPERANDS = 3 };

typedef struct call {
    sf8_function function;
    sf8_policy policy;
    int any_nan, signaling, flags;
    unsigned negate; /* bit i: operand i */
    uint64_t *list[OPERANDS];
    size_t count[OPERANDS];
    size_t results;
    const char *digest;
    uint64_t *word; /* the first results, or rows of operands, result and flags */
    size_t words;
    int columns; /* of such a row; 0: there are lists */
} call;

static size_t digits_of(const sf8_word *type)
{
    return (size_t)(type->bits + 3) / 4;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The properties that are fields of the policy. */
static int read_fields(published_item *item, call *c, char why[CONFORM_LONG])
{
    sf8_status status;
    const char *policy = published_need(item, "policy", why);
    if (!policy)
        return 0;
    c->policy = sf8_policy_named(policy, &status);
    if (status != SF8_OK)
        return published_wrong(item, 0, why, "policy=%.40s: expected the name of a policy", policy);
    for (size_t i = 0; i < item->properties; i++) {
        published_property *p = &item->property[i];
        if (!p->used)
            p->used = sf8_policy_set(&c->policy, p->key, p->value) == SF8_OK;
    }
    return 1;
}

static int read_flag(published_item *item, const char *key, const char *yes, int *flag,
                     char why[CONFORM_LONG])
{
    const char *value = published_get(item, key);
    *flag = value != NULL;
    return !value || strcmp(value, yes) == 0 ||
           published_wrong(item, 0, why, "%s=%.40s: expected %s", key, value, yes);
}

static int read_negate(published_item *item, call *c, char why[CONFORM_LONG])
{
    const char *value = published_get(item, "negate");
    for (; value && *value; value++) {
        int i = *value - '1';
        if (i < 0 || i >= c->function.operands)
            return published_wrong(item, 0, why, "negate: expected operands from 1 to %d",
                                   c->function.operands);
        c->negate |= 1u << i;
    }
    return 1;
}

static int read_list(published_item *item, call *c, int i, const char *name, char why[CONFORM_LONG])
{
    const sf8_word *type = &c->function.operand[i];
    published_item *list = published_list(item, name);
    sf8_word own;
    if (!list)
        return published_wrong(item, 0, why, "inputs: no list %.40s", name);
    const char *type_name = published_need(list, "type", why);
    size_t count = type_name ? (size_t)published_number(list, "words", RESULTS_MOST, why) : 0;
    if (count == 0)
        return 0;
    if (sf8_word_named(type_name, &own) != SF8_OK || own.kind != type->kind ||
        own.bits != type->bits ||
        (own.kind == SF8_WORD_FLOAT && own.format.man_bits != type->format.man_bits))
        return published_wrong(list, 0, why, "type=%.40s: %s takes another operand", type_name,
                               c->function.name);
    if (!published_complete(list, why))
        return 0;
    c->count[i] = count;
    c->list[i] = calloc(count, sizeof c->list[i][0]);
    return c->list[i] && published_words(list, digits_of(type), c->list[i], count, why);
}

static int read_lists(published_item *item, call *c, const char *inputs, char why[CONFORM_LONG])
{
    size_t product = 1;
    for (int i = 0; i < c->function.operands; i++) {
        char name[PUBLISHED_NAME];
        size_t n = strcspn(inputs, ",");
        if (n == 0)
            return published_wrong(item, 0, why, "inputs: expected %d lists", c->function.operands);
        snprintf(name, sizeof name, "%.*s", (int)n, inputs);
        if (!read_list(item, c, i, name, why))
            return 0;
        product *= c->count[i];
        inputs += n + (inputs[n] == ',');
    }
    c->results = (size_t)published_number(item, "results", RESULTS_MOST, why);
    c->words = c->results ? (size_t)published_number(item, "words", c->results, why) : 0;
    c->digest = c->words ? published_need(item, "digest", why) : NULL;
    if (!c->digest)
        return 0;
    if (*inputs || c->results != product)
        return published_wrong(item, 0, why, "results=%zu: the lists of inputs make %zu",
                               c->results, product);
    c->word = calloc(c->words, sizeof c->word[0]);
    return c->word && published_words(item, digits_of(&c->function.result), c->word, c->words, why);
}

/* The words of a row, each with the digits of its type; flags have two. */
static int read_row(const published_item *item, call *c, const char **at, size_t row,
                    char why[CONFORM_LONG])
{
    for (int i = 0; i < c->columns; i++) {
        const sf8_function *f = &c->function;
        size_t digits = i < f->operands    ? digits_of(&f->operand[i])
                        : i == f->operands ? digits_of(&f->result)
                                           : 2;
        char text[32], *end = NULL;
        snprintf(text, sizeof text, "%.*s", (int)digits, *at);
        c->word[row * (size_t)c->columns + (size_t)i] = strtoull(text, &end, 16);
        if (strspn(*at, "0123456789abcdef") != digits ||
            (*at)[digits] != (i + 1 < c->columns ? ' ' : '\n'))
            return published_wrong(item, row + 1, why, "word %d: expected %zu digits 0-9 a-f",
                                   i + 1, digits);
        *at += digits + 1;
    }
    return 1;
}

static int read_rows(published_item *item, call *c, char why[CONFORM_LONG])
{
    const char *at = item->rows;
    c->columns = c->function.operands + 1 + c->flags;
    c->results = item->row_count;
    c->word = calloc(item->row_count * (size_t)c->columns + 1, sizeof c->word[0]);
    if (!c->word || item->row_count == 0)
        return published_wrong(item, 0, why, "%s: expected rows", item->name);
    for (size_t row = 0; row < item->row_count; row++)
        if (!read_row(item, c, &at, row, why))
            return 0;
    return 1;
}

static int open_call(published_item *item, char why[CONFORM_LONG])
{
    call *c = calloc(1, sizeof *c);
    const char *name = published_need(item, "call", why);
    item->data = c;
    if (!c || !name)
        return 0;
    if (sf8_function_named(name, &c->function) != SF8_OK)
        return published_wrong(item, 0, why, "call=%.40s: expected a function", name);
    const char *inputs = published_get(item, "inputs");
    if (!read_flag(item, "nan", "any", &c->any_nan, why) ||
        !read_flag(item, "signaling", "nan", &c->signaling, why) ||
        !read_flag(item, "flags", "1", &c->flags, why) || !read_negate(item, c, why))
        return 0;
    if (!(inputs ? read_lists(item, c, inputs, why) : read_rows(item, c, why)))
        return 0;
    return read_fields(item, c, why);
}

/* ---- running --------------------------------------------------------------------------------- */

static uint64_t plain(const call *c, uint64_t code)
{
    const sf8_word *t = &c->function.result;
    if (!c->any_nan || t->kind != SF8_WORD_FLOAT || !sf8_is_nan(t->format, code))
        return code;
    return sf8_convert(t->format, SF8_F64, UINT64_C(0x7ff8000000000000), SF8_OCP_NOSAT);
}

static sf8_result result_of(const call *c, const uint64_t *operands)
{
    uint64_t x[OPERANDS] = {0};
    for (int i = 0; i < c->function.operands; i++) {
        x[i] = operands[i];
        if (c->negate >> i & 1)
            x[i] ^= sf8_format_sign_bit(c->function.operand[i].format);
    }
    sf8_result r = sf8_function_call(&c->function, x, c->policy, 0, 1);
    for (int i = 0; c->signaling && i < c->function.operands; i++)
        if (sf8_class(c->function.operand[i].format, x[i], c->policy) == SF8_CLASS_SIGNALING_NAN)
            r.code = x[i];
    r.code = plain(c, r.code);
    return r;
}

static void operands_at(const call *c, size_t i, uint64_t operands[OPERANDS])
{
    for (int k = c->function.operands - 1; k >= 0; k--) {
        operands[k] = c->list[k][i % c->count[k]];
        i /= c->count[k];
    }
}

static void differs(const call *c, const uint64_t *x, uint64_t got, uint64_t right,
                    conform_result *result)
{
    int n = c->function.operands, digits = (int)digits_of(&c->function.result);
    if (result->differ++ > 0)
        return;
    size_t used = (size_t)snprintf(result->why, sizeof result->why, "%s of", c->function.name);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(result->why + used, sizeof result->why - used, " %0*llx",
                                 (int)digits_of(&c->function.operand[i]), (unsigned long long)x[i]);
    snprintf(result->why + used, sizeof result->why - used, ": published was %0*llx, not %0*llx",
             digits, (unsigned long long)got, digits, (unsigned long long)right);
}

static void run_rows(const call *c, conform_result *result)
{
    for (size_t i = 0; i < c->results; i++) {
        const uint64_t *row = c->word + i * (size_t)c->columns;
        const uint64_t *got = row + c->function.operands;
        sf8_result right = result_of(c, row);
        if (plain(c, got[0]) != right.code)
            differs(c, row, got[0], right.code, result);
        else if (c->flags && got[1] != right.flags)
            differs(c, row, got[1], right.flags, result);
    }
}

static void run_lists(const call *c, conform_result *result)
{
    sf8_sha256 hash;
    char digest[65], line[32];
    sf8_sha256_begin(&hash);
    for (size_t i = 0; i < c->results; i++) {
        uint64_t x[OPERANDS];
        operands_at(c, i, x);
        uint64_t right = result_of(c, x).code;
        int n = snprintf(line, sizeof line, "%0*llx\n", (int)digits_of(&c->function.result),
                         (unsigned long long)right);
        sf8_sha256_add(&hash, line, (size_t)n);
        if (i < c->words && c->word[i] != right)
            differs(c, x, c->word[i], right, result);
    }
    sf8_sha256_end(&hash, digest);
    if (strcmp(digest, c->digest) != 0 && result->differ == 0) {
        result->differ = 1;
        snprintf(result->why, sizeof result->why,
                 "at least one result differs: the digest of all %zu does, the first %zu are equal",
                 c->results, c->words);
    }
}

static void run_call(const published_item *item, conform_result *result)
{
    const call *c = item->data;
    result->inputs = c->results;
    (c->columns ? run_rows : run_lists)(c, result);
    if (result->differ)
        result->status = CONFORM_FAILED;
}

static void close_call(void *data)
{
    call *c = data;
    for (int i = 0; c && i < OPERANDS; i++)
        free(c->list[i]);
    if (c)
        free(c->word);
    free(c);
}

const published_kind published_call = {"call", "call", 1, open_call, run_call, close_call};
