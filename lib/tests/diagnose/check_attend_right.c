/* SPDX-License-Identifier: MIT */
/* check_attend_right.c -- outputs of attention that are right, and noise: none has a mistake's name
 *
 *     check_attend_right [ROUNDS [FIRST [PARTS [ORDER]]]]
 *
 * how many of each; the first seed; o orders that are claimed, r definitions, orders and noise, i
 * outputs and noise of each order; the one order for o and i
 */
#include "attend_requests.h"

/* ---- what is right, and noise ---------------------------------------------------------------- */

static size_t accused;
static const char *only; /* this order; NULL: all */

/* What has no mistake. */
static void innocent(const char *what, const double *out, const char *bound, uint64_t seed,
                     int good)
{
    sf8_attention_diagnosis *d = diagnose(out, bound);
    int is_right = d->count == 0 && d->is_expected == good;
    accused += !is_right;
    if (!is_right) {
        printf("    %s: ", d->is_expected ? "as expected" : "not as expected");
        print_names(what, d, seed);
    }
    sf8_attention_diagnosis_free(d);
}

/* The outputs of a definition or an order, in doubles; 0 if it does not support the request. */
static int library_output(const sf8_attend_order *o, sf8_attend_sums sums, size_t cut, double *to)
{
    sf8_attend a = make_attend();
    static uint32_t words[QUERIES_MOST * HEADS_MOST * DIM_MOST];
    a.out.words = words;
    a.sums = sums;
    if (o ? sf8_attend_order_check(o, &a, cut) : sf8_attend_check(&a))
        return 0;
    size_t size = o ? sf8_attend_order_room(o, &a, cut) : sf8_attend_room(&a);
    uint32_t *room = malloc((size + 1) * sizeof *room);
    sf8_status status = !room ? SF8_NO_ROOM
                        : o   ? sf8_attend_order_n(o, &a, cut, room, size)
                              : sf8_attend_n(&a, room, size);
    free(room);
    for (size_t i = 0; i < request.queries * request.heads * request.dim; i++)
        to[i] = (double)sf8_f32_from_bits(words[i]);
    return status == SF8_OK;
}

static size_t check_right(uint64_t first, size_t rounds)
{
    size_t count = 0;
    const sf8_attend_order *o;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        planted_state = seed * 31337;
        make_request(RIGHT, RIGHT);
        planted_output(&request, RIGHT, RIGHT, request.kernel, right);
        innocent("a kernel", right, bound_of[request.kernel], seed, 1);
        for (int sums = 0; sums < 3; sums++)
            if (library_output(NULL, (sf8_attend_sums)sums, 1, right)) {
                innocent("a definition", right, NULL, seed, 1);
                count++;
            }
        for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
            size_t cut = 1 + (size_t)seed % 4;
            if (o->split != SF8_SPLIT_PREFIX && library_output(o, SF8_ATTEND_EXACT, cut, right)) {
                innocent(o->name, right, NULL, seed, 1);
                count++;
            }
        }
        count++;
    }
    return count;
}

/* ---- orders that are claimed ----------------------------------------------------------------- */

/* The keys of each 16, in another order: every instruction and every tile has the same ones. Of one
 * query, which sees all of them. */
static void permute(void)
{
    planted_request *r = &request;
    size_t row = r->kv_heads * r->dim;
    for (size_t from = 0; from + PAGE <= r->keys; from += PAGE)
        for (size_t i = PAGE - 1; i > 0; i--) {
            size_t a = (from + i) * row, b = (from + random_below(i + 1)) * row;
            for (size_t d = 0; d < row; d++) {
                double k = r->k[a + d], v = r->v[a + d];
                r->k[a + d] = r->k[b + d];
                r->v[a + d] = r->v[b + d];
                r->k[b + d] = k;
                r->v[b + d] = v;
            }
        }
}

static double most_of_order;

/* What an order gives with its keys permuted is inside its bound, and no other's. Where someone waits,
 * of one order in three. */
static size_t check_orders(uint64_t first, size_t rounds)
{
    const sf8_attend_order *o;
    size_t count = 0;
    for (uint64_t seed = first; seed < first + rounds; seed++)
        for (size_t i = 0; (o = sf8_attend_order_at(i)); i += waited(3)) {
            static planted_request kept;
            if (only && strcmp(o->name, only) != 0)
                continue;
            planted_state = seed * 65537 + i;
            make_request(RIGHT, RIGHT);
            is_fnuz = strncmp(o->unit, "cdna3-", strlen("cdna3-")) == 0;
            if (o->operands == SF8_OPERANDS_CODES)
                make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.queries = 1;
            request.kernel = seed % 2 ? KERNEL_F32 : request.kernel; /* how the output is stored */
            claimed_parts = sf8_attend_order_counts(o) ? 1 + (size_t)seed % 3 : 0;
            prefix = o->split == SF8_SPLIT_PREFIX ? PAGE * (1 + random_below(5)) : 0;
            kept = request;
            permute();
            int is_supported = library_output(o, SF8_ATTEND_EXACT,
                                              prefix          ? prefix
                                              : claimed_parts ? claimed_parts
                                                              : 1,
                                              right);
            request = kept;
            if (is_supported) {
                claimed = o->name;
                sf8_attention_diagnosis *d = diagnose(right, NULL);
                most_of_order = d->of_bound > most_of_order ? d->of_bound : most_of_order;
                /* a row may have another's bits */
                int is_other = d->is_same && d->order_count && d->bound;
                sf8_attention_diagnosis_free(d);
                if (!is_other)
                    innocent(o->name, right, NULL, seed, 1);
                claimed_parts = 0; /* their number is found as well */
                if (!is_other)
                    innocent(o->name, right, NULL, seed, 1);
                count++;
            }
            claimed = NULL;
            claimed_parts = prefix = 0;
            is_fnuz = 0;
        }
    return count;
}

/* Another field than claimed is named, without equal bits. */
static score check_fields(uint64_t first, size_t rounds)
{
    static const struct {
        const char *claimed, *is;
    } fields[] = {
        {"fa3-fp8", "fa3-fp8 offset=0"},        {"fa3-fp8", "fa3-fp8 tile=96"},
        {"fa3-fp8", "fa3-fp8 tile=64"},         {"fa3-fp8", "fa3-fp8 ascending"},
        {"fa3-fp8", "fa3-fp8 rescale-after=8"}, {"fa3-fp8-two-level", "fa3-fp8-two-level offset=0"},
    };
    score s = {0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            static planted_request kept;
            sf8_attend_order own;
            planted_state = seed * 104729 + i;
            make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.queries = 1;
            request.keys = 300;
            request.kernel = seed % 2 ? KERNEL_F32 : request.kernel;
            kept = request;
            if (sf8_attend_order_read(fields[i].is, &own, NULL) != SF8_OK)
                exit(2);
            permute();
            int is_supported = library_output(&own, SF8_ATTEND_EXACT, 1, wrong);
            request = kept;
            claimed = fields[i].claimed;
            claimed_parts = 1;
            s.planted++;
            sf8_attention_diagnosis *d = diagnose(wrong, NULL);
            char expected[128];
            snprintf(expected, sizeof expected, "the order %s", fields[i].is);
            int is_right = is_supported && is_named(d, expected);
            /* or by its bits, where the others are rounded off; a row may have them too */
            is_right = is_right || (d->order_count && !d->is_expected);
            int is_hidden = d->is_same && d->is_expected;
            s.hidden += (size_t)is_hidden;
            s.named += (size_t)is_right;
            s.other += d->count && !is_right;
            s.none += (size_t)(!d->count && !is_right && !is_hidden);
            s.names += is_right ? d->count : 0;
            if (!is_right && !is_hidden)
                print_names(fields[i].is, d, seed);
            sf8_attention_diagnosis_free(d);
            claimed = NULL;
            claimed_parts = 0;
        }
    printf("%-22s %7zu %6zu %6zu %6zu %6zu %6.2f\n", "fields of an order", s.planted,
           s.planted - s.hidden, s.named, s.other, s.none,
           s.named ? (double)s.names / (double)s.named : 0);
    return s;
}

static size_t check_noise(uint64_t first, size_t rounds)
{
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        planted_state = seed * 271828;
        make_request(RIGHT, RIGHT);
        double size = exp(log(1e-3) + (double)random_below(1000) / 1000 * log(1e6));
        if (seed % 4 == 0) { /* values without their scale would be as small as the noise */
            make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.v_scale = 300;
            size = 0.1;
        }
        for (size_t i = 0; i < request.queries * request.heads * request.dim; i++)
            right[i] = request.kernel == KERNEL_F32 ? (double)(float)(normal() * size)
                                                    : to_bf16(normal() * size);
        innocent("noise", right, seed % 3 == 0 ? "fp8-one" : NULL, seed, 0);
    }
    return rounds;
}

/* One row that is a little off: its sum of weights and a factor of the output are one factor, and
 * no two mistakes. */
static size_t check_factors(uint64_t first, size_t rounds)
{
    static const double factors[] = {0.994, 1.006, 1.008, 1.02};
    enum { FACTORS = sizeof factors / sizeof factors[0] };
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        planted_state = seed * 7907;
        make_request(RIGHT, RIGHT);
        request.queries = request.heads = request.kv_heads = 1;
        request.keys = 33 + random_below(40);
        planted_output(&request, RIGHT, RIGHT, KERNEL_F32, right);
        for (size_t i = 0; i < request.dim; i++)
            right[i] *= factors[seed % FACTORS];
        sf8_attention_diagnosis *d = diagnose(right, NULL);
        int has_two = d->count > 0 && strstr(d->list[0], "; and: ");
        accused += (size_t)has_two;
        if (has_two)
            print_names("a factor", d, seed);
        sf8_attention_diagnosis_free(d);
    }
    return rounds;
}

/* Small requests. What an order gives is as expected, with the order claimed or without; noise has
 * no name, whatever order is claimed. Returns how many outputs there were. */
static size_t check_innocent(uint64_t first, size_t rounds)
{
    const sf8_attend_order *o;
    size_t count = 0;
    for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
        size_t of_order = 0;
        if (only && strcmp(o->name, only) != 0)
            continue;
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            planted_state = seed * 15485863 + i;
            make_request(RIGHT, RIGHT);
            is_fnuz = strncmp(o->unit, "cdna3-", strlen("cdna3-")) == 0;
            if (o->operands == SF8_OPERANDS_CODES)
                make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.queries = 1 + (size_t)seed % 2;
            request.keys = 33 + random_below(80);
            claimed_parts = o->split == SF8_SPLIT_COUNT ? 1 + (size_t)seed % 3 : 0;
            prefix = o->split == SF8_SPLIT_PREFIX ? 1 + random_below(request.keys) : 0;
            if (!library_output(o, SF8_ATTEND_EXACT,
                                prefix          ? prefix
                                : claimed_parts ? claimed_parts
                                                : 1,
                                right))
                continue;
            claimed = seed % 2 ? o->name : NULL;
            innocent(o->name, right, NULL, seed, 1);
            claimed = o->name;
            double size = exp(log(1e-2) + (double)random_below(1000) / 1000 * log(1e4));
            for (size_t k = 0; k < request.queries * request.heads * request.dim; k++)
                right[k] = to_bf16(normal() * size);
            innocent("noise", right, NULL, seed, 0);
            of_order += 2;
        }
        claimed = NULL;
        claimed_parts = prefix = 0;
        is_fnuz = 0;
        printf("%-22s %7zu\n", o->name, of_order);
        holds("every order has outputs", of_order > 0);
        count += of_order;
    }
    return count;
}

int main(int argc, char **argv)
{
    const arguments a = arguments_of(argc, argv, "or");
    only = argc > 4 ? argv[4] : NULL;
    if (strchr(a.part, 'o')) {
        size_t count = check_orders(a.first, a.rounds);
        printf("claimed orders: %zu, at most %.3g of their bounds\n", count, most_of_order);
        if (!only) {
            score s = check_fields(a.first, a.rounds);
            enough("fields of an order are named", &s);
            holds("none has another's name", s.other == 0);
        }
    }
    if (strchr(a.part, 'r')) {
        size_t count = check_right(a.first, a.rounds), noise = check_noise(a.first, 10 * a.rounds);
        size_t factors = check_factors(a.first, 20 * a.rounds);
        printf("right outputs: %zu, noise: %zu, factors: %zu; accused: %zu\n", count, noise,
               factors, accused);
    }
    if (strchr(a.part, 'i'))
        printf("right outputs and noise: %zu; accused: %zu\n", check_innocent(a.first, a.rounds),
               accused);
    holds("nothing right is accused", accused == 0);
    return failures > 0;
}
