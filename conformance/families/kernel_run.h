/* SPDX-License-Identifier: MIT */
/* kernel_run.h -- a family of kernels as a value, and the driver that runs and replays its cases
 *
 * The subject of a case is a kernel of a list. A case has sets of inputs, which are the same on
 * every machine. Each set is made, run on the device, and compared with what the library computes.
 * The results of some sets are hashed; a record has the digest. A replay makes these sets again and
 * hashes what is right.
 */
#ifndef SOFTFP8_CONFORM_KERNEL_RUN_H
#define SOFTFP8_CONFORM_KERNEL_RUN_H

#include "../../gpu/device.h"
#include "record/record.h"
#include "softfp8/sha256.h"
#include "suite/family.h"

/* The run of a case, or the replay of its record. */
typedef struct kernel_run {
    const conform_job *job;
    conform_result *result;
    const void *kernel;       /* the entry of the list */
    const gpu_device *device; /* NULL: a record is replayed */
    /* A replay has the sets of the quick tier on a processor. */
    conform_tier tier;
    int emulated;
    const char *group; /* of the kernel's sources, see gpu_source */
    sf8_sha256 hash;   /* the digest of the results */
    uint64_t hashed;   /* the inputs of the results that it includes */
    double began;
    void *own; /* what the family keeps, all 0 at first */
} kernel_run;

/* The end of the sets; a set that this run leaves out; one that is not hashed; one that is. */
enum { SETS_END, SET_SKIPPED, SET_EXTRA, SET_HASHED };

/* A function may be NULL where its comment says so. Those that return a text return NULL, or what
 * went wrong. */
typedef struct kernel_family {
    const char *group;  /* of the sources; `open` may choose another one */
    const char *counts; /* what the sets have, for messages: "rows" */
    const void *(*list)(size_t *count);
    size_t entry_bytes; /* of an entry of the list, whose first member is its name */
    size_t own_bytes, set_bytes, data_bytes;
    /* Returns 0 if the kernel cannot run; the result says why. NULL: nothing to do. */
    int (*open)(kernel_run *r);
    /* NULL: there is one, of nothing. */
    int (*set_at)(const kernel_run *r, size_t i, void *set);
    /* Makes the inputs of a set, and what is right. They are freed in either case. NULL: none. */
    const char *(*make)(const kernel_run *r, const void *set, void *data);
    void (*free)(void *data);
    /* Runs the kernel, compares, and if `hashed` adds what came to the digest. */
    const char *(*launch)(kernel_run *r, const void *set, void *data, int hashed);
    /* Adds what is right to the digest. NULL: the cases leave no record. */
    const char *(*right)(kernel_run *r, const void *set, void *data);
    /* Runs further inputs, after the digest is complete. NULL: none. */
    const char *(*more)(kernel_run *r);
    /* Changes the result at the end of a run or replay. NULL: nothing to do. */
    void (*close)(kernel_run *r);
    /* Measures the speeds of the result, in a part of the case. NULL: none. */
    const char *(*measure)(kernel_run *r);
    /* Writes the text of a case that passed, with the speeds if any were measured. NULL: none. */
    void (*say)(const kernel_run *r, const conform_speed *speed, size_t count);
} kernel_family;

/* For conform_family, whose `kernels` is the value. The first adds a case for each kernel, whose
 * name begins like the family, and goes on like the kernel from the first "/" on. */
void kernel_cases(case_list *list);
void kernel_case_run(const conform_job *j);
void kernel_case_replay(const conform_job *j);

/* The sizes of a kernel_family, and its list. */
#define KERNEL_TYPES(entry, own, set, data)                                                        \
    .entry_bytes = sizeof(entry), .own_bytes = sizeof(own), .set_bytes = sizeof(set),              \
    .data_bytes = sizeof(data)
#define KERNEL_LIST(name, kernels)                                                                 \
    static const void *name(size_t *count)                                                         \
    {                                                                                              \
        return kernels(count);                                                                     \
    }

#endif
