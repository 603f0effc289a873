/* SPDX-License-Identifier: MIT */
/* families.c -- the table of the families of cases, and with the records the catalog of all cases
 */
#include "families/families.h"

#include "record/record.h"

/* A line for each family. Their cases are listed in this order. */
#define FAMILIES(X)                                                                                \
    X(cuda_host_family)                                                                            \
    X(cuda_later_family)                                                                           \
    X(cuda_device_family)                                                                          \
    X(ptx_family)                                                                                  \
    X(arrays_family)                                                                               \
    X(compiler_family)                                                                             \
    X(blocks_family)                                                                               \
    X(silicon_family)                                                                              \
    X(published_family)                                                                            \
    X(models_family)                                                                               \
    X(chain_family)                                                                                \
    X(chain_device_family)                                                                         \
    X(libraries_family)                                                                            \
    X(packages_family)                                                                             \
    X(kv_family)                                                                                   \
    X(attend_family)                                                                               \
    X(merge_family)                                                                                \
    X(mma_family)                                                                                  \
    X(mma_sweep_family)                                                                            \
    X(mma_sparse_family)                                                                           \
    X(mma_gemm_family)

#define DECLARE(family) extern const conform_family family;
#define ADDRESS(family) &family,

FAMILIES(DECLARE)
static const conform_family *const families[] = {FAMILIES(ADDRESS) NULL};

const conform_catalog conform_all = {families, records_at};
