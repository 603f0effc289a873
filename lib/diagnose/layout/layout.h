/* SPDX-License-Identifier: MIT */
/* layout.h -- blocks of packed codes with their scales: which reading of the bytes explains them?
 *
 * A reading is a value on each axis: the order of nibbles, the packing, the layout of the scales,
 * what g does, ... The plain reading is what the user takes for right; another one costs what the
 * changes of its axes cost. Each reading is scored by the share of the elements that it explains: x
 * is explained if it would have been rounded to its code under that scale. What explains most at
 * the least cost is found; it is a mismatch only if it explains every element.
 */
#ifndef SOFTFP8_DIAGNOSE_LAYOUT_H
#define SOFTFP8_DIAGNOSE_LAYOUT_H

#include "diagnose/search.h"
#include "softfp8_blocks.h"

/* ---- the data -------------------------------------------------------------------------------- */

/* What the global scale of a recipe does to codes times scales: these are multiplied by unit * g,
 * or by unit / g. */
typedef struct layout_g_rule {
    int divides;
    float unit;
} layout_g_rule;

/* Of a recipe without a global scale, and for NULL: a factor. */
layout_g_rule layout_g_rule_of(const sf8_recipe_row *row);
float layout_factor_of(layout_g_rule rule, float g);
float layout_g_of(layout_g_rule rule, float factor);

typedef struct layout_data {
    size_t rows, columns;
    int bits;                      /* of a code: 4 or 8 */
    const uint8_t *codes, *scales; /* as they lie in the files */
    size_t codes_size, scales_size;
    size_t width;                 /* bytes of a scale: 1, 2 (bf16) or 4 (f32) */
    const float *x;               /* row by row */
    sf8_format from;              /* which they were given in: f32, bf16 or f16 */
    const sf8_recipe_row *recipe; /* that is expected, or NULL */
    int has_g;
    float g;                 /* as given; 1 if it is not */
    layout_g_rule rule;      /* of the recipe that is expected */
    search_context *context; /* or NULL */
} layout_data;

/* ---- axes ------------------------------------------------------------------------------------ */

enum {
    AXIS_ORDER,    /* of codes in bytes and words */
    AXIS_PACKING,  /* which codes share a byte; whether the matrix is transposed */
    AXIS_ELEMENT,  /* what a code means */
    AXIS_ROWS,     /* whether rows are in order */
    AXIS_BLOCK,    /* elements with one scale */
    AXIS_ALONG,    /* whether a block is part of a row or of a column, or a square */
    AXIS_TURN,     /* whether their matrix is transposed */
    AXIS_PLACE,    /* the layout of the scales */
    AXIS_SCALE,    /* what a scale means */
    AXIS_G,        /* what the global scale does */
    AXIS_OVERFLOW, /* what became of values beyond the largest code */
    AXES
};

typedef struct layout_value {
    const char *name;  /* with the axis before it a line of the table: "scales 128x4" */
    int cost;          /* in tenths of an ordinary change */
    const char *found; /* "the scales lie in 128x4" */
    const char
        *instead;       /* behind "and" of another value: "were read as 128x4"; "" if never plain */
    const char *advice; /* what to do */
} layout_value;

const char *layout_axis_name(int axis);
/* NULL behind the last. */
const layout_value *layout_value_at(int axis, int bits, int value);
/* What it costs to change an axis to a value. */
int layout_cost(const layout_data *d, int axis, int value);

enum { ELEMENT_E2M1 = 0, ELEMENT_E4M3 = 0, ELEMENT_E5M2 = 1 };
enum { BLOCK_16, BLOCK_32, BLOCK_64, BLOCK_128, BLOCK_ALL };
enum { ALONG_ROWS, ALONG_COLUMNS, ALONG_BOTH };
enum { PACKING_ROWS, PACKING_COLUMNS, PACKING_TRANSPOSED };
enum { ORDER_LOW, ORDER_HIGH, ORDER_REVERSED, ORDER_AWQ, ORDER_HALVES };
enum {
    SCALE_E4M3,
    SCALE_UNSIGNED,
    SCALE_E8M0,
    SCALE_E8M0_TWICE,
    SCALE_E8M0_HALF,
    SCALE_E5M2,
    SCALE_FNUZ,
    SCALE_INTEGER,
    SCALE_LEFT_OUT,
    SCALE_SUBNORMAL,
    SCALE_FLOAT, /* from here on: of more than one byte */
    SCALE_FLOAT_INVERTED,
    SCALE_FLOAT_LEFT_OUT,
    SCALE_UP, /* of bytes, too: powers of two to which others were rounded, after the codes */
    SCALE_DOWN,
    SCALE_EITHER,
    SCALE_LEAKED /* numbers of f32 that were packed by four without their mantissas cut off */
};
enum { G_GIVEN, G_INVERTED, G_TWICE, G_NONE, G_FOLDED, G_TIMES6, G_OVER6, G_FREE };
enum { OVERFLOW_NONE, OVERFLOW_LOST, OVERFLOW_CLIPPED };
enum { PLACE_LINEAR, PLACE_PADDED, PLACE_128X4, PLACE_8X4, PLACE_4TOKEN, PLACE_WORDS = 9 };

/* ---- readings -------------------------------------------------------------------------------- */

typedef struct layout_reading {
    uint8_t at[AXES];
    float factor; /* with G_FREE: each value is this factor times what the given g reads */
} layout_reading;

/* Whether they have the same value on each axis. */
int layout_same(const layout_reading *a, const layout_reading *b);

/* Elements along a block; its rows and columns; the matrix of scales as elements need it, and as it
 * is stored. */
size_t layout_block(const layout_data *d, const layout_reading *h);
void layout_sides(const layout_data *d, const layout_reading *h, size_t sides[2]);
void layout_grid(const layout_data *d, const layout_reading *h, size_t grid[2]);
void layout_stored(const layout_data *d, const layout_reading *h, size_t stored[2]);
/* Whether there is such a reading of these files: their sizes and the matrix's allow it. */
int layout_fits(const layout_data *d, const layout_reading *h);
/* How many bytes the scales take, padding included. */
size_t layout_scale_bytes(const layout_data *d, const layout_reading *h);
/* The index of a code in the file, counted in codes; the scales in order of the grid. */
size_t layout_code_index(const layout_data *d, const layout_reading *h, size_t row, size_t column);
uint32_t *layout_scales(const layout_data *d, const layout_reading *h);
/* Whether the scales were rounded after the codes were computed. Then the codes belong to the
 * largest magnitude of a block over that of the elements, as f32: layout_unround puts that in the
 * place of each scale that is a rounding of it, and 0 in that of the others. */
int layout_is_rounded(int scale);
float *layout_amax(const layout_data *d, const layout_reading *h);
void layout_unround(const layout_data *d, const layout_reading *h, const float *amax,
                    uint32_t *scales);
unsigned layout_code(const layout_data *d, size_t index);
/* The reading with what does not move codes (scales) made plain: equal ones move them alike. */
layout_reading layout_code_part(const layout_reading *h);
layout_reading layout_scale_part(const layout_reading *h);
/* And with what only moves them made plain. */
layout_reading layout_meaning_part(const layout_reading *h);

/* An element that was rounded in a narrower format, or by an approximate factor, is off by a bit:
 * by this share of its limits. */
#define LAYOUT_SLACK 0.01f

/* ---- meanings -------------------------------------------------------------------------------- */

/* What codes and scales are, under a reading. A code of magnitude value[c] stands for what lies in
 * [low, high] times the scale; for the largest one that is [low, high] times top. */
enum { LOST_NAN = 1, LOST_PLUS, LOST_MINUS };

typedef struct layout_meaning {
    float value[256], low[256], high[256];
    int is_top[256], lost[256]; /* lost: NaN or infinity, as after an overflow */
    float largest, over;        /* the largest magnitude; what rounds to one beyond it */
    int overflow;               /* what explains values beyond, of AXIS_OVERFLOW */
    float scale[256], least[256], most[256], top[256];
    int scale_kind;
    float g; /* factor of scales of more than a byte */
} layout_meaning;

void layout_meaning_of(const layout_data *d, const layout_reading *h, layout_meaning *m);
/* From how many times the scale on a value is beyond the largest code, as the reading's overflow
 * has it. */
float layout_over(const layout_meaning *m);
/* What a scale of more than one byte stands for; 0 for NaN and infinity. */
float layout_float_scale(const layout_meaning *m, uint32_t word);
/* The format of a scale, and, for a byte, the byte as this format has it. */
sf8_format layout_scale_format(int scale, int *offset);
/* g as a reading has it, and what codes times scales are multiplied by. */
float layout_g(const layout_data *d, const layout_reading *h);
float layout_decode(const layout_data *d, const layout_reading *h);

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct layout_score {
    uint64_t counted;   /* elements that are not 0 by the values and by the reading */
    uint64_t explained; /* of these */
    uint64_t beyond;    /* of these: by AXIS_OVERFLOW alone */
    uint64_t fits;      /* of these: would be explained if the largest code stood there */
    double xx, xy, yy;  /* sums of products of the values x and the read ones y */
} layout_score;

typedef struct layout_found {
    layout_reading reading, plain; /* plain: the family's that it is nearest to */
    int cost;                      /* in tenths of a change */
    layout_score score;
    /* of the elements that are not as the first reading has them: how many are explained by the
     * first, by this one */
    uint64_t differ, by_first, by_this;
} layout_found;

/* ---- which recipe ---------------------------------------------------------------------------- */

typedef struct layout_recipe {
    const char *name;
    uint64_t codes, scales; /* that differ */
    uint64_t own_codes; /* codes that differ from those by the recipe for the scales as stored */
    int folded;         /* g is in the scales */
} layout_recipe;

typedef struct layout_recipes {
    layout_recipe list[64]; /* more than there are recipes */
    size_t count;
    size_t rows, all;        /* how many rows were compared, and how many there are */
    size_t elements, scales; /* of these rows */
    int is_exact; /* the expected one, or the nearest, gives every code and scale of all rows */
} layout_recipes;

/* The recipes that have such blocks, nearest first; if `only` is not NULL, that one alone. */
layout_recipes layout_recipes_of(const layout_data *d, const layout_reading *h,
                                 const sf8_recipe_row *only);
/* That of the expected recipe, or NULL. */
const layout_recipe *layout_expected(const layout_data *d, const layout_recipes *recipes);

/* The global scale near an estimate, at most 1 % away, with which the recipe gives every code and
 * scale that are read so: its own rule for these values, the given one times or over a whole
 * number, or a number of few digits or bits. 0 if none of these does. */
float layout_exact_g(const layout_data *d, const layout_reading *h, const sf8_recipe_row *row,
                     float estimate);

/* ---- the result ------------------------------------------------------------------------------ */

enum {
    LAYOUT_EXPECTED,   /* the first of the list is plain, and explains every element */
    LAYOUT_MISMATCH,   /* the first is another one, and explains every element */
    LAYOUT_PARTLY,     /* the first is plain, and explains all but a few */
    LAYOUT_UNEXPLAINED /* the first is only the nearest */
};

typedef struct layout_result {
    layout_found *list; /* best first */
    size_t count, tried;
    size_t wrong; /* values that are NaN or infinite, which are not counted */
    int verdict;
    int is_complete; /* the time was not up before all was scored */
    int has_plain;   /* a plain reading fits the files */
    layout_found plain;
    /* Of the first, if it explains almost all; else the expected recipe with the plain reading. */
    layout_recipes recipes;
    /* What to give as g so that the first reading needs no other: verified with the value as it is
     * printed. 0 if g is not the mistake, or if no value is right. */
    double g;
    int g_is_exact; /* the recipe gives every code and scale with it */
} layout_result;

enum { LAYOUT_FAMILIES = 4, LAYOUT_KEPT = 32 };

/* The plain readings that may be meant: that of the recipe; or, without one, nvfp4, mxfp4 and
 * kvfp4, or two of mxfp8 and one of blocks of 128, or with scales of more than a byte e4m3 in
 * squares and groups of 128, in rows and as a whole. `place` is that of the scales. */
size_t layout_families(const layout_data *d, int place, layout_reading list[LAYOUT_FAMILIES]);
/* The best of all widths of a scale, or of `width` if that is not 0, which d has then; 0 readings
 * if none fits. place: of the scales, that is expected. quick: single changes only, on a sample. */
layout_result layout_search(layout_data *d, int place, size_t width, int quick);
/* Whether the recipe has such codes, scales and blocks. */
int layout_has_recipe(const sf8_recipe_row *row);

double layout_share(const layout_score *s);
double layout_cosine(const layout_score *s);
double layout_l2(const layout_score *s);

#endif
