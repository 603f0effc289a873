/* SPDX-License-Identifier: MIT */
/* identify.h -- what explains these codes: the search for a policy, and for what is changed in it
 *
 * The one engine for differences of conversions. The command identify gives it results alone; a
 * case that failed (conformance/failing) also knows what should have come.
 *
 *     set.c          observed results: runs of inputs with one result
 *     candidates.c   policies with a rounding, each compared with a set
 *     order.c        which of several policies that match is named first; the products
 *     cells.c        the inputs cut into cells in which no model of a converter changes; the ranges
 *                    where a model differs from a set
 *     causes.c       what can be wrong, a row each; mistakes.h has what each does
 *     operand.c      what an input is to a target
 *     model.c        a converter: a policy and what is changed in it
 *     changes.c      which causes are sought
 *     search.c       the smallest changes that explain a set
 *     threshold.c    where between two neighbours a rounding begins to go up
 *     reinterpret.c  the same bytes as another format, or in another order
 *     classes.c      which policies cannot be distinguished
 *     explain.c      all of it, for a set
 *     expected.c     one change of the policy that was expected, if that is enough
 *     factor.c       the policy that was expected, for a multiple of the operands
 *     cast.c         sf8_diagnose_cast
 *
 * Rows of an operation, or with random numbers, are in diagnose/operation.
 */
#ifndef SOFTFP8_DIAGNOSE_POLICY_H
#define SOFTFP8_DIAGNOSE_POLICY_H

#include "diagnose/search.h"
#include "softfp8/core.h"
#include "softfp8_vectors.h"

enum { IDENTIFY_ROUNDINGS = SF8_SR };
extern const char *const identify_roundings[IDENTIFY_ROUNDINGS + 1];

/* ---- a set of observed results (set.c) ------------------------------------------------------- */

/* Successive inputs with the same result. */
typedef struct identify_run {
    uint64_t first, last; /* words, both observed */
    uint64_t code;
    uint64_t at; /* in a sparse set the index of `first` among the words */
    uint32_t flags;
} identify_run;

typedef struct identify_set {
    char from_name[SF8_NAME_SIZE], to_name[SF8_NAME_SIZE];
    sf8_format from, to;
    int has_flags;
    uint64_t inputs; /* their number; UINT64_MAX stands for 2^64 */
    uint64_t *words; /* ascending, each once; NULL if every word of the source was observed */
    identify_run *runs;
    size_t count, room;
    const char
        *product; /* the one to compare with first: a product, a policy or an alias; or NULL */
    const char *changed; /* or NULL: its name with the fields that differ, which give `rules` */
    sf8_policy rules;
    search_context *context; /* or NULL */
} identify_set;

int identify_same_format(sf8_format a, sf8_format b);
void identify_free(identify_set *set);
/* The next inputs in order. `first` to `last`; for a sparse set one word, already in `words`. */
void identify_add(identify_set *set, uint64_t first, uint64_t last, uint64_t code, uint32_t flags);
/* The number of observed words from `first` to `last`, within a run. */
uint64_t identify_count(const identify_set *set, const identify_run *run, uint64_t first,
                        uint64_t last);
/* The number of words of a format; UINT64_MAX for 2^64. */
uint64_t identify_words_of(sf8_format f);
/* The index of the first word that is not below `word`, from `low` on; `high` if all are. */
uint64_t identify_lower_bound(const uint64_t *words, uint64_t low, uint64_t high, uint64_t word);
/* The code that an input gave; 0 if it was not observed. */
int identify_find(const identify_set *set, uint64_t word, uint64_t *code);
uint64_t identify_sum(uint64_t a, uint64_t b); /* saturating */

/* ---- candidates (candidates.c) --------------------------------------------------------------- */

/* A policy and a rounding, compared with a set. */
typedef struct identify_candidate {
    size_t policy_index, round;
    sf8_policy policy;
    uint64_t codes; /* the number of inputs whose code differs */
    uint64_t flags; /* and of those where the code or the flags differ */
    uint64_t first; /* if codes > 0, after identify_compare: the first input whose code differs */
    uint64_t first_code;   /* what that input gave */
    uint64_t first_raised; /* if flags > codes: the first input whose flags alone differ */
    uint32_t first_flags;  /* what that input raised */
    uint32_t order;        /* of two that match the one with the lower number is named first */
    int left_out;          /* not meant for this conversion: then codes and flags are UINT64_MAX */
} identify_candidate;

/* Counts exactly, over every input of the set. The words at which the candidate's result changes
 * go to *boundaries, unless that is NULL. */
void identify_compare(const identify_set *set, identify_candidate *c, search_words *boundaries);
/* Whether a policy gives the code of every input. */
int identify_gives(const identify_set *set, sf8_policy policy);
/* All policies with all roundings, in order: which of them fit. For one that does not, the counts
 * just are not 0. Policies that are not meant for the conversion are left out, but for the one of
 * --product, and for those that match where no other policy does. The caller frees the list. */
identify_candidate *identify_candidates(const identify_set *set, size_t *count);
/* Counts for each of them that is not left out. */
void identify_count_all(const identify_set *set, identify_candidate *list, size_t count,
                        search_words *boundaries);
/* The one with the fewest differences. Of several that match it is the one that is named first, and
 * of several others the first of the table. */
const identify_candidate *identify_closest(const identify_candidate *c, size_t count);
/* The policy with all fields at their first value that can not matter in a conversion between these
 * formats: two that agree give the same codes (with `flags`, flags too). */
sf8_policy identify_relevant(sf8_policy policy, sf8_format from, sf8_format to, int flags);
/* By the fields: between them a policy has bits that mean nothing. */
static inline int identify_same_policy(sf8_policy a, sf8_policy b)
{
    return sf8_policy_pack(a) == sf8_policy_pack(b);
}
/* Whether a policy is meant for the conversion of the set, or is that of the product. */
int identify_is_meant(const identify_set *set, const sf8_policy_row *row);

/* ---- which comes first (order.c) ------------------------------------------------------------- */

/* The place of a policy with a rounding, as identify_candidate has it. First comes the policy of
 * --product. Then a policy with its own rounding comes before one with another; a policy for this
 * conversion before one for others; one that a product has for it before the rest; better evidence
 * before weaker; and ocp before its equals. */
uint32_t identify_order(const identify_set *set, size_t policy_index, size_t round);
/* Whether a match, `a`, is named before another, `b`. The flags count after the product. */
int identify_is_before(const identify_candidate *a, const identify_candidate *b);
/* The candidates that match, in the order in which they are named. The caller frees the list. */
const identify_candidate **identify_matches(const identify_set *set, const identify_candidate *list,
                                            size_t count, size_t *matches);

/* A product whose policy for the conversion of a set matches, in the versions before `before`. */
typedef struct identify_product {
    const char *name;
    const char *before; /* "": in its newest version */
} identify_product;

enum { IDENTIFY_PRODUCTS = 64 };

/* The row of the policy of that name, which exists, in sf8_policy_at. */
size_t identify_policy_index(const char *name);
/* The products, in the order of the table. */
int identify_products(const identify_set *set, const identify_candidate *list,
                      identify_product products[IDENTIFY_PRODUCTS]);
/* The policy of the product for this conversion, with its own rounding, compared with the set. */
identify_candidate identify_of_product(const identify_set *set);

/* ---- a model of a converter (model.c) -------------------------------------------------------- */

/* Codes seen where a policy has a choice, of a positive and a negative input: mistakes give them.
 */
typedef enum identify_seen_what {
    IDENTIFY_SEEN_NOTHING,
    IDENTIFY_SEEN_OVER,
    IDENTIFY_SEEN_INF,
    IDENTIFY_SEEN_NAN,
    IDENTIFY_SEEN_ZERO,
    IDENTIFY_SEEN_COUNT
} identify_seen_what;

typedef struct identify_seen {
    int has[IDENTIFY_SEEN_COUNT]; /* both signs were seen, and all NaNs of a sign gave one code */
    uint64_t code[IDENTIFY_SEEN_COUNT][2];
    int wraps;   /* finite values beyond the largest gave many codes */
    int sinks;   /* so did finite values below the smallest */
    int32_t low; /* if `sinks`: the smallest one whose code is not 0 is at least 2^low */
} identify_seen;

/* Of a group a model has one change at most. Mistakes are made in this order, and act on: */
typedef enum identify_group {
    IDENTIFY_GROUP_TIE,   /* the rounding of a finite operand */
    IDENTIFY_GROUP_CARRY, /* the code of a finite operand */
    IDENTIFY_GROUP_SUB,   /* the same, if that is not decided */
    IDENTIFY_GROUP_OVER,  /* the same, if that is not decided */
    IDENTIFY_GROUP_NAN,   /* the code of NaN */
    IDENTIFY_GROUP_INF,   /* the code of infinity */
    IDENTIFY_GROUP_ZERO,  /* the code of a finite operand, if that or the operand is zero */
    IDENTIFY_GROUP_LAST,  /* every code */
    IDENTIFY_GROUPS
} identify_group;

/* Where a field is sought. */
typedef enum identify_scope {
    IDENTIFY_OF_ALL,
    IDENTIFY_OF_CASE, /* not in a set, whose candidates have every rounding; in cases of the suite
                       */
    IDENTIFY_OF_FLAGS /* where only flags differ */
} identify_scope;

struct identify_operand;

/* What can be wrong with a converter (causes.c): a field of its policy, or a mistake that is no
 * field. */
typedef struct identify_cause {
    const char *name;  /* of the field, or of the mistake */
    const char *value; /* of the field; NULL: any number; "": a mistake */
    const char *words; /* of a converter: "NaN keeps its sign" */
    int cost;          /* how far-fetched it is */
    identify_scope of;
    /* Of a mistake: */
    identify_group group;
    unsigned rounds;                          /* bits of the roundings that it makes sense with */
    unsigned when;                            /* facts that have to hold */
    identify_seen_what seen;                  /* what the code is that it gives */
    int (*apply)(struct identify_operand *x); /* whether the code is decided; NULL of a field */
} identify_cause;

/* The i-th row, fields first, or NULL. */
const identify_cause *identify_cause_at(size_t i);
/* The row of a field with this value, or of a mistake with "", or NULL. */
const identify_cause *identify_cause_of(const char *name, const char *value);
unsigned identify_facts_of(const identify_seen *seen, sf8_format from, sf8_format to);

enum { IDENTIFY_CHANGES = 3, IDENTIFY_ROW_CHANGES = 4 };
#define IDENTIFY_ROW SIZE_MAX /* in place of a policy's index: the policy that the row names */

typedef struct identify_model {
    size_t policy_index, round;
    sf8_policy policy;
    sf8_policy key;    /* identify_relevant(policy) */
    uint64_t mistakes; /* of each group a byte: 0, or 1 + the index of the mistake's row */
    uint64_t
        others; /* of a row: stands for the changes that are neither in `policy` nor mistakes */
    int changes;
    int change[IDENTIFY_ROW_CHANGES]; /* indices into the list of changes, ascending */
    uint64_t differ;                  /* the inputs for which it gives another code */
    uint64_t broken; /* and those of them for which the closest policy gives the right one */
    uint64_t hash;   /* of the codes it gives */
    int cost;        /* how far-fetched it is; orders those that explain alike */
    int again;       /* another way to a converter that is among the models already */
} identify_model;

static inline const identify_cause *identify_mistake_of(const identify_model *m,
                                                        identify_group group)
{
    uint64_t row = m->mistakes >> 8 * group & 0xff;
    return row ? identify_cause_at((size_t)row - 1) : NULL;
}

/* A mistake more, of a group of which the model has none. */
void identify_put_mistake(identify_model *m, const identify_cause *mistake);

/* The code that a model gives for an input. */
uint64_t identify_code(const identify_model *m, const identify_seen *seen, sf8_format from,
                       sf8_format to, uint64_t word);

/* What can be changed: a field of a policy, or a mistake put in. For a row of the suite there are
 * also other readings of the same bytes, and the steps themselves. */
typedef struct identify_change {
    const identify_cause *cause;            /* or NULL */
    char value[16];                         /* of the field; with `via` a rounding */
    const struct identify_reading *reading; /* or NULL */
    /* The result is rounded to this format first; "": it is rounded once, from the operand of the
     * row's first step; NULL: neither */
    const char *via;
    int step; /* of the row, that the field belongs to */
    int group, cost;
} identify_change;

/* Whether it is a field of a policy, which is set to `value`. */
static inline int identify_is_field(const identify_change *change)
{
    return change->cause && !change->cause->apply;
}

enum { IDENTIFY_CHANGES_MOST = 512, IDENTIFY_COST_POLICY = 9, IDENTIFY_COST_READING = 20 };

/* A change in words. */
const char *identify_words(const identify_change *change, const identify_seen *seen, sf8_format to,
                           char text[160]);

/* What an input is to a target. */
typedef enum identify_class {
    IDENTIFY_IS_NAN,
    IDENTIFY_IS_INF,
    IDENTIFY_IS_ZERO,
    IDENTIFY_IS_NEGATIVE, /* and the target has no sign */
    IDENTIFY_IS_OVER,     /* above the largest finite number */
    IDENTIFY_IS_TIE,
    IDENTIFY_IS_TINY, /* below the smallest normal number */
    IDENTIFY_IS_TINY_TIE,
    IDENTIFY_IS_OTHER,
    IDENTIFY_CLASSES
} identify_class;
extern const char *const identify_class_names[IDENTIFY_CLASSES];   /* for JSON */
extern const char *const identify_class_phrases[IDENTIFY_CLASSES]; /* "NaN", "ties" */
identify_class identify_classify(sf8_format from, sf8_format to, uint64_t word);

/* ---- cells (cells.c) ------------------------------------------------------------------------- */

/* Observed inputs that no model tells apart and that gave the same code. */
typedef struct identify_cell {
    uint64_t first, last; /* both observed */
    uint64_t count;       /* of the observed */
    uint64_t code;
    int right; /* the closest policy gives it */
} identify_cell;

typedef struct identify_cells {
    const identify_set *set;
    identify_cell *cells;
    size_t count;
    uint64_t wrong; /* the inputs for which the closest policy gives another code */
    identify_seen seen;
    struct identify_subject *subject;
} identify_cells;

/* The set cut at *boundaries and at those of the models; they are sorted here. */
identify_cells identify_cut(const identify_set *set, search_words *boundaries);
/* Notes which cells a policy explains. `plain` is the set as the user gave it, which the policy is
 * about; that of the cells may be the same read otherwise, by `reading`. */
struct identify_reading;
void identify_mark(identify_cells *cells, const identify_set *plain, sf8_policy policy,
                   const struct identify_reading *reading);
void identify_cells_free(identify_cells *c);

/* ---- search (search.c) ----------------------------------------------------------------------- */

enum { IDENTIFY_BEAM = 32, IDENTIFY_KEPT = 32 };

typedef struct identify_diagnosis {
    identify_change list[IDENTIFY_CHANGES_MOST];
    int changes;
    identify_model found[IDENTIFY_KEPT]; /* best first; those after it explain as much otherwise */
    int count;                           /* 0: nothing explains half of the differences */
    uint64_t same; /* bit i: the changes of found[0] to policy i give the same codes */
} identify_diagnosis;

/* Which of two explanations comes first: the one that leaves fewer inputs, then the less
 * far-fetched. Negative if it is `a`. */
int identify_compare_models(const identify_model *a, const identify_model *b);
/* Begins with the candidates; or with the policy of the subject, then there are none. found[0] is
 * then that policy itself where nothing explains more. What does not explain every input counts
 * only if it explains half of those that the closest policy does not. For sixteen inputs that it
 * mends it may break one that the closest policy explains; what breaks none comes before it,
 * though. */
void identify_search(const identify_cells *cells, const identify_candidate *candidates,
                     size_t count, identify_diagnosis *d);
/* A policy in the place of a case's, with its rounding; or with IDENTIFY_ROW its own. */
identify_model identify_case_model(const struct identify_subject *s, size_t policy_index);
/* Whether each input where a candidate differs is a number and its code one of the two next to it:
 * rounded, but in another way. */
int identify_is_rounding(const identify_cells *cells, const identify_candidate *c);
/* Whether larger values give smaller ones so often that the rounding looks random. A fault that
 * concerns some ranges of inputs does not. */
int identify_is_disordered(const identify_cells *cells);

/* What was observed between a number and the next one in magnitude: the highest nu that was rounded
 * down, and the lowest that was rounded up. nu is 0 at the number and 1 at the next one. */
typedef struct identify_side {
    double down, up;  /* 0 and 1 where nothing was observed */
    uint64_t rounded; /* the inputs that were looked at */
} identify_side;

typedef struct identify_threshold {
    identify_side side[2]; /* the code of the number below is even, odd */
} identify_threshold;

/* Whether the observed rounding has a threshold. `policy` says what the codes of zero are. */
int identify_find_threshold(const identify_cells *cells, sf8_policy policy, identify_threshold *t);
/* The simplest number where it can lie. */
double identify_threshold_of(const identify_side *side);

/* Of policies whose codes match, those that give the flags too after the fewest changes to fields
 * that may change flags only. They go to found[0 .. result), with the changed policies, in the
 * order of `matches`; found has room for `count`. 0 if no such change does. */
size_t identify_flags_search(const identify_set *set, const identify_candidate **matches,
                             size_t count, identify_candidate *found);

/* ---- other readings of the same bytes (reinterpret.c) ---------------------------------------- */

/* Another format, or another order of the bytes of 16 bits. */
typedef struct identify_reading {
    sf8_format from, to;
    int swap_words, swap_codes;
    const char *name; /* for JSON */
    char words[160];  /* "these are codes of e5m2" */
} identify_reading;

enum { IDENTIFY_READINGS = 64 };

/* The readings of a conversion, those that swap bytes first. */
int identify_readings(sf8_format from, sf8_format to, identify_reading list[IDENTIFY_READINGS]);

/* The set under one of them. */
typedef struct identify_other {
    identify_set set;
    int found; /* 0: nothing fits better than what the user says */
    identify_reading reading;
} identify_other;

/* A word of 16 bits with its bytes swapped. */
static inline uint64_t identify_swapped(uint64_t word)
{
    return (word >> 8 & 0xff) | (word & 0xff) << 8;
}

/* The reading that fits best, if it fits better than the plain one. */
void identify_read_otherwise(const identify_set *set, identify_other *other);
void identify_other_free(identify_other *other);

/* A format with the bias of another, if that is all in which their numbers differ. */
static inline sf8_format identify_biased(sf8_format f, sf8_format other)
{
    if (f.exp_bits == other.exp_bits && f.man_bits == other.man_bits &&
        f.is_signed == other.is_signed)
        f.bias = other.bias;
    return f;
}

/* The inputs of a set for which a model gives another code, in a reading or with NULL as they are.
 */
uint64_t identify_count_model(const identify_set *all, const identify_reading *reading,
                              const identify_seen *seen, const identify_model *m);

/* ---- what a search is about ------------------------------------------------------------------ */

enum { IDENTIFY_STEPS_MOST = 3, IDENTIFY_PROBES = 1024 };

/* Whose rule is sought: the search knows nothing else of it. A set of results has one step, a
 * conversion, of which all is known. A case of the suite has steps, one after the other, and what
 * should have come; its models are that with changes, and it can be asked again. */
typedef struct identify_subject {
    int step;            /* the one whose policy and mistakes the models have: */
    int converts;        /* it converts between formats, */
    sf8_format from, to; /* these; fields that do not matter there do not count */
    int most;            /* changes, at most */
    /* All that can be changed. */
    int (*changes)(const struct identify_subject *s, const identify_cells *cells,
                   identify_change list[IDENTIFY_CHANGES_MOST]);
    /* The next calls are about this model; 0 if its policy is not meant for the formats, if its
     * changes do not go together, or if time is up. NULL: there is nothing to do. */
    int (*open)(struct identify_subject *s, const identify_cells *cells,
                const identify_diagnosis *d, const identify_model *m);
    /* The model's code for the input of a cell, and whether the one that came is as good. */
    int (*is_right)(const struct identify_subject *s, const identify_cells *cells,
                    const identify_model *m, const identify_cell *cell, uint64_t *code);
    /* Runs the open model against the subject: on how many inputs they differ. NULL: it cannot be
     * asked again, and all that is known is in the cells. */
    uint64_t (*prove)(struct identify_subject *s);
    /* What came for these inputs. A model is asked about them first; those that a proof finds are
     * added. */
    identify_cell probe[IDENTIFY_PROBES];
    size_t probes, kept; /* the first were there from the beginning */
    /* Of a case: */
    int rounds[IDENTIFY_STEPS_MOST]; /* whether the step is a function under a policy */
    sf8_policy policy;               /* of the step that is changed */
    int readings;                    /* other readings of what it takes and gives */
    identify_reading reading[IDENTIFY_READINGS];
} identify_subject;

/* Sets what is about a set of results, or about a case whose step, policy, formats are set. */
void identify_subject_of_set(identify_subject *s, const identify_set *set);
int identify_case_changes(const identify_subject *s, const identify_cells *cells,
                          identify_change list[IDENTIFY_CHANGES_MOST]);

/* ---- what is found --------------------------------------------------------------------------- */

/* Differing inputs that stand together. */
typedef struct identify_range {
    uint64_t first, last, count;
    uint64_t got[2], expected[2]; /* of the first and the last word */
    int constant[2];              /* whether these are the codes of all between */
    identify_class class;
} identify_range;

/* Where a model differs from the set: ranges, and the number of inputs of each class. The caller
 * frees the ranges. */
identify_range *identify_ranges(const identify_cells *cells, const identify_model *m, size_t *count,
                                uint64_t of_class[IDENTIFY_CLASSES]);
identify_model identify_model_of(const identify_candidate *c);

/* A set and what explains it. */
typedef struct identify_view {
    const identify_set *set;
    identify_candidate *candidates;
    size_t count;
    const identify_candidate *closest; /* its `codes` are 0 if it matches */
    identify_cells cells;              /* if no policy matches */
    identify_subject subject;
    identify_diagnosis diagnosis;
} identify_view;

/* What is known of a set. The search for changes is made if no policy matches. */
typedef struct identify_findings {
    const identify_set *set;
    identify_candidate product; /* the policy of set->product, if there is one */
    identify_view plain;
    identify_other other;
    identify_view read; /* the set in the other reading, if that was found */
    /* Those whose diagnosis counts, the better one first; NULL where there is none. */
    const identify_view *best, *second;
} identify_findings;

/* The first part compares the set with all policies; the second looks for changes, where none of
 * them gives all codes. */
void identify_begin(const identify_set *set, identify_findings *f);
void identify_continue(identify_findings *f);
void identify_explain(const identify_set *set, identify_findings *f);
/* Another bias gives the codes of the inputs times a power of two, and so does another format if
 * no special code shows. If all inputs leave it open, the words of the reading say both. */
void identify_say_factor(const identify_set *all, identify_findings *f);
void identify_findings_free(identify_findings *f);
/* Whether the best diagnosis explains every input. */
static inline int identify_is_complete(const identify_findings *f)
{
    return f->best && f->best->diagnosis.found[0].differ == 0;
}

/* ---- classes (classes.c) --------------------------------------------------------------------- */

/* Which policies give the same codes on the inputs of a set, all of them if it has no runs. */
typedef struct identify_equals {
    size_t policies;
    size_t *first; /* of each policy: the first that gives the same codes, or IDENTIFY_LEFT_OUT */
} identify_equals;

#define IDENTIFY_LEFT_OUT SIZE_MAX /* not meant for the conversion */

/* The caller frees `first`. */
identify_equals identify_equal_policies(const identify_set *set, size_t round);
/* An input, not in the set, that distinguishes the first of several matches from another. */
typedef struct identify_apart {
    uint64_t word, code[2]; /* by the first, and by the other */
    const identify_candidate *other;
} identify_apart;

/* Up to `most` of them; each distinguishes a match that those before it do not. None where the
 * source has too many inputs to go through. */
size_t identify_tell_apart(const identify_set *set, const identify_candidate **matches,
                           size_t count, identify_apart *apart, size_t most);

#endif
