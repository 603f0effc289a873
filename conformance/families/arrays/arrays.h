/* SPDX-License-Identifier: MIT */
/* arrays.h -- the library's own conversions of arrays, at each level that was compiled */
#ifndef SOFTFP8_CONFORM_ARRAYS_H
#define SOFTFP8_CONFORM_ARRAYS_H

#include "families/convert/convert.h"

extern const conform_family arrays_family;

void arrays_run(const conform_job *j);

#endif
