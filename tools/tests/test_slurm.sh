# SPDX-License-Identifier: MIT
# test_slurm.sh -- examples/cluster/slurm.sh with Slurm on this machine: a job array gives the run
. "$source/tools/softfp8/tests/common.sh"
prove=$softfp8
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch; do
    command -v $program > found || { echo "skipped: no $program"; exit 77; }
done

# One node, with daemons, keys and ports of its own.
host=$(hostname -s)
user=$(id -un)
port=$((20000 + $$ % 20000))
mkdir spool state
chmod 755 .
head -c 1024 /dev/urandom > key
chmod 600 key
cat > slurm.conf << END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
SlurmdSpoolDir=$PWD/spool
StateSaveLocation=$PWD/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP
END
SLURM_CONF=$PWD/slurm.conf
export SLURM_CONF
daemons=
start() {
    "$@" > "${1##*/}.log" 2>&1 &
    daemons="$! $daemons"
}
trap 'kill $daemons; wait; rm -rf "$dir"' EXIT
start munged --force --foreground --socket="$PWD/munge.socket" --key-file="$PWD/key" \
    --pid-file="$PWD/munged.pid" --seed-file="$PWD/munged.seed"
start slurmctld -D
start slurmd -D
for second in $(seq 30); do
    [ "$(sinfo -h -o %t 2> err)" != idle ] || break
    sleep 1
done
if [ "$(sinfo -h -o %t 2> err)" != idle ]; then
    echo "skipped: Slurm does not start here: $(tail -n 1 slurmctld.log slurmd.log | tr '\n' ' ')"
    exit 77
fi

# array WHAT STATUS OPTION...: a job array of five tasks, until it ends
array() {
    what=$1
    want=$2
    shift 2
    status "$what" "$want" sbatch --wait --array=1-5 "$source/examples/cluster/slurm.sh" \
        "$PWD/jobs" "$prove" --only "$only" "$@"
}
bare() { sed -E 's/ +(seconds|[0-9]+\.[0-9]+)$//' "$1"; }

only='fma/e[23]m[23] add/e[45]* blocks-dot/*'
status 'one run' 0 "$prove" --only "$only" --keep whole
bare out > whole.table
array 'tasks that stop before their end' 3 --budget 0.01
refuses 'jobs are missing' 'jobs are missing' "$prove" --join jobs
array 'the same job again' 0
status 'joined' 0 "$prove" --join jobs
bare out > joined
same_file 'the table of five tasks' whole.table joined
same 'five tasks wrote' 10 "$(ls slurm-*.out | wc -l | tr -d ' ')"
