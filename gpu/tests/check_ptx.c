/* SPDX-License-Identifier: MIT */
/* check_ptx.c -- the models of the PTX instructions, and the random bits of cvt.rs
 *
 * Plain instructions give what the host subject of the same conversion gives. With .relu negative
 * results become 0, as PTX ISA 9.0 says ("Clamps negative result to 0"). cvt.rs is compared with
 * its rule, computed in double: it rounds away from zero if the fraction between two neighbours
 * plus R / 2^16 reaches 1.
 */
#include "tests/sweeps.h"

typedef struct twin {
    const char *name, *host; /* "cvt.rn.satfinite%s.e4m3x2.f32": with .relu and without */
    uint64_t sign, top;      /* the sign bit, the largest magnitude that is no NaN */
} twin;

static const twin twins[] = {
    {"cvt.rn.satfinite%s.e4m3x2.f32", "float2_to_fp8x2/e4m3/satfinite", 0x80, 0x7e},
    {"cvt.rn.satfinite%s.e5m2x2.f32", "float2_to_fp8x2/e5m2/satfinite", 0x80, 0x7c},
    {"cvt.rn.satfinite%s.e4m3x2.f16x2", "halfraw2_to_fp8x2/e4m3/satfinite", 0x80, 0x7e},
    {"cvt.rn.satfinite%s.e5m2x2.f16x2", "halfraw2_to_fp8x2/e5m2/satfinite", 0x80, 0x7c},
    {"cvt.rn%s.f16x2.e4m3x2", "fp8x2_to_halfraw2/e4m3", 0x8000, 0x7c00},
    {"cvt.rn%s.f16x2.e5m2x2", "fp8x2_to_halfraw2/e5m2", 0x8000, 0x7c00},
    {"cvt.rn.satfinite%s.e2m1x2.f32", "float2_to_fp4x2/e2m1/rne", 0x8, 0x7},
    {"cvt.rn.satfinite%s.e2m3x2.f32", "float2_to_fp6x2/e2m3/rne", 0x20, 0x1f},
    {"cvt.rn.satfinite%s.e3m2x2.f32", "float2_to_fp6x2/e3m2/rne", 0x20, 0x1f},
    {"cvt.rn.satfinite%s.e2m1x2.f16x2", "halfraw2_to_fp4x2/e2m1/rne", 0x8, 0x7},
    {"cvt.rn%s.f16x2.e2m1x2", "fp4x2_to_halfraw2/e2m1", 0x8000, 0x7c00},
    {"cvt.rn%s.f16x2.e2m3x2", "fp6x2_to_halfraw2/e2m3", 0x8000, 0x7c00},
    {"cvt.rn%s.f16x2.e3m2x2", "fp6x2_to_halfraw2/e3m2", 0x8000, 0x7c00},
    {"cvt.rz.ue8m0x2.f32", "float2_to_e8m0x2/nosat/rz", 0, 0},
    {"cvt.rz.satfinite.ue8m0x2.f32", "float2_to_e8m0x2/satfinite/rz", 0, 0},
    {"cvt.rp.ue8m0x2.f32", "float2_to_e8m0x2/nosat/ru", 0, 0},
    {"cvt.rp.satfinite.ue8m0x2.f32", "float2_to_e8m0x2/satfinite/ru", 0, 0},
    {"cvt.rz.ue8m0x2.bf16x2", "bfloat162raw_to_e8m0x2/nosat/rz", 0, 0},
    {"cvt.rz.satfinite.ue8m0x2.bf16x2", "bfloat162raw_to_e8m0x2/satfinite/rz", 0, 0},
    {"cvt.rp.ue8m0x2.bf16x2", "bfloat162raw_to_e8m0x2/nosat/ru", 0, 0},
    {"cvt.rp.satfinite.ue8m0x2.bf16x2", "bfloat162raw_to_e8m0x2/satfinite/ru", 0, 0},
    {"cvt.rn.bf16x2.ue8m0x2", "e8m0x2_to_bf162raw", 0, 0},
};

static size_t held; /* rows of rows_ptx.h */

/* FP6 and FP4 decode what a code of theirs can be. */
static void check_twin(const twin *t, int relu)
{
    char name[64];
    snprintf(name, sizeof name, t->name, relu ? ".relu" : "");
    const gpu_device_subject *subject = device_subject(name);
    const gpu_subject *host = host_subject(t->host);
    int fp6 = strstr(name, ".f16x2.e2m3") || strstr(name, ".f16x2.e3m2");
    int fp4 = strstr(name, ".f16x2.e2m1") != NULL;
    inputs in = host->in_bytes == 4 ? some_words(32)
                                    : all_words(fp4   ? 4
                                                : fp6 ? 6
                                                      : 8 * host->in_bytes);
    uint64_t *code[GPU_LANES];
    make_codes(code, in.count);
    host_codes(host, &in, code);
    for (int lane = 0; lane < host->lanes && relu; lane++) {
        for (size_t i = 0; i < in.count; i++) {
            if (code[lane][i] & t->sign && (code[lane][i] & (t->sign - 1)) <= t->top)
                code[lane][i] = 0;
        }
    }
    EXPECT(!subject->covers && strcmp(subject->group, "ptx") == 0, "%s", name);
    EXPECT((subject->needs == NULL) ==
               (!strstr(name, "ue8m0") && (strstr(name, "e4m3") || strstr(name, "e5m2"))),
           "%s", name);
    gpu_sweep s = sweep_of(subject, &in);
    hold(&s, 0, code);
    hold(&s, 333, code);
    free_codes(code);
    free(in.word);
    held++;
}

/* ---- cvt.rs ---------------------------------------------------------------------------------- */

typedef struct stochastic {
    const char *name;
    sf8_format format;
    int bytes;
    uint64_t sign, max;
} stochastic;

/* The rule: the number below is the one rounded toward zero, the one above has the next code. */
static uint64_t stochastic_code(const stochastic *t, uint32_t bits, uint32_t r, int relu)
{
    sf8_policy zero = sf8_policy_named("ptx", NULL);
    zero.round = SF8_RZ;
    float x;
    memcpy(&x, &bits, sizeof x);
    uint64_t code = sf8_convert(t->format, SF8_F32, bits, zero);
    if (x != x)
        return code;
    uint64_t below = code & ~t->sign;
    if (below < t->max) {
        double lo = sf8_f64_from_bits(sf8_convert(SF8_F64, t->format, below, SF8_OCP));
        double hi = sf8_f64_from_bits(sf8_convert(SF8_F64, t->format, below + 1, SF8_OCP));
        double magnitude = x < 0 ? -(double)x : (double)x;
        if ((magnitude - lo) / (hi - lo) * 65536 + r >= 65536)
            code++;
    }
    return relu && code & t->sign ? 0 : code;
}

static void check_stochastic(const stochastic *t, uint32_t word, int relu)
{
    char name[64];
    snprintf(name, sizeof name, "cvt.rs%s.satfinite.%sx4.f32/rbits=%08x", relu ? ".relu" : "",
             t->name, (unsigned)word);
    const gpu_device_subject *subject = device_subject(name);
    inputs in = some_words(32);
    uint64_t *code[GPU_LANES];
    gpu_sweep s = sweep_of(subject, &in);
    make_codes(code, in.count);
    for (int lane = 0; lane < 4; lane++) {
        s.random[lane] = gpu_rbits_slice(t->bytes, word, lane);
        for (size_t i = 0; i < in.count; i++)
            code[lane][i] = stochastic_code(t, (uint32_t)in.word[i], s.random[lane], relu);
    }
    EXPECT(subject->needs && strcmp(subject->needs, "sm_100a") == 0, "%s", name);
    hold(&s, 1000, code);

    /* The oracle beside it says the same. */
    gpu_answer answer;
    s.check = 1;
    s.from = SF8_F32;
    s.to = t->format;
    s.policy = sf8_policy_named("ptx", NULL);
    s.policy.round = SF8_SR;
    s.policy.sr_bits = 16;
    s.relu = relu;
    const char *error = gpu_run(&s, &answer);
    EXPECT(!error, "%s: %s", name, error ? error : "");
    for (int lane = 0; lane < answer.lanes; lane++)
        EXPECT(answer.lane[lane].differ == 0 &&
                   answer.lane[lane].right_weighted == answer.lane[lane].weighted,
               "%s: lane %d", name, lane);
    gpu_answer_free(&answer);

    /* And with the bits of the next lane it does not, unless there is no difference. */
    for (int lane = 0; lane < 4; lane++)
        s.random[lane] = gpu_rbits_slice(t->bytes, word, lane ^ 1);
    error = gpu_run(&s, &answer);
    EXPECT(!error, "%s: %s", name, error ? error : "");
    int alike = gpu_rbits_slice(t->bytes, word, 0) == s.random[0];
    EXPECT((answer.lane[0].differ == 0) == alike, "%s", name);
    gpu_answer_free(&answer);
    free_codes(code);
    free(in.word);
    held++;
}

/* The same value in four lanes, for which the codes are known: halfway between two codes. */
static void check_halfway(const char *name, uint64_t value, const uint64_t *right)
{
    uint64_t *code[GPU_LANES];
    inputs in = {&value, 1, 1};
    gpu_sweep s = sweep_of(device_subject(name), &in);
    make_codes(code, 1);
    for (int lane = 0; lane < 4; lane++)
        code[lane][0] = right[lane];
    hold(&s, 0, code);
    free_codes(code);
}

static void check_slices(void)
{
    /* By hand from the description: for bytes the halves of the word, each and reversed; else bytes
     * 2 and 0, and 3 and 1. 5678 reversed is 1e6a, 1234 reversed 2c48. */
    static const struct {
        int bytes;
        uint32_t word, slice[4];
    } rows[] = {
        {1, 0x12345678, {0x5678, 0x1e6a, 0x1234, 0x2c48}},
        {1, 0x80000001, {0x0001, 0x8000, 0x8000, 0x0001}},
        {1, 0x80008000, {0x8000, 0x0001, 0x8000, 0x0001}},
        {0, 0x12345678, {0x3478, 0x1e2c, 0x1256, 0x6a48}},
        {0, 0x80000001, {0x0001, 0x8000, 0x8000, 0x0001}},
        {0, 0x00ff0000, {0xff00, 0x00ff, 0x0000, 0x0000}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int lane = 0; lane < 4; lane++)
            EXPECT(gpu_rbits_slice(rows[i].bytes, rows[i].word, lane) == rows[i].slice[lane],
                   "%08x, lane %d: %04x", (unsigned)rows[i].word, lane,
                   (unsigned)gpu_rbits_slice(rows[i].bytes, rows[i].word, lane));
    }
    /* 1.0625 lies between 38 and 39 of e4m3, 1.25 between 2 and 3 of e2m1. */
    check_halfway("cvt.rs.satfinite.e4m3x4.f32/rbits=80008000", 0x3f880000,
                  (const uint64_t[]){0x39, 0x38, 0x39, 0x38});
    check_halfway("cvt.rs.satfinite.e4m3x4.f32/rbits=80000001", 0x3f880000,
                  (const uint64_t[]){0x38, 0x39, 0x39, 0x38});
    check_halfway("cvt.rs.satfinite.e2m1x4.f32/rbits=80000001", 0x3fa00000,
                  (const uint64_t[]){2, 3, 3, 2});
    check_halfway("cvt.rs.satfinite.e2m1x4.f32/rbits=80000001", 0xbfa00000,
                  (const uint64_t[]){0xa, 0xb, 0xb, 0xa});
    check_halfway("cvt.rs.relu.satfinite.e2m1x4.f32/rbits=80000001", 0xbfa00000,
                  (const uint64_t[]){0, 0, 0, 0});
}

int main(void)
{
    const stochastic formats[] = {
        {"e4m3", SF8_E4M3, 1, 0x80, 0x7e}, {"e5m2", SF8_E5M2, 1, 0x80, 0x7b},
        {"e2m3", SF8_E2M3, 1, 0x20, 0x1f}, {"e3m2", SF8_E3M2, 1, 0x20, 0x1f},
        {"e2m1", SF8_E2M1, 0, 0x8, 0x7},
    };
    const uint32_t words[] = {0, 0xffffffff, 0x80008000, 0x00010001, 0x12345678, 0x80000001};
    size_t host, all;
    for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++) {
        check_twin(&twins[i], 0);
        if (strstr(twins[i].name, "%s"))
            check_twin(&twins[i], 1);
    }
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 6; k++) {
            check_stochastic(&formats[i], words[k], 0);
            check_stochastic(&formats[i], words[k], 1);
        }
    }
    check_slices();
    gpu_host_subjects(&host);
    gpu_device_subjects(&all);
    EXPECT(host + held == all, "%zu of %zu rows", held, all - host);
    printf("%zu instructions, %d failures\n", held, failures);
    return failures != 0;
}
