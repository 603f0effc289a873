/* SPDX-License-Identifier: MIT */
/* tables.c -- every code of the narrow formats as f16 and bf16, computed on first use, and the
 * tables of the first conversions from bytes to bytes
 *
 * A table is written once, by the first call that needs it, with what any thread would write, and
 * only read after that. A call that comes while it is being written gets no table, and its caller
 * converts without one. No result depends on it.
 */
#include "arrays/array.h"

#if defined(__GNUC__)

enum { SF8_TABLE_NONE, SF8_TABLE_BEGUN, SF8_TABLE_READY };

typedef struct sf8_code_table {
    int32_t state;
    uint16_t word[256];
} sf8_code_table;

/* Codes wider than the format count by their low bits. */
static const uint16_t *sf8_table_made(sf8_code_table *t, sf8_format to, sf8_format from)
{
    int32_t state = __atomic_load_n(&t->state, __ATOMIC_ACQUIRE);
    if (SF8_RARE(state == SF8_TABLE_NONE) &&
        __atomic_compare_exchange_n(&t->state, &state, SF8_TABLE_BEGUN, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        for (uint64_t code = 0; code < 256; code++)
            t->word[code] = (uint16_t)sf8_convert(to, from, code, SF8_OCP_NOSAT);
        state = SF8_TABLE_READY;
        __atomic_store_n(&t->state, state, __ATOMIC_RELEASE);
    }
    return state == SF8_TABLE_READY ? t->word : NULL;
}

SF8_PRIVATE const uint16_t *sf8_table_of(sf8_format to, sf8_format from)
{
#define SF8_ROW(name, e, m, s, nan, inf, zero, bias) {e, m, s, nan, inf, zero, bias},
    static const sf8_format rows[] = {SF8_NARROW_FORMATS(SF8_ROW)};
#undef SF8_ROW
    static sf8_code_table tables[sizeof rows / sizeof rows[0]][2];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (sf8_same_format(rows[i], from))
            return sf8_table_made(&tables[i][to.exp_bits == 8], to, from);
    return NULL;
}

/* What a table of bytes depends on. The level is here so that each is tested with its own table. */
typedef struct sf8_byte_key {
    const sf8_kernels *level;
    sf8_format to, from;
    sf8_policy policy;
} sf8_byte_key;

typedef struct sf8_byte_table {
    int32_t state;
    sf8_byte_key key;
    uint8_t code[256];
} sf8_byte_table;

static int32_t sf8_byte_table_is(const sf8_byte_table *t, const sf8_byte_key *key)
{
    return t->key.level == key->level && sf8_same_format(t->key.to, key->to) &&
           sf8_same_format(t->key.from, key->from) && sf8_same_policy(t->key.policy, key->policy);
}

SF8_PRIVATE const uint8_t *sf8_byte_table_of(const sf8_kernels *level, sf8_format to,
                                             sf8_format from, sf8_policy policy,
                                             const uint8_t *made)
{
    enum { TABLES = 8 };
    static sf8_byte_table tables[TABLES];
    const sf8_byte_key key = {level, to, from, policy};
    for (size_t i = 0; i < TABLES; i++) {
        sf8_byte_table *t = &tables[i];
        int32_t state = __atomic_load_n(&t->state, __ATOMIC_ACQUIRE);
        if (state == SF8_TABLE_READY && sf8_byte_table_is(t, &key))
            return t->code;
        if (made && state == SF8_TABLE_NONE &&
            __atomic_compare_exchange_n(&t->state, &state, SF8_TABLE_BEGUN, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            t->key = key;
            memcpy(t->code, made, sizeof t->code);
            __atomic_store_n(&t->state, SF8_TABLE_READY, __ATOMIC_RELEASE);
            return t->code;
        }
    }
    return NULL;
}

#else

SF8_PRIVATE const uint16_t *sf8_table_of(sf8_format to, sf8_format from)
{
    (void)to;
    (void)from;
    return NULL;
}

SF8_PRIVATE const uint8_t *sf8_byte_table_of(const sf8_kernels *level, sf8_format to,
                                             sf8_format from, sf8_policy policy,
                                             const uint8_t *made)
{
    (void)level;
    (void)to;
    (void)from;
    (void)policy;
    (void)made;
    return NULL;
}

#endif
