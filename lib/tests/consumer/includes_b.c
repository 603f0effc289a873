/* SPDX-License-Identifier: MIT */
/* includes_b.c -- the other of the two: the same header after others, in the other order */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef CORE_FIRST
#include <softfp8/core.h>
#endif
#include HEADER

uint8_t other_file(float x);

uint8_t other_file(float x)
{
    return sf8_f32_to_e4m3(x, SF8_OCP);
}
