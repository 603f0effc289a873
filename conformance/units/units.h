/* SPDX-License-Identifier: MIT */
/* units.h -- the folder of a long run: a small file for each finished unit of it
 *
 * A unit is a part of a case, or of a row of the proof: the smallest work that is kept. The plan
 * lists all units of a run; it is the same for every shard of the run. A folder holds the plan and
 * the result of each unit that is finished, so that
 *
 * - a run that is stopped or killed loses only the units that were running; a second run with the
 *   same folder does those that are missing;
 * - folders of the shards of a run can be merged, whoever ran which unit.
 *
 * A file is written under another name and renamed when all of it is on the disk: it is complete
 * or absent. docs/internals/units.md has the grammar of the files.
 */
#ifndef SOFTFP8_UNITS_H
#define SOFTFP8_UNITS_H

#include <stddef.h>

enum { UNITS_WHY = 1024, UNIT_NAME = 160, UNIT_PARTS = 1 << 24 };

/* ---- the plan ---------------------------------------------------------------------------------
 *
 * Terms are what all units of a run have in common: "program conform", "source 1f3a...",
 * "tier full", "device NVIDIA H200, driver 580.95.05". Units of different terms are never mixed.
 */
typedef struct unit_plan unit_plan;

unit_plan *plan_begin(void);
/* A key consists of a-z and -; a value is one line, which may be empty. */
void plan_term(unit_plan *plan, const char *key, const char *value);
/* `name` was not added before; its units are the parts 0 to of - 1. */
void plan_add(unit_plan *plan, const char *name, unsigned of);
/* The value of a term, or NULL. */
const char *plan_value(const unit_plan *plan, const char *key);
/* The i-th name in the order in which they were added, or NULL behind the last. */
const char *plan_name(const unit_plan *plan, size_t i, unsigned *of);
/* The number of units. */
size_t plan_units(const unit_plan *plan);
/* The index of a unit in the plan, from 0; (size_t)-1 if it is not one of its units. */
size_t plan_index(const unit_plan *plan, const char *name, unsigned part);
void plan_free(unit_plan *plan);

/* ---- the folder ------------------------------------------------------------------------------ */

/* A finished unit. */
typedef struct unit {
    const char *name;
    unsigned part, of;
    double seconds;
    const char *host;
    const char *about; /* lines "key value" about how it was computed: build, device, times.
                          They may differ where a unit is done twice. */
    const char *body;  /* the result: text that does not depend on when, where or how fast */
    size_t size;       /* of the body */
    const char *path;  /* of its file */
} unit;

typedef struct unit_folder unit_folder;

/* Opens the folder of a run, creates it if necessary, and reads what is finished. Returns NULL and
 * *why if a file is damaged ("FILE:LINE: ..."), or if the folder is that of another run. The plan
 * must stay until the folder is closed. */
unit_folder *units_open(const char *folder, const unit_plan *plan, char why[UNITS_WHY]);
/* The same for a folder whose plan is not known: for `--status` and merging. */
unit_folder *units_read(const char *folder, char why[UNITS_WHY]);
const unit_plan *units_plan(const unit_folder *folder);
const char *units_name(const unit_folder *folder);
/* The finished unit with this index of the plan, or NULL. It stays valid until the folder is
 * closed or the unit is dropped. */
const unit *units_at(const unit_folder *folder, size_t index);
/* Writes a unit and adds it. Returns 0 and *why if it cannot be written. `host`, `of` and `path` of
 * the unit are not read. */
int units_keep(unit_folder *folder, const unit *u, char why[UNITS_WHY]);
/* Removes a finished unit and its file, to do it again. */
int units_drop(unit_folder *folder, size_t index, char why[UNITS_WHY]);
void units_close(unit_folder *folder);

/* ---- several folders ------------------------------------------------------------------------- */

/* Puts the units of several folders together, which must be of one plan. Every unit must be in
 * one of them; a unit that is in two must have the same body in both. Returns 0 and *why, naming
 * the files, if not. The folders must stay open; *whole receives the unit of each index of the
 * plan, from malloc. */
int units_merge(unit_folder *const *folders, size_t count, const unit ***whole,
                char why[UNITS_WHY]);
/* The SHA-256 of the plan and all bodies, in the order of the plan: it does not depend on how the
 * run was cut, interrupted or distributed. `whole` is from units_merge. */
void units_digest(const unit_plan *plan, const unit *const *whole, char digest[65]);

/* ---- how far a run is ------------------------------------------------------------------------ */

typedef struct unit_progress {
    size_t done, all;
    double seconds; /* of the units that are done */
    double left;    /* an estimate for the rest: the pace of the parts of the same name where there
                       are any, else of all */
} unit_progress;

unit_progress units_progress(const unit_folder *folder);

#endif
