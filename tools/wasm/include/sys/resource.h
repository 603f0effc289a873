/* SPDX-License-Identifier: MIT */
/* resource.h -- limits of a process that is to be started */
#ifndef SOFTFP8_WASM_RESOURCE_H
#define SOFTFP8_WASM_RESOURCE_H

#define RLIMIT_FSIZE 1
typedef unsigned long long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
int setrlimit(int resource, const struct rlimit *limit);

#endif
