/* SPDX-License-Identifier: MIT */
/* tensor_file.h -- tensors in files: NumPy's .npy and raw words in, the same out
 *
 * A tensor is a matrix of words of f32, bf16 or f16, row by row. In files words are little-endian.
 * .npy has no bf16: there it is <u2 or, as ml_dtypes writes it, V2, and has to be asked for.
 */
#ifndef SOFTFP8_TENSOR_FILE_H
#define SOFTFP8_TENSOR_FILE_H

#include "cli/options.h"
#include "files/io.h"

/* ---- formats and shapes ---------------------------------------------------------------------- */

/* "f32", "bf16", "f16", NULL */
extern const char *const tensor_formats[];

/* Bytes of a word of such a format. */
size_t tensor_width(sf8_format f);

/* A matrix; with no rows there is none. */
typedef struct tensor_shape {
    size_t rows, columns;
} tensor_shape;

/* Whether that many values of any format fit into memory: neither side is 0. */
int tensor_shape_good(size_t rows, size_t columns);
/* --shape ROWS,COLUMNS: a tensor_shape. */
extern const cli_option shape_option[];

/* Decimal digits from *text on, which is moved behind them; 0 if there are none or too many. */
int size_read(const char **text, const char *end, size_t *value);
/* The sides of a tensor, with commas between: how many, or 0 if they are no such list of at most
 * that many. Fails on a side of 0, and on what no memory holds. */
int sizes_read(const char *text, size_t *sizes, int most);

/* ---- the head of a .npy file ------------------------------------------------------------------
 *
 * NumPy's format, versions 1 to 3: one dimension is a row, more than two are rows of the last. */

enum { NPY_AXES = 64 /* as many as NumPy has */, NPY_DTYPE = 256 };

typedef struct npy_head {
    char descr[16]; /* "<f4" */
    tensor_shape shape;
    int dimensions; /* as they are written */
    size_t axis[NPY_AXES];
    size_t inner; /* the last but one; 1 if there is one only */
    size_t data;  /* where the words begin */
} npy_head;

/* The dtype of bf16 in a head that tensor_whole makes. */
#define NPY_BF16 "bf16"

int npy_is(const void *bytes, size_t size);
/* Fails: the file, which begins with these bytes, is no .npy file, and nobody said what it is. */
_Noreturn void npy_missing(const char *path, const void *bytes, size_t size);
/* 1, or 0 and *error. Fortran order and shapes that no memory holds are errors too. */
int npy_head_read(const void *bytes, size_t size, npy_head *head, input_error *error);
/* The same, with the dtype as it is written, "[('a', '<u2'), ('b', '|u1')]" if it has columns. */
int npy_columns_read(const void *bytes, size_t size, npy_head *head, char dtype[NPY_DTYPE],
                     input_error *error);
/* The dtype as it is written. */
void npy_head_write(output *out, const char *dtype, const size_t *axis, int dimensions);
/* The name of the format that a dtype says, if `from` allows it or is NULL; fails. */
const char *npy_format(const char *path, const char *descr, const char *from);
/* Fails unless such a tensor has that many bytes. */
void words_check(const char *path, size_t bytes, sf8_format f, tensor_shape shape);

/* Where the codes of a .npy file begin; 0 and *error if its dtype holds no codes of that many bytes
 * (0: of any number). */
int npy_codes_head(const char *data, size_t size, size_t width, size_t *begin, input_error *error);
/* Leaves out the head of codes, if they are a .npy file, and returns the size that is left. Fails,
 * with `what` they are, where the above does. */
size_t npy_codes(const char *path, const char *what, char *data, size_t size, size_t width);

/* A whole file with a closing 0, as input_whole. "model.safetensors:layer.weight", if it is no
 * file, is a tensor of that file, as the .npy file that it would be. So is "model.gguf:NAME";
 * blocks of codes are bytes. */
char *tensor_whole(const char *path, size_t *size);
/* The same for who reads in pieces. */
input *tensor_input(const char *path);

/* ---- tensors --------------------------------------------------------------------------------- */

typedef struct tensor {
    sf8_format format;
    const char *format_name;
    tensor_shape shape;
    void *words;    /* uint32_t or uint16_t, in the order of this machine */
    int dimensions; /* of a .npy file, whose last axis are the columns; 0: rows and columns */
    size_t axis[NPY_AXES];
} tensor;

/* What messages advise: the option for the format, "--from" at first; whether raw data can be read.
 */
void tensor_advice(const char *from, int raw);
/* Reads a .npy file, or raw words of the format `from` if there is a shape. `from` may be NULL for
 * .npy. Fails on anything that is not as it says. */
tensor tensor_read(const char *path, const char *from, tensor_shape shape);
/* The same, also of f64; such a tensor is only for whoever reads its words. */
tensor tensor_read_exact(const char *path, const char *from, tensor_shape shape);
/* The same of a file that was read already; messages call it `path`. */
tensor tensor_of_bytes(const char *path, const char *bytes, size_t size, const char *from,
                       tensor_shape shape);
/* The i-th word as f32, exactly. */
uint32_t tensor_f32(const tensor *t, size_t i);
void tensor_write_npy(output *out, const tensor *t);
void tensor_write_raw(output *out, const tensor *t);
/* Numbers that read back as the same words, NaN apart; a row a line. */
void tensor_write_text(output *out, const tensor *t);
void tensor_free(tensor *t);

#endif
