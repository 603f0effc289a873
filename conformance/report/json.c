/* SPDX-License-Identifier: MIT */
/* json.c -- the report as JSON
 *
 *     {"schema": 1,
 *      "softfp8": VERSION, "date": DATE, "gpu": NAME?, "driver": VERSION?, "toolkit": VERSION?,
 *      "missing": TEXT?, "tier": "quick" | "full" | "soak", "only": GLOB?, "shard": I, "shards": N,
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
 *                             "expected_value", "policies": [NAME, ...]}, ...]}, ...]}
 *
 * A ? marks what may be null. Status is "passed", "failed", "known", "not_run", "stale" or
 * "broken"; PLACE "host", "device", "record", "arrays", "silicon", "chain", "caches" or "libs". Words are strings of hexadecimal digits; values are text, exact, or
 * rounded behind a "~". `ranges` has the first 64 of range_count; `got` and what follows are
 * those of the first input; `policies` give the same code there. `seconds` are those of the case,
 * `subject_seconds` the subject's share. `parts` of the `of` that the case is cut into were run,
 * from `first_part` on, counted from 0: less than all where there are shards; at_begin and at_end
 * say whether the first and the last of their inputs differ. `diagnosis` explains all that differs,
 * in words; `sass` are the instructions that a GPU executed; `origin` says of a record which GPU it
 * is from; `command` runs a case that did not pass again. Shards are counted from 1. The order of
 * the keys is fixed, and a case is a line.
 */
#include "report/parts.h"

#include <string.h>

static const char *key_of(conform_status s)
{
    return s == CONFORM_NOT_RUN ? "not_run" : status_text(s);
}

static void show_pair(const report_out *out, const char *key, const char *value)
{
    out_print(out, "\"%s\": ", key);
    out_json(out, value && value[0] ? value : NULL);
    out_text(out, ", ");
}

static void show_head(const report_out *out, const report *r)
{
    report_count n = count_of(r, NULL);
    out_text(out, "{\"schema\": 1,\n ");
    show_pair(out, "softfp8", r->version);
    show_pair(out, "date", r->date);
    show_pair(out, "gpu", r->gpu);
    show_pair(out, "driver", r->driver);
    show_pair(out, "toolkit", r->toolkit);
    show_pair(out, "missing", r->missing);
    show_pair(out, "tier", tier_text(r->tier));
    show_pair(out, "only", r->only);
    out_print(out, "\"shard\": %u, \"shards\": %u,\n", r->shard + 1, r->shards ? r->shards : 1);
    out_print(out, " \"totals\": {\"cases\": %llu, ", (unsigned long long)n.cases);
    for (int s = 0; s < REPORT_STATUSES; s++)
        out_print(out, "\"%s\": %llu, ", key_of((conform_status)s), (unsigned long long)n.of[s]);
    out_print(out, "\"inputs\": %llu, \"seconds\": %.3f},\n", (unsigned long long)n.inputs,
              n.seconds);
}

static void show_oracle(const report_out *out, const conform_case *c)
{
    out_text(out, "\"oracle\": [");
    for (int i = 0; i < CONFORM_STEPS && c->oracle[i].function; i++) {
        const conform_step *s = &c->oracle[i];
        out_text(out, i ? ", {" : "{");
        show_pair(out, "function", s->function);
        show_pair(out, "policy", s->policy);
        out_text(out, "\"fields\": ");
        out_json(out, s->fields);
        out_text(out, "}");
    }
    out_text(out, "], ");
}

static void show_range(const report_out *out, const report_case *k, const conform_range *range)
{
    const sf8_word *source = oracle_source(&k->oracle), *target = oracle_target(&k->oracle);
    char text[96];
    show_pair(out, "first", word_hex(source, range->first, text));
    show_pair(out, "last", word_hex(source, range->last, text));
    show_pair(out, "got", word_hex(target, range->got, text));
    show_pair(out, "expected", word_hex(target, range->right, text));
    show_pair(out, "value", word_value(source, range->first, 24, text));
    show_pair(out, "got_value", word_value(target, range->got, 24, text));
    show_pair(out, "expected_value", word_value(target, range->right, 24, text));
    report_cause cause = cause_of(k, range);
    out_text(out, "\"policies\": [");
    for (int i = 0; i < cause.policy_count; i++) {
        out_text(out, i ? ", " : "");
        out_json(out, cause.policies[i]);
    }
    out_text(out, "]}");
}

static int did_not_pass(const conform_result *result)
{
    return result->status != CONFORM_PASSED && result->status != CONFORM_NOT_RUN;
}

static void show_case(const report_out *out, const report_case *k)
{
    const conform_result *result = k->r;
    char text[REPORT_TEXT];
    out_text(out, "  {");
    show_pair(out, "name", k->c->name);
    show_pair(out, "status", key_of(result->status));
    show_pair(out, "subject", k->c->subject);
    show_pair(out, "place", place_text(k->c->place));
    show_pair(out, "domain", domain_text(k->c->domain));
    show_oracle(out, k->c);
    snprintf(text, sizeof text, "%08x", (unsigned)k->c->rbits);
    show_pair(out, "random", k->c->slices != SLICES_NONE ? text : NULL);
    out_print(out, "\"nan_class\": %s, ", k->c->nan_class ? "true" : "false");
    show_pair(out, "known", k->c->known ? k->c->known->why : "");
    out_print(out, "\"inputs\": %llu, \"differ\": %llu, \"crossed\": %llu, ",
              (unsigned long long)result->inputs, (unsigned long long)result->differ,
              (unsigned long long)result->crossed);
    out_print(out, "\"seconds\": %.3f, \"subject_seconds\": %.3f, ", result->seconds,
              result->subject_seconds);
    out_print(out, "\"first_part\": %u, \"parts\": %u, \"of\": %u, ", result->first_part,
              result->parts, result->of);
    out_print(out, "\"at_begin\": %s, \"at_end\": %s, ", result->at_begin ? "true" : "false",
              result->at_end ? "true" : "false");
    show_pair(out, "digest", result->digest);
    show_pair(out, "why", result->why);
    show_pair(out, "diagnosis", result->diagnosis);
    show_pair(out, "sass", result->sass);
    show_pair(out, "origin", result->origin);
    show_pair(out, "command", did_not_pass(result) ? run_command(k, text) : NULL);
    out_print(out, "\"range_count\": %llu, \"ranges\": [", (unsigned long long)result->range_count);
    for (size_t i = 0; k->known && i < kept_ranges(result); i++) {
        out_text(out, i ? ", {" : "{");
        show_range(out, k, &result->range[i]);
    }
    out_text(out, "]}");
}

void report_json(const report *r, report_put put, void *context)
{
    report_out out = {put, context};
    show_head(&out, r);
    out_text(&out, " \"cases\": [");
    for (size_t i = 0; i < r->count; i++) {
        report_case k = case_of(r, i);
        out_text(&out, i ? ",\n" : "\n");
        show_case(&out, &k);
    }
    out_text(&out, "]}\n");
}
