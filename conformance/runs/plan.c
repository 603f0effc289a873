/* SPDX-License-Identifier: MIT */
/* plan.c -- the plan of a run of the suite, and what of the machine belongs to it */
#include "runs/plan.h"

#include "record/record.h"
#include "suite/family.h"

#include <string.h>

static const char none[] = "none: ";

run_machine machine_here(void)
{
    run_machine m;
    memset(&m, 0, sizeof m);
    m.no_gpu = conform_gpu(&m.gpu);
    m.toolkit = gpu_toolkit();
    m.missing = gpu_host_missing();
    return m;
}

/* The value of a term; NULL if it is missing or empty. */
static const char *term(const job_plan *plan, const char *key)
{
    const char *value = plan_value(plan, key);
    return value && value[0] ? value : NULL;
}

static void copy_term(char *text, size_t room, const job_plan *plan, const char *key)
{
    const char *value = plan_value(plan, key);
    snprintf(text, room, "%s", value ? value : "");
}

run_machine machine_of(const job_plan *plan)
{
    const char *gpu = plan_value(plan, "gpu"), *emulated = plan_value(plan, "emulated");
    run_machine m;
    memset(&m, 0, sizeof m);
    m.toolkit = term(plan, "toolkit");
    m.missing = term(plan, "missing");
    if (!gpu || strncmp(gpu, none, sizeof none - 1) == 0) {
        m.no_gpu = gpu ? gpu + sizeof none - 1 : "no GPU";
        return m;
    }
    copy_term(m.gpu.name, sizeof m.gpu.name, plan, "gpu");
    copy_term(m.gpu.driver, sizeof m.gpu.driver, plan, "driver");
    copy_term(m.gpu.target, sizeof m.gpu.target, plan, "target");
    if (emulated)
        gpu_take_emulated(&m.gpu, emulated);
    return m;
}

static void add_machine(job_plan *plan, const run_machine *m)
{
    char text[CONFORM_LONG];
    snprintf(text, sizeof text, "%s%s", m->no_gpu ? none : "", m->no_gpu ? m->no_gpu : m->gpu.name);
    plan_term(plan, "gpu", text);
    if (!m->no_gpu) {
        plan_term(plan, "driver", m->gpu.driver);
        plan_term(plan, "target", m->gpu.target);
        plan_term(plan, "emulated", gpu_emulated_text(&m->gpu));
    }
    plan_term(plan, "toolkit", m->toolkit ? m->toolkit : "");
    plan_term(plan, "missing", m->missing ? m->missing : "");
}

job_plan *run_plan(const char *program, const conform_options *o, const run_machine *m)
{
    static const char *const tiers[] = {"quick", "full", "soak"};
    job_plan *plan = plan_begin();
    conform_choice at = {0, 0, 0};
    const conform_case *c;
    const char *source = gpu_source("suite");
    char records[65];
    records_digest(records);
    plan_term(plan, "program", program);
    plan_term(plan, "version", sf8_version());
    plan_term(plan, "source", source ? source : "");
    plan_term(plan, "tier", tiers[o->tier]);
    plan_term(plan, "only", o->only ? o->only : "");
    plan_term(plan, "records", records);
    add_machine(plan, m);
    while ((c = conform_next(o, &at)) != NULL) {
        if (!m->no_gpu || !conform_on_device(c))
            plan_add(plan, c->name, at.of ? at.of : 1);
    }
    return plan;
}
