/* SPDX-License-Identifier: MIT */
/* host.c -- the CPU paths of the CUDA headers: every input, compared here */
#include "families/convert/convert.h"

#include <string.h>

static const gpu_subject *find_subject(const char *name)
{
    size_t count = 0;
    const gpu_subject *list = gpu_host_subjects(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    }
    return NULL;
}

void convert_host_run(const conform_job *j)
{
    inputs in;
    comparison k;
    const gpu_subject *subject = find_subject(j->c->subject);
    if (gpu_host_missing()) {
        set_not_run(j->result, gpu_host_missing());
    } else if (!subject) {
        set_broken(j->result, "no subject", j->c->subject);
    } else if (convert_open(&k, &in, j, j->o->tier)) {
        compare_subject(&k, subject, j->result);
        inputs_close(&in);
    }
}

void convert_later_run(const conform_job *j)
{
    if (!gpu_host_missing() && !find_subject(j->c->subject))
        set_not_run(j->result, "these CUDA headers do not have it; later versions do");
    else
        convert_host_run(j);
}
