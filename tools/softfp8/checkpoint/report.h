/* SPDX-License-Identifier: MIT */
/* report.h -- softfp8 checkpoint: what was found, as text */
#ifndef SOFTFP8_CLI_CHECKPOINT_REPORT_H
#define SOFTFP8_CLI_CHECKPOINT_REPORT_H

#include "checkpoint/layers.h"

typedef struct found {
    layer layer;
    layer_measure m;
    const safetensor *like; /* in the reference */
} found;

typedef struct checkpoint {
    safetensors tensors, reference;
    found *layer;
    size_t layers, unknown; /* unknown: with scales, but of no scheme */
} checkpoint;

/* Which schemes the layers have, and what else the files have. */
void checkpoint_show_schemes(output *out, const checkpoint *c);
void checkpoint_show_rest(output *out, const checkpoint *c);
/* What is odd. Returns 1 if anything is. */
int checkpoint_show_findings(output *out, const checkpoint *c);
/* A line for each layer. */
void checkpoint_show_list(output *out, const checkpoint *c);
/* How far the layers are from the reference, the worst first. */
void checkpoint_show_errors(output *out, const checkpoint *c, int all);
/* The schemes that are known, on standard output. */
void checkpoint_list_schemes(void);

#endif
