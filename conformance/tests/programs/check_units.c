/* SPDX-License-Identifier: MIT */
/* check_units.c -- the folder of a long run: what is kept, found again, refused and merged */
#include "checks.h"

#include "units/units.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char why[UNITS_WHY];

#define CHECK(good) check(good, #good, why)

static unit_plan *plan_of(const char *tier)
{
    unit_plan *plan = plan_begin();
    plan_term(plan, "program", "check");
    plan_term(plan, "tier", tier);
    plan_add(plan, "cuda-host/f32/e4m3", 5);
    plan_add(plan, "short", 1);
    plan_add(plan, ".odd name*", 2);
    return plan;
}

enum { UNITS = 8 };
static const struct {
    const char *name;
    unsigned part;
} all[UNITS] = {{"cuda-host/f32/e4m3", 0}, {"cuda-host/f32/e4m3", 1}, {"cuda-host/f32/e4m3", 2},
                {"cuda-host/f32/e4m3", 3}, {"cuda-host/f32/e4m3", 4}, {"short", 0},
                {".odd name*", 0},         {".odd name*", 1}};

static int keep(unit_folder *f, size_t i, const char *body, const char *about)
{
    const unit u = {all[i].name, all[i].part, 0, 1.5, NULL, about, body, strlen(body), NULL};
    return units_keep(f, &u, why);
}

static unit_folder *fresh(const char *folder, const unit_plan *plan)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    unit_folder *f = units_open(folder, plan, why);
    CHECK(f != NULL);
    return f;
}

/* Keeps the units whose index is `which` modulo `of`. */
static unit_folder *shard(const char *folder, const unit_plan *plan, size_t which, size_t of)
{
    char body[32];
    unit_folder *f = fresh(folder, plan);
    for (size_t i = 0; i < UNITS; i++) {
        snprintf(body, sizeof body, "result %zu\n", i);
        CHECK(i % of != which || keep(f, i, body, "build gcc"));
    }
    return f;
}

static void merged(unit_folder *const *folders, size_t count, char digest[65])
{
    const unit **whole = NULL;
    int good = units_merge(folders, count, &whole, why);
    check(good, "merged", why);
    strcpy(digest, "");
    if (good)
        units_digest(units_plan(folders[0]), whole, digest);
    free(whole);
}

static int refuses(unit_folder *const *folders, size_t count, const char *text)
{
    const unit **whole;
    return !units_merge(folders, count, &whole, why) && strstr(why, text);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void check_resume(const unit_plan *plan)
{
    unit_folder *f = fresh("resume", plan);
    CHECK(keep(f, 1, "a\nb", "build gcc\nseconds 3\n"));
    CHECK(keep(f, 7, "", ""));
    CHECK(units_progress(f).done == 2 && units_progress(f).all == UNITS);
    units_close(f);
    CHECK((f = units_open("resume", plan, why)) != NULL);
    const unit *u = units_at(f, 1);
    CHECK(u && strcmp(u->name, all[1].name) == 0 && u->part == 1 && u->of == 5);
    CHECK(u && u->size == 3 && memcmp(u->body, "a\nb", 3) == 0 && u->seconds == 1.5);
    CHECK(u && strcmp(u->about, "build gcc\nseconds 3\n") == 0 && u->host[0]);
    CHECK(units_at(f, 7) && units_at(f, 7)->size == 0 && !units_at(f, 0) && !units_at(f, 6));
    CHECK(units_drop(f, 1, why) && !units_at(f, 1));
    units_close(f);
    CHECK((f = units_read("resume", why)) != NULL);
    CHECK(!units_at(f, 1) && units_at(f, 7));
    /* five parts and one more are left; their pace is that of the seventh: 1.5 seconds */
    CHECK(units_progress(f).left == 7 * 1.5);
    CHECK(plan_index(units_plan(f), "short", 0) == 5);
    CHECK(plan_index(units_plan(f), "short", 1) == (size_t)-1);
    CHECK(strcmp(plan_value(units_plan(f), "tier"), "full") == 0);
    units_close(f);
}

static void check_merge(const unit_plan *plan)
{
    char one[65], other[65];
    unit_folder *whole[1] = {shard("whole", plan, 0, 1)};
    merged(whole, 1, one);
    unit_folder *three[3] = {shard("s2", plan, 1, 3), shard("s1", plan, 0, 3),
                             shard("s3", plan, 2, 3)};
    merged(three, 3, other);
    CHECK(strcmp(one, other) == 0);
    CHECK(refuses(three, 2, "2 of 8 units are missing, the first is cuda-host/f32/e4m3, part 3 of 5"));
    CHECK(keep(three[0], 2, "result 2\n", "seconds 99"));
    merged(three, 3, other);
    CHECK(strcmp(one, other) == 0);
    CHECK(keep(three[0], 2, "result 3\n", ""));
    CHECK(refuses(three, 3, "two results: "));
    CHECK(strstr(why, "s2/cuda-host+f32+e4m3@3-of-5.unit") &&
          strstr(why, "s3/cuda-host+f32+e4m3@3-of-5.unit"));
    CHECK(keep(three[0], 2, "result 2\n", ""));
    unit_plan *quick = plan_of("quick");
    unit_folder *foreign[2] = {three[0], shard("foreign", quick, 0, 1)};
    CHECK(refuses(foreign, 2, "foreign is the folder of another run than s2: there tier is 'quick'"));
    CHECK(!units_open("s1", quick, why) && strstr(why, "there tier is 'full', not 'quick'"));
    units_close(foreign[1]);
    plan_free(quick);
    units_close(whole[0]);
    for (int i = 0; i < 3; i++)
        units_close(three[i]);
}

/* The folder is refused after this command, with this text. */
static void damage(const unit_plan *plan, const char *command, const char *text)
{
    units_close(shard("bad", plan, 0, 1));
    CHECK(system(command) == 0);
    unit_folder *f = units_open("bad", plan, why);
    CHECK(!f && strstr(why, text));
    if (f || !strstr(why, text))
        fprintf(stderr, "%s: %s\n", command, f ? "accepted" : why);
    units_close(f);
}

static void check_damage(const unit_plan *plan)
{
    damage(plan, "sed -i s/result/Result/ bad/short@1-of-1.unit", "bad/short@1-of-1.unit:1: ");
    damage(plan, "printf x >> bad/short@1-of-1.unit", "bad/short@1-of-1.unit:1: ");
    damage(plan, "truncate -s -1 bad/short@1-of-1.unit", "bad/short@1-of-1.unit:1: ");
    damage(plan, ": > bad/short@1-of-1.unit", "bad/short@1-of-1.unit:1: ");
    damage(plan, "cp bad/short@1-of-1.unit bad/other@1-of-1.unit", "bad/other@1-of-1.unit:3: ");
    damage(plan, "cp whole/../foreign/short@1-of-1.unit bad/", "bad/short@1-of-1.unit:2: ");
    damage(plan, "sed -i s/full/fast/ bad/plan.txt", "bad/plan.txt:1: ");
    damage(plan, "rm bad/short*; mkdir bad/short@1-of-1.unit", "not a file of at most");
    units_close(shard("bad", plan, 0, 1));
    CHECK(system("rm bad/plan.txt") == 0 && !units_read("bad", why));
    CHECK(strstr(why, "bad: expected the folder of a run, with a file plan.txt") != NULL);
    CHECK(!units_open("/dev/null/x", plan, why) && strstr(why, "cannot make the folder"));
}

/* What a killed process left behind does no harm, and goes after a time. */
static void check_abandoned(const unit_plan *plan)
{
    units_close(shard("left", plan, 0, 1));
    CHECK(system("echo cut > left/.softfp8.aaaaaa; echo cut > left/.softfp8.bbbbbb;"
                 "touch -d '1 hour ago' left/.softfp8.aaaaaa") == 0);
    unit_folder *f = units_open("left", plan, why);
    CHECK(f && units_progress(f).done == UNITS);
    CHECK(access("left/.softfp8.aaaaaa", F_OK) != 0 && access("left/.softfp8.bbbbbb", F_OK) == 0);
    units_close(f);
}

int main(void)
{
    char folder[] = "softfp8-units-XXXXXX"; /* where the test runs: in the build */
    char command[64];
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 2;
    }
    unit_plan *plan = plan_of("full");
    check_resume(plan);
    check_merge(plan);
    check_damage(plan);
    check_abandoned(plan);
    plan_free(plan);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(chdir("..") == 0 && system(command) == 0);
    printf("%d checks, %d failed\n", checks, failures);
    return failures > 0;
}
