/* SPDX-License-Identifier: MIT */
/* attend_torch.c -- how long PyTorch takes for the attention that a case times, where it is there
 *
 * A program of its own, by python3 of the PATH: one query of each request over keys and values of
 * bf16 that lie one behind the other, median of 21 times. It prints the seconds.
 */
#include "attend_device.h"

#include <stdio.h>
#include <stdlib.h>

#define PROGRAM                                                                                    \
    "import sys, torch\n"                                                                          \
    "from torch.nn.functional import scaled_dot_product_attention as attend\n"                     \
    "requests, keys, heads, kv_heads, dim = map(int, sys.argv[1:])\n"                              \
    "def make(heads, n):\n"                                                                        \
    "    return torch.randn(requests, heads, n, dim, dtype=torch.bfloat16, device=\"cuda\")\n"     \
    "q, k, v = make(heads, 1), make(kv_heads, keys), make(kv_heads, keys)\n"                       \
    "times = []\n"                                                                                 \
    "for _ in range(22):\n"                                                                        \
    "    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"                  \
    "    begin.record()\n"                                                                         \
    "    attend(q, k, v, enable_gqa=heads != kv_heads)\n"                                          \
    "    end.record()\n"                                                                           \
    "    torch.cuda.synchronize()\n"                                                               \
    "    times.append(begin.elapsed_time(end))\n"                                                  \
    "print(sorted(times[1:])[10] / 1000)\n"

const char *attend_torch_seconds(const attend_set *set, double *seconds)
{
    char command[sizeof PROGRAM + 256], line[64] = "", *end = line;
    *seconds = 0;
    snprintf(command, sizeof command, "python3 -c '%s' %zu %zu %zu %zu %zu 2> /dev/null", PROGRAM,
             set->count, set->keys, set->heads, set->kv_heads, set->dim);
    FILE *program = popen(command, "r");
    if (!program)
        return "no python3";
    int got = fgets(line, sizeof line, program) != NULL;
    int failed = pclose(program) != 0;
    double value = got ? strtod(line, &end) : 0;
    if (failed || end == line || !(value > 0 && value < 3600))
        return "no PyTorch that has this GPU";
    *seconds = value;
    return NULL;
}
