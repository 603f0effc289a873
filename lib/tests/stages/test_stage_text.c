/* SPDX-License-Identifier: MIT */
/* test_stage_text.c -- stages read and written as text; what is refused, and where */
#include "check.h"
#include "softfp8_stages.h"

static const struct {
    const char *text, *canonical; /* NULL: the same */
} good[] = {
    {"rms-norm w=W eps=1e-6 | via=bf16", "rms-norm w=W via=bf16"},
    {"rms-norm w=W eps=1e-5 mid=bf16 via=bf16", NULL},
    {"rms-norm,w=W,eps=1e-5|via=f16:rz", "rms-norm w=W eps=0.00001 via=f16:rz"},
    {"via=bf16", NULL},
    {"via=bf16 | via=f16", NULL},
    {"round", "via=f32"},
    {"add r=r", "add"},
    {"add r=residual | layer-norm w=G b=B order=32x4/halves", NULL},
    {"softmax order=torch8 form=product exp=2 ulps=2", NULL},
    {"softmax order=any depth=30", NULL},
    {"softmax order=1024x1", NULL},
    {"softmax order=7x2/chain", NULL},
    {"silu gate=first", "silu-gate"},
    {"silu-gate gate=even mid=bf16", NULL},
    {"silu-gate up=U", NULL},
    {"gelu-tanh-gate gate=second", NULL},
    {"relu2", NULL},
    {"swiglu-clamp", NULL},
    {"swiglu-clamp gate=first alpha=1 limit=10 form=quotient", NULL},
    {"rope cos=C sin=S style=interleaved head=128 dim=64", NULL},
    {"hadamard", NULL},
    {"hadamard size=128 scale=1 signs=S order=tree", NULL},
    {"hadamard size=64 scale=0.125", "hadamard size=64"},
};

Test(stage_text, is_written_as_it_was_read)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        sf8_stage stage, again;
        char text[SF8_STAGE_TEXT_SIZE], more[SF8_STAGE_TEXT_SIZE];
        size_t at = 77;
        cr_assert(sf8_stage_read(good[i].text, &stage, &at) == SF8_OK && at == 77, "%s",
                  good[i].text);
        cr_assert(sf8_stage_write(&stage, text, sizeof text) == SF8_OK);
        cr_assert(sf8_stage_read(text, &again, NULL) == SF8_OK, "%s", text);
        EXPECT(memcmp(&stage, &again, sizeof stage) == 0, "%s", text);
        cr_assert(sf8_stage_write(&again, more, sizeof more) == SF8_OK);
        EXPECT(strcmp(text, more) == 0, "%s, then %s", text, more);
        if (good[i].canonical)
            EXPECT(strcmp(text, good[i].canonical) == 0, "%s: %s", good[i].text, text);
        EXPECT(sf8_stage_write(&stage, text, strlen(more)) == SF8_NO_ROOM, "%s", more);
    }
}

static const struct {
    const char *text;
    sf8_status status;
    size_t at;
} bad[] = {
    {"", SF8_UNKNOWN_NAME, 0},
    {"rms-norm |", SF8_UNKNOWN_NAME, 10},
    {"rms-nrom", SF8_UNKNOWN_NAME, 0},
    {"relu-gate-gate", SF8_UNKNOWN_NAME, 0},
    {"rms-norm-gate", SF8_UNKNOWN_NAME, 0},
    {"rms-norm limit=7", SF8_UNKNOWN_NAME, 9},
    {"relu | rms-norm w=W w=V", SF8_BAD_TEXT, 20},
    {"rms-norm eps=-1", SF8_BAD_TEXT, 9},
    {"rms-norm eps=inf", SF8_BAD_TEXT, 9},
    {"rms-norm eps=", SF8_BAD_TEXT, 9},
    {"rms-norm w=", SF8_BAD_TEXT, 9},
    {"rms-norm w=abcdefghijklmnop", SF8_BAD_TEXT, 9},
    {"rms-norm via=e4m3", SF8_BAD_TEXT, 9},
    {"rms-norm via=bf16:sr", SF8_BAD_TEXT, 9},
    {"rms-norm via=bf16:", SF8_BAD_TEXT, 9},
    {"rms-norm order=-", SF8_BAD_TEXT, 9},
    {"rms-norm order=2048x1", SF8_BAD_TEXT, 9},
    {"rms-norm order=6x1/halves", SF8_BAD_TEXT, 9},
    {"rms-norm order=8x", SF8_BAD_TEXT, 9},
    {"rms-norm order=torch4", SF8_BAD_TEXT, 9},
    {"rms-norm ulps=65536", SF8_BAD_TEXT, 9},
    {"hadamard size=12", SF8_BAD_TEXT, 9},
    {"silu-gate gate=array", SF8_BAD_TEXT, 10},
    {"swiglu-clamp gate=none", SF8_BAD_TEXT, 13},
    {"relu|relu|relu|relu|relu|relu|relu|relu|relu", SF8_NO_ROOM, 40},
};

Test(stage_text, what_is_refused)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        sf8_stage stage = {.count = 3};
        size_t at = 77;
        sf8_status status = sf8_stage_read(bad[i].text, &stage, &at);
        EXPECT(status == bad[i].status && at == bad[i].at && stage.count == 3,
               "\"%s\": status %d at %zu", bad[i].text, (int)status, at);
    }
    cr_expect(sf8_stage_read(NULL, &(sf8_stage){0}, NULL) == SF8_UNKNOWN_NAME);
}

Test(stage_text, rows_read)
{
    const sf8_stage_row *row;
    for (size_t i = 0; (row = sf8_stage_at(i)) != NULL; i++) {
        sf8_stage stage, by_name;
        cr_assert(sf8_stage_named(row->name) == row, "%s", row->name);
        cr_assert(sf8_stage_read(row->text, &stage, NULL) == SF8_OK, "%s", row->text);
        cr_assert(sf8_stage_read(row->name, &by_name, NULL) == SF8_OK, "%s", row->name);
        EXPECT(memcmp(&stage, &by_name, sizeof stage) == 0, "%s", row->name);
        char text[SF8_STAGE_TEXT_SIZE];
        cr_assert(sf8_stage_write(&stage, text, sizeof text) == SF8_OK);
        EXPECT(strcmp(text, row->text) == 0, "%s: %s, not %s", row->name, text, row->text);
    }
}

Test(stage_text, fields_have_names)
{
    size_t n = 0;
    for (; sf8_stage_field_at(n); n++)
        EXPECT(sf8_stage_field_values(n)[0], "%s", sf8_stage_field_at(n));
    cr_expect(n == 28 && !sf8_stage_field_values(n), "%zu", n);
}

/* A call that does not fit: what is said, and about which array. */
Test(stage_text, wrong_calls)
{
    static const uint32_t values[8] = {0};
    const sf8_stage_input some[2] = {{"W", values, 1, 4}, {"R", values, 2, 4}};
    static const struct {
        const char *text;
        size_t rows, columns;
        const char *wrong, *name;
    } calls[] = {
        {"rms-norm w=W", 2, 4, NULL, ""},
        {"rms-norm w=V", 2, 4, "no array of this name is given", "V"},
        {"rms-norm w=W", 2, 5, "its columns are neither 1 nor those of the step", "W"},
        {"add r=R", 3, 4, "its rows are neither 1 nor those of the tensor", "R"},
        {"relu | silu-gate", 1, 5, "a gate needs an even number of columns", ""},
        {"silu-gate | multiply by=W", 1, 8, NULL, ""},
        {"relu", 1, 0, "a row without elements", ""},
        {"hadamard", 1, 24, "the size of hadamard does not divide the columns", ""},
        {"rope cos=W sin=W head=6", 1, 8,
         "rope needs an even dim, at most head, which divides the columns", ""},
        {"rope cos=W sin=W head=8 dim=10", 1, 8,
         "rope needs an even dim, at most head, which divides the columns", ""},
        {"rope cos=W sin=W", 1, 8, NULL, ""},
    };
    for (size_t i = 0; i < COUNT(calls); i++) {
        sf8_stage stage;
        const char *name = "?", *wrong;
        cr_assert(sf8_stage_read(calls[i].text, &stage, NULL) == SF8_OK, "%s", calls[i].text);
        wrong = sf8_stage_wrong(&stage, calls[i].rows, calls[i].columns, some, 2, &name);
        EXPECT(strcmp(wrong ? wrong : "", calls[i].wrong ? calls[i].wrong : "") == 0 &&
                   strcmp(name, calls[i].name) == 0,
               "%s: %s, %s", calls[i].text, wrong ? wrong : "nothing", name);
        if (wrong)
            EXPECT(sf8_stage_run(&stage, NULL, NULL, calls[i].rows, calls[i].columns, some, 2,
                                 NULL) == SF8_BAD_CALL,
                   "%s", calls[i].text);
    }
    sf8_stage stage;
    sf8_stage_read("add r=R | rms-norm w=W | rope cos=C sin=S", &stage, NULL);
    cr_expect(strcmp(sf8_stage_array(&stage, 0), "R") == 0 &&
              strcmp(sf8_stage_array(&stage, 3), "S") == 0 && !sf8_stage_array(&stage, 4));
}
