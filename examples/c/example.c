/* SPDX-License-Identifier: MIT */
/* example.c -- converts one number to FP8 with and without saturation */
#include <softfp8.h>
#include <stdio.h>

int main(void)
{
    uint8_t code = sf8_f32_to_e4m3(500.0f, SF8_OCP);
    printf("saturated: %02x = %g\n", code, sf8_e4m3_to_f32(code));

    sf8_result r = sf8_f32_to_e4m3_flags(500.0f, SF8_OCP_NOSAT);
    printf("otherwise: %02x, flags %02x\n", (unsigned)r.code, (unsigned)r.flags);
    return 0;
}
