/* SPDX-License-Identifier: MIT */
/* probes.c -- softfp8 mma --probes: the directed rows and the words that are predicted */
#include "mma/mma.h"

#include "vectors/unit_probes.h"

void mma_print_codes(output *out, sf8_format f, const void *codes, size_t k)
{
    for (size_t i = 0; i < k; i++)
        output_print(out, "%0*x", word_digits(sf8_format_bits(f)),
                     (unsigned)mma_code_get(f, codes, i));
    output_print(out, " ");
}

void mma_probes(const char *path)
{
    const mma_probe *p;
    mma_probe_row row;
    output *out = output_open(path);
    output_print(out, "# probe unit a-format b-format out a b c d RIVAL:d...\n"
                      "# d is what the unit's model predicts, a rival's what it would be then\n");
    for (size_t i = 0; (p = mma_probe_at(i)) != NULL; i++) {
        if (!mma_probe_open(p, &row))
            fail("internal error: probe %s cannot be read", p->name);
        int digits = word_digits(sf8_format_bits(row.unit.out));
        output_print(out, "%s %s %s %s %s ", p->name, p->unit, p->a, p->b, p->out);
        mma_print_codes(out, row.unit.a, row.a, p->k);
        mma_print_codes(out, row.unit.b, row.b, p->k);
        output_print(out, "%0*x %0*x", digits, (unsigned)p->c, digits, (unsigned)p->word);
        for (int j = 0; j < PROBE_RIVALS && p->rival[j].set; j++)
            output_print(out, " %s:%0*x", p->rival[j].set, digits, (unsigned)p->rival[j].word);
        output_print(out, "\n");
    }
    output_close(out);
}
