/* SPDX-License-Identifier: MIT */
/* framework_table.h -- ml_dtypes and PyTorch from f64, f16 and bf16
 *
 * through_f32: both convert f64 to f32 first, which rounds twice: 1.0625 + 2^-40 becomes 38, where
 * one rounding gives 39 (the last column, CUDA).
 */
#ifndef SF8_TEST_FRAMEWORK_TABLE_H
#define SF8_TEST_FRAMEWORK_TABLE_H

#include "matrix.h"

/* clang-format off */
static const column ml_dtypes_f64_matrix_columns[] = {
    {"ml_dtypes", "e4m3", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3b11fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3ieee", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m4", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m1", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m3", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m2", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e8m0", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
};
static const row ml_dtypes_f64_matrix_rows[] = {
    {"NaN", 0x7ff8000000000000, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20,0xff}},
    {"-NaN", 0xfff8000000000000, {0xff,0xfe,0x80,0x80,0x80,0xfc,0xf8,0x00,0x00,0x00,0xff}},
    {"sNaN", 0x7ff0000000000001, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20,0xff}},
    {"sNaN, payload", 0x7ff4000000000000, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20,0xff}},
    {"NaN, all ones", 0x7fffffffffffffff, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20,0xff}},
    {"Inf", 0x7ff0000000000000, {0x7f,0x7c,0x80,0x80,0x80,0x78,0x70,0x07,0x1f,0x1f,0xff}},
};
MATRIX(ml_dtypes_f64_matrix, "ml_dtypes, from f64", "f64", 0);

static const column ml_dtypes_f16_matrix_columns[] = {
    {"ml_dtypes", "e4m3", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3b11fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3ieee", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m4", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m1", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m3", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m2", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
};
static const row ml_dtypes_f16_matrix_rows[] = {
    {"Inf", 0x7c00, {0x7f,0x7c,0x80,0x80,0x80,0x78,0x70,0x07,0x1f,0x1f}},
    {"sNaN", 0x7c01, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"sNaN, payload", 0x7d00, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"NaN", 0x7e00, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"NaN, payload", 0x7f00, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"NaN, all ones", 0x7fff, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"-Inf", 0xfc00, {0xff,0xfc,0x80,0x80,0x80,0xf8,0xf0,0x0f,0x3f,0x3f}},
    {"-NaN", 0xfe00, {0xff,0xfe,0x80,0x80,0x80,0xfc,0xf8,0x00,0x00,0x00}},
    {"-sNaN", 0xfc01, {0xff,0xfe,0x80,0x80,0x80,0xfc,0xf8,0x00,0x00,0x00}},
    {"65504", 0x7bff, {0x7f,0x7c,0x80,0x80,0x80,0x78,0x70,0x07,0x1f,0x1f}},
    {"below 61440", 0x7b7f, {0x7f,0x7b,0x80,0x7f,0x80,0x78,0x70,0x07,0x1f,0x1f}},
    {"61440", 0x7b80, {0x7f,0x7c,0x80,0x80,0x80,0x78,0x70,0x07,0x1f,0x1f}},
};
MATRIX(ml_dtypes_f16_matrix, "ml_dtypes, from f16", "f16", 0);

static const column ml_dtypes_bf16_matrix_columns[] = {
    {"ml_dtypes", "e4m3", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3b11fnuz", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3ieee", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m4", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m1", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m3", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m2", NULL, NULL, "ml_dtypes 0.6.0, numpy astype, run"},
};
static const row ml_dtypes_bf16_matrix_rows[] = {
    {"Inf", 0x7f80, {0x7f,0x7c,0x80,0x80,0x80,0x78,0x70,0x07,0x1f,0x1f}},
    {"sNaN", 0x7f81, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"sNaN, payload", 0x7fa0, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"NaN", 0x7fc0, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"NaN, all ones", 0x7fff, {0x7f,0x7e,0x80,0x80,0x80,0x7c,0x78,0x08,0x20,0x20}},
    {"-NaN", 0xffc0, {0xff,0xfe,0x80,0x80,0x80,0xfc,0xf8,0x00,0x00,0x00}},
    {"-sNaN", 0xff81, {0xff,0xfe,0x80,0x80,0x80,0xfc,0xf8,0x00,0x00,0x00}},
};
MATRIX(ml_dtypes_bf16_matrix, "ml_dtypes, from bf16", "bf16", 0);

static const column torch_f16_matrix_columns[] = {
    {"torch-2.13", "e4m3", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e5m2", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e4m3fnuz", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e5m2fnuz", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e8m0", NULL, NULL, "PyTorch 2.15 CPU, run"},
};
static const row torch_f16_matrix_rows[] = {
    {"Inf", 0x7c00, {0x7e,0x7c,0x80,0x80,0xff}},
    {"-Inf", 0xfc00, {0xfe,0xfc,0x80,0x80,0xff}},
    {"sNaN", 0x7c01, {0x7f,0x7f,0x80,0x80,0xff}},
    {"sNaN, payload", 0x7d00, {0x7f,0x7f,0x80,0x80,0xff}},
    {"NaN", 0x7e00, {0x7f,0x7f,0x80,0x80,0xff}},
    {"NaN, all ones", 0x7fff, {0x7f,0x7f,0x80,0x80,0xff}},
    {"-NaN", 0xfe00, {0xff,0xff,0x80,0x80,0xff}},
    {"65504", 0x7bff, {0x7e,0x7c,0x80,0x80,0x8f}},
    {"61440", 0x7b80, {0x7e,0x7c,0x80,0x80,0x8f}},
    {"below 61440", 0x7b7f, {0x7e,0x7b,0x80,0x7f,0x8f}},
};
MATRIX(torch_f16_matrix, "PyTorch, from f16", "f16", 0);

static const column torch_bf16_matrix_columns[] = {
    {"torch-2.13", "e4m3", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e5m2", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e4m3fnuz", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e5m2fnuz", NULL, NULL, "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e8m0", NULL, NULL, "PyTorch 2.15 CPU, run"},
};
static const row torch_bf16_matrix_rows[] = {
    {"Inf", 0x7f80, {0x7e,0x7c,0x80,0x80,0xff}},
    {"sNaN", 0x7f81, {0x7f,0x7f,0x80,0x80,0xff}},
    {"NaN", 0x7fc0, {0x7f,0x7f,0x80,0x80,0xff}},
    {"-NaN", 0xffc0, {0xff,0xff,0x80,0x80,0xff}},
    {"-Inf", 0xff80, {0xfe,0xfc,0x80,0x80,0xff}},
};
MATRIX(torch_bf16_matrix, "PyTorch, from bf16", "bf16", 0);

static const column through_f32_matrix_columns[] = {
    {"torch-2.13", "e4m3", NULL, "f32", "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e5m2", NULL, "f32", "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e4m3fnuz", NULL, "f32", "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e5m2fnuz", NULL, "f32", "PyTorch 2.15 CPU, run"},
    {"torch-2.12", "e8m0", NULL, "f32", "PyTorch 2.15 CPU, run"},
    {"ml_dtypes", "e4m3", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3fnuz", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e5m2fnuz", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3b11fnuz", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e4m3ieee", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m4", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m1", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e2m3", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e3m2", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"ml_dtypes", "e8m0", NULL, "f32", "ml_dtypes 0.6.0, numpy astype, run"},
    {"cuda-satfinite-f64", "e4m3", NULL, NULL, "CUDA 13.0 headers, host, run"},
};
static const row through_f32_matrix_rows[] = {
    {"1.0625+2^-40", 0x3ff1000000001000,
     {0x38,0x3c,0x40,0x40,NONE,0x38,0x3c,0x40,0x40,0x58,0x38,0x31,0x02,0x08,0x0c,NONE,0x39}},
    {"1.5-2^-40", 0x3ff7fffffffff000,
     {NONE,NONE,NONE,NONE,0x80,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,0x80,NONE}},
    {"1.5+2^-40", 0x3ff8000000001000,
     {NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,0x80,NONE}},
    {"2^-130", 0x37d0000000000000,
     {NONE,NONE,NONE,NONE,0x00,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,0x00,NONE}},
    {"2^-1040", 0x0000000400000000,
     {NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,0xff,NONE}},
    {"1e300", 0x7e37e43c8800759c,
     {NONE,NONE,NONE,NONE,0xff,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,NONE,0xff,NONE}},
};
MATRIX(through_f32_matrix, "f64 through f32", "f64", 0);

/* clang-format on */

#endif
