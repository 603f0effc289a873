/* SPDX-License-Identifier: MIT */
/* json.c -- the report as JSON
 *
 *     {"schema": 1,
 *      "softfp8": VERSION, "date": DATE, "gpu": NAME?, "driver": VERSION?, "toolkit": VERSION?,
 *      "missing": TEXT?, "strict": BOOL, "tier": "quick" | "full" | "soak", "only": GLOB?,
 *      "shard": I, "shards": N,
 *      "totals": {"cases", "passed", "failed", "known", "not_run", "stale", "broken", "inputs",
 *                 "seconds"},
 *      "cases": [{"name", "status", "subject", "place": PLACE,
 *                 "domain": "all" | "set" | "blocks" | "rows" | "tiles" |
 *                           "tokens" | "queries" | "parts",
 *                 "oracle": [{"function", "policy", "fields"?}, ...],
 *                 "random": HEX?, "nan_class": BOOL, "known": TEXT?, "inputs", "differ", "crossed",
 *                 "seconds", "subject_seconds", "first_part": I, "parts": N, "of": N,
 *                 "at_begin": BOOL, "at_end": BOOL,
 *                 "digest": SHA-256?, "why": TEXT?, "diagnosis": TEXT?, "sass": TEXT?,
 *                 "origin": TEXT?, "command": TEXT?, "range_count",
 *                 "ranges": [{"first", "last", "got", "expected", "value", "got_value",
 *                             "expected_value", "policies": [NAME, ...], "last_value"}, ...],
 *                 "oracle_text": TEXT, "operand_bits": N?, "causes": [TEXT, ...],
 *                 "explain": [TEXT, ...], "drawing": NAME?}, ...],
 *      "drawings": [{"case": NAME,
 *                    "panels": [{"title", "negative": BOOL, "from", "to", "rows": [TEXT, ...],
 *                                "steps": [[PLACE, ROW], ...],
 *                                "special": [{"input", "row", "differs": BOOL, "got": ROW?}, ...],
 *                                "ranges": [{"from", "to", "at", "got": ROW?}, ...]}, ...]}, ...]}
 *
 * A ? marks what may be null. Status is "passed", "failed", "known", "not_run", "stale" or
 * "broken"; PLACE "host", "device", "record", "arrays", "silicon", "published", "models", "chain"
 * or "libs". Words are strings of hexadecimal digits; values are text, exact, or rounded
 * behind a "~".
 *
 * `ranges` has the first 64 of range_count; `got` and what follows are those of the first input;
 * `policies` give the same code there. `seconds` are those of the case, `subject_seconds` the
 * subject's share. `parts` of the `of` that the case is cut into were run, from `first_part` on,
 * counted from 0: less than all where there are shards; at_begin and at_end say whether the first
 * and the last of their inputs differ. `diagnosis` explains all that differs, in words; `sass` are
 * the instructions that a GPU executed; `origin` says of a record which GPU it is from. Shards are
 * counted from 1.
 *
 * The rest is for the page: `oracle_text` says what the case is compared with, `operand_bits` how
 * wide its operand is. Of a case that did not pass, `command` runs it again, `causes` says of up to
 * three ranges which rules would give the code that came, and `explain` has the commands that show
 * the steps of the oracle for the first input that differs. `drawing` names the case whose drawing
 * shows the staircase: a case with ranges has its own, the others share that of their oracle.
 *
 * A panel shows the code by the input. Its places, from `from` to `to`, are binary logarithms of
 * the input's magnitude, linear between powers of two. A ROW counts `rows`, the codes, from the
 * lowest; a step is where a code begins; `special` are the inputs infinity and NaN; `ranges`
 * differ, and `got` is what came, at the place `at`.
 *
 * The order of the keys is fixed; a case is a line, and so is a drawing.
 */
#include "base/json_writer.h"
#include "report/parts.h"
#include "report/steps.h"

#include <string.h>

enum { EXPLAINED = 3 };

static const char *key_of(conform_status s)
{
    return s == CONFORM_NOT_RUN ? "not_run" : status_text(s);
}

/* A text, or null for one that is missing or empty. */
static void put_text(json_writer *j, const char *key, const char *text)
{
    jw_text(j, key, text && text[0] ? text : NULL);
}

static void put_head(json_writer *j, const report *r)
{
    report_count n = count_of(r, NULL);
    jw_unsigned(j, "schema", 1);
    put_text(jw_space(j, "\n "), "softfp8", r->version);
    put_text(j, "date", r->date);
    put_text(j, "gpu", r->gpu);
    put_text(j, "driver", r->driver);
    put_text(j, "toolkit", r->toolkit);
    put_text(j, "missing", r->missing);
    jw_bool(j, "strict", r->strict);
    put_text(j, "tier", tier_text(r->tier));
    put_text(j, "only", r->only);
    jw_unsigned(j, "shard", r->shard + 1);
    jw_unsigned(j, "shards", r->shards ? r->shards : 1);
    jw_begin(jw_space(j, "\n "), "totals", '{');
    jw_unsigned(j, "cases", n.cases);
    for (int s = 0; s < REPORT_STATUSES; s++)
        jw_unsigned(j, key_of((conform_status)s), n.of[s]);
    jw_unsigned(j, "inputs", n.inputs);
    jw_fixed(j, "seconds", n.seconds, 3);
    jw_end(j);
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void put_oracle(json_writer *j, const conform_case *c)
{
    jw_begin(j, "oracle", '[');
    for (int i = 0; i < CONFORM_STEPS && c->oracle[i].function; i++) {
        const conform_step *s = &c->oracle[i];
        jw_begin(j, NULL, '{');
        put_text(j, "function", s->function);
        put_text(j, "policy", s->policy);
        jw_text(j, "fields", s->fields);
        jw_end(j);
    }
    jw_end(j);
}

static void put_range(json_writer *j, const report_case *k, const conform_range *range)
{
    const sf8_word *source = oracle_source(&k->oracle), *target = oracle_target(&k->oracle);
    report_cause cause = cause_of(k, range);
    char text[96];
    jw_begin(j, NULL, '{');
    jw_text(j, "first", word_hex(source, range->first, text));
    jw_text(j, "last", word_hex(source, range->last, text));
    jw_text(j, "got", word_hex(target, range->got, text));
    jw_text(j, "expected", word_hex(target, range->right, text));
    put_text(j, "value", word_value(source, range->first, 24, text));
    put_text(j, "got_value", word_value(target, range->got, 24, text));
    put_text(j, "expected_value", word_value(target, range->right, 24, text));
    jw_begin(j, "policies", '[');
    for (int i = 0; i < cause.policy_count; i++)
        jw_text(j, NULL, cause.policies[i]);
    jw_end(j);
    put_text(j, "last_value", word_value(source, range->last, 24, text));
    jw_end(j);
}

static void put_ranges(json_writer *j, const report_case *k)
{
    jw_unsigned(j, "range_count", k->r->range_count);
    jw_begin(j, "ranges", '[');
    for (size_t i = 0; k->known && i < kept_ranges(k->r); i++)
        put_range(j, k, &k->r->range[i]);
    jw_end(j);
}

static int did_not_pass(const conform_result *result)
{
    return result->status != CONFORM_PASSED && result->status != CONFORM_NOT_RUN;
}

/* Whether there are ranges whose words have a meaning. */
static int is_explained(const report_case *k)
{
    return k->known && did_not_pass(k->r) && k->r->range_count > 0;
}

static void put_causes(json_writer *j, const report_case *k)
{
    char text[REPORT_TEXT];
    size_t at = 0, i;
    jw_begin(j, "causes", '[');
    for (int n = 0; is_explained(k) && n < EXPLAINED; n++) {
        if ((i = cause_next(k, &at)) < kept_ranges(k->r))
            jw_text(j, NULL, cause_text(k, &k->r->range[i], text));
    }
    jw_end(j);
    jw_begin(j, "explain", '[');
    for (int step = 0; is_explained(k) && step < k->oracle.steps; step++) {
        if (explain_command(k, step, k->r->range[0].first, text))
            jw_text(j, NULL, text);
    }
    jw_end(j);
}

static void put_result(json_writer *j, const conform_result *result)
{
    jw_unsigned(j, "inputs", result->inputs);
    jw_unsigned(j, "differ", result->differ);
    jw_unsigned(j, "crossed", result->crossed);
    jw_fixed(j, "seconds", result->seconds, 3);
    jw_fixed(j, "subject_seconds", result->subject_seconds, 3);
    jw_unsigned(j, "first_part", result->first_part);
    jw_unsigned(j, "parts", result->parts);
    jw_unsigned(j, "of", result->of);
    jw_bool(j, "at_begin", result->at_begin);
    jw_bool(j, "at_end", result->at_end);
    put_text(j, "digest", result->digest);
    put_text(j, "why", result->why);
    put_text(j, "diagnosis", result->diagnosis);
    put_text(j, "sass", result->sass);
    put_text(j, "origin", result->origin);
}

static void put_case(json_writer *j, const report_case *k, const char *drawing)
{
    char text[REPORT_TEXT];
    jw_begin(jw_space(j, "\n  "), NULL, '{');
    put_text(j, "name", k->c->name);
    put_text(j, "status", key_of(k->r->status));
    put_text(j, "subject", k->c->subject);
    put_text(j, "place", place_text(k->c));
    put_text(j, "domain", domain_text(k->c));
    put_oracle(j, k->c);
    if (k->c->slices != SLICES_NONE)
        jw_hex(j, "random", k->c->rbits, 8);
    else
        jw_null(j, "random");
    jw_bool(j, "nan_class", k->c->nan_class);
    put_text(j, "known", k->c->known ? k->c->known->why : NULL);
    put_result(j, k->r);
    put_text(j, "command", did_not_pass(k->r) ? run_command(k, text) : NULL);
    put_ranges(j, k);
    jw_text(j, "oracle_text", oracle_text(k->c, text));
    if (k->known)
        jw_signed(j, "operand_bits", oracle_source(&k->oracle)->bits);
    else
        jw_null(j, "operand_bits");
    put_causes(j, k);
    jw_text(j, "drawing", drawing);
    jw_end(j);
}

/* ---- drawings -------------------------------------------------------------------------------- */

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_oracle(const conform_case *a, const conform_case *b)
{
    if (a->slices != b->slices || (a->slices != SLICES_NONE && a->rbits != b->rbits))
        return 0;
    for (int i = 0; i < CONFORM_STEPS; i++) {
        const conform_step *x = &a->oracle[i], *y = &b->oracle[i];
        if (!same_text(x->function, y->function) || !same_text(x->policy, y->policy) ||
            !same_text(x->fields, y->fields))
            return 0;
    }
    return 1;
}

static int has_own_drawing(const conform_result *result)
{
    return did_not_pass(result) && result->range_count > 0;
}

/* The case whose drawing this case has: itself, or the first with the same oracle. */
static size_t drawing_of(const report *r, size_t i)
{
    size_t k = has_own_drawing(&r->results[i]) ? i : 0;
    while (k < i && (has_own_drawing(&r->results[k]) || !same_oracle(r->cases[k], r->cases[i])))
        k++;
    return k;
}

static void put_drawing(json_writer *j, const report_case *k)
{
    jw_begin(jw_space(j, "\n  "), NULL, '{');
    jw_text(j, "case", k->c->name);
    put_panels(j, k);
    jw_end(j);
}

/* ---- the report ------------------------------------------------------------------------------ */

void report_json(const report *r, report_put put, void *context)
{
    json_writer j = {.put = put, .context = context};
    jw_begin(&j, NULL, '{');
    put_head(&j, r);
    jw_begin(jw_space(&j, "\n "), "cases", '[');
    for (size_t i = 0; i < r->count; i++) {
        report_case k = case_of(r, i);
        put_case(&j, &k, has_steps(&k) ? r->cases[drawing_of(r, i)]->name : NULL);
    }
    jw_end(&j);
    jw_begin(jw_space(&j, "\n "), "drawings", '[');
    for (size_t i = 0; i < r->count; i++) {
        report_case k = case_of(r, i);
        if (has_steps(&k) && drawing_of(r, i) == i)
            put_drawing(&j, &k);
    }
    jw_end(&j);
    jw_end(&j);
}
