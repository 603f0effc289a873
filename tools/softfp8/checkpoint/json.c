/* SPDX-License-Identifier: MIT */
/* json.c -- the report of checkpoint as JSON: an object with a list of layers and of findings */
#include "checkpoint/report.h"
#include "base/json_writer.h"

#include <math.h>

#define NEXT_LINE "\n "

static void put_schemes(json_writer *j, const checkpoint *c)
{
    const layer_scheme *scheme;
    jw_begin(jw_space(j, NEXT_LINE), "schemes", '[');
    for (size_t i = 0; (scheme = layer_scheme_at(i)) != NULL; i++) {
        size_t count = checkpoint_layers_of(c, scheme);
        if (!count)
            continue;
        jw_begin(jw_space(j, NEXT_LINE " "), NULL, '{');
        jw_text(j, "scheme", scheme->name);
        jw_text(j, "recipe", scheme->recipe);
        jw_unsigned(j, "layers", count);
        jw_end(j);
    }
    jw_end(j);
}

static void put_scalars(json_writer *j, const char *key, scalars n)
{
    jw_begin(jw_space(j, NEXT_LINE), key, '{');
    jw_unsigned(j, "tensors", n.tensors);
    jw_real(j, "least", n.positive ? n.least : NAN, 9);
    jw_real(j, "largest", n.positive ? n.most : NAN, 9);
    jw_unsigned(j, "not_positive", n.odd);
    jw_end(j);
}

/* JSON has neither infinity nor NaN: sqnr_db is null if the layer is equal, or if it has a NaN. */
static void put_error(json_writer *j, const found *f)
{
    if (!f->like) {
        jw_null(j, "error");
        return;
    }
    jw_begin(j, "error", '{');
    jw_bool(j, "equal", found_sqnr(f) == INFINITY);
    jw_real(j, "sqnr_db", found_sqnr(f), 6);
    jw_real(j, "max_abs_error", found_worst(f), 9);
    jw_real(j, "factor", found_factor(f), 6);
    jw_unsigned(j, "beyond_one_code", f->m.fit.beyond);
    jw_unsigned(j, "clipped", f->m.fit.clipped);
    jw_end(j);
}

static void put_layer(json_writer *j, const found *f)
{
    const layer *l = &f->layer;
    const layer_measure *m = &f->m;
    jw_begin(jw_space(j, NEXT_LINE " "), NULL, '{');
    jw_text(j, "name", l->name);
    jw_text(j, "codes", l->codes->name);
    jw_text(j, "scales", l->scale->name);
    jw_text(j, "global_scale", l->second ? l->second->name : NULL);
    jw_text(j, "scheme", l->scheme ? l->scheme->name : NULL);
    jw_text(j, "recipe", l->scheme ? l->scheme->recipe : NULL);
    if (l->scheme) {
        jw_unsigned(jw_space(j, NEXT_LINE "  "), "rows", l->shape.rows);
        jw_unsigned(j, "columns", l->shape.columns);
        jw_real(j, "amax", m->amax, 9);
        jw_real(j, "rms", m->rms, 9);
        jw_unsigned(j, "nan_codes", m->nan_codes);
        jw_unsigned(j, "largest_codes", m->largest_codes);
        jw_unsigned(j, "nan_values", m->nan_values);
        jw_unsigned(j, "infinite_values", m->infinite_values);
        jw_real(j, "g", l->second ? (double)m->g : NAN, 9);
        jw_unsigned(j, "scale_count", m->scales);
        jw_real(j, "least_scale", m->largest_scale > 0 ? m->least_scale : NAN, 9);
        jw_real(j, "largest_scale", m->largest_scale > 0 ? m->largest_scale : NAN, 9);
        jw_unsigned(j, "zero_scales", m->zero_scales);
        jw_unsigned(j, "negative_scales", m->negative_scales);
        jw_unsigned(j, "nan_scales", m->nan_scales);
        jw_unsigned(j, "nan_offsets", m->nan_offsets);
        put_error(j, f);
    }
    jw_end(j);
}

/* Findings and remarks; `key` is that of the text. */
static void put_list(json_writer *j, const char *list_key, const char *key,
                     const finding_list *list)
{
    jw_begin(jw_space(j, NEXT_LINE), list_key, '[');
    for (size_t i = 0; i < list->count; i++) {
        jw_begin(jw_space(j, NEXT_LINE " "), NULL, '{');
        jw_text(j, "name", finding_name(&list->at[i]));
        jw_text(j, key, list->at[i].text);
        jw_end(j);
    }
    jw_end(j);
}

void checkpoint_json(output *out, const checkpoint *c)
{
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_begin(&j, "files", '[');
    for (size_t i = 0; i < c->tensors.files; i++)
        jw_text(&j, NULL, c->tensors.path[i]);
    jw_end(&j);
    jw_unsigned(&j, "tensors", c->tensors.count);
    jw_unsigned(&j, "quantized_layers", c->layers - c->unknown);
    jw_unsigned(&j, "layers_of_no_scheme", c->unknown);
    rest_tensors rest = checkpoint_rest(c);
    jw_unsigned(&j, "other_tensors", rest.count);
    jw_unsigned(&j, "codes_without_scales", rest.narrow.count);
    jw_unsigned(&j, "of_unknown_dtype", rest.unknown.count);
    put_schemes(&j, c);
    put_scalars(&j, "cache_scales", checkpoint_cache_scales(c));
    put_scalars(&j, "input_scales", checkpoint_input_scales(c));
    put_list(&j, "findings", "finding", &c->findings);
    put_list(&j, "remarks", "remark", &c->remarks);
    jw_begin(jw_space(&j, NEXT_LINE), "layers", '[');
    for (size_t i = 0; i < c->layers; i++)
        put_layer(&j, &c->layer[i]);
    jw_end(&j);
    jw_end(&j);
}
