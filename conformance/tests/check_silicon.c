/* SPDX-License-Identifier: MIT */
/* check_silicon.c -- the model of matrix units against published results of real ones
 *
 * SOFTFP8_SILICON names a folder with a file for each GPU and kind of product. Lines that begin
 * with # say what it is; a row is "a b c d", K codes of a and of b run together, the accumulator
 * and the result as words of f32; where the result is f16 the accumulator is rounded to it first.
 *
 * Each set has to come out word for word, and each of its rivals, the same unit but for one thing,
 * must fail on it. What a set cannot tell apart is not among its rivals: results of f16 do not show
 * one bit of the terms more or less, and sums lowered to f16 products seldom lose anything.
 *
 * Exit status 0, or 1 where a set or a rival is not as it should be; 2 for a file that is none;
 * 3 where the folder or one of the files is not there.
 */
#include "softfp8_mma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct set {
    const char *file, *unit, *in, *out;
    const char *rivals; /* "fraction=24 unit=hopper-qgmma" */
} set;

#define F16_SETS(gpu, unit) {gpu "-fp16-fp16", unit, "f16", "f16", "length=4 unit=volta-hmma"},
#define AMPERE_SETS(gpu, unit)                                                                     \
    {gpu "-fp16-fp32", unit, "f16", "f32",                                                         \
     "fraction=23 fraction=25 length=4 cut=down products=normalised sum=e8m13 unit=volta-hmma "    \
     "unit=hopper-hmma"},                                                                          \
        {gpu "-tf32-fp32", unit, "tf32", "f32",                                                    \
         "fraction=23 fraction=25 cut=down products=normalised sum=e8m13 unit=hopper-hmma"},       \
        F16_SETS(gpu, unit)
#define HOPPER_SETS(gpu, unit)                                                                     \
    {gpu "-fp16-fp32", unit, "f16", "f32",                                                         \
     "fraction=24 fraction=26 length=4 length=8 cut=down products=normalised sum=e8m13 "           \
     "unit=ampere-hmma"},                                                                          \
        {gpu "-bf16-fp32", unit, "bf16", "f32",                                                    \
         "fraction=24 fraction=26 length=4 length=8 cut=down products=normalised sum=e8m13 "       \
         "unit=ampere-hmma"},                                                                      \
        {gpu "-tf32-fp32", unit, "tf32", "f32",                                                    \
         "fraction=24 fraction=26 cut=down products=normalised sum=e8m13 unit=ampere-hmma"},       \
        {gpu "-fp16-fp16", unit, "f16", "f16", "length=4 length=8 unit=ampere-hmma"},
#define BF16_SETS(gpu, unit)                                                                       \
    {gpu "-bf16-fp32", unit, "bf16", "f32",                                                        \
     "fraction=23 fraction=25 length=4 cut=down products=normalised sum=e8m13 unit=hopper-hmma"},
#define LOWERED_SETS(gpu, unit, in)                                                                \
    {gpu "-" in "-fp32", unit, in, "f32", "unit=blackwell-tcgen05 unit=hopper-qgmma"},             \
        {gpu "-" in "-fp16", unit, in, "f16",                                                      \
         "lowering=independent unit=blackwell-tcgen05 unit=hopper-qgmma"},
#define QMMA_SET(gpu, in)                                                                          \
    {gpu "-" in "-fp32", "ada-qmma", in, "f32",                                                    \
     "fraction=12 fraction=14 length=8 length=32 cut=down products=normalised sum=f32 "            \
     "unit=hopper-qgmma unit=hopper-mma-fp8"},
#define QMMA_F16_SET(gpu, in)                                                                      \
    {gpu "-" in "-fp16", "ada-qmma", in, "f16",                                                    \
     "fraction=12 fraction=14 length=8 length=32 cut=down products=normalised "                    \
     "unit=hopper-qgmma unit=hopper-mma-fp8"},
#define QGMMA_SET(gpu, in)                                                                         \
    {gpu "-" in "-fp32-wgmma", "hopper-qgmma", in, "f32",                                          \
     "fraction=12 fraction=14 length=8 length=16 cut=down products=normalised sum=f32 "            \
     "unit=ada-qmma unit=hopper-mma-fp8"},

static const set sets[] = {
    {"v100-fp16-fp32", "volta-hmma", "f16", "f32",
     "fraction=22 fraction=24 length=2 cut=down products=normalised sum=e8m13 unit=turing-hmma"},
    {"v100-fp16-fp16", "volta-hmma", "f16", "f16", "length=2"},
    AMPERE_SETS("a100", "ampere-hmma") BF16_SETS("a100", "ampere-hmma") AMPERE_SETS(
        "a2", "ampere-hmma") BF16_SETS("a2", "ampere-hmma") AMPERE_SETS("ada", "ada-hmma")
        BF16_SETS("ada", "ada-hmma") AMPERE_SETS("l40s", "ada-hmma") BF16_SETS("l40s", "ada-hmma")
            HOPPER_SETS("h100", "hopper-hmma") HOPPER_SETS("h200", "hopper-hmma") HOPPER_SETS(
                "b200", "blackwell-hmma") QMMA_SET("ada", "e4m3") QMMA_SET("ada", "e5m2")
                QMMA_F16_SET("ada", "e4m3") QMMA_F16_SET("ada", "e5m2") QMMA_SET("l40s", "e4m3")
                    QMMA_SET("l40s", "e5m2") QGMMA_SET("h100", "e4m3") QGMMA_SET("h100", "e5m2")
                        QGMMA_SET("h200", "e4m3") QGMMA_SET("h200", "e5m2")
                            LOWERED_SETS("h100", "hopper-mma-fp8", "e4m3")
                                LOWERED_SETS("h100", "hopper-mma-fp8", "e5m2")
                                    LOWERED_SETS("h200", "hopper-mma-fp8", "e4m3")
                                        LOWERED_SETS("h200", "hopper-mma-fp8", "e5m2")
                                            LOWERED_SETS("b200", "blackwell-mma-fp8", "e4m3")
                                                LOWERED_SETS("b200", "blackwell-mma-fp8", "e5m2")};

enum { MOST_K = 64, MOST_ROWS = 20000, LINE = 2048 };

typedef struct row {
    uint32_t a[MOST_K], b[MOST_K], c, d;
} row;

static row *rows;
static size_t row_count;
static size_t k_of_rows;

static _Noreturn void bad(const char *path, unsigned long line, const char *why)
{
    if (line)
        fprintf(stderr, "check_silicon: %s:%lu: %s\n", path, line, why);
    else
        fprintf(stderr, "check_silicon: %s: %s\n", path, why);
    exit(2);
}

/* The hex digits of a word; 0 if there is something else. */
static int read_hex(const char *text, size_t digits, uint32_t *word)
{
    *word = 0;
    for (size_t i = 0; i < digits; i++) {
        const char *digit = strchr("0123456789abcdef", text[i]);
        if (!text[i] || !digit)
            return 0;
        *word = *word << 4 | (uint32_t)(digit - "0123456789abcdef");
    }
    return 1;
}

static int read_codes(const char *text, size_t digits, size_t k, uint32_t *codes)
{
    for (size_t i = 0; i < k; i++)
        if (!read_hex(text + i * digits, digits, &codes[i]))
            return 0;
    return strlen(text) == k * digits;
}

static void read_row(const char *path, unsigned long number, char *line, size_t digits)
{
    char *field[5], *next = line;
    for (int i = 0; i < 5; i++) {
        field[i] = next + strspn(next, " ");
        next = field[i] + strcspn(field[i], " ");
        if (*next)
            *next++ = '\0';
    }
    if (!*field[3] || *field[4])
        bad(path, number, "not four words");
    size_t k = strlen(field[0]) / digits;
    if (row_count == 0)
        k_of_rows = k;
    if (k == 0 || k > MOST_K || k != k_of_rows)
        bad(path, number, "not as many codes as the rows before");
    if (row_count == MOST_ROWS)
        bad(path, number, "too many rows");
    row *r = &rows[row_count++];
    if (!read_codes(field[0], digits, k, r->a) || !read_codes(field[1], digits, k, r->b) ||
        strlen(field[2]) != 8 || !read_hex(field[2], 8, &r->c) || strlen(field[3]) != 8 ||
        !read_hex(field[3], 8, &r->d))
        bad(path, number, "a word that is none");
}

/* The rows of a file; 0 if it is not there. */
static int read_rows(const char *path, size_t digits)
{
    static char line[LINE];
    unsigned long number = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    row_count = 0;
    while (fgets(line, sizeof line, file)) {
        number++;
        size_t length = strcspn(line, "\n");
        if (line[length] != '\n')
            bad(path, number, "a line that does not end");
        line[length] = '\0';
        if (line[0] != '#')
            read_row(path, number, line, digits);
    }
    if (ferror(file) || row_count == 0)
        bad(path, 0, "no rows");
    fclose(file);
    return 1;
}

/* How many rows a unit does not give as they are. */
static size_t differ(const sf8_mma *m, size_t k)
{
    size_t wrong = 0;
    int32_t bits = sf8_format_bits(m->a);
    for (size_t i = 0; i < row_count; i++) {
        uint8_t a8[MOST_K], b8[MOST_K];
        uint16_t a16[MOST_K], b16[MOST_K];
        for (size_t j = 0; j < k; j++) {
            a8[j] = (uint8_t)rows[i].a[j];
            b8[j] = (uint8_t)rows[i].b[j];
            a16[j] = (uint16_t)rows[i].a[j];
            b16[j] = (uint16_t)rows[i].b[j];
        }
        const void *a = bits <= 8    ? (const void *)a8
                        : bits <= 16 ? (const void *)a16
                                     : (const void *)rows[i].a;
        const void *b = bits <= 8    ? (const void *)b8
                        : bits <= 16 ? (const void *)b16
                                     : (const void *)rows[i].b;
        uint32_t c = (uint32_t)sf8_convert(m->out, SF8_F32, rows[i].c, SF8_OCP_NOSAT);
        uint32_t d = sf8_mma_dot(m, a, b, NULL, NULL, k, c);
        wrong += sf8_convert(SF8_F32, m->out, d, SF8_OCP_NOSAT) != rows[i].d;
    }
    return wrong;
}

static sf8_mma unit_of(const char *name, const set *s)
{
    sf8_mma m;
    sf8_format in = sf8_format_named(s->in, NULL);
    if (sf8_mma_named(&m, name, in, in, sf8_format_named(s->out, NULL)) != SF8_OK) {
        fprintf(stderr, "check_silicon: no unit %s for %s and %s\n", name, s->in, s->out);
        exit(2);
    }
    return m;
}

static sf8_mma rival_of(const char *word, size_t length, const set *s)
{
    char name[48];
    sf8_mma m = unit_of(s->unit, s);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    char *value = strchr(name, '=');
    *value++ = '\0';
    if (strcmp(name, "unit") == 0)
        return unit_of(value, s);
    if (sf8_mma_set(&m, name, value) != SF8_OK) {
        fprintf(stderr, "check_silicon: no rival %s\n", word);
        exit(2);
    }
    return m;
}

/* A set and its rivals, on one line; 0 if one of them is not as it should be. */
static int check(const set *s)
{
    sf8_mma m = unit_of(s->unit, s);
    size_t wrong = differ(&m, k_of_rows);
    int good = wrong == 0;
    printf("%-24s %-17s %zu rows, %zu differ; rivals", s->file, s->unit, row_count, wrong);
    for (const char *word = s->rivals; *word;) {
        size_t length = strcspn(word, " ");
        sf8_mma rival = rival_of(word, length, s);
        wrong = differ(&rival, k_of_rows);
        good &= wrong > 0;
        printf(" %.*s %zu%s", (int)length, word, wrong, wrong ? "" : " (not told apart)");
        word += length;
        word += strspn(word, " ");
    }
    printf("%s\n", good ? "" : "  WRONG");
    return good;
}

int main(void)
{
    const char *folder = getenv("SOFTFP8_SILICON");
    size_t count = sizeof sets / sizeof sets[0], missing = 0, wrong = 0;
    if (!folder || !*folder) {
        printf("not run: SOFTFP8_SILICON names no folder of recorded results; %zu sets\n", count);
        return 3;
    }
    rows = malloc(MOST_ROWS * sizeof *rows);
    if (!rows)
        bad(folder, 0, "out of memory");
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        int bits = sf8_format_bits(sf8_format_named(sets[i].in, NULL));
        if ((size_t)snprintf(path, sizeof path, "%s/%s.txt", folder, sets[i].file) >= sizeof path)
            bad(folder, 0, "too long a name");
        if (!read_rows(path, (size_t)(bits + 3) / 4)) {
            printf("%-24s %-17s not run: no such file\n", sets[i].file, sets[i].unit);
            missing++;
        } else {
            wrong += !check(&sets[i]);
        }
    }
    printf("%zu sets: %zu held, %zu failed, %zu not run\n", count, count - wrong - missing, wrong,
           missing);
    free(rows);
    return wrong ? 1 : missing ? 3 : 0;
}
