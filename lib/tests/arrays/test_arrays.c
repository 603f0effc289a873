/* SPDX-License-Identifier: MIT */
/* test_arrays.c -- array conversions: every format, policy and rounding, on every level
 *
 * The expected results are those of the function for one value, which the proof compares with the
 * reference.
 */
#include "arrays/arrays.h"

enum { MOST = 1 << 16 };

static const char *const all_words_for[] = {"ocp", "ocp-nosat", "cuda-satfinite", "cuda-nosat",
                                            "torch-2.13"};

/* Calls check(job) for every narrow format, policy and rounding. */
static void each_job(const char *from, void (*check)(const job *j, void *data), void *data)
{
    char text[128];
    job j = {.from = format_of(from), .text = text};
    for (size_t to = 0; to < NARROW; to++) {
        const char *name = sf8_format_at(to, &j.to);
        const sf8_policy_row *policy_name;
        for (size_t p = 0; (policy_name = sf8_policy_at(p)); p++) {
            for (size_t r = (to + p) % every(3); r < COUNT(roundings); r += every(3)) {
                j.policy = policy_of(policy_name->name);
                cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
                snprintf(text, sizeof text, "%s to %s, %s %s", from, name, policy_name->name,
                         roundings[r]);
                check(&j, data);
            }
        }
    }
}

/* ---- f32 and f64, by the steps --------------------------------------------------------------- */

typedef struct words {
    size_t n, width;
    uint64_t word[MOST];
    uint8_t room[MOST];
} words;

static void add_word(words *w, uint64_t word)
{
    if (w->n < MOST)
        set_element(w->word, w->n++, w->width, word);
}

static void add_neighbours(words *w, uint64_t word)
{
    for (uint64_t near = 0; near < 5; near++)
        add_word(w, word + near - 2);
}

/* Every step with its neighbours, both ends of every exponent, and random inputs. */
static void check_steps(const job *j, void *data)
{
    words *w = data;
    sf8_steps walk;
    sf8_step row;
    int32_t man_bits = j->from.man_bits;
    uint64_t exponents = (uint64_t)1 << (sf8_format_bits(j->from) - man_bits);
    w->n = 0;
    w->width = width_of(j->from);
    cr_assert(sf8_steps_begin(&walk, j->from, j->to, j->policy, 0) == SF8_OK);
    while (sf8_steps_next(&walk, &row))
        add_neighbours(w, row.first);
    for (uint64_t exponent = 0; exponent < exponents; exponent++) {
        add_word(w, exponent << man_bits);
        add_word(w, (exponent << man_bits) - 1);
        add_word(w, exponent << man_bits | (uint64_t)1 << (man_bits - 1));
    }
    for (size_t i = 0; i < 500; i++)
        add_word(w, pseudo_random() | (uint64_t)pseudo_random() << 32);
    cr_assert(w->n < MOST);
    check_array(j, w->word, w->n, w->room);
}

Test(arrays, f32_at_every_step)
{
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    each_job("f32", check_steps, w);
    free(w);
}

/* Here inputs that differ only in bits that f32 cannot hold are among the neighbours. */
Test(arrays, f64_at_every_step)
{
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    each_job("f64", check_steps, w);
    free(w);
}

/* Inputs around each power of two, and halfway to the next, with a 1 at every lower position: the
 * values to which f32 would round them, and values that must be distinguished from these. */
Test(arrays, f64_near_f32)
{
    static const char *const all[] = {"ocp", "cuda-nosat", "ocp flush=inputs"};
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    w->width = 8;
    for (size_t to = 0; to < NARROW; to++)
        for (size_t p = 0; p < COUNT(all); p++)
            for (size_t r = (to + p) % one_in(3); r < COUNT(roundings); r += one_in(3)) {
                char text[128];
                job j = {.from = SF8_F64, .policy = policy_of(all[p]), .text = text};
                const char *name = sf8_format_at(to, &j.to);
                cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
                snprintf(text, sizeof text, "f64 to %s, %s %s", name, all[p], roundings[r]);
                w->n = 0;
                for (uint64_t exponent = 890; exponent < 1156;
                     exponent += exponent == 899 ? 105 : 1)
                    for (int32_t bit = 0; bit < 52; bit++) {
                        uint64_t word = (exponent + (r & 1) * 2048) << 52;
                        add_word(w, word | (uint64_t)1 << bit);
                        add_word(w, word | UINT64_C(1) << 51 | (uint64_t)1 << bit);
                        add_word(w, word - ((uint64_t)1 << bit));
                    }
                cr_assert(w->n < MOST);
                check_array(&j, w->word, w->n, w->room);
            }
    free(w);
}

/* Words of f64 around the numbers of f32 and halfway between them, also where these are subnormal:
 * with every exponent at the ends of f32's range, every last bit that is set, and both sides. */
static void fill_singles(words *w)
{
    static const uint64_t uppers[] = {0, 0xfffffffffffff, 0xaaaaaaaaaaaaa, 0xffffff0000000};
    w->n = 0;
    w->width = 8;
    for (uint64_t exponent = 0; exponent < 2048; exponent++) {
        if ((exponent > 2 && exponent < 870) || (exponent > 900 && exponent < 1020) ||
            (exponent > 1026 && exponent < 1148) || (exponent > 1153 && exponent < 2045))
            continue;
        for (size_t u = 0; u < COUNT(uppers); u++)
            for (int32_t bit = 25; bit < 52; bit += exponent < 897 ? 1 : bit == 31 ? 20 : 1) {
                uint64_t upper = uppers[u] >> bit >> 1 << bit << 1;
                uint64_t word = exponent << 52 | upper | (uint64_t)1 << bit;
                word |= (uint64_t)(w->n & 1) << 63;
                add_word(w, word);
                add_word(w, word - 1);
                add_word(w, word + 1);
            }
    }
    for (uint64_t i = 0; i < 8; i++) {
        add_word(w, i >> 2 << 63 | (i & 3)); /* zeros and the smallest numbers */
        add_word(w, i >> 2 << 63 | (0x000fffffffffffff + (i & 3))); /* the smallest normal one */
        add_word(w, 0x7ff0000000000000 | i << 61 | i);
        add_word(w, 0xfff8000000000000 + i);
    }
    cr_assert(w->n < MOST);
}

/* To f32 in one step, and rounded to odd first to other formats; the policies are those that change
 * something then. */
Test(arrays, f64_to_wide_formats)
{
    static const char *const targets[] = {"f32", "tf32", "bf16", "f16", "e=6 m=19", "e=6 m=20"};
    static const char *const all[] = {"ocp",
                                      "ocp-nosat early=yes",
                                      "ocp-nosat flush=outputs",
                                      "cuda-nosat flush=inputs",
                                      "torch-2.13",
                                      "torch-decode nan_code=payload",
                                      "ocp-nosat nan_code=bits inf=max",
                                      "ocp via=f32-f16 nan_code=bits",
                                      "ocp-nosat below_normal=stay",
                                      "ocp-nosat carry=next band=next"};
    words *w = malloc(sizeof *w);
    uint64_t *room = malloc(MOST * sizeof *room);
    cr_assert(w != NULL && room != NULL);
    fill_singles(w);
    for (size_t to = 0; to < COUNT(targets); to++)
        for (size_t p = 0; p < COUNT(all); p++)
            for (size_t r = (to + p) % one_in(3); r < COUNT(roundings); r += one_in(3)) {
                char text[128];
                job j = {format_of(targets[to]), SF8_F64, policy_of(all[p]), text};
                cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
                snprintf(text, sizeof text, "f64 to %s, %s %s", targets[to], all[p], roundings[r]);
                check_array(&j, w->word, w->n, room);
            }
    free(w);
    free(room);
}

/* f32 to f32: what policies change. */
Test(arrays, f32_to_itself)
{
    static const char *const all[] = {"ocp", "torch-decode", "ocp flush=inputs",
                                      "ocp-nosat flush=outputs", "ocp nan_code=bits inf=max"};
    uint32_t word[2048], room[2048];
    for (uint32_t i = 0; i < COUNT(word); i++)
        word[i] = (i & 1023) << 22 | (i < 1024 ? i & 3 : pseudo_random() & 0x3fffff);
    for (size_t p = 0; p < COUNT(all); p++) {
        job j = {SF8_F32, SF8_F32, policy_of(all[p]), all[p]};
        check_array(&j, word, COUNT(word), room);
    }
}

/* ---- f16 and bf16, every word ---------------------------------------------------------------- */

typedef struct halves {
    uint16_t word[MOST];
    uint8_t room[MOST];
} halves;

static void check_halves(const job *j, void *data)
{
    static const uint16_t ends[] = {0x7c00, 0xfc00, 0x7c01, 0xfc01, 0x7bff, 0xfbff, 0x03ff, 0x8001,
                                    0x7f80, 0xff80, 0x7f81, 0xff81, 0x7f7f, 0xff7f, 0x007f, 0x8000};
    halves *h = data;
    size_t step = 61;
    for (size_t i = 0; i < COUNT(all_words_for); i++) {
        const char *at = strstr(j->text, ", ");
        if (at && policy_is(at + 2, all_words_for[i]))
            step = 1;
    }
    size_t n = 0;
    for (uint32_t word = 0; word < MOST; word += (uint32_t)step)
        h->word[n++] = (uint16_t)word;
    for (uint32_t word = 0; step > 1 && word < COUNT(ends); word++)
        h->word[n++] = ends[word];
    check_array(j, h->word, n, h->room);
}

Test(arrays, every_f16)
{
    halves *h = malloc(sizeof *h);
    cr_assert(h != NULL);
    each_job("f16", check_halves, h);
    free(h);
}

Test(arrays, every_bf16)
{
    halves *h = malloc(sizeof *h);
    cr_assert(h != NULL);
    each_job("bf16", check_halves, h);
    free(h);
}

/* ---- fields of the policy -------------------------------------------------------------------- */

enum {
#define ONE(name, width, values) FIELD_##name,
    SF8_POLICY_FIELDS(ONE) FIELDS
#undef ONE
};

/* Every value of every field alone, and pairs of them at random, upon two policies. */
Test(arrays, every_field)
{
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    char text[160], values[64];
    static const char *const sources[] = {"f32", "f16", "bf16", "f64"};
    for (size_t round = 0; round < 4000 / one_in(4); round++) {
        job j = {.text = text};
        const char *name = sf8_format_at(pseudo_random() % NARROW, &j.to);
        const char *from = sources[pseudo_random() % COUNT(sources)];
        j.from = format_of(from);
        j.policy = pseudo_random() & 1 ? SF8_OCP : SF8_OCP_NOSAT;
        int used = snprintf(text, sizeof text, "%s to %s:", from, name);
        for (size_t k = 0; k < 1 + round % 4; k++) {
            size_t field = pseudo_random() % FIELDS;
            const char *names = sf8_policy_field_values(field);
            cr_assert(names != NULL && strlen(names) < sizeof values);
            if (!*names)
                continue;
            strcpy(values, names);
            size_t count = 1;
            for (const char *c = values; *c; c++)
                count += *c == ' ';
            char *value = strtok(values, " ");
            for (size_t skip = pseudo_random() % count; skip; skip--)
                value = strtok(NULL, " ");
            if (strcmp(value, "sr") == 0)
                continue;
            cr_assert(sf8_policy_set(&j.policy, sf8_policy_field_at(field), value) == SF8_OK);
            used += snprintf(text + used, sizeof text - (size_t)used, " %s=%s",
                             sf8_policy_field_at(field), value);
        }
        if (width_of(j.from) >= 4) {
            check_steps(&j, w);
            continue;
        }
        uint16_t word[1024];
        for (size_t i = 0; i < 1024; i++)
            word[i] = (uint16_t)(i << 6 | (pseudo_random() & 63));
        check_array(&j, word, 1024, w->room);
    }
    free(w);
}

/* Sets a field to a number, which may have no name. Returns 0 if the field has no such number. */
static int set_number(sf8_policy *policy, size_t field, unsigned number)
{
    switch (field) {
#define ONE(name, width, values)                                                                   \
    case FIELD_##name:                                                                             \
        policy->name = number & ((1u << (width)) - 1);                                             \
        return number < 1u << (width);
        SF8_POLICY_FIELDS(ONE)
#undef ONE
    default:
        return 0;
    }
}

/* A field of k bits has 2^k values, of which not all have names. Whatever the others mean, they
 * mean the same to arrays. */
Test(arrays, values_without_a_name)
{
    static const char *const targets[] = {"e4m3",  "e2m1", "e8m0", "e5m2fnuz",
                                          "ue4m3", "f16",  "bf16", "f32"};
    /* Beyond the largest numbers of f16 and bf16, and nearest to them. */
    static const uint32_t beyond[] = {0x477fe001, 0xc77fefff, 0x7f7f0001, 0xff7f7fff};
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    char text[160];
    uint64_t doubles[900];
    for (size_t i = 0; i < COUNT(doubles); i++) /* every exponent around those of f32 */
        doubles[i] = (uint64_t)(i % 2048 / 3 + 870) << 52 | (uint64_t)(i & 1) << 63 |
                     (uint64_t)(pseudo_random() & 7) << 49 | (uint64_t)(i % 3) << 28;
    doubles[0] = 1, doubles[1] = 0xfff0000000000000, doubles[2] = 0x7ff0000000000001;
    doubles[3] = 0x380fffffffffffff; /* rounds to the smallest normal number of f32 */
    for (size_t to = 0; to < COUNT(targets); to++) {
        for (size_t field = 0; field < FIELDS; field++) {
            job j = {format_of(targets[to]), SF8_F32, SF8_OCP_NOSAT, text};
            for (unsigned number = 0; set_number(&j.policy, field, number); number++) {
                if (field == FIELD_sr_bits || j.policy.round == SF8_SR)
                    continue;
                snprintf(text, sizeof text, "f32 to %s: %s is %u", targets[to],
                         sf8_policy_field_at(field), number);
                if (sf8_format_bits(j.to) <= 8)
                    check_steps(&j, w);
                for (uint32_t i = 0; i < MOST / 16; i++)
                    set_element(w->word, i, 4, i << 20 | (pseudo_random() & 0xfffff));
                for (size_t i = 0; i < COUNT(beyond); i++)
                    set_element(w->word, i, 4, beyond[i]);
                check_array(&j, w->word, MOST / 16, w->room);
                j.from = SF8_F16;
                for (uint32_t i = 0; i < MOST / 16; i++)
                    set_element(w->word, i, 2, i << 4 | (pseudo_random() & 15));
                check_array(&j, w->word, MOST / 16, w->room);
                j.from = SF8_F64;
                check_array(&j, doubles, COUNT(doubles), w->room);
                j.from = SF8_F32;
            }
        }
    }
    free(w);
}

/* Rows of no name, of every width: the family of P3109, and a few of our own. */
Test(arrays, formats_of_no_name)
{
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    for (int32_t k = 3; k <= 8; k++)
        for (int32_t p = 1; p <= k; p++)
            for (int32_t kind = 0; kind < 4; kind++) {
                if (!sf8_p3109_exists(k, p, kind & 1))
                    continue;
                char text[64];
                job j = {.to = sf8_p3109_format(k, p, kind & 1, kind >> 1),
                         .from = SF8_F32,
                         .text = text};
                for (unsigned r = 0; r < COUNT(roundings); r++) {
                    j.policy = (r + (unsigned)p) % 2 ? SF8_P3109_SATNONE : SF8_P3109_SATPROPAGATE;
                    snprintf(text, sizeof text, "p3109 k %d p %d kind %d %s", (int)k, (int)p,
                             (int)kind, roundings[r]);
                    j.policy.round = r & SF8_ROUND_MASK;
                    check_steps(&j, w);
                }
            }
    for (int32_t bias = -80; bias <= 120; bias += 5) {
        char text[64];
        job j = {.to = sf8_format_row(4, 3, 1, SF8_NANS_TOP, 0, 1, bias),
                 .from = SF8_F32,
                 .policy = SF8_CUDA_NOSAT,
                 .text = text};
        snprintf(text, sizeof text, "4, 3, bias %d", (int)bias);
        check_steps(&j, w);
        j.policy.round = SF8_RU;
        check_steps(&j, w);
    }
    free(w);
}

/* An infinity of f16 need not be an overflow. */
Test(arrays, f16_to_larger_ranges)
{
    static uint8_t room[MOST];
    static uint16_t word[MOST];
    for (size_t i = 0; i < MOST; i++)
        word[i] = (uint16_t)i;
    for (int32_t bias = -20; bias <= 20; bias++) {
        char text[64];
        job j = {.to = sf8_format_row(5, 2, 1, SF8_NANS_TOP, 0, 1, bias),
                 .from = SF8_F16,
                 .policy = bias & 1 ? SF8_OCP : SF8_OCP_NOSAT,
                 .text = text};
        snprintf(text, sizeof text, "f16 to 5, 2, bias %d", (int)bias);
        check_array(&j, word, MOST, room);
    }
}

/* Formats of 16 bits that differ from f16 or bf16 in a bias, or in what their largest codes are. */
Test(arrays, own_halves)
{
    static const char *const fields[] = {"nan=ieee", "nan=top", "nan=none"};
    static const struct {
        int exp_bits, man_bits, least, most;
    } kinds[] = {{5, 10, 13, 17}, {8, 7, 126, 130}};
    enum { WORDS = 4096 };
    static uint32_t word[WORDS];
    static uint64_t room[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t bits = i * 2654435761u, exponent = i % 3 ? 100 + bits % 48 : bits >> 24;
        word[i] = (i & 1) << 31 | exponent << 23 | (bits >> 9 & 0x7fffff & ~((1u << i % 16) - 1));
    }
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int bias = kinds[k].least; bias <= kinds[k].most; bias++)
            for (size_t f = 0; f < COUNT(fields); f++)
                for (size_t r = 0; r < 2; r++) {
                    char text[64];
                    job j = {.from = SF8_F32, .policy = r ? SF8_OCP : SF8_OCP_NOSAT, .text = text};
                    snprintf(text, sizeof text, "e=%d m=%d bias=%d %s", kinds[k].exp_bits,
                             kinds[k].man_bits, bias, fields[f]);
                    cr_assert(sf8_format_read(text, &j.to, NULL) == SF8_OK, "%s", text);
                    check_array(&j, word, WORDS, room);
                }
}

/* ---- from and to everything ------------------------------------------------------------------ */

/* Every code to the wide formats and to some narrow ones, by every policy, in arrays that are worth
 * a table and in one that is not. */
Test(arrays, every_code)
{
    static const char *const targets[] = {"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e2m1"};
    uint8_t code[1280];
    uint64_t room[1280];
    for (size_t i = 0; i < COUNT(code); i++)
        code[i] = (uint8_t)(i * 37);
    for (size_t from = 0; from < NARROW; from++)
        for (size_t t = from % one_in(3); t < COUNT(targets); t += one_in(3)) {
            char text[128];
            job j = {.to = format_of(targets[t]), .text = text};
            const char *name = sf8_format_at(from, &j.from);
            const sf8_policy_row *policy_name;
            for (size_t p = 0; (policy_name = sf8_policy_at(p)); p++)
                for (size_t r = 0; r < COUNT(roundings); r += t == 0 ? 1 : 5) {
                    j.policy = policy_of(policy_name->name);
                    cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
                    snprintf(text, sizeof text, "%s to %s, %s %s", name, targets[t],
                             policy_name->name, roundings[r]);
                    check_array(&j, code, r == 0 ? COUNT(code) : 256, room);
                }
        }
}

/* Subnormal numbers of a narrow format, which in a wider one are none, where operands are flushed.
 */
Test(arrays, flushed_codes)
{
    static const char *const formats[] = {"e4m3", "e5m2", "e3m4", "e4m3fnuz", "p3109_k6p3se"};
    uint8_t code[256];
    uint64_t room[256];
    for (size_t i = 0; i < COUNT(code); i++)
        code[i] = (uint8_t)i;
    for (size_t from = 0; from < COUNT(formats); from++)
        for (size_t to = 0; to < COUNT(formats); to++) {
            job j = {
                .to = format_of(formats[to]), .from = format_of(formats[from]), .text = "flush"};
            j.policy = policy_of("ocp flush=inputs");
            check_array(&j, code, COUNT(code), room);
        }
}

/* All numbers of a row are subnormal in f16, which are flushed; they do not overflow. */
Test(arrays, flushed_beyond_the_range)
{
    static uint16_t half[1 << 16];
    static uint8_t room[1 << 16];
    job j = {sf8_format_row(2, 1, 1, SF8_NANS_TOP, 0, 1, 20), SF8_F16,
             policy_of("ocp flush=inputs"), "f16 to a row of small numbers"};
    for (uint32_t i = 0; i < COUNT(half); i++)
        half[i] = (uint16_t)i;
    for (size_t r = 0; r < COUNT(roundings); r++) {
        cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
        check_array(&j, half, COUNT(half), room);
    }
}

/* The largest number of e8m0 without NaN is beyond those of f32. */
Test(arrays, powers_beyond_f32)
{
    uint64_t word[600], room[600];
    job j = {sf8_format_row(8, 0, 0, 0, 0, 0, 127), SF8_F64, SF8_OCP, "f64 to 8 bits of exponent"};
    for (size_t i = 0; i < COUNT(word); i++)
        word[i] = (uint64_t)(1023 + 120 + i / 40) << 52 | (uint64_t)(i % 40) << 47;
    for (size_t r = 0; r < COUNT(roundings); r++) {
        cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
        check_array(&j, word, COUNT(word), room);
    }
}

/* Only ue5m3 has numbers beyond f16. */
Test(arrays, tables_and_overflow)
{
    static const char *const all[] = {"ocp-nosat carry=next band=next", "ocp-nosat band=max",
                                      "ocp-nosat carry=nan"};
    uint8_t code[512];
    uint16_t room[512];
    for (size_t i = 0; i < COUNT(code); i++)
        code[i] = (uint8_t)i;
    for (size_t p = 0; p < COUNT(all); p++) {
        job j = {SF8_F16, format_of("ue5m3"), policy_of(all[p]), all[p]};
        check_array(&j, code, COUNT(code), room);
    }
}

/* The rest goes element by element. */
Test(arrays, other_pairs)
{
    static const char *const names[] = {"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e8m0"};
    uint64_t word[300], room[300];
    for (size_t a = 0; a < COUNT(names); a++)
        for (size_t b = 0; b < COUNT(names); b++) {
            job j = {.to = format_of(names[b]), .from = format_of(names[a]), .policy = SF8_LLVM};
            j.text = names[a];
            for (size_t i = 0; i < 300; i++)
                set_element(word, i, width_of(j.from),
                            (uint64_t)pseudo_random() << 32 | pseudo_random());
            check_array(&j, word, 300, room);
        }
}

/* ---- strides --------------------------------------------------------------------------------- */

/* Places are computed as the header has it, in bytes, and what no element lies in stays. */
static void check_strided(const char *to_name, const char *from_name, ptrdiff_t dst_stride,
                          ptrdiff_t src_stride, size_t n)
{
    enum { ROOM = 1 << 16 };
    static unsigned char src[ROOM], dst[ROOM], want[ROOM];
    sf8_format to = format_of(to_name), from = format_of(from_name);
    size_t in = width_of(from), out = width_of(to);
    for (size_t i = 0; i < ROOM; i++)
        src[i] = (unsigned char)pseudo_random();
    memset(dst, 0xa5, sizeof dst);
    memset(want, 0xa5, sizeof want);
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t read = ROOM / 2 + (ptrdiff_t)i * src_stride * (ptrdiff_t)in;
        ptrdiff_t write = ROOM / 2 + (ptrdiff_t)i * dst_stride * (ptrdiff_t)out;
        uint64_t word = element(src + read, 0, in);
        set_element(want + write, 0, out, sf8_convert(to, from, word, SF8_OCP));
    }
    cr_assert(sf8_convert_strided_n(to, dst + ROOM / 2, dst_stride, from, src + ROOM / 2,
                                    src_stride, n, SF8_OCP) == SF8_OK);
    cr_expect(memcmp(dst, want, ROOM) == 0, "%s to %s, strides %td and %td, %zu", from_name,
              to_name, src_stride, dst_stride, n);
}

Test(arrays, strided)
{
    static const ptrdiff_t strides[] = {1, 2, 3, -1, -2, 7, 0};
    static const size_t counts[] = {0, 1, 2, 511, 512, 513, 1100};
    static const char *const pairs[][2] = {
        {"e4m3", "f32"}, {"f32", "e4m3"}, {"e5m2", "bf16"}, {"f16", "f64"}, {"e2m1", "e4m3"}};
    for (size_t p = 0; p < COUNT(pairs); p++)
        for (size_t d = 0; d < COUNT(strides); d++)
            for (size_t s = 0; s < COUNT(strides); s++)
                for (size_t c = 0; c < COUNT(counts); c++) {
                    ptrdiff_t most = 8 * (strides[d] < 0 ? -strides[d] : strides[d]);
                    ptrdiff_t other = 8 * (strides[s] < 0 ? -strides[s] : strides[s]);
                    size_t room = (size_t)(most > other ? most : other) * counts[c];
                    if ((strides[d] == 0 && counts[c] > 1) || room > (1 << 15) - 8)
                        continue;
                    check_strided(pairs[p][0], pairs[p][1], strides[d], strides[s], counts[c]);
                }
}

/* A column of a matrix in place; and what is refused, with nothing written. */
Test(arrays, strided_in_place_and_refused)
{
    enum { ROWS = 700, COLUMNS = 5 };
    static uint8_t m[ROWS * COLUMNS], want[ROWS * COLUMNS];
    sf8_format e4m3 = format_of("e4m3"), e5m2 = format_of("e5m2"), bad = e4m3;
    sf8_policy random = SF8_OCP;
    uint8_t r[2] = {0xa5, 0xa5};
    for (size_t i = 0; i < sizeof m; i++)
        m[i] = want[i] = (uint8_t)pseudo_random();
    for (size_t i = 0; i < ROWS; i++)
        want[COLUMNS * i + 2] = (uint8_t)sf8_convert(e5m2, e4m3, want[COLUMNS * i + 2], SF8_OCP);
    cr_assert(sf8_convert_strided_n(e5m2, m + 2, COLUMNS, e4m3, m + 2, COLUMNS, ROWS, SF8_OCP) ==
              SF8_OK);
    cr_expect(memcmp(m, want, sizeof m) == 0);
    random.round = SF8_SR;
    bad.exp_bits = 0;
    cr_expect(sf8_convert_strided_n(e5m2, r, 0, e4m3, m, 1, 2, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(e5m2, r, 1, e4m3, m, 1, 2, random) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(bad, r, 1, e4m3, m, 2, 2, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_convert_strided_n(e5m2, r, 1, e4m3, m, PTRDIFF_MIN, 2, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(e5m2, r, PTRDIFF_MAX, e4m3, m, 1, 2, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_convert_strided_n(e5m2, NULL, 0, e4m3, NULL, 0, 0, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0xa5 && r[1] == 0xa5);
    m[0] = 0x38;
    cr_expect(sf8_convert_strided_n(e5m2, r, 0, e4m3, m, 0, 1, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0x3c && r[1] == 0xa5);
}
