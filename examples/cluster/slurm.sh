#!/bin/sh
# SPDX-License-Identifier: MIT
# slurm.sh -- a task of a Slurm job array: one shard of a run, with its jobs on a shared disk
#
#     sbatch --array=1-64 examples/cluster/slurm.sh DIR COMMAND [OPTION...]
#
#SBATCH --job-name=softfp8
#SBATCH --signal=B:TERM@60
set -eu
out=$1
shift
# A minute before its time limit Slurm sends SIGTERM, and the program stops at the end of a job.
exec "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --keep "$out"
