/* SPDX-License-Identifier: MIT */
/* descriptors.h -- a program that was started with a standard stream closed */
#ifndef SOFTFP8_BASE_DESCRIPTORS_H
#define SOFTFP8_BASE_DESCRIPTORS_H

/* The first thing that main does. A file that is opened later would get the number of a closed
 * standard stream, and what is printed would be written into that file. So the closed ones of 0, 1
 * and 2 become /dev/null: reading standard input and writing standard output still fail, and
 * messages are lost. Ends the program with status 2 where that is not possible. */
void descriptors_reserve(void);

#endif
