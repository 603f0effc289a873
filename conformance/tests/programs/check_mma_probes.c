/* SPDX-License-Identifier: MIT */
/* check_mma_probes.c -- the model gives the predicted result of each probe, its rivals give theirs
 *
 * Also the rule behind T2, at all positions: of 32 products, two of which cancel far above the
 * others, one sum of 32 keeps nothing.
 */
#include "families/mma/mma.h"
#include "vectors/unit_probes.h"

#include <stdio.h>
#include <string.h>

static int failures, checks;

static void expect(const mma_probe *p, const char *what, uint32_t came, uint32_t right)
{
    checks++;
    if (came != right) {
        failures++;
        printf("%s, %s %s %s %s: %s: %08x, not %08x\n", p->name, p->unit, p->a, p->b, p->out, what,
               (unsigned)came, (unsigned)right);
    }
}

static uint32_t dot(const mma_probe *p, const sf8_mma *unit, const mma_probe_row *row)
{
    return sf8_mma_dot(unit, row->a, row->b, NULL, NULL, p->k, p->c);
}

static void check_probe(const mma_probe *p)
{
    mma_probe_row row;
    sf8_mma unit;
    if (!mma_probe_open(p, &row)) {
        failures++;
        printf("%s: the row is wrong: %s\n", p->name, p->products);
        return;
    }
    expect(p, "the model", dot(p, &row.unit, &row), p->word);
    for (int i = 0; i < PROBE_RIVALS && p->rival[i].set; i++) {
        expect(p, "a rival with the same word", p->rival[i].word == p->word, 0);
        if (strchr(p->rival[i].set, '=')) {
            expect(p, p->rival[i].set, (uint32_t)mma_rival_unit(p, &p->rival[i], &unit), 1);
            expect(p, p->rival[i].set, dot(p, &unit, &row), p->rival[i].word);
        }
    }
}

/* 2^14 and -2^14 at i and j, at j 32: in c; 2^-18 elsewhere. */
static void check_pair(const sf8_mma *unit, const sf8_mma *rival, size_t i, size_t j)
{
    static const mma_probe name = {"T2", "hopper-qgmma",        "e4m3", "e4m3", "f32", 32, "", 0,
                                   0,    {{NULL, 0}, {NULL, 0}}};
    uint8_t a[32], b[32];
    memset(a, 0x01, sizeof a);
    memset(b, 0x01, sizeof b);
    a[i] = b[i] = 0x70;
    if (j < 32)
        a[j] = 0xf0, b[j] = 0x70;
    uint32_t c = j < 32 ? 0 : 0xc6800000;
    expect(&name, "one sum", sf8_mma_dot(unit, a, b, NULL, NULL, 32, c), 0);
    uint32_t word = sf8_mma_dot(rival, a, b, NULL, NULL, 32, c);
    expect(&name, "two sums of 16", word != 0, i < 16 && (j < 16 || j == 32));
}

/* Machine code that ptxas 13.0 and 12.4 generated for mma.sync, that of sm_89, and that of
 * others. */
static void check_machine_code(void)
{
    static const struct {
        const char *unit, *out, *sass;
        int modelled;
    } rows[] = {
        {"hopper-mma-fp8", "f32", "6xF2FP.F16.E4M3.UNPACK_B 2xHMMA.16816.F32 4xFADD", 1},
        {"hopper-mma-fp8", "f32", "6xF2FP.F16.E4M3.UNPACK_B 2xHMMA.16816.F32 8xFADD", 0},
        {"hopper-mma-fp8", "f16", "6xF2FP.F16.E5M2.UNPACK_B 2xHMMA.16816.F16 2xHADD2", 1},
        {"hopper-mma-fp8", "f16", "6xF2FP.F16.E5M2.UNPACK_B 2xHMMA.16816.F16 4xHADD2", 0},
        {"hopper-mma-fp8", "f32", "1xQMMA.16832.F32.E4M3.E4M3", 0},
        {"hopper-qgmma", "f32", "1xQGMMA.64x8x32.F32.E4M3.E4M3", 1},
        {"hopper-qgmma", "f32", "1xHGMMA.64x8x16.F32", 0},
        {"hopper-qgmma", "f32", "2xQGMMA.64x8x32.F32.E4M3.E4M3", 0},
        {"hopper-hgmma", "f16", "1xHGMMA.64x8x16.F16", 1},
        {"hopper-hmma", "f32", "1xHMMA.16816.F32.BF16", 1},
        {"hopper-hmma", "f32", "2xHMMA.1688.F32.TF32", 0},
        {"hopper-hmma", "f32", "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gpu_mma m;
        memset(&m, 0, sizeof m);
        m.unit = rows[i].unit;
        m.out = rows[i].out;
        checks++;
        if (mma_is_modelled(&m, rows[i].sass) != rows[i].modelled) {
            failures++;
            printf("%s: %s\n", rows[i].unit, rows[i].sass);
        }
    }
}

/* Of groups of four the places 2 3, 0 1, 1 3 are kept, the lower half of a byte first. */
static void check_kept(void)
{
    static const mma_probe name = {"T15", "hopper-qgmma",        "e4m3", "e4m3", "f32", 32, "", 0,
                                   0,     {{NULL, 0}, {NULL, 0}}};
    static const unsigned char kept[8] = {0x4e, 0x0d};
    static const unsigned char places[6] = {2, 3, 4, 5, 9, 11};
    unsigned char b[64], codes[32];
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = (unsigned char)(i + 1);
    mma_sparse_gather(kept, b, codes);
    for (size_t i = 0; i < sizeof places; i++) {
        expect(&name, "place", (uint32_t)mma_sparse_place(kept, i), places[i]);
        expect(&name, "code", codes[i], places[i] + 1u);
    }
}

int main(void)
{
    check_kept();
    const mma_probe *p;
    check_machine_code();
    sf8_mma unit, rival;
    for (size_t i = 0; (p = mma_probe_at(i)) != NULL; i++)
        check_probe(p);
    sf8_mma_named(&unit, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32);
    rival = unit;
    sf8_mma_set(&rival, "length", "16");
    for (size_t i = 0; i < 32; i++)
        for (size_t j = i + 1; j < 33; j++)
            check_pair(&unit, &rival, i, j);
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
