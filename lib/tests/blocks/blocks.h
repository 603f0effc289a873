/* SPDX-License-Identifier: MIT */
/* blocks.h -- what the tests of recipes share: one block, quantized and read back */
#ifndef SF8_TEST_BLOCKS_H
#define SF8_TEST_BLOCKS_H

#include "check.h"
#include "softfp8_blocks.h"

enum { BLOCK_MOST = 64 };

typedef struct made {
    size_t n;
    uint8_t code[BLOCK_MOST];
    uint32_t scale, offset, value[BLOCK_MOST];
} made;

static inline sf8_recipe recipe_of(const char *name)
{
    sf8_recipe r;
    cr_assert(sf8_recipe_named(&r, name) == SF8_OK, "no recipe %s", name);
    return r;
}

static inline made make_at(const char *level, const sf8_recipe *r, sf8_format from, const void *x,
                           size_t n, float g)
{
    made m;
    memset(&m, 0, sizeof m);
    m.n = n;
    cr_assert(sf8_quantize_n_at(level, r, m.code, &m.scale, &m.offset, from, x, 1, n, g) == SF8_OK);
    cr_assert(sf8_dequantize_n_at(level, r, SF8_F32, m.value, m.code, &m.scale, &m.offset, 1, n,
                                  g) == SF8_OK);
    return m;
}

/* One row that is one block of n elements, and its values as f32: by the core, and on every level
 * the same. */
static inline made make(const sf8_recipe *r, sf8_format from, const void *x, size_t n, float g)
{
    cr_assert(n <= BLOCK_MOST && sf8_recipe_blocks(r, n) == 1);
    made m = make_at("core", r, from, x, n, g);
    for (size_t i = 0; sf8_simd_at(i); i++) {
        made other = make_at(sf8_simd_at(i), r, from, x, n, g);
        EXPECT(memcmp(&m, &other, sizeof m) == 0, "%s is not as the core", sf8_simd_at(i));
    }
    return m;
}

static inline made made_of(const char *name, const float *x, size_t n, float g)
{
    sf8_recipe r = recipe_of(name);
    return make(&r, SF8_F32, x, n, g);
}

/* The codes as hexadecimal text, one or two digits each. */
static inline const char *codes_text(const made *m, int digits, char text[2 * BLOCK_MOST + 1])
{
    for (size_t i = 0; i < m->n; i++)
        snprintf(text + (size_t)digits * i, 3, "%0*x", digits, m->code[i]);
    return text;
}

#define EXPECT_BLOCK(m, digits, want_scale, want_codes)                                            \
    do {                                                                                           \
        made made_ = (m);                                                                          \
        char text_[2 * BLOCK_MOST + 1];                                                            \
        codes_text(&made_, digits, text_);                                                         \
        EXPECT(made_.scale == (want_scale) && strcmp(text_, want_codes) == 0,                      \
               "line %d: scale %x codes %s, not %x %s", __LINE__, made_.scale, text_,              \
               (uint32_t)(want_scale), want_codes);                                                \
    } while (0)

#endif
