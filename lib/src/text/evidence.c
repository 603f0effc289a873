/* SPDX-License-Identifier: MIT */
/* evidence.c -- the rank of the evidence of a row, and whether its text is well formed */
#include "softfp8.h"

#include <string.h>

/* The kinds of evidence, the weakest first. Something ran in the last three. */
static const char *const sf8_evidence_kinds[] = {"document", "source",   "machine code",
                                                 "ran",      "verified", "hardware"};
enum { SF8_EVIDENCE_KINDS = sizeof sf8_evidence_kinds / sizeof sf8_evidence_kinds[0] };
enum { SF8_EVIDENCE_RAN = 4, SF8_EVIDENCE_VERIFIED, SF8_EVIDENCE_HARDWARE };

/* How the code of a product ran. */
static const char *const sf8_evidence_hows[] = {"interpreted", "compiled for a CPU", "on a CPU",
                                                "on a GPU"};
enum { SF8_EVIDENCE_HOWS = sizeof sf8_evidence_hows / sizeof sf8_evidence_hows[0] };

/* The number of characters of `word` if the text of this length begins with it, else 0. */
static size_t sf8_begins_with(const char *word, const char *text, size_t length)
{
    size_t n = strlen(word);
    return length >= n && memcmp(text, word, n) == 0 ? n : 0;
}

/* The rank of the kind with which an item begins, from 1; 0 for an unknown kind, or if the item
 * does not say how something ran. `how` receives how. */
static int32_t sf8_evidence_kind(const char *item, size_t length, const char **how)
{
    size_t n = 0, m = 0;
    int32_t rank = 0;
    for (int32_t i = 0; i < SF8_EVIDENCE_KINDS && n == 0; i++) {
        n = sf8_begins_with(sf8_evidence_kinds[i], item, length);
        rank = i + 1;
    }
    *how = rank == SF8_EVIDENCE_HARDWARE ? "on a GPU" : "read";
    if (n && (rank == SF8_EVIDENCE_RAN || rank == SF8_EVIDENCE_VERIFIED)) {
        n += sf8_begins_with(" ", item + n, length - n);
        for (int32_t i = 0; i < SF8_EVIDENCE_HOWS && m == 0; i++) {
            m = sf8_begins_with(sf8_evidence_hows[i], item + n, length - n);
            *how = sf8_evidence_hows[i];
        }
        n = m ? n + m : 0;
    }
    return n && length > n + 2 && memcmp(item + n, ": ", 2) == 0 ? rank : 0;
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
    if (rank == SF8_EVIDENCE_RAN)
        return sf8_ends_like(", 0000-00-00", item, length);
    return rank != SF8_EVIDENCE_VERIFIED || sf8_ends_like(", 0000-00", item, length) ||
           sf8_ends_like(", 0000-00-00", item, length);
}

/* The length of the item at the head of the list, without the "; " behind it. */
static size_t sf8_evidence_item(const char *list)
{
    const char *end = strstr(list, "; ");
    return end ? (size_t)(end - list) : strlen(list);
}

/* The rank of the best item, and how the first one of that rank is known. */
static int32_t sf8_evidence_best(const char *evidence, const char **how)
{
    int32_t best = 0;
    *how = "";
    for (;;) {
        const char *of_item;
        size_t length = sf8_evidence_item(evidence);
        int32_t rank = sf8_evidence_kind(evidence, length, &of_item);
        if (rank == 0 || !sf8_has_its_date(rank, evidence, length))
            return 0;
        if (rank > best)
            *how = of_item;
        best = rank > best ? rank : best;
        if (!evidence[length])
            return best;
        evidence += length + 2;
    }
}

int32_t sf8_evidence_rank(const char *evidence)
{
    const char *how;
    return evidence ? sf8_evidence_best(evidence, &how) : 0;
}

const char *sf8_evidence_how(const char *evidence)
{
    const char *how;
    return evidence && sf8_evidence_best(evidence, &how) ? how : "";
}

const char *sf8_evidence_name(int32_t rank)
{
    return rank >= 1 && rank <= SF8_EVIDENCE_KINDS ? sf8_evidence_kinds[rank - 1] : "none";
}
