/* SPDX-License-Identifier: MIT */
/* cast.c -- sf8_judge_cast: the codes of a cast
 *
 * Array functions convert the exact values, a piece at a time. Only codes that differ from these
 * are judged.
 */
#include "diagnose/judge/judge.h"
#include "diagnose/policy/expected.h"

#include <math.h>
#include <string.h>

enum { PIECE = 1 << 14, SEEN = 1 << 22, SAMPLE = 1 << 15, OUTSIDE = 1 << 12 };

typedef struct casting {
    const sf8_cast_flips *f;
    judge_uncertain u;
    judge_rounding r;
    judge_key narrow[256];
    sf8_policy policy;
    char rule[EXPECTED_TEXT];
    judge_sides *sides;
    size_t outside[OUTSIDE], outsides; /* the first of them */
} casting;

static uint64_t cast_code(const judge_rounding *r, uint64_t bits, int end)
{
    return sf8_convert(r->to, r->reach, bits, r->policy[end]);
}

static size_t bytes_of(sf8_format f)
{
    int bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static double value_at(const casting *c, size_t i)
{
    return judge_value(c->f->from, judge_load(c->f->inputs, i, c->f->from));
}

static int is_good(const casting *c)
{
    const sf8_cast_flips *f = c->f;
    uint64_t mask = sf8_format_code_mask(f->to);
    for (size_t i = 0; i < f->count && (mask & 0xff) != 0xff; i++)
        if (judge_load(f->codes, i, f->to) > mask)
            return 0;
    for (size_t i = 0; f->uncertainty->absolute && i < f->count; i++)
        if (!(f->uncertainty->absolute[i] >= 0))
            return 0;
    return 1;
}

static sf8_status begin(casting *c)
{
    const sf8_cast_flips *f = c->f;
    if (!sf8_format_valid(f->from) || !sf8_format_valid(f->to))
        return SF8_BAD_FORMAT;
    if (!expected_read(f->policy ? f->policy : "ocp", f->to, f->from, c->rule, &c->policy))
        return SF8_UNKNOWN_NAME;
    sf8_status status = judge_uncertain_read(f->uncertainty, &c->u);
    if (status != SF8_OK)
        return status;
    c->r = (judge_rounding){.reach = sf8_format_bits(f->from) == 64 ? SF8_F64 : SF8_F32,
                            .code_of = cast_code,
                            .to = f->to,
                            .bits = sf8_format_bits(f->to)};
    if (!judge_policies(c->policy, f->to, c->r.policy) ||
        (f->count > 0 && (!f->inputs || !f->codes)) || !is_good(c))
        return SF8_BAD_CALL;
    judge_keys_of_codes(&c->r, c->narrow);
    return SF8_OK;
}

/* The code of the exact value; of stochastic rounding one of the two. */
static sf8_status convert(const casting *c, void *want, size_t first, size_t count)
{
    sf8_policy policy = c->policy;
    if (policy.round == SF8_SR)
        policy.round = SF8_RNE;
    return sf8_convert_n(c->f->to, want, c->f->from,
                         (const unsigned char *)c->f->inputs + first * bytes_of(c->f->from), count,
                         policy);
}

static void judge_one(casting *c, sf8_judgement *j, size_t i, uint64_t got, uint64_t right)
{
    sf8_judged_one one;
    double x = value_at(c, i);
    int excused = judge_element(&c->r, x, judge_interval_of(&c->u, x, i), got, right, &one);
    if (excused && one.of_allowed == 0 && c->policy.round == SF8_SR)
        return; /* the other neighbour */
    one.index = i;
    judge_count(&j->codes, &one, excused);
    judge_key to = judge_code_key(&c->r, got), from = judge_code_key(&c->r, right);
    if (excused && to != JUDGE_BEYOND && from != JUDGE_BEYOND) {
        int up = to > from, larger = x < 0 ? !up : up;
        j->sides.up += (size_t)up;
        j->sides.down += (size_t)!up;
        j->sides.larger += (size_t)larger;
        j->sides.smaller += (size_t)!larger;
    }
    if (!excused && c->outsides < OUTSIDE)
        c->outside[c->outsides++] = i;
}

static void judge_piece(casting *c, sf8_judgement *j, const void *want, size_t first, size_t count,
                        int sees)
{
    sf8_format to = c->f->to;
    size_t bytes = bytes_of(to);
    if (memcmp(want, (const unsigned char *)c->f->codes + first * bytes, count * bytes) != 0)
        for (size_t i = 0; i < count; i++) {
            uint64_t got = judge_load(c->f->codes, first + i, to), right = judge_load(want, i, to);
            if (got != right && !(c->f->any_nan && sf8_is_nan(to, got) && sf8_is_nan(to, right)))
                judge_one(c, j, first + i, got, right);
        }
    for (size_t i = 0; sees && i < count; i++) {
        double x = value_at(c, first + i);
        judge_sides_see(c->sides, &c->r, x, judge_interval_of(&c->u, x, first + i),
                        judge_load(c->f->codes, first + i, to));
    }
}

/* ---- an explanation -------------------------------------------------------------------------- */

/* The i-th element of the sample: those outside, then others. */
static size_t sampled(const casting *c, size_t i)
{
    size_t count = c->f->count, most = count < SAMPLE ? count : SAMPLE;
    return i < c->outsides ? c->outside[i]
                           : (size_t)((double)(i - c->outsides) / (double)most * (double)count);
}

static size_t sample_size(const casting *c)
{
    return c->outsides + (c->f->count < SAMPLE ? c->f->count : SAMPLE);
}

static int each(judge_trial *t, sf8_policy policy, const judge_change *change, judge_visit visit,
                void *user)
{
    const casting *c = t->user;
    judge_rounding r = c->r;
    (void)judge_policies(policy, c->f->to, r.policy);
    for (size_t k = 0; k < sample_size(c); k++) {
        size_t i = sampled(c, k);
        double x = value_at(c, i);
        judge_interval v = judge_interval_of(&c->u, x, i);
        if (isnan(x) && c->f->any_nan)
            continue;
        judge_changed(change, &x, &v);
        if (!visit(&r, x, v, judge_load(c->f->codes, i, c->f->to), user))
            return 0;
    }
    return 1;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static sf8_status judge(diagnosis_run *run, const void *results, void *made)
{
    casting *c = search_allocate(&run->context, 1, sizeof *c);
    sf8_judgement *j = made;
    c->f = results;
    sf8_status status = begin(c);
    if (status != SF8_OK)
        return status;
    size_t count = c->f->count, pieces = (count + PIECE - 1) / PIECE;
    size_t step = pieces / (SEEN / PIECE) + 1;
    void *want = search_allocate(&run->context, PIECE, bytes_of(c->f->to));
    int sees = c->policy.round != SF8_SR;
    c->sides = judge_sides_begin(run);
    j->codes.count = count;
    for (size_t p = 0; p < pieces; p++) {
        size_t first = p * PIECE, n = count - first < PIECE ? count - first : PIECE;
        status = convert(c, want, first, n);
        if (status != SF8_OK)
            return status;
        judge_piece(c, j, want, first, n, sees && p % step == 0);
    }
    judge_sides_end(c->sides, &j->sides);
    judge_decide(j);
    judge_trial t = {.policy = c->policy, .to = c->f->to, .each = each, .user = c};
    j->mistake = j->verdict > SF8_JUDGED_EXCUSED ? judge_explain(run, &t, j) : "";
    judge_said said = {.rounding = &c->r,
                       .expected = diagnosis_text(run, "%s to %s, policy %s",
                                                  judge_format_name(c->f->from),
                                                  judge_format_name(c->f->to), c->rule),
                       .uncertainty = c->f->uncertainty};
    judge_say(run, &said, j);
    return SF8_OK;
}

sf8_status sf8_judge_cast(const sf8_cast_flips *flips, sf8_judgement **judgement)
{
    void *made;
    sf8_status status = diagnosis_make(diagnosis_limits(0, NULL, NULL), judge, flips,
                                       sizeof **judgement, &made);
    *judgement = made;
    return status;
}

void sf8_judgement_free(sf8_judgement *judgement)
{
    diagnosis_free(judgement);
}
