/* SPDX-License-Identifier: MIT */
/* check.c -- checks for tests: NULL, or a message */
#include "diagnose/judge/judge.h"
#include "softfp8_test.h"

#include <stdlib.h>
#include <string.h>

static char *message_of(sf8_status status, sf8_judgement *j)
{
    static const char *const reasons[] = {
        [SF8_UNKNOWN_NAME] = "there is no such policy for this conversion",
        [SF8_BAD_TEXT] =
            "the uncertainty does not follow its grammar; expected for example bf16/2, "
            "f32*4, rel=1e-3, abs=1e-6, or a sum of these with +",
        [SF8_BAD_FORMAT] = "this conversion is not supported",
        [SF8_BAD_CALL] = "expected arrays of codes that fit their formats, an uncertainty, and a "
                         "policy or recipe that can be judged",
        [SF8_NO_ROOM] = "there is not enough memory",
    };
    const char *text = status != SF8_OK                  ? reasons[status]
                       : j->verdict > SF8_JUDGED_EXCUSED ? j->message
                                                         : NULL;
    char *message = text ? calloc(1, strlen(text) + 1) : NULL;
    if (message)
        strcpy(message, text);
    sf8_judgement_free(j);
    if (text && !message)
        abort(); /* NULL would mean that all codes are excused */
    return message;
}

char *sf8_check_cast_within(sf8_format from, const void *inputs, sf8_format to, const void *got,
                            size_t count, const char *policy, const char *uncertain)
{
    const sf8_uncertainty u = {.text = uncertain};
    const sf8_cast_flips flips = {.from = from,
                                  .to = to,
                                  .inputs = inputs,
                                  .codes = got,
                                  .count = count,
                                  .policy = policy,
                                  .uncertainty = &u};
    sf8_judgement *j;
    sf8_status status = sf8_judge_cast(&flips, &j);
    return message_of(status, j);
}

char *sf8_check_blocks_within(const sf8_block_flips *flips)
{
    sf8_judgement *j;
    sf8_status status = sf8_judge_blocks(flips, &j);
    return message_of(status, j);
}
