/* SPDX-License-Identifier: MIT */
/* recipes.c -- softfp8 recipes: the named recipes for blocks, and their global scale */
#include "recipes/recipes.h"
#include "recipes/find.h"
#include "cli/options.h"
#include "cli/rows.h"
#include "cli/text_table.h"
#include "diagnose/global_scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by name --------------------------------------------------------------------------------- */

const char *recipe_name_at(size_t i)
{
    const sf8_recipe_row *row = sf8_recipe_at(i);
    return row ? row->name : NULL;
}

/* The row of that very name, or NULL. */
static const sf8_recipe_row *row_named(const char *name)
{
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* Several recipes belong to the word: a few are named. */
static _Noreturn void fail_ambiguous(const char *word)
{
    enum { NAMED = 8 };
    char list[NAMED * 64] = "";
    size_t count = recipe_found_count(word), n = 0;
    if (count > NAMED)
        fail("'%s' is the name of %zu recipes; 'softfp8 recipes %s' lists them", word, count, word);
    for (size_t i = 0; i < count; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "",
                              recipe_found(word, i)->name);
    fail("'%s' is the name of %zu recipes: %s", word, count, list);
}

static _Noreturn void fail_unknown(const char *name)
{
    char text[160];
    recipe_unknown(name, recipe_name_at, text);
    fail("no recipe '%s'%s", name, text);
}

const sf8_recipe_row *recipe_of_name(const char *name, sf8_recipe *recipe)
{
    const sf8_recipe_row *row = row_named(name);
    if (!row) {
        row = recipe_found(name, 0);
        if (row && recipe_found(name, 1))
            fail_ambiguous(name);
    }
    if (!row)
        fail_unknown(name);
    if (sf8_recipe_read(recipe, row) != SF8_OK)
        fail("internal error: the recipe %s cannot be read", name);
    return row;
}

/* ---- the global scale ------------------------------------------------------------------------ */

int recipe_encodes(const sf8_recipe_row *row)
{
    return strstr(row->properties, "g=encode") != NULL;
}

int recipe_given(const sf8_recipe_row *row)
{
    return strstr(row->properties, "g=given") != NULL;
}

/* What the global scale is, in words. */
static const char *g_text(const sf8_recipe_row *row)
{
    return recipe_given(row)     ? "a number"
           : recipe_encodes(row) ? "scales are multiplied by it, values divided"
                                 : "scales are divided by it, values multiplied";
}

uint32_t recipe_g_auto_of(const sf8_recipe_row *row, sf8_format from, uint32_t amax)
{
    sf8_recipe r;
    recipe_of_name(row->name, &r);
    return global_scale_of(&r, from, amax);
}

uint32_t recipe_g_auto(const sf8_recipe_row *row, uint32_t amax)
{
    return recipe_g_auto_of(row, SF8_F32, amax);
}

const char *recipe_g_wrong(const char *text, uint32_t *g)
{
    static char both[96];
    size_t digits = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0, at;
    uint64_t word = 0;
    sf8_result r;
    int is_word = strlen(text + digits) == 8 && hex_read(text + digits, 8, &word);
    int is_number = sf8_from_text(SF8_F32, text, SF8_OCP_NOSAT, &r, &at) == SF8_OK;
    if (is_word && is_number && !digits) {
        snprintf(both, sizeof both, "ambiguous; write 0x%s for f32 bits, +%s for a number", text,
                 text);
        return both;
    }
    if (!is_word && !is_number)
        return "expected a number or 8 hexadecimal digits";
    size_t length = strspn(text + digits, "0123456789abcdefABCDEF");
    if (digits && !text[digits + length] && (length == 7 || length == 9)) /* a slip of the hand */
        return "expected 8 hexadecimal digits behind 0x; for a number write its exponent too, p0";
    if (!is_word && r.flags & SF8_OVERFLOW)
        return "the number overflows f32";
    if (!is_word && r.flags & SF8_UNDERFLOW && (r.code & 0x7fffffff) == 0)
        return "the number rounds to 0 in f32";
    *g = is_word ? (uint32_t)word : (uint32_t)r.code;
    return NULL;
}

uint32_t recipe_g(const sf8_recipe_row *row, const char *text, sf8_format from, uint32_t amax)
{
    int has_g = strstr(row->properties, "g=") != NULL;
    if (!has_g && text)
        fail("--global-scale %s: %s has no global scale", text, row->name);
    if (!has_g)
        return 0;
    if (!text) {
        fail("%s needs --global-scale: %s as a number, or auto, which computes it from the largest "
             "magnitude "
             "of the tensor",
             row->name, recipe_given(row) ? "the scale" : "the global scale");
    }
    int is_auto = strcmp(text, "auto") == 0;
    uint32_t g = is_auto ? recipe_g_auto_of(row, from, amax) : 0;
    const char *wrong = is_auto ? NULL : recipe_g_wrong(text, &g);
    if (wrong)
        fail("--global-scale %s: %s%s", text, wrong,
             strncmp(wrong, "the number", 10) == 0 ? "" : ", or auto");
    if (is_auto && g == 0)
        fail("--global-scale auto: the largest magnitude, f32 %08x, gives no usable scale",
             (unsigned)amax);
    if (sf8_f32_is_nan(g))
        fail("--global-scale %s: NaN cannot be a scale", text);
    if (!recipe_given(row) && (g == 0 || g >= SF8_F32_INF))
        fail("--global-scale %s: a global scale is a finite number above 0", text);
    return g;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* "e2m1 by cuda-satfinite missing_nan=zero" */
static void print_format(output *out, const char *label, const char *format, const char *policy,
                         const char *fields)
{
    output_print(out, "  %-10s  %s by %s%s%s\n", label, format, policy, *fields ? " " : "", fields);
}

static void print_program(output *out, const char *label, const char *program)
{
    if (*program)
        output_print(out, "  %-10s  %s\n", label, program);
}

/* What a row without blocks is in a tensor of keys or values. */
static const char *row_text(int32_t per)
{
    return per == SF8_PER_NONE     ? "the tensor; the cache stores no scale"
           : per == SF8_PER_TENSOR ? "the tensor"
           : per == SF8_PER_TOKEN  ? "a token"
                                   : "a head of a token";
}

/* "0.33.0" or "versions not recorded" */
static const char *versions_text(const sf8_recipe_row *row)
{
    return strcmp(row->versions, "not recorded") == 0 ? "versions not recorded" : row->versions;
}

/* How errors are added, and which scale a tie takes. */
static void print_choice(output *out, const sf8_recipe *r)
{
    static const char *const sums[] = {
        "added in order",
        "added by pairs",
        "added in each half of a row, then the halves",
        "the largest counts",
    };
    output_print(out, "  errors      %s; a tie takes the %s scale\n", sums[r->errors],
                 r->tie_second ? "second" : "first");
}

static void print_full(output *out, const sf8_recipe_row *row)
{
    sf8_recipe r;
    recipe_of_name(row->name, &r);
    output_print(out, "%s\n", row->name);
    evidence_print(out, row->product, row->versions, row->source, row->evidence, row->open);
    print_format(out, "element", row->element, row->element_policy, row->element_fields);
    if (row->block && sf8_recipe_rows(&r) > 1)
        output_print(out, "  block       %d rows of %d elements\n", (int)r.rows, (int)row->block);
    else if (row->block)
        output_print(out, "  block       %d elements\n", (int)row->block);
    else if (r.per == SF8_PER_ROW)
        output_print(out, "  block       the row\n");
    else
        output_print(out, "  block       the row, which is %s\n", row_text(r.per));
    print_format(out, "scale", row->scale, row->scale_policy, row->scale_fields);
    if (r.scale_zero)
        output_print(out, "              %02x is stored instead of zero\n", (unsigned)r.scale_zero);
    if (r.offset_at == SF8_OFFSET_WORD) {
        const char *format = strstr(row->properties, "offset=") + 7;
        output_print(out, "  offset      one %.*s value per block\n", (int)strcspn(format, " "),
                     format);
    }
    if (r.offset_at == SF8_OFFSET_IN_SCALE)
        output_print(out, "  offset      in the last 4 bits of the scale\n");
    if (r.has_g)
        output_print(out, "  g           %s\n", g_text(row));
    output_print(out, "  amax        NaN %s\n",
                 r.amax_nan ? "counts as the largest" : "is ignored");
    output_print(out, "  formulas    are postfix, in f32: docs/spec/blocks/programs.md\n");
    print_program(out, "g =", row->g_of ? row->g_of : "");
    print_program(out, "scale =", row->scale_of);
    print_program(out, "offset =", row->offset_of);
    if (sf8_recipe_chooses(&r)) {
        print_program(out, "or scale =", row->second_of);
        print_program(out, "error =", row->error_of);
        print_choice(out, &r);
    }
    print_program(out, "factor =", row->factor_of);
    print_program(out, "element =", row->element_of);
    print_program(out, "value =", row->value_of);
    if (r.nibbles == SF8_NIBBLES_HALF)
        output_print(out,
                     "  bytes       element j of a block in the low half, j + %d in the high\n",
                     (int)r.block / 2);
    if (r.image)
        output_print(out, "  image       %d scale%s, then the codes of %s\n", (int)r.image,
                     r.image > 1 ? "s" : "", r.image > 1 ? "these blocks" : "the block");
}

static void put_recipe(json_writer *j, const sf8_recipe_row *row)
{
    sf8_recipe r;
    recipe_of_name(row->name, &r);
    jw_begin(j, NULL, '{');
    jw_signed(j, "block", row->block);
    jw_signed(j, "rows", sf8_recipe_rows(&r));
    jw_text(j, "per", sf8_recipe_per_name(r.per));
    jw_text(j, "name", row->name);
    jw_text(j, "element", row->element);
    jw_text(j, "element_policy", row->element_policy);
    jw_text(j, "element_fields", row->element_fields);
    jw_text(j, "scale", row->scale);
    jw_text(j, "scale_policy", row->scale_policy);
    jw_text(j, "scale_fields", row->scale_fields);
    jw_text(j, "scale_of", row->scale_of);
    jw_text(j, "offset_of", row->offset_of);
    jw_text(j, "factor_of", row->factor_of);
    jw_text(j, "element_of", row->element_of);
    jw_text(j, "value_of", row->value_of);
    jw_text(j, "g_of", row->g_of ? row->g_of : "");
    jw_text(j, "second_of", row->second_of ? row->second_of : "");
    jw_text(j, "error_of", row->error_of ? row->error_of : "");
    jw_text(j, "properties", row->properties);
    evidence_put(j, row->product, row->versions, row->source, row->evidence, row->open);
    jw_end(j);
}

static void add_line(text_table *table, const sf8_recipe_row *row)
{
    sf8_recipe r;
    char block[32];
    recipe_of_name(row->name, &r);
    if (row->block && sf8_recipe_rows(&r) > 1)
        snprintf(block, sizeof block, "%dx%d", (int)r.rows, (int)row->block);
    else if (row->block)
        snprintf(block, sizeof block, "%d", (int)row->block);
    else
        snprintf(block, sizeof block, "%s", sf8_recipe_per_name(r.per));
    text_table_row(table, "%s\t%s\t%s\t%s\t%s\t%s %s", row->name, row->element, block, row->scale,
                   evidence_words(row->evidence), row->product, versions_text(row));
}

typedef struct settings {
    int names, json;
    const char *path;
    char **list;
    int count;
    const sf8_recipe_row **rows; /* what was asked for, n of them */
    size_t n;
} settings;

/* Adds a recipe that belongs to all words behind the first one. */
static void add_if_all(settings *o, const sf8_recipe_row *row)
{
    for (int k = 1; k < o->count; k++)
        if (!recipe_belongs(o->list[k], row))
            return;
    o->rows[o->n++] = row;
}

/* Adds what one argument finds: a name is one recipe, a word all that belong to it. */
static void add_found(settings *o, const char *text)
{
    const sf8_recipe_row *row = row_named(text);
    size_t before = o->n;
    if (row)
        o->rows[o->n++] = row;
    for (size_t i = 0; !row && recipe_found(text, i); i++)
        o->rows[o->n++] = recipe_found(text, i);
    if (o->n == before)
        fail_unknown(text);
}

/* Finds what is asked for. Words alone narrow each other down. */
static void find_rows(settings *o)
{
    const sf8_recipe_row *row;
    size_t most = 0;
    int words = 0;
    while (sf8_recipe_at(most))
        most++;
    o->rows = allocate((size_t)(o->count + 1) * most, sizeof(const sf8_recipe_row *));
    for (int k = 0; k < o->count; k++)
        words += !row_named(o->list[k]) && recipe_found(o->list[k], 0);
    if (o->count == 0)
        for (; (row = sf8_recipe_at(o->n)) != NULL; o->n++)
            o->rows[o->n] = row;
    if (words < o->count || words == 1) {
        for (int k = 0; k < o->count; k++)
            add_found(o, o->list[k]);
        return;
    }
    for (size_t i = 0; words && (row = recipe_found(o->list[0], i)) != NULL; i++)
        add_if_all(o, row);
    if (o->n == 0)
        fail("no recipe belongs to '%s' and to the other words too", o->list[0]);
}

/* Whether recipes are listed, one per line: all of them, or several that a word found. */
static int as_table(const settings *o)
{
    for (int k = 0; k < o->count; k++)
        if (!row_named(o->list[k]) && recipe_found_count(o->list[k]) > 1)
            return 1;
    return o->count == 0;
}

static void print_recipes(output *out, const settings *o)
{
    text_table *table = NULL;
    int in_table = as_table(o);
    if (!o->names && in_table) {
        table = text_table_new("%-19s  %-7s  %10s  %-5s  %-8s  %s");
        text_table_row(table, "recipe\telement\tblock\tscale\tevidence\tproduct");
    }
    for (size_t i = 0; i < o->n; i++) {
        const sf8_recipe_row *row = o->rows[i];
        if (o->names) {
            output_print(out, "%s\n", row->name);
        } else if (!table) {
            output_print(out, i ? "\n" : "");
            print_full(out, row);
        } else {
            add_line(table, row);
        }
    }
    if (table)
        text_table_write(table, out);
}

static void put_recipes(output *out, const settings *o)
{
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '[');
    for (size_t i = 0; i < o->n; i++) {
        if (i)
            jw_space(&j, "\n ");
        put_recipe(&j, o->rows[i]);
    }
    jw_end(&j);
}

static const cli_option options[] = {
    {"--names", NULL, "lists only the names", FLAG(settings, names)},
    {"--json", NULL, "writes JSON: a list of objects", FLAG(settings, json)},
    GROUP(settings, path, output_option),
    {.kind = OPTION_END},
};

static int run(int argc, char **argv)
{
    settings o = {.list = argv};
    o.count = (int)options_read(&command_recipes, argc, argv, &o);
    if (o.names && o.json)
        fail("--names and --json exclude each other");
    find_rows(&o); /* an unknown one is refused before anything is written */
    output *out = output_open(o.path);
    if (o.json)
        put_recipes(out, &o);
    else
        print_recipes(out, &o);
    output_close(out);
    free(o.rows);
    return STATUS_HELD;
}

const command command_recipes = {
    .name = "recipes",
    .purpose = "Lists the recipes: how stacks quantize blocks that share a scale.",
    .example = "  $ softfp8 recipes deepseek\n",
    .usage = "recipes [NAME | WORD...] [options]",
    .about =
        "A recipe says how a stack quantizes a block of elements: the format of the elements, how "
        "many share a scale, the format of the scale, and every operation of the arithmetic. "
        "Without NAME each recipe has one row with the product that uses it. With NAME everything "
        "is shown, with the evidence: code that ran, hardware, source that was read, a document. "
        "With WORD (a product, a model or a format) the recipes that belong to it are listed; with "
        "several, those that belong to all of them.\n"
        "The arithmetic is written in postfix order; each operation is in f32, rounded to nearest. "
        "Its variables are: x, an element; amax, low and high of the block; g, the global scale; "
        "s, the stored scale; f, the factor; o, the offset; e, the value of a code. "
        "docs/spec/blocks/programs.md defines the operations.",
    .more = "  $ softfp8 recipes nvfp4-te\n"
            "  $ softfp8 explain --recipe nvfp4-te --global-scale 448 1 2 3\n",
    .options = options,
    .operands = "NAME",
    .operands_most = OPERANDS_ANY,
    .operand_at = recipe_name_at,
    .run = run,
};
