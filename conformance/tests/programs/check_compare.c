/* SPDX-License-Identifier: MIT */
/* check_compare.c -- the frame of the suite finds every difference, and nothing else
 *
 * A subject is made wrong at chosen inputs, in chosen lanes; the expected report follows from the
 * choice alone. The same is tested with a subject that runs, with tables of its codes, and with a
 * case that is divided into parts.
 */
#include "suite/compare.h"
#include "suite/digest.h"

#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;

static void same(const char *what, uint64_t expected, uint64_t got)
{
    checks++;
    if (expected == got)
        return;
    failures++;
    printf("%s: expected %llu, got %llu\n", what, (unsigned long long)expected,
           (unsigned long long)got);
}

static void same_text(const char *what, const char *expected, const char *got)
{
    checks++;
    if (strcmp(expected, got) == 0)
        return;
    failures++;
    printf("%s: expected %s, got %s\n", what, expected, got);
}

/* ---- a subject that is wrong at chosen inputs ------------------------------------------------ */

enum { WORDS = 1 << 16 };

static unsigned char wrong[2][WORDS]; /* by lane */

static uint8_t right_code(uint16_t word)
{
    return (uint8_t)sf8_convert(SF8_E4M3, SF8_F16, word, SF8_CUDA_SATFINITE);
}

/* Wrong codes are off by one, whatever they mean. */
static void run_pairs(const void *in, void *out, size_t n)
{
    const uint16_t *from = in;
    uint8_t *to = out;
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(right_code(from[i]) ^ wrong[i & 1][from[i]]);
}

static void run_singles(const void *in, void *out, size_t n)
{
    const uint16_t *from = in;
    uint8_t *to = out;
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(right_code(from[i]) ^ wrong[0][from[i]]);
}

static const gpu_subject pairs = {"pairs", "", 2, 1, 2, run_pairs};
static const gpu_subject singles = {"singles", "", 2, 1, 1, run_singles};

static const conform_case row = {
    .name = "test/row", .subject = "row", .oracle = {{"f16_to_e4m3", "cuda-satfinite", NULL}}};

/* The expected report, from `wrong` alone. */
static conform_result expected_result(int lanes)
{
    conform_result r;
    int before = 0;
    memset(&r, 0, sizeof r);
    for (uint32_t word = 0; word < WORDS; word++) {
        int lane = wrong[0][word] ? 0 : 1, now = wrong[0][word] || (lanes > 1 && wrong[1][word]);
        uint64_t right = right_code((uint16_t)word);
        if (now && !before && r.range_count++ < CONFORM_RANGES)
            r.range[r.range_count - 1] = (conform_range){word, word, right ^ wrong[lane][word],
                                                         right};
        if (now && r.range_count <= CONFORM_RANGES)
            r.range[r.range_count - 1].last = word;
        r.differ += (uint64_t)now;
        before = now;
    }
    return r;
}

static void same_result(const char *what, const conform_result *expected, const conform_result *got)
{
    char text[128];
    same(what, expected->differ ? CONFORM_FAILED : CONFORM_PASSED, got->status);
    same(what, expected->differ, got->differ);
    same(what, expected->range_count, got->range_count);
    for (uint64_t i = 0; i < expected->range_count && i < CONFORM_RANGES; i++) {
        snprintf(text, sizeof text, "%s, range %llu", what, (unsigned long long)i);
        same(text, expected->range[i].first, got->range[i].first);
        same(text, expected->range[i].last, got->range[i].last);
        same(text, expected->range[i].got, got->range[i].got);
        same(text, expected->range[i].right, got->range[i].right);
    }
}

/* ---- the three ways -------------------------------------------------------------------------- */

static gpu_row rows[2][WORDS];

static code_tables tables_of(int lanes)
{
    code_tables t;
    memset(&t, 0, sizeof t);
    t.lanes = lanes;
    for (int lane = 0; lane < lanes; lane++) {
        t.row[lane] = rows[lane];
        for (uint32_t word = 0; word < WORDS; word++) {
            uint64_t code = (uint64_t)right_code((uint16_t)word) ^ wrong[lane][word];
            if (word == 0 || rows[lane][t.rows[lane] - 1].code != code)
                rows[lane][t.rows[lane]++] = (gpu_row){word, code};
        }
    }
    return t;
}

static void try_all(const char *what, int lanes)
{
    oracle o;
    inputs in;
    char why[CONFORM_TEXT];
    if (!oracle_open(&o, &row, why) || !inputs_open(&in, &o, DOMAIN_ALL, TIER_FULL, why)) {
        same_text(what, "", why);
        return;
    }
    comparison k = {&row, &o, &in, 0, in.count};
    static conform_result whole, table, part[16], merged, expected;
    const conform_result *list[16];
    expected = expected_result(lanes);
    memset(&whole, 0, sizeof whole);
    memset(&table, 0, sizeof table);
    compare_subject(&k, lanes > 1 ? &pairs : &singles, &whole);
    same_result(what, &expected, &whole);
    code_tables t = tables_of(lanes);
    compare_tables(&k, &t, &table);
    same_result(what, &expected, &table);
    same_text(what, whole.digest, table.digest);
    same(what, (uint64_t)whole.at_begin, (uint64_t)table.at_begin);
    same(what, (uint64_t)whole.at_end, (uint64_t)table.at_end);
    for (unsigned i = 0; i < 16; i++) {
        memset(&part[i], 0, sizeof part[i]);
        k.begin = in.count / 16 * i;
        k.end = in.count / 16 * (i + 1);
        compare_subject(&k, lanes > 1 ? &pairs : &singles, &part[i]);
        part[i].first_part = i;
        part[i].parts = 1;
        part[i].of = 16;
        list[i] = &part[i];
    }
    conform_merge(&row, list, 16, &merged);
    same_result(what, &expected, &merged);
    same(what, WORDS, merged.inputs);
    same(what, 16, merged.parts);
    inputs_close(&in);
}

static void check_chosen_inputs(void)
{
    try_all("all right", 1);
    try_all("all right, pairs", 2);
    wrong[0][0] = wrong[0][1] = wrong[0][0xffff] = 1;
    try_all("the ends", 1);
    for (uint32_t word = 0x0ffe; word <= 0x1002; word++) /* across the border of two parts */
        wrong[0][word] = 2;
    wrong[0][0x2fff] = wrong[0][0x3001] = wrong[0][0x4fff] = wrong[0][0x6000] = 1;
    try_all("borders", 1);
    for (uint32_t word = 0x1001; word < 0x1007; word++)
        wrong[1][word] = 4; /* the other lane, first beside lane 0, then alone */
    wrong[1][0x9000] = 1;
    try_all("lanes", 2);
    for (uint32_t word = 0x7000; word < 0x7200; word += 2)
        wrong[0][word] = 1; /* more ranges than are kept, 256 */
    try_all("many ranges", 2);
    memset(wrong[0], 1, sizeof wrong[0]);
    try_all("all wrong", 1);
    memset(wrong, 0, sizeof wrong);
}

/* ---- quadruples ------------------------------------------------------------------------------ */

static int change_places; /* at this distance, in each quadruple; 0: nowhere */
static unsigned wrong_lane;
static uint32_t wrong_first, wrong_last; /* in that lane */

static void run_quads(const void *in, void *out, size_t n)
{
    const uint32_t *from = in;
    uint8_t *to = out;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = from[i ^ (size_t)change_places];
        int is_wrong = (i & 3) == wrong_lane && word >= wrong_first && word <= wrong_last;
        to[i] = (uint8_t)(sf8_convert(SF8_E4M3, SF8_F32, word, SF8_CUDA_SATFINITE) ^
                          (is_wrong ? 1u : 0u));
    }
}

static const gpu_subject quads = {"quads", "", 4, 1, 4, run_quads};

/* The inputs from 0x3f7f0000 on, three chunks and a piece of odd length: a code changes there. */
static void run_some_quads(conform_result *r)
{
    static const conform_case c = {.name = "test/quads",
                                   .subject = "quads",
                                   .oracle = {{"f32_to_e4m3", "cuda-satfinite", NULL}}};
    oracle o;
    inputs in;
    char why[CONFORM_TEXT] = "";
    memset(r, 0, sizeof *r);
    if (!oracle_open(&o, &c, why) || !inputs_open(&in, &o, DOMAIN_ALL, TIER_FULL, why)) {
        same_text("quads", "", why);
        return;
    }
    comparison k = {&c, &o, &in, 0x3f779000, 0x3f779000 + 3 * DIGEST_CHUNK + 0x8123};
    compare_subject(&k, &quads, r);
    inputs_close(&in);
}

static void check_quads(void)
{
    static conform_result r;
    char what[64];
    wrong_first = 1;
    run_some_quads(&r);
    same("quads, all right", CONFORM_PASSED, r.status);
    for (change_places = 1; change_places < 4; change_places++) {
        snprintf(what, sizeof what, "quads, places exchanged by %d", change_places);
        run_some_quads(&r);
        same(what, CONFORM_FAILED, r.status);
    }
    change_places = 0;
    /* across the border of two chunks, and the middle of the second */
    wrong_first = 0x3f788ffe;
    wrong_last = 0x3f791001;
    for (wrong_lane = 0; wrong_lane < 4; wrong_lane++) {
        snprintf(what, sizeof what, "quads, lane %u", wrong_lane);
        run_some_quads(&r);
        same(what, 0x8004, r.differ);
        same(what, 1, r.range_count);
        same(what, wrong_first, r.range[0].first);
        same(what, wrong_last, r.range[0].last);
    }
}

/* ---- digests --------------------------------------------------------------------------------- */

/* The digests of f16 to e4m3, saturating, by docs/spec/conformance.md, from a program in exact
 * fractions that shares nothing with this one: of the whole, and the sum of those of 16 parts. */
static void check_literal_digests(void)
{
    oracle o;
    inputs in;
    char why[CONFORM_TEXT];
    static conform_result r, part;
    if (!oracle_open(&o, &row, why) || !inputs_open(&in, &o, DOMAIN_ALL, TIER_FULL, why)) {
        same_text("digests", "", why);
        return;
    }
    comparison k = {&row, &o, &in, 0, in.count};
    memset(&r, 0, sizeof r);
    compare_subject(&k, &singles, &r);
    same_text("the digest of the whole",
              "bd0eeb7ebba9a6f5971c8495f0f43a37faefb29f7cf6f29be80de9a295dc991d", r.digest);
    memset(&r, 0, sizeof r);
    for (unsigned i = 0; i < 16; i++) {
        const conform_result *list[2] = {&r, &part};
        static conform_result sum;
        memset(&part, 0, sizeof part);
        k.begin = in.count / 16 * i;
        k.end = in.count / 16 * (i + 1);
        compare_subject(&k, &singles, &part);
        conform_merge(&row, i ? list : list + 1, i ? 2 : 1, &sum);
        r = sum;
    }
    same_text("the digest of 16 parts",
              "817c2f1c1299ab7e39bd540958ffb5fe517cc98d0c4f430775367d79623ce532", r.digest);
    inputs_close(&in);
}

/* ---- parts that do not meet, verdicts -------------------------------------------------------- */

/* A difference in one part remains, whatever happens to another part; a broken part is worse. */
static void check_worst(void)
{
    static const struct {
        conform_status a, b, all;
    } table[] = {
        {CONFORM_PASSED, CONFORM_KNOWN, CONFORM_KNOWN},
        {CONFORM_PASSED, CONFORM_FAILED, CONFORM_FAILED},
        {CONFORM_KNOWN, CONFORM_FAILED, CONFORM_FAILED},
        {CONFORM_KNOWN, CONFORM_BROKEN, CONFORM_BROKEN},
        {CONFORM_PASSED, CONFORM_NOT_RUN, CONFORM_NOT_RUN},
        {CONFORM_PASSED, CONFORM_BROKEN, CONFORM_BROKEN},
        {CONFORM_FAILED, CONFORM_NOT_RUN, CONFORM_FAILED},
        {CONFORM_FAILED, CONFORM_BROKEN, CONFORM_BROKEN},
        {CONFORM_NOT_RUN, CONFORM_BROKEN, CONFORM_BROKEN},
    };
    static conform_result part[2], merged;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        for (int first = 0; first < 2; first++) {
            const conform_result *list[2] = {&part[first], &part[!first]};
            memset(part, 0, sizeof part);
            part[0].status = table[i].a;
            part[1].status = table[i].b;
            for (int k = 0; k < 2; k++) {
                part[k].parts = 1;
                part[k].of = 2;
                part[k].differ = part[k].status == CONFORM_FAILED;
            }
            conform_merge(&row, list, 2, &merged);
            same("the worst of two parts", table[i].all, merged.status);
        }
    }
}

static void check_verdicts(void)
{
    conform_case c = row;
    static conform_result a, merged;
    const conform_result *list[1] = {&a};
    a.status = CONFORM_PASSED;
    a.parts = a.of = 1;
    static const conform_known known = {"because", {{NULL, NULL, NULL}}};
    c.known = &known;
    conform_merge(&c, list, 1, &merged);
    same("known, and does not differ", CONFORM_FAILED, merged.status);
    same_text("known, and does not differ",
              "now matches: remove its entry from the known differences", merged.why);
    a.of = 2;
    conform_merge(&c, list, 1, &merged);
    same("known, and half of it does not differ", CONFORM_PASSED, merged.status);
    a.differ = 1;
    a.status = CONFORM_KNOWN;
    conform_merge(&c, list, 1, &merged);
    same("differs as is known", CONFORM_KNOWN, merged.status);
    a.status = CONFORM_FAILED;
    conform_merge(&c, list, 1, &merged);
    same("known, and differs otherwise", CONFORM_FAILED, merged.status);
    a.status = CONFORM_BROKEN;
    conform_merge(&c, list, 1, &merged);
    same("broken", CONFORM_BROKEN, merged.status);
    check_worst();
}

/* ---- any NaN --------------------------------------------------------------------------------- */

static void check_nan_class(void)
{
    conform_case c = row;
    oracle o;
    inputs in;
    char why[CONFORM_TEXT];
    static conform_result r;
    c.nan_class = 1;
    memset(wrong, 0, sizeof wrong);
    for (uint32_t word = 0x7c01; word < 0x8000; word++) /* 7f becomes ff */
        wrong[0][word] = 0x80;
    if (!oracle_open(&o, &c, why) || !inputs_open(&in, &o, DOMAIN_ALL, TIER_FULL, why))
        return;
    comparison k = {&c, &o, &in, 0, in.count};
    memset(&r, 0, sizeof r);
    compare_subject(&k, &singles, &r);
    same("another NaN, any is right", CONFORM_PASSED, r.status);
    code_tables t = tables_of(1);
    memset(&r, 0, sizeof r);
    compare_tables(&k, &t, &r);
    same("another NaN, any is right: tables", CONFORM_PASSED, r.status);
    c.nan_class = 0;
    memset(&r, 0, sizeof r);
    compare_subject(&k, &singles, &r);
    same("another NaN, one is right", 0x3ff, r.differ);
    c.nan_class = 1;
    wrong[0][0x3c00] = 0x47; /* 1.0 becomes NaN, which is never accepted */
    memset(&r, 0, sizeof r);
    compare_subject(&k, &singles, &r);
    same("NaN where a number is right", 1, r.differ);
    memset(wrong, 0, sizeof wrong);
    inputs_close(&in);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Values below zero become 0, and so does -0; NaN stays, with its sign. */
static void check_relu(void)
{
    static const struct {
        uint32_t word;
        uint64_t code;
    } table[] = {{0x3f800000, 0x38}, {0xbf800000, 0},    {0x80000000, 0},    {0x80000001, 0},
                 {0xff800000, 0},    {0xffc00000, 0xff}, {0x7fc00000, 0x7f}, {0, 0}};
    conform_case c = row;
    oracle o;
    char why[CONFORM_TEXT] = "";
    c.oracle[0] = (conform_step){"f32_to_e4m3", "ocp", "nan_sign=signed"};
    c.oracle[1] = (conform_step){"relu", "ocp", NULL};
    same("relu: the row", 1, (uint64_t)oracle_open(&o, &c, why));
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        same("relu", table[i].code, oracle_call(&o, table[i].word));
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* Loses the first of a pair of unlike signs, which does not occur within a chunk of a sweep. */
static void run_crossing(const void *in, void *out, size_t n)
{
    const uint16_t *from = in;
    uint8_t *to = out;
    run_pairs(in, out, n);
    for (size_t i = 0; i < n; i += 2) {
        if ((from[i] ^ from[i + 1]) & 0x8000 && from[i] + from[i + 1] != 0xffff)
            to[i] ^= 1;
    }
}

static void check_neighbours(void)
{
    static const gpu_subject crossing = {"crossing", "", 2, 1, 2, run_crossing};
    oracle o;
    inputs in;
    char why[CONFORM_TEXT];
    static conform_result r, merged;
    const conform_result *list[1] = {&r};
    if (!oracle_open(&o, &row, why) || !inputs_open(&in, &o, DOMAIN_ALL, TIER_FULL, why))
        return;
    comparison k = {&row, &o, &in, 0, in.count};
    memset(&r, 0, sizeof r);
    compare_subject(&k, &crossing, &r);
    r.parts = r.of = 1;
    conform_merge(&row, list, 1, &merged);
    same("a pair of unlike signs: in the sweep", 0, merged.differ);
    same("a pair of unlike signs: beside others", 1, merged.crossed > 10000);
    same("a pair of unlike signs", CONFORM_FAILED, merged.status);
    same("a pair of unlike signs: why", 1, strstr(merged.why, "in place 0") != NULL);
    memset(&r, 0, sizeof r);
    compare_subject(&k, &pairs, &r);
    same("pairs as they should be", 0, r.crossed);
    inputs_close(&in);
}

static void check_digests(void)
{
    char sum[65] = "";
    const char *const one = "0000000000000000000000000000000000000000000000000000000000000001";
    const char *const most = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    digest_sum(sum, most);
    same_text("nothing and a digest", most, sum);
    digest_sum(sum, one);
    same_text("the sum wraps", "0000000000000000000000000000000000000000000000000000000000000000",
              sum);
    digest_sum(sum, "00000000000000000000000000000000000000000000000000000000000000ff");
    digest_sum(sum, one);
    same_text("carries", "0000000000000000000000000000000000000000000000000000000000000100", sum);
}

int main(void)
{
    check_chosen_inputs();
    check_quads();
    check_literal_digests();
    check_verdicts();
    check_nan_class();
    check_digests();
    check_neighbours();
    check_relu();
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
