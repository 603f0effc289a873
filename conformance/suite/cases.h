/* SPDX-License-Identifier: MIT */
/* cases.h -- the families of cases: an array of rows each */
#ifndef SOFTFP8_CONFORM_CASES_H
#define SOFTFP8_CONFORM_CASES_H

#include "suite/conform.h"

extern const conform_case cuda_host_cases[];
extern const size_t cuda_host_count;
extern const conform_case cuda_device_cases[];
extern const size_t cuda_device_count;
extern const conform_case ptx_cases[];
extern const size_t ptx_count;
extern const conform_case array_cases[];
extern const size_t array_count;
extern const conform_case block_cases[];
extern const size_t block_count;
extern const conform_case silicon_cases[];
extern const size_t silicon_count;
extern const conform_case chain_cases[];
extern const size_t chain_count;
extern const conform_case caches_cases[];
extern const size_t caches_count;
extern const conform_case libs_cases[];
extern const size_t libs_count;

/* The rows of all families, those of records not among them. */
const conform_case *families_at(size_t i);

#endif
