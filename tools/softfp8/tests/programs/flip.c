/* SPDX-License-Identifier: MIT */
/* flip.c -- changes one bit of a file: flip FILE N, bit N % 8 of byte N / 8; without N the size */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], argc > 2 ? "r+b" : "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return 2;
    long size = ftell(file), bit = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    if (argc > 2) {
        if (bit / 8 >= size || fseek(file, bit / 8, SEEK_SET) != 0)
            return 2;
        int c = fgetc(file);
        if (c == EOF || fseek(file, bit / 8, SEEK_SET) != 0 || fputc(c ^ 1 << bit % 8, file) == EOF)
            return 2;
    } else {
        printf("%ld\n", size);
    }
    return fclose(file) ? 2 : 0;
}
