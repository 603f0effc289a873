/* SPDX-License-Identifier: MIT */
/* fake_cases.h -- rows and results that never were, for the tests of the reports
 *
 * Every status, both kinds of domain, one and two steps, integers, an operand of 8 bits, more
 * ranges than are kept, and texts that have to be escaped. The right codes are those of the tables
 * in docs/spec/policy-results.md, or exact values.
 */
#ifndef SOFTFP8_TESTS_FAKE_CASES_H
#define SOFTFP8_TESTS_FAKE_CASES_H

#include "record/record.h"

static const conform_family fake_host = {.name = "host"},
                            fake_gpu = {.name = "gpu", .on_device = 1};
static const record_case fake_record = {.origin = "a record"};

static const conform_known fake_known = {
    "NaN keeps its payload <here> & \"there\", https://example.org/a?b=1&c=2",
    {{"e5m2_to_f16", "ptx", "nan_code=payload"}}};

static const conform_case fake_cases[] = {
    {.name = "cuda-host/float_to_fp8/e4m3/satfinite",
     .subject = "float_to_fp8/e4m3/satfinite",
     .family = &fake_host,
     .oracle = {{"f32_to_e4m3", "cuda-satfinite", NULL}}},
    {.name = "cuda-host/float_to_fp8/e4m3/nosat",
     .subject = "float_to_fp8/e4m3/nosat",
     .family = &fake_host,
     .oracle = {{"f32_to_e4m3", "cuda-nosat", NULL}}},
    {.name = "cuda-host/float_to_fp8/e5m2/rz",
     .subject = "float_to_fp8/e5m2/rz",
     .family = &fake_host,
     .oracle = {{"f32_to_e5m2", "cuda-nosat", "round=rz"}}},
    {.name = "cuda-host/fp8_to_half/e5m2",
     .subject = "fp8_to_half/e5m2",
     .family = &fake_host,
     .oracle = {{"e5m2_to_f16", "ptx", NULL}},
     .known = &fake_known},
    {.name = "cuda-host/fp8_to_half/e4m3",
     .subject = "fp8_to_half/e4m3",
     .family = &fake_host,
     .oracle = {{"e4m3_to_f16", "ocp-nosat", NULL}},
     .nan_class = 1},
    {.name = "cuda-host/double_to_fp8/e4m3/nosat",
     .subject = "double_to_fp8/e4m3/nosat",
     .family = &fake_host,
     .domain = DOMAIN_SET,
     .oracle = {{"f64_to_f32", "ocp-nosat", NULL}, {"f32_to_e4m3", "cuda-nosat", NULL}}},
    {.name = "cuda-host/int_to_half/rn",
     .subject = "int_to_half/rn",
     .family = &fake_host,
     .domain = DOMAIN_SET,
     .oracle = {{"i32_to_f16", "ocp-nosat", NULL}}},
    {.name = "cuda-host/float_to_e8m0/crash",
     .subject = "float_to_e8m0/crash",
     .family = &fake_host,
     .oracle = {{"f32_to_e8m0", "cuda-satfinite", NULL}}},
    {.name = "cuda-gpu/cvt/e4m3x2",
     .subject = "cvt/e4m3x2",
     .family = &fake_gpu,
     .oracle = {{"f32_to_e4m3", "ptx", NULL}}},
    {.name = "cuda-gpu/cvt/e5m2x2",
     .subject = "cvt/e5m2x2",
     .family = &fake_gpu,
     .oracle = {{"f32_to_e5m2", "ptx", NULL}}},
    {.name = "record/torch-2.12/bfloat16_to_e4m3",
     .subject = "torch-2.12/bfloat16_to_e4m3",
     .family = &fake_gpu,
     .oracle = {{"bf16_to_e4m3", "torch-2.12", NULL}},
     .record = &fake_record},
    {.name = "cuda-host/fp8_to_half/e4m3fnuz",
     .subject = "fp8_to_half/e4m3fnuz",
     .family = &fake_host,
     .oracle = {{"e4m3fnuz_to_f16", "ocp-nosat", NULL}}},
};

enum { FAKE_CASES = sizeof fake_cases / sizeof fake_cases[0] };

#define FAKE_DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Each of one part, as a host case of the quick tier is. */
#define RESULT(...)                                                                                \
    {                                                                                              \
        .parts = 1, .of = 1, __VA_ARGS__                                                           \
    }
#define RAN(n, wrong, took) .inputs = n, .differ = wrong, .seconds = took, .digest = FAKE_DIGEST

static conform_result fake_results[FAKE_CASES] = {
    {.status = CONFORM_PASSED,
     .first_part = 4,
     .parts = 8,
     .of = 16,
     .subject_seconds = 2.125,
     RAN(UINT64_C(4294967296), 0, 2.25)},
    /* saturates: 464+ and above, and infinity, give 448; 449 to 464 are right */
    RESULT(.status = CONFORM_FAILED, RAN(UINT64_C(4294967296), UINT64_C(1999634432), 2.5),
           .range_count = 2,
           .range = {{0x43e80001, 0x7f800000, 0x7e, 0x7f}, {0xc3e80001, 0xff800000, 0xfe, 0xff}},
           .diagnosis = "on all 1,318,241 inputs tried it does <exactly> what the policy "
                        "cuda-satfinite does"),
    /* rounds to nearest where rz is asked: 2^-17 + 1 ulp of f32 gives 1, the smallest, not 0; the
     * tie between 1 and 1.25 is 1.125; a word that no rule explains */
    RESULT(.status = CONFORM_FAILED, RAN(UINT64_C(4294967296), 9437183, 2.5), .range_count = 3,
           .range = {{0x37000001, 0x377fffff, 0x01, 0x00},
                     {0x3f900001, 0x3f9fffff, 0x3d, 0x3c},
                     {0x40000000, 0x40000000, 0x55, 0x40}}),
    RESULT(.status = CONFORM_KNOWN, RAN(256, 4, 0.001), .range_count = 2,
           .range = {{0x7d, 0x7e, 0x7d00, 0x7fff}, {0xfd, 0xfe, 0xfd00, 0x7fff}}),
    RESULT(.status = CONFORM_PASSED, RAN(256, 0, 0.001)),
    /* 1.0625 + 2^-40 rounds to the tie 1.0625 in f32, and that to 1; rounded once it is 1.125 */
    RESULT(.status = CONFORM_FAILED, RAN(1234567, 1, 0.75), .range_count = 1,
           .range = {{UINT64_C(0x3ff1000000001000), UINT64_C(0x3ff1000000001000), 0x39, 0x38}}),
    /* 65520 is halfway between the largest number and 65536 */
    RESULT(.status = CONFORM_FAILED, RAN(654321, 16, 0.5), .range_count = 1,
           .range = {{65520, 65535, 0x7bff, 0x7c00}}),
    RESULT(.status = CONFORM_BROKEN, .seconds = 1.5, .why = "ended by signal 11"),
    RESULT(.status = CONFORM_NOT_RUN, .why = "no GPU"),
    RESULT(.status = CONFORM_NOT_RUN, .why = "no GPU"),
    RESULT(.status = CONFORM_STALE, .why = "a record of torch 2.11",
           .origin = "NVIDIA Example & Co., driver 1.2.3, CUDA 13.0, 2026-11-20",
           .sass = "F2FP.SATFINITE.E4M3 F2F</script>"),
    /* every second code: 128 ranges, of which 64 are kept; filled by fake_fill */
    RESULT(.status = CONFORM_FAILED, RAN(256, 128, 0.001), .at_end = 1, .range_count = 128),
};

static void fake_fill(void)
{
    conform_result *r = &fake_results[FAKE_CASES - 1];
    for (uint64_t i = 0; i < CONFORM_RANGES; i++) {
        uint64_t right = sf8_convert(SF8_F16, SF8_E4M3FNUZ, 2 * i + 1, SF8_OCP_NOSAT);
        r->range[i] = (conform_range){2 * i + 1, 2 * i + 1, right ^ 1, right};
    }
}

#endif
