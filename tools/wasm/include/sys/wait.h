/* SPDX-License-Identifier: MIT */
/* wait.h -- how a process ended: there is none */
#ifndef SOFTFP8_WASM_WAIT_H
#define SOFTFP8_WASM_WAIT_H

#define WNOHANG 1
#define WIFSIGNALED(status) ((void)(status), 0)
#define WTERMSIG(status) (status)
#define WEXITSTATUS(status) (status)

#endif
