/* SPDX-License-Identifier: MIT */
/* cuda_rows.h -- the conversions of the CUDA headers, one row for each, for both ways to execute
 * them
 *
 * The file that includes this one defines ROW(subject, domain, steps...), and OPEN_ROW likewise for
 * rows with a NaN whose sign or payload the documents leave to the hardware. CUDA_LATER is 0, or 1
 * for what headers have since a version after 13.0.
 *
 * The classes convert as the functions do, from floats with __NV_SATFINITE, to nearest, e8m0
 * upward. Widening is under cuda-nosat: infinity stays. To double the headers go through float;
 * e8m0 and ue5m3 go through bfloat16, whose NaN is then widened unchanged.
 *
 * operator bool is true if the magnitude bits of the code are not all 0, so also for NaN; for e8m0
 * it is always true. The class of IEEE 754 decides that, not a function of the library.
 */
/* clang-format off */
#if LONG_MAX > INT32_MAX
#define LONG "i64"
#define ULONG "ui64"
#else
#define LONG "i32"
#define ULONG "ui32"
#endif
#if CHAR_MIN < 0
#define CHAR "i8"
#else
#define CHAR "ui8"
#endif

/* ---- functions to narrow formats; f64 is "-f64" for sources of 64 bits, else "" ------------- */

/* A NaN from an overflow is the headers' own doing. */
#define FP8(f, from, domain, f64) FP8_BY(OPEN_ROW, f, from, domain, f64)
#define FP8_F64(f, from, domain, f64) FP8_BY(ROW, f, from, domain, f64)
#define FP8_BY(R, f, from, domain, f64)                                                            \
    R(f "/e4m3/satfinite", domain, {from "_to_e4m3", "cuda-satfinite" f64, NULL})                  \
    ROW(f "/e4m3/nosat", domain, {from "_to_e4m3", "cuda-nosat" f64, NULL})                        \
    R(f "/e5m2/satfinite", domain, {from "_to_e5m2", "cuda-satfinite" f64, NULL})                  \
    R(f "/e5m2/nosat", domain, {from "_to_e5m2", "cuda-nosat" f64, NULL})

#define E8M0(f, from, domain, f64)                                                                 \
    ROW(f "/satfinite/rz", domain, {from "_to_e8m0", "cuda-satfinite" f64, "round=rz"})            \
    ROW(f "/satfinite/ru", domain, {from "_to_e8m0", "cuda-satfinite" f64, "round=ru"})            \
    ROW(f "/nosat/rz", domain, {from "_to_e8m0", "cuda-nosat" f64, "round=rz"})                    \
    ROW(f "/nosat/ru", domain, {from "_to_e8m0", "cuda-nosat" f64, "round=ru"})

#define FP6(f, from, domain, f64)                                                                  \
    ROW(f "/e3m2/rne", domain, {from "_to_e3m2", "cuda-satfinite" f64, NULL})                      \
    ROW(f "/e3m2/rz", domain, {from "_to_e3m2", "cuda-satfinite" f64, "round=rz"})                 \
    ROW(f "/e2m3/rne", domain, {from "_to_e2m3", "cuda-satfinite" f64, NULL})                      \
    ROW(f "/e2m3/rz", domain, {from "_to_e2m3", "cuda-satfinite" f64, "round=rz"})

#define FP4(f, from, domain, f64)                                                                  \
    ROW(f "/e2m1/rne", domain, {from "_to_e2m1", "cuda-satfinite" f64, NULL})                      \
    ROW(f "/e2m1/rz", domain, {from "_to_e2m1", "cuda-satfinite" f64, "round=rz"})

/* The eight functions of a family: scalars and pairs of four types. */
#define SOURCES(FAMILY, FAMILY_F64, to)                                                            \
    FAMILY_F64("double_to_" to, "f64", DOMAIN_SET, "-f64")                                         \
    FAMILY_F64("double2_to_" to "x2", "f64", DOMAIN_SET, "-f64")                                   \
    FAMILY("float_to_" to, "f32", DOMAIN_ALL, "")                                                  \
    FAMILY("float2_to_" to "x2", "f32", DOMAIN_ALL, "")                                            \
    FAMILY("halfraw_to_" to, "f16", DOMAIN_ALL, "")                                                \
    FAMILY("halfraw2_to_" to "x2", "f16", DOMAIN_ALL, "")                                          \
    FAMILY("bfloat16raw_to_" to, "bf16", DOMAIN_ALL, "")                                           \
    FAMILY("bfloat16raw2_to_" to "x2", "bf16", DOMAIN_ALL, "")

/* ---- classes --------------------------------------------------------------------------------- */

#define FROM(c, name, domain, ...) ROW("class/" c "/from/" name, domain, __VA_ARGS__)
#define FROM_OPEN(c, name, domain, ...) OPEN_ROW("class/" c "/from/" name, domain, __VA_ARGS__)
#define TO(c, name, ...) ROW("class/" c "/to/" name, DOMAIN_ALL, __VA_ARGS__)
#define TO_OPEN(c, name, ...) OPEN_ROW("class/" c "/to/" name, DOMAIN_ALL, __VA_ARGS__)

#define FROM_FLOATS(c, code, half, bf16, single, twice, rounding)                                  \
    FROM_OPEN(c, half, DOMAIN_ALL, {"f16_to_" code, "cuda-satfinite", rounding})                        \
    FROM_OPEN(c, bf16, DOMAIN_ALL, {"bf16_to_" code, "cuda-satfinite", rounding})                       \
    FROM_OPEN(c, single, DOMAIN_ALL, {"f32_to_" code, "cuda-satfinite", rounding})                      \
    FROM(c, twice, DOMAIN_SET, {"f64_to_" code, "cuda-satfinite-f64", rounding})

/* Integers are converted to float first. (Where that rounds, the value is beyond the largest number
 * of the target.) */
#define FROM_INTEGER(c, code, name, integer, domain)                                               \
    FROM(c, name, domain, {integer "_to_f32", "cuda-satfinite", NULL},                             \
         {"f32_to_" code, "cuda-satfinite", NULL})
/* To e8m0 they are rounded once. */
#define FROM_INTEGER_UP(c, code, name, integer, domain)                                            \
    FROM(c, name, domain, {integer "_to_" code, "cuda-satfinite", "round=ru"})

#define FROM_INTEGERS(X, c, code)                                                                  \
    X(c, code, "ushort", "ui16", DOMAIN_ALL)                                                       \
    X(c, code, "uint", "ui32", DOMAIN_SET)                                                         \
    X(c, code, "ulong", ULONG, DOMAIN_SET)                                                         \
    X(c, code, "ulonglong", "ui64", DOMAIN_SET)                                                    \
    X(c, code, "short", "i16", DOMAIN_ALL)                                                         \
    X(c, code, "int", "i32", DOMAIN_SET)                                                           \
    X(c, code, "long", LONG, DOMAIN_SET)                                                           \
    X(c, code, "longlong", "i64", DOMAIN_SET)

#define TO_INTEGER(c, code, name, integer)                                                         \
    TO(c, name, {code "_to_" integer, "cuda-nosat", "round=rz"})
#define TO_INTEGERS(c, code)                                                                       \
    TO_INTEGER(c, code, "ushort", "ui16")                                                          \
    TO_INTEGER(c, code, "uint", "ui32")                                                            \
    TO_INTEGER(c, code, "ulong", ULONG)                                                            \
    TO_INTEGER(c, code, "ulonglong", "ui64")                                                       \
    TO_INTEGER(c, code, "short", "i16")                                                            \
    TO_INTEGER(c, code, "int", "i32")                                                              \
    TO_INTEGER(c, code, "long", LONG)                                                              \
    TO_INTEGER(c, code, "longlong", "i64")                                                         \
    TO_INTEGER(c, code, "uchar", "ui8")                                                            \
    TO_INTEGER(c, code, "schar", "i8")                                                             \
    TO_INTEGER(c, code, "char", CHAR)                                                              \
    TO(c, "bool", {code "_class", "ocp", NULL}, {"not_zero", "ocp", NULL})

#define WIDEN(c, code, name, wide) TO_OPEN(c, name, {code "_to_" wide, "cuda-nosat", NULL})
#define WIDEN_TWICE(c, name, first, second)                                                        \
    TO_OPEN(c, name, {first, "cuda-nosat", NULL}, {second, "cuda-nosat", "nan_code=payload"})

/* The class of one, of two, of four. */
#define CLASS(c, code)                                                                             \
    FROM_FLOATS(c, code, "half", "bf16", "float", "double", NULL)                                  \
    FROM_INTEGERS(FROM_INTEGER, c, code)                                                           \
    WIDEN(c, code, "half", "f16")                                                                  \
    WIDEN(c, code, "bf16", "bf16")                                                                 \
    WIDEN(c, code, "float", "f32")                                                                 \
    WIDEN_TWICE(c, "double", code "_to_f32", "f32_to_f64")                                         \
    TO_INTEGERS(c, code)
#define CLASS_X2(c, code)                                                                          \
    FROM_FLOATS(c, code, "half2", "bf162", "float2", "double2", NULL)                              \
    WIDEN(c, code, "half2", "f16")                                                                 \
    WIDEN(c, code, "float2", "f32")
#define CLASS_X4(c, code)                                                                          \
    FROM_X4(c, code, NULL)                                                                         \
    WIDEN(c, code, "float4", "f32")
#define FROM_X4(c, code, rounding)                                                                 \
    FROM_FLOATS(c, code, "half2_half2", "bf162_bf162", "float4", "double4", rounding)              \
    FROM(c, "double4_16a", DOMAIN_SET, {"f64_to_" code, "cuda-satfinite-f64", rounding})           \
    FROM(c, "double4_32a", DOMAIN_SET, {"f64_to_" code, "cuda-satfinite-f64", rounding})

#define TO_FLOAT_BY_BF16(c, code, name) WIDEN_TWICE(c, name, code "_to_bf16", "bf16_to_f32")

/* ---- rows ------------------------------------------------------------------------------------ */

#if !CUDA_LATER
SOURCES(FP8, FP8_F64, "fp8")
OPEN_ROW("fp8_to_halfraw/e4m3", DOMAIN_ALL, {"e4m3_to_f16", "cuda-nosat", NULL})
OPEN_ROW("fp8_to_halfraw/e5m2", DOMAIN_ALL, {"e5m2_to_f16", "cuda-nosat", NULL})
OPEN_ROW("fp8x2_to_halfraw2/e4m3", DOMAIN_ALL, {"e4m3_to_f16", "cuda-nosat", NULL})
OPEN_ROW("fp8x2_to_halfraw2/e5m2", DOMAIN_ALL, {"e5m2_to_f16", "cuda-nosat", NULL})

E8M0("double_to_e8m0", "f64", DOMAIN_SET, "-f64")
E8M0("double2_to_e8m0x2", "f64", DOMAIN_SET, "-f64")
E8M0("float_to_e8m0", "f32", DOMAIN_ALL, "")
E8M0("float2_to_e8m0x2", "f32", DOMAIN_ALL, "")
E8M0("bfloat16raw_to_e8m0", "bf16", DOMAIN_ALL, "")
E8M0("bfloat162raw_to_e8m0x2", "bf16", DOMAIN_ALL, "")
OPEN_ROW("e8m0_to_bf16raw", DOMAIN_ALL, {"e8m0_to_bf16", "cuda-nosat", NULL})
OPEN_ROW("e8m0x2_to_bf162raw", DOMAIN_ALL, {"e8m0_to_bf16", "cuda-nosat", NULL})

SOURCES(FP6, FP6, "fp6")
OPEN_ROW("fp6_to_halfraw/e3m2", DOMAIN_ALL, {"e3m2_to_f16", "cuda-nosat", NULL})
OPEN_ROW("fp6_to_halfraw/e2m3", DOMAIN_ALL, {"e2m3_to_f16", "cuda-nosat", NULL})
OPEN_ROW("fp6x2_to_halfraw2/e3m2", DOMAIN_ALL, {"e3m2_to_f16", "cuda-nosat", NULL})
OPEN_ROW("fp6x2_to_halfraw2/e2m3", DOMAIN_ALL, {"e2m3_to_f16", "cuda-nosat", NULL})

SOURCES(FP4, FP4, "fp4")
OPEN_ROW("fp4_to_halfraw/e2m1", DOMAIN_ALL, {"e2m1_to_f16", "cuda-nosat", NULL})
OPEN_ROW("fp4x2_to_halfraw2/e2m1", DOMAIN_ALL, {"e2m1_to_f16", "cuda-nosat", NULL})

CLASS("fp8_e4m3", "e4m3")
CLASS_X2("fp8x2_e4m3", "e4m3")
CLASS_X4("fp8x4_e4m3", "e4m3")
CLASS("fp8_e5m2", "e5m2")
CLASS_X2("fp8x2_e5m2", "e5m2")
CLASS_X4("fp8x4_e5m2", "e5m2")
CLASS("fp6_e3m2", "e3m2")
CLASS_X2("fp6x2_e3m2", "e3m2")
CLASS_X4("fp6x4_e3m2", "e3m2")
CLASS("fp6_e2m3", "e2m3")
CLASS_X2("fp6x2_e2m3", "e2m3")
CLASS_X4("fp6x4_e2m3", "e2m3")
CLASS("fp4_e2m1", "e2m1")
CLASS_X2("fp4x2_e2m1", "e2m1")
CLASS_X4("fp4x4_e2m1", "e2m1")

FROM_FLOATS("fp8_e8m0", "e8m0", "half", "bf16", "float", "double", "round=ru")
FROM_INTEGERS(FROM_INTEGER_UP, "fp8_e8m0", "e8m0")
WIDEN("fp8_e8m0", "e8m0", "half", "f16")
WIDEN("fp8_e8m0", "e8m0", "bf16", "bf16")
TO_FLOAT_BY_BF16("fp8_e8m0", "e8m0", "float")
WIDEN_TWICE("fp8_e8m0", "double", "e8m0_to_bf16", "bf16_to_f64")
TO_INTEGERS("fp8_e8m0", "e8m0")
FROM_FLOATS("fp8x2_e8m0", "e8m0", "half2", "bf162", "float2", "double2", "round=ru")
WIDEN("fp8x2_e8m0", "e8m0", "half2", "f16")
WIDEN("fp8x2_e8m0", "e8m0", "bf162", "bf16")
TO_FLOAT_BY_BF16("fp8x2_e8m0", "e8m0", "float2")
FROM_X4("fp8x4_e8m0", "e8m0", "round=ru")
TO_FLOAT_BY_BF16("fp8x4_e8m0", "e8m0", "float4")

#else /* what headers have since a version after 13.0 */

/* Both take the magnitude, so that down is toward zero. Nearest to e8m0 is by value: 1.5 * 2^k goes
 * up. */
#define UE5M3(f, from, domain, f64)                                                                \
    UE5M3_BY(f "/satfinite", from, domain, "cuda-satfinite" f64)                                   \
    UE5M3_BY(f "/nosat", from, domain, "cuda-nosat" f64)
#define UE5M3_BY(f, from, domain, policy)                                                          \
    ROW(f "/rn", domain, {from "_to_ue5m3", policy, "round=rne"})                                  \
    ROW(f "/rz", domain, {from "_to_ue5m3", policy, "round=rz"})                                   \
    ROW(f "/ru", domain, {from "_to_ue5m3", policy, "round=ru"})                                   \
    ROW(f "/rd", domain, {from "_to_ue5m3", policy, "round=rz"})
#define E8M0_LATER(f, from, domain, f64)                                                           \
    E8M0_LATER_BY(f "/satfinite", from, domain, "cuda-satfinite" f64)                              \
    E8M0_LATER_BY(f "/nosat", from, domain, "cuda-nosat" f64)
#define E8M0_LATER_BY(f, from, domain, policy)                                                     \
    ROW(f "/rn", domain, {from "_to_e8m0", policy, "round=rna"})                                   \
    ROW(f "/rd", domain, {from "_to_e8m0", policy, "round=rz"})
#define DECODE(f, from, to) ROW(f, DOMAIN_ALL, {from "_to_" to, "cuda-nosat", NULL})

UE5M3("double_to_ue5m3", "f64", DOMAIN_SET, "-f64")
UE5M3("double2_to_ue5m3x2", "f64", DOMAIN_SET, "-f64")
UE5M3("float_to_ue5m3", "f32", DOMAIN_ALL, "")
UE5M3("float2_to_ue5m3x2", "f32", DOMAIN_ALL, "")
UE5M3("halfraw_to_ue5m3", "f16", DOMAIN_ALL, "")
UE5M3("half2raw_to_ue5m3x2", "f16", DOMAIN_ALL, "")
UE5M3("bfloat16raw_to_ue5m3", "bf16", DOMAIN_ALL, "")
UE5M3("bfloat162raw_to_ue5m3x2", "bf16", DOMAIN_ALL, "")
DECODE("ue5m3_to_halfraw", "ue5m3", "f16")
DECODE("ue5m3x2_to_halfraw2", "ue5m3", "f16")
DECODE("ue5m3_to_bf16raw", "ue5m3", "bf16")
DECODE("ue5m3x2_to_bf162raw", "ue5m3", "bf16")
E8M0_LATER("double_to_e8m0", "f64", DOMAIN_SET, "-f64")
E8M0_LATER("double2_to_e8m0x2", "f64", DOMAIN_SET, "-f64")
E8M0_LATER("float_to_e8m0", "f32", DOMAIN_ALL, "")
E8M0_LATER("float2_to_e8m0x2", "f32", DOMAIN_ALL, "")
E8M0_LATER("bfloat16raw_to_e8m0", "bf16", DOMAIN_ALL, "")
E8M0_LATER("bfloat162raw_to_e8m0x2", "bf16", DOMAIN_ALL, "")
DECODE("fp8_to_bf16raw/e4m3", "e4m3", "bf16")
DECODE("fp8_to_bf16raw/e5m2", "e5m2", "bf16")
DECODE("fp8x2_to_bf162raw/e4m3", "e4m3", "bf16")
DECODE("fp8x2_to_bf162raw/e5m2", "e5m2", "bf16")
DECODE("fp6_to_bf16raw/e3m2", "e3m2", "bf16")
DECODE("fp6_to_bf16raw/e2m3", "e2m3", "bf16")
DECODE("fp6x2_to_bf162raw/e3m2", "e3m2", "bf16")
DECODE("fp6x2_to_bf162raw/e2m3", "e2m3", "bf16")
DECODE("fp4_to_bf16raw/e2m1", "e2m1", "bf16")
DECODE("fp4x2_to_bf162raw/e2m1", "e2m1", "bf16")
WIDEN("fp8x2_e4m3", "e4m3", "bf162", "bf16")
WIDEN("fp8x2_e5m2", "e5m2", "bf162", "bf16")
WIDEN("fp6x2_e3m2", "e3m2", "bf162", "bf16")
WIDEN("fp6x2_e2m3", "e2m3", "bf162", "bf16")
WIDEN("fp4x2_e2m1", "e2m1", "bf162", "bf16")

FROM_FLOATS("fp8_ue5m3", "ue5m3", "half", "bf16", "float", "double", NULL)
FROM_INTEGERS(FROM_INTEGER, "fp8_ue5m3", "ue5m3")
WIDEN("fp8_ue5m3", "ue5m3", "half", "f16")
WIDEN("fp8_ue5m3", "ue5m3", "bf16", "bf16")
TO_FLOAT_BY_BF16("fp8_ue5m3", "ue5m3", "float")
WIDEN_TWICE("fp8_ue5m3", "double", "ue5m3_to_bf16", "bf16_to_f64")
TO_INTEGERS("fp8_ue5m3", "ue5m3")
FROM_FLOATS("fp8x2_ue5m3", "ue5m3", "half2", "bf162", "float2", "double2", NULL)
WIDEN("fp8x2_ue5m3", "ue5m3", "half2", "f16")
WIDEN("fp8x2_ue5m3", "ue5m3", "bf162", "bf16")
TO_FLOAT_BY_BF16("fp8x2_ue5m3", "ue5m3", "float2")
FROM_X4("fp8x4_ue5m3", "ue5m3", NULL)
TO_FLOAT_BY_BF16("fp8x4_ue5m3", "ue5m3", "float4")
#endif

#undef CHAR
#undef CLASS
#undef CLASS_X2
#undef CLASS_X4
#undef DECODE
#undef E8M0
#undef E8M0_LATER
#undef E8M0_LATER_BY
#undef FP4
#undef FP6
#undef FP8
#undef FP8_BY
#undef FP8_F64
#undef FROM
#undef FROM_FLOATS
#undef FROM_INTEGER
#undef FROM_INTEGERS
#undef FROM_INTEGER_UP
#undef FROM_OPEN
#undef FROM_X4
#undef LONG
#undef SOURCES
#undef TO
#undef TO_FLOAT_BY_BF16
#undef TO_INTEGER
#undef TO_INTEGERS
#undef TO_OPEN
#undef UE5M3
#undef UE5M3_BY
#undef ULONG
#undef WIDEN
#undef WIDEN_TWICE
/* clang-format on */
