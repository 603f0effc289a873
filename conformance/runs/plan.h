/* SPDX-License-Identifier: MIT */
/* plan.h -- the plan of a run of the suite, and what of the machine belongs to it */
#ifndef SOFTFP8_RUNS_PLAN_H
#define SOFTFP8_RUNS_PLAN_H

#include "../../gpu/device.h"
#include "suite/conform.h"
#include "jobs/jobs.h"

/* What a run finds on its machine. A text that is NULL stands for what is not there. */
typedef struct run_machine {
    const char *no_gpu; /* why there is no GPU; NULL: `gpu` is it */
    gpu_device gpu;
    const char *toolkit; /* whose headers are compiled in */
    const char *missing; /* why there are no host subjects */
} run_machine;

/* The machine of this program, with its GPU. */
run_machine machine_here(void);
/* That of a plan; its texts are those of the plan. */
run_machine machine_of(const job_plan *plan);

/* The plan of "conform" or "record" with these options: all selected cases, whatever the shard.
 * Cases of a GPU that is not there are no part of it. */
job_plan *run_plan(const char *program, const conform_options *o, const run_machine *m);

#endif
