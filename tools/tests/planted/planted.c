/* SPDX-License-Identifier: MIT */
/* planted.c -- writes the codes of a cast from f16 to e4m3 that gives zero for the smallest number,
 * and prints what sf8_diagnose_cast says of them
 */
#include "softfp8_diagnose.h"

#include <stdio.h>

static uint64_t codes[1 << 16];

int main(void)
{
    sf8_diagnosis *d;
    sf8_cast_results r = {.from = SF8_F16, .to = SF8_E4M3, .codes = codes, .count = 1 << 16};
    FILE *file = fopen("codes.bin", "wb");
    for (uint32_t word = 0; file && word < 1 << 16; word++) {
        uint64_t code = sf8_convert(SF8_E4M3, SF8_F16, word, SF8_OCP);
        codes[word] = (code & 0x7f) == 1 ? code & 0x80 : code;
        fputc((int)codes[word], file);
    }
    if (!file || fclose(file) || sf8_diagnose_cast(&r, &d) != SF8_OK)
        return 1;
    puts(d->count ? d->list[0].words : "nothing");
    sf8_diagnosis_free(d);
    return 0;
}
