/* SPDX-License-Identifier: MIT */
/* stop.h -- when a long run stops before its end: a signal, or a budget of seconds
 *
 * After the first SIGTERM or SIGINT no job is begun; those that run are finished. A second signal
 * ends the program at once, with status 3. When the budget is used up no job is begun, and those
 * that run have STOP_GRACE seconds.
 */
#ifndef SOFTFP8_BASE_STOP_H
#define SOFTFP8_BASE_STOP_H

enum { STOP_GRACE = 5 };

/* Starts the clock and takes over the two signals. A budget of 0 is without limit. */
void stop_watch(double budget);
/* Returns 1 if no further job is to be begun. */
int stop_asked(void);
/* Seconds until the jobs that run are to be ended; a large number if there is no such time. */
double stop_left(void);
/* "SIGTERM", "SIGINT" or "the budget of 60 seconds"; NULL if nothing asked for a stop. */
const char *stop_reason(void);

#endif
