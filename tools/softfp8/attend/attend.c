/* SPDX-License-Identifier: MIT */
/* attend.c -- softfp8 attend: attention over a cache by the definition, and other outputs judged */
#include "attend/attend.h"
#include "attend/cliff.h"
#include "attend/merge.h"
#include "files/page.h"

#include <stdlib.h>
#include <string.h>

typedef struct settings {
    attend_options in;
    const char *out, *lse, *to, *compare, *compare_lse, *html;
    sf8_attend_order order;
    int has_order;
    size_t splits, prefix, by;
    int cliff, orders;
    cliff_options of_cliff;
    merge_choice merging;
    same_choice same;
    int base; /* BASE_... */
} settings;

/* ---- options --------------------------------------------------------------------------------- */

static void take_sums(void *place, const cli_option *o, const char *value)
{
    sf8_status status;
    (void)o;
    *(sf8_attend_sums *)place = sf8_attend_sums_named(value, &status);
    if (status != SF8_OK)
        fail("expected exact, mma-f16 or mma-bf16");
}

static void take_order(void *place, const cli_option *o, const char *value)
{
    settings *s = place;
    (void)o;
    s->order = attend_order_of_text(value);
    s->has_order = 1;
}

static const char *order_name_at(size_t i)
{
    const sf8_attend_order *o = sf8_attend_order_at(i);
    return o ? o->name : NULL;
}

static void take_lengths(void *place, const cli_option *o, const char *value)
{
    (void)o;
    cliff_lengths(place, value);
}

/* What goes with --cliff alone. */
static const cli_option of_cliff[] = {
    {"--lengths", "N,N,...", "the numbers of keys. Default: 1024,4096,16384,65536",
     .kind = OPTION_CALL, .take = take_lengths},
    {"--depths", "N", "the number of depths at which the key is placed. Default: 5",
     NUMBER(cliff_options, depths, 1, CLIFF_DEPTHS)},
    {"--trials", "N", "the number of random heads. Default: 4",
     NUMBER(cliff_options, trials, 1, 10000)},
    {"--outlier", "X", "four outlier channels stand out by X standard deviations. Default: 30",
     REAL(cliff_options, outlier, 0, 100000)},
    {"--seed", "N", "the seed of the random heads. Default: 1",
     NUMBER(cliff_options, seed, 0, UINT64_MAX)},
    {.kind = OPTION_END},
};

enum { HEADS_MOST = 1 << 20 };
#define POSITIONS_MOST (UINT64_C(1) << 40)

static const char *const bases[] = {"e", "2", NULL}; /* in the order of BASE_... */

static const cli_option options[] = {
    HEADING("What to compute"),
    {"--q", "FILE", "the queries", PATH(settings, in.q)},
    {"--k", "FILE", "the keys", PATH(settings, in.k)},
    {"--v", "FILE", "the values", PATH(settings, in.v)},
    {"--recipe", "NAME",
     "stores keys and values by this recipe and reads them back first, to show what an 8-bit or "
     "4-bit cache does to the output ('softfp8 recipes' lists all). All tokens are stored so, also "
     "KIVI's newest ones. KIVI's keys are grouped along tokens, its values along channels",
     TEXT(settings, in.recipe), .name_at = recipe_name_at},
    {"--k-recipe", "NAME",
     "the recipe of the keys, in place of --recipe; f32, bf16 or f16 stores them in that format",
     TEXT(settings, in.k_recipe), .name_at = recipe_name_at},
    {"--v-recipe", "NAME", "the same for the values", TEXT(settings, in.v_recipe),
     .name_at = recipe_name_at},
    {"--q-scale", "S",
     "casts the queries to e4m3 first, as FP8 kernels do: each value is multiplied by 1 / S and "
     "saturates at 448; scores are multiplied by S. S is a number, or one for each key/value head "
     "(S,S,...). tensor: S is the largest magnitude / 448. head: the same for the queries of each "
     "key/value head. Without it an order with operands=codes casts with the scale 1",
     TEXT(settings, in.q_scale)},
    {"--k-scale", "S",
     "with a recipe: the scale of the keys, or the global scale of their blocks: a number, or its "
     "f32 bits as 8 hexadecimal digits. Default: computed from the largest magnitude",
     TEXT(settings, in.k_scale)},
    {"--v-scale", "S", "the same for the values", TEXT(settings, in.v_scale)},
    {"--sums", "S",
     "how products are summed. exact, the default: by f32 fma. mma-f16, mma-bf16: as a matrix unit "
     "does",
     .kind = OPTION_CALL, .take = take_sums, OPTION_AT(settings, in.sums),
     .complete = "exact mma-f16 mma-bf16"},
    {"--score-scale", "S", "multiplies the scores by S. Default: 1 / sqrt(head size)",
     TEXT(settings, in.scale)},
    {"--full", NULL, "uses no causal mask", FLAG_AS(settings, in.causal, 0)},
    {"--window", "N", "a query sees only N keys before its own",
     NUMBER(settings, in.left, 0, POSITIONS_MOST)},
    {"--cap", "C", "limits scores: C tanh(score / C)", TEXT(settings, in.cap)},
    {"--sinks", "FILE",
     "attention sinks: a .npy file with one f32 score per head that takes part without a value",
     PATH(settings, in.sinks)},
    {"--first", "P", "the position of the first query. Default: the queries are the last positions",
     NUMBER(settings, in.first, 0, POSITIONS_MOST)},
    {"--heads", "H",
     "the number of query heads, for a file of two dimensions, which has a row for each head of a "
     "token",
     NUMBER(settings, in.heads, 1, HEADS_MOST)},
    {"--kv-heads", "H", "the number of key/value heads, for files of two dimensions",
     NUMBER(settings, in.kv_heads, 1, HEADS_MOST)},
    {"--from", NULL,
     "the format of the tensors, if the files do not contain it, and of the channels in lines",
     NAME(settings, in.from, tensor_formats)},
    HEADING("Order of the computation"),
    {"--splits", "N", "computes N parts and joins them", NUMBER(settings, splits, 1, HEADS_MOST)},
    {"--order", "ORDER",
     "computes in the order of another stack (docs/spec/attend/orders.md), bit for bit, except "
     "for its approximate instructions and what is open: a name, and fields in which it differs, "
     "as in \"fa3-fp8 tile=96\". The logarithm has the stack's base. With --splits, N parts are "
     "cut and joined as the stack does",
     .kind = OPTION_CALL, .take = take_order, .name_at = order_name_at},
    {"--prefix-keys", "N", "the number of keys in the first part, for the order cascade-bf16",
     NUMBER(settings, prefix, 0, POSITIONS_MOST)},
    {"--orders", NULL,
     "lists the orders, their sources, and what is open; 'attend --orders NAME' shows the fields "
     "of one",
     FLAG(settings, orders)},
    HEADING("Output"),
    {"-o --output", "FILE",
     "writes the output as .npy, in the shape of the queries with the elements of a value as the "
     "last axis, or with --merge in the shape of the first part. Without -o the output is text",
     PATH(settings, out)},
    {"--lse", "FILE",
     "writes the logarithm of the sums (lse) as .npy, in the shape of the queries without the last "
     "axis; for queries of two dimensions, [queries][heads]",
     PATH(settings, lse)},
    {"--to", NULL,
     "the format of the output. Default: f32, or with --merge that of the parts. With --compare "
     "and "
     "--same: the format of these files, if the files do not contain it",
     NAME(settings, to, tensor_formats)},
    {"--base", NULL,
     "the base of the logarithm. Default: e. With --merge that of the lse in input and output, by "
     "default that of the rule; for another base the lse is multiplied by log2 e or log 2 in f32 "
     "before and after joining, which rounds",
     WORD(settings, base, bases)},
    HEADING("Judge a kernel's output"),
    {"--compare", "FILE",
     "judges this output of a kernel. The first line is the verdict: which definition or stack's "
     "order the output equals in every bit (1 to 4 parts, or as --splits and --prefix-keys say), "
     "or a stack's order with one field changed; with --order, whether it is that one; or which "
     "error bound holds (docs/guides/attention-kernel.md); or which mistake explains it; or that "
     "it is unexplained. Then come the worst rows, whether errors lean to one side, and the "
     "base of the logarithm. Exit status 1 if the output equals no definition and no order, and "
     "is outside the bound of --by or a mistake explains it; or if the logarithm is wrong. With "
     "--merge it counts for every rule, with and without fma, how many values of this output it "
     "gives; all NaNs count as equal. Exit status 1 if no rule gives all values",
     PATH(settings, compare)},
    {"--compare-lse", "FILE",
     "also judges this logarithm: [queries][heads] or [heads][queries]; its shape decides",
     PATH(settings, compare_lse)},
    {"--by", NULL,
     "the error bound for how the kernel computes: f32; f16 or bf16 (16-bit units); bf16-parts "
     "(partial results in bf16); fp8-two or fp8-one (FP8 units with two levels of sums, or one); "
     "any (the widest of these, in which a missing key or a wrong scale can hide). Default: that "
     "of the output's format, or a narrower one",
     WORD(settings, by, attend_bounds)},
    {"--json", "FILE",
     "writes the verdict as JSON: good; same (equal in every bit); bound, and of_bound, the "
     "largest error as a share of it; too_near (below 1 % of it); values, how many the output has; "
     "rounded, how many of them are the true value, rounded; lse; and mean, standard_errors and "
     "leans of the errors. With --same: same; rows_differ and values_differ; first, the first row "
     "that differs, and first_keys, the keys that it sees; patterns; ulps and relative, the "
     "largest "
     "differences; and with the request order_a, order_b, error_a, error_b and nearer. With "
     "--cliff, the table as numbers",
     PATH(settings, of_cliff.json)},
    {"--html", "FILE",
     "also writes the verdict of --compare or --same as a page with pictures, which needs nothing "
     "else",
     PATH(settings, html)},
    GROUP(settings, same, same_options),
    HEADING("How long a cache can find a key"),
    {"--cliff", NULL,
     "hides one key among more and more others, at several depths, and checks in which caches "
     "attention still finds it",
     FLAG(settings, cliff)},
    GROUP(settings, of_cliff, of_cliff),
    GROUP(settings, merging, merge_options),
    {.kind = OPTION_END},
};

static int is_of(const cli_option *o, const cli_option *table)
{
    while (table->kind != OPTION_END && table != o)
        table++;
    return table == o;
}

static void check_groups(const settings *s)
{
    const cli_option *o;
    if (s->cliff)
        options_only("cliff json lengths depths trials outlier seed",
                     "--cliff makes its own tensors");
    for (size_t i = 0; (o = option_given_at(i)) != NULL; i++) {
        if (!s->cliff && is_of(o, of_cliff))
            fail("%s needs --cliff", o->names);
        if (!s->merging.merge && is_of(o, merge_options))
            fail("%s needs --merge", o->names);
        if (!s->same.same && is_of(o, same_options))
            fail("%s needs --same", o->names);
    }
}

static void check_options(const settings *s)
{
    int has_sums = option_was_given("sums");
    check_groups(s);
    if (s->has_order && s->base != BASE_OF_RULE)
        fail("--base: leave it out; the --order decides the base");
    if (s->has_order && has_sums)
        fail("--sums: leave it out; the --order decides how products are summed");
    if (s->compare && has_sums)
        fail("--compare tries all values of --sums: leave it out");
    if (s->compare && (s->out || s->lse))
        fail("--compare writes no output: leave out -o and --lse");
    if (option_was_given("prefix-keys") && !s->has_order && !s->compare)
        fail("--prefix-keys needs --order or --compare");
    if (s->of_cliff.json && !s->compare && !s->cliff && !s->same.same)
        fail("--json needs --cliff, --compare or --same");
    if (s->html && !s->compare && !s->same.same)
        fail("--html needs --compare or --same");
    if (option_was_given("by") && !s->compare)
        fail("--by needs --compare");
    if (s->compare_lse && !s->compare)
        fail("--compare-lse needs --compare");
}

/* Of what was given, the number of operands. */
static size_t read_settings(settings *s, int argc, char **argv)
{
    memset(s, 0, sizeof *s);
    s->in.causal = 1;
    s->in.left = s->in.first = -1;
    s->base = BASE_OF_RULE;
    s->of_cliff = (cliff_options){{1024, 4096, 16384, 65536}, 4, 5, 4, 30, 1, NULL};
    size_t operands = options_read(&command_attend, argc, argv, s);
    options_once();
    s->in.base2 = s->base == BASE_2;
    if (s->merging.merge || s->merging.list || (s->orders && operands == 1))
        return operands;
    if (s->same.same) {
        same_check();
        if (operands != 2)
            fail("--same: expected two files, A and B; got %zu", operands);
        return operands;
    }
    if (operands)
        fail("unexpected '%s': tensors are named by --q, --k and --v, and --merge joins files",
             argv[0]);
    check_options(s);
    return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

static size_t order_cut(const settings *o)
{
    return attend_order_cut(&o->order, o->splits, o->prefix, option_was_given("prefix-keys"));
}

static void put_words(output *out, const void *judged)
{
    const char *words = ((const attend_judged *)judged)->words;
    output_put(out, words, strlen(words));
}

/* Judges an output, and says what it is. */
static int run_compare(const settings *o, attend_request *r, attend_judged *judged)
{
    int good = attend_find_verdict(r, judged, o->html != NULL);
    page_write(&(page_report){.command = "attend",
                              .json = o->of_cliff.json,
                              .html = o->html,
                              .put_json = attend_verdict_json,
                              .put_words = put_words,
                              .report = judged});
    search_free(&cli_search, judged->words);
    free(judged->asked.errors);
    return good;
}

/* Two outputs, with their request or without it. */
static int run_same(settings *o, char **argv)
{
    static const char *const needed[] = {"q", "k", "v"};
    attend_request r;
    int has_request = option_was_given("q") || option_was_given("k") || option_was_given("v");
    o->same.a = argv[0];
    o->same.b = argv[1];
    o->same.from = o->to;
    o->same.heads = o->in.heads;
    o->same.splits = o->splits;
    o->same.json = o->of_cliff.json;
    o->same.html = o->html;
    outputs_check((const char *const[]){o->same.json, o->same.html}, 2,
                  (const char *const[]){o->same.a, o->same.b, o->in.q, o->in.k, o->in.v}, 5);
    if (has_request) {
        options_need(needed, 3, "a request has queries (q), keys (k) and values (v)");
        attend_read(&r, &o->in);
    }
    int is_same = attend_say_same(&o->same, has_request ? &r : NULL);
    if (has_request)
        attend_free(&r);
    return is_same ? STATUS_HELD : STATUS_MISMATCH;
}

static int run(int argc, char **argv)
{
    settings o;
    attend_request r;
    int good = 1;
    size_t files = read_settings(&o, argc, argv);
    if (o.merging.list) {
        merge_list_rules();
        return STATUS_HELD;
    }
    if (o.merging.merge)
        return merge_run(&(merge_request){o.merging, o.in.from, o.to, o.out, o.lse, o.compare,
                                          o.compare_lse, o.base, argv, files});
    if (o.same.same)
        return run_same(&o, argv);
    if (o.orders) {
        attend_orders_list(files ? argv[0] : NULL);
        return STATUS_HELD;
    }
    if (o.cliff) {
        cliff_run(&o.of_cliff);
        return STATUS_HELD;
    }
    static const char *const needed[] = {"q", "k", "v"};
    const char *const outputs[] = {o.out, o.lse, o.of_cliff.json, o.html};
    const char *const inputs[] = {o.in.q, o.in.k, o.in.v, o.in.sinks, o.compare, o.compare_lse};
    attend_judged judged = {.out = o.compare,
                            .lse = o.compare_lse,
                            .from = o.to,
                            .by = option_was_given("by") ? attend_bounds[o.by] : NULL,
                            .has_recipe = o.in.recipe || o.in.k_recipe || o.in.v_recipe,
                            .asked = {.order = o.has_order ? &o.order : NULL,
                                      .splits = o.splits,
                                      .prefix = o.prefix,
                                      .has_prefix = option_was_given("prefix-keys")}};
    options_need(needed, 3, "attention needs files of queries (q), keys (k) and values (v)");
    outputs_check(outputs, 4, inputs, 6);
    attend_read(&r, &o.in);
    if (o.compare && o.has_order)
        attend_need_order(&r, &o.order, order_cut(&o));
    if (o.compare)
        good = run_compare(&o, &r, &judged);
    else
        attend_write_results(&r,
                             &(attend_results){o.out, o.lse, o.to, o.has_order ? &o.order : NULL,
                                               o.has_order ? order_cut(&o) : 1, o.splits});
    attend_free(&r);
    return good ? STATUS_HELD : STATUS_MISMATCH;
}

const command command_attend = {
    .name = "attend",
    .purpose = "Computes attention over a KV cache, or judges a kernel's output.",
    .example = "  $ softfp8 attend --q q.npy --k k.npy --v v.npy --recipe kv-vllm -o out.npy\n"
               "  $ softfp8 attend --q q.npy --k k.npy --v v.npy --compare theirs.npy\n"
               "  $ softfp8 attend --same decode.npy prefill.npy --keys 512\n",
    .usage = "attend --q FILE --k FILE --v FILE [options]\n"
             "attend --merge --rule NAME [options] OUT LSE OUT LSE ...\n"
             "attend --merge --rule NAME [options] [LINES]\n"
             "attend --merge --compare FILE [options] [OUT LSE ... | LINES]\n"
             "attend --same A B [options]\n"
             "attend --cliff [options]",
    .about = "Attention is defined in docs/spec/attend/attention.md: its bits depend neither on "
             "splits nor on pages nor on what else is computed. The tensors are .npy files "
             "[tokens][heads][elements] of f32, bf16 or f16. The queries have the last positions "
             "of the keys, and a query sees the keys up to its own.\n"
             "With --merge, docs/spec/attend/merging.md and docs/spec/attend/parts.md define the "
             "rules. The parts are joined in f32, and the result is rounded once, to the format of "
             "the output. OUT is a .npy file [tokens][heads][channels] of f32, bf16 or f16. LSE is "
             "a .npy file of f32, [tokens][heads] or [heads][tokens]; its shape decides. LINES is "
             "a text file, or standard input, with one row per line and | between the parts. A "
             "part is its lse as 8 hexadecimal digits, then its channels: 8 digits each, or 4 with "
             "--from bf16 or f16; # and // begin a comment. Then the output is lines too, of lse "
             "and channels.",
    .more = "  $ echo '00000000 3f800000 | 00000000 40400000' |\n"
            "      softfp8 attend --merge --rule vllm\n"
            "  3f317218 40000000\n",
    .options = options,
    .operands = "OUT LSE",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
