/* SPDX-License-Identifier: MIT */
/* setjmp.h -- a jump that ends the program: the searches jump only where there is no memory */
#ifndef SOFTFP8_WASM_SETJMP_H
#define SOFTFP8_WASM_SETJMP_H

typedef int jmp_buf[1];

#define setjmp(buffer) ((void)(buffer), 0)
_Noreturn void longjmp(jmp_buf buffer, int value);

#endif
