/* SPDX-License-Identifier: MIT */
/* selection.c -- the options that conform and record share: which cases, for how long */
#include "conform/selection.h"
#include "families/families.h"
#include "failing/failing.h"

conform_options conform_begin(void)
{
    return (conform_options){.catalog = &conform_all, .explain = explain_failure, .shards = 1};
}

const conform_case *conform_case_at(size_t i)
{
    static conform_choice at;
    static const conform_case *c;
    static size_t count; /* the number of cases so far; the last one is c */
    const conform_options all = conform_begin();
    if (i + 1 < count) {
        at = (conform_choice){0, 0, 0};
        count = 0;
    }
    for (; count <= i; count++)
        c = conform_next(&all, &at);
    return c;
}

const char *conform_name_at(size_t i)
{
    const conform_case *c = conform_case_at(i);
    return c ? c->name : NULL;
}

const cli_option conform_selection[] = {
    {"--only", "GLOB", "selects the cases whose name matches; * matches any text, also /",
     TEXT(conform_options, only), .name_at = conform_name_at},
    {"--limit", "SECONDS",
     "stops a case that takes longer; a case of 2^32 inputs may take 16 times as long. Default: "
     "120, 600 or 6000, by tier; softfp8 record: 600",
     REAL(conform_options, limit, 1, 1000000)},
    {.kind = OPTION_END},
};

/* "I/N", I from 1 to N. */
static void take_shard(void *place, const cli_option *option, const char *value)
{
    conform_options *o = place;
    (void)option;
    if (!shard_read(value, &o->shard, &o->shards))
        fail("expected I/N with I from 1 to N, for example 2/8");
}

const cli_option conform_sharing[] = {
    {"--jobs", "N", "runs N cases at a time, at most 64. Default: the number of processors",
     NUMBER(conform_options, processes, 1, 64)},
    {"--shard", "I/N",
     "runs part I of N, counted from 1, so that N machines can share the work. Give each --keep "
     "DIR; conform can join their folders",
     .kind = OPTION_CALL, .take = take_shard, .at = 0, .size = sizeof(conform_options)},
    {.kind = OPTION_END},
};

typedef struct records_place {
    const char *path;
} records_place;

const cli_option conform_records[] = {
    {"--records", "DIR",
     "the GPU records to replay: a folder of records, a single record, or none. Default: the "
     "environment variable SOFTFP8_RECORDS, else the installed folder, else the one in the sources",
     PATH(records_place, path)},
    {.kind = OPTION_END},
};
