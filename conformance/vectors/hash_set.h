/* SPDX-License-Identifier: MIT */
/* hash_set.h -- a set of things, each known by a hash of 63 bits */
#ifndef SOFTFP8_CONFORM_HASH_SET_H
#define SOFTFP8_CONFORM_HASH_SET_H

#include <stddef.h>
#include <stdint.h>

/* {0} is an empty set. Two things of one hash are taken for one; bit 0 of a hash does not count. */
typedef struct hash_set {
    uint64_t *hash; /* 0: an empty place; free() frees it */
    size_t count, room;
} hash_set;

/* 0 if it is there already. */
int hash_set_add(hash_set *s, uint64_t hash);
int hash_set_has(const hash_set *s, uint64_t hash);

#endif
