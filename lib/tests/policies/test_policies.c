/* SPDX-License-Identifier: MIT */
/* test_policies.c -- every policy against what its implementation gave
 *
 * The tables hold outputs of the implementations. A cell that its policy does not reproduce is
 * listed in known_differences.h, where both halves must be right.
 */
#include "check.h"

#include "policies/cuda_edges_table.h"
#include "policies/framework_table.h"
#include "policies/gfloat_table.h"
#include "policies/known_differences.h"
#include "policies/llvm_table.h"
#include "policies/p3109_table.h"
#include "policies/policy_table.h"
#include "policies/policy_vectors.h"
#include "policies/product_lines.h"
#include "policies/spike_table.h"

/* clang-format off */
static const matrix *const matrices[] = {
    &e4m3_matrix, &e5m2_matrix, &fnuz_matrix, &ieee_matrix, &small_matrix, &e8m0_matrix,
    &cuda_f32_matrix, &cuda_f64_matrix, &cuda_f16_matrix, &cuda_bf16_matrix,
    &spike_e4m3_matrix, &spike_e5m2_matrix,
    &llvm_rne_matrix, &llvm_rz_matrix, &llvm_ru_matrix, &llvm_rd_matrix, &llvm_rna_matrix,
    &p3109_8p4se_matrix, &p3109_8p4sf_matrix, &p3109_8p3se_matrix, &p3109_8p3sf_matrix,
    &p3109_8p4ue_matrix, &p3109_8p4uf_matrix, &p3109_8p1ue_matrix, &p3109_8p1uf_matrix,
    &p3109_8p8uf_matrix, &p3109_4p2sf_matrix, &p3109_4p2se_matrix,
    &gfloat_ocp_sat_matrix, &gfloat_ocp_nosat_matrix,
    &gfloat_p3109_sat_matrix, &gfloat_p3109_nosat_matrix,
    &ml_dtypes_f64_matrix, &ml_dtypes_f16_matrix, &ml_dtypes_bf16_matrix,
    &torch_f16_matrix, &torch_bf16_matrix, &through_f32_matrix,
};
/* clang-format on */

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The first step of a conversion in two. */
static uint64_t step_via(const char *via, sf8_format from, uint64_t in)
{
    sf8_policy policy = SF8_CUDA_NOSAT_F64;
    policy.round = strcmp(via, "f16") == 0 ? SF8_RZ : SF8_RNE;
    return sf8_convert(format_of(via), from, in, policy);
}

static sf8_result library_result(const matrix *m, const column *c, uint64_t in)
{
    sf8_format from = format_of(m->from);
    sf8_policy policy = policy_of(c->policy);
    if (c->round)
        cr_assert(sf8_policy_set(&policy, "round", c->round) == SF8_OK);
    if (c->via) {
        in = step_via(c->via, from, in);
        from = format_of(c->via);
    }
    return sf8_convert_flags(format_of(c->to), from, in, policy);
}

/* The known difference that a cell falls under, or NULL. */
static const known_difference *known(const matrix *m, const column *c, uint64_t in)
{
    for (size_t g = 0; g < COUNT(known_groups) && !c->via; g++) {
        for (size_t i = 0; i < known_groups[g].count; i++) {
            const known_difference *k = &known_groups[g].rows[i];
            if (k->in == in && same_text(k->from, m->from) && same_text(k->to, c->to) &&
                same_text(k->policy, c->policy) && same_text(k->round, c->round))
                return k;
        }
    }
    return NULL;
}

/* The rule by which the status of LLVM differs in a cell, or COUNT(llvm_flags). */
static size_t flag_rule(const column *c, uint32_t theirs, uint32_t ours)
{
    size_t i = 0;
    while (i < COUNT(llvm_flags) && (theirs != llvm_flags[i].theirs || ours != llvm_flags[i].ours ||
                                     (llvm_flags[i].to && !same_text(llvm_flags[i].to, c->to))))
        i++;
    return strcmp(c->policy, "llvm") == 0 ? i : COUNT(llvm_flags);
}

typedef struct tally {
    size_t cells;
    size_t flags[COUNT(llvm_flags)];
} tally;

static void check_cell(const matrix *m, const column *c, const row *r, int32_t cell, tally *t)
{
    sf8_result got = library_result(m, c, r->in);
    const known_difference *k = known(m, c, r->in);
    uint32_t code = (uint32_t)cell & 0xff, flags = (uint32_t)cell >> 8;
    t->cells++;
    if (k) {
        EXPECT(k->theirs == (int32_t)code && k->ours == (int32_t)got.code && k->theirs != k->ours,
               "%s, %s, %s to %s: known difference %02x, %02x; now %02x, %02x", m->title, c->policy,
               r->note, c->to, (unsigned)k->theirs, (unsigned)k->ours, code, (unsigned)got.code);
        return;
    }
    EXPECT(got.code == code, "%s, %s, %s (%" PRIx64 ") to %s %s: %02x, not %02x (%s)", m->title,
           c->policy, r->note, r->in, c->to, c->round ? c->round : "", (unsigned)got.code, code,
           c->source);
    if (m->has_flags && got.flags != flags) {
        size_t rule = flag_rule(c, flags, got.flags);
        EXPECT(rule < COUNT(llvm_flags), "%s, %s, %s to %s %s: flags %02x, not %02x (%s)", m->title,
               c->policy, r->note, c->to, c->round ? c->round : "", got.flags, flags, c->source);
        if (rule < COUNT(llvm_flags))
            t->flags[rule]++;
    }
}

static void check_matrix(const matrix *m, tally *t)
{
    cr_assert(m->n_columns <= MATRIX_COLUMNS);
    for (size_t i = 0; i < m->n_rows; i++)
        for (size_t j = 0; j < m->n_columns; j++)
            if (m->rows[i].cells[j] != NONE)
                check_cell(m, &m->columns[j], &m->rows[i], m->rows[i].cells[j], t);
}

Test(policies, tables_of_implementations)
{
    tally t = {0, {0}};
    for (size_t i = 0; i < COUNT(matrices); i++)
        check_matrix(matrices[i], &t);
    cr_expect(t.cells == 10866, "%zu cells", t.cells);
    for (size_t i = 0; i < COUNT(llvm_flags); i++)
        EXPECT(t.flags[i] == llvm_flags[i].cells, "%s: %zu cells", llvm_flags[i].why, t.flags[i]);
}

/* Every row of the list belongs to a cell. */
Test(policies, known_differences_exist)
{
    for (size_t g = 0; g < COUNT(known_groups); g++) {
        for (size_t i = 0; i < known_groups[g].count; i++) {
            const known_difference *k = &known_groups[g].rows[i];
            size_t cells = 0;
            for (size_t n = 0; n < COUNT(matrices); n++)
                for (size_t r = 0; r < matrices[n]->n_rows; r++)
                    for (size_t j = 0; j < matrices[n]->n_columns; j++)
                        cells += matrices[n]->rows[r].cells[j] != NONE &&
                                 known(matrices[n], &matrices[n]->columns[j],
                                       matrices[n]->rows[r].in) == k;
            EXPECT(cells > 0, "%s: row %zu stands for no cell", known_groups[g].why, i);
        }
    }
}

Test(policies, vectors)
{
    check_vectors(policy_vectors, COUNT(policy_vectors));
}

Test(policies, integers)
{
    for (size_t i = 0; i < COUNT(integer_vectors); i++) {
        const integer_vector *v = &integer_vectors[i];
        sf8_format to = format_of(v->to);
        sf8_policy policy = policy_of(v->policy);
        sf8_result r = v->is_unsigned ? sf8_from_u64(to, v->in, policy)
                                      : sf8_from_i64(to, (int64_t)v->in, policy);
        EXPECT(r.code == v->out, "%s: %" PRIx64 " to %s: %" PRIx64 ", not %" PRIx64 " (%s)",
               v->policy, v->in, v->to, r.code, v->out, v->source);
    }
}

/* The e8m0 class goes through bf16, so that its NaN reads 7fff0000 in f32. */
static int through_bf16(const cuda_class *x)
{
    return strcmp(x->from, "e8m0") == 0 && x->code == 0xff;
}

Test(policies, cuda_class_operators)
{
    static const int32_t widths[8] = {8, 8, 16, 16, 32, 32, 64, 64};
    for (size_t i = 0; i < COUNT(cuda_classes); i++) {
        const cuda_class *x = &cuda_classes[i];
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
        EXPECT(sf8_convert(SF8_F16, from, x->code, nosat) == x->f16, "%s %02" PRIx64 ": f16",
               x->from, x->code);
        for (int32_t k = 0; k < 8; k++) {
            policy.round = SF8_RZ;
            sf8_result r = sf8_to_integer(from, x->code, widths[k], k & 1, policy, 0);
            EXPECT(r.code == x->integers[k], "%s %02" PRIx64 " to integer %d: %" PRIx64, x->from,
                   x->code, k, r.code);
        }
    }
}

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

/* A policy without a vector would not be known to be right. */
static size_t vectors_of(const char *policy_name)
{
    size_t cells = 0;
    for (size_t i = 0; i < COUNT(matrices); i++)
        for (size_t j = 0; j < matrices[i]->n_columns; j++)
            if (strcmp(matrices[i]->columns[j].policy, policy_name) == 0)
                for (size_t r = 0; r < matrices[i]->n_rows; r++)
                    cells += matrices[i]->rows[r].cells[j] != NONE;
    for (size_t i = 0; i < COUNT(policy_vectors); i++)
        cells += (size_t)policy_is(policy_vectors[i].policy_name, policy_name);
    int32_t products = product_vectors(policy_name);
    cr_assert(products >= 0, "%s cannot be read", PRODUCT_FILE);
    return cells + (size_t)products;
}

Test(policies, every_policy_has_vectors)
{
    const sf8_policy_row *p;
    for (size_t i = 0; (p = sf8_policy_at(i)) != NULL; i++)
        EXPECT(vectors_of(p->name) >= 7, "%s: %zu vectors", p->name, vectors_of(p->name));
}
