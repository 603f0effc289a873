/* SPDX-License-Identifier: MIT */
/* digest.h -- the digest of the returned codes, 64 hexadecimal digits
 *
 * There are too many codes to digest them all. The rows of the step table stand for them: each is
 * the first input and the code from there on, as two 64-bit numbers, the least significant byte
 * first. Every 2^16-th input begins a row, whatever its code. A part of a case has the SHA-256 of
 * its rows. A case has the sum of its parts' digests modulo 2^256, so that it does not matter which
 * machine ran which part.
 */
#ifndef SOFTFP8_CONFORM_DIGEST_H
#define SOFTFP8_CONFORM_DIGEST_H

#include "softfp8/sha256.h"
#include "suite/oracle.h"

enum { DIGEST_CHUNK = 1 << 16 };

void digest_row(sf8_sha256 *digest, uint64_t word, uint64_t code);
/* The digest of a list of inputs: each value as 8 bytes, the least significant first. */
void digest_inputs(const inputs *in, char digest[65]);
/* Adds `other` to `sum`, both 64 digits; an empty text is 0. */
void digest_sum(char sum[65], const char other[65]);

#endif
