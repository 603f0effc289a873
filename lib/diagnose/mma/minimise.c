/* SPDX-License-Identifier: MIT */
/* minimise.c -- a row that a device gets wrong, with as few terms as will do */
#include "diagnose/mma/diagnose.h"

#include <string.h>

/* A row under way: terms 0 to k - 1 are products, term k is c. */
typedef struct minimising {
    const sf8_mma *m;
    const mma_result *row; /* as it was */
    mma_result *small;
    unsigned char *a, *b; /* the codes of `small` */
    size_t a_bytes, b_bytes;
    mma_evaluate evaluate;
    void *context;
} minimising;

/* The product is zero, whatever the other factor is. */
static int is_live(const sf8_mma *m, const mma_result *row, size_t i)
{
    if (i == row->k)
        return (row->c & (uint32_t)sf8_format_mag_mask(m->out)) != 0;
    return (sf8_mma_load(m->a, row->x.a, i) & sf8_format_mag_mask(m->a)) != 0 ||
           (sf8_mma_load(m->b, row->x.b, i) & sf8_format_mag_mask(m->b)) != 0;
}

size_t mma_live(const sf8_mma *m, const mma_result *row)
{
    size_t live = 0;
    for (size_t i = 0; i <= row->k; i++)
        live += (size_t)is_live(m, row, i);
    return live;
}

static void leave_out(minimising *s, size_t i)
{
    if (i == s->row->k) {
        s->small->c = 0;
        return;
    }
    memset(s->a + i * s->a_bytes, 0, s->a_bytes);
    memset(s->b + i * s->b_bytes, 0, s->b_bytes);
}

static void put_back(minimising *s, size_t i)
{
    if (i == s->row->k) {
        s->small->c = s->row->c;
        return;
    }
    memcpy(s->a + i * s->a_bytes, (const unsigned char *)s->row->x.a + i * s->a_bytes, s->a_bytes);
    memcpy(s->b + i * s->b_bytes, (const unsigned char *)s->row->x.b + i * s->b_bytes, s->b_bytes);
}

static int differs(minimising *s)
{
    s->small->d = s->evaluate(s->context, s->small);
    return s->small->d != mma_model(s->m, s->small);
}

/* One term, or two: how many; 0 if these do not do. */
static size_t try_few(minimising *s)
{
    size_t terms = s->row->k + 1;
    for (size_t i = 0; i < terms; i++)
        leave_out(s, i);
    for (size_t most = 1; most <= 2; most++)
        for (size_t i = 0; i < terms; i++) {
            if (!is_live(s->m, s->row, i))
                continue;
            put_back(s, i);
            for (size_t j = most == 1 ? i : i + 1; j < (most == 1 ? i + 1 : terms); j++) {
                if (!is_live(s->m, s->row, j))
                    continue;
                put_back(s, j);
                if (differs(s))
                    return most;
                if (j != i)
                    leave_out(s, j);
            }
            leave_out(s, i);
        }
    return 0;
}

/* All terms, and then each left out that can be, until none can. */
static size_t leave_out_each(minimising *s)
{
    int again = 1;
    for (size_t i = 0; i <= s->row->k; i++)
        put_back(s, i);
    while (again) {
        again = 0;
        for (size_t i = 0; i <= s->row->k; i++) {
            if (!is_live(s->m, s->small, i))
                continue;
            leave_out(s, i);
            if (differs(s))
                again = 1;
            else
                put_back(s, i);
        }
    }
    differs(s);
    return mma_live(s->m, s->small);
}

size_t mma_minimise(const sf8_mma *m, const mma_result *row, mma_evaluate evaluate, void *context,
                    void *a, void *b, mma_result *small)
{
    minimising s = {
        m, row, small, a, b, sf8_mma_code_bytes(m->a), sf8_mma_code_bytes(m->b), evaluate, context};
    *small = *row;
    small->x.a = a;
    small->x.b = b;
    memcpy(a, row->x.a, row->k * s.a_bytes);
    memcpy(b, row->x.b, row->k * s.b_bytes);
    if (!differs(&s))
        return 0;
    size_t few = try_few(&s);
    return few ? few : leave_out_each(&s);
}
