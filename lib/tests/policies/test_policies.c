/* SPDX-License-Identifier: MIT */
/* test_policies.c -- every policy against what its implementation gave
 *
 * implementations.txt has outputs of the implementations. A cell that its policy does not reproduce
 * is listed in known_differences.txt, and both halves must be right.
 */
#include "policies/product_lines.h"
#include "table.h"

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- cells of implementations.txt ------------------------------------------------------------ */

enum { COLUMNS_MOST = TABLE_WORDS - 1, CELLS_MOST = 12000 };

/* As the head of the file says; round and via are "-" where there is none. */
typedef struct column {
    const char *policy, *to, *round, *via, *source;
} column;

typedef struct cell {
    column c;
    const char *title, *from, *note;
    uint64_t in;
    uint32_t code, flags;
    int has_flags;
} cell;

static table implementations, known_table, vector_table;
static cell cells[CELLS_MOST];
static size_t n_cells;

static void add_row(const table_line *row, const table_line *head, const column *columns, size_t n)
{
    cr_assert(row->count == n + 1, "%s: %zu cells, not %zu", row->note, row->count - 1, n);
    for (size_t j = 0; j < n; j++) {
        if (strcmp(row->word[1 + j], ".") == 0)
            continue;
        uint32_t value = (uint32_t)table_hex(row, 1 + j);
        cr_assert(n_cells < CELLS_MOST);
        cells[n_cells++] = (cell){
            columns[j],        head->note,   head->word[1], row->note,
            table_hex(row, 0), value & 0xff, value >> 8,    strcmp(head->word[2], "flags") == 0};
    }
}

static void read_cells(void)
{
    const table_line *head = NULL;
    column columns[COLUMNS_MOST];
    size_t n = 0;
    implementations = table_read("policies/implementations.txt");
    known_table = table_read("policies/known_differences.txt");
    for (size_t i = 0; i < implementations.count; i++) {
        const table_line *line = &implementations.line[i];
        if (strcmp(line->word[0], "table") == 0) {
            cr_assert(line->count == 3);
            head = line;
            n = 0;
        } else if (strcmp(line->word[0], "column") == 0) {
            cr_assert(n < COLUMNS_MOST && line->count == 5);
            columns[n++] = (column){line->word[1], line->word[2], line->word[3], line->word[4],
                                    line->note};
        } else if (strcmp(line->word[0], "class") != 0) {
            cr_assert(head != NULL);
            add_row(line, head, columns, n);
        }
    }
}

static void read_vectors(void)
{
    vector_table = table_read("policies/policy_vectors.txt");
}

static void free_tables(void)
{
    table_free(&implementations);
    table_free(&known_table);
    table_free(&vector_table);
}

TestSuite(policies, .fini = free_tables);

/* The first step of a conversion in two. */
static uint64_t step_via(const char *via, sf8_format from, uint64_t in)
{
    sf8_policy policy = SF8_CUDA_NOSAT_F64;
    policy.round = strcmp(via, "f16") == 0 ? SF8_RZ : SF8_RNE;
    return sf8_convert(format_of(via), from, in, policy);
}

static sf8_result library_result(const cell *x)
{
    sf8_format from = format_of(x->from);
    sf8_policy policy = policy_of(x->c.policy);
    uint64_t in = x->in;
    if (*x->c.round != '-')
        cr_assert(sf8_policy_set(&policy, "round", x->c.round) == SF8_OK);
    if (*x->c.via != '-') {
        in = step_via(x->c.via, from, in);
        from = format_of(x->c.via);
    }
    return sf8_convert_flags(format_of(x->c.to), from, in, policy);
}

/* Whether a line of known_differences.txt is about a cell. */
static int is_about(const table_line *k, const cell *x)
{
    return *x->c.via == '-' && same_text(k->word[0], x->c.policy) &&
           same_text(k->word[1], x->c.to) && same_text(k->word[2], x->c.round) &&
           same_text(k->word[3], x->from) && table_hex(k, 4) == x->in;
}

/* The line of known_differences.txt about a cell, or NULL. */
static const table_line *known(const cell *x)
{
    for (size_t i = 0; i < known_table.count; i++)
        if (is_about(&known_table.line[i], x))
            return &known_table.line[i];
    return NULL;
}

/* LLVM's status differs from the flags by rule; the number of cells of the tables that show it. */
typedef struct flag_difference {
    const char *to; /* NULL: every format not named above it */
    uint32_t theirs, ours;
    size_t cells;
    const char *why;
} flag_difference;

static const flag_difference llvm_flags[] = {
    {"e2m1", 0x01, 0x05, 88, "overflow of a format without infinity and NaN is inexact alone"},
    {"e2m3", 0x01, 0x05, 82, "the same"},
    {"e3m2", 0x01, 0x05, 71, "the same"},
    {NULL, 0x01, 0x05, 92, "overflow that is rounded toward zero is inexact alone"},
    {"e2m1", 0x00, 0x01, 10, "infinity that becomes zero raises nothing"},
    {"e2m3", 0x00, 0x01, 10, "the same"},
    {"e3m2", 0x00, 0x01, 10, "the same"},
    {"e2m1", 0x01, 0x03, 1, "a tiny value that rounds to a normal one is not an underflow"},
    {"e8m0", 0x00, 0x03, 2, "zero becomes 2^-127 and raises nothing"},
    {"e8m0", 0x01, 0x03, 2, "a value that rounds to 2^-127 from below is not an underflow"},
    {"e8m0", 0x03, 0x10, 1, "a tiny negative value is an underflow"},
    {NULL, 0x01, 0x00, 3, "-0 to FNUZ is inexact"},
};

/* The rule by which the status of LLVM differs in a cell, or COUNT(llvm_flags). */
static size_t flag_rule(const column *c, uint32_t theirs, uint32_t ours)
{
    size_t i = 0;
    while (i < COUNT(llvm_flags) && (theirs != llvm_flags[i].theirs || ours != llvm_flags[i].ours ||
                                     (llvm_flags[i].to && !same_text(llvm_flags[i].to, c->to))))
        i++;
    return strcmp(c->policy, "llvm") == 0 ? i : COUNT(llvm_flags);
}

static void check_known(const table_line *k, const cell *x, uint32_t got)
{
    uint32_t theirs = (uint32_t)table_hex(k, 5), ours = (uint32_t)table_hex(k, 6);
    EXPECT(theirs == x->code && ours == got && theirs != ours,
           "%s, %s, %s to %s: known difference %02x, %02x; now %02x, %02x", x->title, x->c.policy,
           x->note, x->c.to, theirs, ours, x->code, got);
}

Test(policies, tables_of_implementations)
{
    size_t tally[COUNT(llvm_flags) + 1] = {0};
    read_cells();
    cr_expect(n_cells == 10866, "%zu cells", n_cells);
    for (size_t i = 0; i < n_cells; i++) {
        const cell *x = &cells[i];
        sf8_result got = library_result(x);
        const table_line *k = known(x);
        if (k) {
            check_known(k, x, (uint32_t)got.code);
            continue;
        }
        EXPECT(got.code == x->code, "%s, %s, %s (%" PRIx64 ") to %s %s: %02x, not %02x (%s)",
               x->title, x->c.policy, x->note, x->in, x->c.to, x->c.round, (unsigned)got.code,
               x->code, x->c.source);
        if (x->has_flags && got.flags != x->flags) {
            size_t rule = flag_rule(&x->c, x->flags, got.flags);
            tally[rule]++;
            EXPECT(rule < COUNT(llvm_flags), "%s, %s, %s to %s %s: flags %02x, not %02x (%s)",
                   x->title, x->c.policy, x->note, x->c.to, x->c.round, got.flags, x->flags,
                   x->c.source);
        }
    }
    for (size_t i = 0; i < COUNT(llvm_flags); i++)
        EXPECT(tally[i] == llvm_flags[i].cells, "%s: %zu cells", llvm_flags[i].why, tally[i]);
}

/* Every line of known_differences.txt is about a cell. */
Test(policies, known_differences_exist)
{
    read_cells();
    for (size_t i = 0; i < known_table.count; i++) {
        const table_line *k = &known_table.line[i];
        size_t about = 0;
        for (size_t n = 0; n < n_cells; n++)
            about += (size_t)is_about(k, &cells[n]);
        EXPECT(about > 0, "%s %s %s: no cell", k->word[0], k->word[1], k->note);
    }
}

/* ---- policy_vectors.txt ---------------------------------------------------------------------- */

static void check_vector_line(const table_line *x)
{
    cr_assert(x->count > 5, "%s: too few words", x->note);
    const char *from = x->word[1];
    uint64_t out = table_hex(x, 3);
    int32_t flags = table_flags(x->word[4]);
    sf8_policy policy = policy_of(table_rest(x, 5));
    sf8_format to = format_of(x->word[0]);
    sf8_result r;
    if (strcmp(from, "i64") == 0)
        r = sf8_from_i64(to, strtoll(x->word[2], NULL, 10), policy);
    else if (strcmp(from, "u64") == 0)
        r = sf8_from_u64(to, strtoull(x->word[2], NULL, 10), policy);
    else
        r = sf8_convert_flags(to, format_of(from), table_hex(x, 2), policy);
    EXPECT(r.code == out && (flags == ANY || r.flags == (uint32_t)flags),
           "%s: %s %s to %s: %" PRIx64 " flags %x, not %" PRIx64 " flags %s (%s)", x->word[5], from,
           x->word[2], x->word[0], r.code, r.flags, out, x->word[4], x->note);
}

Test(policies, vectors)
{
    read_vectors();
    for (size_t i = 0; i < vector_table.count; i++)
        check_vector_line(&vector_table.line[i]);
}

/* ---- classes of CUDA ------------------------------------------------------------------------- */

typedef struct cuda_class {
    const char *from;
    uint64_t code, f32, f16, bf16, f64, integers[8];
} cuda_class;

static cuda_class class_of(const table_line *line)
{
    cuda_class x = {line->word[1],
                    table_hex(line, 2),
                    table_hex(line, 3),
                    table_hex(line, 4),
                    table_hex(line, 5),
                    table_hex(line, 6),
                    {0}};
    for (size_t k = 0; k < 8; k++)
        x.integers[k] = table_hex(line, 7 + k);
    return x;
}

/* The e8m0 class goes through bf16, so that its NaN reads 7fff0000 in f32. */
static int through_bf16(const cuda_class *x)
{
    return strcmp(x->from, "e8m0") == 0 && x->code == 0xff;
}

static void check_class(const cuda_class *x)
{
    static const int32_t widths[8] = {8, 8, 16, 16, 32, 32, 64, 64};
    sf8_format from = format_of(x->from);
    sf8_policy policy = SF8_CUDA_SATFINITE, nosat = SF8_CUDA_NOSAT;
    uint64_t f32 = sf8_convert(SF8_F32, from, x->code, nosat);
    uint64_t f64 = sf8_convert(SF8_F64, from, x->code, nosat);
    uint64_t bf16 = sf8_convert(SF8_BF16, from, x->code, nosat);
    if (through_bf16(x)) {
        EXPECT(f32 != x->f32 && f64 != x->f64, "e8m0 ff agrees now");
        f32 = bf16 << 16;
        f64 = UINT64_C(0x7fffe00000000000);
    } else if (f64 >> 52 == 0x7ff && f32 << 41) {
        f64 &= UINT64_C(0xffffffffe0000000); /* double through float */
    }
    EXPECT(f32 == x->f32, "%s %02" PRIx64 ": f32 %" PRIx64, x->from, x->code, f32);
    EXPECT(f64 == x->f64, "%s %02" PRIx64 ": f64 %" PRIx64, x->from, x->code, f64);
    EXPECT(bf16 == x->bf16, "%s %02" PRIx64 ": bf16 %" PRIx64, x->from, x->code, bf16);
    EXPECT(sf8_convert(SF8_F16, from, x->code, nosat) == x->f16, "%s %02" PRIx64 ": f16", x->from,
           x->code);
    for (int32_t k = 0; k < 8; k++) {
        policy.round = SF8_RZ;
        sf8_result r = sf8_to_integer(from, x->code, widths[k], k & 1, policy, 0);
        EXPECT(r.code == x->integers[k], "%s %02" PRIx64 " to integer %d: %" PRIx64, x->from,
               x->code, k, r.code);
    }
}

Test(policies, cuda_class_operators)
{
    size_t classes = 0;
    read_cells();
    for (size_t i = 0; i < implementations.count; i++)
        if (strcmp(implementations.line[i].word[0], "class") == 0) {
            cuda_class x = class_of(&implementations.line[i]);
            check_class(&x);
            classes++;
        }
    cr_expect(classes == 57, "%zu classes", classes);
}

/* ---- every policy ---------------------------------------------------------------------------- */

/* The vectors of policies.txt to which a policy belongs; -1 if the file cannot be read. */
static int32_t product_vectors(const char *policy_name)
{
    static char text[PRODUCT_LINE_SIZE];
    product_line line;
    product_range v;
    int32_t count = 0;
    FILE *file = fopen(SOFTFP8_SOURCE "/" PRODUCT_FILE, "r");
    if (!file)
        return -1;
    while (fgets(text, sizeof text, file)) {
        if (product_is_remark(text) || product_read(text, &line) ||
            !same_text(line.policy_name, policy_name))
            continue;
        for (int found = 1; found && !product_vector(&line, &v, &found);)
            count += found;
    }
    fclose(file);
    return count;
}

/* A policy without a vector would not be known to be right. Integers do not count. */
static size_t vectors_of(const char *policy_name)
{
    size_t count = 0;
    for (size_t i = 0; i < n_cells; i++)
        count += strcmp(cells[i].c.policy, policy_name) == 0;
    for (size_t i = 0; i < vector_table.count; i++)
        count += same_text(vector_table.line[i].word[5], policy_name) &&
                 strcmp(vector_table.line[i].word[1] + 1, "64") != 0;
    int32_t products = product_vectors(policy_name);
    cr_assert(products >= 0, "%s cannot be read", PRODUCT_FILE);
    return count + (size_t)products;
}

Test(policies, every_policy_has_vectors)
{
    const sf8_policy_row *p;
    read_cells();
    read_vectors();
    for (size_t i = 0; (p = sf8_policy_at(i)) != NULL; i++)
        EXPECT(vectors_of(p->name) >= 7, "%s: %zu vectors", p->name, vectors_of(p->name));
}
