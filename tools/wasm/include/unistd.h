/* SPDX-License-Identifier: MIT */
/* unistd.h -- that of wasi-libc, where lseek is a function: its macro is GNU C */
#include_next <unistd.h>
#undef lseek
