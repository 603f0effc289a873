/* SPDX-License-Identifier: MIT */
/* product_lines.h -- reads vectors/products/policies.txt
 *
 * The head of that file describes its columns. A function here returns NULL, or what it expected
 * where the text is wrong.
 */
#ifndef SF8_TEST_PRODUCT_LINES_H
#define SF8_TEST_PRODUCT_LINES_H

#include "softfp8.h"

#include <stdio.h>
#include <string.h>

#define PRODUCT_FILE "vectors/products/policies.txt"

enum { PRODUCT_LINE_SIZE = 4096, PRODUCT_COLUMNS = 9 };

typedef struct product_line {
    const char *product, *package, *mode, *digest; /* digest: "" if the line has none */
    sf8_format from, to;
    sf8_policy policy;       /* of the policy, with the fields of the line */
    const char *policy_name; /* its name, or NULL if softfp8 has none for the product */
    uint64_t inputs;
    const char *vectors, *known; /* what is left of them to read */
} product_line;

/* For the inputs first to last the product gives `theirs` and softfp8 `ours`. */
typedef struct product_range {
    uint64_t first, last, theirs, ours;
} product_range;

static inline int product_is_remark(const char *text)
{
    return text[0] == '#' || text[0] == '\n';
}

/* Takes a line apart at " | ", in place; the number of columns, at most one more than there are. */
static inline size_t product_split(char *text, char *columns[PRODUCT_COLUMNS + 1])
{
    size_t n = 0;
    text[strcspn(text, "\n")] = '\0';
    while (text && n <= PRODUCT_COLUMNS) {
        columns[n++] = text;
        text = strstr(text, " | ");
        if (text) {
            *text = '\0';
            text += 3;
        }
    }
    return n;
}

/* A number in base 10 or 16, of digits only and at most `most`. */
static inline int product_number(const char **at, unsigned base, uint64_t most, uint64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    const char *begin = *at, *found;
    *number = 0;
    while (**at && (found = strchr(digits, **at)) != NULL && found < digits + base) {
        uint64_t digit = (uint64_t)(found - digits);
        if (*number > (most - digit) / base)
            return 0;
        *number = *number * base + digit;
        ++*at;
    }
    return *at > begin && *number <= most;
}

static inline uint64_t product_largest(sf8_format f)
{
    return UINT64_MAX >> (64 - sf8_format_bits(f));
}

static inline const char *product_conversion(char *text, product_line *line)
{
    sf8_status status;
    char *to = strstr(text, "_to_");
    if (!to)
        return "FROM_to_TO";
    *to = '\0';
    line->from = sf8_format_named(text, &status);
    if (status != SF8_OK)
        return "a format before _to_";
    line->to = sf8_format_named(to + 4, &status);
    return status == SF8_OK ? NULL : "a format behind _to_";
}

/* Fields of the policy, "round=rz", with blanks between them. */
static inline const char *product_fields(char *text, sf8_policy *policy)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        char *next = text + n + (text[n] == ' '), *value;
        text[n] = '\0';
        value = strchr(text, '=');
        if (!value)
            return "FIELD=VALUE";
        *value++ = '\0';
        if (sf8_policy_set(policy, text, value) != SF8_OK)
            return "a field of a policy and its value";
        text = next;
    }
    return NULL;
}

static inline const char *product_digest(const char *text, product_line *line)
{
    int32_t bits = sf8_format_bits(line->from);
    line->digest = strcmp(text, "-") == 0 ? "" : text;
    if (*line->digest && (strspn(text, "0123456789abcdef") != 64 || text[64]))
        return "a digest of 64 hexadecimal digits, or -";
    if (bits <= 16 ? line->inputs != UINT64_C(1) << bits
                   : *line->digest && (bits != 32 || line->inputs != UINT64_C(1) << 32))
        return "all words of the source as number of inputs";
    if (bits > 16 && *line->digest && *line->known)
        return "no digest in a line of f32 with deviations";
    return NULL;
}

/* Reads a line; its text is changed and has to stay where it is. */
static inline const char *product_read(char *text, product_line *line)
{
    char *columns[PRODUCT_COLUMNS + 1];
    size_t n = product_split(text, columns);
    const char *wrong, *count;
    if (n != PRODUCT_COLUMNS && n != PRODUCT_COLUMNS - 1)
        return "8 or 9 columns";
    line->product = columns[0];
    line->package = columns[1];
    line->mode = columns[3];
    line->vectors = columns[7];
    line->known = n == PRODUCT_COLUMNS ? columns[8] : "";
    wrong = product_conversion(columns[2], line);
    if (wrong)
        return wrong;
    line->policy_name = sf8_policy_for(line->product, line->to, line->from);
    line->policy = sf8_policy_named(line->policy_name ? line->policy_name : "ocp", NULL);
    wrong = strcmp(columns[4], "-") == 0 ? NULL : product_fields(columns[4], &line->policy);
    if (wrong)
        return wrong;
    count = columns[5];
    if (!product_number(&count, 10, UINT64_MAX, &line->inputs) || *count || !line->inputs)
        return "a number of inputs";
    return product_digest(columns[6], line);
}

/* The next vector INPUT:CODE, as a range of one input; *found is 0 at the end. */
static inline const char *product_vector(product_line *line, product_range *next, int *found)
{
    const char **at = &line->vectors;
    *found = **at != '\0';
    if (!*found)
        return NULL;
    if (!product_number(at, 16, product_largest(line->from), &next->first))
        return "a word of the source format";
    if (*(*at)++ != ':')
        return "a colon behind a word";
    if (!product_number(at, 16, product_largest(line->to), &next->theirs))
        return "a code of the target format";
    next->last = next->first;
    next->ours = next->theirs;
    if (**at && *(*at)++ != ' ')
        return "one blank between vectors";
    return NULL;
}

/* The next deviation FIRST-LAST:CODE(OURS) or WORD:CODE(OURS); *found is 0 at the end. */
static inline const char *product_deviation(product_line *line, product_range *range, int *found)
{
    const char **at = &line->known;
    *found = **at != '\0';
    if (!*found)
        return NULL;
    if (!product_number(at, 16, product_largest(line->from), &range->first))
        return "a word of the source format";
    range->last = range->first;
    if (**at == '-') {
        ++*at;
        if (!product_number(at, 16, product_largest(line->from), &range->last) ||
            range->last <= range->first)
            return "the last word of a range";
    }
    if (*(*at)++ != ':')
        return "a colon behind a word";
    if (!product_number(at, 16, product_largest(line->to), &range->theirs))
        return "a code of the target format";
    if (*(*at)++ != '(' || !product_number(at, 16, product_largest(line->to), &range->ours))
        return "softfp8's code in parentheses";
    if (*(*at)++ != ')' || (**at && *(*at)++ != ' '))
        return "one blank between deviations";
    return range->theirs == range->ours ? "two different codes in a deviation" : NULL;
}

#endif
