#!/bin/sh
# SPDX-License-Identifier: MIT
# parallel.sh -- the shards of a run on several hosts by GNU parallel, with the jobs on a shared disk
#
#     examples/cluster/parallel.sh SHARDS HOST,HOST... DIR COMMAND [OPTION...]
#
# A host is a name for ssh, or ":" for this machine. Each host runs one shard at a time, which uses
# all of its processors.
set -eu
shards=$1 hosts=$2 out=$3
shift 3
exec parallel --quote --jobs 1 --sshlogin "$hosts" --workdir "$PWD" --halt now,fail=1 \
    "$@" --shard "{}/$shards" --keep "$out" ::: $(seq "$shards") # numbers, to be split
