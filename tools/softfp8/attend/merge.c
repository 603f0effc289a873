/* SPDX-License-Identifier: MIT */
/* merge.c -- softfp8 attend --merge: partial outputs joined by the rules of other stacks */
#include "attend/merge.h"
#include "softfp8/f32/arith.h"
#include "softfp8_attend.h"
#include "softfp8_f32.h"
#include "cli/text_table.h"

#include <stdlib.h>
#include <string.h>

/* ---- rules ----------------------------------------------------------------------------------- */

static const merge_rule rules[] = {
    {"vllm", 1, 0, 0, 0, "vLLM csrc/attention/merge_attn_states.cu"},
    {"vllm-triton", 1, 0, 0, 0, "vLLM triton_merge_attn_states.py"},
    {"flashinfer", 1, 0, 0, 1, "FlashInfer cascade.cuh, MergeStateKernel"},
    {"flashinfer-states", 0, SF8_JOIN_FLASHINFER, 0, 1,
     "FlashInfer cascade.cuh, VariableLengthMergeStates"},
    {"fa3", 0, SF8_JOIN_FA3, 0, 0, "FlashAttention-3 flash_fwd_combine_kernel.h"},
    {"segments", 0, SF8_JOIN_SEGMENTS, 1, 0, "vLLM triton_unified_attention.py, reduce_segments"},
    {"partitions", 0, SF8_JOIN_PARTITIONS, 1, 0,
     "vLLM attention_kernels.cuh, paged_attention_v2_reduce_kernel"},
};
enum { RULES = sizeof rules / sizeof rules[0] };

const merge_rule *merge_rule_at(size_t i)
{
    return i < RULES ? &rules[i] : NULL;
}

static const char *rule_name_at(size_t i)
{
    return i < RULES ? rules[i].name : NULL;
}

const merge_rule *merge_rule_of_name(const char *name)
{
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    const char *near = nearest_name(name, rule_name_at);
    if (near)
        fail("no rule '%s'; did you mean '%s'?", name, near);
    fail("no rule '%s'; 'softfp8 attend --rules' lists them", name);
}

int merge_rule_takes(const merge_rule *rule, size_t parts)
{
    return rule->pairs || rule->join != SF8_JOIN_SEGMENTS ||
           ((parts & (parts - 1)) == 0 && parts <= SF8_JOIN_SEGMENTS_MOST);
}

uint32_t merge_row(const merge_rule *rule, int fma, uint32_t *out, const uint32_t *parts, size_t n,
                   size_t channels)
{
    const int32_t fuse = fma ? SF8_FUSE_SUM : SF8_FUSE_NONE;
    const size_t stride = 2 + channels;
    uint32_t lse = parts[0];
    if (!rule->pairs) {
        sf8_attend_join_n(rule->join, fuse, out, &lse, parts, n, channels);
        return lse;
    }
    memcpy(out, parts + 2, channels * sizeof *out);
    for (size_t i = 1; i < n; i++)
        lse = sf8_f32_merge_fused_n(sf8_merge_named(rule->name, NULL), fuse, out, out, lse,
                                    parts + i * stride + 2, parts[i * stride], channels)
                  .lse;
    return lse;
}

void merge_list_rules(void)
{
    text_table *t = text_table_new("%-17s  %-4s  %-14s  %s");
    text_table_row(t, "rule\tbase\tparts\twhere it comes from");
    for (size_t i = 0; i < RULES; i++)
        text_table_row(t, "%s\t%s\t%s\t%s", rules[i].name, rules[i].base2 ? "2" : "e",
                       rules[i].pairs  ? "two at a time"
                       : rules[i].sums ? "all, with sums"
                                       : "all at once",
                       rules[i].source);
    text_table_print(t, stdout);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* An lse from one base to the other. */
static uint32_t rebased(uint32_t lse, int from2, int to2)
{
    return from2 == to2 ? lse : sf8_f32_mul(lse, to2 ? 0x3fb8aa3b : 0x3f317218);
}

/* All rows: `out` [rows][channels] and `lse` [rows], words of f32. */
static void join_all(const merge_states *m, const merge_rule *rule, int fma, int base,
                     uint32_t *out, uint32_t *lse)
{
    size_t stride = 2 + m->channels;
    int given2 = base == BASE_OF_RULE ? rule->base2 : base == BASE_2;
    uint32_t *parts = allocate(m->parts * stride, sizeof *parts);
    for (size_t row = 0; row < m->rows; row++) {
        memcpy(parts, m->words + row * m->parts * stride, m->parts * stride * sizeof *parts);
        for (size_t i = 0; i < m->parts; i++)
            parts[i * stride] = rebased(parts[i * stride], given2, rule->base2);
        lse[row] = rebased(
            merge_row(rule, fma, out + row * m->channels, parts, m->parts, m->channels),
            rule->base2, given2);
    }
    free(parts);
}

/* A word of f32 in the format of an output. */
static uint32_t rounded(sf8_format f, uint32_t word)
{
    return sf8_format_bits(f) == 32 ? word : (uint32_t)sf8_convert(f, SF8_F32, word, SF8_OCP_NOSAT);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void write_lines(output *out, const merge_states *m, sf8_format f, const uint32_t *words,
                        const uint32_t *lse)
{
    int digits = word_digits(sf8_format_bits(f));
    for (size_t row = 0; row < m->rows; row++) {
        output_print(out, "%08x", (unsigned)lse[row]);
        for (size_t c = 0; c < m->channels; c++)
            output_print(out, " %0*x", digits, (unsigned)rounded(f, words[row * m->channels + c]));
        output_print(out, "\n");
    }
}

static void write_files(const merge_request *o, const merge_states *m, tensor *t,
                        const uint32_t *words, const uint32_t *lse)
{
    size_t n = m->rows * m->channels;
    tensor heads = m->lse;
    uint32_t *place = allocate(m->rows, sizeof *place);
    t->words = allocate(n, tensor_width(t->format));
    for (size_t i = 0; i < n; i++)
        if (tensor_width(t->format) == 4)
            ((uint32_t *)t->words)[i] = words[i];
        else
            ((uint16_t *)t->words)[i] = (uint16_t)rounded(t->format, words[i]);
    for (size_t row = 0; row < m->rows; row++)
        place[merge_lse_place(m, row)] = lse[row];
    heads.words = place;
    output *files[2] = {output_open(o->out), o->lse ? output_open(o->lse) : NULL};
    if (o->out)
        tensor_write_npy(files[0], t);
    else
        tensor_write_text(files[0], t);
    if (o->lse)
        tensor_write_npy(files[1], &heads);
    outputs_close(files, 2);
    free(place);
    free(t->words);
}

static void merge_and_write(const merge_request *o, const merge_states *m)
{
    uint32_t *words = allocate(m->rows * m->channels, sizeof *words);
    uint32_t *lse = allocate(m->rows, sizeof *lse);
    tensor t = m->out;
    if (!merge_rule_takes(o->by.rule, m->parts))
        fail("--rule %s: %zu parts; expected 2, 4, 8, 16, 32 or 64", o->by.rule->name, m->parts);
    if (o->to) {
        t.format_name = o->to;
        t.format = format_of_name(o->to);
    }
    join_all(m, o->by.rule, !o->by.no_fma, o->base, words, lse);
    if (m->lines) {
        output *out = output_open(o->out);
        write_lines(out, m, t.format, words, lse);
        output_close(out);
    } else {
        write_files(o, m, &t, words, lse);
    }
    free(words);
    free(lse);
}

/* ---- which rule it was ----------------------------------------------------------------------- */

static int same_word(sf8_format f, uint32_t a, uint32_t b)
{
    return a == b || (sf8_is_nan(f, a) && sf8_is_nan(f, b));
}

static uint32_t word_at(const tensor *t, size_t i)
{
    return tensor_width(t->format) == 4 ? ((const uint32_t *)t->words)[i]
                                        : ((const uint16_t *)t->words)[i];
}

/* Tries each rule with fma and without; 1 if one of them gives every bit. */
static int compare_all(const merge_request *o, const merge_states *m)
{
    size_t n = m->rows * m->channels;
    uint32_t *words = allocate(n, sizeof *words), *lse = allocate(m->rows, sizeof *lse), *got_lse;
    text_table *table = text_table_new("%-17s  %-6s  %-4s  %15s  %11s  %s");
    tensor got;
    int found = 0;
    merge_read_joined(m, o->compare, o->compare_lse, o->to ? o->to : o->from, &got, &got_lse);
    text_table_row(table, "rule\tbuild\tbase\tchannels\tlse\t");
    for (size_t i = 0; i < (size_t)2 * RULES; i++) {
        const merge_rule *rule = &rules[i / 2];
        size_t same = 0, same_lse = 0;
        char heads[48] = "-";
        if (rule->sums != o->by.with_sums || !merge_rule_takes(rule, m->parts))
            continue;
        join_all(m, rule, i % 2 == 0, o->base, words, lse);
        for (size_t k = 0; k < n; k++)
            same += (size_t)same_word(got.format, rounded(got.format, words[k]), word_at(&got, k));
        for (size_t row = 0; got_lse && row < m->rows; row++)
            same_lse += (size_t)same_word(SF8_F32, lse[row], got_lse[row]);
        if (got_lse)
            snprintf(heads, sizeof heads, "%zu of %zu", same_lse, m->rows);
        int is = same == n && (!got_lse || same_lse == m->rows);
        found |= is;
        text_table_row(table, "%s\t%s\t%s\t%zu of %zu\t%s\t%s", rule->name,
                       i % 2 == 0 ? "fma" : "no fma",
                       o->base == BASE_OF_RULE ? (rule->base2 ? "2" : "e")
                       : o->base == BASE_2     ? "2"
                                               : "e",
                       same, n, heads, is ? "every bit" : "");
    }
    text_table_print(table, stdout);
    if (!found)
        printf("no rule gives every bit\n");
    free(words);
    free(lse);
    free(got_lse);
    tensor_free(&got);
    return found;
}

/* ---- the option ------------------------------------------------------------------------------ */

static void take_rule(void *place, const cli_option *o, const char *value)
{
    (void)o;
    *(const merge_rule **)place = merge_rule_of_name(value);
}

const cli_option merge_options[] = {
    HEADING("Join partial outputs"),
    {"--merge", NULL,
     "computes no attention: joins the parts in the files by --rule, or with --compare tells by "
     "which rule an output was joined. Each part has an output and the logarithm of its sums (lse)",
     FLAG(merge_choice, merge)},
    {"--rule", "NAME",
     "vllm, vllm-triton and flashinfer join two parts at a time; flashinfer-states and fa3 join "
     "all at once. segments and partitions join parts with sums: such a part is three files "
     "(output, largest scores, sums of exponentials), or in lines the largest score, the sum and "
     "the channels. The channels of segments are not yet divided by the sum, and their number is a "
     "power of two up to 64",
     CALL(merge_choice, rule, take_rule), .name_at = rule_name_at},
    {"--no-fma", NULL, "rounds every product, as a build of the stack without fma does",
     FLAG(merge_choice, no_fma)},
    {"--heads-first", NULL,
     "the lse is [heads][tokens]; needed only if there are as many heads as tokens",
     FLAG(merge_choice, heads_first)},
    {"--with-sums", NULL, "with --compare: the parts have sums", FLAG(merge_choice, with_sums)},
    {"--rules", NULL,
     "lists the rules: the base of the lse, whether two parts are joined at a time or all at once, "
     "and the source",
     FLAG(merge_choice, list)},
    {.kind = OPTION_END},
};

static void check_request(merge_request *o)
{
    options_only("merge rule no-fma heads-first with-sums base from to output lse compare "
                 "compare-lse",
                 "--merge computes no attention");
    if (!o->by.rule && !o->compare)
        fail("--rule NAME or --compare FILE is missing; --rules lists the rules");
    if (o->compare && (o->by.rule || o->by.no_fma))
        fail("--compare tries all rules, with fma and without: leave out --%s",
             o->by.rule ? "rule" : "no-fma");
    if (o->compare && (o->out || o->lse))
        fail("--compare writes no output: leave out -o and --lse");
    if (o->compare_lse && !o->compare)
        fail("--compare-lse needs --compare");
    if (o->by.rule && o->by.with_sums && !o->by.rule->sums)
        fail("--rule %s joins parts by their lse: leave out --with-sums", o->by.rule->name);
    if (o->count <= 1 && (o->lse || o->compare_lse))
        fail("lines contain the lse: leave out --%s", o->lse ? "lse" : "compare-lse");
    if (o->count <= 1 && o->by.heads_first)
        fail("--heads-first needs .npy files");
    if (o->by.rule)
        o->by.with_sums = o->by.rule->sums;
}

int merge_run(merge_request *o)
{
    merge_states m;
    int good = 1;
    check_request(o);
    const char *const outputs[] = {o->out, o->lse};
    const char **inputs = allocate(o->count + 2, sizeof *inputs);
    for (size_t i = 0; i < o->count; i++)
        inputs[i] = o->files[i];
    inputs[o->count] = o->compare;
    inputs[o->count + 1] = o->compare_lse;
    outputs_check(outputs, 2, inputs, o->count + 2);
    free(inputs);
    if (o->count <= 1)
        merge_read_lines(&m, o->count ? o->files[0] : NULL, o->by.with_sums, o->from);
    else
        merge_read_files(&m, o->files, o->count, o->by.with_sums, o->from, o->by.heads_first);
    if (o->compare)
        good = compare_all(o, &m);
    else
        merge_and_write(o, &m);
    merge_free(&m);
    return good ? STATUS_HELD : STATUS_MISMATCH;
}
