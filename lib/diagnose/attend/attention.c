/* SPDX-License-Identifier: MIT */
/* attention.c -- sf8_diagnose_attention: an output of attention, and what it is, for users */
#include "diagnose/attend/attend.h"
#include "diagnose/attend/words.h"
#include "diagnose/diagnosis.h"
#include "diagnose/policy/identify.h"
#include "softfp8_diagnose.h"
#include "softfp8_kv_store.h"

/* ---- what came ------------------------------------------------------------------------------- */

static int is_wide(sf8_format f)
{
    return identify_same_format(f, SF8_F32) || identify_same_format(f, SF8_F16) ||
           identify_same_format(f, SF8_BF16);
}

static float float_of(sf8_format f, const void *words, size_t i)
{
    uint32_t word = sf8_format_bits(f) == 32   ? ((const uint32_t *)words)[i]
                    : sf8_format_bits(f) == 16 ? ((const uint16_t *)words)[i]
                                               : ((const uint8_t *)words)[i];
    return sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, f, word, SF8_OCP_NOSAT));
}

/* Of one scale, or one for each head of the cache; 1 without. */
static float scale_for(const uint32_t *scale, size_t scales, size_t head)
{
    return scales ? sf8_f32_from_bits(scale[scales > 1 ? head : 0]) : 1;
}

/* The queries, one behind the other, times their scale. */
static const float *read_queries(search_context *context, const sf8_attend *a)
{
    size_t dim = a->q.dim, group = a->heads / (size_t)a->k.image.layout.heads;
    float *to = search_allocate(context, a->queries * a->heads * dim, sizeof *to);
    for (size_t i = 0; i < a->queries * a->heads * dim; i++) {
        size_t query = i / dim / a->heads, head = i / dim % a->heads;
        to[i] = scale_for(a->q_scale, a->q_scales, head / group) *
                float_of(a->q_words, a->q.words,
                         query * a->q.token_stride + head * a->q.head_stride + i % dim);
    }
    return to;
}

/* Keys or values as they are read back, their scales in them. What a cache of attention has as its
 * scale is the factor that remains; a recipe that encodes by g has 1/g there. */
static sf8_status read_back(search_context *context, const sf8_attend *a, const sf8_attend_cache *c,
                            attend_kept *to)
{
    const sf8_kv_layout *l = &c->image.layout;
    size_t heads = (size_t)l->heads, dim = (size_t)l->dim, count = a->keys * heads * dim;
    int64_t *slot = search_allocate(context, a->keys, sizeof *slot);
    void *words = search_allocate(context, count, sizeof(uint32_t));
    float *values = search_allocate(context, count, sizeof *values);
    sf8_format format = c->recipe ? SF8_F32 : c->words;
    float g = 1;
    for (size_t i = 0; i < a->keys; i++)
        slot[i] = a->blocks[i / (size_t)l->slots] * (int64_t)l->slots +
                  (int64_t)(i % (size_t)l->slots);
    const sf8_kv_slots slots = {slot, a->keys, SF8_KV_OUTSIDE_REFUSE, SF8_KV_TWICE_LAST, NULL, 0};
    const sf8_kv_gather gather = {c->image,
                                  c->recipe,
                                  format,
                                  {words, a->keys, dim, heads * dim, dim},
                                  {NULL, 0, 0, 0, 0},
                                  c->recipe ? &g : NULL,
                                  c->recipe ? 1 : 0};
    if (sf8_kv_gather_n(&gather, 1, &slots, NULL) != SF8_OK)
        return SF8_BAD_CALL;
    for (size_t i = 0; i < count; i++)
        values[i] = float_of(format, words, i) * scale_for(c->scale, c->scales, i / dim % heads);
    *to = (attend_kept){dim, c->scale ? c->scale[0] : 0, values, NULL};
    return SF8_OK;
}

sf8_status attend_problem_of(search_context *context, const sf8_attend *a, attend_problem *p)
{
    if (sf8_attend_check(a) != SF8_ATTEND_GOOD || a->keys == 0 || a->queries == 0)
        return SF8_BAD_CALL;
    *p = (attend_problem){.queries = a->queries,
                          .heads = a->heads,
                          .kv_heads = (size_t)a->k.image.layout.heads,
                          .keys = a->keys,
                          .q = read_queries(context, a),
                          .a = *a,
                          .context = context,
                          .has_recipe = a->k.recipe || a->v.recipe};
    sf8_status status = read_back(context, a, &a->k, &p->k);
    status = status == SF8_OK ? read_back(context, a, &a->v, &p->v) : status;
    p->a.out = (sf8_kv_room){NULL, a->queries, p->v.dim, a->heads * p->v.dim, p->v.dim};
    p->a.out_words = SF8_F32;
    return status;
}

static sf8_status take(search_context *context, const sf8_attention_results *r, attend_problem *p)
{
    const sf8_attend *a = r->request;
    if (!is_wide(r->stored))
        return SF8_BAD_FORMAT;
    if (a->k.scales > 1 || a->v.scales > 1)
        return SF8_BAD_CALL;
    sf8_status status = attend_problem_of(context, r->request, p);
    p->q_given = r->queries;
    p->k.given = r->keys;
    p->v.given = r->values;
    return status;
}

/* ---- what was found -------------------------------------------------------------------------- */

static void tell(diagnosis_run *run, const attend_verdict *v, sf8_attention_diagnosis *to)
{
    const char **orders = diagnosis_allocate(run, v->orders, sizeof *orders);
    const char **list = diagnosis_allocate(run, v->changes, sizeof *list);
    char text[SF8_ORDER_TEXT_SIZE];
    for (size_t i = 0; i < v->orders; i++) {
        sf8_attend_order_write(v->order[i], text, sizeof text);
        orders[i] = diagnosis_text(run, "%s", text);
    }
    attend_factors_text(v, text, sizeof text);
    for (size_t i = 0; i < v->changes; i++)
        list[i] = diagnosis_text(run, "%s", v->change[i][0] ? v->change[i] : text);
    int is_mistake = v->changes && !(attend_is_factor(v) && v->notes.bound);
    to->is_expected = v->notes.good;
    to->is_same = v->notes.same || v->is_changed || v->is_noted;
    to->verdict = is_mistake                      ? SF8_VERDICT_CHANGED
                  : to->is_same || v->notes.bound ? SF8_VERDICT_POLICY
                                                  : SF8_VERDICT_NONE;
    to->order_count = v->orders;
    to->orders = orders;
    to->bound = v->notes.bound;
    to->of_bound = v->notes.of_bound;
    to->is_lse_right = v->notes.lse;
    to->count = v->changes;
    to->list = list;
    to->worst = v->rows ? v->row[0].row : 0;
}

/* Whether an order can compute it. */
static int is_supported(const sf8_attention_results *r, const sf8_attend_order *o,
                        const sf8_attend *a)
{
    int has_prefix = o->split == SF8_SPLIT_PREFIX;
    return (!has_prefix || r->prefix) && sf8_attend_order_check(o, a,
                                                                has_prefix  ? r->prefix
                                                                : r->splits ? r->splits
                                                                            : 1) == SF8_ATTEND_GOOD;
}

static sf8_status search(diagnosis_run *run, const void *results, void *diagnosis)
{
    const sf8_attention_results *r = results;
    attend_problem p;
    sf8_status status = take(&run->context, r, &p);
    if (status != SF8_OK)
        return status;
    sf8_attend_order order;
    if (r->order && sf8_attend_order_read(r->order, &order, NULL) != SF8_OK)
        return SF8_BAD_TEXT;
    if (r->order && !is_supported(r, &order, &p.a))
        return SF8_BAD_CALL;
    const attend_output given = {r->stored, r->out, r->lse};
    attend_question asked = {.order = r->order ? &order : NULL,
                             .splits = r->splits,
                             .prefix = r->prefix,
                             .has_prefix = r->prefix > 0};
    if (!attend_ask(&asked, &p, r->stored, r->bound))
        return SF8_UNKNOWN_NAME;
    attend_verdict *v = search_allocate(&run->context, 1, sizeof *v);
    if (attend_judge(&p, &given, &asked, v))
        return SF8_NO_ROOM;
    tell(run, v, diagnosis);
    attend_text w = {.context = &run->context};
    attend_put_all(&w, &p, v, &asked);
    ((sf8_attention_diagnosis *)diagnosis)->message = diagnosis_text(run, "%.*s", (int)w.used - 1,
                                                                     w.text);
    return SF8_OK;
}

sf8_status sf8_diagnose_attention(const sf8_attention_results *results,
                                  sf8_attention_diagnosis **diagnosis)
{
    void *d;
    sf8_status status = diagnosis_make(
        diagnosis_limits(results->seconds, results->progress, results->user), search, results,
        sizeof **diagnosis, &d);
    *diagnosis = d;
    return status;
}

void sf8_attention_diagnosis_free(sf8_attention_diagnosis *diagnosis)
{
    diagnosis_free(diagnosis);
}
