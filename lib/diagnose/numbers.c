/* SPDX-License-Identifier: MIT */
/* numbers.c -- numbers that are known to lie in an interval, for people */
#include "diagnose/numbers.h"
#include "softfp8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double read(const char *text)
{
    sf8_result r;
    double number = 0;
    if (sf8_from_text(SF8_F64, text, SF8_OCP_NOSAT, &r, NULL) == SF8_OK)
        memcpy(&number, &r.code, sizeof number);
    return number;
}

double number_of_digits(double low, double high, int digits)
{
    char text[NUMBER_TEXT];
    snprintf(text, sizeof text, "%.*e", digits - 1, sqrt(low) * sqrt(high));
    return read(text);
}

const char *number_shortest(double low, double high, char text[NUMBER_TEXT], double *value)
{
    static const int below[] = {3, 127, 128, 255, 256, 448, 512};
    int digits = 1;
    while (digits < 17 && !(number_of_digits(low, high, digits) >= low &&
                            number_of_digits(low, high, digits) <= high))
        digits++;
    *value = number_of_digits(low, high, digits);
    snprintf(text, NUMBER_TEXT, "%.*g", digits < 9 ? 9 : digits, *value);
    for (size_t i = 0; digits > 4 && i < sizeof below / sizeof below[0]; i++) {
        double up = ceil(low * below[i]);
        if (up >= 1 && up <= 512 && up <= high * below[i]) {
            *value = up / below[i];
            snprintf(text, NUMBER_TEXT, "%.0f/%d", up, below[i]);
            break;
        }
    }
    return text;
}

const char *number_interval(double low, double high, char text[NUMBER_TEXT])
{
    char a[32], b[32];
    for (int digits = 4; digits <= 9; digits++) {
        snprintf(a, sizeof a, "%.*g", digits, low);
        snprintf(b, sizeof b, "%.*g", digits, high);
        if (strcmp(a, b) != 0) {
            snprintf(text, NUMBER_TEXT, "%s to %s", a, b);
            return text;
        }
    }
    double value;
    return number_shortest(low, high, text, &value);
}
