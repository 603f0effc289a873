/* SPDX-License-Identifier: MIT */
/* meaning.c -- what codes and scales stand for: values, and what would be rounded to them */
#include "diagnose/layout/layout.h"

#include <string.h>

/* ---- codes ----------------------------------------------------------------------------------- */

static void read_values(int bits, int element, float value[256])
{
    static const char *const formats8[] = {"e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz"};
    int is_integer = bits == 4 && element != ELEMENT_E2M1;
    sf8_format f = sf8_format_named(bits == 4 ? "e2m1" : formats8[element], NULL);
    for (unsigned c = 0; c < 1u << bits; c++) {
        int whole = element == 1 ? (int)(c ^ 8) - 8 : (int)c - 8;
        value[c] = is_integer
                       ? (float)whole
                       : sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, f, c, SF8_OCP_NOSAT));
    }
}

static float magnitude(float x)
{
    return x < 0 ? -x : x;
}

static int is_finite(float x)
{
    return x - x == 0;
}

/* The finite magnitudes in order, each once; how many. */
static size_t sort_magnitudes(const float *value, unsigned codes, float list[256])
{
    size_t count = 0;
    for (unsigned c = 0; c < codes; c++) {
        float v = magnitude(value[c]);
        size_t at = count;
        while (at > 0 && list[at - 1] > v)
            at--;
        if (!is_finite(v) || (at > 0 && list[at - 1] == v))
            continue;
        memmove(list + at + 1, list + at, (count++ - at) * sizeof *list);
        list[at] = v;
    }
    return count;
}

/* Half-way to the neighbours among the magnitudes; a NaN has none and explains nothing. */
static void read_codes(const layout_data *d, int element, layout_meaning *m)
{
    unsigned codes = 1u << d->bits;
    float list[256];
    read_values(d->bits, element, m->value);
    size_t count = sort_magnitudes(m->value, codes, list);
    for (unsigned c = 0; c < codes; c++) {
        float v = magnitude(m->value[c]);
        size_t at = 0;
        while (at < count && list[at] < v)
            at++;
        float below = is_finite(v) && at > 0 ? list[at - 1] : -1;
        float above = is_finite(v) && at + 1 < count ? list[at + 1] : -1;
        m->is_top[c] = is_finite(v) && above < 0;
        m->lost[c] = is_finite(v)      ? 0
                     : m->value[c] > 0 ? LOST_PLUS
                     : m->value[c] < 0 ? LOST_MINUS
                                       : LOST_NAN;
        if (m->is_top[c]) {
            m->largest = v;
            m->over = v + (v - below) / 2;
        }
        m->low[c] = below < 0 ? 0 : (v + below) / 2 * (1 - LAYOUT_SLACK);
        m->high[c] = (above < 0 ? v : (v + above) / 2) * (1 + LAYOUT_SLACK);
        if (!is_finite(v)) {
            m->value[c] = 0;
            m->low[c] = 1;
            m->high[c] = 0;
        }
    }
}

/* ---- scales ---------------------------------------------------------------------------------- */

sf8_format layout_scale_format(int scale, int *offset)
{
    *offset = scale == SCALE_E8M0_TWICE ? -1 : scale == SCALE_E8M0_HALF ? 1 : 0;
    switch (scale) {
    case SCALE_E8M0:
    case SCALE_E8M0_TWICE:
    case SCALE_E8M0_HALF:
        return SF8_E8M0;
    case SCALE_E5M2:
        return SF8_E5M2;
    case SCALE_FNUZ:
        return sf8_format_named("e4m3fnuz", NULL);
    case SCALE_FLOAT:
    case SCALE_FLOAT_INVERTED:
    case SCALE_FLOAT_LEFT_OUT:
        return SF8_F32;
    default:
        return SF8_E4M3;
    }
}

/* The bits of e4m3 as if each number but 0 had the hidden bit. */
static float with_hidden_bit(unsigned byte, float value)
{
    unsigned mantissa = byte & 7;
    float size = (float)(8 + mantissa) / 1024;
    if ((byte & 0x78) != 0 || mantissa == 0)
        return value;
    return byte & 0x80 ? -size : size;
}

/* NaN where there is no such byte. */
static void read_bytes(int scale, float value[256])
{
    int offset;
    sf8_format f = layout_scale_format(scale, &offset);
    for (int i = 0; i < 256; i++) {
        int byte = (scale == SCALE_UNSIGNED ? i & 0x7f : i) + offset;
        uint32_t word = SF8_F32_NAN;
        if (byte >= 0 && byte <= 255)
            word = (uint32_t)sf8_convert(SF8_F32, f, (uint64_t)byte, SF8_OCP_NOSAT);
        value[i] = scale == SCALE_LEFT_OUT  ? 1
                   : scale == SCALE_INTEGER ? (float)i
                                            : sf8_f32_from_bits(word);
        if (scale == SCALE_SUBNORMAL)
            value[i] = with_hidden_bit((unsigned)i, value[i]);
    }
}

/* What rounds to a scale of some mantissa: half-way to its neighbours. */
static void round_scale(layout_meaning *m, int byte, float *least, float *most)
{
    int magnitude_bits = byte & 0x7f;
    float s = magnitude(m->scale[byte]);
    float below = magnitude_bits > 0 ? magnitude(m->scale[byte - 1]) : s;
    float above = magnitude_bits < 0x7f ? magnitude(m->scale[byte + 1]) : 2 * s - below;
    if (!is_finite(above))
        above = 2 * s - below;
    *least = (s + below) / 2;
    *most = (s + above) / 2;
}

static int is_power(int scale)
{
    return (scale >= SCALE_E8M0 && scale <= SCALE_E8M0_HALF) || scale == SCALE_INTEGER;
}

/* So much of its upper limit a scale that is a power of two leaves beyond the largest code. */
static const float room = 4.0f / 3;

float layout_over(const layout_meaning *m)
{
    if (m->overflow == OVERFLOW_LOST)
        return m->over;
    return m->largest * (is_power(m->scale_kind) ? room : 1);
}

static float largest(const layout_meaning *m)
{
    float most = 0;
    for (int c = 0; c < 256; c++)
        most = magnitude(m->value[c]) > most ? magnitude(m->value[c]) : most;
    return most;
}

/* A scale of a power of two is not rounded to nearest: the largest magnitude of the elements may be
 * up to twice the one below the elements' own largest. */
static void read_scales(int scale, layout_meaning *m)
{
    read_bytes(scale, m->scale);
    for (int byte = 0; byte < 256; byte++) {
        float s = magnitude(m->scale[byte]), most = s;
        m->least[byte] = m->most[byte] = s;
        if (is_power(scale) || scale == SCALE_LEFT_OUT) {
            m->top[byte] = s * (is_power(scale) ? room : 1);
        } else if (is_finite(s)) {
            round_scale(m, byte, &m->least[byte], &most);
            m->top[byte] = most;
            m->least[byte] = s;
            if (s == 0) /* so small that the scale was rounded to 0: any code may stand there */
                m->most[byte] = most * largest(m);
        }
    }
}

/* g was folded into the scales, so that these are not what elements were divided by; the largest
 * may then exceed by both roundings. */
static void widen_scales(layout_meaning *m)
{
    for (int byte = 0; byte < 256; byte++) {
        if (m->scale[byte] != 0 && is_finite(m->scale[byte]))
            round_scale(m, byte, &m->least[byte], &m->most[byte]);
        m->top[byte] = m->most[byte] * (17.0f / 16);
    }
}

float layout_float_scale(const layout_meaning *m, uint32_t word)
{
    float scale = m->scale_kind == SCALE_FLOAT_LEFT_OUT ? 1 : sf8_f32_from_bits(word);
    scale = (m->scale_kind == SCALE_FLOAT_INVERTED ? 1 / scale : scale) * m->g;
    return is_finite(scale) ? scale : 0;
}

/* ---- the global scale ------------------------------------------------------------------------ */

layout_g_rule layout_g_rule_of(const sf8_recipe_row *row)
{
    layout_g_rule rule = {0, 1};
    float factor[2];
    sf8_recipe recipe;
    if (!row || !strstr(row->properties, "g="))
        return rule;
    sf8_recipe_named(&recipe, row->name);
    uint32_t one = (uint32_t)sf8_convert(recipe.scale, SF8_F32, sf8_f32_of(1), SF8_OCP);
    for (int i = 0; i < 2; i++) {
        sf8_block b;
        sf8_block_read(&recipe, &b, one, 0, sf8_f32_of(i + 1));
        b.variable[SF8_VAR_e] = sf8_f32_of(1);
        factor[i] = sf8_f32_from_bits(sf8_program_run(&recipe.value_of, b.variable));
    }
    rule.divides = factor[1] < factor[0];
    rule.unit = factor[0];
    return rule;
}

float layout_factor_of(layout_g_rule rule, float g)
{
    return rule.divides ? rule.unit / g : rule.unit * g;
}

float layout_g_of(layout_g_rule rule, float factor)
{
    return rule.divides ? rule.unit / factor : factor / rule.unit;
}

/* g so that the factor becomes `by` times as large. */
static float scaled_g(const layout_data *d, float by)
{
    return d->rule.divides ? d->g / by : d->g * by;
}

float layout_g(const layout_data *d, const layout_reading *h)
{
    switch (h->at[AXIS_G]) {
    case G_INVERTED:
        return 1 / d->g;
    case G_TWICE:
        return d->g * d->g;
    case G_NONE:
        return layout_g_of(d->rule, 1);
    case G_TIMES6:
        return d->g * 6;
    case G_OVER6:
        return d->g / 6;
    case G_FREE:
        return scaled_g(d, h->factor);
    default:
        return d->g;
    }
}

float layout_decode(const layout_data *d, const layout_reading *h)
{
    int g = h->at[AXIS_G];
    return g == G_NONE || g == G_FOLDED ? 1 : layout_factor_of(d->rule, layout_g(d, h));
}

/* ---- a reading ------------------------------------------------------------------------------- */

void layout_meaning_of(const layout_data *d, const layout_reading *h, layout_meaning *m)
{
    float g = layout_decode(d, h);
    memset(m, 0, sizeof *m);
    m->overflow = h->at[AXIS_OVERFLOW];
    read_codes(d, h->at[AXIS_ELEMENT], m);
    for (int c = 0; c < 256 && m->overflow == OVERFLOW_LOST; c++) {
        if (m->is_top[c]) /* what does not overflow yet is rounded to it */
            m->high[c] = m->over * (1 + LAYOUT_SLACK);
    }
    m->scale_kind = h->at[AXIS_SCALE];
    m->g = g;
    if (m->scale_kind >= SCALE_FLOAT)
        return;
    read_scales(h->at[AXIS_SCALE], m);
    if (h->at[AXIS_G] == G_FOLDED)
        widen_scales(m);
    for (int byte = 0; byte < 256; byte++) {
        m->scale[byte] *= g;
        m->least[byte] *= g;
        m->most[byte] *= g;
        m->top[byte] *= g;
        if (!is_finite(m->scale[byte])) { /* explains nothing, and counts as 0 */
            m->scale[byte] = 0;
            m->least[byte] = m->most[byte] = m->top[byte] = -1;
        }
    }
}
