/* SPDX-License-Identifier: MIT */
/* check_product_policies.c -- every conversion of every product, compared with the codes it gave
 *
 *     check_product_policies [FILE]
 *
 * Reads vectors/products/policies.txt. The policy that sf8_policy_for names for a line must give
 * the codes of all its vectors, and it must be meant for the conversion: otherwise identify would
 * not name it. If the line has a digest, the codes of all values of the source format must give it:
 * up to 65536 values one by one, all 2^32 of f32 by their steps.
 */
#include "softfp8/sha256.h"
#include "policies/product_lines.h"
#include "softfp8_vectors.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LEAST_LINES = 700, LEAST_VECTORS = 7, MOST_WORDS = 1 << 16, SHOWN = 40 };

static const char *path;
static size_t number, failures, lines, vectors, deviations, digests;
static uint64_t codes[MOST_WORDS];

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        if (failures++ < SHOWN) {                                                                  \
            fprintf(stderr, "%s:%zu: ", path, number);                                             \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
        }                                                                                          \
    } while (0)

static uint64_t code_of(const product_line *line, uint64_t word)
{
    return sf8_convert(line->to, line->from, word, line->policy);
}

static void check_vectors(product_line *line)
{
    product_range v;
    size_t count = 0;
    for (int found = 1; found;) {
        const char *expected = product_vector(line, &v, &found);
        if (expected) {
            FAIL("expected %s", expected);
            return;
        }
        if (!found)
            break;
        uint64_t got = code_of(line, v.first);
        count++;
        if (got != v.theirs)
            FAIL("%s, policy %s: %" PRIx64 " gives %" PRIx64 ", the product gave %" PRIx64,
                 line->product, line->policy_name, v.first, got, v.theirs);
    }
    vectors += count;
    if (count < LEAST_VECTORS)
        FAIL("%zu vectors, expected %d or more", count, LEAST_VECTORS);
}

/* The first input of a deviation for which softfp8 does not give what the line says, or the end of
 * the deviation. */
static uint64_t first_unexpected(const product_line *line, const product_range *range)
{
    uint64_t word = range->first;
    while (word <= range->last && code_of(line, word) == range->ours)
        word++;
    return word;
}

/* Checks the deviations, and replaces what softfp8 gives for them by the product's codes. */
static void check_deviations(product_line *line, size_t words)
{
    product_range r;
    uint64_t above = 0;
    for (int found = 1; found;) {
        const char *expected = product_deviation(line, &r, &found);
        if (!expected && found && (r.first < above || r.last - r.first >= MOST_WORDS))
            expected = "deviations in order, of 65536 words or less";
        if (expected) {
            FAIL("expected %s", expected);
            return;
        }
        if (!found)
            return;
        uint64_t word = first_unexpected(line, &r);
        deviations++;
        if (word <= r.last)
            FAIL("%s, policy %s: deviation %" PRIx64 " gives %" PRIx64 ", expected %" PRIx64,
                 line->product, line->policy_name, word, code_of(line, word), r.ours);
        for (word = r.first; words && word <= r.last; word++)
            codes[word] = r.theirs;
        above = r.last + 1;
    }
}

/* ---- digests --------------------------------------------------------------------------------- */

static void add_row(sf8_sha256 *state, uint64_t first, uint64_t code)
{
    unsigned char row[16];
    for (unsigned i = 0; i < 8; i++) {
        row[i] = (unsigned char)(first >> 8 * i & 0xff);
        row[8 + i] = (unsigned char)(code >> 8 * i & 0xff);
    }
    sf8_sha256_add(state, row, sizeof row);
}

static void add_words(sf8_sha256 *state, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (w == 0 || codes[w] != codes[w - 1])
            add_row(state, w, codes[w]);
}

/* Steps at which only the flags change are no rows here. */
static void add_steps(sf8_sha256 *state, const product_line *line)
{
    sf8_steps walk;
    sf8_step step;
    uint64_t code = 0;
    if (sf8_steps_begin(&walk, line->from, line->to, line->policy, 0) != SF8_OK) {
        FAIL("%s, policy %s: no steps", line->product, line->policy_name);
        return;
    }
    while (sf8_steps_next(&walk, &step)) {
        if (step.first == 0 || step.code != code)
            add_row(state, step.first, step.code);
        code = step.code;
    }
}

static void check_digest(const product_line *line, size_t words)
{
    sf8_sha256 state;
    char text[65];
    sf8_sha256_begin(&state);
    if (words)
        add_words(&state, words);
    else
        add_steps(&state, line);
    sf8_sha256_end(&state, text);
    digests++;
    if (strcmp(text, line->digest) != 0)
        FAIL("%s, policy %s: digest %s, expected %s", line->product, line->policy_name, text,
             line->digest);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int is_meant(const product_line *line)
{
    const sf8_policy_row *row;
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++)
        if (strcmp(row->name, line->policy_name) == 0)
            return sf8_policy_holds(row, line->to, line->from);
    return 0;
}

static void check_line(char *text)
{
    product_line line;
    const char *expected = product_read(text, &line);
    if (expected) {
        FAIL("expected %s", expected);
        return;
    }
    if (!line.policy_name) {
        FAIL("%s: softfp8 has no policy for this conversion", line.product);
        return;
    }
    if (!is_meant(&line))
        FAIL("%s: policy %s is not meant for this conversion", line.product, line.policy_name);
    size_t words = *line.digest && line.inputs <= MOST_WORDS ? (size_t)line.inputs : 0;
    lines++;
    for (size_t w = 0; w < words; w++)
        codes[w] = code_of(&line, w);
    check_vectors(&line);
    check_deviations(&line, words);
    if (*line.digest)
        check_digest(&line, words);
}

int main(int argc, char **argv)
{
    static char text[PRODUCT_LINE_SIZE];
    path = argc > 1 ? argv[1] : SOFTFP8_SOURCE "/" PRODUCT_FILE;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return EXIT_FAILURE;
    }
    while (fgets(text, sizeof text, file)) {
        number++;
        if (!strchr(text, '\n')) {
            FAIL("expected a line of less than %d characters and its end", PRODUCT_LINE_SIZE);
            break;
        }
        if (!product_is_remark(text))
            check_line(text);
    }
    fclose(file);
    if (lines < LEAST_LINES)
        FAIL("%zu good lines, expected %d or more", lines, LEAST_LINES);
    printf("%zu lines, %zu vectors, %zu deviations, %zu digests, %zu failures\n", lines, vectors,
           deviations, digests, failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
