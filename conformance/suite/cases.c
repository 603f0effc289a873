/* SPDX-License-Identifier: MIT */
/* cases.c -- all cases: the rows of the families, followed by those of the records */
#include "suite/family.h"

#include "record/record.h"

const conform_case *conform_case_at(size_t i)
{
    static size_t rows;
    const conform_case *c = families_at(i);
    if (c)
        return c;
    while (families_at(rows))
        rows++;
    return records_at(i - rows);
}
