/* SPDX-License-Identifier: MIT */
/* threads.c -- threads call array functions for the first time at the same moment
 *
 * What the library keeps, the level and tables of codes, is made by whichever thread comes first. A
 * race is reported by ThreadSanitizer, with which this is compiled; a wrong result by this program.
 */
#include <softfp8.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, CODES = 256 };

static pthread_barrier_t together;

/* Every code of f to `to`, as an array: the first call makes a table. */
static int widens(sf8_format to, sf8_format f)
{
    uint8_t in[CODES];
    uint16_t out[CODES];
    int wrong = 0;
    for (int i = 0; i < CODES; i++)
        in[i] = (uint8_t)i;
    wrong += sf8_convert_n(to, out, f, in, CODES, SF8_OCP_NOSAT) != SF8_OK;
    for (int i = 0; i < CODES; i++)
        wrong += out[i] != sf8_convert(to, f, in[i], SF8_OCP_NOSAT);
    return wrong;
}

/* From bytes to bytes, long enough that a table is worth it. */
static int narrows(sf8_format to, sf8_format f)
{
    static const uint8_t in[4096] = {0, 1, 2, 0x38, 0x7e, 0x7f, 0x80, 0xff};
    uint8_t out[sizeof in];
    int wrong = sf8_convert_n(to, out, f, in, sizeof in, SF8_OCP) != SF8_OK;
    for (size_t i = 0; i < sizeof in; i++)
        wrong += out[i] != sf8_convert(to, f, in[i], SF8_OCP);
    return wrong;
}

static void *run(void *result)
{
    int *wrong = (int *)result;
    sf8_format f;
    pthread_barrier_wait(&together);
    *wrong += strlen(sf8_simd()) == 0;
    for (size_t i = 0; sf8_format_at(i, &f); i++) {
        if (sf8_format_bits(f) > 8)
            continue;
        pthread_barrier_wait(&together);
        *wrong += widens(SF8_F16, f) + widens(SF8_BF16, f) + narrows(SF8_E5M2, f);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0}, all = 0;
    if (pthread_barrier_init(&together, NULL, THREADS) != 0)
        return 2;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, run, &wrong[i]) != 0)
            return 2;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        all += wrong[i];
    }
    printf("%d wrong results\n", all);
    return all != 0;
}
