/* SPDX-License-Identifier: MIT */
/* digest.h -- what came, in 64 hexadecimal digits
 *
 * There are too many codes to digest them all: the rows of their staircase stand for them, each the
 * input and the code that came from it on, as two 64-bit words, the least significant byte first.
 * Every 2^16-th input begins a row whatever its code. A part of a case has the SHA-256 of its rows;
 * a case the sum of its parts' digests modulo 2^256, so that it does not matter who ran which part.
 */
#ifndef SOFTFP8_CONFORM_DIGEST_H
#define SOFTFP8_CONFORM_DIGEST_H

#include "softfp8/sha256.h"
#include "softfp8_vectors.h"

enum { DIGEST_CHUNK = 1 << 16 };

void digest_row(sf8_sha256 *digest, uint64_t word, uint64_t code);
/* Adds `other` to `sum`, both 64 digits; an empty text is 0. */
void digest_sum(char sum[65], const char other[65]);

#endif
