/* SPDX-License-Identifier: MIT */
/* inspect.c -- softfp8 kv inspect: what lies in a dump of the codes of a KV cache */
#include "inspect/record.h"
#include "base/words.h"
#include "cli/options.h"
#include "files/page.h"
#include "kv/kv.h"

#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

static void take_shape(void *place, const cli_option *option, const char *text)
{
    inspect_options *o = place;
    (void)option;
    o->side_count = sizes_read(text, o->sides, INSPECT_AXES);
    if (!o->side_count)
        fail("expected 1 to %d numbers with commas between", (int)INSPECT_AXES);
}

/* Decimal numbers of blocks: a list, or the file that has it. */
static void take_pages(void *place, const cli_option *option, const char *text)
{
    inspect_options *o = place;
    int is_list = text[strspn(text, "0123456789, ")] == '\0';
    size_t size = strlen(text), room = 0, line = 1;
    char *bytes = is_list ? NULL : input_whole(text, &size, (size_t)1 << 28);
    const char *at = is_list ? text : bytes, *end = at + size;
    (void)option;
    free(o->pages);
    o->pages = NULL;
    o->page_count = 0;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop ? stop + 1 : end;
        text_word word;
        stop = stop ? stop : end;
        while (words_next(&at, stop, &word)) {
            const char *digits = word.text;
            size_t block;
            if (!size_read(&digits, word.text + word.length, &block) ||
                digits != word.text + word.length || block >= UINT32_MAX)
                fail_at(is_list ? "--block-table" : input_name(text), is_list ? 0 : line,
                        "'%.*s': expected the number of a block",
                        (int)(word.length < 40 ? word.length : 40), word.text);
            o->pages = grow(o->pages, o->page_count, &room, sizeof o->pages[0]);
            o->pages[o->page_count++] = (uint32_t)block;
        }
        at = next;
        line++;
    }
    free(bytes);
    if (!o->page_count)
        fail("no block; expected their numbers, in the order of their tokens");
}

static const cli_option options[] = {
    HEADING("The codes"),
    {"--from", "FORMAT", "the format of the codes, of 8 bits. Default: e4m3",
     FORMAT(inspect_options, format)},
    {"--shape", "N,N,...", "the dimensions of raw codes, up to 6", .kind = OPTION_CALL,
     .take = take_shape},
    {"--axes", "NAME,NAME,...",
     "what the dimensions are: of layer, batch, kv, block, token, head, channel. kv has two parts, "
     "keys and values. Default: as vLLM and SGLang have them, such as block,token,head,channel "
     "for four",
     TEXT(inspect_options, axes)},
    HEADING("One sequence of a paged cache"),
    {"--block-table", "LIST|FILE",
     "the blocks of the sequence in the order of their tokens: numbers with commas or blanks "
     "between, or a file with them. Other blocks are left out",
     .kind = OPTION_CALL, .take = take_pages, .complete = "file"},
    {"--tokens", "N", "the length of the sequence: what is behind it is left out",
     NUMBER(inspect_options, tokens, 1, UINT64_C(1) << 40)},
    HEADING("Records of MLA caches"),
    {"--mla", "NAME|FIELDS",
     "takes each token apart: codes, scales, and values in bf16. A name from --mla-list, a number "
     "of "
     "bytes, or the fields, such as \"512 e4m3, 4 f32 scale/128, 64 bf16\". A bar stands before "
     "what lies behind the others in a page: \"448 e4m3, 64 bf16 | 7 e8m0 scale/64, 1 pad\"",
     TEXT(inspect_options, record)},
    {"--slots", "N",
     "with --mla: the tokens of a page. Default: the axes between the first and the last one",
     NUMBER(inspect_options, slots, 1, UINT64_C(1) << 20)},
    {"--mla-list", NULL, "lists the records that have names, with the evidence",
     FLAG(inspect_options, records)},
    HEADING("What was stored"),
    {"--keys", "FILE",
     "the keys whose codes these are, a .npy file of [tokens][heads][channels]: the report says "
     "which scale they were divided by",
     PATH(inspect_options, stored[0])},
    {"--values", "FILE", "the same of values", PATH(inspect_options, stored[1])},
    {"--type", NULL, "the format of keys and values; needed for bf16",
     NAME(inspect_options, type, tensor_formats)},
    HEADING("The report"),
    {"--strict", NULL, "exit status 1 if a code is NaN or infinite, or if values were clipped",
     FLAG(inspect_options, strict)},
    GROUP(inspect_options, json, json_option),
    GROUP(inspect_options, html, html_option),
    {.kind = OPTION_END},
};

typedef struct reports {
    const inspect_report *list;
    size_t count;
} reports;

static void put_json(output *out, const void *report)
{
    const reports *r = report;
    inspect_json(out, r->list, r->count);
}

static void put_words(output *out, const void *report)
{
    const reports *r = report;
    for (size_t i = 0; i < r->count; i++) {
        output_print(out, i ? "\n" : "");
        inspect_text(out, &r->list[i]);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct record_reports {
    const record_report *list;
    size_t count;
} record_reports;

static void put_records_json(output *out, const void *report)
{
    const record_reports *r = report;
    record_json(out, r->list, r->count);
}

static void put_records(output *out, const void *report)
{
    const record_reports *r = report;
    for (size_t i = 0; i < r->count; i++) {
        output_print(out, i ? "\n" : "");
        record_text(out, &r->list[i]);
    }
}

static int run_records(const inspect_options *o, char **paths, size_t count)
{
    int problems = 0;
    if (o->html || o->format || o->axes || o->page_count || o->tokens || o->stored[0] ||
        o->stored[1])
        fail("--mla goes with --shape, --slots, --strict and --json alone");
    record_layout layout = record_of_text(o->record);
    outputs_check((const char *const[]){o->json}, 1, (const char *const *)paths, count);
    record_report *list = allocate(count, sizeof list[0]);
    for (size_t i = 0; i < count; i++) {
        record_count(&list[i], paths[i], &layout, o->slots, o);
        record_judge(&list[i]);
        problems |= list[i].problems;
    }
    page_write(&(page_report){.command = "kv inspect",
                              .json = o->json,
                              .put_json = put_records_json,
                              .put_words = put_records,
                              .report = &(record_reports){list, count}});
    free(list);
    return o->strict && problems ? STATUS_MISMATCH : STATUS_HELD;
}

static int run(int argc, char **argv)
{
    inspect_options o;
    int problems = 0;
    memset(&o, 0, sizeof o);
    size_t count = options_read(&kv_inspect, argc, argv, &o);
    if (o.records) {
        if (argc > 2 || count)
            fail("--mla-list cannot be combined with other options or files");
        record_list();
        return STATUS_HELD;
    }
    if (o.slots && !o.record)
        fail("--slots needs --mla");
    if (count > 1 && (o.stored[0] || o.stored[1]))
        fail("--keys and --values belong to one file, got %zu", count);
    if (count == 0)
        fail("no file of codes given; expected FILE, or - for standard input");
    if (o.record)
        return run_records(&o, argv, count);
    outputs_check((const char *const[]){o.json, o.html}, 2, (const char *const *)argv, count);
    inspect_report *list = allocate(count, sizeof list[0]);
    for (size_t i = 0; i < count; i++) {
        inspect_count(&list[i], argv[i], &o);
        inspect_judge(&list[i]);
        inspect_fit(&list[i], &o);
        problems |= list[i].problems;
    }
    page_write(&(page_report){.command = "kv inspect",
                              .json = o.json,
                              .html = o.html,
                              .put_json = put_json,
                              .put_words = put_words,
                              .report = &(reports){list, count}});
    for (size_t i = 0; i < count; i++)
        inspect_free(&list[i]);
    free(list);
    free(o.pages);
    return o.strict && problems ? STATUS_MISMATCH : STATUS_HELD;
}

const command kv_inspect = {
    .name = "kv inspect",
    .purpose = "Shows what lies in a dump of cache codes: NaN, clipped values, zeros.",
    .example = "  $ softfp8 kv inspect cache.npy\n",
    .usage = "kv inspect [options] FILE...\n"
             "kv inspect --mla NAME|FIELDS [options] FILE...\n"
             "kv inspect --mla-list",
    .about = "FILE holds codes of 8 bits, with up to six dimensions: a .npy file of type |u1, |i1 "
             "or |V1 in C order, a tensor that torch.save wrote, MODEL.safetensors:NAME, or raw "
             "bytes with --shape. Codes are counted by layer, block, "
             "token, head and channel. The report begins with what is wrong, and ends with a "
             "picture of the magnitudes. Files are read in pieces and need not fit into memory.\n"
             "'softfp8 kv doctor' checks the scale of values that are still numbers.",
    .more = "  $ softfp8 kv inspect --shape 2,64,16,8,128 --block-table 7,3,12 cache.bin\n"
            "  $ softfp8 kv inspect --mla deepseek-v4 --shape 128,64,584 cache.bin\n"
            "Exit status: 0 the report was written; 1 with --strict: a file has such codes; 2 bad "
            "usage or input.",
    .options = options,
    .operands = "FILE",
    .operands_most = OPERANDS_ANY,
    .complete = "file",
    .run = run,
};
