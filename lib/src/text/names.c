/* SPDX-License-Identifier: MIT */
/* names.c -- formats, policies and their fields by name */
#include "text/names.h"
#include "softfp8/number/hif8.h"
#include "softfp8/scalar.h"

#include <string.h>

typedef struct sf8_named_format {
    const char *name;
    sf8_format format;
} sf8_named_format;

#define SF8_ROW(name, e, m, s, nan, inf, zero, bias) {#name, {e, m, s, nan, inf, zero, bias}},
static const sf8_named_format sf8_formats[] = {SF8_NARROW_FORMATS(SF8_ROW)
                                                   SF8_WIDE_FORMATS(SF8_ROW)};
#undef SF8_ROW

const char *sf8_format_at(size_t i, sf8_format *format)
{
    if (i >= sizeof sf8_formats / sizeof sf8_formats[0])
        return NULL;
    if (format)
        *format = sf8_formats[i].format;
    return sf8_formats[i].name;
}

/* Names of the same formats in other projects. Each project's own name decides: MLIR's f8E4M3 is
 * the IEEE format. The command ignores the case of letters, so names that differ in it alone must
 * have one meaning. */
static const char *const sf8_format_aliases[][2] = {
    /* ml_dtypes, PyTorch and JAX */
    {"float8_e4m3fn", "e4m3"},
    {"float8_e5m2", "e5m2"},
    {"float8_e4m3fnuz", "e4m3fnuz"},
    {"float8_e5m2fnuz", "e5m2fnuz"},
    {"float8_e4m3b11fnuz", "e4m3b11fnuz"},
    {"float8_e4m3", "e4m3ieee"},
    {"float8_e3m4", "e3m4"},
    {"float8_e8m0fnu", "e8m0"},
    {"float6_e2m3fn", "e2m3"},
    {"float6_e3m2fn", "e3m2"},
    {"float4_e2m1fn", "e2m1"},
    /* Triton */
    {"float8e4nv", "e4m3"},
    {"float8e5", "e5m2"},
    {"float8e4b8", "e4m3fnuz"},
    {"float8e5b16", "e5m2fnuz"},
    {"float8e4b15", "e4m3b15"},
    {"fp8e4nv", "e4m3"},
    {"fp8e5", "e5m2"},
    {"fp8e4b8", "e4m3fnuz"},
    {"fp8e5b16", "e5m2fnuz"},
    {"fp8e4b15", "e4m3b15"},
    /* en_dtypes, and short forms */
    {"hifloat8", "hif8"},
    {"e4m3fn", "e4m3"},
    {"e8m0fnu", "e8m0"},
    {"ue8m0", "e8m0"},
    {"e2m1fn", "e2m1"},
    /* MLIR */
    {"f8E4M3FN", "e4m3"},
    {"f8E5M2", "e5m2"},
    {"f8E4M3FNUZ", "e4m3fnuz"},
    {"f8E5M2FNUZ", "e5m2fnuz"},
    {"f8E4M3B11FNUZ", "e4m3b11fnuz"},
    {"f8E4M3", "e4m3ieee"},
    {"f8E3M4", "e3m4"},
    {"f8E8M0FNU", "e8m0"},
    {"f6E2M3FN", "e2m3"},
    {"f6E3M2FN", "e3m2"},
    {"f4E2M1FN", "e2m1"},
    /* LLVM's APFloat */
    {"Float8E4M3FN", "e4m3"},
    {"Float8E5M2", "e5m2"},
    {"Float8E4M3FNUZ", "e4m3fnuz"},
    {"Float8E5M2FNUZ", "e5m2fnuz"},
    {"Float8E4M3B11FNUZ", "e4m3b11fnuz"},
    {"Float8E4M3", "e4m3ieee"},
    {"Float8E3M4", "e3m4"},
    {"Float8E8M0FNU", "e8m0"},
    {"Float6E2M3FN", "e2m3"},
    {"Float6E3M2FN", "e3m2"},
    {"Float4E2M1FN", "e2m1"},
    {"FloatTF32", "tf32"},
    {"BFloat", "bf16"},
    {"IEEEhalf", "f16"},
    {"IEEEsingle", "f32"},
    {"IEEEdouble", "f64"},
    /* CUDA and HIP */
    {"__nv_fp8_e4m3", "e4m3"},
    {"__nv_fp8_e5m2", "e5m2"},
    {"__nv_fp8_e8m0", "e8m0"},
    {"__nv_fp6_e2m3", "e2m3"},
    {"__nv_fp6_e3m2", "e3m2"},
    {"__nv_fp4_e2m1", "e2m1"},
    {"__nv_bfloat16", "bf16"},
    {"__hip_fp8_e4m3", "e4m3"},
    {"__hip_fp8_e5m2", "e5m2"},
    {"__hip_fp8_e4m3_fnuz", "e4m3fnuz"},
    {"__hip_fp8_e5m2_fnuz", "e5m2fnuz"},
    {"__hip_bfloat16", "bf16"},
    {"__half", "f16"},
    /* vLLM, TensorRT-LLM and others; ml_dtypes's float8_e4m3 is another format */
    {"fp8_e4m3", "e4m3"},
    {"fp8e4m3", "e4m3"},
    {"fp8_e5m2", "e5m2"},
    {"fp8e5m2", "e5m2"},
    {"fp6_e2m3", "e2m3"},
    {"fp6e2m3", "e2m3"},
    {"fp6_e3m2", "e3m2"},
    {"fp6e3m2", "e3m2"},
    {"fp4_e2m1", "e2m1"},
    {"fp4e2m1", "e2m1"},
    {"float4_e2m1fn_x2", "e2m1"}, /* of PyTorch: a byte with two of them */
    /* ComfyUI, LMCache, EasyLM, AITER and MIGraphX */
    {"fp8_e4m3fn", "e4m3"},
    {"fp8e4m3fn", "e4m3"},
    {"fp8_e4m3fnuz", "e4m3fnuz"},
    {"fp8e4m3fnuz", "e4m3fnuz"},
    {"fp8_e5m2fnuz", "e5m2fnuz"},
    {"fp8e5m2fnuz", "e5m2fnuz"},
    {"fp8_e4m3b11fnuz", "e4m3b11fnuz"},
    {"fp8_e8m0", "e8m0"},
    {"fp8_e8m0fnu", "e8m0"},
    /* safetensors; its F4 is left out, because <f4 of NumPy is f32 */
    {"F8_E4M3", "e4m3"},
    {"F8_E5M2", "e5m2"},
    {"F8_E4M3FNUZ", "e4m3fnuz"},
    {"F8_E5M2FNUZ", "e5m2fnuz"},
    {"F8_E8M0", "e8m0"},
    {"F6_E2M3", "e2m3"},
    {"F6_E3M2", "e3m2"},
    /* ONNX, where LLVM's names do not fit */
    {"FLOAT8E8M0", "e8m0"},
    {"FLOAT4E2M1", "e2m1"},
    /* CUTLASS */
    {"float_e4m3_t", "e4m3"},
    {"float_e5m2_t", "e5m2"},
    {"float_ue8m0_t", "e8m0"},
    {"float_e2m3_t", "e2m3"},
    {"float_e3m2_t", "e3m2"},
    {"float_e2m1_t", "e2m1"},
    /* cuBLAS, cuDNN and hipBLAS. CUDA_R_8F_UE4M3 is left out: CUDA gives it the value of
     * CUDA_R_8F_E4M3 */
    {"CUDA_R_8F_E4M3", "e4m3"},
    {"CUDA_R_8F_E5M2", "e5m2"},
    {"CUDA_R_8F_UE8M0", "e8m0"},
    {"CUDA_R_6F_E2M3", "e2m3"},
    {"CUDA_R_6F_E3M2", "e3m2"},
    {"CUDA_R_4F_E2M1", "e2m1"},
    {"CUDNN_DATA_FP8_E4M3", "e4m3"},
    {"CUDNN_DATA_FP8_E5M2", "e5m2"},
    {"CUDNN_DATA_FP8_E8M0", "e8m0"},
    {"CUDNN_DATA_FP4_E2M1", "e2m1"},
    {"HIP_R_8F_E4M3", "e4m3"},
    {"HIP_R_8F_E5M2", "e5m2"},
    {"HIP_R_8F_E4M3_FNUZ", "e4m3fnuz"},
    {"HIP_R_8F_E5M2_FNUZ", "e5m2fnuz"},
    /* IEEE 754 */
    {"binary16", "f16"},
    {"binary32", "f32"},
    {"binary64", "f64"},
    /* C, NumPy and others */
    {"float64", "f64"},
    {"double", "f64"},
    {"fp64", "f64"},
    {"float32", "f32"},
    {"float", "f32"},
    {"fp32", "f32"},
    {"float16", "f16"},
    {"half", "f16"},
    {"fp16", "f16"},
    {"bfloat16", "bf16"},
};

const char *sf8_format_alias_at(size_t i, const char **name)
{
    if (i >= sizeof sf8_format_aliases / sizeof sf8_format_aliases[0])
        return NULL;
    if (name)
        *name = sf8_format_aliases[i][1];
    return sf8_format_aliases[i][0];
}

/* A number from 1 to 99 without leading zeros, at *text, which it moves on; 0 if there is none. */
static int32_t sf8_small_number(const char **text)
{
    int32_t n = 0;
    if (**text == '0')
        return 0;
    for (int digits = 0; digits < 2 && **text >= '0' && **text <= '9'; digits++)
        n = 10 * n + (*(*text)++ - '0');
    return n;
}

/* What follows the prefix of a P3109 format's name, or NULL. */
static const char *sf8_p3109_numbers(const char *name)
{
    static const char *const prefixes[] = {"p3109_k", "Binary", "binary"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return NULL;
}

/* p3109_k<K>p<P>{s,u}{e,f}, or the standard's Binary<K>p<P>{s,u}{e,f}. binary<K>p<P> is what
 * earlier drafts had: signed and extended. */
static sf8_status sf8_p3109_by_name(const char *name, sf8_format *format)
{
    const char *s = sf8_p3109_numbers(name);
    if (!s)
        return SF8_UNKNOWN_NAME;
    int32_t k = sf8_small_number(&s);
    if (*s++ != 'p')
        return SF8_UNKNOWN_NAME;
    int32_t p = sf8_small_number(&s);
    if (*s == '\0' && name[0] != 'p')
        s = "se";
    if ((s[0] != 's' && s[0] != 'u') || (s[1] != 'e' && s[1] != 'f') || s[2] != '\0')
        return SF8_UNKNOWN_NAME;
    if (!sf8_p3109_exists(k, p, s[0] == 's'))
        return SF8_UNKNOWN_NAME;
    *format = sf8_p3109_format(k, p, s[0] == 's', s[1] == 'e');
    return SF8_OK;
}

sf8_status sf8_format_by_name(const char *name, sf8_format *format)
{
    if (!name)
        return SF8_UNKNOWN_NAME;
    for (size_t i = 0; sf8_format_alias_at(i, NULL); i++) {
        if (strcmp(name, sf8_format_aliases[i][0]) == 0) {
            name = sf8_format_aliases[i][1];
            break;
        }
    }
    for (size_t i = 0; sf8_format_at(i, NULL); i++) {
        if (strcmp(name, sf8_formats[i].name) == 0) {
            *format = sf8_formats[i].format;
            return SF8_OK;
        }
    }
    if (strcmp(name, "hif8") == 0) {
        *format = sf8_hif8_format();
        return SF8_OK;
    }
    return sf8_p3109_by_name(name, format);
}

#define SF8_COUNT_POLICY(id, name, ...) +1
enum { SF8_POLICY_COUNT = SF8_POLICIES(SF8_COUNT_POLICY) };
#undef SF8_COUNT_POLICY

const sf8_policy_row *sf8_policy_at(size_t i)
{
    static const sf8_policy_row rows[] = {
#define SF8_POLICY_ROW(id, name, fields, product, versions, to, from, source, evidence, open)      \
    {name, product, versions, source, evidence, open, to, from},
        SF8_POLICIES(SF8_POLICY_ROW)
#undef SF8_POLICY_ROW
    };
    return i < SF8_POLICY_COUNT ? &rows[i] : NULL;
}

sf8_status sf8_policy_by_name(const char *name, sf8_policy *policy)
{
    if (!name)
        return SF8_UNKNOWN_NAME;
#define SF8_POLICY_MATCH(id, row, ...)                                                             \
    if (strcmp(name, row) == 0) {                                                                  \
        *policy = sf8_policy_##id();                                                               \
        return SF8_OK;                                                                             \
    }
    SF8_POLICIES(SF8_POLICY_MATCH)
#undef SF8_POLICY_MATCH
    return SF8_UNKNOWN_NAME;
}

typedef struct sf8_policy_field {
    const char *name;
    const char *values; /* separated by blanks; "" for a number */
} sf8_policy_field;

#define SF8_FIELD_ROW(name, width, values) {#name, values},
static const sf8_policy_field sf8_fields[] = {SF8_POLICY_FIELDS(SF8_FIELD_ROW)};
#undef SF8_FIELD_ROW

const char *sf8_policy_field_at(size_t i)
{
    return i < sizeof sf8_fields / sizeof sf8_fields[0] ? sf8_fields[i].name : NULL;
}

const char *sf8_policy_field_values(size_t i)
{
    return i < sizeof sf8_fields / sizeof sf8_fields[0] ? sf8_fields[i].values : NULL;
}

static uint32_t sf8_field_value(sf8_policy policy, size_t i)
{
    uint32_t k = 0;
#define SF8_GET(name, width, values)                                                               \
    if (k++ == i)                                                                                  \
        return policy.name;
    SF8_POLICY_FIELDS(SF8_GET)
#undef SF8_GET
    return 0;
}

static void sf8_set_field_value(sf8_policy *policy, size_t i, uint32_t value)
{
    uint32_t k = 0;
#define SF8_SET(name, width, values)                                                               \
    if (k++ == i)                                                                                  \
        policy->name = value & ((1u << width) - 1);
    SF8_POLICY_FIELDS(SF8_SET)
#undef SF8_SET
}

SF8_PRIVATE size_t sf8_policy_field_index(const char *field)
{
    size_t i = 0;
    while (sf8_policy_field_at(i) && !sf8_is_named(sf8_policy_field_at(i), field))
        i++;
    return i;
}

sf8_status sf8_policy_get(sf8_policy policy, const char *field, char *text, size_t size)
{
    size_t i = sf8_policy_field_index(field), length;
    if (!sf8_policy_field_at(i))
        return SF8_UNKNOWN_NAME;
    uint32_t value = sf8_field_value(policy, i);
    char digits[3] = {(char)('0' + value / 10 % 10), (char)('0' + value % 10), 0};
    const char *word = sf8_word_at(sf8_fields[i].values, value, &length);
    if (sf8_fields[i].values[0] == '\0') {
        word = value < 10 ? digits + 1 : digits;
        length = strlen(word);
    } else if (!word) {
        return SF8_BAD_TEXT;
    }
    if (length + 1 > size)
        return SF8_NO_ROOM;
    memcpy(text, word, length);
    text[length] = '\0';
    return SF8_OK;
}

/* The number of random bits, 1 to 32. */
static sf8_status sf8_set_bits(sf8_policy *policy, size_t i, const char *value)
{
    uint32_t bits = 0;
    size_t n = strlen(value);
    if (n == 0 || n > 2 || strspn(value, "0123456789") != n)
        return SF8_BAD_TEXT;
    for (; *value; value++)
        bits = 10 * bits + (uint32_t)(*value - '0');
    if (bits < 1 || bits > 32)
        return SF8_BAD_TEXT;
    sf8_set_field_value(policy, i, bits);
    return SF8_OK;
}

int32_t sf8_place_in(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (int32_t place = 0; *list; place++) {
        size_t n = strcspn(list, " ");
        if (n == length && memcmp(list, word, n) == 0)
            return place;
        list += n + (list[n] == ' ');
    }
    return -1;
}

sf8_status sf8_policy_set(sf8_policy *policy, const char *field, const char *value)
{
    size_t i = sf8_policy_field_index(field);
    if (!sf8_policy_field_at(i))
        return SF8_UNKNOWN_NAME;
    if (!value)
        return SF8_BAD_TEXT;
    if (sf8_fields[i].values[0] == '\0')
        return sf8_set_bits(policy, i, value);
    int32_t place = sf8_place_in(sf8_fields[i].values, value);
    if (place < 0)
        return SF8_BAD_TEXT;
    sf8_set_field_value(policy, i, (uint32_t)place);
    return SF8_OK;
}
