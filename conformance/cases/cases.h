/* SPDX-License-Identifier: MIT */
/* cases.h -- the families of cases: an array of rows each */
#ifndef SOFTFP8_CONFORM_CASES_H
#define SOFTFP8_CONFORM_CASES_H

#include "../conform.h"

extern const conform_case cuda_host_cases[];
extern const size_t cuda_host_count;

#endif
