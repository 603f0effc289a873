/* SPDX-License-Identifier: MIT */
/* engine.h -- what all engines of this folder share: how far a search is
 *
 * An engine prints nothing and knows nothing of the command. What is wrong with its input it
 * returns; only a lack of memory ends the program.
 */
#ifndef SOFTFP8_SEARCH_ENGINE_H
#define SOFTFP8_SEARCH_ENGINE_H

#include "base/memory.h"

/* Called from time to time while a search runs, and with done == total when it ends. */
typedef void (*search_progress)(const char *what, uint64_t done, uint64_t total);

static inline void search_tell(search_progress callback, const char *what, uint64_t done,
                               uint64_t total)
{
    if (callback)
        callback(what, done, total);
}

#endif
