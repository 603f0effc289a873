/* SPDX-License-Identifier: MIT */
/* check_rows.c -- every row of the list of conversions finds its own kernel, in the program for the
 * GPU
 *
 * The kernels are compiled in several files, each with a table of its own. This needs no GPU: the
 * kernel is looked up before the device is asked for memory. BUILT_FOR is the target of the kernels,
 * "sm_90a".
 */
#include "device.h"
#include "expect.h"

#include <string.h>

int main(void)
{
    size_t count;
    const gpu_device_subject *subjects = gpu_device_subjects(&count);
    EXPECT(count > 0, "no rows");
    for (size_t i = 0; i < count; i++) {
        gpu_sweep sweep = {.subject = &subjects[i]};
        gpu_answer answer;
        const char *error = gpu_run(&sweep, &answer);
        EXPECT(!error || !strstr(error, "table of kernels"), "%s: %s", subjects[i].name, error);
        int left_out = subjects[i].needs && strcmp(subjects[i].needs, BUILT_FOR) != 0;
        EXPECT((error && strncmp(error, "needs ", 6) == 0) == left_out, "%s: %s",
               subjects[i].name, error ? error : "it ran");
        gpu_answer_free(&answer);
    }
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
