/* SPDX-License-Identifier: MIT */
/* blocks.c -- sf8_judge_blocks: scales and codes of blocks */
#include "diagnose/judge/blocks.h"

static sf8_status judge(diagnosis_run *run, const void *results, void *made)
{
    blocking *c = search_allocate(&run->context, 1, sizeof *c);
    sf8_judgement *j = made;
    c->run = run;
    c->f = results;
    sf8_status status = blocks_judge(c, j, 1);
    if (status != SF8_OK)
        return status;
    judge_sides_end(c->sides, &j->sides);
    j->sides.scales = blocks_factor_of_scales(c, j);
    j->sides.is_one_sided |= j->sides.scales > 0;
    judge_decide(j);
    j->mistake = j->verdict > SF8_JUDGED_EXCUSED ? blocks_explained(c, j) : "";
    judge_said said = {
        .rounding = &c->r,
        .expected = diagnosis_text(run, "recipe %s",
                                   c->f->recipe_name ? c->f->recipe_name : "without a name"),
        .scale = c->recipe->scale,
        .uncertainty = c->f->uncertainty,
        .shape = &c->f->rows,
        .scale_columns = c->across};
    judge_say(run, &said, j);
    return SF8_OK;
}

sf8_status sf8_judge_blocks(const sf8_block_flips *flips, sf8_judgement **judgement)
{
    void *made;
    sf8_status status = diagnosis_make(diagnosis_limits(0, NULL, NULL), judge, flips,
                                       sizeof **judgement, &made);
    *judgement = made;
    return status;
}
