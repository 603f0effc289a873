/* SPDX-License-Identifier: MIT */
/* check_diagnose_cast.c -- sf8_diagnose_cast: planted mistakes are named, what is right is not
 * accused
 *
 * The converters of bad_converters.h are written without the library. planted.txt has the formats
 * of each, and what has to be said first.
 */
#include "bad_converters.h"
#include "diagnose_check.h"
#include "fields.h"
#include "softfp8_diagnose.h"

/* ---- inputs and codes ------------------------------------------------------------------------ */

enum { WORDS = 0x10000 };

static uint64_t words[WORDS], codes[WORDS];
static size_t count;

static void add(converter convert, uint32_t word, int exp_bits, int bits, int at)
{
    words[count] = nan_operand = word;
    codes[count++] = convert(decode(word, exp_bits, bits - 1 - exp_bits), word >> (bits - 1) << at);
}

static void add_both(converter convert, uint32_t word)
{
    for (uint32_t sign = 0; sign < 2; sign++)
        add(convert, word | sign << 31, 8, 32, 7);
}

/* Of f32 the words around each midpoint of e4m3, as far away as f16 and bf16 can tell; powers of
 * two, infinity, NaN. */
static void convert_f32(converter convert)
{
    for (uint32_t code = 0; code < 0x77; code++) {
        float middle = (float)((decode(code, 4, 3) + decode(code + 1, 4, 3)) / 2);
        uint32_t word;
        memcpy(&word, &middle, sizeof word);
        add_both(convert, word);
        for (int bit = 0; bit < 22; bit++) {
            add_both(convert, word + (1u << bit));
            add_both(convert, word - (1u << bit));
        }
    }
    for (uint32_t field = 0; field < 0x100; field++)
        add_both(convert, field << 23);
    add_both(convert, 0x7f7fffff);
    add_both(convert, 0x7fc00000);
}

/* Of f16 and bf16 all. */
static void convert_from(converter convert, const char *from, const char *to)
{
    count = 0;
    if (strcmp(from, "f32") == 0)
        convert_f32(convert);
    else
        for (uint32_t word = 0; word < WORDS; word++)
            add(convert, word, from[0] == 'b' ? 8 : 5, 16, strcmp(to, "e2m1") == 0 ? 3 : 7);
}

static sf8_cast_results results(const char *from, const char *to)
{
    return (sf8_cast_results){.from = sf8_format_named(from, NULL),
                              .to = sf8_format_named(to, NULL),
                              .inputs = strcmp(from, "f32") == 0 ? words : NULL,
                              .codes = codes,
                              .count = count};
}

static sf8_diagnosis *diagnose(const sf8_cast_results *r)
{
    sf8_diagnosis *d = NULL;
    holds("it is diagnosed", sf8_diagnose_cast(r, &d) == SF8_OK && d);
    return d;
}

/* ---- planted --------------------------------------------------------------------------------- */

static int is_verdict(const sf8_diagnosis *d, const char *name)
{
    static const char *const names[] = {[SF8_VERDICT_POLICY] = "policy",
                                        [SF8_VERDICT_CHANGED] = "changed",
                                        [SF8_VERDICT_NEAREST] = "nearest",
                                        [SF8_VERDICT_NONE] = "none"};
    return strcmp(names[d->verdict], name) == 0;
}

static void check_planted(void)
{
    fields row = fields_of(SOFTFP8_SOURCE "/lib/tests/diagnose/planted.txt");
    while (fields_next(&row)) {
        const char *name = row.field[0];
        convert_from(converter_named(name), row.field[1], row.field[2]);
        const sf8_cast_results r = results(row.field[1], row.field[2]);
        sf8_diagnosis *d = diagnose(&r);
        if (!d)
            continue;
        same(name, row.field[4], d->count ? d->list[0].words : "");
        holds(name, is_verdict(d, row.field[3]));
        for (size_t k = 0; k < d->count && d->verdict < SF8_VERDICT_NEAREST; k++)
            holds("it explains all", d->list[k].differ == 0);
        sf8_diagnosis_free(d);
    }
    holds("planted.txt", row.line == 79);
}

/* ---- what is right --------------------------------------------------------------------------- */

/* What a policy gives is that policy, for each that is meant for the conversion. */
static void check_right(void)
{
    const sf8_policy_row *row;
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        const char *name = sf8_policy_for(row->name, SF8_E4M3, SF8_BF16);
        if (!sf8_policy_holds(row, SF8_E4M3, SF8_BF16) || !name || strcmp(name, row->name) != 0)
            continue;
        count = WORDS;
        for (uint64_t word = 0; word < WORDS; word++)
            codes[word] = sf8_convert(SF8_E4M3, SF8_BF16, word, sf8_policy_named(row->name, NULL));
        sf8_cast_results r = results("bf16", "e4m3");
        r.expected = row->name;
        sf8_diagnosis *d = diagnose(&r);
        holds(row->name, d && d->is_expected && d->wrong == 0 && d->verdict == SF8_VERDICT_POLICY);
        if (d)
            same("the first is the expected one", row->name, d->list[0].words);
        sf8_diagnosis_free(d);
    }
}

/* A product whose policy is another one: how many inputs differ, and what was done instead. */
static void check_another(void)
{
    convert_from(good, "f16", "e4m3");
    sf8_cast_results r = results("f16", "e4m3");
    r.expected = "cuda-nosat";
    sf8_diagnosis *d = diagnose(&r);
    /* of each sign 464 < x <= 65504 and infinity: 0x7c00 - 0x5f40 */
    holds("another policy", d && !d->is_expected && d->wrong == 2 * (0x7c00 - 0x5f40));
    if (d)
        same("which", "cuda-satfinite", d->list[0].words);
    sf8_diagnosis_free(d);
}

static void check_expected(void)
{
    fields row = fields_of(SOFTFP8_SOURCE "/lib/tests/diagnose/expected.txt");
    while (fields_next(&row)) {
        convert_from(converter_named(row.field[0]), row.field[1], "e4m3");
        sf8_cast_results r = results(row.field[1], "e4m3");
        r.expected = row.field[2];
        sf8_diagnosis *d = diagnose(&r);
        if (!d)
            continue;
        same(r.expected, row.field[4], d->count ? d->list[0].rule : "");
        same(r.expected, row.field[5], d->mistake);
        holds(r.expected, is_verdict(d, row.field[3]) && !d->is_expected);
        sf8_diagnosis_free(d);
    }
    holds("expected.txt", row.line == 15);
}

static void check_followers(void)
{
    convert_from(torch_before, "f16", "e4m3");
    sf8_cast_results r = results("f16", "e4m3");
    sf8_diagnosis *d = diagnose(&r);
    holds("followers", d && d->follower_count > 2 && strcmp(d->followers[0].name, "torch") == 0 &&
                           strcmp(d->followers[0].before, "2.13") == 0);
    for (size_t i = 1; d && i < d->follower_count; i++)
        holds("followers in their newest version", !d->followers[i].before[0]);
    sf8_diagnosis_free(d);
}

/* The policy that is nearest, where no change of it is nearer: ties away, but for a few codes. */
static void check_nearest(void)
{
    convert_from(ties_away, "f16", "e4m3");
    for (size_t i = 0x3000; i < 0x3400; i += 0x99)
        codes[i] ^= 1;
    sf8_cast_results r = results("f16", "e4m3");
    r.expected = "ocp";
    sf8_diagnosis *d = diagnose(&r);
    /* Ties between finite numbers are one for each code, but half of them go away from zero anyway:
     * 126 in both signs. Seven codes were changed. */
    holds("nearest", d && d->verdict == SF8_VERDICT_NEAREST && d->count == 1 &&
                         d->list[0].differ == 7 && d->wrong >= 126);
    if (d)
        same("nearest", "ocp, rna", d->list[0].rule);
    sf8_diagnosis_free(d);
}

/* More inputs than are searched. A name that explains all but one of them is no more than near. */
static void check_many(void)
{
    enum { MANY = 100000 };
    static uint64_t in[MANY], out[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        in[i] = 0x3a000000 + 0x1000 * i % 0x8000000 + i; /* from 2^-11 on */
        out[i] = flush(decode((uint32_t)in[i], 8, 23), 0);
    }
    sf8_cast_results r = {.from = SF8_F32,
                          .to = SF8_E4M3,
                          .inputs = in,
                          .codes = out,
                          .count = MANY,
                          .expected = "ocp"};
    sf8_diagnosis *d = diagnose(&r);
    holds("many", d && d->verdict == SF8_VERDICT_CHANGED && d->list[0].differ == 0);
    uint64_t wrong = d ? d->wrong : 0;
    sf8_diagnosis_free(d);
    out[MANY / 3] ^= 1;
    d = diagnose(&r);
    holds("many but one", d && d->verdict == SF8_VERDICT_NEAREST && d->list[0].differ == 1 &&
                              d->wrong == wrong + 1 && d->count == 1);
    if (d)
        same("many but one", "subnormal results are flushed to zero", d->mistake);
    sf8_diagnosis_free(d);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void refuses(const char *what, sf8_status status, sf8_cast_results r)
{
    sf8_diagnosis *d = (sf8_diagnosis *)&r;
    holds(what, sf8_diagnose_cast(&r, &d) == status && !d);
}

static void check_calls(void)
{
    static const uint64_t in[] = {0x3c00, 0x4000, 0x3c00}, out[] = {0x38, 0x40, 0x38},
                          two[] = {0x38, 0x40, 0x39};
    sf8_cast_results r = {.from = SF8_F16, .to = SF8_E4M3, .inputs = in, .codes = out, .count = 3};
    sf8_diagnosis *d = diagnose(&r);
    holds("an input that comes twice", d && d->verdict == SF8_VERDICT_POLICY);
    sf8_diagnosis_free(d);
    r.codes = two;
    refuses("two codes of one input", SF8_BAD_CALL, r);
    r.codes = in;
    refuses("a code of 16 bits", SF8_BAD_CALL, r);
    r.codes = out;
    r.count = 0;
    refuses("nothing", SF8_BAD_CALL, r);
    r.count = 3;
    r.inputs = NULL;
    refuses("a table with 3 rows", SF8_BAD_CALL, r);
    r.inputs = in;
    r.expected = "no such policy";
    refuses("an unknown policy", SF8_UNKNOWN_NAME, r);
    r.expected = "ocp overflow=wrong";
    refuses("an unknown value", SF8_UNKNOWN_NAME, r);
    r.expected = "ocp round=sr";
    refuses("stochastic rounding", SF8_BAD_CALL, r);
    r.expected = NULL;
    r.to.exp_bits = 0;
    refuses("no format", SF8_BAD_FORMAT, r);
    sf8_diagnosis_free(NULL);

    convert_from(requantizer, "bf16", "e4m3");
    r = results("bf16", "e4m3");
    r.seconds = 1e-3;
    r.progress = tell;
    r.user = &told;
    d = diagnose(&r);
    holds("the time was up", d && d->is_cut_short && d->verdict >= SF8_VERDICT_NEAREST && told);
    sf8_diagnosis_free(d);
}

static void check_causes(void)
{
    sf8_cause c;
    size_t n = 0, found = 0;
    for (; sf8_cause_at(n, &c); n++) {
        holds(c.name, c.words && c.words[0]);
        found += strcmp(c.name, "ties_up") == 0 && strcmp(c.words, "ties go toward +infinity") == 0;
        found += strcmp(c.name, "round") == 0 && strcmp(c.value, "rz") == 0;
        found += strcmp(c.name, "nan_code") == 0 && strcmp(c.value, "quiet") == 0;
    }
    holds("the list of causes", found == 3 && n > 80);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static sf8_status diagnose_six(void)
{
    static const uint64_t in[] = {0, 0x3c00, 0x3c40, 0x4000, 0x8000, 0x8001},
                          out[] = {0, 0x38, 0x38, 0x40, 0, 0};
    sf8_cast_results r = {.from = SF8_F16, .to = SF8_E4M3, .inputs = in, .codes = out, .count = 6};
    sf8_diagnosis *d;
    sf8_status status = sf8_diagnose_cast(&r, &d);
    sf8_diagnosis_free(d);
    return status;
}

int main(void)
{
    check_memory(diagnose_six);
    check_calls();
    check_causes();
    check_another();
    check_expected();
    check_followers();
    check_nearest();
    check_many();
    check_right();
    if (!getenv("QUICK"))
        check_planted();
    printf("%d failures\n", failures);
    return failures > 0;
}
