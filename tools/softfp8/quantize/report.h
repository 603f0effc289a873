/* SPDX-License-Identifier: MIT */
/* report.h -- what quantizing a tensor did to it, in numbers */
#ifndef SOFTFP8_QUANTIZE_REPORT_H
#define SOFTFP8_QUANTIZE_REPORT_H

#include "files/blocks_file.h"

enum { REPORT_SIZE = 2048 };

/* The report as lines; errors are those of the library's own dequantize to f32, in double. */
void quantize_report(const blocks *b, const tensor *t, char text[REPORT_SIZE]);

#endif
