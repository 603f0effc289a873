/* SPDX-License-Identifier: MIT */
/* chain_number.c -- words of f32 as the chain prints them */
#include "kv/chain.h"

#include <stdio.h>
#include <string.h>

const char *chain_number(uint32_t word, char text[48])
{
    size_t length;
    if (sf8_f32_is_nan(word))
        return strcpy(text, "NaN");
    sf8_to_text(SF8_F32, word, SF8_TEXT_SHORTEST, text, 48, &length);
    return text;
}

const char *chain_short(uint32_t word, char text[48])
{
    if (sf8_f32_magnitude(word) >= SF8_F32_INF)
        return chain_number(word, text);
    snprintf(text, 48, "%.4g", (double)sf8_f32_from_bits(word));
    return text;
}
