/* SPDX-License-Identifier: MIT */
/* numbers.h -- numbers that are known to lie in an interval, for people */
#ifndef SOFTFP8_DIAGNOSE_NUMBERS_H
#define SOFTFP8_DIAGNOSE_NUMBERS_H

#include <stddef.h>

enum { NUMBER_TEXT = 80 };

/* A positive number of an interval with as many significant digits, from 1 on: the middle, rounded.
 */
double number_of_digits(double low, double high, int digits);
/* The number of the interval with the fewest digits, or a quotient of small numbers if that is
 * shorter, as text; *value receives it. */
const char *number_shortest(double low, double high, char text[NUMBER_TEXT], double *value);
/* "1.0012 to 1.0031", with enough digits to tell the ends apart; or one number. */
const char *number_interval(double low, double high, char text[NUMBER_TEXT]);

#endif
