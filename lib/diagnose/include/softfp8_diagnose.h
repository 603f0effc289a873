/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_diagnose.h -- explains differences: which rule, and which mistake, gave these codes
 *
 * This is the header of a second library, softfp8_diagnose, which is linked before softfp8. Unlike
 * softfp8 it allocates memory. It prints nothing, opens no file, keeps no state between calls, and
 * may be called by several threads at once.
 *
 * A search begins with the named policies. If none of them gives every code, it changes them: the
 * expected policy in one field, then each in one field or one known mistake, then in two, then in
 * three. Of more than 65,536 inputs it takes a sample, and compares what it found with all. An
 * explanation counts as one only if it
 * gives **every** code. What is merely nearest is reported as such, and if nothing gives half of
 * the codes that differ, nothing is reported.
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

#include "softfp8.h"

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

/** What was found. */
typedef enum sf8_verdict {
    SF8_VERDICT_POLICY,  /**< a named policy gives every code */
    SF8_VERDICT_CHANGED, /**< a policy with changes gives every code */
    SF8_VERDICT_NEAREST, /**< nothing gives every code; the list has what is nearest */
    SF8_VERDICT_NONE     /**< nothing is near; the list is empty */
} sf8_verdict;

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
 * @param results   what came
 * @param diagnosis receives what explains it, which sf8_diagnosis_free() frees
 * @return SF8_OK; SF8_UNKNOWN_NAME if `expected` names no policy for this conversion;
 *     SF8_BAD_FORMAT; SF8_BAD_CALL if a code is wider than its format, one input has two codes,
 *     `expected` rounds stochastically, or `count` does not fit; SF8_NO_ROOM without enough memory
 */
SF8_API sf8_status sf8_diagnose_cast(const sf8_cast_results *results, sf8_diagnosis **diagnosis);

/** Frees a diagnosis; NULL is good. */
SF8_API void sf8_diagnosis_free(sf8_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif

#endif
