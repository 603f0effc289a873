/* SPDX-License-Identifier: MIT */
/* hash.c -- by=ptx: hashes of the results of PTX instructions, for 256 triples of operands
 *
 *     case cvt.rn.f16.f32 by=ptx hash=7b7844bb74f9b1bc
 *
 * The operands are pantheonsim's: words of a xorshift generator, of which a third is replaced by
 * one of 32 edges. The hash is FNV-1a with a word in the place of a byte.
 */
#include "families/published/ptx.h"
#include "families/published/published.h"

#include <stdlib.h>
#include <string.h>

enum { TRIPLES = 256 };

static uint32_t next_operand(uint64_t *state)
{
    static const uint32_t edge[] = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7fc00000, 0xff800001, 0x00000001,
        0x007fffff, 0x7f7fffff, 0x3f7fffff, 0x3f800001, 0x3f801000, 0x3dcccccd, 0x40000000,
        0xc0400000, 0x7f800000, 0x3c00bc00, 0x7e003c00, 0x00010002, 0x7bff7c00, 0x3bff3c01,
        0x80000000, 0x3f80bf80, 0x7fc0ff80, 0x12345678, 0x9abcdef0, 0x007fffff, 0x7fffffff,
        0x00800000, 0xffffffff, 0x0f1e2d3c, 0x00000003};
    uint64_t s = *state;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    *state = s;
    return (s >> 40) % 3 == 0 ? edge[(s >> 48) % 32] : (uint32_t)s;
}

static uint64_t hash_of(const ptx_form *f)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15), hash = UINT64_C(1469598103934665603);
    for (int i = 0; i < TRIPLES; i++) {
        uint32_t x[3];
        for (int k = 0; k < 3; k++)
            x[k] = next_operand(&state);
        hash = (hash ^ ptx_word(f, x)) * UINT64_C(1099511628211);
    }
    return hash;
}

typedef struct ptx_case {
    ptx_form form;
    uint64_t hash;
} ptx_case;

static int open_form(published_item *item, char why[CONFORM_LONG])
{
    ptx_case *p = calloc(1, sizeof *p);
    const char *hash = published_need(item, "hash", why);
    item->data = p;
    if (!p || !hash)
        return 0;
    if (strlen(hash) != 16 || hash[strspn(hash, "0123456789abcdef")])
        return published_wrong(item, 0, why, "hash=%.40s: expected 16 digits 0-9 a-f", hash);
    if (!ptx_named(&p->form, item->name))
        return published_wrong(item, 0, why, "%s: expected an instruction of PTX that is modelled",
                               item->name);
    p->hash = strtoull(hash, NULL, 16);
    return 1;
}

static void run_form(const published_item *item, conform_result *result)
{
    const ptx_case *p = item->data;
    uint64_t hash = hash_of(&p->form);
    result->inputs = TRIPLES;
    if (hash == p->hash)
        return;
    result->status = CONFORM_FAILED;
    result->differ = 1;
    snprintf(result->why, sizeof result->why,
             "at least one result differs: the hash of %d is %016llx, the hardware's %016llx",
             TRIPLES, (unsigned long long)hash, (unsigned long long)p->hash);
}

const published_kind published_ptx = {"ptx", NULL, 0, open_form, run_form, free};
