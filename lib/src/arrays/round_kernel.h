/* SPDX-License-Identifier: MIT */
/* round_kernel.h -- what the kernels in plain C share: the rounding, and classes of operands
 *
 * It is included once for each level, with the macros that plain_kernel.h describes.
 */
SF8_TARGET SF8_INLINED int32_t SF8_PLAIN(positive)(int32_t a)
{
    return a & ~(a >> 31);
}

/* What is added before the bits below 2 * half are cut off, in any rounding but rne: to a positive
 * significand, and what is different for a negative one; odd is -1 where what was cut off makes the
 * last bit 1. The round of a loop is RNE, or OTHER for what this says. */
enum { SF8_PLAIN(OTHER) = -1 };

typedef struct SF8_PLAIN(more) {
    uint32_t positive, differs, odd;
} SF8_PLAIN(more);

SF8_TARGET SF8_INLINED SF8_PLAIN(more) SF8_PLAIN(more_of)(int32_t round, uint32_t half)
{
    SF8_PLAIN(more) m = {0, 0, 0};
    uint32_t all = 2 * half - 1;
    if (round == SF8_RNA)
        m.positive = half;
    else if (round == SF8_RNZ)
        m.positive = half - 1;
    else if (round == SF8_RU)
        m.positive = all;
    if (round == SF8_RU || round == SF8_RD)
        m.differs = all;
    if (round == SF8_RO)
        m.odd = UINT32_MAX;
    return m;
}

/* sig without its low `cut` bits, rounded. */
SF8_TARGET SF8_INLINED int32_t SF8_PLAIN(cut_off)(uint32_t sig, int32_t cut,
                                                  const SF8_PLAIN(more) more, int32_t negative,
                                                  int32_t round)
{
    uint32_t half = (uint32_t)1 << (cut - 1), all = 2 * half - 1;
    uint32_t up = round == SF8_RNE ? half - 1 + (sig >> cut & 1)
                                   : more.positive ^ (more.differs & (uint32_t)negative);
    int32_t code = (int32_t)((sig + up) >> cut);
    if (round != SF8_RNE)
        code |= (int32_t)((((sig & all) + all) >> cut) & more.odd);
    return code;
}

SF8_TARGET SF8_INLINED int32_t SF8_PLAIN(classed)(const sf8_class_codes c, int32_t a,
                                                  int32_t negative, int32_t code)
{
    int32_t is = -(a > c.above);
    return (code & ~is) | ((c.positive ^ (negative & c.differs)) & is);
}
