/* SPDX-License-Identifier: MIT */
/* example.c -- the whole library in one header; -DSF8_STATIC makes its functions private */
#define SF8_IMPLEMENTATION
#include <softfp8_single.h>
#include <stdio.h>

int main(void)
{
    uint8_t code = sf8_f32_to_e4m3(500.0f, SF8_OCP);
    printf("%02x = %g\n", code, sf8_e4m3_to_f32(code));
    return 0;
}
