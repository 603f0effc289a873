/* SPDX-License-Identifier: MIT */
/* test_arrays_memory.c -- array conversions: lengths, alignment, the environment, refused calls */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* setenv */
#endif
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#endif
#include "arrays/arrays.h"
#include "table.h"

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { LONGEST = 200, OFFSETS = 64, GUARD = 96 };

typedef struct pair {
    const char *from, *to, *policy_name;
} pair;

enum { WAYS = 49 };
static pair pairs[WAYS];

/* One of each way through the library: ways.txt. */
static void read_ways(void)
{
    static char policies[WAYS][128];
    table known = table_read("arrays/ways.txt");
    cr_assert(known.count == WAYS, "%zu", known.count);
    for (size_t i = 0; i < WAYS; i++) {
        snprintf(policies[i], sizeof policies[i], "%s", table_rest(&known.line[i], 2));
        pairs[i] = (pair){known.line[i].word[0], known.line[i].word[1], policies[i]};
    }
}

enum { RANDOMS = 4096 };
static uint32_t randoms[RANDOMS];

static job job_of(const pair *p)
{
    job j = {
        .to = format_of(p->to), .from = format_of(p->from), .policy = policy_of(p->policy_name)};
    j.text = p->to;
    return j;
}

/* The conversion of a pair on a level, with random words where its rounding takes them. */
static sf8_status convert_at(const char *level, const job *j, void *dst, const void *src, size_t n,
                             const uint32_t *random)
{
    return j->policy.round == SF8_SR
               ? sf8_convert_sr_n_at(level, j->to, dst, j->from, src, n, j->policy, random)
               : sf8_convert_n_at(level, j->to, dst, j->from, src, n, j->policy);
}

static uint64_t right(const job *j, const void *src, size_t i)
{
    uint64_t word = element(src, i, width_of(j->from));
    return j->policy.round == SF8_SR
               ? sf8_convert_sr(j->to, j->from, word, j->policy, randoms[i]).code
               : sf8_convert(j->to, j->from, word, j->policy);
}

static void fill_randoms(void)
{
    for (size_t i = 0; i < RANDOMS; i++)
        randoms[i] = pseudo_random();
}

/* Results at dst, and not a byte before or behind them. */
static int is_placed(const job *j, const unsigned char *area, const unsigned char *dst, size_t n,
                     const unsigned char *want, size_t size)
{
    size_t out = width_of(j->to), start = (size_t)(dst - area);
    for (size_t i = 0; i < size; i++) {
        unsigned char right = i >= start && i < start + n * out ? want[i - start]
                                                                : (unsigned char)0xa5;
        if (area[i] != right)
            return 0;
    }
    return 1;
}

Test(arrays_memory, lengths_and_offsets, .init = read_ways)
{
    static unsigned char in[LONGEST * 8 + OFFSETS + 64], area[LONGEST * 8 + OFFSETS + 2 * GUARD];
    static unsigned char want[LONGEST * 8];
    fill_randoms();
    for (size_t p = 0; p < COUNT(pairs); p++) {
        job j = job_of(&pairs[p]);
        size_t out = width_of(j.to);
        for (size_t i = 0; i < sizeof in; i++)
            in[i] = (unsigned char)pseudo_random();
        for (size_t offset = 0; offset < OFFSETS; offset++) {
            const unsigned char *src = in + (offset * 7) % OFFSETS;
            for (size_t i = 0; i < LONGEST; i++)
                set_element(want, i, out, right(&j, src, i));
            for (size_t n = 0; n <= LONGEST; n += offset == 0 || offset == 5 ? 1 : 13)
                for (size_t level = 0; sf8_simd_at(level); level++) {
                    unsigned char *dst = area + GUARD + offset;
                    memset(area, 0xa5, sizeof area);
                    cr_expect(convert_at(sf8_simd_at(level), &j, dst, src, n, randoms) == SF8_OK);
                    EXPECT(is_placed(&j, area, dst, n, want, sizeof area),
                           "%s to %s, %s, offset %zu, n %zu", pairs[p].from, pairs[p].to,
                           sf8_simd_at(level), offset, n);
                }
        }
    }
}

#if defined(__unix__)
/* A page between two that cannot be touched. */
static unsigned char *page_alone(size_t page)
{
    unsigned char *at = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(at != MAP_FAILED);
    cr_assert(mprotect(at + page, page, PROT_READ | PROT_WRITE) == 0);
    return at + page;
}

/* Nothing is read or written before or behind an array, at either end of a page: who does, dies. */
Test(arrays_memory, no_other_page, .init = read_ways)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *in = page_alone(page), *out = page_alone(page), *bits = page_alone(page);
    for (size_t i = 0; i < page; i++)
        in[i] = (unsigned char)pseudo_random();
    fill_randoms();
    for (size_t p = 0; p < COUNT(pairs); p++) {
        job j = job_of(&pairs[p]);
        size_t w = width_of(j.from), o = width_of(j.to), most = page / (w > o ? w : o);
        for (size_t n = 0; n <= most; n += n < LONGEST ? 1 : 37)
            for (size_t level = 0; sf8_simd_at(level); level++)
                for (size_t end = 0; end < 2; end++) {
                    const unsigned char *src = in + (end ? page - n * w : 0);
                    unsigned char *dst = out + (end ? page - n * o : 0);
                    size_t used = j.policy.round == SF8_SR ? 4 * n : 0;
                    uint32_t *random = (uint32_t *)(void *)(bits + (end ? page - used : 0));
                    memcpy(random, randoms, used);
                    cr_expect(convert_at(sf8_simd_at(level), &j, dst, src, n, random) == SF8_OK);
                    if (n && (n - 1) % 7 == 0)
                        EXPECT(element(dst, n - 1, o) == right(&j, src, n - 1),
                               "%s to %s, %s, n %zu", pairs[p].from, pairs[p].to,
                               sf8_simd_at(level), n);
                }
    }
}
#endif

/* Every short length, and a long one; behind the results stays what was there. */
Test(arrays_memory, in_place, .init = read_ways)
{
    enum { N = 3001 };
    static unsigned char in[N * 8], both[N * 8], want[N * 8];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)pseudo_random();
    fill_randoms();
    for (size_t p = 0; p < COUNT(pairs); p++) {
        job j = job_of(&pairs[p]);
        size_t w = width_of(j.from), out = width_of(j.to);
        for (size_t i = 0; i < N; i++)
            set_element(want, i, out, right(&j, in, i));
        for (size_t n = 0; out <= w && n <= N; n = n < LONGEST || n == N ? n + 1 : N)
            for (size_t level = 0; sf8_simd_at(level); level++) {
                memcpy(both, in, n * w);
                cr_expect(convert_at(sf8_simd_at(level), &j, both, both, n, randoms) == SF8_OK);
                EXPECT(memcmp(both, want, n * out) == 0 &&
                           memcmp(both + n * out, in + n * out, n * (w - out)) == 0,
                       "%s to %s, %s, n %zu", pairs[p].from, pairs[p].to, sf8_simd_at(level), n);
            }
    }
}

/* Subnormal numbers of f64 are zero where a policy flushes inputs; else directed rounding sees
 * them. */
Test(arrays_memory, subnormals_of_f64)
{
    static const uint64_t words[] = {1,
                                     0x8000000000000001,
                                     0x0000000100000000,
                                     0x000fffffffffffff,
                                     0x800fffffffffffff,
                                     0x0010000000000000,
                                     0x8010000000000000,
                                     0};
    static const pair rows[] = {{"f64", "e4m3", "ocp round=ru"},
                                {"f64", "e4m3", "ocp flush=inputs round=ru"},
                                {"f64", "e5m2", "ocp flush=inputs round=rd"},
                                {"f64", "e8m0", "ocp flush=inputs round=ru"},
                                {"f64", "f16", "ocp round=ro"},
                                {"f64", "f16", "ocp flush=inputs round=ro"}};
    uint64_t room[COUNT(words)];
    for (size_t p = 0; p < COUNT(rows); p++) {
        job j = job_of(&rows[p]);
        cr_expect(check_array(&j, words, COUNT(words), room), "%s", rows[p].policy_name);
    }
}

/* Large outputs are stored past the caches: against the same in small pieces. */
Test(arrays_memory, streams)
{
    enum { N = (16 << 20) + 12345, PIECE = 4096 };
    static const pair large[] = {{"f32", "e4m3", "ocp"},
                                 {"e4m3", "f32", "ocp-nosat"},
                                 {"e5m2", "f16", "ocp-nosat"},
                                 {"bf16", "e5m2", "ocp"}};
    unsigned char *src = malloc((size_t)N * 4), *dst = malloc((size_t)N * 4 + 64);
    unsigned char piece[PIECE * 4];
    cr_assert(src != NULL && dst != NULL);
    for (size_t i = 0; i < N; i++) {
        uint32_t word = pseudo_random();
        memcpy(src + 4 * i, &word, 4);
    }
    for (size_t p = 0; p < COUNT(large); p++) {
        job j = job_of(&large[p]);
        size_t w = width_of(j.from), out = width_of(j.to);
        for (size_t level = 0; sf8_simd_at(level); level++)
            for (size_t offset = 0; offset < 8; offset += 3 + level) {
                const char *name = sf8_simd_at(level);
                memset(dst, 0xa5, (size_t)N * 4 + 64);
                cr_expect(sf8_convert_n_at(name, j.to, dst + offset, j.from, src, N, j.policy) ==
                          SF8_OK);
                for (size_t i = 0; i < N; i += PIECE) {
                    size_t n = N - i < PIECE ? N - i : PIECE;
                    cr_expect(sf8_convert_n_at("portable", j.to, piece, j.from, src + i * w, n,
                                               j.policy) == SF8_OK);
                    EXPECT(memcmp(piece, dst + offset + i * out, n * out) == 0,
                           "%s to %s, %s, from %zu", large[p].from, large[p].to, name, i);
                }
                EXPECT(dst[offset + N * out] == 0xa5 && (offset == 0 || dst[offset - 1] == 0xa5),
                       "%s to %s, %s: outside", large[p].from, large[p].to, name);
            }
    }
    free(src);
    free(dst);
}

/* Whatever MXCSR says the results are the same, and MXCSR is left as it was. */
Test(arrays_memory, floating_point_environment, .init = read_ways)
{
#if defined(__x86_64__)
    enum { N = 4096, FTZ_DAZ = 0x8040, MASKS = 0x1f80 };
    static uint32_t in[N];
    static unsigned char out[N * 4], want[N * 4];
    unsigned int before = _mm_getcsr();
    for (size_t i = 0; i < N; i++)
        in[i] = i < 64 ? (uint32_t)i << 26 | (uint32_t)i : pseudo_random();
    fill_randoms();
    in[100] = 1, in[101] = 0x80000001, in[102] = 0x7f800001, in[103] = 0x007fffff;
    static const uint64_t small[] = {0x380c000000000000, 0x380fffffe0000000, 0x0008000000000000};
    memcpy(in + 104, small, sizeof small); /* of f64, subnormal in f32 or in f64 */
    for (size_t p = 0; p < COUNT(pairs); p++) {
        job j = job_of(&pairs[p]);
        size_t w = width_of(j.from), size = N * 4 / (w < 4 ? 4 : w) * width_of(j.to);
        for (size_t i = 0; i < N * 4 / (w < 4 ? 4 : w); i++)
            set_element(want, i, width_of(j.to), right(&j, in, i));
        for (size_t level = 0; sf8_simd_at(level); level++)
            for (unsigned int mode = 0; mode < 16; mode++) {
                unsigned int csr = (mode & 3) << 13 | (mode & 4 ? FTZ_DAZ : 0) |
                                   (mode & 8 ? 0 : MASKS);
                _mm_setcsr(csr);
                sf8_status status = convert_at(sf8_simd_at(level), &j, out, in,
                                               size / width_of(j.to), randoms);
                unsigned int after = _mm_getcsr();
                _mm_setcsr(before);
                cr_expect(status == SF8_OK);
                EXPECT(after == csr, "%s to %s, %s: MXCSR %x became %x", pairs[p].from, pairs[p].to,
                       sf8_simd_at(level), csr, after);
                EXPECT(memcmp(out, want, size) == 0, "%s to %s, %s, MXCSR %x", pairs[p].from,
                       pairs[p].to, sf8_simd_at(level), csr);
            }
    }
#endif
}

/* A refused call does not access memory: these addresses are invalid. */
Test(arrays_memory, refusals)
{
    void *nowhere = (void *)(uintptr_t)16;
    sf8_format bad = sf8_format_row(0, 3, 1, 0, 0, 1, 7), f = SF8_E4M3, f32 = SF8_F32;
    sf8_policy sr = SF8_OCP;
    sr.round = SF8_SR;
    cr_expect(sf8_convert_n(f, nowhere, f32, nowhere, 0, SF8_OCP) == SF8_OK);
    cr_expect(sf8_convert_n(f, NULL, f32, NULL, 0, SF8_OCP) == SF8_OK);
    cr_expect(sf8_convert_n(bad, nowhere, f32, nowhere, 9, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_convert_n(f, nowhere, bad, nowhere, 9, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_convert_n(f, nowhere, f32, nowhere, 9, sr) == SF8_BAD_CALL);
    cr_expect(sf8_convert_n(f32, nowhere, f, nowhere, 9, sr) == SF8_BAD_CALL);
    const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4, SIZE_MAX / 4 + 1,
                           (size_t)PTRDIFF_MAX / 4 + 1};
    for (size_t i = 0; i < COUNT(huge); i++) {
        cr_expect(sf8_convert_n(f, nowhere, f32, nowhere, huge[i], SF8_OCP) == SF8_BAD_CALL);
        cr_expect(sf8_convert_n(f32, nowhere, f, nowhere, huge[i], SF8_OCP) == SF8_BAD_CALL);
        cr_expect(sf8_convert_sr_n(f, nowhere, f, nowhere, huge[i], sr, nowhere) == SF8_BAD_CALL);
    }
    cr_expect(sf8_convert_n_at("sse9", f, nowhere, f32, nowhere, 9, SF8_OCP) == SF8_UNKNOWN_NAME);
}

/* ---- levels ---------------------------------------------------------------------------------- */

Test(arrays_memory, a_level_is_chosen)
{
    cr_assert(setenv("SOFTFP8_SIMD", "portable", 1) == 0);
    cr_expect(strcmp(sf8_simd(), "portable") == 0, "%s", sf8_simd());
    cr_expect(strcmp(sf8_simd_at(0), "portable") == 0);
}

Test(arrays_memory, the_highest_level_is_the_default)
{
    size_t levels = 0;
    cr_assert(unsetenv("SOFTFP8_SIMD") == 0);
    while (sf8_simd_at(levels))
        levels++;
    cr_expect(strcmp(sf8_simd(), sf8_simd_at(levels - 1)) == 0, "%s", sf8_simd());
}
