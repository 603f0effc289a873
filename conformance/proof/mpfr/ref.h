/* SPDX-License-Identifier: MIT */
/* ref.h -- the reference: what docs/spec says, computed with GNU MPFR
 *
 * A second implementation of docs/spec for the policies `ocp` and `ocp-nosat`, written from that
 * text alone: it includes no header of the library and has its own table of formats. An operation
 * has two steps. ref_arithmetic() and similar functions leave the exact result in a ref_work, as
 * MPFR gives it, including infinities, zeros and NaN. ref_round() then rounds it to the format,
 * with MPFR's own rounding, in all modes at once; ref_finish() turns one of these into a code and
 * flags. ref_start() builds the tables once. After that everything is read-only except the
 * ref_work, of which each thread has its own.
 */
#ifndef PROOF_REF_H
#define PROOF_REF_H

#include <stddef.h>
#include <stdint.h>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "mpfr/ref_rows.h"

/* Rounding modes in the order of docs/spec/rounding.md; stochastic rounding is in ref_sr_*. */
#define REF_ROUNDINGS(X, a, b)                                                                     \
    X(a, b, RNE) X(a, b, RNA) X(a, b, RZ) X(a, b, RU) X(a, b, RD) X(a, b, RO) X(a, b, RNZ)
#define REF_MODE(a, b, mode) REF_##mode,
enum { REF_ROUNDINGS(REF_MODE, , ) REF_MODES };
#undef REF_MODE

enum { REF_INEXACT = 1, REF_UNDERFLOW = 2, REF_OVERFLOW = 4, REF_DIVBYZERO = 8, REF_INVALID = 16 };

enum { REF_NANS_NONE, REF_NANS_IEEE, REF_NANS_TOP, REF_NANS_NEG_ZERO };

/* What a code means. `value` is a zero, infinity or NaN of MPFR for those codes. */
typedef struct ref_operand {
    uint64_t code;
    int negative;
    int signaling;
    mpfr_t value;
} ref_operand;

typedef struct ref_format {
    char name[24];
    int exp_bits, man_bits, is_signed, bias, nans, has_inf, has_zero;
    /* derived from the row */
    int width;
    long emin;
    uint64_t top, max, inf; /* magnitudes: all ones, largest finite, infinity (if has_inf) */
    ref_operand *table;     /* all codes of a format of 8 bits or less; NULL for the wide ones */
} ref_format;

/* Formats: the narrow ones of the table of formats.md, the P3109 family of up to 8 bits, the wide
 * ones, some of the P3109 family with more bits, and rows that are not named in the library, as a
 * user may make them. */
#define REF_COUNT(...) +1
enum { REF_NARROW = REF_NARROW_ROWS(REF_COUNT), REF_P3109 = 120 };
enum { REF_WIDE = REF_WIDE_ROWS(REF_COUNT), REF_LONG = REF_LONG_ROWS(REF_COUNT) };
enum { REF_OWN = REF_OWN_ROWS(REF_COUNT) };
#undef REF_COUNT
enum { REF_FIRST_P3109 = REF_NARROW, REF_FIRST_WIDE = REF_NARROW + REF_P3109 };
enum { REF_FIRST_LONG = REF_FIRST_WIDE + REF_WIDE, REF_FIRST_OWN = REF_FIRST_LONG + REF_LONG };
enum { REF_FORMATS = REF_FIRST_OWN + REF_OWN };
extern ref_format ref_formats[REF_FORMATS];

/* Builds the formats and their tables, and checks that encoding inverts decoding on every code.
 * Returns 0 if it does. Call it before any thread starts. */
int ref_start(void);
const ref_format *ref_format_of(const char *name);
/* Sets MPFR's exponent range in the calling thread. */
void ref_start_thread(void);

void ref_operand_init(ref_operand *o);
void ref_operand_clear(ref_operand *o);
void ref_decode(const ref_format *f, uint64_t code, ref_operand *o);
/* The value of a magnitude, as if the format had no largest number, infinity or NaN. */
void ref_value(const ref_format *f, uint64_t magnitude, mpfr_t v);
/* The magnitude of a number of at most man_bits + 1 bits, continuing beyond the largest finite one;
 * -1 for zero in a format without zero. If not `bounded`, also below the smallest normal number. */
int64_t ref_magnitude(const ref_format *f, mpfr_srcptr v, int bounded);
/* The number of bits that hold every sum, product, and sum of a product and a number of the format
 * exactly. */
long ref_exact_bits(const ref_format *f);

/* ---- results --------------------------------------------------------------------------------- */

enum ref_kind {
    REF_IS_NUMBER, /* finite and not zero */
    REF_IS_ZERO,
    REF_IS_INFINITE,
    REF_IS_QUOTIENT, /* x / 0, x finite and not 0 */
    REF_IS_NAN,      /* from a NaN operand */
    REF_IS_INVALID   /* an invalid operation */
};

typedef struct ref_rounded {
    int64_t magnitude; /* as returned by ref_magnitude() */
    int inexact;
    int tiny; /* by the tininess that was requested */
} ref_rounded;

typedef struct ref_answer {
    uint64_t code;
    unsigned flags;
} ref_answer;

typedef struct ref_work {
    const ref_format *f; /* of the result */
    int tiny_before;
    /* the exact result */
    enum ref_kind kind;
    int negative;    /* of a number, an infinity, a zero */
    int negative_rd; /* of a zero, when rounding downward */
    unsigned flags;  /* raised by a signaling NaN, or inf * 0 beside a NaN */
    mpfr_t x;        /* the number */
    ref_rounded rounded[REF_MODES];
    /* stochastic rounding: the two neighbours, and the threshold for the random number */
    int64_t sr_lo, sr_hi;
    int sr_rule, sr_bits;
    uint64_t sr_term, sr_term_free;
    int sr_tiny;
    mpq_t sr_nu;
    /* of a conversion: an infinite operand stays infinite; and of the last source, whether the
     * result's format is a different one that has infinity and holds every finite value of it */
    int keeps_infinity;
    const ref_format *from;
    int holds;
    /* scratch */
    mpfr_t t, cut, between, mid, min_normal, r[REF_MODES], free[REF_MODES];
} ref_work;

void ref_open(ref_work *w, const ref_format *result);
void ref_close(ref_work *w);

/* ---- exact results --------------------------------------------------------------------------- */

enum {
    REF_ADD,
    REF_SUB,
    REF_MUL,
    REF_DIV,
    REF_REM,
    REF_SQRT,
    REF_FMA,
    REF_RECIP,
    REF_RSQRT,
    REF_HYPOT,
    REF_FAA
};
/* b and c are ignored where the operation does not have them. */
void ref_arithmetic(ref_work *w, int op, const ref_operand *a, const ref_operand *b,
                    const ref_operand *c);
void ref_scalb(ref_work *w, const ref_operand *a, long n);
void ref_convert(ref_work *w, const ref_format *from, const ref_operand *a);
void ref_from_signed(ref_work *w, int64_t n);
void ref_from_unsigned(ref_work *w, uint64_t n);

/* ---- rounding -------------------------------------------------------------------------------- */

/* Rounds the exact result in all modes; in one of rne, rz, ru, rd; or to an integral value of the
 * format (with `exact`, inexact is raised). */
void ref_round(ref_work *w);
void ref_round_in(ref_work *w, int mode);
void ref_round_integral(ref_work *w, int exact);
/* The result in a mode that was rounded; `saturate` = policy ocp, else ocp-nosat. */
ref_answer ref_finish(const ref_work *w, int mode, int saturate);

/* Sets keeps_infinity for an operand of that format, as ref_convert() does. */
void ref_from(ref_work *w, const ref_format *from);

/* ---- HiF8, ref_hif8.c ------------------------------------------------------------------------ */

/* Where a number is in its table: lo is the number below, or the same one. */
typedef struct ref_hif8_place {
    int lo, exact;
    int side;              /* how it compares to the middle of lo and the next one */
    int small, below_half; /* below 2^-22; not above 2^-23 */
    int half_side;         /* how it compares to the middle of these two */
} ref_hif8_place;

/* Builds its table, after ref_start(); its codes, as the source of a conversion; its values and
 * midpoints; and the result for what ref_convert() left, once its place is found. */
int ref_hif8_start(void);
const ref_format *ref_hif8(void);
void ref_hif8_each_boundary(void (*visit)(void *data, mpfr_srcptr b), void *data);
void ref_hif8_find(const ref_work *w, ref_hif8_place *p);
ref_answer ref_hif8_finish(const ref_work *w, const ref_hif8_place *p, int mode, int saturate);

/* ---- fields of a policy, ref_policy.c -------------------------------------------------------- */

enum { REF_ROUND_PAST_MAX_OVERFLOW, REF_ROUND_PAST_MAX_NEXT, REF_ROUND_PAST_MAX_NAN };
enum { REF_BEYOND_MAX_OVERFLOW, REF_BEYOND_MAX_NEXT, REF_BEYOND_MAX_MAX };

typedef struct ref_rules {
    int round_past_max, beyond_max;
    int above_least_up, below_normal_stay, early_exponent;
    int nan_below; /* missing_zero = nan-below */
} ref_rules;

/* The result under these rules, in addition to ocp or ocp-nosat. */
ref_answer ref_finish_rules(const ref_work *w, int mode, int saturate, ref_rules r);
/* Returns 1 if every number of a source is a number of the format. */
int ref_fits(const ref_format *source, const ref_format *f);
/* The first step of a conversion by way of w->f: its output goes to *to. */
void ref_first_step(ref_work *w, const ref_format *source, const ref_operand *a, int mode,
                    ref_operand *to);

/* x, a number, rounded to an integer. */
void ref_integral(mpfr_t r, mpfr_srcptr x, int mode);

/* MPFR's own rounding of x to the format in rne (man_bits > 0), rz, ru, rd, and the mode away;
 * `bounded`: with the smallest exponent of the format. r has man_bits + 1 bits. */
void ref_mpfr_round(mpfr_t r, mpfr_srcptr x, mpfr_rnd_t mode, const ref_format *f, int bounded);
/* The same from the definition: the nearer of the neighbours lo and hi, the even code in a tie. */
void ref_nearest_even(ref_work *w, mpfr_t r, mpfr_srcptr lo, mpfr_srcptr hi, int bounded);

/* Stochastic rounding by rule 0, 1, 2 = a, b, c with random numbers of `bits` bits: prepare, then
 * one result for each random number; *up says whether it is the upper neighbour. ref_sr_count()
 * returns how many of all 2^bits random numbers round up. The `integral` form rounds to
 * integers. */
void ref_sr_round(ref_work *w, int rule, int bits);
void ref_sr_round_integral(ref_work *w, int rule, int bits);
ref_answer ref_sr_finish(ref_work *w, uint32_t word, int saturate, int *up);
uint64_t ref_sr_count(const ref_work *w);

/* ---- results that are not rounded ------------------------------------------------------------ */

enum { REF_LESS, REF_EQUAL, REF_GREATER, REF_UNORDERED };

enum {
    REF_SIGNALING_NAN,
    REF_QUIET_NAN,
    REF_NEG_INFINITY,
    REF_NEG_NORMAL,
    REF_NEG_SUBNORMAL,
    REF_NEG_ZERO,
    REF_POS_ZERO,
    REF_POS_SUBNORMAL,
    REF_POS_NORMAL,
    REF_POS_INFINITY
};

int ref_compare(const ref_operand *a, const ref_operand *b, int signaling, unsigned *flags);
int ref_total_order(const ref_format *f, const ref_operand *a, const ref_operand *b);
int ref_class(const ref_format *f, const ref_operand *a);
ref_answer ref_extremum(const ref_format *f, const ref_operand *a, const ref_operand *b,
                        int greater, int magnitude, int number);
ref_answer ref_next(ref_work *w, const ref_operand *a, int up, int saturate);
ref_answer ref_negate(const ref_format *f, const ref_operand *a);
uint64_t ref_abs(const ref_format *f, const ref_operand *a);
uint64_t ref_copy_sign(const ref_format *f, const ref_operand *a, const ref_operand *b);
/* The two's complement bits of an integer of 8, 16, 32, 64 bits. */
ref_answer ref_to_integer(const ref_operand *a, int width, int is_signed, int mode, int exact);

/* Parts of a result. */
uint64_t ref_sign_bit(const ref_format *f);
int ref_has_neg_zero(const ref_format *f);
ref_answer ref_nan(const ref_format *f, unsigned flags);
uint64_t ref_beyond(const ref_format *f, int negative, int saturate);

#endif
