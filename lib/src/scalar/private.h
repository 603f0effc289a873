/* SPDX-License-Identifier: MIT */
/* private.h -- what the files of the library share and do not export; comparisons of formats and
 * policies
 */
#ifndef SF8_SCALAR_PRIVATE_H
#define SF8_SCALAR_PRIVATE_H

#include "softfp8.h"

#include <string.h>

#if defined(SF8_STATIC)
#define SF8_PRIVATE SF8_API
#elif defined(__GNUC__) && !defined(_WIN32)
#define SF8_PRIVATE __attribute__((visibility("hidden")))
#else
#define SF8_PRIVATE
#endif

static inline int32_t sf8_same_format(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline uint64_t sf8_policy_word(sf8_policy policy)
{
    uint64_t word;
    memcpy(&word, &policy, sizeof word);
    return word;
}

/* Every bit of every field of a policy: there are bits between them, which mean nothing. */
static inline uint64_t sf8_policy_bits(void)
{
    sf8_policy all;
    memset(&all, 0, sizeof all);
#define SF8_ALL(name, width, values) all.name = (1u << width) - 1;
    SF8_POLICY_FIELDS(SF8_ALL)
#undef SF8_ALL
    return sf8_policy_word(all);
}

/* Returns 1 if all fields of two policies are the same: with a constant, one comparison. Outside of
 * the library sf8_policy_pack gives words to compare. */
static inline int32_t sf8_same_policy(sf8_policy a, sf8_policy b)
{
    return ((sf8_policy_word(a) ^ sf8_policy_word(b)) & sf8_policy_bits()) == 0;
}

#endif
