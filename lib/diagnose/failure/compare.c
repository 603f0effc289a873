/* SPDX-License-Identifier: MIT */
/* compare.c -- sf8_test_results: which results of an implementation differ from what they should be
 */
#include "diagnose/failure/failure.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* A case with a way out where there is no memory. */
typedef struct running {
    failure_case c; /* the context comes first, so that a pointer to it is one to all */
    jmp_buf out;
} running;

static void no_memory(search_context *context, size_t bytes)
{
    (void)bytes;
    longjmp(((running *)context)->out, 1);
}

static size_t bytes_of(sf8_format f)
{
    int bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static uint64_t load(const void *array, size_t i, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)array + i * bytes;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    if (bytes == 1)
        return *at;
    memcpy(&two, at, sizeof two);
    if (bytes == 2)
        return two;
    memcpy(&four, at, sizeof four);
    if (bytes == 4)
        return four;
    memcpy(&eight, at, sizeof eight);
    return eight;
}

/* Reads an array; NULL if a code is too wide. */
static uint64_t *words_of(failure_case *c, const void *array, sf8_format f)
{
    uint64_t *words = search_allocate(&c->context, c->count, sizeof *words);
    for (size_t i = 0; i < c->count; i++) {
        words[i] = load(array, i, bytes_of(f));
        if (words[i] > sf8_format_code_mask(f))
            return NULL;
    }
    return words;
}

/* ---- what was expected ----------------------------------------------------------------------- */

static int gives_want(const failure_case *c, sf8_policy rules)
{
    size_t i = 0;
    while (i < c->count &&
           sf8_convert(c->test->to, c->test->from, c->in[0][i], rules) == c->want[i])
        i++;
    return i == c->count;
}

/* The policy that gives the expected codes: the one that was named, or the first that does. */
static void find_meant(failure_case *c)
{
    const sf8_policy_row *row;
    c->expected = c->rules.round != SF8_SR && gives_want(c, c->rules) ? c->asked : NULL;
    for (size_t i = 0; !c->expected && (row = sf8_policy_at(i)) != NULL; i++) {
        sf8_policy rules = sf8_policy_named(row->name, NULL);
        if (rules.round == SF8_SR || !sf8_policy_holds(row, c->test->to, c->test->from) ||
            !gives_want(c, rules))
            continue;
        c->expected = row->name;
        c->rules = rules;
    }
}

static sf8_status take_rules(failure_case *c)
{
    const sf8_test *t = c->test;
    const char *policy = t->policy ? t->policy : "ocp";
    return c->operands != 1 || expected_read(policy, t->to, t->from, c->asked, &c->rules)
               ? SF8_OK
               : SF8_UNKNOWN_NAME;
}

/* Computes the expected codes, in memory as the results are, unless they were given. */
static sf8_status compute(failure_case *c, const void **want)
{
    const sf8_test *t = c->test;
    *want = t->want;
    if (t->want)
        return SF8_OK;
    void *made = search_allocate(&c->context, c->count, bytes_of(t->to));
    *want = made;
    return t->random ? sf8_convert_sr_n(t->to, made, t->from, t->operand[0], c->count, c->rules,
                                        t->random)
                     : sf8_convert_n(t->to, made, t->from, t->operand[0], c->count, c->rules);
}

/* ---- the comparison -------------------------------------------------------------------------- */

/* Whether a shape has as many elements as there are codes. */
static int fits_shape(const sf8_test *t)
{
    size_t left = t->count;
    for (size_t i = 0; t->shape && i < t->axes; i++) {
        if (t->shape[i] == 0 || left % t->shape[i] != 0)
            return 0;
        left /= t->shape[i];
    }
    return !t->shape || left == 1;
}

static int fits_format(const void *array, size_t count, sf8_format f)
{
    size_t bytes = bytes_of(f), i = 0;
    if ((size_t)sf8_format_bits(f) == 8 * bytes)
        return 1;
    while (i < count && load(array, i, bytes) <= sf8_format_code_mask(f))
        i++;
    return i == count;
}

static sf8_status check(failure_case *c)
{
    const sf8_test *t = c->test;
    if (!sf8_format_valid(t->to) || (t->operand[0] && !sf8_format_valid(t->from)))
        return SF8_BAD_FORMAT;
    while (c->operands < 3 && t->operand[c->operands])
        c->operands++;
    c->count = t->count;
    if (c->count > 0 && (!t->got || (!t->want && c->operands != 1) || !fits_shape(t) ||
                         !fits_format(t->got, c->count, t->to)))
        return SF8_BAD_CALL;
    return take_rules(c);
}

/* Reads the arrays; 0 if a code is too wide. */
static int take(failure_case *c, const void *want)
{
    const sf8_test *t = c->test;
    c->got = words_of(c, t->got, t->to);
    c->want = words_of(c, want, t->to);
    for (int i = 0; i < c->operands; i++)
        if (!(c->in[i] = words_of(c, t->operand[i], t->from)))
            return 0;
    return c->got && c->want;
}

static void compare(failure_case *c)
{
    sf8_format to = c->test->to;
    c->differ = search_allocate(&c->context, c->count, 1);
    for (size_t i = 0; i < c->count; i++) {
        int differs = c->got[i] != c->want[i];
        if (differs && c->test->any_nan && sf8_is_nan(to, c->got[i]) &&
            sf8_is_nan(to, c->want[i])) {
            c->got[i] = c->want[i]; /* as if the expected NaN had come */
            differs = 0;
        }
        c->differ[i] = (uint8_t)differs;
        c->wrong += (size_t)differs;
    }
}

typedef struct element {
    uint64_t input, code;
    size_t at;
} element;

static int compare_elements(const void *a, const void *b)
{
    const element *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void sort(failure_case *c)
{
    element *list = search_allocate(&c->context, c->count, sizeof *list);
    c->order = search_allocate(&c->context, c->count, sizeof c->order[0]);
    for (size_t i = 0; i < c->count; i++)
        list[i] = (element){c->in[0][i], c->got[i], i};
    qsort(list, c->count, sizeof *list, compare_elements);
    for (size_t i = 0; i < c->count; i++)
        c->order[i] = list[i].at;
    search_free(&c->context, list);
}

static failure_report *make(void)
{
    failure_report *r = calloc(1, sizeof *r);
    if (r)
        r->f = (sf8_failure){0,       r->message, r->expected, r->matches, r->mistake,
                             r->seen, r->nearest, 0,           r->ranges};
    return r;
}

static sf8_status judge(failure_case *c, const void *want)
{
    if (!take(c, want))
        return SF8_BAD_CALL;
    compare(c);
    if (c->wrong == 0)
        return SF8_OK;
    c->report = make();
    if (!c->report)
        return SF8_NO_ROOM;
    c->report->f.differ = c->wrong;
    failure_say_expected(c);
    if (c->test->want && c->operands == 1 && !c->test->random)
        find_meant(c);
    else if (c->operands == 1 && c->rules.round != SF8_SR)
        c->expected = c->asked;
    if (c->operands == 1)
        sort(c);
    failure_explain(c);
    failure_write(c);
    return SF8_OK;
}

static sf8_status run(running *r)
{
    failure_case *c = &r->c;
    if (setjmp(r->out))
        return SF8_NO_ROOM;
    sf8_status status = check(c);
    const void *want;
    if (status == SF8_OK && c->count > 0)
        status = compute(c, &want);
    if (status != SF8_OK || c->count == 0)
        return status;
    return memcmp(want, c->test->got, c->count * bytes_of(c->test->to)) == 0 ? SF8_OK
                                                                             : judge(c, want);
}

sf8_status sf8_test_results(const sf8_test *test, sf8_failure **failure)
{
    running r;
    memset(&r, 0, sizeof r);
    r.c.context.no_memory = no_memory;
    r.c.context.tracks = 1;
    r.c.test = test;
    sf8_status status = run(&r);
    search_free_all(&r.c.context);
    if (status != SF8_OK)
        free(r.c.report);
    *failure = status == SF8_OK && r.c.report ? &r.c.report->f : NULL;
    return status;
}

void sf8_failure_free(sf8_failure *failure)
{
    free(failure);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static char *message_of(const sf8_test *t)
{
    static const char *const reasons[] = {
        [SF8_UNKNOWN_NAME] = "there is no such policy for this conversion",
        [SF8_BAD_FORMAT] = "this conversion is not supported",
        [SF8_BAD_CALL] = "expected arrays of codes that fit their formats",
        [SF8_NO_ROOM] = "there is not enough memory",
    };
    sf8_failure *failure;
    sf8_status status = sf8_test_results(t, &failure);
    const char *text = failure ? failure->message : status != SF8_OK ? reasons[status] : NULL;
    char *message = text ? calloc(1, strlen(text) + 1) : NULL;
    if (message)
        strcpy(message, text);
    sf8_failure_free(failure);
    if (text && !message)
        abort(); /* NULL would mean that all codes are right */
    return message;
}

char *sf8_check_cast(sf8_format from, const void *inputs, sf8_format to, const void *got,
                     size_t count, const char *policy)
{
    sf8_test t = {
        .to = to, .got = got, .count = count, .from = from, .operand = {inputs}, .policy = policy};
    return message_of(&t);
}

char *sf8_check_codes(sf8_format f, const void *got, const void *want, size_t count)
{
    sf8_test t = {.to = f, .got = got, .want = want, .count = count};
    return message_of(&t);
}

void sf8_check_free(char *message)
{
    free(message);
}
