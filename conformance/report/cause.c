/* SPDX-License-Identifier: MIT */
/* cause.c -- which rules would give the code that came, and the commands that show it */
#include "report/parts.h"

#include <string.h>

static const char *const roundings[] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)};

/* ---- causes ---------------------------------------------------------------------------------- */

/* The oracle with this policy in every step, each keeping its rounding. */
static oracle under_policy(const oracle *o, sf8_policy policy_name)
{
    oracle other = *o;
    for (int i = 0; i < o->steps; i++) {
        sf8_policy policy = policy_name;
        policy.round = o->policy[i].round;
        policy.sr_rule = o->policy[i].sr_rule;
        policy.sr_bits = o->policy[i].sr_bits;
        other.policy[i] = policy;
    }
    return other;
}

/* In some lane: they differ where each has its random word. */
static int gives(const oracle *o, const conform_range *range)
{
    for (int lane = 0; lane < (o->alike ? 1 : GPU_LANES); lane++) {
        if (oracle_call_lane(o, range->first, lane) == range->got)
            return 1;
    }
    return 0;
}

static int gives_rounded(const oracle *o, size_t round, const conform_range *range)
{
    oracle other = *o;
    for (int i = 0; i < o->steps; i++)
        other.policy[i].round = (unsigned)round & SF8_ROUND_MASK;
    return gives(&other, range);
}

/* The last step alone, from the operand of the first. */
static int gives_at_once(const oracle *o, const conform_range *range)
{
    const sf8_word *source = oracle_source(o), *target = oracle_target(o);
    if (o->steps < 2 || source->kind != SF8_WORD_FLOAT || target->kind != SF8_WORD_FLOAT)
        return 0;
    oracle once;
    once = *o;
    once.steps = 1;
    once.function[0] = sf8_function_convert(source->format, target->format);
    once.policy[0] = o->policy[o->steps - 1];
    return gives(&once, range);
}

report_cause cause_of(const report_case *k, const conform_range *range)
{
    report_cause cause;
    const sf8_policy_row *row;
    const oracle *o = &k->oracle;
    memset(&cause, 0, sizeof cause);
    if (!k->known)
        return cause;
    for (size_t i = 0; i < REPORT_POLICIES && (row = sf8_policy_at(i)) != NULL; i++) {
        oracle other = under_policy(o, sf8_policy_named(row->name, NULL));
        if (gives(&other, range) && oracle_policy_holds(o, row))
            cause.policies[cause.policy_count++] = row->name;
    }
    for (size_t i = 0; cause.policy_count == 0 && i < SF8_SR; i++) {
        if (gives_rounded(o, i, range))
            cause.rounds[cause.round_count++] = roundings[i];
    }
    cause.once = gives_at_once(o, range);
    const sf8_word *target = oracle_target(o);
    if (target->kind == SF8_WORD_FLOAT) {
        sf8_format f = target->format;
        cause.both_nan = sf8_is_nan(f, range->got) && sf8_is_nan(f, range->right);
        cause.sign = sf8_format_sign_bit(f) &&
                     (range->got ^ range->right) == sf8_format_sign_bit(f);
    }
    return cause;
}

typedef struct words {
    char *text;
    size_t used;
} words;

static void add(words *w, const char *text)
{
    size_t n = strlen(text);
    if (n >= REPORT_TEXT - w->used)
        return;
    memcpy(w->text + w->used, text, n + 1);
    w->used += n;
}

static void add_list(words *w, const char *const *list, int count, const char *between)
{
    for (int i = 0; i < count; i++) {
        add(w, i ? between : "");
        add(w, list[i]);
    }
}

/* The roundings of the steps: "rne", or "rz then rne". */
static void add_rounding(words *w, const oracle *o)
{
    for (int i = 0; i < o->steps; i++) {
        char round[32] = "";
        sf8_policy_get(o->policy[i], "round", round, sizeof round);
        add(w, i ? " then " : "");
        add(w, round);
    }
}

static void add_cause(words *w, const report_case *k, const report_cause *cause)
{
    if (cause->both_nan)
        add(w, "another NaN; ");
    else if (cause->sign)
        add(w, "only the sign differs; ");
    if (cause->policy_count) {
        add(w, "like");
        add(w, " ");
        add_list(w, cause->policies, cause->policy_count, " ");
        add(w, ", with round=");
        add_rounding(w, &k->oracle);
    } else if (cause->round_count) {
        add(w, "no named policy gives it with this rounding; the case's policy does with round=");
        add_list(w, cause->rounds, cause->round_count, ", ");
    } else {
        add(w, "no named policy and no other rounding gives it");
    }
    if (cause->once)
        add(w, "; as if rounded once, directly to the target");
}

const char *cause_text(const report_case *k, const conform_range *range, char text[REPORT_TEXT])
{
    words w = {text, 0};
    char a[32], b[32], c[32];
    report_cause cause = cause_of(k, range);
    text[0] = '\0';
    add(&w, word_hex(oracle_source(&k->oracle), range->first, a));
    add(&w, " gave ");
    add(&w, word_hex(oracle_target(&k->oracle), range->got, b));
    add(&w, " instead of ");
    add(&w, word_hex(oracle_target(&k->oracle), range->right, c));
    add(&w, ": ");
    add_cause(&w, k, &cause);
    return text;
}

static int same_cause(const report_cause *a, const report_cause *b)
{
    if (a->policy_count != b->policy_count || a->round_count != b->round_count ||
        a->once != b->once || a->both_nan != b->both_nan || a->sign != b->sign)
        return 0;
    return memcmp(a->policies, b->policies, sizeof a->policies) == 0 &&
           memcmp(a->rounds, b->rounds, sizeof a->rounds) == 0;
}

size_t cause_next(const report_case *k, size_t *at)
{
    size_t kept = kept_ranges(k->r);
    for (; *at < kept; ++*at) {
        report_cause cause = cause_of(k, &k->r->range[*at]);
        size_t before = 0;
        while (before < *at) {
            report_cause earlier = cause_of(k, &k->r->range[before]);
            if (same_cause(&cause, &earlier))
                break;
            before++;
        }
        if (before == *at)
            return (*at)++;
    }
    return kept;
}

/* ---- commands -------------------------------------------------------------------------------- */

const char *run_command(const report_case *k, char text[REPORT_TEXT])
{
    const conform_family *f = k->c->family;
    int by_tier = !f->inputs && !f->on_device && !k->c->record && k->tier != TIER_QUICK &&
                  (k->c->domain == DOMAIN_SET || !k->known || oracle_source(&k->oracle)->bits > 20);
    snprintf(text, REPORT_TEXT, "softfp8 conform --only '%s'%s%s", k->c->name,
             by_tier ? " --tier " : "", by_tier ? tier_text(k->tier) : "");
    return text;
}

int explain_command(const report_case *k, int step, uint64_t word, char text[REPORT_TEXT])
{
    const conform_step *s = &k->c->oracle[step];
    const sf8_function *f = &k->oracle.function[step];
    char hex[32];
    const char *middle = strstr(s->function, "_to_");
    if (f->op != SF8_OP_CONVERT || !middle)
        return 0;
    for (int i = 0; i < step; i++)
        word = sf8_function_call(&k->oracle.function[i], &word, k->oracle.policy[i], 0, 0).code;
    words w = {text,
               (size_t)snprintf(text, REPORT_TEXT,
                                "softfp8 explain --as-codes --from %.*s --to %s --policy %s",
                                (int)(middle - s->function), s->function, middle + 4, s->policy)};
    for (const char *at = s->fields ? s->fields : ""; *at;) {
        char field[64];
        size_t n = strcspn(at, " ");
        snprintf(field, sizeof field, " --set %.*s", (int)n, at);
        add(&w, field);
        at += n + (at[n] == ' ');
    }
    if (k->c->slices != SLICES_NONE) {
        char random[32];
        snprintf(random, sizeof random, " --random %04x", (unsigned)k->oracle.random[0]);
        add(&w, random);
    }
    add(&w, " ");
    add(&w, word_hex(&f->operand[0], word, hex));
    return 1;
}
