/* SPDX-License-Identifier: MIT */
/* softfp8_dpi.c -- functions of softfp8 for SystemVerilog, by DPI-C; softfp8_dpi.svh describes them
 *
 * It compiles as C11 and as C++17, since some simulators hand every source to a C++ compiler.
 */
#include <softfp8.h>
#include <softfp8_blocks.h>
#include <softfp8_mma.h>
#include <softfp8_vectors.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <svdpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What SystemVerilog calls. A declaration of its own, since not every simulator writes a header. */
void *softfp8_function(const char *name, const char *policy);
unsigned long long softfp8_call(void *f, unsigned long long a, unsigned long long b,
                                unsigned long long c, unsigned random, unsigned *flags);
void *softfp8_recipe(const char *name);
unsigned softfp8_quantize(void *recipe, unsigned g, const svOpenArrayHandle values,
                          const svOpenArrayHandle codes, const svOpenArrayHandle scales);
void *softfp8_unit(const char *name, const char *a, const char *b, const char *out);
unsigned softfp8_dot(void *unit, const svOpenArrayHandle a, const svOpenArrayHandle b,
                     const svOpenArrayHandle scale_a, const svOpenArrayHandle scale_b, unsigned c);

typedef struct function {
    sf8_function function;
    sf8_policy policy;
} function;

static void *refuse(const char *what, const char *name)
{
    fprintf(stderr, "softfp8: '%s': expected %s\n", name, what);
    return NULL;
}

static void *reserve(size_t size)
{
    void *memory = calloc(size ? size : 1, 1);
    if (!memory) {
        fprintf(stderr, "softfp8: out of memory\n");
        abort();
    }
    return memory;
}

static void *keep(const void *object, size_t size)
{
    return memcpy(reserve(size), object, size);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The next word of a text, separated by blanks; 0 at its end, or if the word has no room. */
static int next_word(const char **text, char *word, size_t room)
{
    *text += strspn(*text, " ");
    size_t length = strcspn(*text, " ");
    if (length == 0 || length >= room)
        return 0;
    memcpy(word, *text, length);
    word[length] = 0;
    *text += length;
    return 1;
}

/* "ocp", or "ocp round=rz overflow=special" */
static int read_policy(sf8_policy *policy, const char *text)
{
    char word[64];
    sf8_status status = SF8_UNKNOWN_NAME;
    if (next_word(&text, word, sizeof word))
        *policy = sf8_policy_named(word, &status);
    while (status == SF8_OK && next_word(&text, word, sizeof word)) {
        char *equals = strchr(word, '=');
        if (!equals)
            return 0;
        *equals = 0;
        status = sf8_policy_set(policy, word, equals + 1);
    }
    return status == SF8_OK && *text == 0;
}

void *softfp8_function(const char *name, const char *policy)
{
    function f;
    if (sf8_function_named(name, &f.function) != SF8_OK)
        return refuse("a function of 'softfp8 gen -list', such as f32_to_e4m3", name);
    if (!read_policy(&f.policy, policy))
        return refuse("a policy of 'softfp8 policies', and fields, such as ocp round=rz", policy);
    return keep(&f, sizeof f);
}

unsigned long long softfp8_call(void *f, unsigned long long a, unsigned long long b,
                                unsigned long long c, unsigned random, unsigned *flags)
{
    const uint64_t operands[3] = {a, b, c};
    const function *one = (const function *)f;
    *flags = 0;
    if (!one)
        return ~0ULL;
    sf8_result z = sf8_function_call(&one->function, operands, one->policy, random, 0);
    *flags = z.flags;
    return z.code;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* The i-th element from the left. */
static uint32_t *element(const svOpenArrayHandle array, size_t i)
{
    int step = svLeft(array, 1) <= svRight(array, 1) ? 1 : -1;
    return (uint32_t *)svGetArrElemPtr1(array, svLeft(array, 1) + step * (int)i);
}

static size_t size_of(const svOpenArrayHandle array)
{
    return (size_t)svSize(array, 1);
}

/* Copies n elements of an array, in `bytes` bytes each: 1, 2 or 4. */
static void *copy_in(const svOpenArrayHandle array, size_t n, size_t bytes)
{
    unsigned char *copy = (unsigned char *)reserve(n * bytes);
    for (size_t i = 0; i < n; i++) {
        uint32_t value = *element(array, i);
        uint16_t half = (uint16_t)value;
        uint8_t byte = (uint8_t)value;
        const void *from = bytes == 4 ? (const void *)&value : bytes == 2 ? (const void *)&half : &byte;
        memcpy(copy + i * bytes, from, bytes);
    }
    return copy;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void *softfp8_recipe(const char *name)
{
    sf8_recipe recipe;
    if (sf8_recipe_named(&recipe, name) != SF8_OK)
        return refuse("a recipe of 'softfp8 recipes', such as nvfp4-te", name);
    return keep(&recipe, sizeof recipe);
}

unsigned softfp8_quantize(void *recipe, unsigned g, const svOpenArrayHandle values,
                          const svOpenArrayHandle codes, const svOpenArrayHandle scales)
{
    const sf8_recipe *r = (const sf8_recipe *)recipe;
    size_t n = size_of(values), blocks = r ? sf8_recipe_blocks(r, n) : 0;
    if (!r || r->offset_at == SF8_OFFSET_WORD || size_of(codes) < n || size_of(scales) < blocks)
        return 0;
    float second = sf8_f32_from_bits(g);
    float *from = (float *)copy_in(values, n, 4);
    uint8_t *to = (uint8_t *)reserve(n);
    uint32_t *scale = (uint32_t *)reserve(blocks * sizeof *scale);
    sf8_status status = sf8_quantize_n(r, to, scale, NULL, sf8_f32_format(), from, 1, n, second);
    for (size_t i = 0; status == SF8_OK && i < n; i++)
        *element(codes, i) = to[i];
    for (size_t i = 0; status == SF8_OK && i < blocks; i++)
        *element(scales, i) = scale[i];
    free(from);
    free(to);
    free(scale);
    return status == SF8_OK;
}

/* ---- matrix units ---------------------------------------------------------------------------- */

void *softfp8_unit(const char *name, const char *a, const char *b, const char *out)
{
    sf8_mma unit;
    const char *const names[3] = {a, b, out};
    sf8_format formats[3];
    for (int i = 0; i < 3; i++) {
        sf8_status status;
        formats[i] = sf8_format_named(names[i], &status);
        if (status != SF8_OK)
            return refuse("a format of 'softfp8 formats', such as e4m3", names[i]);
    }
    if (sf8_mma_named(&unit, name, formats[0], formats[1], formats[2]) != SF8_OK)
        return refuse("a unit of 'softfp8 mma --list', with formats that it takes", name);
    return keep(&unit, sizeof unit);
}

static size_t bytes_of(sf8_format f)
{
    int bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

/* More products than one instruction has are whole instructions; groups are whole too. */
static int takes_length(const sf8_mma *u, size_t k)
{
    size_t whole = k > (size_t)u->k ? (size_t)u->k : u->group ? (size_t)u->group : 1;
    return k % whole == 0;
}

unsigned softfp8_dot(void *unit, const svOpenArrayHandle a, const svOpenArrayHandle b,
                     const svOpenArrayHandle scale_a, const svOpenArrayHandle scale_b, unsigned c)
{
    const sf8_mma *u = (const sf8_mma *)unit;
    size_t k = size_of(a);
    size_t block = u ? (size_t)u->scale_block : 0;
    size_t scales = block ? (k + block - 1) / block : 0;
    if (!u || size_of(b) != k || size_of(scale_a) < scales || size_of(scale_b) < scales ||
        !takes_length(u, k)) {
        refuse("a unit, and arrays of a length that it takes", "softfp8_dot");
        return ~0U;
    }
    void *x = copy_in(a, k, bytes_of(u->a)), *y = copy_in(b, k, bytes_of(u->b));
    uint8_t *sx = (uint8_t *)copy_in(scale_a, scales, 1);
    uint8_t *sy = (uint8_t *)copy_in(scale_b, scales, 1);
    uint32_t d = sf8_mma_dot(u, x, y, sx, sy, k, c);
    free(x);
    free(y);
    free(sx);
    free(sy);
    return d;
}

#ifdef __cplusplus
}
#endif
