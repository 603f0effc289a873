/* SPDX-License-Identifier: MIT */
/* check_engine.c -- the engine on this processor: every subject that the host has too, the oracle
 *
 * The right codes come from the host subjects, which are compiled apart from the engine; those of
 * the oracle from the compiled library.
 */
#include "tests/sweeps.h"

#include "driver.h"

/* All words where there are at most 2^16, else a list; in one chunk, in several, in many. */
static void same_as_host(const gpu_subject *host)
{
    const gpu_device_subject *subject = device_subject(host->name);
    inputs in = host->in_bytes <= 2 ? all_words(8 * host->in_bytes)
                                    : some_words(8 * host->in_bytes);
    uint64_t *code[GPU_LANES];
    EXPECT(subject->in_bytes == host->in_bytes && subject->out_bytes == host->out_bytes &&
               subject->lanes == host->lanes && strcmp(subject->covers, host->covers) == 0,
           "%s", host->name);
    EXPECT(!subject->needs && gpu_source(subject->group), "%s", host->name);
    make_codes(code, in.count);
    host_codes(host, &in, code);
    gpu_sweep s = sweep_of(subject, &in);
    hold(&s, 0, code);
    hold(&s, in.count / 3 + 1, code);
    s.count = in.count < 200 ? in.count : 200;
    hold(&s, 7, code);
    hold(&s, 1, code);
    free_codes(code);
    free(in.word);
}

/* The numbers of a list: without one, the inputs from 0 on. */
static void list_is_the_same(void)
{
    inputs in = all_words(16);
    uint64_t *code[GPU_LANES];
    make_codes(code, in.count);
    host_codes(host_subject("halfraw2_to_fp8x2/e5m2/nosat"), &in, code);
    in.listed = 1;
    gpu_sweep s = sweep_of(device_subject("halfraw2_to_fp8x2/e5m2/nosat"), &in);
    hold(&s, 1000, code);
    free_codes(code);
    free(in.word);
}

/* ---- the oracle ------------------------------------------------------------------------------ */

/* The sums and differences that the device tells, against those of the library. */
static void oracle_agrees(const char *name, const inputs *in, sf8_format from, sf8_format to,
                          sf8_policy policy, int differs)
{
    const gpu_device_subject *subject = device_subject(name);
    uint64_t *code[GPU_LANES], sum = 0, weighted = 0, differ[GPU_LANES] = {0};
    make_codes(code, in->count);
    host_codes(host_subject(name), in, code);
    for (size_t i = 0; i < in->count; i++) {
        uint64_t right = sf8_convert(to, from, in->word[i], policy);
        sum += right;
        weighted += (i + 1) * right;
        for (int lane = 0; lane < subject->lanes; lane++)
            differ[lane] += right != code[lane][i];
    }
    gpu_sweep s = sweep_of(subject, in);
    s.check = 1;
    s.from = from;
    s.to = to;
    s.policy = policy;
    gpu_answer answer;
    gpu_shim_chunk = 5000;
    const char *error = gpu_run(&s, &answer);
    gpu_shim_chunk = 0;
    EXPECT(!error, "%s: %s", name, error ? error : "");
    for (int lane = 0; lane < subject->lanes && !error; lane++) {
        const gpu_lane *l = &answer.lane[lane];
        EXPECT(l->right_sum == sum && l->right_weighted == weighted, "%s: lane %d", name, lane);
        EXPECT(l->differ == differ[lane], "%s: lane %d: %llu differ, not %llu", name, lane,
               (unsigned long long)l->differ, (unsigned long long)differ[lane]);
        EXPECT((l->differ > 0) == differs, "%s: lane %d: %llu", name, lane,
               (unsigned long long)l->differ);
        hold_lane(name, l, code[lane], in->count);
    }
    gpu_answer_free(&answer);
    free_codes(code);
}

static void check_oracle(void)
{
    inputs f32 = some_words(32), f16 = all_words(16), f64 = some_words(64), byte = all_words(8);
    sf8_policy sat = sf8_policy_named("cuda-satfinite", NULL),
               nosat = sf8_policy_named("cuda-nosat", NULL);
    sf8_policy f64_sat = sf8_policy_named("cuda-satfinite-f64", NULL), up = sat, zero = sat;
    up.round = SF8_RU;
    zero.round = SF8_RZ;
    const char *pair = "float2_to_fp8x2/e4m3/satfinite", *half = "halfraw2_to_fp8x2/e4m3/satfinite";
    oracle_agrees(pair, &f32, SF8_F32, SF8_E4M3, sat, 0);
    oracle_agrees(pair, &f32, SF8_F32, SF8_E4M3, nosat, 1);
    oracle_agrees("class/fp8x4_e5m2/from/float4", &f32, SF8_F32, SF8_E5M2, sat, 0);
    oracle_agrees("class/fp8x4_e5m2/from/float4", &f32, SF8_F32, SF8_E5M2, zero, 1);
    oracle_agrees("float_to_fp6/e3m2/rz", &f32, SF8_F32, SF8_E3M2, zero, 0);
    oracle_agrees("float_to_fp6/e2m3/rne", &f32, SF8_F32, SF8_E2M3, sat, 0);
    oracle_agrees("float_to_fp4/e2m1/rne", &f32, SF8_F32, SF8_E2M1, sat, 0);
    oracle_agrees("float2_to_e8m0x2/satfinite/ru", &f32, SF8_F32, SF8_E8M0, up, 0);
    oracle_agrees("double2_to_fp8x2/e5m2/satfinite", &f64, SF8_F64, SF8_E5M2, f64_sat, 0);
    oracle_agrees(half, &f16, SF8_F16, SF8_E4M3, sat, 0);
    oracle_agrees(half, &f16, SF8_F16, SF8_E4M3, nosat, 1);
    oracle_agrees("fp8x2_to_halfraw2/e5m2", &byte, SF8_E5M2, SF8_F16, nosat, 0);
    oracle_agrees("class/fp8_e4m3/to/float", &byte, SF8_E4M3, SF8_F32, nosat, 0);
    free(f32.word);
    free(f16.word);
    free(f64.word);
    free(byte.word);

    /* One input by hand: 500 is 7e saturated, 7f = NaN not. */
    uint64_t word[] = {0x43fa0000};
    inputs one = {word, 1, 1};
    oracle_agrees(pair, &one, SF8_F32, SF8_E4M3, nosat, 1);
}

/* Of -NaN, -1, -0, 1 under a policy that keeps the sign of NaN: ff stays, what is negative is 0. */
static void check_relu(void)
{
    uint64_t word[] = {0xffc00000, 0xbf800000, 0x80000000, 0x3f800000};
    inputs in = {word, 4, 1};
    gpu_sweep s = sweep_of(device_subject("float_to_fp8/e4m3/satfinite"), &in);
    gpu_answer answer;
    s.check = 1;
    s.from = SF8_F32;
    s.to = SF8_E4M3;
    s.policy = sf8_policy_named("cuda-satfinite-f64", NULL);
    s.relu = 1;
    const char *error = gpu_run(&s, &answer);
    EXPECT(!error, "%s", error ? error : "");
    EXPECT(answer.lane[0].right_sum == 0xff + 0x38, "%llx",
           (unsigned long long)answer.lane[0].right_sum);
    EXPECT(answer.lane[0].right_weighted == 0xff + 4 * 0x38, "%llx",
           (unsigned long long)answer.lane[0].right_weighted);
    EXPECT(answer.lane[0].differ == 3, "%llu", (unsigned long long)answer.lane[0].differ);
    gpu_answer_free(&answer);
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* 0 and 1.0 by turns: a row each. 1.0 is 38. */
static void check_too_many(uint64_t chunk, size_t count, int too_many)
{
    inputs in = {memory(count * sizeof(uint64_t)), count, 1};
    for (size_t i = 1; i < count; i += 2)
        in.word[i] = 0x3f800000;
    gpu_sweep s = sweep_of(device_subject("float_to_fp8/e4m3/satfinite"), &in);
    gpu_answer answer;
    gpu_shim_chunk = chunk;
    const char *error = gpu_run(&s, &answer);
    gpu_shim_chunk = 0;
    EXPECT(!error, "%s", error ? error : "");
    EXPECT(answer.too_many == too_many, "%zu inputs", count);
    EXPECT(answer.lane[0].rows == (too_many ? 0 : count), "%zu rows", answer.lane[0].rows);
    EXPECT((answer.lane[0].row == NULL) == too_many, "%zu inputs", count);
    uint64_t ones = count / 2;
    EXPECT(answer.lane[0].sum == 0x38 * ones, "%zu inputs", count);
    EXPECT(answer.lane[0].weighted == 0x38 * ones * (ones + 1), "%zu inputs", count);
    gpu_answer_free(&answer);
    EXPECT(answer.lane[0].sum == 0 && answer.lanes == 0, "freed");
    free(in.word);
}

static void check_limits(void)
{
    size_t room = (size_t)1 << 20;
    check_too_many(0, room, 0);
    check_too_many(0, room + 2, 1);                 /* in two chunks */
    check_too_many((uint64_t)1 << 21, room + 2, 1); /* in one */
    check_too_many((uint64_t)1 << 21, room, 0);

    gpu_answer answer;
    inputs none = {NULL, 0, 0};
    gpu_sweep s = sweep_of(device_subject("float2_to_fp8x2/e4m3/satfinite"), &none);
    EXPECT(!gpu_run(&s, &answer) && answer.lanes == 2 && answer.lane[0].rows == 0 &&
               answer.lane[1].sum == 0,
           "nothing asked");
    gpu_answer_free(&answer);

    gpu_device_subject stranger = *s.subject;
    s.subject = &stranger;
    const char *error = gpu_run(&s, &answer);
    EXPECT(error && strcmp(error, "not a subject of the list") == 0, "%s", error ? error : "ran");
}

/* ---- what is around it ----------------------------------------------------------------------- */

static void check_driver(const char *text, const char *right)
{
    char version[16] = "";
    int found = gpu_driver_version(text, version, sizeof version);
    EXPECT(found == (right[0] != 0) && strcmp(version, right) == 0, "%s: %s", text, version);
}

static void check_around(void)
{
    /* Lines as the kernel module of NVIDIA prints them. */
    check_driver("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release "
                 "Build  (dvs-builder@U22)  Tue Sep 23\nGCC version:  gcc version 12.3.0\n",
                 "580.95.05");
    check_driver("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19", //
                 "535.104.05");
    check_driver("", "");
    check_driver("NVRM version: none\n12 x86_64 v1.2", "");
    check_driver("1234567890.1234567890", "");

    gpu_device device;
    EXPECT(!gpu_open(&device) && device.emulated && strcmp(device.target, "sm_100a") == 0, "%s",
           device.target);
    EXPECT(!gpu_source("fp"), "no such group");
    EXPECT(strlen(gpu_source("ptx")) == 64 && strcmp(gpu_source("ptx"), gpu_source("kv")) != 0,
           "%s", gpu_source("ptx"));
    EXPECT(!gpu_device_sass(device_subject("float_to_fp8/e4m3/satfinite")), "no machine code");
}

int main(void)
{
    size_t count, all;
    const gpu_subject *host = gpu_host_subjects(&count);
    gpu_device_subjects(&all);
    EXPECT(count > 300 && all > count, "%zu subjects, %zu", count, all);
    for (size_t i = 0; i < count; i++)
        same_as_host(&host[i]);
    list_is_the_same();
    check_oracle();
    check_relu();
    check_limits();
    check_around();
    printf("%zu subjects, %d failures\n", count, failures);
    return failures != 0;
}
