/* SPDX-License-Identifier: MIT */
/* attend.c -- softfp8 attend: attention over a cache by the definition, and other outputs judged */
#include "attend/attend.h"
#include "attend/cliff.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "softfp8 attend --q FILE --k FILE --v FILE [options]\n"
    "softfp8 attend --cliff [options]\n"
    "\n"
    "Attention over a cache by SPEC.md, section 13: bits that do not depend on\n"
    "splits, batch or pages. Tensors are .npy, [tokens][heads][elements], of f32,\n"
    "bf16 or f16; queries are the last positions of the keys.\n"
    "\n"
    "  --recipe NAME    keys and values are stored by it first ('softfp8 recipes')\n"
    "  --k-scale S --v-scale S    the scales of that; by the largest magnitude\n"
    "  --sums S         exact, mma-f16 or mma-bf16 (exact)\n"
    "  --scale S        of scores (1 / sqrt of the elements of a head)\n"
    "  --full --window N --cap C --sinks FILE --first P    no causal mask, ...\n"
    "  --heads H --kv-heads H --from FORMAT    where the files do not say so\n"
    "  --splits N       in N parts that are joined\n"
    "  --order NAME     as another stack computes it, with --splits N, or --prefix N\n"
    "                   keys; --orders lists them: fa3-fp8, flashinfer, paged-v2 ...\n"
    "  -o FILE --lse FILE --to FORMAT --base2    the output as .npy, of f32\n"
    "\n"
    "  --compare FILE --compare-lse FILE    judges an output: which definition or\n"
    "                   order it is, or inside which bound, and what is wrong with\n"
    "                   the worst rows; --splits, --prefix, --to as above\n"
    "    --by UNIT      by one bound: f32 f16 bf16 bf16-parts fp8-two fp8-one\n"
    "    --json FILE    the verdict as JSON\n"
    "\n"
    "  --cliff          a key is looked for in longer and longer caches of each kind:\n"
    "    --lengths N,N,...   keys (1024,4096,16384,65536)\n"
    "    --depths N --trials N --outlier X --seed N --svg FILE --json FILE\n"
    "\n"
    "  $ softfp8 attend --q q.npy --k k.npy --v v.npy --recipe kv-vllm -o out.npy\n"
    "  $ softfp8 attend --q q.npy --k k.npy --v v.npy --compare theirs.npy\n";

typedef struct options {
    attend_options in;
    const char *out, *lse, *to, *compare, *compare_lse;
    const sf8_attend_order *order;
    size_t splits, prefix;
    int cliff, orders, has_prefix, has_sums, has_by;
    size_t by;
    const char *of_request; /* an option that --cliff has no use for */
    cliff_options of_cliff;
} options;

static int cliff_argument(arguments *a, cliff_options *o)
{
    if (argument_is(a, "lengths"))
        cliff_lengths(o, argument_value(a));
    else if (argument_is(a, "depths"))
        o->depths = (size_t)argument_number(a, 1, CLIFF_DEPTHS);
    else if (argument_is(a, "trials"))
        o->trials = (size_t)argument_number(a, 1, 10000);
    else if (argument_is(a, "outlier"))
        o->outlier = (double)argument_number(a, 0, 100000);
    else if (argument_is(a, "seed"))
        o->seed = argument_number(a, 0, UINT64_MAX);
    else if (argument_is(a, "svg"))
        o->svg = argument_value(a);
    else
        return 0;
    return 1;
}

/* What goes with --cliff alone, and what does not. */
static void check_options(const options *o, const char *of_cliff)
{
    if (o->cliff && o->of_request)
        fail("--cliff makes tensors of its own, and takes no %.*s",
             (int)strcspn(o->of_request, "="), o->of_request);
    if (o->order && o->in.base2)
        fail("--base2: an order has a base of its own");
    if (o->order && o->has_sums)
        fail("--sums: an order has a way to sum of its own");
    if (o->compare && o->has_sums)
        fail("--compare tries all ways to sum: no --sums");
    if (of_cliff && !o->cliff)
        fail("--%s go with --cliff", of_cliff);
    if (o->compare && (o->out || o->lse || o->order))
        fail("--compare writes no output");
    if (o->has_prefix && !o->order && !o->compare)
        fail("--prefix goes with --order or --compare");
    if (o->of_cliff.json && !o->compare && !o->cliff)
        fail("--json goes with --cliff or --compare");
    if (o->has_by && !o->compare)
        fail("--by goes with --compare");
    if (o->compare_lse && !o->compare)
        fail("--compare-lse goes with --compare");
}

static options options_of(int argc, char **argv)
{
    options o;
    sf8_status status;
    const char *of_cliff = NULL;
    const uint64_t most = INT64_C(1) << 40;
    memset(&o, 0, sizeof o);
    o.in.causal = 1;
    o.in.left = o.in.first = -1;
    o.of_cliff = (cliff_options){{1024, 4096, 16384, 65536}, 4, 5, 4, 30, 1, NULL, NULL};
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        const char *of_request = a.text;
        if (argument_is(&a, "q"))
            o.in.q = argument_value(&a);
        else if (argument_is(&a, "k"))
            o.in.k = argument_value(&a);
        else if (argument_is(&a, "v"))
            o.in.v = argument_value(&a);
        else if (argument_is(&a, "recipe"))
            o.in.recipe = argument_value(&a);
        else if (argument_is(&a, "k-scale"))
            o.in.k_scale = argument_value(&a);
        else if (argument_is(&a, "v-scale"))
            o.in.v_scale = argument_value(&a);
        else if (argument_is(&a, "scale"))
            o.in.scale = argument_value(&a);
        else if (argument_is(&a, "json")) {
            o.of_cliff.json = argument_value(&a);
            of_request = NULL;
        } else if (argument_is(&a, "cap"))
            o.in.cap = argument_value(&a);
        else if (argument_is(&a, "sinks"))
            o.in.sinks = argument_value(&a);
        else if (argument_is(&a, "window"))
            o.in.left = (int64_t)argument_number(&a, 0, most);
        else if (argument_is(&a, "first"))
            o.in.first = (int64_t)argument_number(&a, 0, most);
        else if (argument_is(&a, "heads"))
            o.in.heads = (size_t)argument_number(&a, 1, 1 << 20);
        else if (argument_is(&a, "kv-heads"))
            o.in.kv_heads = (size_t)argument_number(&a, 1, 1 << 20);
        else if (argument_is(&a, "splits"))
            o.splits = (size_t)argument_number(&a, 1, 1 << 20);
        else if (argument_is(&a, "order"))
            o.order = attend_order_of_name(argument_value(&a));
        else if (argument_is(&a, "prefix")) {
            o.prefix = (size_t)argument_number(&a, 0, most);
            o.has_prefix = 1;
        } else if (argument_flag(&a, "orders"))
            o.orders = 1;
        else if (argument_is(&a, "from"))
            o.in.from = tensor_formats[argument_word(&a, tensor_formats)];
        else if (argument_is(&a, "to"))
            o.to = tensor_formats[argument_word(&a, tensor_formats)];
        else if (argument_is(&a, "o") || argument_is(&a, "output"))
            o.out = argument_value(&a);
        else if (argument_is(&a, "lse"))
            o.lse = argument_value(&a);
        else if (argument_is(&a, "compare"))
            o.compare = argument_value(&a);
        else if (argument_is(&a, "compare-lse"))
            o.compare_lse = argument_value(&a);
        else if (argument_is(&a, "by")) {
            o.by = (size_t)argument_word(&a, attend_bounds);
            o.has_by = 1;
        } else if (argument_is(&a, "sums")) {
            const char *name = argument_value(&a);
            o.has_sums = 1;
            o.in.sums = sf8_attend_sums_named(name, &status);
            if (status != SF8_OK)
                fail("--sums %s: expected exact, mma-f16 or mma-bf16", name);
        } else if (cliff_argument(&a, &o.of_cliff)) {
            of_cliff = "lengths, --depths and the like";
            of_request = NULL;
        } else if (argument_flag(&a, "cliff")) {
            o.cliff = 1;
            of_request = NULL;
        } else if (argument_flag(&a, "full"))
            o.in.causal = 0;
        else if (argument_flag(&a, "base2"))
            o.in.base2 = 1;
        else if (a.option && !argument_help(&a, &command_attend))
            argument_unknown(&a);
        else if (!a.option)
            fail("'%s' is no option; tensors are named by --q, --k and --v", a.text);
        if (!o.of_request)
            o.of_request = of_request;
    }
    check_options(&o, of_cliff);
    return o;
}

/* The axes of the queries, of which the last is a head's: `columns` in its place, or without it. */
static void take_axes(tensor *t, const tensor *queries, size_t columns)
{
    t->dimensions = queries->dimensions - (columns == 0);
    memcpy(t->axis, queries->axis, sizeof t->axis);
    if (columns)
        t->axis[t->dimensions - 1] = columns;
}

/* Words of f32 to the format of the output. */
static tensor tensor_of(const char *format, uint32_t *words, size_t rows, size_t columns)
{
    tensor t = {.format_name = format, .format = format_of_name(format), .shape = {rows, columns}};
    uint16_t *halves;
    t.words = words;
    if (sf8_format_bits(t.format) == 32)
        return t;
    halves = allocate(rows * columns, sizeof *halves);
    for (size_t i = 0; i < rows * columns; i++)
        halves[i] = (uint16_t)sf8_convert(t.format, SF8_F32, words[i], SF8_OCP_NOSAT);
    t.words = halves;
    return t;
}

static output *put_tensor(const char *path, const tensor *t)
{
    output *out = output_open(path);
    if (path)
        tensor_write_npy(out, t);
    else
        tensor_write_text(out, t);
    return out;
}

static void write_results(const options *o, attend_request *r)
{
    size_t rows = r->queries * r->heads;
    uint32_t *out = allocate(rows * r->v.dim + 1, sizeof *out);
    uint32_t *lse = allocate(rows + 1, sizeof *lse);
    if (o->order)
        attend_run_order(r, o->order,
                         attend_order_cut(o->order, o->splits, o->prefix, o->has_prefix), out, lse);
    else if (o->splits)
        attend_run_parts(r, o->splits, out, lse);
    else
        attend_run(r, r->a.sums, out, lse);
    tensor t = tensor_of(o->to ? o->to : "f32", out, rows, r->v.dim);
    tensor of_lse = tensor_of("f32", lse, r->queries, r->heads);
    if (r->q.dimensions >= 2)
        take_axes(&t, &r->q, r->v.dim);
    if (r->q.dimensions >= 3)
        take_axes(&of_lse, &r->q, 0);
    output *files[2] = {put_tensor(o->out, &t), o->lse ? put_tensor(o->lse, &of_lse) : NULL};
    outputs_close(files, 2);
    if (t.words != out)
        free(t.words);
    free(out);
    free(lse);
}

static void write_notes(const char *path, const attend_notes *n)
{
    output *file;
    if (!path)
        return;
    file = output_open(path);
    attend_notes_json(n, file);
    outputs_close(&file, 1);
}

static int run(int argc, char **argv)
{
    options o = options_of(argc, argv);
    attend_request r;
    int good = 1;
    if (o.orders) {
        attend_orders_list();
        return STATUS_HELD;
    }
    if (o.cliff) {
        cliff_run(&o.of_cliff);
        return STATUS_HELD;
    }
    const char *const outputs[] = {o.out, o.lse, o.of_cliff.json};
    const char *const inputs[] = {o.in.q, o.in.k, o.in.v, o.in.sinks, o.compare, o.compare_lse};
    attend_judged judged = {.out = o.compare,
                            .lse = o.compare_lse,
                            .from = o.to,
                            .asked = {o.splits, o.prefix, o.by, o.has_prefix, o.has_by}};
    outputs_check(outputs, 3, inputs, 6);
    attend_read(&r, &o.in);
    if (o.compare) {
        good = attend_say_verdict(&r, &judged);
        write_notes(o.of_cliff.json, &judged.notes);
    } else
        write_results(&o, &r);
    attend_free(&r);
    return good ? STATUS_HELD : STATUS_MISMATCH;
}

const command command_attend = {"attend", "attention over a cache, and other outputs judged", help,
                                run};
