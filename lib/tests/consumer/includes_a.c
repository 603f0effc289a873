/* SPDX-License-Identifier: MIT */
/* includes_a.c -- one of two files of a program: the header comes first, and twice */
#include HEADER
#include HEADER
#ifdef IMPLEMENT_LATE
#define SF8_IMPLEMENTATION
#include HEADER
#include HEADER
#endif

#include <stdio.h>

uint8_t other_file(float x);

int main(void)
{
    uint8_t here = sf8_f32_to_e4m3(1.5f, SF8_OCP);
    if (here != other_file(1.5f)) {
        printf("the two files disagree: %02x\n", (unsigned int)here);
        return 1;
    }
    return 0;
}
