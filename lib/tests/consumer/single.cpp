/* SPDX-License-Identifier: MIT */
/* single.cpp -- the whole library in three lines */
#define SF8_IMPLEMENTATION
#include <softfp8_single.h>
int main(void) { return sf8_f32_to_e4m3(500.0f, SF8_OCP) == 0x7e ? 0 : 1; }
