/* SPDX-License-Identifier: MIT */
/* record.c -- the records of MLA caches, and how one is written */
#include "inspect/record.h"
#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const record_row rows[] = {
    {"deepseek-v3.2", "512 e4m3 latent, 4 f32 scale/128, 64 bf16 rope",
     "vLLM and FlashMLA, fp8_ds_mla; source: FlashMLA 520fec6a, tests/quant.py, V32_FP8Sparse"},
    {"deepseek-v4", "448 e4m3 latent, 64 bf16 rope | 7 e8m0 scale/64, 1 pad",
     "vLLM and FlashMLA, fp8_ds_mla; source: vLLM 4fec5ad6, models/deepseek_v4/common/ops/"
     "cache_utils.py; FlashMLA 520fec6a, tests/quant.py, MODEL1_FP8Sparse"},
    {"deepseek-v4.1", "512 e4m3 latent | 16 e8m0 scale/32",
     "vLLM on SM100, FlashInfer; source: FlashInfer 1bfb4355, cake_dsv41_mixed.py; vllm#56893"},
    {"deepseek-v4.1-fp4", "512 e2m1 latent | 32 e4m3 scale/16",
     "FlashInfer, compressed tokens; source: FlashInfer 1bfb4355, cake_dsv41_mixed.py"},
    {"deepseek-v4-nvfp4", "448 e2m1 latent, 64 bf16 rope | 28 e4m3 scale/16, 4 pad",
     "FlashInfer, and SGLang on SM120; source: FlashInfer 19af64f3, _dsv4_nvfp4.py, and "
     "dsv4_nvfp4_layout.cuh"},
    {"deepseek-v4-mxfp4", "448 e2m1 latent, 14 e8m0 scale/32, 2 pad, 64 bf16 rope",
     "SGLang on SM90; said by its author: sglang#32741, not merged on 2026-08-30"},
};

const record_row *record_row_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct reader {
    const char *whole, *at;
} reader;

static void skip(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static _Noreturn void wrong(const reader *r, const char *expected)
{
    fail("--mla '%s': at '%.20s': expected %s", printable(r->whole), *r->at ? r->at : "the end",
         expected);
}

static size_t take_number(reader *r)
{
    size_t n = 0;
    skip(r);
    const char *begin = r->at;
    while (isdigit((unsigned char)*r->at) && n < RECORD_MOST)
        n = 10 * n + (size_t)(*r->at++ - '0');
    if (r->at == begin || n == 0 || n >= RECORD_MOST) {
        r->at = begin;
        wrong(r, "a number from 1 on, such as in '512 e4m3, 4 f32 scale/128, 64 bf16'");
    }
    return n;
}

/* "" if there is none. */
static void take_word(reader *r, char word[RECORD_NAME])
{
    size_t n = 0;
    skip(r);
    while (isalnum((unsigned char)*r->at) || (*r->at && strchr("-_.", *r->at))) {
        if (n + 1 == RECORD_NAME)
            wrong(r, "a word of at most 15 letters");
        word[n++] = *r->at++;
    }
    word[n] = '\0';
}

static void name_field(record_field *f, const char *name)
{
    snprintf(f->name, sizeof f->name, "%s", name);
}

/* Scales belong to the codes before them, or to all codes if those follow. */
static void take_scale(reader *r, record_layout *l, record_field *f)
{
    r->at++;
    f->of = take_number(r);
    f->kind = RECORD_SCALES;
    name_field(f, "scales");
    f->codes = -1;
    for (int i = 0; i < l->fields; i++)
        f->codes = l->field[i].kind == RECORD_CODES ? i : f->codes;
    if (f->codes < 0)
        wrong(r, "codes before their scales");
    if (f->count * f->of != l->field[f->codes].count)
        fail("--mla '%s': %zu scales of %zu elements; there are %zu", printable(r->whole), f->count,
             f->of, l->field[f->codes].count);
}

static void take_field(reader *r, record_layout *l)
{
    char word[RECORD_NAME];
    if (l->fields == RECORD_FIELDS)
        wrong(r, "at most 8 fields");
    record_field *f = &l->field[l->fields];
    f->part = l->parts - 1;
    f->offset = l->part[f->part];
    f->count = take_number(r);
    take_word(r, f->format_name);
    if (strcmp(f->format_name, "pad") == 0) {
        f->kind = RECORD_PAD;
        f->bytes = f->count;
        name_field(f, "padding");
    } else {
        f->format = format_of_name(f->format_name);
        size_t bits = (size_t)sf8_format_bits(f->format);
        if ((bits != 4 && bits != 8 && bits != 16 && bits != 32) || f->count * bits % 8)
            fail("--mla '%s': %zu %s: expected whole bytes of a format of 4, 8, 16 or 32 bits",
                 printable(r->whole), f->count, f->format_name);
        f->bytes = f->count * bits / 8;
        f->kind = bits <= 8 ? RECORD_CODES : RECORD_VALUES;
        take_word(r, word);
        if (strcmp(word, "scale") == 0 && *r->at == '/')
            take_scale(r, l, f);
        else
            name_field(f, *word ? word : f->kind == RECORD_CODES ? "codes" : "values");
    }
    l->part[f->part] += f->bytes;
    l->bytes += f->bytes;
    l->fields++;
}

static record_layout layout_of(const char *name, const char *text)
{
    record_layout l;
    reader r = {text, text};
    memset(&l, 0, sizeof l);
    l.name = name;
    l.parts = 1;
    for (;;) {
        take_field(&r, &l);
        skip(&r);
        if (!*r.at)
            return l;
        if (*r.at == '|' && l.parts < RECORD_PARTS)
            l.parts++;
        else if (*r.at != ',')
            wrong(&r, "a comma, '|' once, or the end");
        r.at++;
    }
}

const char *record_of_bytes(size_t bytes)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (layout_of(rows[i].name, rows[i].text).bytes == bytes)
            return rows[i].name;
    return NULL;
}

record_layout record_of_text(const char *text)
{
    int is_number = *text && text[strspn(text, "0123456789")] == '\0';
    const record_row *near = NULL;
    size_t least = 4;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        record_layout l = layout_of(rows[i].name, rows[i].text);
        char bytes[24];
        snprintf(bytes, sizeof bytes, "%zu", l.bytes);
        if (strcmp(text, rows[i].name) == 0 || (is_number && strcmp(text, bytes) == 0))
            return l;
        size_t far = name_distance(text, rows[i].name);
        near = far < least ? &rows[i] : near;
        least = far < least ? far : least;
    }
    if (is_number)
        fail("--mla %s: no known record has as many bytes; --mla-list shows them", text);
    if (!isdigit((unsigned char)text[strspn(text, " ")]))
        fail("--mla '%s': no such record%s%s%s", printable(text),
             near ? "; did you mean '" : "; --mla-list shows them", near ? near->name : "",
             near ? "'?" : "");
    return layout_of(text, text);
}

void record_list(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        record_layout l = layout_of(rows[i].name, rows[i].text);
        printf("%s\n  bytes     %zu\n  fields    %s\n  evidence  %s\n", rows[i].name, l.bytes,
               rows[i].text, rows[i].source);
    }
}
