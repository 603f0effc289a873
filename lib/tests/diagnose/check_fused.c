/* SPDX-License-Identifier: MIT */
/* check_fused.c -- what a fused kernel computes is named from its codes and scales; the innocent
 * are not accused
 *
 * Each kernel is imitated by a stage. Those of NAMED differ from what is stated in one or two
 * things, and the words of the explanation are those of the table. Kernels that only sum in an
 * order that nobody knows are excused, and codes that nothing gives are not explained.
 */
#include "diagnose_check.h"
#include "softfp8_fused.h"

enum { ROWS = 24, COLUMNS = 160, CODES = ROWS * COLUMNS };

static uint32_t x[CODES], w[COLUMNS], r[CODES], cosines[COLUMNS], sines[COLUMNS];
static uint32_t negative[COLUMNS + CODES]; /* the sines, then r */

static const sf8_stage_input inputs[] = {{"W", w, 1, COLUMNS},
                                         {"R", r, ROWS, COLUMNS},
                                         {"H", w, 1, COLUMNS / 2},
                                         {"C", cosines, 1, COLUMNS / 2},
                                         {"S", sines, 1, COLUMNS / 2},
                                         {"B", w + 1, 1, 1},
                                         {"G", cosines, 1, 32},
                                         {"-S", negative, 1, COLUMNS / 2},
                                         {"-R", negative + COLUMNS, ROWS, COLUMNS}};

enum { INPUTS = sizeof inputs / sizeof inputs[0] };

typedef struct kernel {
    uint8_t codes[CODES];
    uint32_t scales[CODES];
    size_t count, blocks; /* codes, and scales */
} kernel;

static uint64_t state = 59;

static uint32_t any(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

/* A number of bf16 with a magnitude from 2^-3 to 4. */
static uint32_t some(void)
{
    return (any() & 0x807f0000u) | (124 + any() % 5) << 23;
}

static void fill(void)
{
    for (size_t i = 0; i < CODES; i++) {
        x[i] = some();
        r[i] = some();
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        w[i] = (some() & 0x7fffffffu);
        cosines[i] = some();
        sines[i] = some();
        negative[i] = sines[i] ^ 0x80000000u;
    }
    for (size_t i = 0; i < CODES; i++)
        negative[COLUMNS + i] = r[i] ^ 0x80000000u;
}

static sf8_recipe recipe_of(const char *name)
{
    sf8_recipe recipe;
    holds(name, sf8_recipe_named(&recipe, name) == SF8_OK);
    return recipe;
}

/* Computes a stage and quantizes the result in the format of its last step. */
static void imitate(kernel *k, const char *text, const sf8_recipe *recipe)
{
    static uint32_t y[CODES];
    static uint16_t half[CODES];
    static sf8_span work[3 * COLUMNS];
    sf8_stage stage;
    holds(text, sf8_stage_read(text, &stage, NULL) == SF8_OK);
    size_t width = sf8_stage_columns(&stage, COLUMNS);
    uint32_t via = stage.step[stage.count - 1].via;
    sf8_format of = via == SF8_STEP_BF16 ? SF8_BF16 : via == SF8_STEP_F16 ? SF8_F16 : SF8_F32;
    holds(text, sf8_stage_run(&stage, y, x, ROWS, COLUMNS, inputs, INPUTS, work) == SF8_OK);
    for (size_t i = 0; i < ROWS * width; i++)
        half[i] = (uint16_t)sf8_convert(via ? of : SF8_F16, SF8_F32, y[i], SF8_OCP_NOSAT);
    holds(text, sf8_quantize_n(recipe, k->codes, k->scales, NULL, of, via ? (const void *)half : y,
                               ROWS, width, 1) == SF8_OK);
    k->count = ROWS * width;
    k->blocks = ROWS * sf8_recipe_blocks(recipe, width);
}

static sf8_fused_diagnosis *diagnose(const kernel *k, const char *stated, const sf8_recipe *recipe,
                                     int scales)
{
    sf8_stage stage;
    sf8_fused_diagnosis *d;
    holds(stated, sf8_stage_read(stated, &stage, NULL) == SF8_OK);
    const sf8_fused_results results = {.stage = &stage,
                                       .x = x,
                                       .rows = ROWS,
                                       .columns = COLUMNS,
                                       .inputs = inputs,
                                       .input_count = INPUTS,
                                       .recipe = recipe,
                                       .g = 1,
                                       .codes = k->codes,
                                       .scales = scales ? k->scales : NULL};
    holds(stated, sf8_diagnose_fused(&results, &d) == SF8_OK);
    return d;
}

static int names(const sf8_fused_diagnosis *d, const char *words)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->list[i].words, words) == 0)
            return 1;
    return 0;
}

/* Whether the stage is as stated, or with a change in these words, and the quantizer is otherwise.
 */
static int quantizer(const sf8_fused_diagnosis *d, const char *words)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->list[i].quantizer, words) == 0)
            return 1;
    return 0;
}

/* ---- what is named --------------------------------------------------------------------------- */

static const struct {
    const char *stated, *kernel, *words;
} named[] = {
    {"rms-norm w=W mid=bf16 via=bf16", "rms-norm w=W via=bf16",
     "keeps f32 within rms-norm, where the stage rounds to bf16"},
    {"rms-norm w=W via=bf16", "rms-norm w=W",
     "keeps f32 after rms-norm, where the stage rounds to bf16"},
    {"rms-norm w=W", "rms-norm w=W via=bf16",
     "rounds to bf16 after rms-norm, where the stage keeps f32"},
    {"rms-norm w=W via=bf16", "rms-norm w=W via=f16",
     "rounds to f16 to nearest after rms-norm, not to bf16 as stated"},
    {"rms-norm w=W via=bf16", "rms-norm w=W weight=w+1 via=bf16",
     "multiplies by w + 1 in rms-norm, where the stage has w"},
    {"rms-norm w=W weight=w+1", "rms-norm w=W",
     "multiplies by w in rms-norm, where the stage has w + 1"},
    {"rms-norm w=W eps=0.01", "rms-norm w=W eps=0.01 eps-at=outside",
     "adds eps of rms-norm outside the root, not inside"},
    {"rms-norm w=W eps=0.01", "rms-norm w=W eps=0", "leaves out eps of rms-norm"},
    {"rms-norm w=W eps=0.01", "rms-norm w=W eps=1e-5", "has an eps of 1e-5 in rms-norm"},
    {"add r=R | rms-norm w=W", "add r=R via=bf16 | rms-norm w=W",
     "rounds to bf16 after add, where the stage keeps f32"},
    {"add r=R via=bf16 | rms-norm w=W", "add r=R | rms-norm w=W",
     "keeps f32 after add, where the stage rounds to bf16"},
    {"add r=R | rms-norm w=W", "round | rms-norm w=W", "leaves out add"},
    {"add r=R | rms-norm w=W", "rms-norm w=W | add r=R", "computes rms-norm before add"},
    {"rms-norm w=W | multiply by=W", "multiply by=W | rms-norm w=W",
     "computes multiply before rms-norm"},
    {"add r=R", "add r=-R", "subtracts R, which the stage adds"},
    {"rms-norm w=W", "rms-norm", "leaves out the weight of rms-norm"},
    {"layer-norm w=W b=B", "layer-norm w=W", "leaves out the bias of layer-norm"},
    {"rms-norm w=W", "layer-norm w=W eps=1e-6",
     "computes layer-norm, where the stage has rms-norm"},
    {"rms-norm eps=0.01", "rms-norm eps=1e-3", "has an eps of 1e-3 in rms-norm"},
    {"add r=R | rms-norm", "add r=R", "leaves out rms-norm"},
    {"silu-gate", "gelu-gate", "computes gelu, where the stage has silu"},
    {"silu-gate via=bf16", "gelu-tanh-gate via=bf16",
     "computes gelu-tanh, where the stage has silu"},
    {"gelu-gate", "gelu-tanh-gate", "computes gelu-tanh, where the stage has gelu"},
    {"relu2", "relu", "computes relu, where the stage has relu2"},
    {"relu2 via=bf16", "silu via=bf16", "computes silu, where the stage has relu2"},
    {"gelu-tanh-gate", "relu2-gate", "computes relu2, where the stage has gelu-tanh"},
    {"swiglu-clamp limit=1", "swiglu-clamp limit=100", "does not clamp in swiglu-clamp"},
    {"divide by=W", "multiply by=W", "computes multiply, where the stage has divide"},
    {"multiply by=W via=bf16", "divide by=W via=bf16",
     "computes divide, where the stage has multiply"},
    {"rope cos=C sin=S", "rope cos=C sin=-S",
     "turns the other way in rope, as with the wrong sign of sin"},
    {"rope cos=C sin=S", "rope cos=S sin=C", "exchanges cos and sin in rope"},
    {"hadamard size=32 signs=G", "hadamard size=32", "leaves out the signs of hadamard"},
    {"layer-norm w=W via=bf16", "layer-norm w=W",
     "keeps f32 after layer-norm, where the stage rounds to bf16"},
    {"relu2 via=bf16", "relu2", "keeps f32 after relu2, where the stage rounds to bf16"},
    {"relu2", "relu2 via=bf16", "rounds to bf16 after relu2, where the stage keeps f32"},
    {"silu-gate mid=bf16 via=bf16", "silu-gate via=bf16",
     "keeps f32 within silu, where the stage rounds to bf16"},
    {"silu-gate via=bf16", "silu-gate", "keeps f32 after silu, where the stage rounds to bf16"},
    {"silu-gate", "silu-gate mid=bf16", "rounds to bf16 within silu, where the stage keeps f32"},
    {"silu-gate", "silu-gate gate=second", "takes the other half for the gate of silu"},
    {"silu-gate", "silu-gate gate=even", "takes even elements for the gate of silu, not a half"},
    {"swiglu-clamp", "swiglu-clamp gate=first",
     "takes the first half for the gate of swiglu-clamp"},
    {"gelu-gate mid=bf16", "gelu-gate", "keeps f32 within gelu, where the stage rounds to bf16"},
    {"multiply by=W", "round", "leaves out multiply"},
    {"rope cos=C sin=S", "rope cos=C sin=S style=interleaved",
     "turns neighbours in rope, not halves"},
    {"rope cos=C sin=S", "rope cos=C sin=S mid=bf16",
     "rounds to bf16 within rope, where the stage keeps f32"},
    {"softmax via=bf16", "softmax", "keeps f32 after softmax, where the stage rounds to bf16"},
    {"hadamard size=32 via=bf16", "hadamard size=32",
     "keeps f32 after hadamard, where the stage rounds to bf16"},
    {"silu-gate | multiply by=H", "via=bf16 | silu-gate | multiply by=H", NULL},
    {"rms-norm w=W mid=bf16 via=bf16", "rms-norm w=W",
     "keeps f32 within rms-norm, where the stage rounds to bf16, and keeps f32 after rms-norm, "
     "where the stage rounds to bf16"},
    {"add r=R | rms-norm w=W via=bf16", "add r=R via=bf16 | rms-norm w=W weight=w+1 via=bf16",
     "rounds to bf16 after add, where the stage keeps f32, and multiplies by w + 1 in rms-norm, "
     "where the stage has w"},
};

static void check_named(const char *recipe_name)
{
    sf8_recipe recipe = recipe_of(recipe_name);
    static kernel k;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        imitate(&k, named[i].kernel, &recipe);
        sf8_fused_diagnosis *d = diagnose(&k, named[i].stated, &recipe, 1);
        if (!named[i].words) { /* bf16 inputs are rounded to bf16: nothing changes */
            holds(named[i].kernel, d->verdict == SF8_FUSED_EQUAL && d->count == 0);
        } else {
            int right = d->verdict == SF8_FUSED_CHANGED && names(d, named[i].words) &&
                        d->list[0].codes == 0 && d->list[0].scales == 0;
            if (!right)
                printf("%s by %s: %s\n", named[i].kernel, recipe_name, d->message);
            holds(named[i].kernel, right);
        }
        sf8_fused_diagnosis_free(d);
    }
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The scales of f32 values, and by these the codes of the values rounded to bf16: x / s. */
static void check_early_scales(void)
{
    static const char stated[] = "rms-norm w=W via=bf16";
    static kernel k;
    static uint32_t y[CODES];
    static sf8_span work[3 * COLUMNS];
    sf8_recipe recipe = recipe_of("fp8-per-token");
    sf8_stage stage;
    imitate(&k, "rms-norm w=W", &recipe);
    sf8_stage_read(stated, &stage, NULL);
    sf8_stage_run(&stage, y, x, ROWS, COLUMNS, inputs, INPUTS, work);
    for (size_t i = 0; i < CODES; i++) {
        float quotient = float_of(y[i]) / float_of(k.scales[i / COLUMNS]);
        uint32_t bits;
        memcpy(&bits, &quotient, sizeof bits);
        k.codes[i] = (uint8_t)sf8_convert(SF8_E4M3, SF8_F32, bits, SF8_OCP);
    }
    sf8_fused_diagnosis *d = diagnose(&k, stated, &recipe, 1);
    holds("scales of the values before they are rounded",
          d->verdict == SF8_FUSED_CHANGED && d->list[0].codes + d->list[0].scales == 0 &&
              quantizer(d, "it takes the scales from the result of rms-norm before it is rounded"));
    sf8_fused_diagnosis_free(d);
}

/* A kernel that keeps f32 and cuts its codes. */
static void check_cast(void)
{
    sf8_recipe recipe = recipe_of("fp8-per-token"), cut = recipe;
    static kernel k;
    cut.element_policy.round = SF8_RZ;
    imitate(&k, "rms-norm w=W", &cut);
    sf8_fused_diagnosis *d = diagnose(&k, "rms-norm w=W via=bf16", &recipe, 1);
    holds("a cast toward zero",
          d->verdict == SF8_FUSED_CHANGED && quantizer(d, "its cast: rounds toward zero") &&
              names(d, "keeps f32 after rms-norm, where the stage rounds to bf16"));
    sf8_fused_diagnosis_free(d);
}

/* ---- the innocent ---------------------------------------------------------------------------- */

/* Kernels that compute what is stated, in orders that the search does not know. */
static void check_innocent(const char *recipe_name)
{
    static const char *const pairs[][2] = {
        {"rms-norm w=W via=bf16", "rms-norm w=W order=7x3/chain via=bf16"},
        {"rms-norm w=W", "rms-norm w=W order=12x1 rstd=twice"},
        {"add r=R | rms-norm w=W mid=bf16 via=bf16",
         "add r=R | rms-norm w=W order=5x5 mid=bf16 via=bf16"},
        {"layer-norm w=W", "layer-norm w=W order=9x2/chain"},
        {"softmax", "softmax order=6x1 form=product"},
        {"silu-gate via=bf16", "silu-gate form=product exp=2 via=bf16"},
    };
    sf8_recipe recipe = recipe_of(recipe_name);
    static kernel k;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        imitate(&k, pairs[i][1], &recipe);
        sf8_fused_diagnosis *d = diagnose(&k, pairs[i][0], &recipe, 1);
        if (d->verdict > SF8_FUSED_EXCUSED)
            printf("%s by %s: %s\n", pairs[i][1], recipe_name, d->message);
        holds(pairs[i][1], d->verdict <= SF8_FUSED_EXCUSED);
        sf8_fused_diagnosis_free(d);
        imitate(&k, pairs[i][0], &recipe);
        d = diagnose(&k, pairs[i][0], &recipe, 1);
        holds(pairs[i][0], d->verdict == SF8_FUSED_EQUAL && d->codes_differ == 0 &&
                               d->scales_differ == 0 && d->codes == k.count &&
                               d->scales == k.blocks);
        sf8_fused_diagnosis_free(d);
    }
}

/* A few codes that are one off, and noise: never excused, never explained. */
static void check_noise(int flips)
{
    sf8_recipe recipe = recipe_of("fp8-per-token");
    static kernel k;
    imitate(&k, "rms-norm w=W via=bf16", &recipe);
    for (int i = 0; i < flips; i++)
        k.codes[any() % k.count] ^= flips > 100 ? (uint8_t)any() & 0x7f : 4;
    sf8_fused_diagnosis *d = diagnose(&k, "rms-norm w=W via=bf16", &recipe, 1);
    if (d->verdict < SF8_FUSED_NEAREST)
        printf("noise: %s\n", d->message);
    holds("noise is not explained", d->verdict >= SF8_FUSED_NEAREST);
    sf8_fused_diagnosis_free(d);
}

/* A scale that is a little too large, with codes that belong to it. */
static void check_large_scales(void)
{
    sf8_recipe recipe = recipe_of("fp8-per-token");
    static kernel k, right;
    imitate(&right, "rms-norm w=W via=bf16", &recipe);
    imitate(&k, "rms-norm w=W via=bf16", &recipe);
    for (size_t i = 0; i < k.blocks; i++)
        k.scales[i] += 0x8000; /* about 0.4 % */
    sf8_fused_diagnosis *d = diagnose(&k, "rms-norm w=W via=bf16", &recipe, 1);
    holds("scales that are 0.4 % too large", d->verdict >= SF8_FUSED_NEAREST && d->outside > 0);
    sf8_fused_diagnosis_free(d);
}

/* Without scales, codes alone are compared. */
static void check_codes_alone(void)
{
    sf8_recipe recipe = recipe_of("mxfp8-te");
    static kernel k;
    imitate(&k, "relu2", &recipe);
    memset(k.scales, 0xaa, sizeof k.scales);
    sf8_fused_diagnosis *d = diagnose(&k, "relu2 via=bf16", &recipe, 0);
    holds("codes without scales", d->verdict == SF8_FUSED_CHANGED && d->scales == 0 &&
                                      names(d, "keeps f32 after relu2, where the stage rounds to "
                                               "bf16"));
    sf8_fused_diagnosis_free(d);
}

static void check_calls(void)
{
    sf8_recipe recipe = recipe_of("mxfp8-te");
    static kernel k;
    sf8_stage stage;
    sf8_fused_diagnosis *d = (sf8_fused_diagnosis *)&k;
    sf8_stage_read("rms-norm w=MISSING", &stage, NULL);
    sf8_fused_results results = {.stage = &stage,
                                 .x = x,
                                 .rows = ROWS,
                                 .columns = COLUMNS,
                                 .inputs = inputs,
                                 .input_count = INPUTS,
                                 .recipe = &recipe,
                                 .codes = k.codes};
    holds("an array that is missing", sf8_diagnose_fused(&results, &d) == SF8_BAD_CALL && !d);
    sf8_stage_read("relu", &stage, NULL);
    results.codes = NULL;
    holds("no codes", sf8_diagnose_fused(&results, &d) == SF8_BAD_CALL && !d);
    holds("no results", sf8_diagnose_fused(NULL, &d) == SF8_BAD_CALL);
    sf8_fused_diagnosis_free(NULL);
}

/* Two rows with a change, for what happens without memory. */
static sf8_status diagnose_few(void)
{
    static kernel k;
    sf8_recipe recipe = recipe_of("mxfp8-te");
    sf8_stage stage;
    sf8_fused_diagnosis *d;
    imitate(&k, "relu2", &recipe);
    sf8_stage_read("relu2 via=bf16", &stage, NULL);
    const sf8_fused_results results = {.stage = &stage,
                                       .x = x,
                                       .rows = 2,
                                       .columns = COLUMNS,
                                       .recipe = &recipe,
                                       .codes = k.codes,
                                       .scales = k.scales};
    sf8_status status = sf8_diagnose_fused(&results, &d);
    sf8_fused_diagnosis_free(d);
    return status;
}

int main(void)
{
    fill();
    check_named("fp8-per-token");
    check_named("mxfp8-te");
    check_innocent("fp8-per-token");
    check_innocent("mxfp8-te");
    check_early_scales();
    check_cast();
    for (int i = 0; i < 3; i++)
        check_noise(5);
    check_noise(2000);
    check_large_scales();
    check_codes_alone();
    check_calls();
    check_memory(diagnose_few);
    if (failures == 0)
        puts("held");
    return failures != 0;
}
