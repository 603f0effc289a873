/* SPDX-License-Identifier: MIT */
/* check.h -- what the tests share
 *
 * Expectations are literals with their source. EXPECT calls Criterion only for failures, so that a
 * sweep may use it millions of times.
 */
#ifndef SF8_TEST_CHECK_H
#define SF8_TEST_CHECK_H

#include "softfp8.h"

#if defined(SF8_TEST_PLAIN)
#include "plain.h"
#else
#include <criterion/criterion.h>
enum { plain_sample = 0 };
#endif
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            cr_expect(0, __VA_ARGS__);                                                             \
    } while (0)

#ifndef COUNT
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#endif

/* What there is of each, and the modes but stochastic rounding. */
#define SF8_TEST_ONE(...) +1
enum { NARROW = SF8_NARROW_FORMATS(SF8_TEST_ONE), FORMATS = NARROW SF8_WIDE_FORMATS(SF8_TEST_ONE) };
enum { POLICIES = SF8_POLICIES(SF8_TEST_ONE) };
#undef SF8_TEST_ONE
static const char *const roundings[] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)};

/* How many inputs to step over: n where SOFTFP8_TIER is short, as in tools/test, else 1. */
static inline size_t one_in(size_t n)
{
    const char *tier = getenv("SOFTFP8_TIER");
    return plain_sample ? plain_sample * n : tier && strcmp(tier, "short") == 0 ? n : 1;
}

/* The same for sweeps that take minutes: every input where SOFTFP8_TIER is full, as in tools/prove,
 * one in 3 n where it is short, else one in n. */
static inline size_t every(size_t n)
{
    const char *tier = getenv("SOFTFP8_TIER");
    return tier && strcmp(tier, "full") == 0 ? 1 : n * one_in(3);
}

/* Flags as TestFloat writes them; ANY where the source says nothing about flags. */
#define NX SF8_INEXACT
#define UF SF8_UNDERFLOW
#define OF SF8_OVERFLOW
#define DZ SF8_DIVBYZERO
#define NV SF8_INVALID
#define ANY (-1)

/* One conversion. */
typedef struct vector {
    const char *policy_name; /* as for policy_of */
    const char *to;
    const char *from;
    uint64_t in;
    uint64_t out;
    int32_t flags;
    const char *source;
} vector;

static inline sf8_format format_of(const char *name)
{
    sf8_status status;
    sf8_format f = sf8_format_named(name, &status);
    cr_assert(status == SF8_OK, "no format %s", name);
    return f;
}

/* A policy, then fields to change: "ocp", or "ocp round=rz flush=both". */
static inline sf8_policy policy_of(const char *text)
{
    char copy[128];
    cr_assert(strlen(text) < sizeof copy);
    strcpy(copy, text);
    char *rest = strchr(copy, ' ');
    if (rest)
        *rest++ = '\0';
    sf8_status status;
    sf8_policy policy = sf8_policy_named(copy, &status);
    cr_assert(status == SF8_OK, "no policy %s", copy);
    while (rest && *rest) {
        char *field = rest, *value = strchr(field, '=');
        cr_assert(value != NULL, "%s", text);
        *value++ = '\0';
        rest = strchr(value, ' ');
        if (rest)
            *rest++ = '\0';
        cr_assert(sf8_policy_set(&policy, field, value) == SF8_OK, "%s: %s", text, field);
    }
    return policy;
}

static inline int same_format(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline int same_policy(sf8_policy a, sf8_policy b)
{
    return sf8_policy_pack(a) == sf8_policy_pack(b);
}

/* The name of the policy alone. */
static inline int policy_is(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && (text[n] == '\0' || text[n] == ' ');
}

static inline int vector_holds(const vector *v)
{
    sf8_result r = sf8_convert_flags(format_of(v->to), format_of(v->from), v->in,
                                     policy_of(v->policy_name));
    return r.code == v->out && (v->flags == ANY || r.flags == (uint32_t)v->flags);
}

static inline void check_vectors(const vector *v, size_t n)
{
    cr_assert(n > 0);
    for (size_t i = 0; i < n; i++) {
        sf8_result r = sf8_convert_flags(format_of(v[i].to), format_of(v[i].from), v[i].in,
                                         policy_of(v[i].policy_name));
        EXPECT(vector_holds(&v[i]),
               "%s: %s %" PRIx64 " to %s: %" PRIx64 " flags %x, not %" PRIx64 " flags %x (%s)",
               v[i].policy_name, v[i].from, v[i].in, v[i].to, r.code, r.flags, v[i].out,
               (unsigned)v[i].flags, v[i].source);
    }
}

#endif
