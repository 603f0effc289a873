/* SPDX-License-Identifier: MIT */
/* test_arrays.c -- array conversions: every format, policy and rounding, on every level
 *
 * The expected results are those of the function for one value, which the proof compares with the
 * reference.
 */
#include "arrays/steps.h"

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
                                      "ocp-nosat overflow_test=exact",
                                      "ocp-nosat flush=outputs",
                                      "cuda-nosat flush=inputs",
                                      "torch-2.13",
                                      "torch-decode nan_code=payload",
                                      "ocp-nosat nan_code=bits inf=max",
                                      "ocp via=f32-f16 nan_code=bits",
                                      "ocp via=f16:rz",
                                      "ocp-nosat below_normal=stay",
                                      "ocp-nosat round_past_max=next beyond_max=next"};
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
