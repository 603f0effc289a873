/* SPDX-License-Identifier: MIT */
/* ask_gpu.c -- whether there is a GPU, tested in a separate process, since this one forks */
#include "../../gpu/device.h"
#include "suite/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum { PATIENCE = 60, ENDS_WITHIN = 5 }; /* seconds */

typedef struct device_answer {
    char missing[CONFORM_TEXT];
    gpu_device device;
} device_answer;

const char *conform_gpu(gpu_device *device)
{
    static device_answer answer;
    int ends[2];
    size_t got = 0;
    snprintf(answer.missing, sizeof answer.missing, "no answer from the GPU");
    fflush(NULL);
    if (pipe(ends) != 0)
        return answer.missing;
    pid_t pid = fork();
    if (pid == 0) {
        const char *missing = gpu_open(&answer.device);
        snprintf(answer.missing, sizeof answer.missing, "%s", missing ? missing : "");
        _exit(write(ends[1], &answer, sizeof answer) != (ssize_t)sizeof answer);
    }
    close(ends[1]);
    for (ssize_t n = 1; pid > 0 && n != 0 && got < sizeof answer;) {
        struct pollfd answered = {ends[0], POLLIN, 0};
        if (poll(&answered, 1, PATIENCE * 1000) <= 0)
            break;
        n = read(ends[0], (char *)&answer + got, sizeof answer - got);
        if (n < 0 && errno != EINTR)
            break;
        got += n > 0 ? (size_t)n : 0;
    }
    close(ends[0]);
    if (pid > 0 && got != sizeof answer)
        kill(pid, SIGKILL);
    if (pid > 0)
        process_ended(pid, ENDS_WITHIN, NULL);
    if (got != sizeof answer)
        snprintf(answer.missing, sizeof answer.missing, "no answer from the GPU");
    *device = answer.device;
    return answer.missing[0] ? answer.missing : NULL;
}
