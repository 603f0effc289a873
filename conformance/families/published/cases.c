/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: published results of real matrix units, and the rival models that they refute */
#include "families/published/silicon.h"

#include <string.h>

#define F16_F32 "cut=down products=normalised sum=e8m13 "
#define AMPERE(X, gpu, unit)                                                                       \
    X(gpu "-fp16-fp32", unit, "f16", "f32",                                                        \
      "fraction=23 fraction=25 length=4 " F16_F32 "unit=volta-hmma unit=hopper-hmma")              \
    X(gpu "-bf16-fp32", unit, "bf16", "f32",                                                       \
      "fraction=23 fraction=25 length=4 " F16_F32 "unit=hopper-hmma")                              \
    X(gpu "-tf32-fp32", unit, "tf32", "f32",                                                       \
      "fraction=23 fraction=25 " F16_F32 "unit=hopper-hmma")                                       \
    X(gpu "-fp16-fp16", unit, "f16", "f16", "length=4 unit=volta-hmma")
#define HOPPER(X, gpu, unit)                                                                       \
    X(gpu "-fp16-fp32", unit, "f16", "f32",                                                        \
      "fraction=24 fraction=26 length=4 length=8 " F16_F32 "unit=ampere-hmma")                     \
    X(gpu "-bf16-fp32", unit, "bf16", "f32",                                                       \
      "fraction=24 fraction=26 length=4 length=8 " F16_F32 "unit=ampere-hmma")                     \
    X(gpu "-tf32-fp32", unit, "tf32", "f32",                                                       \
      "fraction=24 fraction=26 " F16_F32 "unit=ampere-hmma")                                       \
    X(gpu "-fp16-fp16", unit, "f16", "f16", "length=4 length=8 unit=ampere-hmma")
#define LOWERED(X, gpu, unit, in)                                                                  \
    X(gpu "-" in "-fp32", unit, in, "f32", "unit=blackwell-tcgen05 unit=hopper-qgmma")             \
    X(gpu "-" in "-fp16", unit, in, "f16",                                                         \
      "lowering=independent unit=blackwell-tcgen05 unit=hopper-qgmma")
#define QMMA_RIVALS "fraction=12 fraction=14 length=8 length=32 cut=down products=normalised "
#define QMMA(X, gpu, in)                                                                           \
    X(gpu "-" in "-fp32", "ada-qmma", in, "f32",                                                   \
      QMMA_RIVALS "sum=f32 unit=hopper-qgmma unit=hopper-mma-fp8")
#define QMMA_F16(X, gpu, in)                                                                       \
    X(gpu "-" in "-fp16", "ada-qmma", in, "f16",                                                   \
      QMMA_RIVALS "unit=hopper-qgmma unit=hopper-mma-fp8")
#define QGMMA(X, gpu, in)                                                                          \
    X(gpu "-" in "-fp32-wgmma", "hopper-qgmma", in, "f32",                                         \
      "fraction=12 fraction=14 length=8 length=16 cut=down products=normalised sum=f32 "           \
      "unit=ada-qmma unit=hopper-mma-fp8")

/* clang-format off */
#define SETS(X)                                                                                    \
    X("v100-fp16-fp32", "volta-hmma", "f16", "f32",                                                \
      "fraction=22 fraction=24 length=2 " F16_F32 "unit=turing-hmma")                              \
    X("v100-fp16-fp16", "volta-hmma", "f16", "f16", "length=2")                                    \
    AMPERE(X, "a100", "ampere-hmma")                                                               \
    AMPERE(X, "a2", "ampere-hmma")                                                                 \
    AMPERE(X, "ada", "ada-hmma")                                                                   \
    AMPERE(X, "l40s", "ada-hmma")                                                                  \
    HOPPER(X, "h100", "hopper-hmma")                                                               \
    HOPPER(X, "h200", "hopper-hmma")                                                               \
    HOPPER(X, "b200", "blackwell-hmma")                                                            \
    QMMA(X, "ada", "e4m3")                                                                         \
    QMMA(X, "ada", "e5m2")                                                                         \
    QMMA_F16(X, "ada", "e4m3")                                                                     \
    QMMA_F16(X, "ada", "e5m2")                                                                     \
    QMMA(X, "l40s", "e4m3")                                                                        \
    QMMA(X, "l40s", "e5m2")                                                                        \
    QGMMA(X, "h100", "e4m3")                                                                       \
    QGMMA(X, "h100", "e5m2")                                                                       \
    QGMMA(X, "h200", "e4m3")                                                                       \
    QGMMA(X, "h200", "e5m2")                                                                       \
    LOWERED(X, "h100", "hopper-mma-fp8", "e4m3")                                                   \
    LOWERED(X, "h100", "hopper-mma-fp8", "e5m2")                                                   \
    LOWERED(X, "h200", "hopper-mma-fp8", "e4m3")                                                   \
    LOWERED(X, "h200", "hopper-mma-fp8", "e5m2")                                                   \
    LOWERED(X, "b200", "blackwell-mma-fp8", "e4m3")                                                \
    LOWERED(X, "b200", "blackwell-mma-fp8", "e5m2")
/* clang-format on */

#define SET(file, unit, in, out, rivals) {{file, unit, in, out, rivals}, in " to " out},
static const struct {
    silicon_set set;
    const char *formats;
} sets[] = {SETS(SET)};

const silicon_set *silicon_set_named(const char *file)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (strcmp(sets[i].set.file, file) == 0)
            return &sets[i].set;
    return NULL;
}

static void cases(case_list *list)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const conform_case c = {
            .subject = sets[i].set.unit, .formats = sets[i].formats, .data = &sets[i].set};
        case_list_add(list, c, "silicon/%s", sets[i].set.file);
    }
}

const conform_family silicon_family = {.name = "silicon",
                                       .inputs = "rows",
                                       .subjects = "the unit",
                                       .against = "published results",
                                       .cases = cases,
                                       .prepare = silicon_prepare,
                                       .run = silicon_run};
