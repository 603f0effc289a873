/* SPDX-License-Identifier: MIT */
/* test_attend_order.c -- attention in the orders of other stacks: compared with a reference that
 * shares nothing with the library, and each order is distinguished from the most similar one */
#include "attend/attend_order_ref.h"
#include "attend/attend_order_run.h"

/* ---- the reference --------------------------------------------------------------------------- */

/* One row of the request for the reference; words are elements without scales. */
static void row_of(o_row *o, size_t query, size_t head)
{
    static float q[O_DIM], k[O_STRIDE * O_DIM], v[O_DIM * O_STRIDE];
    const sf8_attend *a = &r.a;
    size_t kv = head / (a->heads / r.k.s.heads), slots = r.k.s.slots;
    int64_t position = a->first + (int64_t)query;
    memset(o, 0, sizeof *o);
    memset(v, 0, sizeof v);
    cr_assert(a->keys <= O_KEYS && r.k.s.dim <= O_DIM && r.v.s.dim <= O_DIM);
    o->keys = a->keys;
    o->dim = r.k.s.dim;
    o->columns = r.v.s.dim;
    o->to = a->right < 0 ? a->keys : (size_t)(position + 1);
    o->from = a->left < 0 || position < a->left ? 0 : (size_t)(position - a->left);
    for (size_t d = 0; d < o->dim; d++)
        q[d] = ref_query(&r, query, head, d);
    for (size_t p = 0; p < (a->keys + slots - 1) / slots * slots; p++) {
        size_t block = (size_t)a->blocks[p / slots];
        for (size_t d = 0; d < o->dim; d++)
            k[p * o->dim + d] = ref_element(&r.k, block, p % slots, kv, d);
        for (size_t c = 0; c < o->columns; c++)
            v[c * O_STRIDE + p] = ref_element(&r.v, block, p % slots, kv, c);
    }
    o->q = q;
    o->k = k;
    o->v = v;
    o->scale = kv_float(a->scale);
    o->q_scale = ref_scale(a->q_scale, a->q_scales, kv);
    o->k_scale = ref_scale(a->k.scale, a->k.scales, kv);
    o->v_scale = ref_scale(a->v.scale, a->v.scales, kv);
    o->f16 = sf8_format_bits(a->q_words) == 16 && a->q_words.exp_bits == 5;
}

/* In doubles, without an order: an order that leaves out keys, or takes some twice, is not near. */
static void near_truth(const o_row *o, const sf8_attend_order *order)
{
    static double p[O_STRIDE];
    double most = -INFINITY, sum = 0;
    double near = order->operands == SF8_OPERANDS_F32 && !order->half_parts ? 0x1p-16
                  : order->operands == SF8_OPERANDS_CODES                   ? 0.25
                                                                            : 0x1p-4;
    for (size_t j = o->from; j < o->to; j++) {
        p[j] = 0;
        for (size_t d = 0; d < o->dim; d++)
            p[j] += (double)o->q[d] * (double)o->k[j * o->dim + d];
        p[j] *= (double)o->scale * (double)o->q_scale * (double)o->k_scale;
        most = p[j] > most ? p[j] : most;
    }
    for (size_t j = o->from; j < o->to; j++)
        sum += p[j] = exp(p[j] - most);
    for (size_t c = 0; c < o->columns; c++) {
        double out = 0, spread = 0;
        for (size_t j = o->from; j < o->to; j++) {
            out += p[j] / sum * (double)o->v[c * O_STRIDE + j] * (double)o->v_scale;
            spread += p[j] / sum * fabs((double)o->v[c * O_STRIDE + j] * (double)o->v_scale);
        }
        EXPECT(fabs(out - (double)o->out[c]) <= near * spread, "%s: channel %zu is %g, true %g",
               order->name, c, (double)o->out[c], out);
    }
}

static void against(const sf8_attend_order *o, size_t cut, size_t i)
{
    static o_row row;
    size_t columns = r.v.s.dim, heads = r.a.heads;
    for (size_t query = 0; query<r.a.queries; query += r.a.queries> 1 ? r.a.queries - 1 : 1)
        for (size_t head = 0; head<heads; head += heads> 1 ? heads - 1 : 1) {
            size_t at = query * heads + head;
            row_of(&row, query, head);
            o_run(&row, o->name, cut);
            near_truth(&row, o);
            EXPECT(r.lse[at] == ref_word(row.lse), "%s %zu, cut %zu: lse %08x, not %08x", o->name,
                   i, cut, r.lse[at], ref_word(row.lse));
            for (size_t c = 0; c < columns; c++)
                EXPECT(r.out[at * columns + c] == ref_word(row.out[c]),
                       "%s %zu, cut %zu, query %zu: channel %zu: %08x, not %08x", o->name, i, cut,
                       query, c, r.out[at * columns + c], ref_word(row.out[c]));
        }
}

/* Every order, on caches of 16 and 32 bits, of e4m3 and of e5m2; splits, windows, several
 * queries. */
Test(attend_order, reference)
{
    static const size_t lengths[] = {1, 33, 64, 150, 161, 400, 600, 1100};
    size_t n = 0;
    for (size_t i = 0; i < 11 * 24; i += every(5)) {
        const sf8_attend_order *o = sf8_attend_order_at(i % 11);
        static const int kinds_of[] = {E4M3_CACHE, BF16_CACHE, E5M2_CACHE, F16_CACHE};
        int kind = o->operands == SF8_OPERANDS_CODES ? E4M3_CACHE : kinds_of[i / 11 % 4];
        sizes z = {lengths[i / 11 % 8], 1, 4, 2, 64, 32, 16};
        size_t cut = o->split == SF8_SPLIT_PREFIX ? i * 37 % z.keys : 1 + i / 22 % 4;
        z.queries = i % 3 == 1 && z.keys > 2 ? 3 : 1;
        request_begin(&r, z, kind, (int)(i / 3 % 3), SF8_ATTEND_EXACT,
                      i % 7 == 3   ? SF8_F16
                      : i % 7 == 5 ? SF8_F32
                                   : SF8_BF16);
        if (o->values != SF8_VALUES_THREADS && i % 5 == 4)
            r.a.left = (int64_t)(z.keys / 2);
        if (i % 4 == 2) {
            r.a.q_scale = r.q_scale;
            r.a.q_scales = 2;
        }
        run_order(o, cut);
        against(o, cut, i);
        n++;
    }
    cr_assert(n * every(5) >= 11 * 24, "%zu", n);
}

/* The largest score is another one in each tile, whichever way they are taken. */
Test(attend_order, rising)
{
    sizes z = {600, 1, 1, 1, 64, 16, 16};
    for (size_t i = 0; sf8_attend_order_at(i); i++)
        for (size_t falling = 0; falling < 2; falling++) {
            const sf8_attend_order *o = sf8_attend_order_at(i);
            request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
            for (size_t p = 0; p < 600; p++)
                for (size_t d = 0; d < 64; d++)
                    r.k.data[element_at(&r.k, p, 0, d)] =
                        (uint8_t)(0x30 + (falling ? 599 - p : p) / 24 + (p * 5 + d * 3) % 4);
            for (size_t d = 0; d < 64; d++)
                r.q16[d] &= 0x7fff;
            r.a.scale = kv_bits(0.0011f);
            r.k.scale[0] = kv_bits(1.7f);
            run_order(o, o->split == SF8_SPLIT_PREFIX ? 300 : 1);
            against(o, o->split == SF8_SPLIT_PREFIX ? 300 : 1, i);
        }
}

/* Three keys that count, far behind one another: sums are little above 1, and show the last bits of
 * what they are multiplied with. */
Test(attend_order, few)
{
    static const size_t places[] = {3, 70, 600};
    sizes z = {700, 1, 1, 1, 32, 8, 16};
    for (size_t i = 0; i < 11 * 12; i += one_in(4)) {
        const sf8_attend_order *o = sf8_attend_order_at(i < 44 ? i % 11 : i % 2 ? 3 : 7);
        size_t cut = o->split == SF8_SPLIT_PREFIX ? 300 : 1;
        request_begin(&r, z, o->operands == SF8_OPERANDS_CODES ? E4M3_CACHE : BF16_CACHE, NHD,
                      SF8_ATTEND_EXACT, SF8_BF16);
        r.a.k.scale = r.a.v.scale = NULL;
        r.q16[0] = 0x3f80; /* 1 */
        for (size_t p = 0; p < 700; p++) {
            uint16_t low = p == places[0] || p == places[1] || p == places[2] ? 0 : 0xc396;
            if (o->operands == SF8_OPERANDS_CODES)
                r.k.data[element_at(&r.k, p, 0, 0)] = low ? 0xf9 : 0; /* -288; -300 */
            else
                memcpy(r.k.data + 2 * element_at(&r.k, p, 0, 0), &low, 2);
        }
        run_order(o, cut);
        against(o, cut, i);
    }
}

/* The reference's sums of a unit, on the inputs on which the library's model is proved. */
Test(attend_order, reference_unit)
{
    const float a[32] = {256, 1, 0.5f, -0.25f, 0x1p-9f, 3, 7, -448};
    const float b[32] = {1, 0x1p-6f, 0x1p-5f, 0x1p-5f, 448, -0.5f, 0.0625f, 0x1p-9f};
    uint8_t x[32], y[32];
    sf8_mma m;
    cr_assert(sf8_mma_named(&m, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    for (size_t i = 0; i < 32; i++) {
        x[i] = (uint8_t)sf8_convert(SF8_E4M3, SF8_F32, kv_bits(a[i]), SF8_OCP);
        y[i] = (uint8_t)sf8_convert(SF8_E4M3, SF8_F32, kv_bits(b[i]), SF8_OCP);
    }
    for (int i = -40; i < 40; i++) {
        float c = ldexpf(i % 2 ? 1.7f : -1.3f, i);
        uint32_t word = sf8_mma_dot(&m, x, y, NULL, NULL, 32, kv_bits(c));
        EXPECT(word == kv_bits(o_sum(&o_qgmma, a, b, 32, c)), "%a: %08x", (double)c, word);
    }
}

/* ---- what tells an order from its nearest ---------------------------------------------------- */

/* f32 results for 700 keys of e4m3, 64 elements, 16 channels. Element d of key j is code (j 37 + d
 * 11) mod 119, with the sign of (j + d) / 3 mod 2; of a value (j 53 + c 29) mod 101, likewise;
 * query d is (d 5 mod 13 - 6) / 16. Scales 1/64 and 0.0115; two parts, a prefix of 128. The results
 * were saved from the reference. */
static void known_request(void)
{
    sizes z = {700, 1, 1, 1, 64, 16, 16};
    request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    for (size_t j = 0; j < 700; j++)
        for (size_t d = 0; d < 64; d++) {
            r.k.data[element_at(&r.k, j, 0, d)] = (uint8_t)((j * 37 + d * 11) % 119 +
                                                            128 * ((j + d) / 3 % 2));
            if (d < 16)
                r.v.data[element_at(&r.v, j, 0, d)] = (uint8_t)((j * 53 + d * 29) % 101 +
                                                                128 * ((j + d) / 3 % 2));
        }
    for (size_t d = 0; d < 64; d++)
        r.q16[d] = (uint16_t)(kv_bits((float)((int)(d * 5 % 13) - 6) / 16) >> 16);
    r.k.scale[0] = kv_bits(0x1p-6f);
    r.v.scale[0] = kv_bits(0.0115f);
}

typedef struct known {
    const char *name;
    uint32_t word[3], lse;
} known;

static const known knowns[] = {
    {"fa3-fp8", {0x3a5de704, 0x3ad06af5, 0xba7d76af}, 0x40d1f8e4},
    {"fa3-fp8-two-level", {0x3a5e0634, 0x3ad06bef, 0xba7d77c2}, 0x40d1f8e4},
    {"fa3-bf16", {0x3a84f373, 0x3ad92a80, 0xba6647f5}, 0x40d1f8e5},
    {"flashinfer", {0x3a840000, 0x3adb0000, 0xba670000}, 0x41177668},
    {"vllm-triton", {0x3a85ac98, 0x3ad951f1, 0xba66f66b}, 0x40d1f8e4},
    {"vllm-triton-3d", {0x3a84e377, 0x3ada8d3c, 0xba66282c}, 0x40d1f8e4},
    {"paged-v1", {0x3a870000, 0x3ad90000, 0xba6c0000}, 0x40d1f8e4},
    {"paged-v2", {0x3a86e3d1, 0x3adac349, 0xba698665}, 0x40d1f8e4},
    {"cascade-bf16", {0x3a8581e5, 0x3adae53b, 0xba65bb7e}, 0x40d1f8e5},
    {"split-f32", {0x3a845970, 0x3adbd470, 0xba670627}, 0x40d1f8e5},
    {"split-bf16", {0x3a841dd4, 0x3adbac3c, 0xba68b5a7}, 0x40d1f8e5},
};

/* f32 results for 130 keys of 64 elements, 64 channels, where every operation rounds. Element i is
 * that of a hash, +- [1/4, 1); of keys from 0 on, of values from 2^20, of the query, the upper
 * half, from 2^21. Scales 0.7 and 1.3. */
static uint32_t hashed(uint32_t i)
{
    uint32_t h = (i + 1) * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    return (h & 0x80000000) | (0x3e800000 + (h >> 7 & 0xffffff));
}

static void hashed_request(void)
{
    sizes z = {130, 1, 1, 1, 64, 64, 16};
    request_begin(&r, z, F32_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    for (uint32_t j = 0; j < 130; j++)
        for (uint32_t d = 0; d < 64; d++) {
            uint32_t k = hashed(j * 64 + d), v = hashed((1u << 20) + j * 64 + d);
            memcpy(r.k.data + 4 * element_at(&r.k, j, 0, d), &k, 4);
            memcpy(r.v.data + 4 * element_at(&r.v, j, 0, d), &v, 4);
        }
    for (uint32_t d = 0; d < 64; d++)
        r.q16[d] = (uint16_t)(hashed((1u << 21) + d) >> 16);
    r.k.scale[0] = kv_bits(0.7f);
    r.v.scale[0] = kv_bits(1.3f);
}

static const known hasheds[] = {
    {"exact", {0x3d9fd662, 0x3c63edef, 0x3d3f246b}, 0x409d4c6f},
    {"mma-f16", {0x3d9fdf3c, 0x3c63c434, 0x3d3f01ac}, 0x409d4c79},
    {"mma-bf16", {0x3d9fadf9, 0x3c662e04, 0x3d3f9994}, 0x409d4c57},
    {"fa3-bf16", {0x3d9fa248, 0x3c63ccef, 0x3d3ef0f5}, 0x409d4c95},
    {"flashinfer", {0x3d9f0000, 0x3c630000, 0x3d3f0000}, 0x40e2f13c},
    {"vllm-triton", {0x3d9f9705, 0x3c63399b, 0x3d3ec466}, 0x409d4c96},
    {"vllm-triton-3d", {0x3d9f57d0, 0x3c62577d, 0x3d3efd61}, 0x409d4c96},
    {"paged-v1", {0x3da00000, 0x3c680000, 0x3d400000}, 0x409d4c96},
    {"cascade-bf16", {0x3d9f3280, 0x3c62bff7, 0x3d3de1bc}, 0x409d4c96},
    {"split-f32", {0x3d9fd664, 0x3c63ede0, 0x3d3f2471}, 0x409d4c6e},
};

Test(attend_order, hashed)
{
    hashed_request();
    for (size_t i = 0; i < COUNT(hasheds); i++) {
        const known *k = &hasheds[i];
        const sf8_attend_order *o = sf8_attend_order_named(k->name);
        size_t cut = i >= 3 && o->split == SF8_SPLIT_PREFIX ? 64 : 2;
        r.a.sums = (sf8_attend_sums)(i < 3 ? i : 0);
        if (o) {
            run_order(o, cut);
            against(o, cut, i);
        } else {
            run_whole(&r, NULL);
            against_reference(i, k->name);
        }
        for (size_t c = 0; c < 3; c++)
            EXPECT(r.out[c] == k->word[c], "%s: channel %zu: %08x", k->name, c, r.out[c]);
        EXPECT(r.lse[0] == k->lse, "%s: lse %08x", k->name, r.lse[0]);
    }
}

/* The same by the definition. */
static const known definitions[] = {
    {"exact", {0x3a845975, 0x3adbd475, 0xba670629}, 0x40d1f8e4},
    {"mma-f16", {0x3a84854f, 0x3adbfe47, 0xba66b8b1}, 0x40d1f8e4},
    {"mma-bf16", {0x3a82b52f, 0x3adbfd54, 0xba6676e9}, 0x40d1f8e4},
};

Test(attend_order, known)
{
    static o_row row;
    known_request();
    for (size_t i = 0; i < COUNT(knowns); i++) {
        const sf8_attend_order *o = sf8_attend_order_named(knowns[i].name);
        size_t cut = o->split == SF8_SPLIT_PREFIX ? 128 : 2;
        run_order(o, cut);
        row_of(&row, 0, 0);
        o_run(&row, o->name, cut);
        for (size_t c = 0; c < 3; c++) {
            EXPECT(r.out[c] == knowns[i].word[c], "%s: channel %zu: %08x", o->name, c, r.out[c]);
            EXPECT(kv_bits(row.out[c]) == knowns[i].word[c], "reference, %s: channel %zu: %08x",
                   o->name, c, kv_bits(row.out[c]));
        }
        EXPECT(r.lse[0] == knowns[i].lse, "%s: lse %08x", o->name, r.lse[0]);
        for (size_t j = 0; j < i; j++)
            EXPECT(memcmp(knowns[i].word, knowns[j].word, sizeof knowns[i].word) != 0,
                   "%s does not differ from %s", o->name, knowns[j].name);
    }
    for (size_t i = 0; i < COUNT(definitions); i++) {
        r.a.sums = (sf8_attend_sums)i;
        run_whole(&r, i == 1 ? NULL : "core");
        against_reference(i, definitions[i].name);
        for (size_t c = 0; c < 3; c++)
            EXPECT(r.out[c] == definitions[i].word[c], "%s: channel %zu: %08x", definitions[i].name,
                   c, r.out[c]);
        EXPECT(r.lse[0] == definitions[i].lse, "%s: lse %08x", definitions[i].name, r.lse[0]);
    }
    cr_expect(!sf8_attend_order_at(COUNT(knowns)) && !sf8_attend_order_named("fa3"));
}
