/* SPDX-License-Identifier: MIT */
/* data.c -- the memory that rows work on, and what is put there */
#include "base/random.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const bench_data_names[] = {"gauss", "mixed", "bits", NULL};

/* ---- memory ---------------------------------------------------------------------------------- */

static uint8_t *memory[BENCH_OPERANDS + 1];
static size_t held[BENCH_OPERANDS + 1];

/* A number of bytes behind `key` in a file of the system, or UINT64_MAX. */
static uint64_t bytes_in(const char *path, const char *key)
{
    char line[256];
    uint64_t found = UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (!file)
        return found;
    while (found == UINT64_MAX && fgets(line, sizeof line, file)) {
        unsigned long long number;
        if (strncmp(line, key, strlen(key)) == 0 &&
            sscanf(line + strlen(key), "%llu", &number) == 1)
            found = number;
    }
    fclose(file);
    return found;
}

/* Memory that can be touched without harm, as far as the system says. */
static uint64_t bytes_free(void)
{
    uint64_t kilobytes = bytes_in("/proc/meminfo", "MemAvailable:");
    uint64_t room = kilobytes == UINT64_MAX ? UINT64_MAX : kilobytes * 1024;
    uint64_t most = bytes_in("/sys/fs/cgroup/memory.max", "");
    uint64_t used = bytes_in("/sys/fs/cgroup/memory.current", "");
    if (most != UINT64_MAX && used != UINT64_MAX) {
        uint64_t left = most > used ? most - used : 0;
        room = left < room ? left : room;
    }
    return room;
}

void bench_room_free(void)
{
    for (int i = 0; i <= BENCH_OPERANDS; i++) {
        free(memory[i]);
        memory[i] = NULL;
        held[i] = 0;
    }
}

/* Each array begins with a page, so that no row is at the mercy of where its arrays lie. */
const char *bench_room(const size_t size[BENCH_OPERANDS + 1], uint8_t *room[BENCH_OPERANDS + 1])
{
    static char why[128];
    uint64_t more = 0;
    for (int i = 0; i <= BENCH_OPERANDS; i++) {
        if (size[i] > held[i]) {
            free(memory[i]);
            memory[i] = NULL;
            held[i] = 0;
            more += size[i];
        }
    }
    uint64_t left = more ? bytes_free() : UINT64_MAX;
    if (left != UINT64_MAX && more > left / 10 * 9) {
        snprintf(why, sizeof why, "it needs %.2f GB more of memory, and %.2f GB are free",
                 (double)more / 1e9, (double)left / 1e9);
        return why;
    }
    for (int i = 0; i <= BENCH_OPERANDS; i++) {
        void *fresh;
        if (size[i] > held[i]) {
            if (posix_memalign(&fresh, 4096, size[i]) != 0) {
                snprintf(why, sizeof why, "no memory for %.2f GB", (double)size[i] / 1e9);
                return why;
            }
            memset(fresh, 1, size[i]);
            memory[i] = fresh;
            held[i] = size[i];
        }
        room[i] = memory[i];
    }
    return NULL;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* The sum of twelve uniform numbers, which are integers of 24 bits: about normal, deviation 1. */
static uint64_t gauss_word(uint64_t *state)
{
    int64_t sum = -6 * ((int64_t)1 << 24);
    for (int i = 0; i < 12; i++)
        sum += (int64_t)(word_random(state) >> 40);
    float value = (float)sum / 16777216.0f;
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* Any sign and mantissa, an exponent from 2^-17 to 2^12: over the range of the 8-bit formats, and
 * beyond it on both sides. */
static uint64_t mixed_word(uint64_t *state)
{
    uint64_t z = word_random(state);
    uint64_t exponent = 110 + (z >> 40) % 30;
    return (z & 0x807fffffu) | exponent << 23;
}

static uint64_t code_of(sf8_format f, bench_data data, uint64_t *state)
{
    int bits = sf8_format_bits(f);
    uint64_t all = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (data == DATA_BITS || data == DATA_CODES)
        return word_random(state) & all;
    uint64_t word = data == DATA_GAUSS ? gauss_word(state) : mixed_word(state);
    if (bits == 32)
        return word;
    uint64_t code = sf8_convert(f, SF8_F32, word, SF8_OCP_NOSAT);
    /* what f32 has no bits for */
    return bits == 64 ? code | (word_random(state) & 0x1fffffff) : code;
}

static void put(uint8_t *at, size_t size, uint64_t code)
{
    uint8_t narrow = (uint8_t)code;
    uint16_t half = (uint16_t)code;
    uint32_t word = (uint32_t)code;
    const void *from = size == 1   ? &narrow
                       : size == 2 ? (const void *)&half
                       : size == 4 ? (const void *)&word
                                   : (const void *)&code;
    memcpy(at, from, size);
}

/* A million random elements, over and over: more than any predictor of branches remembers. */
void bench_fill(uint8_t *at, sf8_format f, bench_data data, size_t n, uint64_t seed)
{
    size_t size = bench_element(f), some = n < 1 << 20 ? n : 1 << 20;
    uint64_t state = seed;
    for (size_t i = 0; i < some; i++)
        put(at + i * size, size, code_of(f, data, &state));
    for (size_t i = some; i < n; i += some)
        memcpy(at + i * size, at, (n - i < some ? n - i : some) * size);
}
