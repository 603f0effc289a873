/* SPDX-License-Identifier: MIT */
/* test_block_levels.c -- matrices of blocks on each level, compared with the core block by block
 *
 * Codes (packed too), scales, offsets and values are compared for all recipes and some made up
 * here, for matrices of many shapes, three formats of the tensor and several kinds of data. So is
 * each operation of programs on pairs of f32 values, also with the processor set to another
 * rounding and to flushing.
 */
#include "check.h"
#include "random.h"
#include "softfp8_blocks.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { MOST = 4500, GUARD = 64 };

static size_t failures;

static int failed(void)
{
    return ++failures <= 20;
}

static void need(int is, const char *what)
{
    cr_assert(is, "%s", what);
}

static float as_float(uint32_t word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

/* ---- by the core ----------------------------------------------------------------------------- */

typedef struct matrix {
    const char *name;
    const sf8_recipe *general; /* what the library is called with */
    sf8_recipe recipe;         /* what the core is: for this tensor */
    sf8_format tensor;
    size_t rows, columns;
    uint32_t g;
    uint32_t x[MOST], value[MOST], scale[MOST], offset[MOST]; /* x and values as f32 */
    uint8_t code[MOST];
} matrix;

/* The numbers for x in the tensor, in memory; `from` may be f16 or bf16. */
static size_t width_of(sf8_format f)
{
    return (size_t)sf8_format_bits(f) / 8;
}

static void to_tensor(const matrix *m, unsigned char *at, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t word = x[i];
        uint16_t half = (uint16_t)(m->tensor.exp_bits == 8 ? word >> 16 : word >> 16 ^ word);
        if (width_of(m->tensor) == 4)
            memcpy(at + 4 * i, &word, 4);
        else
            memcpy(at + 2 * i, &half, 2);
    }
}

static uint32_t from_tensor(const matrix *m, const unsigned char *at, size_t i)
{
    uint32_t word;
    uint16_t half;
    if (width_of(m->tensor) == 4) {
        memcpy(&word, at + 4 * i, 4);
        return word;
    }
    memcpy(&half, at + 2 * i, 2);
    return m->tensor.exp_bits == 8
               ? (uint32_t)half << 16
               : (uint32_t)sf8_core_convert(SF8_F32, SF8_F16, half, SF8_OCP_NOSAT, 0).code;
}

static void core_block(matrix *m, const unsigned char *src, size_t first, size_t n, size_t at)
{
    sf8_block b;
    sf8_block_begin(&b, m->g);
    for (size_t i = 0; i < n; i++)
        sf8_block_take(&m->recipe, &b, from_tensor(m, src, first + i), i == 0);
    sf8_block_scale(&m->recipe, &b);
    for (size_t i = 0; i < n; i++)
        m->code[first + i] = (uint8_t)sf8_block_code(&m->recipe, &b,
                                                     from_tensor(m, src, first + i));
    m->scale[at] = b.scale;
    m->offset[at] = b.offset;
}

static void core_values(matrix *m, size_t first, size_t n, size_t at)
{
    sf8_block b;
    sf8_block_read(&m->recipe, &b, m->scale[at], m->offset[at], m->g);
    for (size_t i = first; i < first + n; i++) {
        uint32_t word = sf8_block_value(&m->recipe, &b, m->code[i]);
        m->value[i] =
            width_of(m->tensor) == 4
                ? word
                : (uint32_t)sf8_core_convert(m->tensor, SF8_F32, word, SF8_OCP_NOSAT, 0).code;
    }
}

/* Calls `each` for every block of the matrix. */
static size_t by_the_core(matrix *m, const unsigned char *src)
{
    size_t block = m->recipe.block ? (size_t)m->recipe.block : m->columns, at = 0;
    for (size_t row = 0; row < m->rows; row++)
        for (size_t column = 0; column < m->columns; column += block, at++) {
            size_t n = m->columns - column < block ? m->columns - column : block;
            if (src)
                core_block(m, src, row * m->columns + column, n, at);
            core_values(m, row * m->columns + column, n, at);
        }
    return at;
}

/* ---- compared with the library's ------------------------------------------------------------- */

static void compare(const matrix *m, const char *level, const char *what, const void *got,
                    const void *want, size_t n)
{
    unsigned char after[GUARD];
    memset(after, 0xa5, sizeof after);
    if (memcmp(got, want, n) != 0 && failed())
        printf("%s, %s, %zu x %zu, %d bits: %s differ\n", m->name, level, m->rows, m->columns,
               sf8_format_bits(m->tensor), what);
    if (memcmp((const unsigned char *)got + n, after, GUARD) != 0 && failed())
        printf("%s, %s, %zu x %zu: %s beyond the end\n", m->name, level, m->rows, m->columns, what);
}

static void check_quantized(const matrix *m, const char *level, const void *src, size_t blocks)
{
    static unsigned char codes[MOST + GUARD];
    static uint32_t scales[MOST + GUARD / 4], offsets[MOST + GUARD / 4];
    size_t n = m->rows * m->columns;
    memset(codes, 0xa5, sizeof codes);
    memset(scales, 0xa5, sizeof scales);
    memset(offsets, 0xa5, sizeof offsets);
    need(sf8_quantize_n_at(level, m->general, codes, scales, offsets, m->tensor, src, m->rows,
                           m->columns, as_float(m->g)) == SF8_OK,
         "quantize");
    compare(m, level, "codes", codes, m->code, n);
    compare(m, level, "scales", scales, m->scale, 4 * blocks);
    if (m->recipe.offset_at == SF8_OFFSET_WORD)
        compare(m, level, "offsets", offsets, m->offset, 4 * blocks);
}

static void compare_values(const matrix *m, const char *level, const char *what,
                           const unsigned char *values)
{
    static uint16_t halves[MOST];
    size_t n = m->rows * m->columns;
    for (size_t i = 0; i < n; i++)
        halves[i] = (uint16_t)m->value[i];
    if (width_of(m->tensor) == 4)
        compare(m, level, what, values, m->value, 4 * n);
    else
        compare(m, level, what, values, halves, 2 * n);
}

static void check_values(const matrix *m, const char *level, size_t off)
{
    static unsigned char values[4 * MOST + GUARD + 4];
    memset(values, 0xa5, sizeof values);
    need(sf8_dequantize_n_at(level, m->general, m->tensor, values + off, m->code, m->scale,
                             m->offset, m->rows, m->columns, as_float(m->g)) == SF8_OK,
         "dequantize");
    compare_values(m, level, "values", values + off);
}

/* Which code of its row is packed where: by nibbles=half the first half of a block in low halves of
 * bytes, the second in high ones. */
static size_t packed_at(const sf8_recipe *r, size_t column)
{
    size_t half = (size_t)r->block / 2, in_block = r->block ? column % (size_t)r->block : 0;
    if (r->nibbles != SF8_NIBBLES_HALF)
        return column;
    return column - in_block + in_block % half * 2 + in_block / half;
}

/* Bit j of code i of a row is bit i * bits + j of the row's bytes. */
static size_t pack_rows(const matrix *m, unsigned char *packed)
{
    size_t bits = sf8_recipe_bits(&m->recipe), bytes = (m->columns * bits + 7) / 8;
    memset(packed, 0, m->rows * bytes);
    for (size_t i = 0; i < m->rows * m->columns; i++)
        for (size_t j = 0; j < bits; j++) {
            size_t at = packed_at(&m->recipe, i % m->columns) * bits + j;
            packed[i / m->columns * bytes + at / 8] |= (unsigned char)((m->code[i] >> j & 1)
                                                                       << at % 8);
        }
    return m->rows * bytes;
}

/* `src`: NULL to read back alone. */
static void check_packed(const matrix *m, const char *level, const void *src, size_t blocks)
{
    static unsigned char want[MOST], packed[MOST + GUARD], values[4 * MOST + GUARD];
    static uint8_t want_scales[MOST], scales[MOST + GUARD];
    size_t size = pack_rows(m, want);
    memset(packed, 0xa5, sizeof packed);
    memset(scales, 0xa5, sizeof scales);
    memset(values, 0xa5, sizeof values);
    for (size_t i = 0; i < blocks; i++)
        want_scales[i] = (uint8_t)m->scale[i];
    if (src) {
        need(sf8_quantize_packed_n_at(level, m->general, packed, scales, m->tensor, src, m->rows,
                                      m->columns, as_float(m->g)) == SF8_OK,
             "quantize packed");
        compare(m, level, "packed codes", packed, want, size);
        compare(m, level, "scales of a byte", scales, want_scales, blocks);
    }
    need(sf8_dequantize_packed_n_at(level, m->general, m->tensor, values, want, want_scales,
                                    m->rows, m->columns, as_float(m->g)) == SF8_OK,
         "dequantize packed");
    compare_values(m, level, "values of packed codes", values);
}

static int can_pack(const matrix *m)
{
    const sf8_recipe *r = &m->recipe;
    if (r->nibbles == SF8_NIBBLES_HALF && m->columns % (size_t)r->block != 0)
        return 0;
    return sf8_format_bits(r->scale) <= 8 && r->offset_at == SF8_OFFSET_NONE;
}

/* `turn` says where in memory the tensor lies, and how the processor computes. */
static void check_matrix(matrix *m, unsigned turn)
{
    static unsigned char room[4 * MOST + 8];
    unsigned char *src = room + (turn % 4 == 3 ? turn / 4 % 4 : 0);
    size_t n = m->rows * m->columns;
    to_tensor(m, src, m->x, n);
    size_t blocks = by_the_core(m, src);
    check_quantized(m, "core", src, blocks);
    check_values(m, "core", 0);
    if (can_pack(m))
        check_packed(m, "core", src, blocks);
    for (size_t i = 0; sf8_simd_at(i); i++) {
#if defined(__x86_64__)
        static const unsigned int ways[] = {0x1f80, 0x9fc0, 0x3f80, 0x5f80, 0x7f80, 0xffc0};
        unsigned int before = _mm_getcsr(), way = ways[turn % COUNT(ways)];
        _mm_setcsr(way);
#endif
        check_quantized(m, sf8_simd_at(i), src, blocks);
        check_values(m, sf8_simd_at(i), turn % 3);
        if (can_pack(m))
            check_packed(m, sf8_simd_at(i), src, blocks);
#if defined(__x86_64__)
        if (_mm_getcsr() != way && failed())
            printf("%s: MXCSR is left as %x, not %x\n", sf8_simd_at(i), _mm_getcsr(), way);
        _mm_setcsr(before);
#endif
    }
    for (size_t i = 0; i < n; i++) /* any codes, scales, offsets */
        m->code[i] = (uint8_t)pseudo_random();
    for (size_t i = 0; i < blocks; i++) {
        m->scale[i] = pseudo_random() >> (turn & 1 ? 0 : 24);
        m->offset[i] = pseudo_random();
    }
    (void)by_the_core(m, NULL);
    for (size_t i = 0; sf8_simd_at(i); i++)
        check_values(m, sf8_simd_at(i), 0);
    for (size_t i = 0; i < blocks; i++)
        m->scale[i] &= 255;
    for (size_t i = 0; i < n; i++)
        m->code[i] &= (uint8_t)((2u << (sf8_recipe_bits(&m->recipe) - 1)) - 1);
    (void)by_the_core(m, NULL);
    for (size_t i = 0; can_pack(m) && sf8_simd_at(i); i++)
        check_packed(m, sf8_simd_at(i), NULL, blocks);
}

/* ---- what is in a matrix --------------------------------------------------------------------- */

static const uint32_t words[] = {
    0,          0x80000000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x7f800000, 0xff800000,
    0x7f7fffff, 0xff7fffff, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x3f800000,
    0xbf800000, 0x3f000000, 0xbf000000, 0x3effffff, 0x3fc00000, 0x40200000, 0x4b000000, 0x4affffff,
    0x4a7fffff, 0x4a800000, 0xcb000001, 0x42fe0000, 0x43000000, 0x4300ffff, 0xc3160000, 0xc3150000,
    0xc3158000, 0xc2fc0000, 0xc2ff0000, 0x477fefff, 0x477ff000, 0x387fffff, 0x38800000, 0x33000000,
    0x33000001, 0x337fffff, 0x3f7fffff, 0x3f807fff, 0x3f808000, 0x3f808001, 0x3f80f000, 0x3f801000,
    0x7effffff, 0x7f000000, 0x00400000, 0x80200000, 0x3eaaaaab, 0xc0c00000,
};

/* near 2^e, e falling off below */
static uint32_t ordinary(int e)
{
    uint32_t r = pseudo_random();
    while (e > -126 && pseudo_random() >> 31)
        e--;
    return (r & 0x807fffffu) | (uint32_t)(e + 127) << 23;
}

static void fill(matrix *m, unsigned kind)
{
    int e = (int)(pseudo_random() % 250) - 125;
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        uint32_t r = pseudo_random();
        switch (kind % 7) {
        case 0:
            m->x[i] = ordinary(1);
            break;
        case 1:
            m->x[i] = r;
            break;
        case 2:
            m->x[i] = words[r % COUNT(words)];
            break;
        case 3:
            m->x[i] = r & 0x80000000u;
            break;
        case 4:
            m->x[i] = r % 40 ? ordinary(e) : words[r / 40 % COUNT(words)];
            break;
        case 5: /* not negative, often zero */
            m->x[i] = r >> 31 ? r & 0x7fffffffu & ordinary(3) : r << 31;
            break;
        default:
            m->x[i] = r % 3 ? 0x7fc00000u | r : ordinary(e);
            break;
        }
    }
}

static const struct {
    unsigned short rows, columns;
} shapes[] = {{1, 1},   {2, 15},   {3, 16},   {5, 17},   {4, 32},  {3, 33}, {2, 100}, {3, 256},
              {2, 600}, {1, 2048}, {1, 4499}, {2, 2112}, {9, 500}, {0, 3},  {3, 0}};

static void check_recipe(const char *name, const sf8_recipe *r)
{
    static matrix m;
    sf8_recipe own;
    static const uint32_t g[] = {0x43e00000, 0x3f800000, 0x3b124925, 0x00012345,
                                 0x7f800000, 0,          0x7fc00000, 0x00600000};
    unsigned turn = 0;
    m.name = name;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (unsigned kind = 0; kind < 7; kind++, turn++) {
            m.rows = shapes[k].rows;
            m.columns = shapes[k].columns;
            m.tensor = turn % 5 == 1 ? SF8_BF16 : turn % 5 == 3 ? SF8_F16 : SF8_F32;
            m.general = r;
            m.recipe = *sf8_recipe_for(r, m.tensor, &own);
            m.g = g[turn % 3 ? 0 : turn / 3 % COUNT(g)];
            fill(&m, kind);
            check_matrix(&m, turn);
        }
}

/* ---- recipes --------------------------------------------------------------------------------- */

/* Blocks that divide no register, elements without a plan, operations that programs seldom have. */
#define ROW(...)                                                                                   \
    {                                                                                              \
        .name = __VA_ARGS__                                                                        \
    }
static const sf8_recipe_row made_up[] = {
    ROW("blocks of 1", "e4m3", "ocp-nosat", "", 1, "f32", "ocp-nosat", "", "amax", "", "", "x s /",
        "e s *", ""),
    ROW("blocks of 3", "e5m2", "ocp-nosat", "nan_code=payload nan_sign=sign-bit", 3, "bf16",
        "ocp-nosat", "", "amax 3 max", "", "high low +", "x s / f min neg", "e s * neg", ""),
    ROW("NaN as it is", "e5m2", "ocp-nosat", "nan_code=payload nan_sign=sign-bit", 5, "f32",
        "ocp-nosat", "nan_code=payload nan_sign=sign-bit", "high neg", "low", "", "x", "e o *",
        "offset=f32"),
    ROW("NaN seen", "int8", "cuda-satfinite", "", 5, "f32", "ocp-nosat",
        "nan_code=payload nan_sign=sign-bit", "low", "high neg", "", "x", "e o *",
        "offset=f32 amax=nan"),
    ROW("integers of any size", "uint3", "ocp", "", 7, "f16", "ocp-nosat", "", "amax", "", "g",
        "x f *", "e g -", "g=encode"),
    ROW("integers by rz", "int5", "ocp", "round=rz", 32, "f32", "ocp-nosat", "", "amax 1 max", "",
        "", "x s / 15 *", "e 15 / s *", ""),
    ROW("rounded up", "e4m3", "ocp", "round=ru", 16, "e5m2", "ocp", "round=rd flush=both", "amax",
        "", "", "x s /", "e s *", "zero=38"),
    ROW("scale asked for too early", "e4m3", "ocp", "", 2, "f32", "ocp", "", "amax s +", "", "",
        "x s /", "e s *", ""),
    ROW("fnuz", "e4m3fnuz", "ocp-nosat", "", 48, "ue5m3", "ocp", "", "amax 240 /", "", "",
        "x s / amax - low + high o + e - -", "e s * amax + x + g +", ""),
    ROW("blocks of 3, packed", "e2m1", "ocp", "", 3, "e8m0", "ocp", "", "amax 4 /", "", "", "x s /",
        "e s *", ""),
    ROW("five bits", "uint5", "ocp", "", 64, "e4m3", "ocp", "", "amax 31 /", "", "", "x s / 0 max",
        "e s *", ""),
    ROW("infinite factors", "e2m1", "cuda-satfinite", "", 32, "e4m3", "ocp", "", "amax 6 /", "",
        "1 s /", "x f *", "e f *", "amax=nan"),
    ROW("infinite elements", "e5m2", "ocp-nosat", "", 64, "e4m3", "ocp", "", "amax 6 /", "", "",
        "x s 2 * /", "e s 2 * *", "amax=nan"),
    ROW("a NaN that is signed", "e4m3", "ocp-nosat", "nan_sign=sign-bit", 16, "e8m0", "ocp", "",
        "amax", "", "", "x s /", "e s *", ""),
    ROW("quotients, of -0 too", "e2m1", "cuda-satfinite", "", 16, "e8m0", "ocp", "", "amax 6 /", "",
        "s neg", "x f / 0 +", "e f * 0 +", ""),
    ROW("subnormal factors", "e4m3", "cuda-satfinite", "", 32, "e4m3", "ocp", "", "amax g *", "",
        "", "x g *", "e g *", "g=encode"),
    ROW("clamped as it saturates", "e5m2", "ocp", "", 32, "e4m3", "ocp", "", "amax g /", "", "",
        "x s / -57344 nmax 57344 nmin", "e s *", "g=encode"),
    ROW("clamped more", "e2m1", "cuda-satfinite", "", 16, "e4m3", "ocp", "", "amax 8 /", "", "",
        "x s / -4 nmax 4 nmin", "e s *", ""),
    ROW("clamped, NaN beyond", "e4m3", "ocp-nosat", "", 16, "e8m0", "ocp", "", "amax 1024 /", "",
        "", "x s / -448 nmax 448 nmin", "e s *", ""),
    ROW("clamped, up to infinity", "e5m2", "ocp-nosat", "round=rz", 16, "e8m0", "ocp", "",
        "amax g /", "", "", "x s / -57344 nmax 57344 nmin", "e s *", "g=encode"),
    ROW("clamped to one side", "e2m1", "cuda-satfinite", "", 16, "e4m3", "ocp", "", "amax 3 /", "",
        "", "x s / 6 nmax 6 nmin", "e s *", ""),
    ROW("NaN is the largest number", "e5m2", "ocp-nosat", "nan=as-missing", 32, "e8m0", "ocp-nosat",
        "round=ru", "amax 1 57344 / *", "", "", "x s /", "e s *", "amax=nan"),
    ROW("the tensor's format", "e4m3", "ocp", "", 16, "f32", "ocp-nosat", "", "amax 3 / own", "",
        "s own", "x 3 / own f /", "e s * own 3 / own", ""),
    ROW("a product for f32 alone", "e2m1", "cuda-satfinite", "", 32, "e4m3", "ocp", "",
        "amax 6 / own", "", "", "x s / own", "e s * own", ""),
    ROW("the first peak", "int4", "ocp", "", 32, "f16", "ocp-nosat", "", "peak -8 /", "", "",
        "x s / 8 + half trunc 15 min 8 -", "e s *", ""),
    ROW("peak of a row, NaN seen", "int8", "ocp", "", 0, "f32", "ocp-nosat",
        "nan_code=payload nan_sign=sign-bit", "peak", "", "", "x s /", "e s *", "amax=nan"),
    ROW("peak of a row", "int8", "ocp", "", 0, "f32", "ocp-nosat",
        "nan_code=payload nan_sign=sign-bit", "peak low high + +", "", "", "x s /", "e peak *", ""),
    ROW("block of 3000", "e2m3", "ocp", "", 3000, "f32", "ocp-nosat", "", "low low high ifpos",
        "low", "high", "x f *", "e s * o +", "offset=bf16"),
};

/* One element a block: a program of value of any scale, offset and global scale. */
static void check_program(const char *text)
{
    static matrix m;
    sf8_recipe_row row = ROW(text, "e4m3", "ocp-nosat", "", 1, "f32", "ocp-nosat", "", "amax", "g",
                             "", "x", text, "offset=f32 g=encode");
    m.name = text;
    need(sf8_recipe_read(&m.recipe, &row) == SF8_OK, text);
    m.general = &m.recipe;
    m.tensor = SF8_F32;
    m.rows = 1;
    m.columns = MOST;
    for (unsigned turn = 0; turn < 4; turn++) {
        for (size_t i = 0; i < MOST; i++) {
            size_t pair = i % (COUNT(words) * COUNT(words));
            uint32_t r = pseudo_random();
            m.scale[i] = turn & 1 ? r : words[pair % COUNT(words)];
            m.offset[i] = turn & 2 ? m.scale[i] ^ (r & 0x01ffffffu) : words[pair / COUNT(words)];
            if (turn == 3) /* small integers and their neighbours */
                m.scale[i] = ordinary((int)(r % 12)) & (r >> 31 ? 0xffff0000u : 0xffffffffu);
        }
        m.g = words[pseudo_random() % COUNT(words)];
        (void)by_the_core(&m, NULL);
        for (size_t i = 0; sf8_simd_at(i); i++)
            check_values(&m, sf8_simd_at(i), 0);
    }
}

static void check_programs(void)
{
    static const char *const names[] = {
#define SF8_TERM(id, name, operands) name,
        SF8_PROGRAM_OPS(SF8_TERM)
#undef SF8_TERM
    };
    static const char *const operands[] = {"", "s", "s o", "s o g"};
    for (uint32_t i = 0; i < COUNT(names); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s %s", operands[sf8_term_operands(SF8_TERM_VARIABLE + 1 + i)],
                 names[i]);
        check_program(text);
    }
    check_program("o g s ifzero s o ifpos 2 *");
    check_program("1 2 3 4 5 s + + + + +");
}

/* ---- many blocks ----------------------------------------------------------------------------- */

/* With more blocks than a scale has codes, each code of 4 bits is looked up together with its
 * scale. Packed codes of each recipe for these, with any scales, in a tensor of f32. */
typedef struct many {
    size_t rows, columns, blocks; /* blocks of a row */
    uint8_t *packed, *scales;
    uint32_t *want, *got; /* `got` with one word more */
} many;

static void fill_many(many *m, const sf8_recipe *r, uint32_t g)
{
    size_t block = (size_t)r->block, bytes = (m->columns + 1) / 2;
    for (size_t i = 0; i < m->rows * bytes; i++)
        m->packed[i] = (uint8_t)pseudo_random();
    for (size_t i = 0; i < m->rows * m->blocks; i++)
        m->scales[i] = (uint8_t)pseudo_random();
    for (size_t row = 0; row < m->rows; row++)
        for (size_t i = 0; i < m->columns; i++) {
            sf8_block b;
            uint8_t byte = m->packed[row * bytes + i / 2];
            sf8_block_read(r, &b, m->scales[row * m->blocks + i / block], 0, g);
            m->want[row * m->columns + i] = sf8_block_value(r, &b, byte >> i % 2 * 4 & 15);
        }
}

static void check_many(const char *name, const sf8_recipe *r, size_t rows, size_t columns, float g)
{
    size_t blocks = sf8_recipe_blocks(r, columns), n = rows * columns;
    many m = {rows,
              columns,
              blocks,
              malloc(rows * ((columns + 1) / 2)),
              malloc(rows * blocks),
              malloc(4 * n),
              malloc(4 * n + 4)};
    need(m.packed && m.scales && m.want && m.got, "memory");
    fill_many(&m, r, sf8_f32_bits(g));
    for (size_t i = 0; sf8_simd_at(i); i++) {
        memset(m.got, 0x55, 4 * n + 4);
        need(sf8_dequantize_packed_n_at(sf8_simd_at(i), r, SF8_F32, m.got, m.packed, m.scales, rows,
                                        columns, g) == SF8_OK,
             "many blocks");
        EXPECT(memcmp(m.got, m.want, 4 * n) == 0, "%s, %s, %zu x %zu, g = %g", name, sf8_simd_at(i),
               rows, columns, (double)g);
        EXPECT(m.got[n] == 0x55555555, "%s, %s: beyond the end", name, sf8_simd_at(i));
    }
    free(m.packed);
    free(m.scales);
    free(m.want);
    free(m.got);
}

Test(block_levels, many_blocks)
{
    sf8_recipe r;
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        need(sf8_recipe_read(&r, row) == SF8_OK, row->name);
        if (sf8_recipe_bits(&r) != 4 || r.block < 16 || r.block > 32 || sf8_recipe_rows(&r) != 1 ||
            sf8_recipe_chooses(&r) || r.offset_at != SF8_OFFSET_NONE ||
            sf8_format_bits(r.scale) > 8 || r.nibbles == SF8_NIBBLES_HALF)
            continue;
        size_t block = (size_t)r.block;
        check_many(row->name, &r, 1, 600 * block, 448);
        check_many(row->name, &r, 40, 16 * block, 3e-39f);
        check_many(row->name, &r, 2, 520 * block + 11, 0.37f);
    }
}

Test(block_levels, refusals)
{
    sf8_recipe r;
    need(sf8_recipe_named(&r, "mxfp4-floor") == SF8_OK, "mxfp4-floor");
    need(sf8_quantize_n_at("none", &r, NULL, NULL, NULL, SF8_F32, NULL, 0, 0, 0) ==
                 SF8_UNKNOWN_NAME &&
             sf8_dequantize_n_at("none", &r, SF8_F32, NULL, NULL, NULL, NULL, 0, 0, 0) ==
                 SF8_UNKNOWN_NAME,
         "there is no such level");
    need(sf8_quantize_packed_n_at("none", &r, NULL, NULL, SF8_F32, NULL, 0, 0, 0) ==
                 SF8_UNKNOWN_NAME &&
             sf8_dequantize_packed_n_at("none", &r, SF8_F32, NULL, NULL, NULL, 0, 0, 0) ==
                 SF8_UNKNOWN_NAME,
         "there is no such level");
    need(sf8_quantize_packed_n(&r, NULL, NULL, SF8_F64, NULL, 0, 0, 0) == SF8_BAD_FORMAT,
         "a tensor of f64");
    need(sf8_recipe_named(&r, "kivi-int4") == SF8_OK &&
             sf8_quantize_packed_n(&r, NULL, NULL, SF8_F32, NULL, 0, 0, 0) == SF8_BAD_CALL &&
             sf8_dequantize_packed_n(&r, SF8_F32, NULL, NULL, NULL, 0, 0, 0) == SF8_BAD_CALL,
         "scales that are no bytes");
}

Test(block_levels, recipes)
{
    sf8_recipe r;
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i += one_in(7)) {
        need(sf8_recipe_read(&r, row) == SF8_OK, row->name);
        /* Blocks of several rows, and a choice between two scales: test_blocks_tiles.c. */
        if (sf8_recipe_rows(&r) == 1 && !sf8_recipe_chooses(&r))
            check_recipe(row->name, &r);
    }
    for (size_t i = 0; i < COUNT(made_up); i++) {
        need(sf8_recipe_read(&r, &made_up[i]) == SF8_OK, made_up[i].name);
        check_recipe(made_up[i].name, &r);
    }
    need(sf8_recipe_named(&r, "mxfp4-floor") == SF8_OK, "mxfp4-floor");
    r.element = sf8_format_row(2, 1, 1, SF8_NANS_NONE, 0, 1, 140);
    check_recipe("elements that are subnormal in f32", &r);
    EXPECT(failures == 0, "%zu differences", failures);
}

Test(block_levels, programs)
{
    check_programs();
    EXPECT(failures == 0, "%zu differences", failures);
}
