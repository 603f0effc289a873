/* SPDX-License-Identifier: MIT */
/* check_jobs.c -- the folder of a long run: what is kept, found again, refused and joined */
#include "checks.h"

#include "jobs/jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char why[JOBS_WHY];

#define CHECK(good) check(good, #good, why)

static job_plan *plan_of(const char *tier)
{
    job_plan *plan = plan_begin();
    plan_term(plan, "program", "check");
    plan_term(plan, "tier", tier);
    plan_add(plan, "cuda-host/f32/e4m3", 5);
    plan_add(plan, "short", 1);
    plan_add(plan, ".odd name*", 2);
    return plan;
}

enum { JOBS = 8 };
static const struct {
    const char *name;
    unsigned part;
} all[JOBS] = {{"cuda-host/f32/e4m3", 0}, {"cuda-host/f32/e4m3", 1}, {"cuda-host/f32/e4m3", 2},
               {"cuda-host/f32/e4m3", 3}, {"cuda-host/f32/e4m3", 4}, {"short", 0},
               {".odd name*", 0},         {".odd name*", 1}};

static int keep(job_folder *f, size_t i, const char *body, const char *about)
{
    const kept_job job = {all[i].name, all[i].part, 0, 1.5, NULL, about, body, strlen(body), NULL};
    return jobs_keep(f, &job, why);
}

static job_folder *fresh(const char *folder, const job_plan *plan)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    job_folder *f = jobs_open(folder, plan, why);
    CHECK(f != NULL);
    return f;
}

/* Keeps the jobs whose index is `which` modulo `of`. */
static job_folder *shard(const char *folder, const job_plan *plan, size_t which, size_t of)
{
    char body[32];
    job_folder *f = fresh(folder, plan);
    for (size_t i = 0; i < JOBS; i++) {
        snprintf(body, sizeof body, "result %zu\n", i);
        CHECK(i % of != which || keep(f, i, body, "build gcc"));
    }
    return f;
}

static void joined(job_folder *const *folders, size_t count, char digest[65])
{
    const kept_job **whole = NULL;
    int good = jobs_join(folders, count, &whole, why);
    check(good, "joined", why);
    strcpy(digest, "");
    if (good)
        jobs_digest(jobs_plan(folders[0]), whole, digest);
    free(whole);
}

static int refuses(job_folder *const *folders, size_t count, const char *text)
{
    const kept_job **whole;
    return !jobs_join(folders, count, &whole, why) && strstr(why, text);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void check_resume(const job_plan *plan)
{
    job_folder *f = fresh("resume", plan);
    CHECK(keep(f, 1, "a\nb", "build gcc\nseconds 3\n"));
    CHECK(keep(f, 7, "", ""));
    CHECK(jobs_progress(f).done == 2 && jobs_progress(f).all == JOBS);
    jobs_close(f);
    CHECK((f = jobs_open("resume", plan, why)) != NULL);
    const kept_job *job = jobs_at(f, 1);
    CHECK(job && strcmp(job->name, all[1].name) == 0 && job->part == 1 && job->of == 5);
    CHECK(job && job->size == 3 && memcmp(job->body, "a\nb", 3) == 0 && job->seconds == 1.5);
    CHECK(job && strcmp(job->about, "build gcc\nseconds 3\n") == 0 && job->host[0]);
    CHECK(jobs_at(f, 7) && jobs_at(f, 7)->size == 0 && !jobs_at(f, 0) && !jobs_at(f, 6));
    CHECK(jobs_drop(f, 1, why) && !jobs_at(f, 1));
    jobs_close(f);
    CHECK((f = jobs_read("resume", why)) != NULL);
    CHECK(!jobs_at(f, 1) && jobs_at(f, 7));
    /* five parts and one more are left; their pace is that of the seventh: 1.5 seconds */
    CHECK(jobs_progress(f).left == 7 * 1.5);
    CHECK(plan_index(jobs_plan(f), "short", 0) == 5);
    CHECK(plan_index(jobs_plan(f), "short", 1) == (size_t)-1);
    CHECK(strcmp(plan_value(jobs_plan(f), "tier"), "full") == 0);
    jobs_close(f);
}

static void check_merge(const job_plan *plan)
{
    char one[65], other[65];
    job_folder *whole[1] = {shard("whole", plan, 0, 1)};
    joined(whole, 1, one);
    job_folder *three[3] = {shard("s2", plan, 1, 3), shard("s1", plan, 0, 3),
                            shard("s3", plan, 2, 3)};
    joined(three, 3, other);
    CHECK(strcmp(one, other) == 0);
    CHECK(
        refuses(three, 2, "2 of 8 jobs are missing, the first is cuda-host/f32/e4m3, part 3 of 5"));
    CHECK(keep(three[0], 2, "result 2\n", "seconds 99"));
    joined(three, 3, other);
    CHECK(strcmp(one, other) == 0);
    CHECK(keep(three[0], 2, "result 3\n", ""));
    CHECK(refuses(three, 3, "two results: "));
    CHECK(strstr(why, "s2/cuda-host+f32+e4m3@3-of-5.job") &&
          strstr(why, "s3/cuda-host+f32+e4m3@3-of-5.job"));
    CHECK(keep(three[0], 2, "result 2\n", ""));
    job_plan *quick = plan_of("quick");
    job_folder *foreign[2] = {three[0], shard("foreign", quick, 0, 1)};
    CHECK(
        refuses(foreign, 2, "foreign is the folder of another run than s2: there tier is 'quick'"));
    CHECK(!jobs_open("s1", quick, why) && strstr(why, "there tier is 'full', not 'quick'"));
    jobs_close(foreign[1]);
    plan_free(quick);
    jobs_close(whole[0]);
    for (int i = 0; i < 3; i++)
        jobs_close(three[i]);
}

/* The folder is refused after this command, with this text. */
static void damage(const job_plan *plan, const char *command, const char *text)
{
    jobs_close(shard("bad", plan, 0, 1));
    CHECK(system(command) == 0);
    job_folder *f = jobs_open("bad", plan, why);
    CHECK(!f && strstr(why, text));
    if (f || !strstr(why, text))
        fprintf(stderr, "%s: %s\n", command, f ? "accepted" : why);
    jobs_close(f);
}

static void check_damage(const job_plan *plan)
{
    damage(plan, "sed -i s/result/Result/ bad/short@1-of-1.job", "bad/short@1-of-1.job:1: ");
    damage(plan, "printf x >> bad/short@1-of-1.job", "bad/short@1-of-1.job:1: ");
    damage(plan, "truncate -s -1 bad/short@1-of-1.job", "bad/short@1-of-1.job:1: ");
    damage(plan, ": > bad/short@1-of-1.job", "bad/short@1-of-1.job:1: ");
    damage(plan, "cp bad/short@1-of-1.job bad/other@1-of-1.job", "bad/other@1-of-1.job:3: ");
    damage(plan, "cp whole/../foreign/short@1-of-1.job bad/", "bad/short@1-of-1.job:2: ");
    damage(plan, "sed -i s/full/fast/ bad/plan.txt", "bad/plan.txt:1: ");
    damage(plan, "rm bad/short*; mkdir bad/short@1-of-1.job", "not a file of at most");
    jobs_close(shard("bad", plan, 0, 1));
    CHECK(system("rm bad/plan.txt") == 0 && !jobs_read("bad", why));
    CHECK(strstr(why, "bad: expected the folder of a run, with a file plan.txt") != NULL);
    CHECK(!jobs_open("/dev/null/x", plan, why) && strstr(why, "cannot make the folder"));
}

/* What a killed process left behind does no harm, and goes after a time. */
static void check_abandoned(const job_plan *plan)
{
    jobs_close(shard("left", plan, 0, 1));
    CHECK(system("echo cut > left/.softfp8.aaaaaa; echo cut > left/.softfp8.bbbbbb;"
                 "touch -d '1 hour ago' left/.softfp8.aaaaaa") == 0);
    job_folder *f = jobs_open("left", plan, why);
    CHECK(f && jobs_progress(f).done == JOBS);
    CHECK(access("left/.softfp8.aaaaaa", F_OK) != 0 && access("left/.softfp8.bbbbbb", F_OK) == 0);
    jobs_close(f);
}

int main(void)
{
    char folder[] = "softfp8-jobs-XXXXXX"; /* where the test runs: in the build */
    char command[64];
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        return 2;
    }
    job_plan *plan = plan_of("full");
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
