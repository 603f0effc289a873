/* SPDX-License-Identifier: MIT */
/* test_abi.c -- a policy as an integer, and the sizes of structures: what other languages rely on
 *
 * The places of the fields are literals here: they must never change. A new field is added at the
 * end of SF8_POLICY_FIELDS, and then to this table.
 */
#include "check.h"

#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "softfp8_kv.h"
#include "softfp8_kv_policy.h"
#include "softfp8_kv_store.h"
#include "softfp8_mma.h"
#include "softfp8_vectors.h"

#include <ctype.h>

static const struct {
    const char *field;
    int at, bits;
} places[] = {
    {"round", 0, 3},        {"sr_rule", 3, 2},      {"sr_bits", 5, 6},
    {"overflow", 11, 2},    {"inf", 13, 2},         {"nan", 15, 1},
    {"nan_code", 16, 3},    {"nan_sign", 19, 2},    {"made_nan_sign", 21, 1},
    {"missing_nan", 22, 3}, {"negative", 25, 2},    {"missing_zero", 27, 2},
    {"tie_p1", 29, 1},      {"odd", 30, 1},         {"overflow_test", 31, 2},
    {"flush", 33, 2},       {"tininess", 35, 1},    {"quiet", 36, 1},
    {"inf_flags", 37, 2},   {"nan_flags", 39, 2},   {"integer", 41, 2},
    {"dialect", 43, 1},     {"via", 44, 3},         {"round_past_max", 47, 2},
    {"beyond_max", 49, 2},  {"above_least", 51, 1}, {"below_normal", 52, 1},
};

/* The index of the value in the list of its field's names. */
static uint64_t value_of(sf8_policy policy, size_t field)
{
    char text[32], list[128], *word;
    uint64_t i = 0;
    cr_assert(sf8_policy_get(policy, sf8_policy_field_at(field), text, sizeof text) == SF8_OK);
    snprintf(list, sizeof list, "%s", sf8_policy_field_values(field));
    if (list[0] == '\0')
        return strtoul(text, NULL, 10);
    for (word = strtok(list, " "); word && strcmp(word, text) != 0; word = strtok(NULL, " "))
        i++;
    cr_assert(word);
    return i;
}

Test(abi, places_of_fields)
{
    size_t fields = 0;
    const sf8_policy_row *row;
    while (sf8_policy_field_at(fields))
        fields++;
    cr_assert(fields >= COUNT(places));
    for (size_t f = 0; f < COUNT(places); f++)
        cr_expect(strcmp(sf8_policy_field_at(f), places[f].field) == 0, "%s is not where %s was",
                  sf8_policy_field_at(f), places[f].field);
    for (size_t p = 0; (row = sf8_policy_at(p)) != NULL; p++) {
        sf8_policy policy = sf8_policy_named(row->name, NULL);
        uint64_t word = sf8_policy_pack(policy);
        for (size_t f = 0; f < COUNT(places); f++)
            cr_expect((word >> places[f].at & ((1u << places[f].bits) - 1)) == value_of(policy, f),
                      "%s %s", row->name, places[f].field);
    }
    cr_expect(sf8_policy_pack(SF8_OCP) == 0x200);
    cr_expect(sf8_policy_pack(SF8_OCP_NOSAT) == (0x200 | 1 << 11 | 1 << 13));
    cr_expect(SF8_POLICY_AT_dialect == 43 && SF8_POLICY_BITS >= 53);
}

/* Every value of every field there and back. */
Test(abi, round_trip)
{
    for (size_t f = 0; sf8_policy_field_at(f); f++) {
        char list[128] = "1 2 8 31 32";
        if (sf8_policy_field_values(f)[0])
            snprintf(list, sizeof list, "%s", sf8_policy_field_values(f));
        for (char *word = strtok(list, " "); word; word = strtok(NULL, " ")) {
            sf8_policy policy = SF8_TORCH_2_13, back = SF8_OCP;
            char text[32] = "";
            cr_assert(sf8_policy_set(&policy, sf8_policy_field_at(f), word) == SF8_OK);
            cr_assert(sf8_policy_unpack(sf8_policy_pack(policy), &back) == SF8_OK);
            cr_expect(memcmp(&policy, &back, sizeof policy) == 0, "%s=%s", sf8_policy_field_at(f),
                      word);
            cr_expect(sf8_policy_get(back, sf8_policy_field_at(f), text, sizeof text) == SF8_OK &&
                      strcmp(text, word) == 0);
        }
    }
}

Test(abi, refused)
{
    sf8_policy policy = SF8_TORCH_2_13, before = policy;
    cr_expect(sf8_policy_unpack(UINT64_C(1) << 63, &policy) == SF8_BAD_CALL);
    cr_expect(sf8_policy_unpack((uint64_t)1 << SF8_POLICY_BITS, &policy) == SF8_BAD_CALL);
    cr_expect(sf8_policy_unpack(0x200 | UINT64_C(3) << 3, &policy) == SF8_BAD_CALL); /* sr_rule */
    cr_expect(sf8_policy_unpack(0x200 | UINT64_C(7) << 22, &policy) ==
              SF8_BAD_CALL);                                                  /* missing_nan */
    cr_expect(sf8_policy_unpack(UINT64_C(33) << 5, &policy) == SF8_BAD_CALL); /* sr_bits */
    cr_expect(memcmp(&policy, &before, sizeof policy) == 0);
    cr_expect(sf8_policy_unpack(0, &policy) == SF8_OK && policy.sr_bits == 0);
}

/* The version of the headers is that of the build, as text and as numbers. */
Test(abi, version)
{
    char line[256], version[32] = "";
    FILE *file = fopen(SOFTFP8_SOURCE "/CMakeLists.txt", "r");
    cr_assert(file);
    while (fgets(line, sizeof line, file) && !version[0])
        sscanf(line, "project(softfp8 VERSION %31[0-9.]", version);
    fclose(file);
    snprintf(line, sizeof line, "%d.%d.%d", SF8_VERSION_MAJOR, SF8_VERSION_MINOR,
             SF8_VERSION_PATCH);
    cr_expect(strcmp(version, line) == 0, "CMake has %s, the header %s", version, line);
    cr_expect(strcmp(SF8_VERSION, line) == 0 && strcmp(sf8_version(), line) == 0);
    cr_expect(SF8_VERSION_NUMBER ==
              SF8_VERSION_MAJOR * 10000 + SF8_VERSION_MINOR * 100 + SF8_VERSION_PATCH);
#if SF8_VERSION_NUMBER < 200
    cr_expect(0, "0.2.0 is 200");
#endif
}

Test(abi, sizes)
{
    cr_expect(sf8_structure_size("sf8_policy") == 8);
    cr_expect(sf8_structure_size("sf8_format") == 8);
    cr_expect(sf8_structure_size("sf8_result") == 16);
    cr_expect(sf8_structure_size("sf8_kv_layout") == sizeof(sf8_kv_layout));
    cr_expect(sf8_structure_size("sf8_attend") == sizeof(sf8_attend));
    cr_expect(sf8_structure_size("sf8_steps") == sizeof(sf8_steps));
    cr_expect(sf8_structure_size("sf8_status") == 0 && sf8_structure_size("") == 0);
    for (size_t i = 0, size; sf8_structure_at(i, &size); i++)
        cr_expect(size > 0 && sf8_structure_size(sf8_structure_at(i, NULL)) == size);
}

/* Each structure of a public header is in the list: "typedef struct NAME". */
static size_t check_header(const char *header)
{
    static const char begin[] = "typedef struct ";
    char path[512], line[512];
    size_t found = 0;
    snprintf(path, sizeof path, "%s/lib/include/%s", SOFTFP8_SOURCE, header);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    while (fgets(line, sizeof line, file)) {
        char *name = line + sizeof begin - 1, *end = name;
        if (strncmp(line, begin, sizeof begin - 1) != 0)
            continue;
        while (isalnum((unsigned char)*end) || *end == '_')
            end++;
        *end = '\0';
        found++;
        cr_expect(sf8_structure_size(name) > 0, "%s: lib/src/scalar/abi.c does not list %s", header, name);
    }
    fclose(file);
    return found;
}

Test(abi, every_structure_is_listed)
{
    static const char *const headers[] = {
        "softfp8.h",           "softfp8_attend.h",   "softfp8_blocks.h",
        "softfp8_f32.h",       "softfp8_kv.h",       "softfp8_mma.h",
        "softfp8_kv_policy.h", "softfp8_kv_store.h", "softfp8_vectors.h"};
    size_t found = 0;
    for (size_t i = 0; i < COUNT(headers); i++)
        found += check_header(headers[i]);
    cr_expect(found >= 35, "%zu", found);
}
