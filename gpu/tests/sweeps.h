/* SPDX-License-Identifier: MIT */
/* sweeps.h -- what the tests of the engine share: inputs in memory, sweeps compared with codes */
#ifndef SOFTFP8_GPU_TESTS_SWEEPS_H
#define SOFTFP8_GPU_TESTS_SWEEPS_H

#include "device.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern uint64_t gpu_shim_chunk; /* see shim_cpu.h */

static int failures;

/* Says once what does not hold; the first few times. */
#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition) && failures++ < 20) {                                                     \
            printf("%s:%d: not %s: ", __FILE__, __LINE__, #condition);                             \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

static inline void *memory(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return p;
}

static inline void store(unsigned char *at, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++) /* a CPU that puts the low byte first */
        at[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t load(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline const gpu_device_subject *device_subject(const char *name)
{
    size_t count;
    const gpu_device_subject *s = gpu_device_subjects(&count);
    for (; count > 0; count--, s++) {
        if (strcmp(s->name, name) == 0)
            return s;
    }
    fprintf(stderr, "no subject %s\n", name);
    exit(2);
}

static inline const gpu_subject *host_subject(const char *name)
{
    size_t count;
    const gpu_subject *s = gpu_host_subjects(&count);
    for (; count > 0; count--, s++) {
        if (strcmp(s->name, name) == 0)
            return s;
    }
    fprintf(stderr, "no host subject %s\n", name);
    exit(2);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

typedef struct inputs {
    uint64_t *word;
    size_t count;
    int listed; /* or they are 0, 1, 2, ... */
} inputs;

static inline inputs all_words(int bits)
{
    inputs in = {NULL, (size_t)1 << bits, 0};
    in.word = memory(in.count * sizeof in.word[0]);
    for (size_t i = 0; i < in.count; i++)
        in.word[i] = i;
    return in;
}

/* Words of `bits` bits: stretches around what is special to the formats, and random ones. */
static inline inputs some_words(int bits)
{
    static const uint64_t middle[] = {0,          0x3a800000, 0x3f880000, 0x43e80000, 0x47700000,
                                      0x7f800000, 0x80000000, 0xc0f00000, 0xff800000};
    inputs in = {memory(8000 * sizeof(uint64_t)), 0, 1};
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t random = 1;
    for (size_t k = 0; k < sizeof middle / sizeof middle[0]; k++) {
        for (uint64_t i = 0; i < 400; i++)
            in.word[in.count++] = ((middle[k] << (bits - 32)) + i - 200) & mask;
    }
    while (in.count < 7777) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        in.word[in.count++] = (random ^ random >> 31) & mask;
    }
    return in;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static inline gpu_sweep sweep_of(const gpu_device_subject *subject, const inputs *in)
{
    gpu_sweep s;
    memset(&s, 0, sizeof s);
    s.subject = subject;
    s.list = in->listed ? in->word : NULL;
    s.count = in->count;
    return s;
}

/* Holds a lane against the code of each input. */
static inline void hold_lane(const char *name, const gpu_lane *lane, const uint64_t *code,
                             size_t count)
{
    uint64_t sum = 0, weighted = 0;
    size_t row = 0;
    EXPECT(lane->rows > 0 && lane->row[0].index == 0, "%s: %zu rows", name, lane->rows);
    for (size_t i = 0; i < count && lane->rows > 0; i++) {
        if (row + 1 < lane->rows && lane->row[row + 1].index == i)
            row++;
        EXPECT(lane->row[row].code == code[i], "%s: input %zu: %llx, right is %llx", name, i,
               (unsigned long long)lane->row[row].code, (unsigned long long)code[i]);
        sum += code[i];
        weighted += (i + 1) * code[i];
    }
    EXPECT(row + 1 == lane->rows, "%s: row %zu of %zu", name, row, lane->rows);
    for (size_t i = 1; i < lane->rows; i++)
        EXPECT(lane->row[i].code != lane->row[i - 1].code, "%s: row %zu", name, i);
    EXPECT(lane->sum == sum, "%s: sum", name);
    EXPECT(lane->weighted == weighted, "%s: weighted sum", name);
}

/* Runs a sweep by chunks of this size, and holds it against code[lane][input]. */
static inline void hold(const gpu_sweep *s, uint64_t chunk, uint64_t *const *code)
{
    gpu_answer answer;
    gpu_shim_chunk = chunk;
    const char *error = gpu_run(s, &answer);
    gpu_shim_chunk = 0;
    EXPECT(!error, "%s: %s", s->subject->name, error ? error : "");
    if (error)
        return;
    EXPECT(answer.lanes == s->subject->lanes, "%s: %d", s->subject->name, answer.lanes);
    EXPECT(!answer.too_many, "%s", s->subject->name);
    for (int lane = 0; lane < answer.lanes; lane++)
        hold_lane(s->subject->name, &answer.lane[lane], code[lane], (size_t)s->count);
    gpu_answer_free(&answer);
}

/* What a host subject makes of the inputs, in each lane; the other lanes have the same input. */
static inline void host_codes(const gpu_subject *host, const inputs *in, uint64_t **code)
{
    unsigned char from[4 * 8], to[4 * 8];
    uint64_t aligned_from[4], aligned_to[4];
    for (size_t i = 0; i < in->count; i++) {
        for (int lane = 0; lane < host->lanes; lane++)
            store(from + lane * host->in_bytes, host->in_bytes, in->word[i]);
        memcpy(aligned_from, from, (size_t)(host->lanes * host->in_bytes));
        host->run(aligned_from, aligned_to, (size_t)host->lanes);
        memcpy(to, aligned_to, (size_t)(host->lanes * host->out_bytes));
        for (int lane = 0; lane < host->lanes; lane++)
            code[lane][i] = load(to + lane * host->out_bytes, host->out_bytes);
    }
}

static inline void make_codes(uint64_t **code, size_t count)
{
    for (int lane = 0; lane < GPU_LANES; lane++)
        code[lane] = memory(count * sizeof(uint64_t));
}

static inline void free_codes(uint64_t **code)
{
    for (int lane = 0; lane < GPU_LANES; lane++)
        free(code[lane]);
}

#endif
