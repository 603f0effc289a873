/* SPDX-License-Identifier: MIT */
/* table_text.h -- a step table by hand, and where tables are written to */
#ifndef SF8_TEST_TABLE_TEXT_H
#define SF8_TEST_TABLE_TEXT_H

#include "check.h"
#include "softfp8_vectors.h"

#define ROOM 200000
static char text[ROOM];
static size_t size;
static int puts_left; /* how many pieces are taken */

static inline int32_t put(void *context, const char *piece, size_t length)
{
    cr_assert(context == text && size + length <= ROOM);
    if (puts_left-- == 0)
        return 1;
    memcpy(text + size, piece, length);
    size += length;
    return 0;
}

static inline sf8_status write_table(const sf8_steps_head *head)
{
    size = 0;
    puts_left = -1;
    return sf8_steps_write(head, put, text);
}

static inline sf8_steps_head head_of(const char *from, const char *to, const char *policy_name)
{
    sf8_steps_head head;
    memset(&head, 0, sizeof head);
    head.from = format_of(from);
    head.to = format_of(to);
    head.policy = sf8_policy_named(policy_name, NULL);
    strcpy(head.from_name, from);
    strcpy(head.to_name, to);
    strcpy(head.policy_name, policy_name);
    return head;
}

/* e2m1 is 0 0.5 1 1.5 2 3 4 6, and all of them are e5m2. The digest: head -n -1 | sha256sum */
#define HEAD_BY_HAND                                                                               \
    "# softfp8: step table 1\n"                                                                    \
    "# function: e2m1_to_e5m2\n"                                                                   \
    "# from: e2m1 exp=2 man=1 signed=1 nan=none inf=0 zero=1 bias=1\n"                             \
    "# to: e5m2 exp=5 man=2 signed=1 nan=ieee inf=1 zero=1 bias=15\n"                              \
    "# policy: ocp\n"                                                                              \
    "# round: sr\n"                                                                                \
    "# sr_rule: a\n"                                                                               \
    "# sr_bits: 7\n"                                                                               \
    "# overflow: max\n"                                                                            \
    "# inf: max\n"                                                                                 \
    "# nan: kept\n"                                                                                \
    "# nan_code: quiet\n"                                                                          \
    "# nan_sign: positive\n"                                                                       \
    "# made_nan_sign: positive\n"                                                                  \
    "# missing_nan: max\n"                                                                         \
    "# negative: clamp\n"                                                                          \
    "# missing_zero: min\n"                                                                        \
    "# tie_p1: code\n"                                                                             \
    "# odd: neighbour\n"                                                                           \
    "# overflow_test: rounded\n"                                                                   \
    "# flush: none\n"                                                                              \
    "# tininess: after\n"                                                                          \
    "# quiet: no\n"                                                                                \
    "# inf_flags: invalid\n"                                                                       \
    "# nan_flags: invalid\n"                                                                       \
    "# integer: zero\n"                                                                            \
    "# dialect: ieee\n"                                                                            \
    "# random: 0badcafe\n"                                                                         \
    "# columns: first-input-word code flags\n"
static const char by_hand[] = HEAD_BY_HAND
    "0 00 00\n1 38 00\n2 3c 00\n3 3e 00\n4 40 00\n5 42 00\n6 44 00\n7 46 00\n"
    "8 80 00\n9 b8 00\na bc 00\nb be 00\nc c0 00\nd c2 00\ne c4 00\nf c6 00\n"
    "# rows: 16\n"
    "# sha256: ec73eec89e755cbdb7876ff1fa032395e0d0a28cbf3b7f18f977003de6fc73cd\n";

static inline sf8_steps_head head_by_hand(void)
{
    sf8_steps_head head = head_of("e2m1", "e5m2", "ocp");
    head.policy.round = SF8_SR;
    head.policy.sr_bits = 7;
    head.random = 0x0badcafe;
    return head;
}

static inline size_t lines_in(const char *s, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += s[i] == '\n';
    return n;
}

#endif
