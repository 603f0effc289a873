# SPDX-License-Identifier: MIT
# test_parallel.sh -- examples/cluster/parallel.sh with GNU parallel: the shards give the whole run
. "$source/tools/softfp8/tests/common.sh"
prove=$softfp8
command -v parallel > found || { echo 'skipped: no GNU parallel'; exit 77; }
parallel --version | grep -q 'GNU parallel' || { echo 'skipped: parallel is not GNU parallel'; exit 77; }
HOME=$PWD
export HOME # where parallel writes
mkdir -p .parallel && touch .parallel/will-cite

# Two hosts, which are this machine: an ssh that notes the host and runs the command here. A login
# sets SHELL, which parallel uses at the far end; a daemon that runs tests may not have it.
cat > pretended_ssh << 'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do case $1 in -[loSpF]) shift 2 ;; *) shift ;; esac; done
echo "$1" >> "$HOSTS"
shift
[ "$1" != -- ] || shift
SHELL=/bin/sh exec sh -c "$*"
END
chmod +x pretended_ssh
PARALLEL_SSH=$PWD/pretended_ssh HOSTS=$PWD/hosts
export PARALLEL_SSH HOSTS

run() { sh "$source/examples/cluster/parallel.sh" "$@"; }
bare() { sed -E 's/ +(seconds|[0-9]+\.[0-9]+)$//' "$1"; }

only='add/e[45]* blocks-dot/*'
status 'one run' 0 "$prove" --only "$only" --keep whole
bare out > whole.table
status 'five shards on this machine' 0 run 5 : "$PWD/here" "$prove" --only "$only"
status 'joined' 0 "$prove" --join here
bare out > joined
same_file 'the table of five shards' whole.table joined
status 'five shards on two hosts' 0 run 5 one,two "$PWD/there" "$prove" --only "$only"
same 'both hosts had shards' "one two" "$(sort -u hosts | tr '\n' ' ' | sed 's/ $//')"
status 'joined' 0 "$prove" --join there
bare out > joined
same_file 'the table of two hosts' whole.table joined
status 'a shard that fails' 2 run 3 : "$PWD/whole" "$prove" --only 'add/e4m3'

# The suite, by the same script.
suite=${prove%-compare-mpfr}
status 'one run of the suite' 0 "$suite" conform --only 'compiler/*' --keep suite
"$suite" conform --join suite | grep '^digest: ' > suite.digest
status 'three shards of the suite' 0 run 3 one,two "$PWD/shards" "$suite" conform --only 'compiler/*'
status 'joined' 0 "$suite" conform --join shards
grep '^digest: ' out > joined
same_file 'the digest of three shards' suite.digest joined
