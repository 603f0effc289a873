/* SPDX-License-Identifier: MIT */
/* evidence.c -- the rank of the evidence of a row, and whether its text is well formed */
#include "softfp8.h"

#include <string.h>

/* The kinds of evidence, the weakest first. */
static const char *const sf8_evidence_kinds[] = {"document", "source", "ran", "verified",
                                                 "hardware"};
enum { SF8_EVIDENCE_KINDS = sizeof sf8_evidence_kinds / sizeof sf8_evidence_kinds[0] };

/* The rank of the kind with which an item begins, from 1; 0 for an unknown kind. */
static int32_t sf8_evidence_kind(const char *item, size_t length)
{
    for (int32_t i = 0; i < SF8_EVIDENCE_KINDS; i++) {
        size_t n = strlen(sf8_evidence_kinds[i]);
        if (length > n + 2 && memcmp(item, sf8_evidence_kinds[i], n) == 0 &&
            memcmp(item + n, ": ", 2) == 0)
            return i + 1;
    }
    return 0;
}

static int32_t sf8_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns 1 if the text of this length ends like the form, in which 0 stands for any digit. */
static int32_t sf8_ends_like(const char *form, const char *item, size_t length)
{
    const size_t n = strlen(form);
    if (length < n)
        return 0;
    item += length - n;
    for (size_t i = 0; i < n; i++)
        if (form[i] == '0' ? !sf8_is_digit(item[i]) : item[i] != form[i])
            return 0;
    return 1;
}

/* Whether an item of this rank ends with the date that it needs. */
static int32_t sf8_has_its_date(int32_t rank, const char *item, size_t length)
{
    if (rank == 3)
        return sf8_ends_like(", 0000-00-00", item, length);
    return rank != 4 || sf8_ends_like(", 0000-00", item, length) ||
           sf8_ends_like(", 0000-00-00", item, length);
}

/* The length of the item at the head of the list, without the "; " behind it. */
static size_t sf8_evidence_item(const char *list)
{
    const char *end = strstr(list, "; ");
    return end ? (size_t)(end - list) : strlen(list);
}

int32_t sf8_evidence_rank(const char *evidence)
{
    int32_t best = 0;
    if (!evidence)
        return 0;
    for (;;) {
        size_t length = sf8_evidence_item(evidence);
        int32_t rank = sf8_evidence_kind(evidence, length);
        if (rank == 0 || !sf8_has_its_date(rank, evidence, length))
            return 0;
        best = rank > best ? rank : best;
        if (!evidence[length])
            return best;
        evidence += length + 2;
    }
}

const char *sf8_evidence_name(int32_t rank)
{
    return rank >= 1 && rank <= SF8_EVIDENCE_KINDS ? sf8_evidence_kinds[rank - 1] : "none";
}
