/* SPDX-License-Identifier: MIT */
/* check_attend_speed.c -- the report about the speed of kernels of attention, also with a PyTorch
 * that does not work
 *
 * No GPU is used: times are invented, and python3 is a script that is written here.
 */
#include "checks.h"
#include "families/attend/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void said(const conform_speed *speed, size_t count, const char *right)
{
    char text[CONFORM_LONG];
    attend_speed_text(text, sizeof text, speed, count);
    check(strcmp(text, right) == 0, right, text);
}

static void texts(void)
{
    const conform_speed none = {524288, 1073741824, 0, 240000, 0, 0};
    const conform_speed batch = {524288, 1073741824, 344000, 240000, 330000, 700000};
    const conform_speed two[2] = {{524288, 1073741824, 344000, 240000, 330000, 0},
                                  {131072, 536870912, 250000, 120000, 240000, 0}};
    const conform_speed prefix = {528384, 18874368, 60000, 6000, 0, 270000};
    said(&none, 1, "");
    said(&batch, 1,
         "524288 keys: 344.0 us, 3.12 TB/s, 69 % of a copy (goal 70), 1.042 of the time in any "
         "order (goal 1.05), PyTorch over bf16 700.0 us");
    said(two, 2,
         "524288 keys: 344.0 us, 3.12 TB/s, 69 % of a copy (goal 70), 1.042 of the time in any "
         "order (goal 1.05), no PyTorch beside it; 131072 keys: 250.0 us, 2.15 TB/s, 48 % of a "
         "copy (goal 70), 1.042 of the time in any order (goal 1.05)");
    said(&prefix, 1,
         "528384 keys: 60.0 us, 0.31 TB/s, 4.50 times as fast as with each its own prefix (goal "
         "4)");
}

/* A python3 that runs `script`: checks the time that its output gives for a batch of `keys` keys. */
static void program(const char *script, size_t keys, double right)
{
    attend_set set;
    double seconds = -1;
    char text[64];
    FILE *f = fopen("python3", "w");
    if (!f || fputs(script, f) == EOF || fclose(f) != 0 || chmod("python3", 0755) != 0) {
        check(0, "python3", "cannot be written");
        return;
    }
    memset(&set, 0, sizeof set);
    set.count = 64;
    set.keys = keys;
    set.heads = 32;
    set.kv_heads = 8;
    set.dim = 128;
    const char *wrong = attend_torch_seconds(&set, &seconds);
    snprintf(text, sizeof text, "%s, %g", wrong ? wrong : "taken", seconds);
    check(!wrong == (right > 0) && !(seconds < right) && !(seconds > right), script, text);
}

int main(void)
{
    char started_in[1024], folder[] = "speed-XXXXXX", here[1024], path[4096];
    const char *before = getenv("PATH");
    texts();
    if (!getcwd(started_in, sizeof started_in) || !mkdtemp(folder) || chdir(folder) != 0 ||
        !getcwd(here, sizeof here))
        return 1;
    snprintf(path, sizeof path, "%s:%.2000s", here, before ? before : "");
    setenv("PATH", path, 1);
    program("#!/bin/sh\n[ \"$3 $4 $5 $6 $7\" = '64 8192 32 8 128' ] && echo 0.0005\n", 8192, 0.0005);
    program("#!/bin/sh\necho 0.0006\n", 8192, 0.0005); /* not asked again */
    program("#!/bin/sh\necho 0.0005\nexit 1\n", 1, 0);
    program("#!/bin/sh\necho 0.0006\n", 1, 0);
    program("#!/bin/sh\necho no GPU\n", 2, 0);
    program("#!/bin/sh\n", 3, 0);
    program("#!/bin/sh\necho -1\n", 4, 0);
    program("#!/bin/sh\necho 0.0006\n", 5, 0.0006);
    unlink("python3");
    if (chdir(started_in) != 0 || rmdir(folder) != 0)
        return 1;
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
