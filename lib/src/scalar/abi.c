/* SPDX-License-Identifier: MIT */
/* abi.c -- for programs in other languages: a policy as an integer, sizes of structures */
#include "softfp8.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "softfp8_kv.h"
#include "softfp8_kv_policy.h"
#include "softfp8_kv_store.h"
#include "softfp8_mma.h"
#include "softfp8_vectors.h"
#include "text/names.h"

#if defined(__cplusplus)
#define SF8_ASSERT(condition, text) static_assert(condition, text)
#define SF8_ALIGN_OF_U64 alignof(uint64_t)
#else
#define SF8_ASSERT(condition, text) _Static_assert(condition, text)
#define SF8_ALIGN_OF_U64 _Alignof(uint64_t)
#endif

SF8_ASSERT(sizeof(sf8_policy) == 8, "a policy has 8 bytes");
SF8_ASSERT(sizeof(sf8_format) == 8, "a format has 8 bytes");
SF8_ASSERT(sizeof(sf8_result) == 8 + SF8_ALIGN_OF_U64, "a result has 16 bytes; 12 for i386");
SF8_ASSERT(SF8_POLICY_BITS <= 64, "the fields of a policy fit 64 bits");

/* ---- a policy as an integer --------------------------------------------------------------------
 */

uint64_t sf8_policy_pack(sf8_policy policy)
{
    uint64_t word = 0;
#define SF8_PACK(name, width, values) word |= (uint64_t)policy.name << SF8_POLICY_AT_##name;
    SF8_POLICY_FIELDS(SF8_PACK)
#undef SF8_PACK
    return word;
}

/* The largest value of a field: the last name of the list; for sr_bits 32. */
static uint32_t sf8_policy_most(const char *values)
{
    uint32_t most = 0;
    if (*values == '\0')
        return 32;
    for (; *values; values++)
        most += *values == ' ';
    return most;
}

sf8_status sf8_policy_unpack(uint64_t word, sf8_policy *policy)
{
    sf8_policy e = SF8_OCP;
    uint32_t bad = SF8_POLICY_BITS < 64 && word >> (SF8_POLICY_BITS & 63) != 0;
#define SF8_UNPACK(name, width, values)                                                            \
    e.name = (uint32_t)(word >> SF8_POLICY_AT_##name) & ((1u << width) - 1);                       \
    bad |= e.name > sf8_policy_most(values);
    SF8_POLICY_FIELDS(SF8_UNPACK)
#undef SF8_UNPACK
    if (bad)
        return SF8_BAD_CALL;
    *policy = e;
    return SF8_OK;
}

/* ---- sizes of structures --------------------------------------------------------------------- */

typedef struct sf8_structure_row {
    const char *name;
    size_t size;
} sf8_structure_row;

#define SF8_STRUCTURES(X)                                                                          \
    X(sf8_format)                                                                                  \
    X(sf8_operand)                                                                                 \
    X(sf8_scaled_codes)                                                                            \
    X(sf8_policy)                                                                                  \
    X(sf8_result)                                                                                  \
    X(sf8_term) X(sf8_program) X(sf8_recipe) X(sf8_block) X(sf8_place) X(sf8_kv_reader)            \
        X(sf8_kv_rule) X(sf8_kv_layout) X(sf8_kv_image) X(sf8_kv_words) X(sf8_kv_room) X(sf8_mma)  \
            X(sf8_mma_operands) X(sf8_mma_term) X(sf8_attend_order) X(sf8_policy_row)              \
                X(sf8_product_row) X(sf8_word) X(sf8_function) X(sf8_step) X(sf8_steps)            \
                    X(sf8_steps_head) X(sf8_steps_writer) X(sf8_text_error) X(sf8_moments)         \
                        X(sf8_softmax) X(sf8_merged) X(sf8_recipe_row) X(sf8_blocks)               \
                            X(sf8_block_report) X(sf8_mma_row) X(sf8_mma_schedule)                 \
                                X(sf8_mma_schedule_row) X(sf8_kv_reader_row) X(sf8_kv_rule_row)    \
                                    X(sf8_kv_life) X(sf8_kv_event) X(sf8_kv_trace) X(sf8_kv_type)  \
                                        X(sf8_kv_shape) X(sf8_kv_slots) X(sf8_kv_error)            \
                                            X(sf8_kv_store) X(sf8_kv_gather) X(sf8_kv_batch)       \
                                                X(sf8_kv_tiles) X(sf8_kv_pool) X(sf8_attend_cache) \
                                                    X(sf8_attend) X(sf8_attend_parted)

#define SF8_SIZE_ROW(name) {#name, sizeof(name)},
static const sf8_structure_row sf8_structures[] = {SF8_STRUCTURES(SF8_SIZE_ROW)};
#undef SF8_SIZE_ROW

const char *sf8_structure_at(size_t i, size_t *size)
{
    if (i >= sizeof sf8_structures / sizeof sf8_structures[0])
        return NULL;
    if (size)
        *size = sf8_structures[i].size;
    return sf8_structures[i].name;
}

size_t sf8_structure_size(const char *name)
{
    size_t size;
    const char *found;
    for (size_t i = 0; (found = sf8_structure_at(i, &size)) != NULL; i++)
        if (sf8_is_named(found, name))
            return size;
    return 0;
}
