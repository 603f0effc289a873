/* SPDX-License-Identifier: MIT */
/* check_report.c -- the parts of the reports of conform: escapes, counts, values, causes, status
 *
 * What is expected is written out here, by docs/spec and by hand.
 */
#include "fake_cases.h"
#include "base/json_writer.h"
#include "report/parts.h"

#include <stdio.h>
#include <string.h>

static unsigned checks, failures;

static void same(const char *what, const char *expected, const char *got)
{
    checks++;
    if (strcmp(expected, got) == 0)
        return;
    failures++;
    printf("%s\n  expected: %s\n  got:      %s\n", what, expected, got);
}

static void same_number(const char *what, long long expected, long long got)
{
    char a[32], b[32];
    snprintf(a, sizeof a, "%lld", expected);
    snprintf(b, sizeof b, "%lld", got);
    same(what, a, b);
}

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct sink {
    char text[4096];
    size_t used;
} sink;

static void put_sink(void *context, const char *text, size_t size)
{
    sink *s = context;
    if (size >= sizeof s->text - s->used)
        size = sizeof s->text - s->used - 1;
    memcpy(s->text + s->used, text, size);
    s->used += size;
    s->text[s->used] = '\0';
}

static sink taken;

static const report_out *fresh(void)
{
    static const report_out out = {put_sink, &taken};
    taken.used = 0;
    taken.text[0] = '\0';
    return &out;
}

static void check_escapes(void)
{
    out_xml(fresh(), "a<b> & \"c\" 'd'");
    same("XML", "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;", taken.text);
    out_xml(fresh(), "\x01 tab\t \x7f");
    same("control characters", "? tab? ?", taken.text);
    out_xml(fresh(), "\xc3\xa9 \xe2\x89\xa0 \xf0\x9f\x98\x80");
    same("UTF-8 stays", "\xc3\xa9 \xe2\x89\xa0 \xf0\x9f\x98\x80", taken.text);
    out_xml(fresh(), "\xc3");
    same("a character cut off", "?", taken.text);
    out_xml(fresh(), "\xc0\xaf \xed\xa0\x80 \xf5\x80\x80\x80 \xef\xbf\xbf");
    same("no characters", "?? ??? ???? ???", taken.text);
    out_wrapped(fresh(), "one two three four", 2, 4, 10);
    same("wrapped: two ends in column 9, three in 9, four would in 14",
         "one two\n    three\n    four", taken.text);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_writer fresh_json(int compact)
{
    json_writer j = {.put = put_sink, .context = &taken, .compact = compact};
    fresh();
    return j;
}

static void check_json_text(void)
{
    static const struct {
        const char *text, *json;
    } rows[] = {
        {"a\"b\\c</d>", "\"a\\\"b\\\\c</d>\""},
        {"\x01 tab\t line\n \x7f", "\"\\u0001 tab\\u0009 line\\u000a \\u007f\""},
        {"\xc3\xa9 \xe2\x89\xa0 \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x89\xa0 \xf0\x9f\x98\x80\""},
        {"\xc3", "\"\\ufffd\""},
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"", "\"\""},
        {NULL, "null"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_writer j = fresh_json(0);
        jw_text(&j, NULL, rows[i].text);
        same("a text as JSON", rows[i].json, taken.text);
    }
}

static void check_json_values(void)
{
    volatile double zero = 0;
    json_writer j = fresh_json(0);
    jw_begin(&j, NULL, '[');
    jw_hex(&j, NULL, 0x7e, 4);
    jw_unsigned(&j, NULL, UINT64_MAX);
    jw_signed(&j, NULL, INT64_MIN);
    jw_real(&j, NULL, 1.0 / 3, 3);
    jw_real(&j, NULL, 1 / zero, 3);
    jw_fixed(&j, NULL, 2.0 / 3, 3);
    jw_fixed(&j, NULL, zero / zero, 3);
    jw_number(&j, NULL, "1e9");
    jw_number(&j, NULL, NULL);
    jw_bool(&j, NULL, 2);
    jw_bool(&j, NULL, 0);
    jw_null(&j, NULL);
    jw_end(&j);
    same("values",
         "[\"007e\", 18446744073709551615, -9223372036854775808, 0.333, null, 0.667, null, 1e9, "
         "null, "
         "true, false, null]\n",
         taken.text);
}

static void put_nested(json_writer *j)
{
    jw_begin(j, NULL, '{');
    jw_begin(j, "a", '[');
    jw_end(j);
    jw_begin(j, "b", '{');
    jw_text(j, "c", "d");
    jw_null(j, "e");
    jw_end(j);
    jw_key(j, "f");
    jw_space(j, "\n ");
    jw_begin(j, NULL, '[');
    jw_space(j, "\n  ");
    jw_unsigned(j, NULL, 1);
    jw_unsigned(j, NULL, 2);
    jw_space(j, "\n  ");
    jw_unsigned(j, NULL, 3);
    jw_space(j, "\n ");
    jw_end(j);
    jw_end(j);
}

static void check_json_structure(void)
{
    json_writer j = fresh_json(0);
    put_nested(&j);
    same("commas and blanks",
         "{\"a\": [], \"b\": {\"c\": \"d\", \"e\": null}, \"f\":\n [\n  1, 2,\n  3\n ]}\n",
         taken.text);
    j = fresh_json(1);
    put_nested(&j);
    same("compact", "{\"a\":[],\"b\":{\"c\":\"d\",\"e\":null},\"f\":\n [\n  1,2,\n  3\n ]}\n",
         taken.text);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void check_numbers(void)
{
    static const struct {
        uint64_t n;
        const char *text;
    } rows[] = {{0, "0"},
                {999, "999"},
                {1000, "1,000"},
                {65536, "65,536"},
                {UINT64_C(4294967296), "4,294,967,296"},
                {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        same("grouped", rows[i].text, grouped(rows[i].n, text));
}

/* ---- words ----------------------------------------------------------------------------------- */

static void check_words(void)
{
    static const struct {
        const char *name;
        uint64_t word;
        const char *hex, *value;
    } rows[] = {
        {"e4m3", 0x7e, "7e", "448"}, /* not 450, the shortest that reads back */
        {"e4m3", 0xff, "ff", "-nan"},
        {"e4m3", 0x01, "01", "0.001953125"},
        {"e5m2", 0x01, "01", "~1.5259e-05"}, /* 2^-16 = 0.0000152587890625 */
        {"e5m2", 0x81, "81", "~-1.5259e-05"},
        {"e2m1", 0x8, "8", "-0"},
        {"f32", 0x43e80001, "43e80001", "~464.00003"},
        {"f32", 0x7f800000, "7f800000", "inf"},
        {"f64", UINT64_C(0x3ff1000000000000), "3ff1000000000000", "1.0625"},
        {"tf32", 0x3f800 >> 1, "1fc00", "1"},
        {"i8", 0x80, "80", "-128"},
        {"i32", 0xffffffff, "ffffffff", "-1"},
        {"i64", UINT64_C(0x8000000000000000), "8000000000000000", "-9223372036854775808"},
        {"ui64", UINT64_MAX, "ffffffffffffffff", "18446744073709551615"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sf8_word w;
        char hex[32], value[96];
        same_number(rows[i].name, SF8_OK, sf8_word_named(rows[i].name, &w));
        same(rows[i].name, rows[i].hex, word_hex(&w, rows[i].word, hex));
        same(rows[i].name, rows[i].value, word_value(&w, rows[i].word, 12, value));
    }
}

/* ---- causes ---------------------------------------------------------------------------------- */

static report_case alone(const conform_case *c, const conform_result *r)
{
    report one = {.cases = &c, .results = r, .count = 1};
    return case_of(&one, 0);
}

/* By the table of e4m3 in docs/spec/policy-results.md: what -500 gives, code fe. */
static void check_policies(void)
{
    static const conform_case c = {.name = "x/y",
                                   .subject = "y",
                                   .family = &fake_host,
                                   .oracle = {{"f32_to_e4m3", "ocp-nosat", NULL}}};
    static const char *const sat[] = {"ocp",           "cuda-satfinite", "ptx",     "torch-2.13",
                                      "ml_dtypes-sat", "onnx-saturate",  "cutlass", "hip-ocp",
                                      "riscv-sat",     "arm-sat",        "fbgemm"};
    static const char *const nosat[] = {"ocp-nosat", "cuda-nosat", "torch-2.12",
                                        "ml_dtypes", "llvm",       "onnx-nosat",
                                        "hip-nosat", "riscv",      "arm"};
    conform_result r = {.status = CONFORM_FAILED, .differ = 1, .range_count = 1};
    r.range[0] = (conform_range){0xc3fa0000, 0xc3fa0000, 0xfe, 0x7f};
    report_case k = alone(&c, &r);
    report_cause cause = cause_of(&k, &r.range[0]);
    for (size_t i = 0; i < sizeof sat / sizeof sat[0]; i++) {
        int found = 0;
        for (int n = 0; n < cause.policy_count; n++)
            found |= strcmp(cause.policies[n], sat[i]) == 0;
        same_number(sat[i], 1, found);
    }
    for (size_t i = 0; i < sizeof nosat / sizeof nosat[0]; i++) {
        for (int n = 0; n < cause.policy_count; n++)
            same_number(nosat[i], 1, strcmp(cause.policies[n], nosat[i]) != 0);
    }
    same_number("a policy: no rounding is sought", 0, cause.round_count);
    same_number("fe is no NaN", 0, cause.both_nan);
}

/* The policies are asked with the rounding of the row: 1.1 toward zero is 1, and 3f8ccccd to
 * nearest 1.125 (39), which no policy gives toward zero; rne, rna, ru, ro (39 is odd), rnz do. */
static void check_rounding(void)
{
    static const conform_case c = {.name = "x/y",
                                   .subject = "y",
                                   .family = &fake_host,
                                   .oracle = {{"f32_to_e4m3", "ocp", "round=rz"}}};
    conform_result r = {.status = CONFORM_FAILED, .differ = 1, .range_count = 1};
    char text[REPORT_TEXT];
    r.range[0] = (conform_range){0x3f8ccccd, 0x3f8ccccd, 0x39, 0x38};
    report_case k = alone(&c, &r);
    same("roundings",
         "3f8ccccd gave 39 instead of 38: no named policy gives it with this rounding; the case's "
         "policy does with round=rne, rna, ru, ro, rnz",
         cause_text(&k, &r.range[0], text));
    r.range[0].got = 0xb8;
    same("the sign",
         "3f8ccccd gave b8 instead of 38: only the sign differs; no named policy and no other "
         "rounding gives it",
         cause_text(&k, &r.range[0], text));
    same_number("explain", 1, explain_command(&k, 0, 0x3f8ccccd, text));
    same("explain",
         "softfp8 explain --as-codes --from f32 --to e4m3 --policy ocp --set round=rz 3f8ccccd",
         text);
}

static void check_steps(void)
{
    report_case k = alone(&fake_cases[5], &fake_results[5]);
    char text[REPORT_TEXT];
    report_cause cause = cause_of(&k, &fake_results[5].range[0]);
    same_number("rounded once", 1, cause.once);
    same_number("first step", 1, explain_command(&k, 0, UINT64_C(0x3ff1000000001000), text));
    same("first step",
         "softfp8 explain --as-codes --from f64 --to f32 --policy ocp-nosat 3ff1000000001000",
         text);
    same_number("second step", 1, explain_command(&k, 1, UINT64_C(0x3ff1000000001000), text));
    same("second step, of what the first gives: 1.0625",
         "softfp8 explain --as-codes --from f32 --to e4m3 --policy cuda-nosat 3f880000", text);
    /* 1.0625 + 2^-40 toward zero is 1, to nearest 1.125: the rules are those of the last step */
    static const conform_case last = {
        .name = "x/y",
        .subject = "y",
        .family = &fake_host,
        .domain = DOMAIN_SET,
        .oracle = {{"f64_to_f32", "ocp-nosat", NULL}, {"f32_to_e4m3", "ocp", "round=rz"}}};
    conform_range range = {UINT64_C(0x3ff1000000001000), UINT64_C(0x3ff1000000001000), 0x38, 0x39};
    k = alone(&last, &fake_results[5]);
    same_number("rounded once as the last step does", 1, cause_of(&k, &range).once);
    k = alone(&fake_cases[6], &fake_results[6]);
    same_number("explain has no integers", 0, explain_command(&k, 0, 65520, text));
    same("steps", "f64_to_f32, ocp-nosat, then f32_to_e4m3, cuda-nosat",
         oracle_text(&fake_cases[5], text));
}

/* A row whose oracle is none, as a mistake in it would be, is reported and not looked into. */
static void check_no_oracle(void)
{
    static const conform_case c = {.name = "x/y",
                                   .subject = "y",
                                   .family = &fake_host,
                                   .oracle = {{"f32_to_e9m9", "ocp", NULL}}};
    conform_result r = {.status = CONFORM_BROKEN, .range_count = 1, .why = "the row"};
    const conform_case *cases = &c;
    report one = {.cases = &cases, .results = &r, .count = 1};
    static void (*const write[])(const report *, report_put, void *) = {report_table, report_json,
                                                                        report_junit};
    for (size_t i = 0; i < sizeof write / sizeof write[0]; i++) {
        write[i](&one, put_sink, fresh()->context);
        same_number("the row is named", 1, strstr(taken.text, "f32_to_e9m9") != NULL);
    }
    same_number("broken", 1, report_exit(&one));
}

/* ---- counts and status ----------------------------------------------------------------------- */

/* The tier is named where the inputs depend on it. */
static void check_commands(void)
{
    static const struct {
        size_t row;
        conform_tier tier;
        const char *command;
    } rows[] = {
        {0, TIER_QUICK, "softfp8 conform --only 'cuda-host/float_to_fp8/e4m3/satfinite'"},
        {0, TIER_FULL,
         "softfp8 conform --only 'cuda-host/float_to_fp8/e4m3/satfinite' --tier full"},
        {6, TIER_SOAK, "softfp8 conform --only 'cuda-host/int_to_half/rn' --tier soak"},
        {4, TIER_FULL, "softfp8 conform --only 'cuda-host/fp8_to_half/e4m3'"},
        {8, TIER_FULL, "softfp8 conform --only 'cuda-gpu/cvt/e4m3x2'"},
        {10, TIER_FULL, "softfp8 conform --only 'record/torch-2.12/bfloat16_to_e4m3'"},
    };
    char text[REPORT_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report_case k = alone(&fake_cases[rows[i].row], &fake_results[rows[i].row]);
        k.tier = rows[i].tier;
        same("the command", rows[i].command, run_command(&k, text));
    }
}

/* Each lane has its random word: what the second gave counts as well. Of 2^-9 * (1 + 2^-16), rule A
 * on 16 bits: the sixteen bits behind the last place are 0001, and carry if the word is ffff. By
 * bytes of ffff0000 the first lanes have other words than the last. */
static void check_random(void)
{
    static const conform_case c = {
        .name = "x/y",
        .subject = "y",
        .family = &fake_gpu,
        .oracle = {{"f32_to_e4m3", "ptx", "round=sr sr_rule=a sr_bits=16"}},
        .slices = SLICES_BYTES,
        .rbits = 0xffff0000};
    conform_result r = {.status = CONFORM_FAILED, .differ = 1, .range_count = 1};
    char text[REPORT_TEXT];
    report_case k = alone(&c, &r);
    same("the random word",
         "f32_to_e4m3, ptx round=sr sr_rule=a sr_bits=16; random word ffff0000, by bytes",
         oracle_text(&c, text));
    for (uint64_t got = 1; got <= 2; got++) {
        r.range[0] = (conform_range){0x3b000080, 0x3b000080, got, 3 - got};
        report_cause cause = cause_of(&k, &r.range[0]);
        int found = 0;
        for (int n = 0; n < cause.policy_count; n++)
            found |= strcmp(cause.policies[n], "ptx") == 0;
        same_number("some lane gives it", 1, found);
    }
    r.range[0].got = 3;
    same_number("no lane gives it", 0, cause_of(&k, &r.range[0]).policy_count);
}

/* conform.session has the others. */
static void check_exit(void)
{
    report none = {.shards = 1};
    same_number("no case", 3, report_exit(&none));
    none.shards = 9;
    same_number("an empty shard", 0, report_exit(&none));
}

int main(void)
{
    fake_fill();
    check_escapes();
    check_json_text();
    check_json_values();
    check_json_structure();
    check_numbers();
    check_words();
    check_policies();
    check_rounding();
    check_steps();
    check_no_oracle();
    check_commands();
    check_random();
    check_exit();
    printf("%u checks, %u failed\n", checks, failures);
    return failures > 0;
}
