/* SPDX-License-Identifier: MIT */
/* report.h -- softfp8 checkpoint: what was found, as text and as JSON */
#ifndef SOFTFP8_CLI_CHECKPOINT_REPORT_H
#define SOFTFP8_CLI_CHECKPOINT_REPORT_H

#include "checkpoint/layers.h"

typedef struct found {
    layer layer;
    layer_measure m;
    const safetensor *like; /* in the reference */
} found;

/* What is odd in a layer, or in a tensor of scales that belongs to no layer. */
typedef struct finding {
    const layer *layer; /* NULL: `tensor` is such a tensor */
    const safetensor *tensor;
    char *text; /* "NaN codes: 1; negative scales: 2" */
} finding;

typedef struct finding_list {
    finding *at;
    size_t count, room;
} finding_list;

typedef struct checkpoint {
    safetensors tensors, reference;
    found *layer;
    size_t layers, unknown; /* unknown: with scales, but of no scheme */
    finding_list findings;  /* damage, and what cannot be right */
    finding_list remarks;   /* what is unusual, and may be right */
    size_t corrected;       /* layers that may be right, but are not rounded to nearest */
} checkpoint;

/* What the tensors with some names hold. */
typedef struct scalars {
    size_t tensors, positive, odd; /* positive, odd: values that are positive numbers, and others */
    double least, most;            /* of the positive ones */
} scalars;

typedef struct some_tensors {
    size_t count;
    const safetensor *first;
} some_tensors;

/* Narrow: with codes of floating-point formats of at most 8 bits; unknown: of another dtype than
 * those that are known. */
typedef struct rest_tensors {
    size_t count;
    some_tensors narrow, unknown;
} rest_tensors;

/* The scales of KV caches, and those of inputs. */
scalars checkpoint_cache_scales(const checkpoint *c);
scalars checkpoint_input_scales(const checkpoint *c);
/* How many layers have a scheme. */
size_t checkpoint_layers_of(const checkpoint *c, const layer_scheme *scheme);
/* The tensors that belong to no layer. */
rest_tensors checkpoint_rest(const checkpoint *c);
/* The name of what has a finding. */
const char *finding_name(const finding *f);
/* Fills both lists, when the layers are measured. */
void checkpoint_find(checkpoint *c);
void checkpoint_free_findings(checkpoint *c);
/* The signal to noise ratio of a fit, in decibels: infinite if all is equal. */
double fit_decibels(const layer_fit *fit);
/* The same of a layer with a reference; NaN if a value is not a number. */
double found_sqnr(const found *f);
/* Its largest error; NaN if no value is a number. */
double found_worst(const found *f);
/* The factor that brings the reference nearest to a layer; NaN if there is none. */
double found_factor(const found *f);
/* What is wrong with a layer beside its reference, or "". */
void checkpoint_judge(const checkpoint *c, const found *f, char *text, size_t size);
/* How many values are clipped, if that is most of a layer's error; or "". */
void checkpoint_clipped(const found *f, char *text, size_t size);
/* Whether many values are farther from the reference than one code, as where the errors of others
 * were corrected. */
int checkpoint_is_corrected(const found *f);

/* Which schemes the layers have, and what else the files have. */
void checkpoint_show_schemes(output *out, const checkpoint *c);
void checkpoint_show_rest(output *out, const checkpoint *c);
/* What is odd, and what is unusual. */
void checkpoint_show_findings(output *out, const checkpoint *c);
/* A line for each layer. */
void checkpoint_show_list(output *out, const checkpoint *c);
/* How far the layers are from the reference, the worst first. */
void checkpoint_show_errors(output *out, const checkpoint *c, int all);
/* The command that shows more about a finding, if there is one. */
void checkpoint_show_next(output *out, const checkpoint *c);
/* All of this as JSON. */
void checkpoint_json(output *out, const checkpoint *c);
/* The schemes that are known, on standard output. */
void checkpoint_list_schemes(void);

#endif
