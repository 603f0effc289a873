/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_diagnose.h -- explains differences: which rule, and which mistake, gave these codes
 *
 * This is the header of a second library, softfp8_diagnose, which is linked before softfp8. Unlike
 * softfp8 it allocates memory. It prints nothing, opens no file, keeps no state between calls, and
 * may be called by several threads at once.
 *
 * A search begins with what has a name or is expected. If that does not give every result, it makes
 * one change, then two, then three. An explanation counts as one only if it gives **every** result.
 * What is merely nearest is reported as such.
 *
 *     sf8_cast_results cast = {.from = SF8_F16, .to = SF8_E4M3, .inputs = in, .codes = out,
 *                              .count = n, .expected = "cuda"};
 *     sf8_diagnosis *d;
 *     if (sf8_diagnose_cast(&cast, &d) == SF8_OK) {
 *         if (!d->is_expected && d->count > 0)
 *             puts(d->list[0].words); // "ocp with round=rz: rounds toward zero"
 *         sf8_diagnosis_free(d);
 *     }
 */
#ifndef SOFTFP8_DIAGNOSE_H
#define SOFTFP8_DIAGNOSE_H

#include "softfp8_attend.h"
#include "softfp8_blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- causes ---------------------------------------------------------------------------------- */

/** One thing that can be wrong: a field of a policy set to a value, or a mistake that is no field.
 */
typedef struct sf8_cause {
    const char
        *name; /**< of the field, as sf8_policy_set() takes it; or of the mistake, "ties_up" */
    const char *value; /**< of the field; "" for a mistake */
    const char *words; /**< "ties go toward +infinity" */
} sf8_cause;

/** Returns what the search can name, one after the other. Fields with a number for a value have the
 * value "".
 * @param i     from 0 on
 * @param cause receives the i-th
 * @return 0 past the last */
SF8_API int sf8_cause_at(size_t i, sf8_cause *cause);

/** What was found. */
typedef enum sf8_verdict {
    SF8_VERDICT_POLICY,  /**< a named policy, or what is expected, gives every result */
    SF8_VERDICT_CHANGED, /**< with changes it gives every result */
    SF8_VERDICT_NEAREST, /**< nothing gives every result; the list has what is nearest */
    SF8_VERDICT_NONE     /**< nothing is near; the list is empty */
} sf8_verdict;

/* ---- casts ----------------------------------------------------------------------------------- */

/** What a cast returned. */
typedef struct sf8_cast_results {
    sf8_format from, to;    /**< of the operands, and of the results */
    const uint64_t *inputs; /**< codes of `from`, in any order; NULL: code i is that of input i */
    const uint64_t *codes;  /**< the code of `to` that came for each */
    size_t count;           /**< how many; without `inputs` each code of `from`, up to 20 bits */
    /** The policy, product or alias that the cast should follow, as sf8_policy_for() takes it, and
     * fields that are changed in it: "torch flush=outputs". Or NULL. */
    const char *expected;
    double seconds; /**< the time to search for, about; 0: as long as it takes */
    /** Called from time to time; or NULL. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< for `progress` */
} sf8_cast_results;

/** A rule: a policy with changes. */
typedef struct sf8_explanation {
    const char *policy; /**< that it begins with: "ocp" */
    const char *round;  /**< its rounding mode: "rne" */
    uint64_t differ;    /**< inputs for which it gives another code; 0: it explains all */
    size_t count;       /**< its changes: */
    sf8_cause cause[5]; /**< `words` lie in the diagnosis */
    const char *words;  /**< "ocp with round=rz: rounds toward zero" */
    const char *rule;   /**< "ocp, rz": the policy, and what is changed in it */
} sf8_explanation;

/** A product that follows a policy. */
typedef struct sf8_follower {
    const char *name;   /**< "torch" */
    const char *before; /**< in its versions before this one; "": in its newest */
} sf8_follower;

/** What explains the results of a cast. */
typedef struct sf8_diagnosis {
    sf8_verdict verdict;
    /** Whether `expected` names a policy that gives every code. */
    int is_expected;
    /** Inputs for which the expected policy gives another code; without one, the closest policy. */
    uint64_t wrong;
    /** Whether the time was up before everything was tried. */
    int is_cut_short;
    size_t count;
    /** Equally good explanations. One change of the expected policy comes before all others. Else
     * that of the documented product comes first, then the simplest. */
    const sf8_explanation *list;
    /** What the first does otherwise than the expected policy, or without one, than `policy`:
     * "rounds toward zero". */
    const char *mistake;
    size_t follower_count; /**< where a named policy gives every code: */
    const sf8_follower *followers;
} sf8_diagnosis;

/** Finds out which rule gave the results of a cast.
 *
 * Of the expected policy one field is changed first, then of each policy one field or one known
 * mistake, then two, then three. Of more than 65,536 inputs it takes a sample, and compares what it
 * found with all. If nothing gives half of the codes that differ, nothing is reported.
 *
 * @param results   what came
 * @param diagnosis receives what explains it, which sf8_diagnosis_free() frees
 * @return SF8_OK; SF8_UNKNOWN_NAME if `expected` names no policy for this conversion;
 *     SF8_BAD_FORMAT; SF8_BAD_CALL if a code is wider than its format, one input has two codes,
 *     `expected` rounds stochastically, or `count` does not fit; SF8_NO_ROOM without enough memory
 */
SF8_API sf8_status sf8_diagnose_cast(const sf8_cast_results *results, sf8_diagnosis **diagnosis);

/* ---- operations and random rounding ---------------------------------------------------------- */

/** What an operation returned. */
typedef struct sf8_operation_results {
    const char *function;     /**< "e4m3_mul", as sf8_function_named() takes it; no conversion */
    const uint64_t *operands; /**< the operands of the first result, then those of the second */
    const uint64_t *codes;    /**< the results */
    size_t count;             /**< of results */
    /** The policy that the operation should follow, as in sf8_cast_results; or NULL. */
    const char *expected;
    double seconds; /**< the time to search for, about; 0: as long as it takes */
    /** Called from time to time; or NULL. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< for `progress` */
} sf8_operation_results;

/** Finds out which rule gave the results of an operation.
 *
 * It tries each policy for the format with each rounding. If none gives every code, it changes the
 * four best of them: the result is computed in bf16, f16 or f32 and rounded again (the cause
 * "through"), or one field has another value. If nothing gives half of the codes, nothing is
 * reported.
 *
 * @param results   what came
 * @param diagnosis receives what explains it, which sf8_diagnosis_free() frees; `mistake` says what
 *     the first explanation changes, and there are no followers
 * @return SF8_OK; SF8_UNKNOWN_NAME if there is no such function or policy; SF8_BAD_FORMAT if the
 *     format does not have the function; SF8_BAD_CALL if it is a conversion, a code is wider than
 *     its format, or there are no results; SF8_NO_ROOM without enough memory */
SF8_API sf8_status sf8_diagnose_operation(const sf8_operation_results *results,
                                          sf8_diagnosis **diagnosis);

/** What a cast with stochastic rounding returned. */
typedef struct sf8_random_results {
    sf8_format from, to;    /**< of the operands, and of the results */
    const uint64_t *inputs; /**< codes of `from` */
    const uint32_t *random; /**< the random number of each input */
    int width;              /**< the bits of each random number, 1 to 32 */
    const uint64_t *codes;  /**< the code of `to` that came for each */
    size_t count;           /**< how many */
    /** The policy that the cast should follow, such as "ocp round=sr sr_bits=8"; or NULL. */
    const char *expected;
    double seconds; /**< the time to search for, about; 0: as long as it takes */
    /** Called from time to time; or NULL. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< for `progress` */
} sf8_random_results;

/** Finds out which rule of stochastic rounding gave the results of a cast: StochasticA, B or C
 * (`sr_rule`), how many random bits count (`sr_bits`), and which bits of the random number these
 * are (the cause "bits"). A rounding that does not depend on the random numbers comes first.
 *
 * @param results   what came
 * @param diagnosis as from sf8_diagnose_operation()
 * @return SF8_OK; SF8_UNKNOWN_NAME if `expected` names no policy for this conversion;
 *     SF8_BAD_FORMAT; SF8_BAD_CALL if a code or a random number is too wide, or there are no
 *     results; SF8_NO_ROOM without enough memory */
SF8_API sf8_status sf8_diagnose_random(const sf8_random_results *results,
                                       sf8_diagnosis **diagnosis);

/** Frees a diagnosis; NULL is good. */
SF8_API void sf8_diagnosis_free(sf8_diagnosis *diagnosis);

/* ---- blocks with scales ---------------------------------------------------------------------- */

/** Codes and scales of blocks as they lie in memory, and the values that they stand for. */
typedef struct sf8_layout_results {
    size_t rows, columns;
    const float *values; /**< row by row: what was quantized, or what a reader made of the codes */
    sf8_format from;     /**< in which the values were given: SF8_F32, SF8_BF16 or SF8_F16 */
    const uint8_t *codes, *scales;
    size_t codes_size, scales_size; /**< in bytes */
    size_t scale_width; /**< bytes of a scale: 1, 2 (bf16) or 4 (f32); 0: the one that fits best */
    /** The recipe that is expected, of e2m1, e4m3 or e5m2 in blocks of 16, 32, 64 or 128 or in
     * rows; or NULL: any of the usual ones, and the size of the codes says of how many bits they
     * are. */
    const char *recipe;
    sf8_layout layout;       /**< of the scales, that is expected */
    float global_scale;      /**< of the recipe; without one a factor; 0: none is given */
    int is_quick;            /**< tries single changes only, and samples a large matrix */
    const char *scales_file; /**< the name of the scales in `advice`; or NULL */
    double seconds;          /**< the time to search for, about; 0: as long as it takes */
    /** Called from time to time; or NULL. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< for `progress` */
} sf8_layout_results;

/** One thing that was misread. */
typedef struct sf8_layout_change {
    const char *axis;    /**< "nibbles" */
    const char *is;      /**< "high first" */
    const char *read_as; /**< "low first" */
    const char *words;   /**< "the nibbles are stored high first, and were read low first" */
    /** "exchange the nibbles of each byte of the codes", or what to give `softfp8 layout identify`;
     * "" unless the reading is the first and explains every element. */
    const char *advice;
    double factor;     /**< the values are it times what is read; or 0 */
    uint64_t elements; /**< that overflowed or were clipped; or 0 */
} sf8_layout_change;

/** A way to read codes and scales. */
typedef struct sf8_layout_reading {
    const char *words; /**< "nibbles high first, scales 128x4"; "as expected" */
    size_t count;      /**< its changes of the expected reading: */
    sf8_layout_change change[4];
    uint64_t counted;           /**< elements that are not 0, of the values or as read */
    uint64_t explained;         /**< of these: they would have been rounded to their code */
    double relative_l2, cosine; /**< of the values and those that are read; may be NaN */
    uint64_t differ;            /**< elements that the first reading reads otherwise */
    uint64_t differ_explained, differ_by_first; /**< of these, explained by this or that reading */
    int is_twin; /**< whether these data cannot distinguish it from the first */
} sf8_layout_reading;

/** A recipe that may have made the codes. */
typedef struct sf8_layout_recipe {
    const char *name;
    uint64_t codes_differ, scales_differ;
    /** Of the recipe that is expected: codes that differ from those for the scales as stored. */
    uint64_t codes_differ_for_scales;
    int is_folded; /**< whether the scales contain the global scale */
} sf8_layout_recipe;

/** How codes and scales have to be read. */
typedef struct sf8_layout_diagnosis {
    sf8_verdict verdict; /**< about the first reading */
    int is_expected;     /**< whether that is the expected one, and explains every element */
    int is_cut_short;    /**< whether the time was up before everything was tried */
    int bits;            /**< of a code */
    size_t tried;        /**< readings */
    size_t not_counted;  /**< values that are NaN or infinite */
    size_t count;
    const sf8_layout_reading *list;     /**< the best first */
    const sf8_layout_reading *expected; /**< or NULL: there is no such reading of such sizes */
    uint64_t expected_size;             /**< bytes of scales that it has to have */
    /** With SF8_VERDICT_NONE: how many bytes of scales there can be, "1584 (linear of 16), ..." */
    const char *sizes;
    double global_scale; /**< to give in place of the given one; or 0 */
    int is_exact;        /**< whether the expected recipe gives every code and scale with it */
    size_t recipe_count;
    const sf8_layout_recipe *recipes;                                /**< the nearest first */
    const sf8_layout_recipe *expected_recipe;                        /**< of these; or NULL */
    size_t rows_compared, all_rows, codes_compared, scales_compared; /**< with the recipes */
} sf8_layout_diagnosis;

/** Finds out how packed codes and scales must be read to give the values.
 * @param results   what came
 * @param diagnosis receives what explains it, which sf8_layout_diagnosis_free() frees
 * @return SF8_OK; SF8_UNKNOWN_NAME for no recipe, or one with other elements, scales or blocks;
 *     SF8_BAD_FORMAT for another `from`; SF8_BAD_CALL if the codes are of another size, no value is
 *     a number other than 0, or the global scale is none, or not for this recipe; SF8_NO_ROOM
 *     without enough memory */
SF8_API sf8_status sf8_diagnose_layout(const sf8_layout_results *results,
                                       sf8_layout_diagnosis **diagnosis);

/** Frees a diagnosis; NULL is good. */
SF8_API void sf8_layout_diagnosis_free(sf8_layout_diagnosis *diagnosis);

/* ---- matrix units ---------------------------------------------------------------------------- */

/** Dot products that a matrix unit computed: in each row k products and an accumulator. */
typedef struct sf8_unit_results {
    const char *unit;                   /**< that is expected: "hopper-qgmma", see sf8_mma_at() */
    sf8_format a, b, out;               /**< of the operands, and of the unit's result */
    const void *codes_a, *codes_b;      /**< [count][k], each row as sf8_mma_dot() takes it */
    const uint8_t *scales_a, *scales_b; /**< one for each block of a row; or NULL without scales */
    const uint32_t *c;                  /**< accumulators; or NULL: they are 0 */
    const uint32_t *results;            /**< what came for each row */
    size_t k, count;
    /** Of `results`: `out`, or bf16 or f16 if sums in f32 were rounded to nearest when stored. */
    sf8_format stored;
    double seconds; /**< the time to search for, about; 0: as long as it takes */
    /** Called from time to time; or NULL. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< for `progress` */
} sf8_unit_results;

/** A rule: a unit, or one with changes. */
typedef struct sf8_unit_rule {
    const char *words; /**< "fraction=12", "unit=ada-qmma sum=f32", as sf8_mma_set() takes them;
                            "c=by-itself": the accumulator is added separately */
    size_t explained;  /**< rows */
} sf8_unit_rule;

/** What explains the results of a matrix unit. */
typedef struct sf8_unit_diagnosis {
    sf8_verdict verdict; /**< SF8_VERDICT_POLICY: the unit explains all rows; the list has others */
    int is_expected;     /**< whether the unit explains all rows */
    int is_cut_short;    /**< whether the time was up before everything was tried */
    size_t explained;    /**< rows, by the unit */
    size_t first;        /**< the first row that it does not explain */
    size_t tried;        /**< rules */
    size_t found;        /**< rules that explain more, or where the unit explains all, all */
    size_t count;        /**< of these, up to 8 are listed, */
    const sf8_unit_rule *list; /**< the best first, then those with the fewest changes */
} sf8_unit_diagnosis;

/** Finds out which rule gave the results of a matrix unit.
 * @param results   what came
 * @param diagnosis receives what explains it, which sf8_unit_diagnosis_free() frees
 * @return SF8_OK; SF8_UNKNOWN_NAME for no unit; SF8_BAD_FORMAT if the unit has no such operands or
 *     result, or for another `stored`; SF8_BAD_CALL without rows, if the unit cannot add k
 * products, or if scales are missing; SF8_NO_ROOM without enough memory */
SF8_API sf8_status sf8_diagnose_unit(const sf8_unit_results *results,
                                     sf8_unit_diagnosis **diagnosis);

/** Frees a diagnosis; NULL is good. */
SF8_API void sf8_unit_diagnosis_free(sf8_unit_diagnosis *diagnosis);

/* ---- attention ------------------------------------------------------------------------------- */

/** An output of attention. */
typedef struct sf8_attention_results {
    /** What should have been computed; its `out` and `lse` are not used. At most one scale for all
     * keys, and one for all values. */
    const sf8_attend *request;
    /** If the queries were cast to codes: what they were before, [queries][heads][dim of k], so
     * that a cast with another scale can be named; or NULL. */
    const float *queries;
    /** The same of keys, [keys][kv heads][dim of k], and of values, before they were stored in the
     * cache; or NULL. */
    const float *keys, *values;
    sf8_format stored;   /**< of `out`: f32, f16 or bf16 */
    const void *out;     /**< [queries][heads][dim of v] */
    const uint32_t *lse; /**< [queries][heads], f32; or NULL */
    /** The error bound that it must lie in, as `softfp8 attend --by` takes it: "bf16", "any"; or
     * NULL: that of `stored`, or a narrower one. */
    const char *bound;
    size_t splits; /**< into how many parts the keys may have been split; 0: that is not known */
    size_t prefix; /**< keys in the first part, for orders with split=prefix; 0: none is known */
    /** The order in which it should be computed, as sf8_attend_order_read() takes it; or NULL. If
     * `bound` is NULL, the error bound is that of this order. */
    const char *order;
    double seconds; /**< the time to search for, about; 0: as long as it takes */
    /** Called from time to time; or NULL. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< for `progress` */
} sf8_attention_results;

/** What an output of attention is. */
typedef struct sf8_attention_diagnosis {
    /** The verdict: lines with a line feed between, of which the first says what the output is. */
    const char *message;
    /** Of `out`: SF8_VERDICT_POLICY: it is within the bound, or has the bits of a definition or of
     * an order; SF8_VERDICT_CHANGED: a mistake explains its errors; or SF8_VERDICT_NONE. */
    sf8_verdict verdict;
    int is_expected; /**< whether `out` is as expected, and `lse` too */
    int is_same;     /**< whether it has the bits of a definition, or of these orders: */
    size_t order_count;
    /** As sf8_attend_order_read() takes them: known ones, or if it is none of these, known ones
     * with a changed field: "fa3-fp8 tile=96". */
    const char *const *orders;
    const char *bound; /**< the narrowest in which it lies, of those it may; "order" for that of
                            the order; or NULL */
    double of_bound;   /**< the largest error, over that or the expected bound */
    int is_lse_right;  /**< 1 also without `lse` */
    size_t count;
    /** Mistakes, or a factor, each of which explains the errors; two that only together do are one
     * of these: "the scale of keys forgotten; and: no causal mask". */
    const char *const *list;
    size_t worst; /**< the row, query * heads + head, that is farthest off */
} sf8_attention_diagnosis;

/** Finds out what an output of attention is: as expected, or by which mistake it is wrong.
 * @param results   what came
 * @param diagnosis receives what explains it, which sf8_attention_diagnosis_free() frees
 * @return SF8_OK; SF8_UNKNOWN_NAME for no bound; SF8_BAD_TEXT for no order; SF8_BAD_FORMAT for
 *     another `stored`; SF8_BAD_CALL if sf8_attend_check() refuses the request, without keys or
 *     queries, or with more scales, or if the order cannot compute it or needs a prefix;
 *     SF8_NO_ROOM without enough memory */
SF8_API sf8_status sf8_diagnose_attention(const sf8_attention_results *results,
                                          sf8_attention_diagnosis **diagnosis);

/** Frees a diagnosis; NULL is good. */
SF8_API void sf8_attention_diagnosis_free(sf8_attention_diagnosis *diagnosis);

/* ---- two outputs of attention ---------------------------------------------------------------- */

/** Two outputs of the same request: of decode and prefill, of a batch of one and a batch of 16, of
 * two backends, of two GPUs. */
typedef struct sf8_same_attention_results {
    size_t queries, heads, dim; /**< of both: [queries][heads][dim] */
    sf8_format stored;          /**< of both: f32, f16 or bf16 */
    const void *a, *b;
    /** What should have been computed; its `out` and `lse` are not used; or NULL. */
    const sf8_attend *request;
    /** Without a request: the number of keys, of which the queries are the last positions, each of
     * which sees the keys up to its own; 0: that is not known. Not less than `queries`. */
    size_t keys;
    size_t splits;  /**< into how many parts the keys may have been split; 0: that is not known */
    double seconds; /**< the time to search for, about; 0: as long as it takes */
    /** Called from time to time; or NULL. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user; /**< for `progress` */
} sf8_same_attention_results;

/** Where two outputs of attention differ. A row is query * heads + head. */
typedef struct sf8_same_attention_diagnosis {
    int is_same; /**< whether every bit is equal; all NaNs count as equal */
    /** The verdict: lines with a line feed between, of which the first says whether they are equal
     * or which rows differ. */
    const char *message;
    size_t rows_differ, values_differ;
    size_t first;      /**< the first row that differs */
    size_t first_keys; /**< how many keys it sees; 0: that is not known */
    /** The patterns that all differences follow, and that differences at random places would follow
     * with a probability below 1e-5: "from 97 keys on", "in head 3 only". One at most for queries,
     * heads and channels each, in this order. */
    size_t pattern_count;
    const char *const *patterns;
    uint64_t ulps;   /**< the most by which finite values differ, in units in the last place */
    double relative; /**< and relative to the larger one */
    /** With a request: a pair of orders that gives both outputs in every bit, in words: "the order
     * fa3-fp8 tile=96". The pair differs in as few fields as possible. NULL where none is found. */
    const char *order_a, *order_b;
    double error_a, error_b; /**< with a request: root mean square errors in the rows that differ */
    char nearer; /**< 'A' or 'B' if one is nearer to the true value; 0: that is not clear */
} sf8_same_attention_diagnosis;

/** Finds out where two outputs of the same request differ, and with the request, in which orders
 * they were computed: definitions, known orders, and known orders with one field changed.
 * @param results   what came
 * @param diagnosis receives the differences, which sf8_same_attention_diagnosis_free() frees
 * @return SF8_OK; SF8_BAD_FORMAT for another `stored`; SF8_BAD_CALL for sizes of 0, fewer keys than
 *     queries, or a request that has other sizes or that sf8_attend_check() refuses; SF8_NO_ROOM
 *     without enough memory */
SF8_API sf8_status sf8_diagnose_same_attention(const sf8_same_attention_results *results,
                                               sf8_same_attention_diagnosis **diagnosis);

/** Frees a diagnosis; NULL is good. */
SF8_API void sf8_same_attention_diagnosis_free(sf8_same_attention_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif

#endif
