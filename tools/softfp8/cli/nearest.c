/* SPDX-License-Identifier: MIT */
/* nearest.c -- the name nearest in spelling to one that is not known */
#include "cli/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

size_t name_distance(const char *a, const char *b)
{
    enum { MOST = 63 };
    size_t row[MOST + 1], n = strlen(b);
    if (n > MOST)
        return MOST;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t change = corner + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]));
            corner = row[j + 1];
            size_t least = row[j] < row[j + 1] ? row[j] : row[j + 1];
            row[j + 1] = least + 1 < change ? least + 1 : change;
        }
    }
    return row[n];
}

/* "jax" is no way to spell "ptx": a third of the letters may differ. */
const char *nearest_name(const char *name, const char *(*at)(size_t i))
{
    size_t most = (strlen(name) + 1) / 3;
    return nearest_name_within(name, at, most ? most : 1);
}

const char *nearest_name_within(const char *name, const char *(*at)(size_t i), size_t most)
{
    const char *best = NULL;
    size_t least = most + 1;
    for (size_t i = 0; at(i); i++) {
        size_t d = name_distance(name, at(i));
        if (d < least) {
            least = d;
            best = at(i);
        }
    }
    return best;
}

void names_beginning(const char *name, const char *(*at)(size_t i), char text[256])
{
    size_t used = 0;
    const char *last = "";
    text[0] = '\0';
    for (size_t i = 0; at(i) && used < 200; i++) {
        if (strncmp(at(i), name, strlen(name)) == 0 && strcmp(at(i), last) != 0)
            used += (size_t)snprintf(text + used, 256 - used, "%s%s", used ? ", " : "", at(i));
        last = at(i);
    }
}
